"""What the tests of a pick's pictures share: its cell, its scene, the words of the script and a panel of the story."""

import os
from pathlib import Path, PurePosixPath

import matplotlib.pyplot as plt
import numpy as np
import pick_story
from conftest import SCHEMA

from contactlab.pick_scene import pick_mjcf
from lib import schema
from records import files, settings

CELL = schema.defaults(SCHEMA, "pick") | {
    "mu": 1.0,
    "mass_kg": 0.03,
    "cap_Nm": 2.94,
    "position": "nominal",
    "discardvisual": False,
}
SCENE = {axis: CELL[axis] for axis, rule in schema.axes(SCHEMA, "pick").items() if rule["stage"] == "model"}
EDGE_M = 2 * CELL["cube_half_size_m"]


def write_scene(folder: Path, robot_folder: Path, **changes) -> Path:
    """The MJCF of the nominal scene with some of its settings changed."""
    robot = PurePosixPath(os.path.relpath(robot_folder / "so101.xml", folder))
    files.write_text(folder / "scene.xml", pick_mjcf(robot=robot, **SCENE | changes))
    return folder / "scene.xml"


def words(path: Path, scene_path: Path) -> list:
    return ["pick_frames.py", "--model", scene_path, "--out", path, *settings.to_words(CELL)]


def panel(pictured: dict[str, np.ndarray]) -> tuple[str, int, int]:
    """What the story's panel of the close says, and how many pictures and sets of outlines it shows."""
    _, axes = plt.subplots()
    pick_story.draw_panel(axes, pictured, 3)
    plt.close()
    return axes.get_xlabel(), len(axes.images), len(axes.collections)
