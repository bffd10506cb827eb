"""Write the MJCF of a pick scene: the robot's file, included as it is, a floor and a cube (lesson 16, experiment)."""

import argparse
import os
from pathlib import Path, PurePosixPath

from contactlab.pick_scene import mesh_folder, pick_mjcf
from records import files, script, settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robot", required=True, type=Path, help="the robot's MJCF file")
    parser.add_argument("--out", required=True, type=Path, help="the MJCF file to write")
    parser.add_argument("settings", nargs="+", help="axis=value, every axis of the scene")
    arguments = parser.parse_args()
    robot = PurePosixPath(os.path.relpath(arguments.robot, arguments.out.parent).replace(os.sep, "/"))
    scene = pick_mjcf(robot=robot, meshes=mesh_folder(arguments.robot), **settings.from_words(arguments.settings))
    files.write_text(arguments.out, scene)


if __name__ == "__main__":
    script.run(main)
