"""What of a record is compared between MuJoCo versions, its measures or every number, and the rows of the table that does."""

import functools
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from records import files, settings, tables, verdicts
from records.printed import Declaration, Run, Words, bands, word, words

OUTCOMES = ("outcome", "failure_mode")
DIGITS = {"m": ".4f", "s": ".3f", "N": ".2f"}  # of a number without digits of its own, by the unit at the end of its name
OTHER_DIGITS = ".6f"  # of any other unit
SECONDS = {"s": 1, "ms": 1000}  # how many of a unit a second has


def of_result(record: dict, declaration: Declaration) -> Run:
    """A run whose record has a result, with the marks of its steps if they were kept."""
    result = record["result"]
    return Run(
        _words(result, declaration),
        result.get("digest"),
        bands(record, declaration["measures"]),
        record.get("marks", ""),
        _timestep_s(record, declaration),
        tables.truncated(result),
    )


def of_cases(record: dict, declaration: Declaration) -> dict[str, Run | None]:
    """The cases of a part by the words of their axes; None for one that its version lacks.

    Of a case of several rows the outcomes stand in one word, each other measure behind what tells its row from the others.
    """
    timestep_s, absent = _timestep_s(record, declaration), declaration.get("versions", {}).get("absent", {})
    found = {}
    for case in record["cases"]:
        name = " ".join(settings.to_words({axis: tables.readable(value) for axis, value in case["case"].items()}))
        lacks = any(row.get(column) == status for row in case["rows"] for column, status in absent.items())
        told = {} if lacks else _case_words(case["rows"], declaration)
        found[name] = None if lacks else Run(told, marks=case["marks"], timestep_s=timestep_s)
    return found


def _case_words(rows: list[dict], declaration: Declaration) -> Words:
    told = [_words(row, declaration) for row in rows]
    apart = [axis for axis in declaration["rows"] if len({settings.to_word(row.get(axis)) for row in rows}) > 1]
    found = {name: " / ".join(row[name] for row in told) for name in OUTCOMES if name in told[0]}
    for row, measured in zip(rows, told, strict=True):
        place = "".join(f"{settings.to_word(row[axis])}_" for axis in apart)
        found |= {f"{place}{name}": value for name, value in measured.items() if name not in OUTCOMES}
    return found


def _words(measured: dict, declaration: Declaration) -> Words:
    how = declaration.get("versions", {})
    told = _every_word(measured, how) if "all_but" in how else words(measured, declaration["measures"])
    return told | {name: first_that_holds(how[name], measured) for name in OUTCOMES if name in how}


def _every_word(measured: dict, how: dict) -> Words:
    digits = DIGITS | how.get("digits", {})
    return {
        name: word(value, digits.get(name.rpartition("_")[2], OTHER_DIGITS) if isinstance(value, float) else "")
        for name, value in measured.items()
        if name not in ("digest", *how["all_but"])
    }


def first_that_holds(choices: list[dict], measured: dict) -> str:
    """What a declaration says of what was measured: a word or that of a column, under a condition or none."""
    for choice in choices:
        told = choice.get("is", measured.get(choice.get("column")))
        if told is not None and all(measured.get(column) == value for column, value in choice.get("where", {}).items()):
            return word(told)
    raise ValueError(f"none of the declared words holds of {', '.join(measured)}; allowed: a last one without a condition")


def _timestep_s(record: dict, declaration: Declaration) -> float | None:
    if "timestep" not in declaration:
        return None
    *around, axis = declaration["timestep"].split(".")
    settled = functools.reduce(dict.__getitem__, around, record["settings"])
    return settled[axis] / SECONDS[axis.rpartition("_")[2]]


# The rows of the table


def told(run: Run | None, reference: Run | None, measures: dict) -> dict:
    """What became of a run and of its reference, and what differs: of its measures those that both versions have."""
    found = verdicts.compare(run, reference, measures, shared=True)
    outcomes = {
        f"{side}{name}": known.words.get(name)
        for side, known in (("", run), ("reference_", reference))
        for name in OUTCOMES
        if known
    }
    numbers = {name: one for name, one in found.printed_otherwise().items() if name not in OUTCOMES}
    return outcomes | {
        "change": found.verdict,
        "first_different_step": found.first_different_step,
        "first_different_time_s": found.first_different_time_s,
        "changed_numbers": "; ".join(f"{name} {one.there} -> {one.here}" for name, one in numbers.items()),
        "changed_measures": found.changed_measures(),
        "truncated": run.truncated if run else None,
    }


def sweep_rows(
    folder: Path,
    pairs: list[tuple[dict, dict]],
    lacking: dict[str, set[str]],
    declaration: Declaration,
    published: dict[str, str],
) -> Iterator[dict]:
    """One row for each cell beside the one that it is compared with.

    `lacking` says which words of a cell's name an engine lacks, `published` what is printed of a cell, by its name.
    """
    for cell, reference in pairs:
        path, other = tables.cell_file(folder, cell), tables.cell_file(folder, reference)
        lacks = lacking.get(cell["engine"], set()) & set(path.stem.split(","))
        run, before = (None if lacks else read(path, declaration)), read(other, declaration)
        named = {"cell": path.stem.replace(",", " "), "engine": cell["engine"], "reference": reference["engine"]}
        known = {"reference_cell": other.stem.replace(",", " "), "published_outcome": published.get(other.stem)}
        yield named | known | told(run, before, declaration["measures"])


def read(path: Path, declaration: Declaration) -> Run:
    """The run in a cell's file."""
    return of_result(files.read_json(path), declaration)


def part_rows(folder: Path, part: str, reference: str, engines: list[str], declaration: Declaration) -> Iterator[dict]:
    """One row for each case of a part of an experiment on each engine."""
    named = {engine: folder / engine / f"{part}.json" for engine in {*engines, reference}}
    found = {engine: of_cases(files.read_json(path), declaration) for engine, path in named.items()}
    for engine in engines:
        for cell, run in found[engine].items():
            row = {"cell": cell, "engine": engine, "reference": reference, "reference_cell": cell}
            yield row | told(run, found[reference][cell], declaration["measures"])


def published_outcomes(claims: pd.DataFrame, declaration: Declaration) -> dict[str, str]:
    """The outcomes that the experiment's source prints, by the name of the cell; none where it declares no such source."""
    found = {}
    if "published" in declaration:
        document, quantity = (declaration["published"][key] for key in ("document", "quantity"))
        for _, claim in claims[(claims["document"] == document) & (claims["quantity"] == quantity)].iterrows():
            cell = settings.from_words(claim["case"].replace(" ", "_").split(";"))
            found[settings.cell_name(settings.against_defaults(cell, declaration["defaults"]))] = claim["published"]
    return found
