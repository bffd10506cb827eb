"""A cell as its job runs it: settings from the command line, a limit on its time, marks of its steps, one sealed file."""

import argparse
from collections.abc import Callable
from contextlib import nullcontext

import mujoco

from contactlab.limit import limited
from contactlab.marks import to_text
from contactlab.runs import marked_steps
from records import current_run, files, settings


def parser(description: str) -> argparse.ArgumentParser:
    """The command line of a script that runs cells on a model; `write` takes what was parsed."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--model", required=True, help="the model, MJCF or compiled")
    parser.add_argument("--out", required=True, help="the cell to write, JSON")
    parser.add_argument("--marks", action="store_true", help="add a mark of the state after every step of the run")
    parser.add_argument("settings", nargs="+", help="axis=value, every axis of the cell")
    return parser


def write(arguments: argparse.Namespace, measure: Callable[[dict], dict], timed_out: Callable[[dict], dict]) -> None:
    """Write the record of a cell: its settings, MuJoCo's version and what `measure` makes of the settings.

    `timed_out` gives the same of a cell that takes longer than the run allows, and is ended.
    """
    cell = settings.from_words(arguments.settings)
    with marked_steps() if arguments.marks else nullcontext() as marked:
        try:
            with limited(current_run.cell_limit_s()):
                measured = measure(cell)
        except TimeoutError as error:
            print(error)
            measured = timed_out(cell)
    record = {"settings": cell, "mujoco": mujoco.__version__} | measured
    files.write_json(arguments.out, record | ({"marks": to_text(marked)} if arguments.marks else {}))
