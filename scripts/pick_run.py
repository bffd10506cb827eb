"""Run one pick cell: pick the cube of a scene at one place, again from perturbed starts, and write what happened."""

import argparse
import time
from contextlib import nullcontext

import mujoco
import numpy as np

from contactlab import files, marks, script, settings
from contactlab.limit import TIMED_OUT, limited
from contactlab.pick import perturbed_picks, scripted_pick
from contactlab.runs import marked_steps
from contactlab.scene import load_scene, physics_digest, require_scene
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


def run_cell(model: mujoco.MjModel, cell: dict, step: TimedStep, record: bool, robot: Robot = SO_101) -> tuple[dict, dict]:
    """The record of a cell, and the trajectory of its pick, empty unless recorded.

    `cell` holds every axis of a pick; those of the scene must be what the model was built with.
    """
    position_m, perturbations, rest = split_cell(cell)
    task = Task.from_config(require_scene(model, rest, robot))
    data = mujoco.MjData(model)
    result = scripted_pick(model, data, position_m, record, task, robot, step)
    trajectory = result.pop("trajectory", {})
    perturbed = perturbed_picks(model, data, position_m, **perturbations, task=task, robot=robot)
    return described(model, cell, robot) | {
        "result": result,
        "perturbed": [{key: other[key] for key in BAND_KEYS} for other in perturbed],
    }, trajectory


def described(model: mujoco.MjModel, cell: dict, robot: Robot) -> dict:
    """What the record of a cell says whatever its pick does."""
    return {
        "settings": cell,
        "mujoco": mujoco.__version__,
        "model_digest": physics_digest(model),
        "jaw_frictionloss_Nm": float(model.joint(robot.jaw_joint).frictionloss[0]),
    }


def timed_out(model: mujoco.MjModel, cell: dict, robot: Robot) -> dict:
    """The record of a cell that was ended before its time: nothing is known of its pick."""
    return described(model, cell, robot) | {"result": {"outcome": TIMED_OUT}, "perturbed": []}


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="MJCF of the scene")
    parser.add_argument("--out", required=True, help="the cell to write, JSON")
    parser.add_argument("--trajectory", help="also write the recorded trajectory of the pick, compressed .npz")
    parser.add_argument("--marks", action="store_true", help="add a mark of the state after every step of the unmoved pick")
    parser.add_argument(
        "--parts", type=Robot.from_json, default=SO_101, help="names of the robot's parts, JSON; the SO-101's by default"
    )
    parser.add_argument("settings", nargs="+", help="axis=value, every axis of the cell")
    arguments = parser.parse_args()
    step, model = TimedStep(), load_scene(arguments.model, arguments.parts)
    cell = settings.from_words(arguments.settings)
    with marked_steps() if arguments.marks else nullcontext() as marked:
        try:
            with limited():
                record, trajectory = run_cell(model, cell, step, bool(arguments.trajectory), arguments.parts)
            print(f"{record['result']['steps']} steps of the unmoved pick took {step.seconds:.4f} s in mj_step")
        except TimeoutError as error:
            if arguments.trajectory:
                raise  # there is none to write
            record, trajectory = timed_out(model, cell, arguments.parts), {}
            print(error)
    if trajectory:
        with files.replacing(arguments.trajectory) as part, part.open("wb") as stream:
            np.savez_compressed(stream, **trajectory, **description(model))
    if arguments.marks:
        record["marks"] = marks.to_text(marked)
    files.write_json(arguments.out, record)


if __name__ == "__main__":
    script.run(main)
