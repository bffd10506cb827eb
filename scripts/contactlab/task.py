"""What a scripted pick works with: the names in the robot's model, and the settings of the task."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import mujoco
import numpy as np

from contactlab.ik import DampedLeastSquares


@dataclass(frozen=True)
class Robot:
    """Names in the model of what takes part in a pick; as they stand they are Menagerie's robotstudio_so101.

    tool_body: the body that the inverse kinematics place; the point `Task.tool_m` lies in its frame
    jaw_joint, jaw_actuator: what closes the jaws, a hinge or a slide
    moving_jaw_body, fixed_jaw_body: the jaw on that joint, and the other, which may stand still or be coupled to it
    """

    arm_joints: tuple[str, ...] = ("shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll")
    arm_actuators: tuple[str, ...] = ("shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll")
    jaw_joint: str = "gripper"
    jaw_actuator: str = "gripper"
    tool_body: str = "gripper"
    fixed_jaw_body: str = "gripper"
    moving_jaw_body: str = "moving_jaw_so101_v1"
    cube_body: str = "cube"
    cube_joint: str = "cube"
    cube_geom: str = "cube"
    cap_numeric: str = "jaw_torque_cap"

    @classmethod
    def from_json(cls, text: str) -> "Robot":
        """The robot with the names in a JSON object, and the SO-101's for those it leaves out."""
        names = json.loads(text)
        return cls(**{field: tuple(name) if isinstance(name, list) else name for field, name in names.items()})

    def require_in(self, model: mujoco.MjModel) -> None:
        """Raises ValueError with the first of these names that `model` lacks."""
        named = {
            model.joint: (*self.arm_joints, self.jaw_joint, self.cube_joint),
            model.actuator: (*self.arm_actuators, self.jaw_actuator),
            model.body: (self.tool_body, self.fixed_jaw_body, self.moving_jaw_body, self.cube_body),
            model.geom: (self.cube_geom,),
        }
        for lookup, names in named.items():
            for name in names:
                require_name(lookup, name)


def require_name(lookup: Callable, name: str):
    """What `lookup`, such as `model.joint`, finds under `name`. Raises ValueError where there is nothing."""
    try:
        return lookup(name)
    except KeyError as missing:
        raise ValueError(f"the model has no {lookup.__name__} of this name: {missing.args[0]}") from None


@dataclass(frozen=True)
class Task:
    """What a pick does. The values here are lesson 16's, or inferred from its numbers where it prints none.

    settle_s, pre_s, down_s, close_ramp_s, lift_s, hold_s: durations of the states; of `close`, of its jaw ramp
    close_timeout_s: time after which `close` lifts although no grip has formed
    still_speed_rad_s, still_time_s: the jaw is still when slower than this for this long; of a jaw that slides, in m/s
    close_fixed_s: time after which `close` ends whatever is sensed; 0: when a grip is sensed
    reapproach_m, reapproaches: a cube that moves this far along the floor while the jaws close is approached anew, at most
        so many times; 0: never
    pre_height_m, down_height_m, lift_height_m: heights of the tool's point over the resting cube's centre
    jaw_open, jaw_closed: the two controls of the jaw's actuator, in its own unit
    home_rad: angles of the arm's joints at the start
    tool_m: (3,) the point between the jaws, in the frame of the tool's body
    tool_quat: (4,) wxyz, how the tool's body stands in the world when the gripper points straight down, before its turn
    yaw_rad: turn of the gripper about the vertical; it points straight down
    cube_yaw_rad: turn of the cube about the vertical at the start, of which the gripper knows nothing
    turn_rad, turn_joint: how far a hinge of the arm turns what is held during the hold, minimum-jerk, and which: its number
        among the arm's joints, from 1, or "last"
    shake_m_s2, shake_hz, shake_axis: amplitude, frequency and direction (3,) in the world of an acceleration of the gripper
        during the hold, as a sine; the cube feels it as a force against it, the arm does not
    min_lift_m: lift that counts as held
    jaw_depth_limit: how deep a jaw may be in the cube at the end of the close and of the hold, in half edges of the cube; a
        pick in which one is deeper ends "jaws inside"
    flung_m: distance from its start beyond which the cube counts as flung
    allowed_overlap_m: how far any two geoms may overlap at the start
    ik_*: see `contactlab.ik.DampedLeastSquares`
    """

    settle_s: float = 0.3
    pre_s: float = 1.2
    down_s: float = 0.8
    close_ramp_s: float = 0.3
    lift_s: float = 1.0
    hold_s: float = 0.8
    close_timeout_s: float = 4.0
    still_speed_rad_s: float = 0.05
    still_time_s: float = 0.1
    close_fixed_s: float = 0.0
    reapproach_m: float = 0.0
    reapproaches: int = 1
    pre_height_m: float = 0.055
    down_height_m: float = -0.004
    lift_height_m: float = 0.07
    jaw_open: float = 1.2
    jaw_closed: float = -0.17453
    home_rad: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0)
    tool_m: tuple[float, float, float] = (0.012, 0.0, -0.099)
    tool_quat: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    yaw_rad: float = -math.pi / 2
    cube_yaw_rad: float = 0
    turn_rad: float = 0.0
    turn_joint: int | str = "last"
    shake_m_s2: float = 0.0
    shake_hz: float = 5.0
    shake_axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    min_lift_m: float = 0.04
    jaw_depth_limit: float = 0.5
    flung_m: float = 0.3
    allowed_overlap_m: float = 0
    ik_damping_m: float = 0.0205
    ik_orientation_weight_m: float = 0.5
    ik_tolerance_m: float = 2e-4
    ik_max_iterations: int = 500

    def __post_init__(self) -> None:
        for name in ("settle_s", "pre_s", "down_s", "close_ramp_s", "lift_s", "hold_s", "close_timeout_s"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"task {name}: found {getattr(self, name)}, allowed is a finite number above 0")

    @classmethod
    def from_config(cls, config: dict) -> "Task":
        """The task with the values in `config`, and the defaults for what it leaves out.

        Raises ValueError for a key that the task does not have.
        """
        known = [item.name for item in fields(cls)]
        for name in config:
            if name not in known:
                raise ValueError(f"task {name}: no such setting; allowed are {', '.join(known)}")
        return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in config.items()})

    @property
    def ik(self) -> DampedLeastSquares:
        """How the poses are solved."""
        return DampedLeastSquares(self.ik_damping_m, self.ik_orientation_weight_m, self.ik_tolerance_m, self.ik_max_iterations)


SO_101 = Robot()
LESSON_16 = Task()


def cube_position(
    position: int | str, centre_m: Sequence[float], spread_m: float, count: int, seed: int
) -> tuple[float, float]:
    """Where a numbered cube stands, (2,) in metres: drawn evenly from a square around the centre, or "nominal" on the centre.

    Lesson 16 prints the seed, the number and the square; that x and y are drawn together, cube by cube, is inferred.
    Raises ValueError for a number beyond the count.
    """
    if position == "nominal":
        return tuple(centre_m)
    if not 0 <= position < count:
        raise ValueError(f"position is {position}; allowed: nominal, or 0 to {count - 1}")
    offsets_m = np.random.default_rng(seed).uniform(-spread_m, spread_m, (count, 2))
    return tuple((np.asarray(centre_m) + offsets_m[position]).tolist())
