"""A batch of cells as one program of another implementation, and beside it each cell as C runs it: one file a cell.

The cells share their static model; what differs stands in the worlds. C is the one in the same interpreter, of the
implementation's version, and its digest says whether it is the run that the experiment's own cell is of.
"""

import argparse
import json
import math
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import mujoco

from contactlab.recording import Recording, World, apart, recorded
from contactlab.runs import captured_warnings, state_digest, warning_counts
from records import files, settings

Run = Callable[..., tuple[list[Recording], dict]]  # worlds and an engine's own axes to recordings, and what made them

COLLISIONS = "collisions"  # an axis that an experiment's worlds have, not a program: all as published, or some of them


def run_cells(run: Run, task: ModuleType) -> None:
    """Run the cells that the command line names as one program, and write each.

    task: how a cell becomes a world, and who judges it
    """
    parser = _parser("a batch of cells")
    parser.add_argument("--models", required=True, nargs="+", help="the model of each cell")
    arguments = parser.parse_args()
    defaults, option = settings.from_words(arguments.settings), settings.from_cell_name(arguments.option)
    cells = [defaults | settings.from_cell_name(path.stem) for path in arguments.out]
    for path, record in zip(arguments.out, batch(run, task, cells, arguments.models, option), strict=True):
        files.write_json(path, record)


def run_scan(run: Run, task: ModuleType) -> None:
    """Run the scan that the command line names, and write it.

    task: how the rows of a scan become worlds, and how they are told
    """
    arguments = _parser("a scan").parse_args()
    [path], [scan] = arguments.out, map(json.loads, arguments.settings)
    files.write_json(path, scanned(run, task, path.stem, scan, settings.from_cell_name(arguments.option)))


def _parser(what: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=f"Run {what} in another implementation of MuJoCo's physics.")
    parser.add_argument("--option", required=True, help="axis=value,axis=value of the implementation's own axes")
    parser.add_argument(
        "--settings", required=True, nargs="+", help="axis=value of all that the names of the cells leave out; of a scan, JSON"
    )
    parser.add_argument(
        "--out", required=True, nargs="+", type=Path, help="the records to write, JSON; their names tell the rest"
    )
    return parser


def batch(run: Run, task: ModuleType, cells: list[dict], models: list[str], option: dict) -> list[dict]:
    """The records of cells that are one program."""
    axes = {axis: value for axis, value in option.items() if axis != COLLISIONS}
    reduced = {COLLISIONS: option[COLLISIONS]} if COLLISIONS in option else {}
    worlds = [task.world(files.unaltered(model), cell, **reduced) for model, cell in zip(models, cells, strict=True)]
    recordings, made = run(worlds, **axes)
    records = []
    for place, (cell, world, recording) in enumerate(zip(cells, worlds, recordings, strict=True)):
        known = {COLLISIONS: "all"} | option | {"batch": len(worlds)} | made | {"overflow": made["overflow"][place]}
        record = {"settings": cell, "mujoco": mujoco.__version__, "implementation": known}
        records.append(record | _measured(task, world, recording))
    return records


def _measured(task: ModuleType, world: World, recording: Recording) -> dict:
    """What became of the cell there and in C, and how far the two came apart."""
    with captured_warnings():
        reference, data = recorded(world)
    joint = int(world.model.joint(task.BODY).qposadr[0])
    distance = apart(recording, reference, joint, world.model.opt.timestep)
    there = task.judged(world, reference, warning_counts(data)) | {"digest": state_digest(data)}
    return {"result": _known(task.judged(world, recording, {}) | distance), "reference": _known(there)}


def scanned(run: Run, task: ModuleType, scan: str, scan_settings: dict, option: dict) -> dict:
    """The record of a scan: its rows there, and as MuJoCo's own run gives them. Rows of one model are one program."""
    found, rows = task.watched(scan, scan_settings)
    worlds, recordings, sizes = [world for world, _ in found], {}, {}
    for places in task.programs(worlds):
        there, made = run([worlds[place] for place in places], **option)
        recordings |= dict(zip(places, there, strict=True))
        sizes |= dict.fromkeys(places, len(places))
    told = [task.told(world, recordings[place], own) for place, (world, own) in enumerate(found)]
    known = option | made | {COLLISIONS: "none", "overflow": []}
    return {
        "settings": scan_settings,
        "mujoco": mujoco.__version__,
        "implementation": known,
        "rows": [_known(row) | {"batch": sizes[place]} for place, row in enumerate(told)],
        "reference": rows,
    }


def _known(measured: dict) -> dict:
    """None in place of what is not finite, which JSON does not have."""
    return {name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in measured.items()}
