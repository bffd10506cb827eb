"""Collect picks into one table, a row a pick; a pick that several sweeps share stands in it once."""

import argparse
from pathlib import Path

import pandas as pd

import tables
from contactlab import script, settings
from contactlab.limit import TIMED_OUT
from contactlab.statistics import band

BANDED = ("lift_m", "squeeze_N", "close_time_s")


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
    plain = {name: result[name] for name in ("outcome", "flung", *BANDED, "steps", "distance_moved_m")}
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", required=True, type=Path, help="folder of the cells, one folder an engine in it")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    parser.add_argument("--grid", required=True, nargs="+", action="append", help="axis=value,value of a sweep; repeated")
    arguments = parser.parse_args()
    grids = [settings.grid_from_words(words) for words in arguments.grid]
    tables.write(pick_table(arguments.cells, grids), arguments.out)


if __name__ == "__main__":
    script.run(main)
