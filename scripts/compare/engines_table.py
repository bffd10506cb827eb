"""Compare the same runs on several MuJoCo versions: what differs, and from which step on."""

import argparse
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from records import files, measured, script, settings, tables, verdicts, versions
from records.printed import Declaration, Run

COLUMNS = [
    "experiment", "sweep", "cell", "engine", "reference", "reference_cell", "published_outcome", "outcome", "failure_mode",
    "reference_outcome", "reference_failure_mode", "change", "first_different_step", "first_different_time_s",
    "changed_numbers", "changed_measures",
]  # fmt: skip


def told(run: Run | None, reference: Run | None, measures: dict) -> dict:
    """What became of a run and of its reference, and what differs: of its measures those that both versions have."""
    found = verdicts.compare(run, reference, measures, shared=True)
    outcomes = {
        f"{side}{name}": known.words.get(name)
        for side, known in (("", run), ("reference_", reference))
        for name in versions.OUTCOMES
        if known
    }
    numbers = {name: one for name, one in found.printed_otherwise().items() if name not in versions.OUTCOMES}
    return outcomes | {
        "change": found.verdict,
        "first_different_step": found.first_different_step,
        "first_different_time_s": found.first_different_time_s,
        "changed_numbers": "; ".join(f"{name} {one.there} -> {one.here}" for name, one in numbers.items()),
        "changed_measures": found.changed_measures(),
    }


def sweep_rows(
    folder: Path, pairs: list[tuple[dict, dict]], lacking: dict[str, set[str]], declaration: Declaration
) -> Iterator[dict]:
    """A row for each cell beside the one it is compared with; `lacking` says which words of a cell's name an engine lacks."""
    for cell, reference in pairs:
        path, other = tables.cell_file(folder, cell), tables.cell_file(folder, reference)
        lacks = lacking.get(cell["engine"], set()) & set(path.stem.split(","))
        run, before = (None if lacks else read(path, declaration)), read(other, declaration)
        named = {"cell": path.stem.replace(",", " "), "engine": cell["engine"], "reference": reference["engine"]}
        yield named | {"reference_cell": other.stem.replace(",", " ")} | told(run, before, declaration["measures"])


def read(path: Path, declaration: Declaration) -> Run:
    """The run in a cell's file."""
    return versions.of_result(files.read_json(path), declaration)


def part_rows(folder: Path, part: str, reference: str, engines: list[str], declaration: Declaration) -> Iterator[dict]:
    """A row for each case of a part of an experiment on each engine."""
    named = {engine: folder / engine / f"{part}.json" for engine in {*engines, reference}}
    found = {engine: versions.of_cases(files.read_json(path), declaration) for engine, path in named.items()}
    for engine in engines:
        for cell, run in found[engine].items():
            row = {"cell": cell, "engine": engine, "reference": reference, "reference_cell": cell}
            yield row | told(run, found[reference][cell], declaration["measures"])


def published_outcomes(claims: pd.DataFrame, declaration: Declaration) -> dict[str, str]:
    """The outcomes that the experiment's source prints, by the name of the cell; none where it declares no such source."""
    found, source = {}, declaration.get("published", {})
    for _, claim in claims[(claims[list(source)] == pd.Series(source)).all(axis=1)].iterrows() if source else ():
        cell = settings.from_words(claim["case"].replace(" ", "_").split(";"))
        found[settings.cell_name(settings.against_defaults(cell, declaration["defaults"]))] = claim["published"]
    return found


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
        declaration, named = arguments.declarations[experiment], {"experiment": experiment, "sweep": name}
        published = published_outcomes(claims, declaration)
        pairs = verdicts.pairs(*settings.grids_from_words(grids))
        for row in sweep_rows(arguments.marks / experiment, pairs, lacking, declaration):
            outcome = published.get(row["reference_cell"].replace(" ", ","))
            rows.append(named | row | {"published_outcome": outcome})
    for experiment, part, reference in arguments.part:
        declaration, named = arguments.declarations[experiment], {"experiment": experiment, "sweep": part}
        found = part_rows(arguments.marks / experiment, part, reference, arguments.engines, declaration)
        rows += [named | row for row in found]
    tables.write(pd.DataFrame(rows, columns=COLUMNS).astype({"first_different_step": "Int64"}), arguments.out)


if __name__ == "__main__":
    script.run(main)
