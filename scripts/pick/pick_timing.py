"""Add up the seconds that picks spent in mj_step, from the logs of their jobs; reported, never judged."""

import argparse
import re
from pathlib import Path

import pandas as pd

from records import script, settings, tables


def logged_seconds(log: Path) -> float | None:
    """What the log of a pick says that mj_step took; None where there is no log, as for a pick that came from a cache."""
    found = re.search(r"took ([\d.]+) s in mj_step", log.read_text(encoding="utf-8")) if log.is_file() else None
    return float(found[1]) if found else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logs", required=True, type=Path, help="folder of the picks' logs, one folder an engine in it")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    parser.add_argument("--grid", required=True, nargs="+", action="append", help="axis=value,value of a sweep; repeated")
    arguments = parser.parse_args()
    seconds: dict[str, list] = {}
    for grid in map(settings.grid_from_words, arguments.grid):
        for engine, _, log in tables.cell_files(arguments.logs, grid, ".log"):
            seconds.setdefault(engine, []).append(logged_seconds(log))
    rows = [
        {"engine": engine, "picks": len(found), "wall_time_s": None if None in found else sum(found)}
        for engine, found in seconds.items()
    ]
    tables.write(pd.DataFrame(rows), arguments.out)


if __name__ == "__main__":
    script.run(main)
