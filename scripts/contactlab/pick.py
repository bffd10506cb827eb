"""A scripted pick with an arm and two jaws: inverse kinematics, minimum-jerk moves and a state machine that senses its grip.

Nothing ties the cube to the gripper; friction alone lifts it. Source: lesson 16, grasping and scripted pick-and-place.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from contactlab import limit
from contactlab.contacts import require_apart, start_overlap, subtree_geoms
from contactlab.grasp import outcome
from contactlab.holding import Holding
from contactlab.ik import Tool, solve
from contactlab.jaw_travel import place_jaw, require_closing, require_servo, resting_position
from contactlab.jaws import JawSensor
from contactlab.machine import PickMachine
from contactlab.runs import captured_warnings, state_digest, warning_counts
from contactlab.task import LESSON_16, SO_101, Robot, Task


@dataclass(frozen=True)
class Plan:
    """Control vectors (nu,) of the waypoints, and the position error in metres of each pose that was solved for."""

    waypoints: dict[str, np.ndarray]
    ik_error_m: dict[str, float]


def plan_pick(model: mujoco.MjModel, data: mujoco.MjData, cube_pos: ArrayLike, task: Task, robot: Robot) -> Plan:
    """The waypoints of a pick of the cube that rests at `cube_pos` (2,); `data` is scratch.

    Raises ValueError for a name that the model lacks, a pose out of reach (with the error that is left), a cube that
    the open jaws cannot span and a control that is not finite.
    """
    robot.require_in(model)
    arm = [model.actuator(name).id for name in robot.arm_actuators]
    jaw = model.actuator(robot.jaw_actuator).id
    home = np.zeros(model.nu)
    home[arm], home[jaw] = task.home_rad, task.jaw_open
    closed = home.copy()
    closed[jaw] = task.jaw_closed
    _require_finite(model, {"home": home, "closed": closed})  # the poses are searched from there
    require_servo(model, data, task, robot)
    poses, ik_error_m = _solve_poses(model, data, cube_pos, task, robot)
    waypoints = {"home": home} | {name: home.copy() for name in poses}
    for name, angles in poses.items():
        waypoints[name][arm] = angles
    waypoints["closed"] = waypoints["down"].copy()
    waypoints["closed"][jaw] = waypoints["lift"][jaw] = task.jaw_closed
    waypoints["turned"] = turned(model, waypoints["lift"], task, robot)
    _require_finite(model, waypoints)
    return Plan(waypoints, ik_error_m)


def _solve_poses(
    model: mujoco.MjModel, data: mujoco.MjData, cube_pos: ArrayLike, task: Task, robot: Robot
) -> tuple[dict[str, np.ndarray], dict[str, float]]:
    """Arm angles (joints,) and position errors in metres of pre, down and lift, each sought from the one before."""
    cube_m = reset_pick(model, data, cube_pos, task, robot)
    tool, quat = Tool(robot.arm_joints, robot.tool_body, task.tool_m), np.zeros(4)
    mujoco.mju_mulQuat(quat, np.array([math.cos(task.yaw_rad / 2), 0.0, 0.0, math.sin(task.yaw_rad / 2)]), task.tool_quat)
    mujoco.mju_normalize4(quat)
    poses, error_m = {}, {}
    for name, height_m in (("pre", task.pre_height_m), ("down", task.down_height_m), ("lift", task.lift_height_m)):
        target_m = cube_m + np.array([0.0, 0.0, height_m])
        poses[name], error_m[name] = solve(model, data, tool, target_m, quat, task.ik)
        if not error_m[name] < task.ik.tolerance_m:
            raise ValueError(
                f"pose {name!r} at {target_m.tolist()} m is out of reach: an error of {error_m[name]:.4g} m is left, "
                f"allowed is less than {task.ik.tolerance_m:g} m"
            )
        if name == "down":
            _require_span(model, data, robot)
    return poses, error_m


def turned(model: mujoco.MjModel, lift: np.ndarray, task: Task, robot: Robot) -> np.ndarray:
    """The controls (nu,) at the end of the hold: those of the lift, with a joint of the arm turned by `task.turn_rad`.

    Raises ValueError for a joint that slides, and for a target beyond its range.
    """
    controls = lift.copy()
    if not task.turn_rad:
        return controls
    index = (len(robot.arm_joints) if task.turn_joint == "last" else task.turn_joint) - 1
    joint, actuator = model.joint(robot.arm_joints[index]), model.actuator(robot.arm_actuators[index])
    if joint.type[0] != mujoco.mjtJoint.mjJNT_HINGE:
        raise ValueError(f"turn_joint is {task.turn_joint}, joint {joint.name!r}, which slides; allowed: a joint that turns")
    controls[actuator.id] += task.turn_rad
    for limited, (low, high) in (
        (model.jnt_limited[joint.id], joint.range),
        (actuator.ctrllimited[0], actuator.ctrlrange),
    ):
        if limited and not low <= controls[actuator.id] <= high:
            raise ValueError(
                f"turn_rad of {task.turn_rad:g} takes joint {joint.name!r} to {controls[actuator.id]:.4g} rad; "
                f"allowed: {low:.4g} to {high:.4g}"
            )
    return controls


def _require_span(model: mujoco.MjModel, data: mujoco.MjData, robot: Robot) -> None:
    mujoco.mj_forward(model, data)
    contacts = jaw_sensor(model, data, robot).overlaps()
    if contacts:
        width_m = 2 * model.geom(robot.cube_geom).size[0]
        raise ValueError(
            f"geom {robot.cube_geom!r}: the open jaws cannot span a cube {width_m:g} m wide, found {contacts} contacts "
            "with it before they close, allowed is none"
        )


def plan_checked(model: mujoco.MjModel, cube_pos: ArrayLike, task: Task, robot: Robot) -> Plan:
    """The plan of a pick in which nothing overlaps too deep at the start, and whose jaws close on the cube.

    Raises ValueError where it is not so, and what `plan_pick` raises.
    """
    data = mujoco.MjData(model)
    plan = plan_pick(model, data, cube_pos, task, robot)
    reset_pick(model, data, cube_pos, task, robot)
    require_apart(model, data, task.allowed_overlap_m)
    for name, actuator in zip(robot.arm_joints, robot.arm_actuators, strict=True):
        data.joint(name).qpos = plan.waypoints["down"][model.actuator(actuator).id]
    require_closing(model, data, plan.waypoints, task, robot)
    return plan


def _require_finite(model: mujoco.MjModel, waypoints: dict[str, np.ndarray]) -> None:
    """Every control sent is a blend of two waypoints, so finite waypoints keep all of them finite."""
    for name, controls in waypoints.items():
        for actuator in np.flatnonzero(~np.isfinite(controls)):
            raise ValueError(
                f"actuator {model.actuator(actuator).name!r}: control at waypoint {name!r} is {controls[actuator]}, "
                "allowed is a finite number"
            )


def jaw_sensor(model: mujoco.MjModel, data: mujoco.MjData, robot: Robot) -> JawSensor:
    """The sensor of this robot's grasp on the cube in `data`."""
    return JawSensor(model, data, robot)


def reset_pick(model: mujoco.MjModel, data: mujoco.MjData, cube_pos: ArrayLike, task: Task, robot: Robot) -> np.ndarray:
    """Put the arm at home, jaw open, and the cube at rest on the floor at `cube_pos` (2,); return its centre (3,)."""
    mujoco.mj_resetData(model, data)
    for name, angle_rad in zip(robot.arm_joints, task.home_rad, strict=True):
        data.joint(name).qpos = angle_rad
    place_jaw(model, data, resting_position(model, data, task.jaw_open, robot), robot)
    centre_m = np.array([*cube_pos, model.geom(robot.cube_geom).size[2]])
    turn = [math.cos(task.cube_yaw_rad / 2), 0.0, 0.0, math.sin(task.cube_yaw_rad / 2)]
    data.joint(robot.cube_joint).qpos = [*centre_m, *turn]
    return centre_m


def run_pick(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    cube_pos: ArrayLike,
    plan: Plan,
    task: Task,
    robot: Robot,
    record: bool = False,
    step: Callable[[mujoco.MjModel, mujoco.MjData], None] = mujoco.mj_step,
    watched: bool = True,
) -> dict:
    """Run a planned pick of the cube at `cube_pos` (2,) from its start; the result is that of `scripted_pick`.

    A pick that is not `watched` says nothing of what `contactlab.holding.Holding` sees, and takes a tenth less time.
    """
    start_m = reset_pick(model, data, cube_pos, task, robot)
    sensor = jaw_sensor(model, data, robot)
    machine = PickMachine(plan.waypoints, task, replan=lambda cube_m: _waypoints_to(model, cube_m, task, robot))
    seen, shake = Holding(model, data, sensor, robot, task) if watched else None, Shake(model, data, task, robot)
    recorder = Recorder(model, task) if record else None
    loop, grips, parameters, stable = Loop(model, data, machine, sensor, step), {}, None, True
    with captured_warnings() as messages:
        while machine.state != "done" and stable:
            state = machine.state
            before = [partial(shake.push, machine)] if state == "hold" else []
            before += [partial(recorder.write, state, data)] if recorder else []
            stable = loop.run(before, seen.watching(state) if seen else None)
            if stable and state in ("close", "hold") and machine.state != state:
                grips[state] = sensor.summary()
                parameters = sensor.effective() if state == "close" else parameters
    ended = machine.state == "done"
    deepest_m = max((grip["depth_m"] for grip in grips.values()), default=0.0)
    inside = deepest_m > task.jaw_depth_limit * model.geom(robot.cube_geom).size[0]
    close_time_s = machine.close_time_s
    result = {
        **(_ending(data.joint(robot.cube_joint).qpos, start_m, grips, close_time_s, inside, task) if ended else _unknown()),
        "reapproaches": machine.reapproaches,
        "effective": parameters,
        "steps": loop.steps,
        "ik_error_m": plan.ik_error_m,
        "warnings": {"counters": warning_counts(data), "messages": dict(Counter(messages))},
        "digest": state_digest(data),
        **(seen.result(ended) if seen else {}),
    }
    return result | {"trajectory": recorder.arrays()} if recorder else result


def _waypoints_to(model: mujoco.MjModel, cube_m: np.ndarray, task: Task, robot: Robot) -> dict[str, np.ndarray] | None:
    """The waypoints of a pick of the cube that is now at `cube_m` (2,); None where it is out of reach."""
    try:
        return plan_pick(model, mujoco.MjData(model), cube_m, task, robot).waypoints
    except ValueError:
        return None


class Loop:
    """The steps of a pick, one state of its machine after the other. The controls of a whole state are worked out before it.

    steps: how many were taken
    """

    def __init__(
        self, model: mujoco.MjModel, data: mujoco.MjData, machine: PickMachine, sensor: JawSensor, step: Callable
    ) -> None:
        self._model, self._data, self._machine, self._sensor, self._step = model, data, machine, sensor, step
        self.steps = 0

    def run(self, before: Sequence[Callable[[], None]], after: Callable[[], None] | None) -> bool:
        """Take the steps of the present state, with calls before and after each.

        False where MuJoCo has reset an unstable simulation, which ends the pick.
        """
        model, data, machine, step, check = self._model, self._data, self._machine, self._step, limit.check
        state, senses, now_s, sent, width = machine.state, machine.senses, data.time, memoryview(data.ctrl), model.nu
        # Plain memory, as each step waits for it: NumPy would take three times as long to pass a row on.
        controls = memoryview(machine.commands(now_s, model.opt.timestep).ravel())
        for first in range(0, len(controls), width):
            check()
            sent[:] = controls[first : first + width]
            for call in before:
                call()
            step(model, data)
            self.steps += 1
            before_s, now_s = now_s, data.time
            if now_s < before_s:
                return False
            if after:
                after()
            if senses:
                machine.update(now_s, self._sensor)
                if machine.state != state:
                    return True
        if not senses:
            machine.update(now_s, self._sensor)
        return True


class Shake:
    """The force on the cube, against the acceleration of a gripper that is shaken: -m a at the centre of each of its bodies.

    To the cube in its jaws a gripper that accelerates by a is one at rest in which gravity is g - a.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, task: Task, robot: Robot) -> None:
        axis, self._per_s = np.array(task.shake_axis), 2 * math.pi * task.shake_hz
        self._bodies = np.unique(model.geom_bodyid[subtree_geoms(model, robot.cube_body)])
        self._most_N = -model.body_mass[self._bodies, None] * task.shake_m_s2 * axis / np.linalg.norm(axis)
        self._data, self._shaken = data, task.shake_m_s2 > 0

    def push(self, machine: PickMachine) -> None:
        """Apply the force of this time of the hold to the step to come."""
        if self._shaken:
            held_s = machine.elapsed_s(self._data.time)
            self._data.xfrc_applied[self._bodies, :3] = self._most_N * math.sin(self._per_s * held_s)


def _ending(
    cube_pose: np.ndarray, start_m: np.ndarray, grips: dict[str, dict], close_time_s: float | None, inside: bool, task: Task
) -> dict:
    """The part of a result that follows from where the cube ended and how it was gripped."""
    close, hold, closed = grips.get("close"), grips.get("hold"), close_time_s is not None
    touches_both = hold is not None and min(hold["force_fixed_N"], hold["force_moving_N"]) > 0
    lift_m = float(cube_pose[2] - start_m[2])
    distance_m = float(np.linalg.norm(cube_pose[:3] - start_m))
    return {
        "outcome": outcome(lift_m, touches_both, closed, task.min_lift_m, inside),
        "flung": distance_m > task.flung_m,
        "lift_m": lift_m,
        "squeeze_N": close["force_fixed_N"] + close["force_moving_N"] if closed else None,
        "close_time_s": close_time_s,
        "close": close,
        "hold": hold,
        "cube_position_m": cube_pose[:3].tolist(),
        "cube_quat": cube_pose[3:].tolist(),
        "distance_moved_m": distance_m,
    }


def _unknown() -> dict:
    """The same where MuJoCo has reset the simulation: the cube is back at its start, which says nothing of the pick."""
    numbers = dict.fromkeys(("lift_m", "squeeze_N", "close_time_s", "close", "hold", "distance_moved_m"))
    return {"outcome": "diverged", "flung": False, **numbers, "cube_position_m": [None] * 3, "cube_quat": [None] * 4}


class Recorder:
    """Arrays for the longest pick a task allows, a row for each step: what was seen, and the control given to it."""

    def __init__(self, model: mujoco.MjModel, task: Task) -> None:
        approach_s = task.pre_s + task.down_s + max(task.close_timeout_s, task.close_fixed_s)
        again_s = task.reapproaches * (task.down_s + approach_s) if task.reapproach_m else 0.0
        timed_s = task.settle_s + approach_s + again_s + task.lift_s + task.hold_s
        rows = math.ceil(timed_s / model.opt.timestep) + 2 * len(PickMachine.STATES) * (1 + task.reapproaches)
        self._time_s, self._state = np.zeros(rows), np.zeros(rows, dtype="U7")
        self._qpos, self._ctrl, self._rows = np.zeros((rows, model.nq)), np.zeros((rows, model.nu)), 0

    def write(self, state: str, data: mujoco.MjData) -> None:
        """Keep the time, the state, qpos and ctrl of the step about to be taken."""
        row = self._rows
        self._time_s[row], self._state[row], self._qpos[row], self._ctrl[row] = data.time, state, data.qpos, data.ctrl
        self._rows += 1

    def arrays(self) -> dict[str, np.ndarray]:
        """time_s (rows,), state (rows,), qpos (rows, nq) and ctrl (rows, nu): metres, radians, quaternions wxyz."""
        rows = self._rows
        return {
            "time_s": self._time_s[:rows],
            "state": self._state[:rows],
            "qpos": self._qpos[:rows],
            "ctrl": self._ctrl[:rows],
        }


def scripted_pick(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    cube_pos: ArrayLike,
    record: bool = False,
    task: Task = LESSON_16,
    robot: Robot = SO_101,
    step: Callable[[mujoco.MjModel, mujoco.MjData], None] = mujoco.mj_step,
) -> dict:
    """Pick the cube that rests at `cube_pos` (2,), in metres, from a reset of `data`; friction alone holds it.

    The result, in plain Python types with None for what did not happen:
    outcome: "held", "not closed", "dropped", "jaws inside" where they were deeper in the cube than the task's
        `jaw_depth_limit` when the close or the hold ended, or, of an unstable simulation, "diverged"
    flung: whether the cube ended further than `task.flung_m` from its start
    lift_m, distance_moved_m (in three dimensions), cube_position_m, cube_quat (wxyz): where the cube ended
    squeeze_N, close_time_s: both normal forces, and the time spent, when the grip had formed
    close, hold: the summary of the grip at the end of these states, see `contactlab.jaws.JawSensor.summary`
    largest_depth_m, lift_hold_..., holding, solved_steps, ...: see `contactlab.holding.Holding.result`
    reapproaches: how often the cube was approached anew
    effective: the parameters of the strongest jaw contact at the end of `close`, see `contactlab.effective`
    start_overlap_m, start_overlaps: how deep geoms overlap at the start at most, and which
    steps; ik_error_m by pose; warnings: MuJoCo's counters and messages; digest of the final state
    trajectory, with `record` only: the arrays of `Recorder`

    `step` takes the place of `mj_step`, for a caller that times or watches it. Raises what `plan_pick` raises, and ValueError
    for geoms that overlap at the start by more than `task.allowed_overlap_m`.
    """
    plan = plan_pick(model, data, cube_pos, task, robot)
    reset_pick(model, data, cube_pos, task, robot)
    start = start_overlap(model, data)
    require_apart(model, data, task.allowed_overlap_m)
    return run_pick(model, data, cube_pos, plan, task, robot, record, step) | start


def perturbed_picks(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    cube_pos: ArrayLike,
    count: int,
    size_m: float,
    seed: int,
    task: Task = LESSON_16,
    robot: Robot = SO_101,
) -> list[dict]:
    """Results of `count` picks whose cube starts `size_m` beside `cube_pos`, in seeded directions, the plan unchanged.

    How far they lie apart tells which digits of the unmoved pick belong to the physics.
    """
    if not count:
        return []
    plan = plan_pick(model, data, cube_pos, task, robot)
    angles_rad = np.random.default_rng(seed).uniform(0.0, 2 * math.pi, count)
    starts_m = np.asarray(cube_pos) + size_m * np.stack([np.cos(angles_rad), np.sin(angles_rad)], axis=1)
    return [run_pick(model, data, start_m, plan, task, robot, watched=False) for start_m in starts_m]
