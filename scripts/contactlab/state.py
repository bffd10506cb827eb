"""What follows from a state by itself, worked out beside the run: poses and velocities of bodies, and energy.

After `mj_step` an mjData has the new positions, and of what follows from them that of the state before.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import mujoco
import numpy as np

KINEMATICS, VELOCITIES, ENERGIES = 1, 2, 3  # how much of a state is worked out
Read = Callable[[], object]


class State:
    """The state that a data holds now, as far as it is needed; call `see` for a new one. The data is not changed.

    posed: what is worked out, in the places that mjData has for it
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        self._model, self._needs, self.posed = model, 0, mujoco.MjData(model)

    def need(self, needs: int) -> None:
        """Work out as much from now on."""
        self._needs = max(self._needs, needs)

    def need_body(self, body: int, quantity: str) -> None:
        """The same for a quantity of `body_reader`; what a free joint has by itself needs nothing."""
        if quantity in ("quat", "tilt_rad") or free_joint(self._model, body) is None:
            self.need(VELOCITIES if quantity in ("speed_m_per_s", "spin_rad_s") else KINEMATICS)

    def start(self, data: mujoco.MjData) -> None:
        """Take in the start of a run, with its kinematics, and look at `data` from now on."""
        self._data = data
        self._work_out(max(self._needs, KINEMATICS))

    def see(self) -> None:
        """Take in the state that the data holds now."""
        if self._needs:
            self._work_out(self._needs)

    def _work_out(self, needs: int) -> None:
        model, data, posed = self._model, self._data, self.posed
        posed.qpos[:] = data.qpos
        if model.nmocap:
            posed.mocap_pos[:], posed.mocap_quat[:] = data.mocap_pos, data.mocap_quat
        mujoco.mj_kinematics(model, posed)
        if needs >= VELOCITIES:
            posed.qvel[:] = data.qvel
            mujoco.mj_comPos(model, posed)
            mujoco.mj_comVel(model, posed)
        if needs >= ENERGIES:
            _energies(model, posed)

    def body_reader(self, body: int, quantity: str) -> Read:
        """As `body_reader` of this state; the start of the run is the state now."""
        return body_reader(self._model, body, quantity, self._data, self.posed)

    def energy_reader(self, energy: str) -> Read:
        """What reads total_J, potential_J or kinetic_J of this state."""
        potential, kinetic = memoryview(self.posed.energy)[:1], memoryview(self.posed.energy)[1:]
        reads = {"potential_J": lambda: potential[0], "kinetic_J": lambda: kinetic[0]}
        return reads.get(energy, lambda: potential[0] + kinetic[0])


def free_joint(model: mujoco.MjModel, body: int) -> int | None:
    """Where the free joint of a body stands in the list of joints; None where it has none."""
    joint = model.body_jntadr[body]
    return int(joint) if joint >= 0 and model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE else None


def body_reader(model: mujoco.MjModel, body: int, quantity: str, data: mujoco.MjData, posed: mujoco.MjData) -> Read:
    """What reads a quantity of a body's frame in the state now; its start is the state that `posed` holds.

    x_m, y_m, z_m, pos_m: where its origin is. moved_m: how far that is from its start. quat: wxyz. tilt_rad: the angle of its z
    axis with its z axis at the start. speed_m_per_s: of its origin. spin_rad_s: its angular speed.
    """
    if quantity in ("speed_m_per_s", "spin_rad_s"):
        return _motion_reader(model, body, quantity == "spin_rad_s", data, posed)
    joint = free_joint(model, body)
    place = posed.xpos[body]
    if joint is not None:
        place = data.qpos[model.jnt_qposadr[joint] : model.jnt_qposadr[joint] + 3]
    at, start = memoryview(place), tuple(place.tolist())
    return {
        "x_m": lambda: at[0],
        "y_m": lambda: at[1],
        "z_m": lambda: at[2],
        "pos_m": at.tolist,
        "moved_m": lambda: math.dist(at, start),
        "quat": posed.xquat[body].tolist,
        "tilt_rad": _tilt_reader(posed.xmat[body]),
    }[quantity]


def _tilt_reader(rotation: np.ndarray) -> Read:
    """The angle of the last column of a rotation (9,) with what it is now; exact for small ones too."""
    at, start = memoryview(rotation), tuple(rotation[2::3].tolist())
    opposite = tuple(-part for part in start)

    def read() -> float:
        up = at[2], at[5], at[8]
        return 2 * math.atan2(math.dist(up, start), math.dist(up, opposite))

    return read


def _motion_reader(model: mujoco.MjModel, body: int, spins: bool, data: mujoco.MjData, posed: mujoco.MjData) -> Read:
    joint = free_joint(model, body)
    if joint is not None:
        first = model.jnt_dofadr[joint] + (3 if spins else 0)
        velocity = memoryview(data.qvel[first : first + 3])
        return lambda: math.hypot(*velocity)
    six, kind = np.zeros(6), mujoco.mjtObj.mjOBJ_XBODY
    part = memoryview(six[:3] if spins else six[3:])

    def read() -> float:
        mujoco.mj_objectVelocity(model, posed, kind, body, six, 0)
        return math.hypot(*part)

    return read


def _energies(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Work out the energy of a state whose kinematics are known: of bodies, springs, tendons and flexes."""
    mujoco.mj_flex(model, data)
    mujoco.mj_tendon(model, data)
    getattr(mujoco, "mj_makeM", mujoco.mj_crb)(model, data)
    flags = model.opt.enableflags
    model.opt.enableflags = flags | int(mujoco.mjtEnableBit.mjENBL_ENERGY)  # without it early versions have 0
    mujoco.mj_energyPos(model, data)
    mujoco.mj_energyVel(model, data)
    model.opt.enableflags = flags
