"""Compare the same picks at several timesteps: does the outcome change, and how far apart does the cube end?

Lesson 02's procedure for trusting a grasp: run it at 5, 2 and 1 ms and compare the object's final pose.
"""

import itertools
from pathlib import Path

import pandas as pd

from contactlab.limit import TIMED_OUT
from records import script, tables, verdicts
from records.printed import Run, words

DECIDES = {verdicts.CHANGED: "outcome", verdicts.MOVED: "pose", TIMED_OUT: TIMED_OUT}


def compare(picks: dict[float, dict], tolerance_m: float) -> dict:
    """One pick's row from its results by timestep: outcomes, final distances, and what the timestep decides.

    "outcome": the outcome depends on the timestep; "pose": only where the cube ends does, by more than the tolerance;
    "nothing": neither; TIMED_OUT: unknown, as one of the picks timed out.
    """
    picks = dict(sorted(picks.items(), reverse=True))
    row = {f"outcome_{1000 * timestep_s:g}_ms": pick["outcome"] for timestep_s, pick in picks.items()}
    row |= {f"flung_{1000 * timestep_s:g}_ms": pick.get("flung") for timestep_s, pick in picks.items()}
    measures = {"outcome": {}, "flung": {}, "cube_position_m": {"within": tolerance_m}}
    runs = [Run(words(pick, measures), pick.get("digest")) for pick in picks.values()]
    found = verdicts.together(verdicts.compare(*pair, measures) for pair in itertools.combinations(runs, 2))
    known = found.verdict != TIMED_OUT and found.measures["cube_position_m"].apart is not None
    return row | {
        "final_distance_mm": 1000 * found.measures["cube_position_m"].apart if known else None,
        "timestep_decides": DECIDES.get(found.verdict, "nothing"),
        "verdict": found.verdict,
        "changed_measures": found.changed_measures(),
        **{f"truncated_{1000 * timestep_s:g}_ms": tables.truncated(pick) for timestep_s, pick in picks.items()},
    }


def timestep_table(folder: Path, sweeps: list[tuple[str, dict[str, list]]], tolerance_m: float) -> pd.DataFrame:
    """A row for every pick of every sweep; a sweep has several grids, each with another timestep."""
    picks: dict[tuple, dict[float, dict]] = {}
    for name, grid in sweeps:
        for moved, record in tables.records(folder, grid):
            axes = {axis: value for axis, value in moved.items() if axis not in ("timestep_s", "perturbations")}
            place = (("sweep", name), *axes.items())
            picks.setdefault(place, {})[record["settings"]["timestep_s"]] = record["result"]
    return pd.DataFrame([dict(place) | compare(results, tolerance_m) for place, results in picks.items()])


def main() -> None:
    parser = script.table_parser(__doc__)
    parser.add_argument("--tolerance", required=True, type=float, help="distance in m up to which two final poses are the same")
    arguments = parser.parse_args()
    tables.write(timestep_table(arguments.cells, script.sweeps(arguments), arguments.tolerance), arguments.out)


if __name__ == "__main__":
    script.run(main)
