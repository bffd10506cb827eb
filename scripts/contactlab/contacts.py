"""Contacts between two sets of geoms: what touches, with what force, how deep, how fast it slides, and what is only near.

MuJoCo keeps a record (mjContact) of two geoms that are closer than their margins and gaps allow. A record whose constraint
carries a normal force above 0 is a touch. One that carries none, because it lies in the gap, because the geoms part, or because
memory was short, is proximity: nothing has pushed. Depth is geometry: how far two geoms overlap, whether that presses or not.
Source: MuJoCo documentation, Computation, Contact; Modeling, Contact parameters (margin, gap).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import ArrayLike

SPECULATIVE = getattr(mujoco.mjtEnableBit, "mjENBL_SPECULATIVE", 0)  # from MuJoCo 4.0 on
FAR_M = 1.0  # two geoms that are so far apart are only told to be
COLLISION_M = 1e-6  # what two geoms that just touch may seem to overlap (MuJoCo documentation, XMLreference, ccd_tolerance)


def subtree_geoms(model: mujoco.MjModel, body: str, without: str | None = None) -> np.ndarray:
    """(n,) ids of the geoms of a body and of all bodies that hang on it, but for `without` and what hangs on that, if it does.

    Raises KeyError for a body that the model lacks.
    """
    inside = _subtree(model, model.body(body).id)
    if without is not None and inside[model.body(without).id]:
        inside &= ~_subtree(model, model.body(without).id)
    return np.flatnonzero(inside[model.geom_bodyid])


def _subtree(model: mujoco.MjModel, root: int) -> np.ndarray:
    """(nbody,) bool, whether a body is `root` or hangs on it; a parent's number is lower than its children's."""
    inside = np.zeros(model.nbody, dtype=bool)
    inside[root] = True
    for body in range(root + 1, model.nbody):
        inside[body] |= inside[model.body_parentid[body]]
    return inside


def geom_label(model: mujoco.MjModel, geom: int) -> str:
    """What a geom is called: its name, or its number and its body."""
    return model.geom(geom).name or f"geom {geom} of body {model.body(model.geom_bodyid[geom]).name or 'world'}"


def overlaps(model: mujoco.MjModel, data: mujoco.MjData) -> dict[tuple[str, str], float]:
    """How deep, in m, geoms that can touch overlap in the state that `data` holds, by their labels; the deepest first.

    What follows from positions is computed anew in `data`.
    """
    mujoco.mj_fwdPosition(model, data)
    found = {}
    for pair, distance_m in zip(data.contact.geom.tolist(), data.contact.dist.tolist(), strict=True):
        if distance_m < 0 and min(pair) >= 0:
            labels = tuple(geom_label(model, geom) for geom in pair)
            found[labels] = max(found.get(labels, 0.0), -distance_m)
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def start_overlap(model: mujoco.MjModel, data: mujoco.MjData) -> dict:
    """What overlaps in the state that `data` holds, whatever the two are, and how deep in m at most, but for rounding."""
    found = {pair: depth_m for pair, depth_m in overlaps(model, data).items() if depth_m > COLLISION_M}
    return {
        "start_overlap_m": max(found.values(), default=0.0),
        "start_overlaps": ", ".join(f"{one} and {other}" for one, other in found),
    }


def start_faults(model: mujoco.MjModel, data: mujoco.MjData, allowed_m: float) -> Iterator[tuple[str, str]]:
    """Each pair of geoms that overlap by more than is allowed at the start, which `data` holds, and what is allowed."""
    for (one, other), depth_m in overlaps(model, data).items():
        if depth_m > allowed_m + COLLISION_M:
            yield f"{one} and {other} overlap by {depth_m:g} m at the start", f"by up to allowed_overlap_m, {allowed_m:g}"


def require_apart(model: mujoco.MjModel, data: mujoco.MjData, allowed_m: float) -> None:
    """Raises ValueError with the deepest of these pairs."""
    for found, allowed in start_faults(model, data, allowed_m):
        raise ValueError(f"{found}; allowed: {allowed}")


class Moments:
    """Contacts and velocities of chosen moments of a run, kept as they are and read together: `together` takes the place of an
    MjData in `Between`. To read the contacts of a single moment takes NumPy longer than a step.
    """

    FIELDS = ("geom", "pos", "frame", "friction", "efc_address", "dim")

    def __init__(self) -> None:
        self._contacts, self._states = [], []

    def __len__(self) -> int:
        return len(self._states)

    def keep(self, data: mujoco.MjData) -> None:
        """Keep the moment that `data` holds."""
        contact = data.contact
        self._contacts.append([getattr(contact, name).copy() for name in self.FIELDS])
        self._states.append([state.copy() for state in (data.efc_force, data.cvel, data.subtree_com)])

    def together(self) -> SimpleNamespace:
        """The moments as one, with the contacts of all of them in order; `moment` (n,) says which one each is of.

        ncon, contact, efc_force: as in an MjData; cvel and subtree_com have a further first axis, the moment's number.
        """
        contacts = {name: np.concatenate(of) for name, of in zip(self.FIELDS, zip(*self._contacts, strict=True), strict=True)}
        efc_force, cvel, subtree_com = zip(*self._states, strict=True)
        moment = np.repeat(np.arange(len(self._states)), [len(fields[0]) for fields in self._contacts])
        start = np.cumsum([0, *(len(rows) for rows in efc_force)])[moment]
        contacts["efc_address"] = np.where(contacts["efc_address"] < 0, -1, contacts["efc_address"] + start)
        return SimpleNamespace(
            ncon=len(moment), contact=SimpleNamespace(**contacts), moment=moment,
            efc_force=np.concatenate(efc_force), cvel=np.stack(cvel), subtree_com=np.stack(subtree_com),
        )  # fmt: skip


@dataclass(frozen=True)
class Touches:
    """The touches between two sets of geoms at one instant; n of them. Forces are those on the first set.

    index: (n,) their numbers in mjData.contact
    other: (n,) the geoms of the second set
    mu: (n,) sliding friction
    local_N: (n, 3) normal and two tangential forces in the contacts' own frames, as `mj_contactForce` gives them
    force_N: (n, 3) the same in the world frame
    normal: (n, 3) unit vectors in the world frame along which the normal forces push the first set
    """

    index: np.ndarray
    other: np.ndarray
    mu: np.ndarray
    local_N: np.ndarray
    force_N: np.ndarray
    normal: np.ndarray

    @property
    def normal_N(self) -> float:
        """The sum of the normal forces in N."""
        return float(self.local_N[:, 0].sum())

    @property
    def friction_N(self) -> float:
        """The sum of the lengths of the friction forces in N."""
        return float(np.hypot(self.local_N[:, 1], self.local_N[:, 2]).sum())


class Record(NamedTuple):
    """One record of two geoms, of the first set and of the second, that are near or overlap.

    index: its number in mjData.contact
    other: the geom of the second set
    sign: 1.0 where the contact's frame points to the first set, else -1.0
    distance_m: between the two geoms as the solver has it, below 0 where they overlap; made up in a speculative contact
    depth_m: how far they overlap, below 0 where they do not
    normal_N: the normal force; None where the solver has no constraint of it
    """

    index: int
    other: int
    sign: float
    distance_m: float
    depth_m: float
    normal_N: float | None


class Between:
    """The contacts of two sets of geoms in an MjData: of the `first` (n,) with the `second` (m,), which have no geom in common.

    Valid right after `mj_step` or `mj_forward`. After `mj_step` contacts and forces are those of the state before it.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, first: ArrayLike, second: ArrayLike) -> None:
        self._model, self._data = model, data
        self._forces = forces_of(model)
        # 1 for the first, 2 for the second: the sum of a pair tells it. The last is that of no geom, -1, as a flex has.
        self._side = np.zeros(model.ngeom + 1, dtype=np.int8)
        self._side[np.asarray(first)] = 1
        self._side[np.asarray(second)] = 2
        self._sides, self._pyramidal = self._side.tolist(), model.opt.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL
        self._speculative = bool(model.opt.enableflags & SPECULATIVE)

    def records(self) -> np.ndarray:
        """(n,) numbers of all records of a geom of the first set with one of the second, touching or not."""
        if not self._data.ncon:
            return np.zeros(0, dtype=int)
        sides = self._side[self._data.contact.geom]
        return np.flatnonzero(sides.sum(axis=1) == 3)

    def each(self) -> list[Record]:
        """The same as plain numbers, with their normal forces, in a fifth of the time: for loops that look at every step."""
        data, sides = self._data, self._sides
        if not data.ncon:
            return []
        contact = data.contact
        pairs = [(i, one, two) for i, (one, two) in enumerate(contact.geom.tolist()) if sides[one] + sides[two] == 3]
        if not pairs:
            return []
        distances_m, addresses, dims = contact.dist.tolist(), contact.efc_address.tolist(), contact.dim.tolist()
        forces_N = data.efc_force.tolist()
        found = []
        for index, one, two in pairs:
            start, normal_N = addresses[index], None
            if start >= 0:
                normal_N = sum(forces_N[start : start + self._normal_rows(dims[index])])
            other, sign = (one, 1.0) if sides[one] == 2 else (two, -1.0)
            distance_m = distances_m[index]
            depth_m = -self._apart_m(one, two) if self._speculative else -distance_m
            found.append(Record(index, other, sign, distance_m, depth_m, normal_N))
        return found

    def _apart_m(self, one: int, two: int) -> float:
        return mujoco.mj_geomDistance(self._model, self._data, one, two, FAR_M, None)

    def touches(self) -> Touches:
        """The touches, in the order of their numbers."""
        return self._read(pressing=True)

    def acting(self) -> Touches:
        """The same with those records in the solver that press with nothing."""
        return self._read(pressing=False)

    def _read(self, pressing: bool) -> Touches:
        """Those of the records that are in the solver; or only those that press."""
        contact, records = self._data.contact, self.records()
        index = records[contact.efc_address[records] >= 0] if len(records) else records
        local_N = self._forces(self._data, index)
        if pressing:
            index, local_N = index[local_N[:, 0] > 0], local_N[local_N[:, 0] > 0]
        geoms, frame = contact.geom[index], contact.frame[index].reshape(-1, 3, 3)
        # A contact's frame points from its first geom to its second (MuJoCo documentation, APIreference, mjContact).
        to_first = self._side[geoms[:, 1]] == 1
        other, sign = np.where(to_first, geoms[:, 0], geoms[:, 1]), np.where(to_first, 1.0, -1.0)[:, None]
        force_N = sign * np.einsum("ni,nij->nj", local_N, frame)
        return Touches(index, other, contact.friction[index, 0], local_N, force_N, sign * frame[:, 0])

    def _normal_rows(self, dim: int) -> int:
        """Whose forces add up to the normal one: of an edge of a pyramid two rows."""
        return 2 * (dim - 1) if self._pyramidal and dim > 1 else 1

    def depth_m(self, least_m: float = 0.0) -> float:
        """How far a geom of the first set overlaps one of the second at most, in m; `least_m` where none does by more."""
        contact, sides = self._data.contact, self._sides
        if self._speculative:
            return max([least_m, *(record.depth_m for record in self.each())])
        distances_m = contact.dist.tolist()
        if not distances_m or min(distances_m) >= -least_m:
            return least_m
        for (one, two), distance_m in zip(contact.geom.tolist(), distances_m, strict=True):
            if distance_m < -least_m and sides[one] + sides[two] == 3:
                least_m = -distance_m
        return least_m

    def slip_m_per_s(self, touches: Touches) -> np.ndarray:
        """(n,) speeds in m/s with which the first set slides over the second at the touches, across their normals."""
        geoms = self._data.contact.geom[touches.index]
        first = np.where(geoms[:, 0] == touches.other, geoms[:, 1], geoms[:, 0])
        relative = self._velocity(first, touches.index) - self._velocity(touches.other, touches.index)
        along = np.einsum("ni,ni->n", relative, touches.normal)[:, None] * touches.normal
        return np.linalg.norm(relative - along, axis=1)

    def _velocity(self, geoms: np.ndarray, contacts: np.ndarray) -> np.ndarray:
        """(n, 3) velocities in m/s of the points of geoms' bodies that are where the contacts are.

        cvel holds the angular velocity and the linear velocity at the centre of mass of the body's tree (MuJoCo documentation,
        APIreference, mjData).
        """
        data, bodies = self._data, self._model.geom_bodyid[geoms]
        moment = () if isinstance(data, mujoco.MjData) else (data.moment[contacts],)
        centre_m = data.subtree_com[*moment, self._model.body_rootid[bodies]]
        moving = data.cvel[*moment, bodies]
        return moving[:, 3:] + np.cross(moving[:, :3], data.contact.pos[contacts] - centre_m)


def forces_of(model: mujoco.MjModel):
    """The function that reads (n, 3) forces in N of chosen contacts of a data of this model, for its friction cone."""
    return elliptic_forces if model.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC else pyramidal_forces


def elliptic_forces(data: mujoco.MjData, chosen: np.ndarray) -> np.ndarray:
    """(n, 3) normal and tangential forces in N of the chosen contacts, in their own frames: a contact's first three rows.

    Source: MuJoCo documentation, Computation, Contact.
    """
    return _rows(data, chosen, 3, data.contact.dim[chosen])


def pyramidal_forces(data: mujoco.MjData, chosen: np.ndarray) -> np.ndarray:
    """The same of a pyramid, whose rows are forces f along its edges: the normal force is their sum, a tangential one is
    mu (f+ - f-) of its two edges.
    """
    dim = data.contact.dim[chosen]
    edges = _rows(data, chosen, 10, np.maximum(1, 2 * (dim - 1)))
    tangents = data.contact.friction[chosen, :2] * (edges[:, 0:4:2] - edges[:, 1:4:2]) * (dim > 1)[:, None]
    return np.column_stack([edges.sum(axis=1), tangents])


def _rows(data: mujoco.MjData, chosen: np.ndarray, most: int, present: np.ndarray) -> np.ndarray:
    """(n, most) forces of the first constraint rows of the chosen contacts, 0 beyond those that are `present` (n,)."""
    row = np.arange(most)
    exists = row < present[:, None]
    address = np.where(exists, data.contact.efc_address[chosen, None] + row, 0)
    return np.where(exists, data.efc_force[address], 0.0) if len(chosen) else np.zeros((0, most))


class SolverLimits:
    """How often the constraint solver stopped at a limit of its own, over the steps that it is shown.

    After a step that ended at the limit of iterations without meeting the tolerance, or in which a line search ended at its own
    limit, the forces are not the solution that was asked for. What `watching` gives is called after every step; without
    constraints one does not count.
    Source: MuJoCo documentation, APIreference, mjSolverStat; XMLreference, option (iterations, ls_iterations).
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        option = model.opt
        self._iterations, self._ls_iterations = int(option.iterations), int(option.ls_iterations)
        self._tolerance, self._has_gradient = float(option.tolerance), option.solver != mujoco.mjtSolver.mjSOL_PGS
        self.steps = self.iterations = self.at_iterations = self.at_line_search = 0
        self.improvement = self.gradient = 0.0

    def watching(self, data: mujoco.MjData) -> Callable[[], None]:
        """What takes in the step that `data` has just taken: every island of constraints has its own number of iterations.

        It reads plain memory, as looking a number up in `data`, or comparing NumPy's, takes more than the rest.
        """
        niter, neval = memoryview(data.solver_niter), memoryview(data.solver.neval)
        islands, kept = len(niter), len(neval) // len(niter)  # of which the engine has a record, and iterations of each
        many, searches = min(2, self._iterations), self._ls_iterations
        see_island = partial(self._see_island, data.solver, neval)

        def see() -> None:
            island = data.nisland
            if not island:
                if not data.nefc:
                    return
                island = 1
            elif island > islands:
                island = islands
            self.steps += 1
            while island:
                island -= 1
                count, first = niter[island], island * kept
                self.iterations += count
                if count >= many or neval[first] >= searches:
                    see_island(first, count, min(count, kept))

        return see

    def _see_island(self, solver, neval: memoryview, first: int, count: int, kept: int) -> None:
        """Take in the iterations of an island, of which so many were kept from a place on."""
        if count >= self._iterations:
            self._see_last(solver[first + kept - 1])
        if max(neval[first : first + kept], default=0) >= self._ls_iterations:
            self.at_line_search += 1

    def _see_last(self, last) -> None:
        if self._wants_more(last):
            self.at_iterations += 1
            self.improvement, self.gradient = max(self.improvement, last.improvement), max(self.gradient, last.gradient)

    def _wants_more(self, last) -> bool:
        """Whether an iteration did not meet the tolerance by which the solver ends."""
        return last.improvement >= self._tolerance and (not self._has_gradient or last.gradient >= self._tolerance)

    def summary(self) -> dict:
        """Counts, and the largest improvement and gradient left after a last iteration at the limit; 0 without one."""
        finite = math.isfinite(self.improvement) and math.isfinite(self.gradient)
        return {
            "solved_steps": self.steps,
            "at_iterations": self.at_iterations,
            "at_line_search": self.at_line_search,
            "left_improvement": self.improvement if finite else None,
            "left_gradient": self.gradient if finite else None,
        }
