"""The tables of drops: one row for each cell, and the columns that presets of drops add."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from contactlab.limit import TIMED_OUT
from records import tables

SOLVER = ("solved_steps", "at_iterations", "at_line_search")  # counts over all drops of a search


def drop_table(folder: Path, grid: dict[str, list]) -> pd.DataFrame:
    """One row for every cell of the grid: the axes that it moves, then what the run saw, then the other axes."""
    rows = []
    for moved, record in tables.records(folder, grid):
        result = record["result"]
        texts = result.pop("warning_texts")  # for the few warnings that no counter counts
        result |= tables.effective(result.pop("effective"))
        result["warnings"] = tables.readable(result["warnings"]) or "; ".join(texts)
        result["truncated"] = tables.truncated(result)
        rows.append(moved | result | {axis: value for axis, value in record["settings"].items() if axis not in moved})
    return tables.to_centimetres(pd.DataFrame(rows).map(tables.readable), list(result))


def with_knife_edges(table: pd.DataFrame) -> pd.DataFrame:
    """The table with two columns more, each the same in all rows of a timestep.

    knife_edge: "yes" where some height ends otherwise than the middle one, else "no"
    flips_from_mm: the smallest move of the height that ends otherwise, with its sign; missing where none does
    """
    middle_m = table["drop_height_m"].median()

    def flips_from_mm(rows: pd.DataFrame) -> float:
        at_middle = rows.loc[rows["drop_height_m"] == middle_m, "outcome"].item()
        flips = (rows["outcome"] != at_middle) & (rows["outcome"] != TIMED_OUT) & (at_middle != TIMED_OUT)
        moves_mm = ((rows["drop_height_m"] - middle_m) * 1000).round(6)[flips]
        return moves_mm.loc[moves_mm.abs().idxmin()] if len(moves_mm) else float("nan")

    smallest = table.groupby("dt_ms")[["drop_height_m", "outcome"]].apply(flips_from_mm)
    flips = table["dt_ms"].map(smallest)
    place = table.columns.get_loc("outcome") + 1
    table.insert(place, "knife_edge", flips.notna().map({True: "yes", False: "no"}))
    table.insert(place + 1, "flips_from_mm", flips)
    return table


RULES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "the cube's": lambda cube, table: cube,
    "the table's": lambda cube, table: table,
    "the larger": np.maximum,
    "the smaller": np.minimum,
    "the average": lambda cube, table: (cube + table) / 2,
}


def rule_of(cube: np.ndarray, table: np.ndarray, contact: np.ndarray) -> str:
    """The rules that give the contact's parameters (n, parameters) in all of n rows, element by element."""
    return " / ".join(name for name, rule in RULES.items() if np.allclose(rule(cube, table), contact, rtol=1e-9)) or "none"


def numbers(column: pd.Series, chosen: slice | list[int]) -> np.ndarray:
    """(n, chosen) numbers of a column that holds them with blanks between."""
    return np.array([text.split() for text in column], float)[:, chosen]


def with_rules(table: pd.DataFrame) -> pd.DataFrame:
    """The table with two columns more, the same in all rows of a priority: what the contact's friction and solref follow."""
    one_each = [0, 2, 3]  # a contact has two sliding and two rolling coefficients

    def rules(rows: pd.DataFrame) -> pd.Series:
        rows = rows.dropna(subset="effective_friction")  # of those that touched
        pairs = {"friction": one_each, "solref": slice(None)}
        return pd.Series(
            {
                f"{name}_rule": rule_of(
                    numbers(rows[name], slice(None)),
                    numbers(rows[f"table_{name}"], slice(None)),
                    numbers(rows[f"effective_{name}"], chosen),
                )
                for name, chosen in pairs.items()
            }
        )

    found = table.groupby("priority")[[*table]].apply(rules)
    for name in reversed(found.columns):
        table.insert(table.columns.get_loc("dt_ms") + 1, name, table["priority"].map(found[name]))
    return table


def why(result: dict) -> str | None:
    """Why no time constant keeps the cube: the first contact decides, and no solref has acted before it."""
    if result["softest_s"] is not None:
        return None
    reasons = {
        "wrong side": "at the first overlap the centre is below the mid-plane, and every contact pushes down",
        "missed contact": "no step overlaps the table, so there is no contact",
    }
    return reasons.get(result["stiffest_failure_mode"], result["stiffest_failure_mode"])


def softest_table(folder: Path, grid: dict[str, list]) -> pd.DataFrame:
    """One row for every cell of the grid: the axes that it moves, then what was found, times in ms."""
    rows = []
    for moved, record in tables.records(folder, grid):
        result = record["result"]
        times = {f"{name}_ms": result.pop(f"{name}_s") for name in ("softest", "reliable", "floor")}
        times = {name: None if value is None else 1000 * value for name, value in times.items()}
        monotone = {True: "yes", False: "no", None: None}[result.pop("monotone")]
        reason = why({"softest_s": times["softest_ms"], **result})
        counts = {"truncated": tables.truncated(result)} | {name: result.pop(name) for name in SOLVER}
        rows.append(moved | times | {"monotone": monotone} | result | {"why_none": reason} | counts)
    table = pd.DataFrame(rows)
    return tables.to_centimetres(table, [name for name in table if name.startswith("stiffest_")])
