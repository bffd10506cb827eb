"""Plan a pick at every position of the cube before any is run: names, reach and span are checked here."""

import argparse
import os
from pathlib import Path, PurePosixPath

import mujoco

from contactlab import files, script, settings
from contactlab.pick import plan_pick
from contactlab.scene import load_scene, require_scene
from contactlab.task import SO_101, Robot, Task
from pick_model import mesh_folder, pick_mjcf
from pick_run import split_cell

UNPLANNED = {"mu": 1.0, "mass_kg": 0.1, "cap_Nm": 1.0}  # a plan is the same for every friction, mass and torque cap


def largest_errors(model: mujoco.MjModel, cell: dict, robot: Robot) -> dict[str, float]:
    """The largest error in metres of the inverse kinematics of each pose over all positions.

    Raises ValueError where a pick cannot be planned: a name the robot lacks, a pose out of reach, a cube too wide.
    """
    largest: dict[str, float] = {}
    for position in ("nominal", *range(cell["position_count"])):
        position_m, _, rest = split_cell(cell | {"position": position})
        task = Task.from_config(require_scene(model, rest, robot))
        try:
            plan = plan_pick(model, mujoco.MjData(model), position_m, task, robot)
        except ValueError as error:
            raise ValueError(f"position {position}: {error}") from None
        largest |= {pose: max(error, largest.get(pose, 0.0)) for pose, error in plan.ik_error_m.items()}
    return largest


def compiled(file: Path, robot: Robot, out: Path, scene: dict) -> mujoco.MjModel:
    """The compiled model of a scene, whose MJCF stands beside `out` only for as long as it is read, under a name of its own."""
    out.parent.mkdir(parents=True, exist_ok=True)
    path = out.with_name(f"{files.PART}{out.stem}.xml")
    included = PurePosixPath(os.path.relpath(file, out.parent))
    path.write_text(pick_mjcf(robot=included, meshes=mesh_folder(file), **scene), encoding="utf-8")
    try:
        return load_scene(str(path), robot)
    finally:
        path.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robot", required=True, type=Path, help="the robot's MJCF file")
    parser.add_argument("--out", required=True, type=Path, help="the record to write, JSON")
    parser.add_argument(
        "--parts", type=Robot.from_json, default=SO_101, help="names of the robot's parts, JSON; the SO-101's by default"
    )
    parser.add_argument("--scene", required=True, nargs="+", help="names of the axes that belong to the scene")
    parser.add_argument("--settings", required=True, nargs="+", help="axis=value, every axis that has a default")
    arguments = parser.parse_args()
    cell = UNPLANNED | settings.from_words(arguments.settings)
    scene = {axis: cell[axis] for axis in arguments.scene}
    model = compiled(arguments.robot, arguments.parts, arguments.out, scene)
    errors_m = largest_errors(model, cell, arguments.parts)
    record = {"settings": cell, "mujoco": mujoco.__version__, "largest_ik_error_m": errors_m}
    files.write_json(arguments.out, record)


if __name__ == "__main__":
    script.run(main)
