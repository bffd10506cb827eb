"""Plan every pick of the configuration before any is run: names, reach and span are checked here, in one job an engine."""

import argparse
import os
from pathlib import Path, PurePosixPath

import mujoco

from contactlab import files, script, settings
from contactlab.pick import plan_pick
from contactlab.scene import load_scene, require_scene
from contactlab.task import SO_101, Task
from pick_model import pick_mjcf
from pick_run import split_cell

NOT_PLANNED = ("mu", "mass_kg", "cap_Nm")  # a plan is the same for every friction, mass and torque cap


def largest_errors(robot: Path, folder: Path, cells: list[dict], scene_axes: list[str]) -> dict[str, float]:
    """The largest error in metres of the inverse kinematics of each pose over all cells; scenes are written to `folder`.

    Raises ValueError where a pick cannot be planned: a name the robot lacks, a pose out of reach, a cube too wide.
    """
    largest: dict[str, float] = {}
    scenes: dict[str, mujoco.MjModel] = {}
    for cell in cells:
        name = settings.cell_name({axis: cell[axis] for axis in scene_axes})
        if name not in scenes:
            scenes[name] = compiled(robot, folder, {axis: cell[axis] for axis in scene_axes})
        position_m, _, rest = split_cell(cell)
        task = Task.from_config(require_scene(scenes[name], rest))
        try:
            plan = plan_pick(scenes[name], mujoco.MjData(scenes[name]), position_m, task, SO_101)
        except ValueError as error:
            raise ValueError(f"position {cell['position']}: {error}") from None
        largest |= {pose: max(error, largest.get(pose, 0.0)) for pose, error in plan.ik_error_m.items()}
    return largest


def compiled(robot: Path, folder: Path, scene: dict) -> mujoco.MjModel:
    """The compiled model of a scene, whose MJCF stands in `folder` only for as long as it is read."""
    path = folder / ".part.ready.xml"
    path.write_text(pick_mjcf(robot=PurePosixPath(os.path.relpath(robot, folder)), **scene), encoding="utf-8")
    try:
        return load_scene(str(path))
    finally:
        path.unlink()


def distinct(grids: list[list[str]], defaults: dict) -> list[dict]:
    """The cells of all grids in full, those that differ in what no plan depends on only once."""
    cells = {}
    for words in grids:
        for cell in settings.grid(settings.grid_from_words(words)):
            del cell["engine"]
            full = defaults | {axis: value for axis, value in cell.items() if value != settings.DEFAULT}
            key = settings.cell_name({axis: value for axis, value in full.items() if axis not in NOT_PLANNED})
            cells.setdefault(key, full)
    return list(cells.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robot", required=True, type=Path, help="the robot's MJCF file")
    parser.add_argument("--out", required=True, type=Path, help="the record to write, JSON")
    parser.add_argument("--scene", required=True, nargs="+", help="names of the axes that belong to the scene")
    parser.add_argument("--defaults", required=True, nargs="+", help="axis=value for every axis that has a default")
    parser.add_argument("--grid", required=True, nargs="+", action="append", help="axis=value,value of a sweep; repeated")
    arguments = parser.parse_args()
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    cells = distinct(arguments.grid, settings.from_words(arguments.defaults))
    errors = largest_errors(arguments.robot, arguments.out.parent, cells, arguments.scene)
    files.write_json(arguments.out, {"mujoco": mujoco.__version__, "picks": len(cells), "largest_ik_error_m": errors})


if __name__ == "__main__":
    script.run(main)
