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


@dataclass(frozen=True)
class Stretch:
    """The c contacts of n steps in a row, in their order.

    first: how many steps came before. times_s: (n,) when they ended. step: (c,) of the n, that of each contact
    normal_N: (c,), nan where the solver has no constraint. depth_m: (c,), below 0 of geoms that do not overlap
    contact, efc_force: of all of them as mjData has them of one step
    """

    first: int
    times_s: Sequence[float]
    step: np.ndarray
    normal_N: np.ndarray
    depth_m: np.ndarray
    contact: SimpleNamespace
    efc_force: np.ndarray


class Reader(Protocol):
    """What works out a stretch of steps."""

    def take(self, stretch: Stretch) -> None:
        """Take in the next steps of the run."""


class ContactTape:
    """Keeps the contacts of a run for its readers: call `see` after every step and `finish` at the end."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, readers: Sequence[Reader]) -> None:
        self._model, self._data, self._readers, self._first = model, data, readers, 0
        self._speculative = bool(model.opt.enableflags & SPECULATIVE)
        self._clear()

    def _clear(self) -> None:
        self._times_s, self._counts, self._rows, self._copies, self._forces_N, self._kept = [], [], [], [], [], 0

    def see(self) -> None:
        """Take in the step just taken."""
        data = self._data
        count = data.ncon
        self._times_s.append(data.time)
        self._counts.append(count)
        if not count:
            self._rows.append(0)
            return
        contact, force_N = data.contact, data.efc_force
        distance_m = self._apart_m(contact.geom) if self._speculative else contact.dist.copy()
        copied = (contact.geom.copy(), contact.efc_address.copy(), contact.dim.copy(), distance_m, contact.friction.copy())
        self._copies.append(copied)
        self._forces_N.append(force_N.copy())
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
        empty = (np.zeros((0, 2), int), np.zeros(0, int), np.zeros(0, int), np.zeros(0), np.zeros((0, 5)))
        geom, address, dim, distance_m, friction = (np.concatenate(part) for part in zip(empty, *self._copies, strict=True))
        efc_force = np.concatenate([np.zeros(0), *self._forces_N])
        step = np.repeat(np.arange(len(self._counts)), self._counts)
        before = np.cumsum(self._rows) - self._rows  # rows of the steps before each
        address = np.where(address >= 0, address + before[step], -1)
        normal_N = _normal_N(self._model, address, dim, efc_force)
        contact = SimpleNamespace(geom=geom, dim=dim, efc_address=address, friction=friction)
        return Stretch(self._first, self._times_s, step, normal_N, -distance_m, contact, efc_force)


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
        self._forces = forces_of(model)
        self._side = np.zeros(model.ngeom + 1, dtype=np.int8)  # the last is that of no geom, -1, as a flex has
        self._side[np.asarray(first)] = 1
        self._side[np.asarray(second)] = 2
        self._samples: dict[str, list] = {}

    def ask(self, quantity: str) -> list:
        """The list of a quantity's samples, which is filled from now on."""
        return self._samples.setdefault(quantity, [])

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
        return _largest(stretch, chosen, stretch.depth_m[chosen], 0.0)

    def _cone_use(self, stretch: Stretch, chosen: np.ndarray, touching: np.ndarray) -> np.ndarray:
        used = cone_use(self._forces(stretch, touching), stretch.contact.friction[touching, 0])
        return _known(_largest(stretch, touching, used, -1.0))

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
