"""Compare the same runs on several MuJoCo versions: what differs, and from which step on."""

import argparse
from pathlib import Path

import pandas as pd

from records import measured, script, settings, tables, verdicts, versions

COLUMNS = [
    "experiment", "sweep", "cell", "engine", "reference", "reference_cell", "published_outcome", "outcome", "failure_mode",
    "reference_outcome", "reference_failure_mode", "change", "first_different_step", "first_different_time_s",
    "changed_numbers", "changed_measures", "truncated",
]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--marks", required=True, type=Path, help="folder of the marked runs, one folder an experiment in it")
    parser.add_argument("--claims", required=True, help="what the sources print, CSV")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    parser.add_argument("--engines", required=True, nargs="+", help="MuJoCo versions")
    words = {"nargs": "+", "action": "append", "default": []}
    parser.add_argument(
        "--sweep", **words, help="experiment, name, axis=value,value, `against`, and those of the reference; repeated"
    )
    parser.add_argument("--part", **words, help="experiment, part and reference engine; repeated")
    parser.add_argument("--lacking", **words, help="an engine and the words of cells' names that it lacks; repeated")
    measured.add_declarations(parser)
    arguments = parser.parse_args()
    lacking = {engine: set(words) for engine, *words in arguments.lacking}
    claims, rows = pd.read_csv(arguments.claims, dtype=str, keep_default_na=False), []
    for experiment, name, *grids in arguments.sweep:
        declaration, pairs = arguments.declarations[experiment], verdicts.pairs(*settings.grids_from_words(grids))
        published = versions.published_outcomes(claims, declaration)
        found = versions.sweep_rows(arguments.marks / experiment, pairs, lacking, declaration, published)
        rows += [{"experiment": experiment, "sweep": name} | row for row in found]
    for experiment, part, reference in arguments.part:
        declaration = arguments.declarations[experiment]
        found = versions.part_rows(arguments.marks / experiment, part, reference, arguments.engines, declaration)
        rows += [{"experiment": experiment, "sweep": part} | row for row in found]
    tables.write(pd.DataFrame(rows, columns=COLUMNS).astype({"first_different_step": "Int64"}), arguments.out)


if __name__ == "__main__":
    script.run(main)
