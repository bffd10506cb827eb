"""Plan a pick at every position of the cube before any is run: names, reach and span are checked here."""

import argparse
import os
from pathlib import Path, PurePosixPath

import mujoco

from contactlab.pick_cell import largest_errors
from contactlab.pick_scene import mesh_folder, pick_mjcf
from contactlab.scene import load_scene
from contactlab.task import Robot
from records import files, pick_cells, script, settings

UNPLANNED = {"mu": 1.0, "mass_kg": 0.1, "cap_Nm": 1.0}  # a plan is the same for every friction, mass and torque cap


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
    pick_cells.with_parts(parser)
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
