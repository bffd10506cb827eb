"""One cell of a pick: its settings taken apart, the pick and its repetitions from moved starts, and the record of it all."""

import time

import mujoco
import numpy as np

from contactlab.limit import TIMED_OUT
from contactlab.pick import perturbed_picks, plan_checked, scripted_pick
from contactlab.runs import physics_digest
from contactlab.scene import require_scene
from contactlab.task import SO_101, Robot, Task, cube_position

BAND_KEYS = ("outcome", "flung", "lift_m", "squeeze_N", "close_time_s", "close", "hold", "digest")


class TimedStep:
    """`mj_step` that adds up the seconds it takes."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        started = time.perf_counter()
        mujoco.mj_step(model, data)
        self.seconds += time.perf_counter() - started


def split_cell(cell: dict) -> tuple[tuple[float, float], dict, dict]:
    """The cube's position, the perturbations (count, size_m, seed) and what is left: settings of the scene and the task."""
    rest = dict(cell)
    position_m = cube_position(
        rest.pop("position"),
        rest.pop("position_centre_m"),
        *(rest.pop(f"position_{name}") for name in ("spread_m", "count", "seed")),
    )
    perturbations = {"count": rest.pop("perturbations")}
    perturbations |= {name: rest.pop(f"perturbation_{name}") for name in ("size_m", "seed")}
    del rest["discardvisual"]
    rest.pop("robot", None)
    return position_m, perturbations, rest


def task_of(model: mujoco.MjModel, cell: dict, robot: Robot) -> tuple[tuple[float, float], dict, Task]:
    """The cube's position, the perturbations and the task of a cell; the settings of its scene must be what the model has."""
    position_m, perturbations, rest = split_cell(cell)
    return position_m, perturbations, Task.from_config(require_scene(model, rest, robot))


def run_cell(model: mujoco.MjModel, cell: dict, step: TimedStep, record: bool, robot: Robot = SO_101) -> tuple[dict, dict]:
    """What is measured of a cell, and the trajectory of its pick, empty unless recorded; `cell` holds every axis of a pick."""
    position_m, perturbations, task = task_of(model, cell, robot)
    data = mujoco.MjData(model)
    result = scripted_pick(model, data, position_m, record, task, robot, step)
    trajectory = result.pop("trajectory", {})
    perturbed = perturbed_picks(model, data, position_m, **perturbations, task=task, robot=robot)
    return described(model, robot) | {
        "result": result,
        "perturbed": [{key: other[key] for key in BAND_KEYS} for other in perturbed],
    }, trajectory


def described(model: mujoco.MjModel, robot: Robot) -> dict:
    """What the record of a cell says whatever its pick does."""
    return {
        "model_digest": physics_digest(model),
        "jaw_frictionloss_Nm": float(model.joint(robot.jaw_joint).frictionloss[0]),
    }


def timed_out(model: mujoco.MjModel, robot: Robot) -> dict:
    """The same of a cell that was ended before its time: nothing is known of its pick."""
    return described(model, robot) | {"result": {"outcome": TIMED_OUT}, "perturbed": []}


def description(model: mujoco.MjModel) -> dict[str, np.ndarray]:
    """What a recorded trajectory needs to be read without its model: names in the order of the arrays, and units."""
    return {
        "joint_names": np.array([model.joint(index).name for index in range(model.njnt)]),
        "joint_qpos_address": model.jnt_qposadr.copy(),
        "actuator_names": np.array([model.actuator(index).name for index in range(model.nu)]),
        "timestep_s": np.array(model.opt.timestep),
        "units": np.array(
            "time_s in s; qpos: hinges in rad, slides in m, the cube as x y z in m and a quaternion wxyz; ctrl likewise"
        ),
    }


def largest_errors(model: mujoco.MjModel, cell: dict, robot: Robot) -> dict[str, float]:
    """The largest error in metres of the inverse kinematics of each pose over all positions.

    Raises ValueError where a pick cannot be planned or begun, see `contactlab.pick.plan_checked`.
    """
    largest: dict[str, float] = {}
    for position in ("nominal", *range(cell["position_count"])):
        position_m, _, task = task_of(model, cell | {"position": position}, robot)
        try:
            plan = plan_checked(model, position_m, task, robot)
        except ValueError as error:
            raise ValueError(f"position {position}: {error}") from None
        largest |= {pose: max(error, largest.get(pose, 0.0)) for pose, error in plan.ik_error_m.items()}
    return largest
