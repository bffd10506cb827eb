"""Tables made from the records of runs."""

import os
from pathlib import Path

import pandas as pd

from records import files, settings


def cell_file(folder: Path, cell: dict, suffix: str = ".json") -> Path:
    """The file of one cell of a grid; `folder` has a folder for each engine."""
    axes = {axis: value for axis, value in cell.items() if axis != "engine"}
    return folder / cell["engine"] / f"{settings.cell_name(axes)}{suffix}"


def cell_files(folder: Path, grid: dict[str, list], suffix: str) -> list[tuple[str, list[str], Path]]:
    """Engine, moved axes and file of each cell of a grid."""
    cells = settings.grid(grid)
    return [(cell["engine"], [axis for axis in cell if axis != "engine"], cell_file(folder, cell, suffix)) for cell in cells]


def records(folder: Path, grid: dict[str, list]) -> list[tuple[dict, dict]]:
    """Each cell of a grid, as its engine and the axes that the grid moves with their values, and its record."""
    found = []
    for engine, axes, path in cell_files(folder, grid, ".json"):
        record = files.read_json(path)
        found.append(({"engine": engine} | {axis: record["settings"][axis] for axis in axes}, record))
    return found


def to_centimetres(table: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """`table` with those of `columns` that end in "_m" multiplied by 100 and renamed to end in "_cm"."""
    lengths = [column for column in columns if column.endswith("_m")]
    scaled = table.assign(**{column: pd.to_numeric(table[column]) * 100 for column in lengths})
    return scaled.rename(columns={column: f"{column.removesuffix('_m')}_cm" for column in lengths})


def readable(value):
    """A cell's value as a table shows it: a list with blanks, a dictionary of counts as "NAME count"."""
    if isinstance(value, dict):
        return "; ".join(f"{name} {count}" for name, count in sorted(value.items()))
    if isinstance(value, list):
        return " ".join(str(item) for item in value)
    return value


def effective(parameters: dict | None) -> dict:
    """The columns that show the parameters a contact had (`contactlab.effective`), empty where there was none."""
    names = ("friction", "condim", "solref", "solimp", "margin_m")
    return {f"effective_{name}": readable(parameters[name]) if parameters else None for name in names}


SOLVER_TOLD = ("solved_steps", "at_iterations", "at_line_search", "left_improvement", "left_gradient")  # of a run


def truncated(result: dict) -> bool | None:
    """Whether the constraint solver stopped at a limit of its own in any step of a run; None where that is not known."""
    counts = (result.get("at_iterations"), result.get("at_line_search"))
    return None if None in counts else any(counts)


def write(table: pd.DataFrame, path: str | os.PathLike) -> None:
    """Write `table` as CSV, floats with `repr`, whole or not at all."""
    with files.replacing(path) as part:
        table.to_csv(part, index=False, lineterminator="\n")


def read(path: str | os.PathLike) -> pd.DataFrame:
    """A table of results. Only what is empty is missing: "nan" and "none" are words that were measured."""
    return pd.read_csv(files.unaltered(path), dtype={"engine": str}, keep_default_na=False, na_values=[""])
