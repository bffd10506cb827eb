"""How a body passed through a thin geom: was the contact missed, on the wrong side, too soft, or did it hold?

Contacts are detected only at sampled states. The first contact that acts decides: its normal points back to where the body came
from, or, beyond the geom's mid-plane, on the way that the body goes, or to the side. The lesson 02 drop is one such passage.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import mujoco
import numpy as np

from contactlab.attributes import element
from contactlab.contacts import Between, subtree_geoms
from contactlab.landing import contact_of, crossing, way_through

KEPT, BESIDE, APART = "kept", "beside", "not reached"
THIN = 0.999  # a box is thin along an axis that is shorter than the others by more than rounding


class Passage:
    """The passage of a body, all its geoms and all that hangs on it, through a box or a plane along its thin axis.

    Begin with `start`, then call `see` after every step. The geom may move.
    """

    def __init__(self, model: mujoco.MjModel, body: str, geom: str) -> None:
        """Raises ValueError for a name that the model lacks and for a geom without a thin axis."""
        self._model, self._body, self._geom = model, element(model, "body", body), element(model, "geom", geom)
        self._thin, self._half_m = thin_axis(model, self._geom)
        self._across = [axis for axis in range(3) if axis != self._thin]
        self._geoms = subtree_geoms(model, body)
        if self._geom in self._geoms:
            raise ValueError(f"geom {geom!r} belongs to body {body!r}; allowed: a geom of another")
        self._place = self._side = self._crossed = self._normal = None

    def start(self, data: mujoco.MjData, posed: mujoco.MjData) -> None:
        """Take in the start; `posed` is a data in which the kinematics of the state are known, then and at each `see`.

        Raises ValueError where the body has no side, as it starts in the middle of the geom.
        """
        self._data, self._posed = data, posed
        self._between = Between(self._model, data, self._geoms, [self._geom])
        self._place = self._local()
        if abs(self._place[2]) <= mujoco.mjMINVAL:
            body, geom = self._model.body(self._body).name, self._model.geom(self._geom).name
            raise ValueError(f"passage of body {body!r} through geom {geom!r}: it starts on its mid-plane; allowed: beside it")
        self._side = 1.0 if self._place[2] > 0 else -1.0
        self._crossed = self._normal = None

    def see(self) -> None:
        """Take in the step just taken."""
        before, self._place = self._place, self._local()
        if before[2] * self._side > 0 >= self._place[2] * self._side:
            self._crossed = crossing(before, self._place, 0.0)
        if self._normal is None:
            contact = contact_of(self._between.each())
            if contact:
                normal = contact.sign * self._data.contact.frame[contact.index, :3]
                axis = self._data.geom_xmat[self._geom].reshape(3, 3)[:, self._thin]
                self._normal = self._side * float(normal @ axis)

    def _local(self) -> list[float]:
        """Where the body's frame stands in the geom's: along the two wide axes and the thin one, in m."""
        offset = self._posed.xpos[self._body] - self._posed.geom_xpos[self._geom]
        local = (offset @ self._posed.geom_xmat[self._geom].reshape(3, 3)).tolist()
        return [*(local[axis] for axis in self._across), local[self._thin]]

    def result(self) -> str:
        """A way through, or "kept" on its side by a contact, "beside" the geom, "not reached"."""
        if self._place[2] * self._side > 0:
            if not self._over(self._place):
                return BESIDE
            return APART if self._normal is None else KEPT
        return way_through(self._normal) if self._over(self._crossed) else BESIDE

    def _over(self, place: Sequence[float]) -> bool:
        return all(abs(at) < half_m for at, half_m in zip(place, self._half_m, strict=False))


def thin_axis(model: mujoco.MjModel, geom: int) -> tuple[int, list[float]]:
    """The axis, 0 to 2, along which a box or a plane is thin, and half its extents in m along the two others.

    Raises ValueError for a geom that has no such axis. A plane's contacts have no end, whatever its size.
    """
    kind, name = mujoco.mjtGeom(model.geom_type[geom]), model.geom(geom).name
    if kind == mujoco.mjtGeom.mjGEOM_PLANE:
        return 2, [math.inf, math.inf]
    size_m = model.geom_size[geom].tolist()
    thin = int(np.argmin(size_m))
    wide_m = [size for axis, size in enumerate(size_m) if axis != thin]
    if kind != mujoco.mjtGeom.mjGEOM_BOX or size_m[thin] >= THIN * min(wide_m):
        shape = kind.name.removeprefix("mjGEOM_").lower()
        raise ValueError(
            f"geom {name!r} is a {shape} with the half-sizes {size_m} m; allowed: a plane, or a box with a thin side"
        )
    return thin, wide_m
