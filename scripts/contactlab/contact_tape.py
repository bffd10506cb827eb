"""The contacts of all steps of a run, copied as they are and worked out many steps at a time, at a tenth of the cost of each.

What a touch, its force and its depth are is what `contactlab.contacts.Between` says of a step, to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Protocol

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from contactlab.contacts import FAR_M, SPECULATIVE, forces_of, geom_label
from contactlab.grasp import cone_use

ROOM = 100_000  # contacts that are kept before they are worked out, some 10 MB
WIDTH = {"geom": (2,), "friction": (5,), "frame": (9,), "pos": (3,)}  # numbers of a field of one contact, where not one
FIELDS = {
    "depth_m": ("dist",),
    "friction_N": ("friction",),
    "cone_use": ("friction",),
    "slip_m_per_s": ("frame", "pos"),
}
OF_BODIES = {"slip_m_per_s": ("cvel", "subtree_com")}


@dataclass(frozen=True)
class Stretch:
    """The c contacts of n steps in a row, in their order.

    first: how many steps came before. times_s: (n,) when they ended. step: (c,) of the n, that of each contact
    normal_N: (c,), nan where the solver has no constraint
    contact, efc_force: of all of them as mjData has them of one step, the contacts' fields that a reader asks for
    of_bodies: what mjData has of n * nbody bodies, a step's after the other, as far as a reader asks for it
    """

    first: int
    times_s: Sequence[float]
    step: np.ndarray
    normal_N: np.ndarray
    contact: SimpleNamespace
    efc_force: np.ndarray
    of_bodies: SimpleNamespace


class Reader(Protocol):
    """What works out a stretch of steps; it asks for fields of mjContact, and for fields of mjData that each body has."""

    fields: Sequence[str]
    of_bodies: Sequence[str]

    def take(self, stretch: Stretch) -> None:
        """Take in the next steps of the run."""


class ContactTape:
    """Keeps the contacts of a run for its readers: call `see` after every step and `finish` at the end."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, readers: Sequence[Reader]) -> None:
        self._model, self._data, self._readers, self._first = model, data, readers, 0
        self._speculative = bool(model.opt.enableflags & SPECULATIVE)
        asked = dict.fromkeys(field for reader in readers for field in reader.fields)
        self._fields = ["geom", "efc_address", "dim", *asked]
        self._of_bodies = list(dict.fromkeys(field for reader in readers for field in reader.of_bodies))
        self._clear()

    def _clear(self) -> None:
        self._times_s, self._counts, self._rows, self._forces_N, self._kept = [], [], [], [], 0
        self._copies, self._bodies = [], []

    def see(self) -> None:
        """Take in the step just taken."""
        data = self._data
        count = data.ncon
        self._times_s.append(data.time)
        self._counts.append(count)
        if self._of_bodies:
            self._bodies.append([getattr(data, field).copy() for field in self._of_bodies])
        if not count:
            self._rows.append(0)
            return
        contact, force_N = data.contact, data.efc_force.copy()
        self._copies.append([getattr(contact, field).copy() for field in self._fields])
        if self._speculative and "dist" in self._fields:
            self._copies[-1][self._fields.index("dist")] = self._apart_m(contact.geom)
        self._forces_N.append(force_N)
        self._rows.append(len(force_N))
        self._kept += count
        if self._kept > ROOM:
            self.finish()

    def _apart_m(self, pairs: np.ndarray) -> np.ndarray:
        """The distances of geoms themselves: those of speculative contacts are made up."""
        model, data = self._model, self._data
        return np.array(
            [
                mujoco.mj_geomDistance(model, data, one, two, FAR_M, None) if min(one, two) >= 0 else FAR_M
                for one, two in pairs.tolist()
            ]
        )

    def finish(self) -> None:
        """Let the readers take in all that they have not seen."""
        if not self._times_s:
            return
        stretch = self._stretch()
        for reader in self._readers:
            reader.take(stretch)
        self._first += len(self._times_s)
        self._clear()

    def _stretch(self) -> Stretch:
        copies = self._copies or [[np.zeros((0, *WIDTH.get(field, ()))) for field in self._fields]]
        contact = SimpleNamespace(**dict(zip(self._fields, map(np.concatenate, zip(*copies, strict=True)), strict=True)))
        contact.geom, contact.dim = contact.geom.astype(int), contact.dim.astype(int)
        efc_force = np.concatenate([np.zeros(0), *self._forces_N])
        step = np.repeat(np.arange(len(self._counts)), self._counts)
        before = np.cumsum(self._rows) - self._rows  # rows of the steps before each
        contact.efc_address = np.where(contact.efc_address >= 0, contact.efc_address + before[step], -1).astype(int)
        normal_N = _normal_N(self._model, contact.efc_address, contact.dim, efc_force)
        bodies = map(np.concatenate, zip(*self._bodies, strict=True))
        of_bodies = SimpleNamespace(**dict(zip(self._of_bodies, bodies, strict=True)))
        return Stretch(self._first, self._times_s, step, normal_N, contact, efc_force, of_bodies)


def _normal_N(model: mujoco.MjModel, address: np.ndarray, dim: np.ndarray, efc_force: np.ndarray) -> np.ndarray:
    """(c,) normal forces: that of the first row, or the sum over the edges of a pyramid."""
    pyramid = (model.opt.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL) & (dim > 1)
    rows = np.where(address < 0, 0, np.where(pyramid, 2 * (dim - 1), 1))
    owner = np.repeat(np.arange(len(rows)), rows)
    within = np.arange(len(owner)) - (np.cumsum(rows) - rows)[owner]
    # bincount adds one after the other, as a loop does
    normal_N = np.bincount(owner, efc_force[address[owner] + within], minlength=len(rows))
    return np.where(address < 0, np.nan, normal_N)


class PairSeries:
    """Samples of the contacts of two sets of geoms, (n,) and (m,), one for each step of a run."""

    def __init__(self, model: mujoco.MjModel, first: ArrayLike, second: ArrayLike) -> None:
        self._model, self._forces = model, forces_of(model)
        self._side = np.zeros(model.ngeom + 1, dtype=np.int8)  # the last is that of no geom, -1, as a flex has
        self._side[np.asarray(first)] = 1
        self._side[np.asarray(second)] = 2
        self._samples: dict[str, list] = {}

    def ask(self, quantity: str) -> list:
        """The list of a quantity's samples, which is filled from now on."""
        return self._samples.setdefault(quantity, [])

    @property
    def fields(self) -> list[str]:
        """As `Reader.fields`."""
        return [field for quantity in self._samples for field in FIELDS.get(quantity, ())]

    @property
    def of_bodies(self) -> list[str]:
        """As `Reader.of_bodies`."""
        return [field for quantity in self._samples for field in OF_BODIES.get(quantity, ())]

    def take(self, stretch: Stretch) -> None:
        """As `Reader.take`."""
        chosen = np.flatnonzero(self._side[stretch.contact.geom].sum(axis=1) == 3)
        touching = chosen[stretch.normal_N[chosen] > 0]
        for quantity, values in self._samples.items():
            values.extend(getattr(self, f"_{quantity}")(stretch, chosen, touching).tolist())

    def _force_N(self, stretch: Stretch, chosen: np.ndarray, touching: np.ndarray) -> np.ndarray:
        return _sums(stretch, touching, stretch.normal_N[touching])

    def _friction_N(self, stretch: Stretch, chosen: np.ndarray, touching: np.ndarray) -> np.ndarray:
        local_N = self._forces(stretch, touching)
        return _sums(stretch, touching, np.hypot(local_N[:, 1], local_N[:, 2]))

    def _depth_m(self, stretch: Stretch, chosen: np.ndarray, touching: np.ndarray) -> np.ndarray:
        return _largest(stretch, chosen, -stretch.contact.dist[chosen], 0.0)

    def _cone_use(self, stretch: Stretch, chosen: np.ndarray, touching: np.ndarray) -> np.ndarray:
        used = cone_use(self._forces(stretch, touching), stretch.contact.friction[touching, 0])
        return _known(_largest(stretch, touching, used, -1.0))

    def _slip_m_per_s(self, stretch: Stretch, chosen: np.ndarray, touching: np.ndarray) -> np.ndarray:
        touching = touching[stretch.contact.geom[touching].min(axis=1) >= 0]  # a flex has no one velocity
        geom, normal = stretch.contact.geom[touching], stretch.contact.frame[touching, :3]
        relative = self._velocity(stretch, touching, geom[:, 0]) - self._velocity(stretch, touching, geom[:, 1])
        across = relative - np.einsum("ni,ni->n", relative, normal)[:, None] * normal
        return _known(_largest(stretch, touching, np.linalg.norm(across, axis=1), -1.0))

    def _velocity(self, stretch: Stretch, touching: np.ndarray, geoms: np.ndarray) -> np.ndarray:
        """(n, 3) velocities in m/s of the points of geoms' bodies at touches (n,), as `Between` has them."""
        bodies = self._model.geom_bodyid[geoms]
        first = stretch.step[touching] * self._model.nbody
        velocity = stretch.of_bodies.cvel[first + bodies]
        arm_m = stretch.contact.pos[touching] - stretch.of_bodies.subtree_com[first + self._model.body_rootid[bodies]]
        return velocity[:, 3:] + np.cross(velocity[:, :3], arm_m)

    def _count(self, stretch: Stretch, chosen: np.ndarray, touching: np.ndarray) -> np.ndarray:
        return np.bincount(stretch.step[touching], minlength=len(stretch.times_s))

    def _near_count(self, stretch: Stretch, chosen: np.ndarray, touching: np.ndarray) -> np.ndarray:
        return np.bincount(stretch.step[chosen], minlength=len(stretch.times_s)) - self._count(stretch, chosen, touching)

    def _first_time_s(self, stretch: Stretch, chosen: np.ndarray, touching: np.ndarray) -> np.ndarray:
        return self._count(stretch, chosen, touching) > 0


def _sums(stretch: Stretch, chosen: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.bincount(stretch.step[chosen], values, minlength=len(stretch.times_s)).astype(float)


def _largest(stretch: Stretch, chosen: np.ndarray, values: np.ndarray, least: float) -> np.ndarray:
    found = np.full(len(stretch.times_s), least)
    np.maximum.at(found, stretch.step[chosen], values)
    return found


def _known(values: np.ndarray) -> np.ndarray:
    """None in place of a number below 0."""
    return np.where(values < 0, None, values)


class ContactLog:
    """The touches of any two geoms as they are found and lost: [step, time_s, "+" or "-", geom, geom], a step's in their order.

    step: from 1 on, so that a run's state after it has the mark of that number. time_s: the end of that step.
    """

    fields = of_bodies = ()

    def __init__(self, model: mujoco.MjModel, most: int) -> None:
        self._model, self._most, self._touching = model, most, np.zeros(0, dtype=int)
        self.entries: list[list] = []

    def take(self, stretch: Stretch) -> None:
        """As `Reader.take`."""
        chosen = stretch.normal_N > 0
        low, high = np.sort(stretch.contact.geom[chosen] + 1, axis=1).T  # a flex, -1, is 0
        pairs, column = np.unique(np.concatenate([self._touching, low * (self._model.ngeom + 1) + high]), return_inverse=True)
        touched = np.zeros((len(stretch.times_s) + 1, len(pairs)), dtype=np.int8)
        touched[0, column[: len(self._touching)]] = 1
        touched[1 + stretch.step[chosen], column[len(self._touching) :]] = 1
        changed = np.diff(touched, axis=0)
        for step, index in np.argwhere(changed)[: max(0, self._most - len(self.entries))].tolist():
            labels = [self._label(geom - 1) for geom in divmod(int(pairs[index]), self._model.ngeom + 1)]
            sign = "+" if changed[step, index] > 0 else "-"
            self.entries.append([stretch.first + step + 1, stretch.times_s[step], sign, *labels])
        self._touching = pairs[touched[-1] > 0]

    def _label(self, geom: int) -> str:
        return geom_label(self._model, geom) if geom >= 0 else "flex"
