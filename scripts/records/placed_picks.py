"""How far placements move picks: each from the start, of some beside its own, that gives the smallest and the largest squeeze.

An error of the placement that is printed as a distance bounds each pick by itself: it does not say how those of two belong
together.
"""

from pathlib import Path

import pandas as pd

from contactlab.limit import TIMED_OUT
from records import settings, tables
from records.pick_tables import counts

BANDED = ("squeeze_N", "cone_ratio")


def placements(folder: Path, sweeps: list[tuple[str, dict[str, list]]]) -> pd.DataFrame:
    """A row for every value of every sweep, over the cube's positions: the axes that the sweep moves, and `placement_row`."""
    rows = []
    for name, grid in sweeps:
        values: dict[tuple, tuple[dict, list[dict]]] = {}
        for moved, record in tables.records(folder, grid):
            axes = {axis: value for axis, value in moved.items() if axis != "position"}
            values.setdefault(tuple(settings.to_words(axes)), (axes, []))[1].append(record)
        rows += [{"sweep": name} | axes | placement_row(records) for axes, records in values.values()]
    return pd.DataFrame(rows)


def placement_row(records: list[dict]) -> dict:
    """Mean squeeze in N and cone ratio over the picks of one value, as measured, and of each pick's least and most squeeze.

    Only starts from which the jaw closed count, and only picks that have such a start.
    """
    known = [record for record in records if record["result"]["outcome"] != TIMED_OUT]
    of_each = [closed for closed in map(closed_picks, known) if closed]
    chosen = {"": [record["result"] for record in known], "_low": list(map(least, of_each)), "_high": list(map(most, of_each))}
    found = {end: counts(picks, records[0]["settings"]) for end, picks in chosen.items()}
    return (
        {"n": len(known), "timed_out": len(records) - len(known)}
        | {"moved_starts": min((len(record["perturbed"]) for record in known), default=0)}
        | {f"{name}{end}": row[name] for name in BANDED for end, row in found.items()}
    )


def closed_picks(record: dict) -> list[dict]:
    """The pick of a record and its repetitions from moved starts whose jaw closed."""
    return [pick for pick in (record["result"], *record["perturbed"]) if pick["squeeze_N"] is not None]


def least(picks: list[dict]) -> dict:
    """The pick with the smallest squeeze."""
    return min(picks, key=lambda pick: pick["squeeze_N"])


def most(picks: list[dict]) -> dict:
    """The pick with the largest squeeze."""
    return max(picks, key=lambda pick: pick["squeeze_N"])
