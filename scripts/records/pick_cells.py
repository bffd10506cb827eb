"""The command line of the scripts that run picks: that of a cell, with what the robot's parts are called."""

import argparse

import mujoco

from contactlab.scene import load_scene
from contactlab.task import SO_101, Robot
from records import cells, files


def parser(description: str) -> argparse.ArgumentParser:
    """The command line; `model_of` takes what was parsed."""
    return with_parts(cells.parser(description))


def with_parts(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """A command line that also takes the names of the robot's parts."""
    parser.add_argument(
        "--parts", type=Robot.from_json, default=SO_101, help="names of the robot's parts, JSON; the SO-101's by default"
    )
    return parser


def model_of(arguments: argparse.Namespace) -> mujoco.MjModel:
    """The model on the command line, unaltered since it was written, its jaw under the torque cap of its scene."""
    return load_scene(files.unaltered(arguments.model), arguments.parts)
