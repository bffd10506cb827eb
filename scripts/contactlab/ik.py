"""Inverse kinematics by damped least squares over named joints."""

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class DampedLeastSquares:
    """How the inverse kinematics iterate.

    damping_m: keeps steps short near a singular pose; its square is added to the normal equations
    orientation_weight_m: metres that one radian of orientation error counts for
    tolerance_m: position error below which the iteration stops
    max_iterations: steps after which it gives up and reports the error that is left
    """

    damping_m: float
    orientation_weight_m: float
    tolerance_m: float
    max_iterations: int


@dataclass(frozen=True)
class Tool:
    """The joints that move a tool, hinges or slides, and the tool's centre point (3,) in the frame of its body."""

    joints: Sequence[str]
    body: str
    point_m: Sequence[float]


def solve(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    tool: Tool,
    position_m: ArrayLike,
    quat: ArrayLike,
    settings: DampedLeastSquares,
) -> tuple[np.ndarray, float]:
    """Joint angles (joints,) that bring the tool's point to `position_m` (3,), and the position error left, in metres.

    `quat` (4,) is the orientation wanted of the tool's body in the world, wxyz. The search starts from `data.qpos`,
    stays in the joints' ranges and leaves its answer there; whether the error is acceptable is the caller's to judge.
    Source: S. R. Buss, Introduction to inverse kinematics (2009), damped least squares; Lynch & Park, chapter 6.
    Raises KeyError for a name that the model lacks.
    """
    joints = [model.joint(name).id for name in tool.joints]
    qpos, dofs = model.jnt_qposadr[joints], model.jnt_dofadr[joints]
    low, high = np.where(model.jnt_limited[joints, None], model.jnt_range[joints], [-np.inf, np.inf]).T
    damping = settings.damping_m**2 * np.eye(len(joints))
    error, jacobian = pose_error(model, data, tool, position_m, quat)
    for _ in range(settings.max_iterations):
        if np.linalg.norm(error[:3]) < settings.tolerance_m:
            break
        error[3:] *= settings.orientation_weight_m
        jacobian[3:] *= settings.orientation_weight_m
        columns = jacobian[:, dofs]
        step = np.linalg.solve(columns.T @ columns + damping, columns.T @ error)
        data.qpos[qpos] = np.clip(data.qpos[qpos] + step, low, high)
        error, jacobian = pose_error(model, data, tool, position_m, quat)
    return data.qpos[qpos], float(np.linalg.norm(error[:3]))


def pose_error(
    model: mujoco.MjModel, data: mujoco.MjData, tool: Tool, position_m: ArrayLike, quat: ArrayLike
) -> tuple[np.ndarray, np.ndarray]:
    """What the tool lacks of a pose, (6,): metres, then the rotation vector in radians; and the Jacobian (6, nv).

    Both are in the world frame. Positions of bodies in `data` are computed anew from `data.qpos`.
    """
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    body = model.body(tool.body).id
    point_m = data.xpos[body] + data.xmat[body].reshape(3, 3) @ tool.point_m
    error, jacobian = np.zeros(6), np.zeros((6, model.nv))
    error[:3] = position_m - point_m
    inverse, turn = np.zeros(4), np.zeros(4)
    mujoco.mju_negQuat(inverse, data.xquat[body])
    mujoco.mju_mulQuat(turn, quat, inverse)
    mujoco.mju_quat2Vel(error[3:], turn, 1.0)
    mujoco.mj_jac(model, data, jacobian[:3], jacobian[3:], point_m, body)
    return error, jacobian
