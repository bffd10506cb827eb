"""The servo of the jaw: where the jaw stands under a control, and whether closing brings it nearer to the cube.

A control is in the servo's own unit, whatever that acts on: the jaw's joint, or a tendon that several fingers share. The force
is gain c + b0 + b1 L + b2 L', of a control c and the length L of what the servo acts on; with b1 below 0 the servo is at rest
where gain c + b0 + b1 L is 0. Source: MuJoCo documentation, Computation, Actuation model; XMLreference, actuator/general.
"""

import copy
import math
from collections.abc import Iterator

import mujoco
import numpy as np

from contactlab.contacts import COLLISION_M, FAR_M, subtree_geoms
from contactlab.machine import minimum_jerk
from contactlab.task import Robot, Task

STEP = 2.0**-6  # rad or m, of a slope; a power of 2, so that a length that is the joint's position has a slope of exactly 1
ITERATIONS = 20  # of Newton's method, which a joint or a fixed tendon gives its answer in one


def require_servo(model: mujoco.MjModel, data: mujoco.MjData, task: Task, robot: Robot) -> None:
    """The jaw's actuator is a position servo that moves the jaw's joint, and both targets are controls that it takes.

    `data` is scratch. Raises ValueError where one is not so.
    """
    name, jaw = robot.jaw_actuator, model.actuator(robot.jaw_actuator)
    if not _slope(model, data, jaw.id, robot, 0.0):
        able = [index for index in range(model.nu) if _slope(model, data, index, robot, 0.0)]
        allowed = (
            ", ".join(repr(model.actuator(index).name) for index in able) or "an actuator that does, of which there is none"
        )
        raise ValueError(f"actuator {name!r} does not move joint {robot.jaw_joint!r}; allowed: {allowed}")
    if not _is_servo(jaw):
        raise ValueError(
            f"actuator {name!r} is no position servo; allowed: one whose force falls with its length, as MJCF's position"
        )
    low, high = jaw.ctrlrange if jaw.ctrllimited[0] else (-math.inf, math.inf)
    for target in ("jaw_open", "jaw_closed"):
        if not low <= getattr(task, target) <= high:
            found = f"{target} is {getattr(task, target):g}, beyond the ctrlrange of actuator {name!r}"
            raise ValueError(f"{found}; allowed: {low:g} to {high:g}")


def _is_servo(jaw) -> bool:
    """Whether an actuator has a constant gain and a stiffness, and does not add up its control over time."""
    fixed = jaw.gaintype[0] == mujoco.mjtGain.mjGAIN_FIXED and jaw.gainprm[0] != 0
    stiff = jaw.biastype[0] == mujoco.mjtBias.mjBIAS_AFFINE and jaw.biasprm[1] < 0
    return fixed and stiff and jaw.dyntype[0] != mujoco.mjtDyn.mjDYN_INTEGRATOR


def resting_position(model: mujoco.MjModel, data: mujoco.MjData, control: float, robot: Robot) -> float:
    """Where the jaw's joint rests under a control, in rad or m: where nothing holds it, or at the end of its range.

    `data` is scratch; joints that are coupled to the jaw's move with it.
    """
    jaw, joint = model.actuator(robot.jaw_actuator), model.joint(robot.jaw_joint)
    stiffness = -jaw.biasprm[1]
    length, at = jaw.gainprm[0] / stiffness * control + jaw.biasprm[0] / stiffness, 0.0
    for _ in range(ITERATIONS):
        left, slope = length - _length(model, data, jaw.id, robot, at), _slope(model, data, jaw.id, robot, at)
        if not left or not slope:
            break
        at += left / slope
    return float(np.clip(at, *joint.range)) if model.jnt_limited[joint.id] else at


def _slope(model: mujoco.MjModel, data: mujoco.MjData, actuator: int, robot: Robot, at: float) -> float:
    """How much an actuator's length grows with the jaw's position, in m or rad for each m or rad."""
    here = _length(model, data, actuator, robot, at)
    return (_length(model, data, actuator, robot, at + STEP) - here) / STEP


def _length(model: mujoco.MjModel, data: mujoco.MjData, actuator: int, robot: Robot, at: float) -> float:
    """The length of what an actuator acts on, in m or rad, with the jaw's joint at a position."""
    place_jaw(model, data, at, robot)
    for update in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_tendon, mujoco.mj_transmission):
        update(model, data)
    return float(data.actuator_length[actuator])


def place_jaw(model: mujoco.MjModel, data: mujoco.MjData, at: float, robot: Robot) -> None:
    """Put the jaw's joint at a position in rad or m, and each joint that an equality couples to it, whichever of them leads."""
    joint = model.joint(robot.jaw_joint)
    data.joint(joint.id).qpos = at
    for follower, leader, law in _couplings(model, data):
        if follower == joint.qposadr[0]:
            roots = (law - (at - model.qpos0[follower])).roots()
            data.qpos[leader] = model.qpos0[leader] + min(roots[np.isreal(roots)].real, key=abs, default=0.0)
    for follower, leader, law in _couplings(model, data):
        data.qpos[follower] = model.qpos0[follower] + law(data.qpos[leader] - model.qpos0[leader])


def _couplings(model: mujoco.MjModel, data: mujoco.MjData) -> Iterator[tuple[int, int, np.polynomial.Polynomial]]:
    """Of each joint that an equality makes follow another, as a second finger: where both stand in qpos, and how it follows.

    Source: MuJoCo documentation, XML reference, equality/joint: a polynomial of how far the other joint is from its reference.
    """
    for index in np.flatnonzero((model.eq_type == mujoco.mjtEq.mjEQ_JOINT) & (model.eq_obj2id >= 0) & data.eq_active):
        follower, leader = model.jnt_qposadr[[model.eq_obj1id[index], model.eq_obj2id[index]]].tolist()
        yield follower, leader, np.polynomial.Polynomial(model.eq_data[index, :5])


def require_closing(
    model: mujoco.MjModel, data: mujoco.MjData, waypoints: dict[str, np.ndarray], task: Task, robot: Robot
) -> None:
    """Closing brings the jaw nearer to the cube, in a short motion from the open jaws about it, which `data` holds.

    Raises ValueError where it does not.
    """
    if not approach_m(model, data, waypoints, task, robot) > COLLISION_M:
        raise ValueError(
            f"actuator {robot.jaw_actuator!r} brings body {robot.moving_jaw_body!r} no nearer to the cube from jaw_open, "
            f"{task.jaw_open:g}, to jaw_closed, {task.jaw_closed:g}; allowed: controls between which that jaw closes"
        )


def approach_m(model: mujoco.MjModel, data: mujoco.MjData, waypoints: dict[str, np.ndarray], task: Task, robot: Robot) -> float:
    """How much nearer, in m, the moving jaw comes to the cube while the controls go from "down" to "closed" of the waypoints.

    What could hide the servo's own doing is left out: gravity, contacts, the torque cap, and what the arm moves. Before that a
    linkage, whose loops the start may leave open, has the time of `settle` to come together.
    """
    free, seen, opened = copy.copy(model), mujoco.MjData(model), waypoints["down"]
    free.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_GRAVITY | mujoco.mjtDisableBit.mjDSBL_CONTACT
    free.actuator_forcelimited[model.actuator(robot.jaw_actuator).id] = False
    places = np.concatenate([_places(model, name) for name in (*robot.arm_joints, robot.cube_joint)])
    start, distances_m = data.qpos.copy(), []
    settling, closing = (math.ceil(duration_s / model.opt.timestep) for duration_s in (task.settle_s, task.close_ramp_s))
    for step in range(-settling, closing + 1):
        if step >= 0:
            seen.qpos[:] = data.qpos
            seen.qpos[places] = start[places]
            distances_m.append(_distance_m(free, seen, robot))
        data.ctrl[:] = opened + minimum_jerk((step + 1) / closing) * (waypoints["closed"] - opened)
        mujoco.mj_step(free, data)
    return distances_m[0] - min(distances_m)


def _places(model: mujoco.MjModel, joint: str) -> np.ndarray:
    """(n,) where a joint's position stands in qpos."""
    found = model.joint(joint)
    return np.arange(found.qposadr[0], found.qposadr[0] + len(found.qpos0))


def _distance_m(model: mujoco.MjModel, data: mujoco.MjData, robot: Robot) -> float:
    """From the geoms of the moving jaw that can touch the cube to the cube, in m; 0 or less where they overlap."""
    mujoco.mj_kinematics(model, data)
    cube, geoms = model.geom(robot.cube_geom).id, subtree_geoms(model, robot.moving_jaw_body, without=robot.fixed_jaw_body)
    touching = (
        model.geom_contype[geoms] & model.geom_conaffinity[cube] | model.geom_conaffinity[geoms] & model.geom_contype[cube]
    )
    distances_m = [mujoco.mj_geomDistance(model, data, geom, cube, FAR_M, None) for geom in geoms[touching != 0].tolist()]
    return min(distances_m, default=FAR_M)
