"""Where a run starts: the model's own state, a keyframe, or positions and velocities by joint; and the same moved by a hair."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

from contactlab.attributes import element

QPOS = {"free": 7, "ball": 4, "slide": 1, "hinge": 1}  # numbers of a joint's position; MuJoCo documentation, Computation
QVEL = {"free": 6, "ball": 3, "slide": 1, "hinge": 1}
SIZES = {"qpos": QPOS, "qvel": QVEL}


def set_start(model: mujoco.MjModel, data: mujoco.MjData, start: Mapping[str, object] | None) -> None:
    """Reset `data` to the start: `keyframe`, a name or a number, then `qpos` and `qvel`, by joint a number or a list.

    A free joint has its centre in m and a quaternion wxyz, and m/s and rad/s; a hinge has rad, a slide m. Absent, it is the
    model's own. Raises ValueError, in one line, for a keyframe or a joint that the model lacks and for numbers that are none.
    """
    start = start or {}
    if "keyframe" in start:
        mujoco.mj_resetDataKeyframe(model, data, _keyframe(model, start["keyframe"]))
    else:
        mujoco.mj_resetData(model, data)
    for part, sizes in SIZES.items():
        for name, value in start.get(part, {}).items():
            joint = element(model, "joint", name)
            size, numbers = sizes[joint_type(model, joint)], np.atleast_1d(np.asarray(value, dtype=float))
            if numbers.shape != (size,) or not np.isfinite(numbers).all():
                raise ValueError(f"start.{part}.{name} is {value!r}; allowed: {size} finite number{'s' * (size > 1)}")
            address = (model.jnt_qposadr if part == "qpos" else model.jnt_dofadr)[joint]
            getattr(data, part)[address : address + size] = numbers
    for joint in range(model.njnt):
        _require_turn(model, data, joint)


def _keyframe(model: mujoco.MjModel, keyframe: str | int) -> int:
    if isinstance(keyframe, str):
        return element(model, "keyframe", keyframe)
    if not 0 <= keyframe < model.nkey:
        raise ValueError(f"start.keyframe is {keyframe}; the model has {model.nkey} keyframes, the first is 0")
    return keyframe


def joint_type(model: mujoco.MjModel, joint: int) -> str:
    """free, ball, slide or hinge."""
    return mujoco.mjtJoint(model.jnt_type[joint]).name.removeprefix("mjJNT_").lower()


def _turn(model: mujoco.MjModel, joint: int) -> slice | None:
    """Where the quaternion of a joint stands in qpos; None where it has none."""
    kind, address = joint_type(model, joint), model.jnt_qposadr[joint]
    return {"free": slice(address + 3, address + 7), "ball": slice(address, address + 4)}.get(kind)


def _require_turn(model: mujoco.MjModel, data: mujoco.MjData, joint: int) -> None:
    turn = _turn(model, joint)
    if turn and not np.linalg.norm(data.qpos[turn]) > mujoco.mjMINVAL:
        raise ValueError(f"start of joint {model.joint(joint).name!r}: quaternion {data.qpos[turn].tolist()} has no direction")


def perturbed(model: mujoco.MjModel, data: mujoco.MjData, size_m: float, rng: np.random.Generator) -> None:
    """Move every free body by `size_m` in a direction of its own; with none, every joint by as much, in m or rad, to one side.

    Directions are drawn evenly from a sphere, in the order of the joints. A ball joint turns about an axis of its own.
    """
    kinds = [joint_type(model, joint) for joint in range(model.njnt)]
    for joint, kind in enumerate(kinds):
        address = model.jnt_qposadr[joint]
        if kind == "free":
            data.qpos[address : address + 3] += size_m * _direction(rng)
        elif "free" in kinds:
            continue
        elif kind == "ball":
            mujoco.mju_quatIntegrate(data.qpos[address : address + 4], _direction(rng), size_m)
        else:
            data.qpos[address] += size_m * rng.choice([-1.0, 1.0])


def _direction(rng: np.random.Generator) -> np.ndarray:
    """(3,) a unit vector, drawn evenly from the sphere."""
    vector = rng.standard_normal(3)
    return vector / np.linalg.norm(vector)
