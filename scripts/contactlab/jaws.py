"""The contact forces of two jaws on a cube, read from a simulation.

Jaws and cube are bodies with all geoms of their subtrees: what touches with any of them, touches with the body.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace

import mujoco
import numpy as np

from contactlab.contacts import Between, Touches, subtree_geoms
from contactlab.effective import effective
from contactlab.grasp import cone_use
from contactlab.task import Robot


@dataclass(frozen=True)
class Grip:
    """The contacts between the cube and the jaws at one instant, or of many together; n of them, with forces on the cube.

    contacts: those in the solver, whether they press or not; force_N is (n, 3) in the world frame
    moving: (n,) bool, whether the contact is the moving jaw's; the others are the fixed jaw's
    slip_m_per_s: (n,) how fast the cube slides over the jaw there
    """

    contacts: Touches
    moving: np.ndarray
    slip_m_per_s: np.ndarray

    @property
    def force_N(self) -> np.ndarray:
        """(n, 3) forces on the cube in the world frame."""
        return self.contacts.force_N

    @property
    def normal_N(self) -> np.ndarray:
        """(n,) normal forces, never negative."""
        return self.contacts.local_N[:, 0]

    @cached_property
    def friction_N(self) -> np.ndarray:
        """(n,) lengths of the friction forces."""
        return np.hypot(self.contacts.local_N[:, 1], self.contacts.local_N[:, 2])

    @cached_property
    def cone_use(self) -> np.ndarray:
        """(n,) used part of each friction cone, 0 where a contact carries nothing."""
        bearing, use = self.normal_N > 0, np.zeros(len(self.normal_N))
        use[bearing] = cone_use(self.contacts.local_N[bearing], self.contacts.mu[bearing])
        return use

    def summary(self) -> dict:
        """What a result keeps of a grip at one instant; cone use and slip are None without a contact that bears them."""
        return {
            "force_fixed_N": float(self.normal_N[~self.moving].sum()),
            "force_moving_N": float(self.normal_N[self.moving].sum()),
            "jaw_contacts": len(self.normal_N),
            "largest_cone_use": float(self.cone_use.max()) if len(self.cone_use) else None,
            "vertical_force_N": float(self.force_N[:, 2].sum()),
            "friction_N": float(self.friction_N.sum()),
            "slip_m_per_s": max(self.slip_m_per_s[self.normal_N > 0].tolist(), default=None),
        }


class JawSensor:
    """Senses a grasp in an MjData: the jaw's speed, and the contacts between a cube's body and the bodies of two jaws.

    The moving jaw is on a hinge or a slide; the other may stand still or move as well, and either may hang on the other.
    Valid right after `mj_step` or `mj_forward`. Raises KeyError for a name that the model lacks.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, robot: Robot) -> None:
        self._model, self._data = model, data
        self._cube = model.geom(robot.cube_geom).id
        self._joint = model.joint(robot.jaw_joint).id
        self._slides = model.joint(robot.jaw_joint).type[0] == mujoco.mjtJoint.mjJNT_SLIDE
        moving = subtree_geoms(model, robot.moving_jaw_body, without=robot.fixed_jaw_body)
        self._moving = np.isin(np.arange(model.ngeom), moving)
        self._moves, self._speed = self._moving.tolist(), memoryview(data.joint(robot.jaw_joint).qvel)
        self._sets = (
            subtree_geoms(model, robot.cube_body),
            np.concatenate([subtree_geoms(model, robot.fixed_jaw_body, without=robot.moving_jaw_body), moving]),
        )
        self._between = Between(model, data, *self._sets)
        self.depth_m = self._between.depth_m  # how far a jaw overlaps the cube at most

    def jaw_speed_rad_s(self) -> float:
        """The signed speed of the jaw's joint, in m/s where it slides."""
        return self._speed[0]

    def cube_m(self) -> np.ndarray:
        """(2,) where the cube's centre is along the floor."""
        return self._data.geom_xpos[self._cube, :2].copy()

    def touches_both(self) -> bool:
        """Whether each jaw presses on the cube with a force above zero."""
        pressing = {self._moves[record.other] for record in self._between.each() if (record.normal_N or 0.0) > 0}
        return len(pressing) == 2

    def overlaps(self) -> int:
        """How many contacts of the cube with a jaw overlap; those that act across a margin do not."""
        return sum(record.distance_m < 0 and record.normal_N is not None for record in self._between.each())

    def read(self) -> Grip:
        """All contacts between the cube and the jaws, in one pass."""
        return self._grip(self._between)

    def read_together(self, moments: SimpleNamespace) -> tuple[Grip, np.ndarray]:
        """The same of many moments, `contactlab.contacts.Moments.together`, and the moment (n,) of each contact."""
        grip = self._grip(Between(self._model, moments, *self._sets))
        return grip, moments.moment[grip.contacts.index]

    def _grip(self, between: Between) -> Grip:
        contacts = between.acting()
        return Grip(contacts, self._moving[contacts.other], between.slip_m_per_s(contacts))

    def summary(self) -> dict:
        """What a result keeps of the grip at this instant, see `Grip.summary`; and lever arm and depth of the jaws."""
        grip = self.read()
        return grip.summary() | {"lever_arm_m": self._lever_arm_m(grip), "depth_m": self.depth_m()}

    def _lever_arm_m(self, grip: Grip) -> float | None:
        """The moving jaw's about its hinge, averaged with the normal forces as weights (lesson 16, step 3), or None."""
        if self._slides:
            return None
        arm_m = self._data.contact.pos[grip.contacts.index] - self._data.xanchor[self._joint]
        about_hinge_m = np.cross(arm_m, grip.contacts.normal) @ self._data.xaxis[self._joint]
        moving_N = float(grip.normal_N[grip.moving].sum())
        moment_Nm = abs(float(grip.normal_N[grip.moving] @ about_hinge_m[grip.moving]))
        return moment_Nm / moving_N if moving_N > 0 and math.isfinite(moment_Nm) else None

    def effective(self) -> dict | None:
        """The parameters of the jaws' contact that presses most, see `contactlab.effective`; None without a contact."""
        contacts = self._between.acting()
        if not len(contacts.index):
            return None
        return effective(self._data, int(contacts.index[np.argmax(contacts.local_N[:, 0])]))
