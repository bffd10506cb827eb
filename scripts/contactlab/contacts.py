"""Contacts between two sets of geoms: what touches, with what force, how deep, how fast it slides, and what is only near.

MuJoCo keeps a record (mjContact) of two geoms that are closer than their margins and gaps allow. A record whose constraint
carries a normal force above 0 is a touch. One that carries none, because it lies in the gap, because the geoms part, or because
memory was short, is proximity: nothing has pushed. Depth is geometry: how far two geoms overlap, whether that presses or not.
Source: MuJoCo documentation, Computation, Contact; Modeling, Contact parameters (margin, gap).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import ArrayLike


def subtree_geoms(model: mujoco.MjModel, body: str, without: str | None = None) -> np.ndarray:
    """(n,) ids of the geoms of a body and of all bodies that hang on it, but not those of the subtree of `without`.

    Raises KeyError for a body that the model lacks.
    """
    inside = _subtree(model, model.body(body).id)
    if without is not None:
        inside &= ~_subtree(model, model.body(without).id)
    return np.flatnonzero(inside[model.geom_bodyid])


def _subtree(model: mujoco.MjModel, root: int) -> np.ndarray:
    """(nbody,) bool, whether a body is `root` or hangs on it; a parent's number is lower than its children's."""
    inside = np.zeros(model.nbody, dtype=bool)
    inside[root] = True
    for body in range(root + 1, model.nbody):
        inside[body] |= inside[model.body_parentid[body]]
    return inside


@dataclass(frozen=True)
class Touches:
    """The touches between two sets of geoms at one instant; n of them. Forces are those on the first set.

    index: (n,) their numbers in mjData.contact
    local_N: (n, 3) normal and two tangential forces in the contacts' own frames, as `mj_contactForce` gives them
    force_N: (n, 3) the same in the world frame
    normal: (n, 3) unit vectors in the world frame along which the normal forces push the first set
    """

    index: np.ndarray
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


class Between:
    """The contacts of two sets of geoms in an MjData: of the `first` (n,) with the `second` (m,), which have no geom in common.

    Valid right after `mj_step` or `mj_forward`. After `mj_step` contacts and forces are those of the state before it.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, first: ArrayLike, second: ArrayLike) -> None:
        self._model, self._data = model, data
        self._forces = forces_of(model)
        self._side = np.zeros(model.ngeom, dtype=np.int8)  # 1 for the first, 2 for the second: the sum of a pair tells it
        self._side[np.asarray(first)] = 1
        self._side[np.asarray(second)] = 2

    def records(self) -> np.ndarray:
        """(n,) numbers of all records of a geom of the first set with one of the second, touching or not."""
        if not self._data.ncon:
            return np.zeros(0, dtype=int)
        sides = self._side[self._data.contact.geom]
        return np.flatnonzero((sides.sum(axis=1) == 3) & sides.all(axis=1))

    def touches(self) -> Touches:
        """The touches, in the order of their numbers."""
        contact, records = self._data.contact, self.records()
        acting = records[contact.efc_address[records] >= 0] if len(records) else records
        local_N = self._forces(self._data, acting)
        pressing = local_N[:, 0] > 0
        index, local_N = acting[pressing], local_N[pressing]
        # A contact's frame points from its first geom to its second (MuJoCo documentation, APIreference, mjContact).
        sign = np.where(self._side[contact.geom[index, 1]] == 1, 1.0, -1.0)[:, None] if len(index) else np.zeros((0, 1))
        frame = contact.frame[index].reshape(-1, 3, 3)
        return Touches(index, local_N, sign * np.einsum("ni,nij->nj", local_N, frame), sign * frame[:, 0])

    def depth_m(self) -> float:
        """How far a geom of the first set overlaps one of the second at most, in m; 0 where none does."""
        records = self.records()
        return max(0.0, float(-self._data.contact.dist[records].min())) if len(records) else 0.0

    def slip_m_per_s(self, touches: Touches) -> np.ndarray:
        """(n,) speeds in m/s with which the first set slides over the second at the touches, across their normals."""
        contact = self._data.contact
        geoms = contact.geom[touches.index]
        first = np.where(self._side[geoms[:, 0]] == 1, geoms[:, 0], geoms[:, 1])
        second = np.where(self._side[geoms[:, 0]] == 1, geoms[:, 1], geoms[:, 0])
        place_m = contact.pos[touches.index]
        relative = self._velocity(first, place_m) - self._velocity(second, place_m)
        along = np.einsum("ni,ni->n", relative, touches.normal)[:, None] * touches.normal
        return np.linalg.norm(relative - along, axis=1)

    def _velocity(self, geoms: np.ndarray, place_m: np.ndarray) -> np.ndarray:
        """(n, 3) velocities in m/s of the points of geoms' bodies that are at places (n, 3).

        cvel holds the angular velocity and the linear velocity at the centre of mass of the body's tree (MuJoCo documentation,
        APIreference, mjData).
        """
        bodies = self._model.geom_bodyid[geoms]
        centre_m = self._data.subtree_com[self._model.body_rootid[bodies]]
        spin, linear = self._data.cvel[bodies, :3], self._data.cvel[bodies, 3:]
        return linear + np.cross(spin, place_m - centre_m)


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
    limit, the forces are not the solution that was asked for. `see` is called after every step; without constraints one does
    not count.
    Source: MuJoCo documentation, APIreference, mjSolverStat; XMLreference, option (iterations, ls_iterations).
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        option = model.opt
        self._iterations, self._ls_iterations = int(option.iterations), int(option.ls_iterations)
        self._tolerance, self._has_gradient = float(option.tolerance), option.solver != mujoco.mjtSolver.mjSOL_PGS
        self.steps = self.at_iterations = self.at_line_search = 0
        self.improvement = self.gradient = 0.0

    def see(self, data: mujoco.MjData) -> None:
        """Take in the step just taken: every island of constraints has its own number of iterations."""
        if not data.nefc:
            return
        self.steps += 1
        niter = data.solver_niter
        for island in range(max(1, min(data.nisland, len(niter)))):
            self._see_island(data, island, int(niter[island]))

    def _see_island(self, data: mujoco.MjData, island: int, count: int) -> None:
        if not count:
            return
        per_island = len(data.solver) // len(data.solver_niter)
        done = [data.solver[island * per_island + iteration] for iteration in range(min(count, per_island))]
        if count >= self._iterations and self._wants_more(done[-1]):
            self.at_iterations += 1
            self.improvement, self.gradient = max(self.improvement, done[-1].improvement), max(self.gradient, done[-1].gradient)
        if any(iteration.neval >= self._ls_iterations for iteration in done):
            self.at_line_search += 1

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
