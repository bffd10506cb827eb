"""What a pick sees of its jaws on the cube, step by step: how deep they are inside, how much of friction they use, how still
they hold, and where the solver stopped. docs/contacts.md defines each word.
"""

import itertools
from collections.abc import Callable

import mujoco
import numpy as np

from contactlab.contacts import Moments, SolverLimits
from contactlab.jaws import Grip, JawSensor
from contactlab.landing import spread
from contactlab.task import Robot, Task

# So many moments of a state, evenly, as to read the contacts of every step would double the time of a pick. At one of 20 the
# acceleration of a lift is its largest, to 1 %.
MOMENTS = {"lift": 20, "hold": 50}


class Holding:
    """The jaws' contacts with the cube over a pick, as what `watching` gives is called after every step."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, sensor: JawSensor, robot: Robot, task: Task) -> None:
        self._data, self._sensor = data, sensor
        self._limits, self._moments, self._poses = SolverLimits(model), Moments(), []
        self._pair = [model.body(robot.cube_body).id, model.body(robot.fixed_jaw_body).id]
        durations_s = {"lift": task.lift_s, "hold": task.hold_s}
        steps = {state: duration_s / model.opt.timestep for state, duration_s in durations_s.items()}
        self._every = {"close": 1} | {state: max(1, round(steps[state] / count)) for state, count in MOMENTS.items()}
        self._before_hold, self._largest_m = 0, 0.0

    def watching(self, state: str) -> Callable[[], None]:
        """What is called after each step of a state that begins, to take it in."""
        see_solver = self._limits.watching(self._data)
        if state not in self._every:
            return see_solver
        every, numbers, depth_m, keeps = self._every[state], itertools.count(1), self._sensor.depth_m, state in MOMENTS

        def see() -> None:
            see_solver()
            if next(numbers) % every == 0:
                self._largest_m = depth_m(self._largest_m)
                if keeps:
                    self._keep(state)

        return see

    def _keep(self, state: str) -> None:
        self._moments.keep(self._data)
        if state == "hold":
            self._poses.append((self._data.xpos.copy(), self._data.xquat.copy()))
        else:
            self._before_hold += 1

    def result(self, ended: bool) -> dict:
        """What was seen, in SI units; None for what did not happen, and where the simulation was reset before the pick `ended`.

        largest_depth_m: how far a jaw overlapped the cube at most, in any step of the close or moment of lift and hold
        lift_hold_largest_cone_use: of a single contact in any moment of lift and hold, see `contactlab.grasp.cone_use`
        lift_hold_friction_use: of all together in any of them, the sum of the friction forces over that of mu times the normal
        holding: of the moments of the hold, see `over_hold`; and what `contactlab.contacts.SolverLimits` counted
        """
        grip, moment = self._sensor.read_together(self._moments.together()) if len(self._moments) else (None, None)
        seen = {
            "largest_depth_m": self._largest_m,
            "lift_hold_largest_cone_use": max(grip.cone_use.tolist(), default=None) if grip else None,
            "lift_hold_friction_use": friction_use(grip, moment) if grip else None,
            "holding": over_hold(grip, moment - self._before_hold, relative_poses(self._poses, *self._pair))
            if self._poses
            else None,
        }
        return (seen if ended else dict.fromkeys(seen)) | self._limits.summary()


def relative_poses(moments: list[tuple[np.ndarray, np.ndarray]], body: int, frame: int) -> np.ndarray:
    """(n, 7) places in m and quaternions wxyz of a body in the frame of another, from the xpos and xquat of n moments."""
    poses, away, turn = np.zeros((len(moments), 7)), np.zeros(3), np.zeros(4)
    for pose, (place_m, quat) in zip(poses, moments, strict=True):
        mujoco.mju_negPose(away, turn, place_m[frame], quat[frame])
        mujoco.mju_mulPose(pose[:3], pose[3:], away, turn, place_m[body], quat[body])
    return poses


def friction_use(grip: Grip, moment: np.ndarray) -> float | None:
    """The largest of the moments that contacts (n,) belong to: the sum of friction forces over that of mu times normal ones."""
    used_N, most_N = (np.bincount(moment, forces_N) for forces_N in (grip.friction_N, grip.contacts.mu * grip.normal_N))
    return max((used_N[most_N > 0] / most_N[most_N > 0]).tolist(), default=None)


def over_hold(grip: Grip, moment: np.ndarray, poses: np.ndarray) -> dict:
    """Mean and spread, the largest less the smallest, of forces and slip speed over the hold, and how still the cube lies.

    friction_N: sum of the friction forces; slip_m_per_s: of the contact that slips most, over the moments in which one presses
    x_m, y_m, z_m, quat: the cube in the frame of the fixed jaw in the end; mean_x_m, ...: its mean place there
    jitter_m, jitter_rad: see `contactlab.landing.spread`

    `moment` (n,) is that of each contact, below 0 before the hold; `poses` (moments, 7) are those of the cube.
    """
    held, normal_N, slip = moment >= 0, grip.normal_N, np.full(len(poses), -1.0)
    pressing = held & (normal_N > 0)
    np.maximum.at(slip, moment[pressing], grip.slip_m_per_s[pressing])
    forces_N = {
        "force_fixed_N": normal_N * ~grip.moving,
        "force_moving_N": normal_N * grip.moving,
        "friction_N": grip.friction_N,
    }
    series = {name: np.bincount(moment[held], of[held], len(poses)) for name, of in forces_N.items()}
    told = {"moments": len(poses)}
    for name, values in (series | {"slip_m_per_s": slip[slip >= 0]}).items():
        known = len(values) > 0
        told |= {
            f"mean_{name}": float(values.mean()) if known else None,
            f"spread_{name}": float(np.ptp(values)) if known else None,
        }
    told |= dict(zip(("x_m", "y_m", "z_m"), poses[-1].tolist(), strict=False)) | {"quat": poses[-1, 3:].tolist()}
    told |= dict(zip(("mean_x_m", "mean_y_m", "mean_z_m"), poses[:, :3].mean(axis=0).tolist(), strict=True))
    return told | dict(zip(("jitter_m", "jitter_rad"), spread(poses), strict=True))
