"""The tables of picks: one row for each pick, one for each value over the cube's positions, and how far a held cube creeps."""

import functools
import math
from collections import Counter
from pathlib import Path

import pandas as pd

from contactlab.grasp import GRAVITY_M_S2, cone_ratio, lift_acceleration
from contactlab.limit import TIMED_OUT
from contactlab.statistics import band, mean, wilson
from records import files, printed, settings, tables, verdicts

BANDED = ("lift_m", "squeeze_N", "close_time_s")
LOADS = ("largest_depth_m", "lift_hold_largest_cone_use", "lift_hold_friction_use")
START = ("start_overlap_m", "start_overlaps")


def pick_row(record: dict) -> dict:
    """What a pick's row tells beside its axes: the result, flat, and the band of its numbers over the perturbed picks."""
    result, perturbed = record["result"], record["perturbed"]
    if result["outcome"] == TIMED_OUT:
        return {"outcome": TIMED_OUT, "model_digest": record["model_digest"]}
    grips = {f"{state}_{name}": value for state in ("close", "hold") for name, value in (result[state] or {}).items()}
    poses = {f"ik_error_{pose}_mm": 1000 * error for pose, error in result["ik_error_m"].items()}
    bands = {}
    for name in BANDED:
        ends = band(pick[name] for pick in (result, *perturbed)) if perturbed else None
        bands |= {f"{name}_low": ends and ends[0], f"{name}_high": ends and ends[1]}
    outcomes = sorted({pick["outcome"] for pick in (result, *perturbed)}) if perturbed else []
    plain = {name: result[name] for name in ("outcome", "flung", *BANDED, "steps", "distance_moved_m", *START)}
    pose = dict(zip(("cube_x_m", "cube_y_m", "cube_z_m"), result["cube_position_m"], strict=True))
    messages = result["warnings"]["messages"]
    return (
        plain
        | {"ik_error_mm": max(poses.values())}
        | grips
        | bands
        | {"outcomes_in_band": " / ".join(outcomes)}
        | poses
        | pose
        | {"cube_quat": tables.readable(result["cube_quat"])}
        | tables.effective(result["effective"])
        | {"warnings": tables.readable(result["warnings"]["counters"]) or tables.readable(messages)}
        | {name: result[name] for name in LOADS}
        | {f"hold_{name}": value for name, value in (result["holding"] or {}).items()}
        | {name: result[name] for name in tables.SOLVER_TOLD}
        | {"truncated": tables.truncated(result)}
        | {"model_digest": record["model_digest"], "digest": result["digest"]}
    )


def pick_table(folder: Path, grids: list[dict[str, list]]) -> pd.DataFrame:
    """One row for every pick of the grids; lengths but those of axes in cm."""
    rows, measured = {}, {}
    for grid in grids:
        for moved, record in tables.records(folder, grid):
            row = pick_row(record)
            measured |= row
            rows.setdefault(tuple(settings.to_words(moved)), moved | row)
    table = pd.DataFrame(list(rows.values()))
    return tables.to_centimetres(table.map(tables.readable), [name for name in table if name in measured])


FIRST = ("mu", "mass_kg", "cap_Nm")


def counts(picks: list[dict], cell: dict) -> dict:
    """What is counted and averaged over the picks of one value, with the settings of one of them: the means are over the tries
    whose jaw closed.
    """
    outcomes = Counter(pick["outcome"] for pick in picks)
    squeeze_N = mean(pick["squeeze_N"] for pick in picks)
    low, high = wilson(outcomes["held"], len(picks)) if picks else (None, None)
    return {
        "successes": outcomes["held"],
        "close_time_s": mean(pick["close_time_s"] for pick in picks),
        "squeeze_N": squeeze_N,
        **cone_ratios(squeeze_N, cell),
        "held": outcomes["held"],
        "not_closed": outcomes["not closed"],
        "dropped": outcomes["dropped"],
        "flung": sum(pick["flung"] for pick in picks),
        "wilson_low": low,
        "wilson_high": high,
    }


def cone_ratios(squeeze_N: float | None, cell: dict) -> dict[str, float | None]:
    """The cone ratio of a squeeze at rest, and mu (N1 + N2) / (m (g + a)) with the largest acceleration a of the lift."""
    lift = lift_acceleration(cell["lift_height_m"] - cell["down_height_m"], cell["lift_s"])
    loads = {"cone_ratio": GRAVITY_M_S2, "cone_ratio_lift": GRAVITY_M_S2 + lift}
    return {
        name: None if squeeze_N is None else cone_ratio(cell["mu"], [squeeze_N], cell["mass_kg"], load)
        for name, load in loads.items()
    }


def rotation_deg(record: dict) -> float:
    """How far the cube has turned since the start, about whatever axis, in degrees: 2 acos |<q, q0>|."""
    half_yaw = record["settings"]["cube_yaw_rad"] / 2
    w, _, _, z = record["result"]["cube_quat"]
    return math.degrees(2 * math.acos(min(1.0, abs(w * math.cos(half_yaw) + z * math.sin(half_yaw)))))


def summary_row(records: list[dict]) -> dict:
    """One value's row. The k-th perturbed pick of every position together give the k-th perturbed row, hence the band.

    Of picks that timed out nothing is known: they stand beside the n that were measured.
    """
    outcomes = {record["result"]["outcome"] for record in records}
    cell, count = records[0]["settings"], len(records)
    records = [record for record in records if record["result"]["outcome"] != TIMED_OUT]
    picks = [record["result"] for record in records]
    row = counts(picks, cell)
    told = {
        "n": len(picks),
        "outcome": outcomes.pop() if len(outcomes) == 1 else "mixed",
        "rotation_deg": mean(rotation_deg(record) for record in records if record["result"]["outcome"] == "held"),
        "reapproached": sum(pick["reapproaches"] > 0 for pick in picks),
        "diverged": sum(pick["outcome"] == "diverged" for pick in picks),
        "jaws_inside": sum(pick["outcome"] == "jaws inside" for pick in picks),
        "truncated": sum(bool(tables.truncated(pick)) for pick in picks),
        "timed_out": count - len(picks),
        "start_overlap_cm": max((100 * pick["start_overlap_m"] for pick in picks), default=None),
    }
    again = [counts(moved, cell) for moved in moved_starts_of(records)]
    return (
        row | told | {name: end for name in row for name, end in ends(name, row, again).items()} | {"perturbations": len(again)}
    )


def moved_starts_of(records: list[dict]) -> list[list[dict]]:
    """The k-th picks from moved starts of all records, for every k."""
    return [list(moved) for moved in zip(*(record["perturbed"] for record in records), strict=True)]


def ends(name: str, row: dict, again: list[dict]) -> dict:
    """The band of a row's number over the rows of moved starts, as two columns; empty without such rows."""
    found = band([row[name], *(other[name] for other in again)]) if again else None
    return {f"{name}_low": found and found[0], f"{name}_high": found and found[1]}


# Means over the cubes that are held, each with the factor of its unit and where it stands in a result.
OF_HELD = {
    "lift_cm": (100, "lift_m"),
    "hold_force_fixed_N": (1, "hold", "force_fixed_N"),
    "hold_force_moving_N": (1, "hold", "force_moving_N"),
    "hold_largest_cone_use": (1, "hold", "largest_cone_use"),
}
OF_WATCHED = {  # which picks from moved starts do not tell
    "lift_hold_largest_cone_use": (1, "lift_hold_largest_cone_use"),
    "lift_hold_friction_use": (1, "lift_hold_friction_use"),
    "hold_mean_force_fixed_N": (1, "holding", "mean_force_fixed_N"),
    "hold_mean_force_moving_N": (1, "holding", "mean_force_moving_N"),
    "hold_mean_slip_m_per_s": (1, "holding", "mean_slip_m_per_s"),
    "hold_jitter_cm": (100, "holding", "jitter_m"),
    "hold_jitter_rad": (1, "holding", "jitter_rad"),
}


def held_means(picks: list[dict], columns: dict[str, tuple]) -> dict:
    """These means over the picks of one value, empty where none was held."""
    found = {}
    for name, (factor, *path) in columns.items():
        value = mean(functools.reduce(lambda part, key: part and part.get(key), path, pick) for pick in held(picks))
        found[name] = None if value is None else factor * value
    return found


def held(picks: list[dict]) -> list[dict]:
    """The picks that hold their cube."""
    return [pick for pick in picks if pick["outcome"] == "held"]


def held_row(records: list[dict]) -> dict:
    """What one value's row tells of the cubes that are held, the means with their bands; and how deep a jaw was in any cube."""
    records = [record for record in records if record["result"]["outcome"] != TIMED_OUT]
    picks = [record["result"] for record in records]
    row, again = held_means(picks, OF_HELD), [held_means(moved, OF_HELD) for moved in moved_starts_of(records)]
    banded = {key: value for name in row for key, value in ({name: row[name]} | ends(name, row, again)).items()}
    return banded | held_means(picks, OF_WATCHED) | {"largest_depth_cm": deepest_cm(picks)}


def deepest_cm(picks: list[dict]) -> float | None:
    """How deep a jaw was in the cube at most, over the picks of one value."""
    depths_m = band(pick["largest_depth_m"] for pick in picks)
    return depths_m and 100 * depths_m[1]


def changed_row(picks: list[tuple[dict, dict]], declaration: printed.Declaration, moved_starts: bool) -> dict:
    """What is changed between one value's picks and those they are compared with, from the records of both.

    With `moved_starts` all picks from moved starts are compared; the first of each counts as its success or failure, as those
    of one pick are no independent tries. Of a pair in which a pick timed out nothing is known.
    """
    known = [pair for pair in picks if TIMED_OUT not in [record["result"]["outcome"] for record in pair]]
    if not known:
        return {"verdict": TIMED_OUT}
    found, ended = [], []
    for record, reference in known:
        here = record["perturbed"] if moved_starts else [record["result"]]
        there, measures = printed.runs("", reference, declaration)[""], declaration["measures"]
        runs = [printed.Run(printed.words(result, measures), result["digest"]) for result in here]
        found += [verdicts.compare(run, there, measures, shared=moved_starts) for run in runs]
        ended.append((here[0]["outcome"] == "held", reference["result"]["outcome"] == "held"))
    told = verdicts.together(found)
    return {"verdict": told.verdict, "changed_measures": told.changed_measures()} | verdicts.rates(ended)


def summary(
    folder: Path,
    sweeps: list[tuple[str, dict, dict]],
    declaration: printed.Declaration | None = None,
    moved_starts: bool = False,
) -> pd.DataFrame:
    """A row for every value of every sweep, the sweep's name first and the axes that any of the sweeps moves.

    A sweep is its name, its grid and the grid that it is compared with, which is empty where it is not; see `changed_row`.
    """
    swept = dict.fromkeys(axis for _, grid, _ in sweeps for axis in grid if axis not in ("engine", "position", *FIRST))
    axes, rows, of_held = [*FIRST, *swept], [], []
    for name, grid, reference in sweeps:
        values: dict[tuple, list[tuple[dict, dict | None]]] = {}
        for cell, other in verdicts.pairs(grid, reference) if reference else ((cell, None) for cell in settings.grid(grid)):
            record, before = (found and files.read_json(tables.cell_file(folder, found)) for found in (cell, other))
            place = (cell["engine"], *(settings.to_word(record["settings"][axis]) for axis in axes))
            values.setdefault(place, []).append((record, before))
        for (engine, *_), picks in values.items():
            records = [record for record, _ in picks]
            cell = {axis: records[0]["settings"][axis] for axis in axes}
            row = {"sweep": name, "engine": engine} | {k: tables.readable(v) for k, v in cell.items()}
            changed = changed_row(picks, declaration, moved_starts) if reference else {}
            rows.append(row | summary_row(records) | changed)
            of_held.append(held_row(records))
    table = pd.concat([pd.DataFrame(rows), pd.DataFrame(of_held)], axis=1)
    return table.astype(dict.fromkeys(table.columns.intersection(verdicts.COUNTS), "Int64"))


def creep_table(folder: Path, grid: dict[str, list]) -> pd.DataFrame:
    """The axes that the grid moves, the time since the hold began, how far the cube crept and sank, and how the pick ended."""
    rows = []
    for moved, record in tables.records(folder, grid):
        result = record["result"]
        for held_s, slip_m, sunk_m in zip(*(result[name] for name in ("held_s", "slip_m", "sunk_m")), strict=True):
            moves_m = {"slip_mm": slip_m, "sunk_mm": sunk_m}
            seen = {"held_s": held_s} | {name: None if move_m is None else 1000 * move_m for name, move_m in moves_m.items()}
            seen |= {"outcome": result["outcome"], "flung": result["flung"], "truncated": tables.truncated(result)}
            rows.append(moved | seen | {"digest": result["digest"]})
    return pd.DataFrame(rows).map(tables.readable)
