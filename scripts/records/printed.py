"""What a record measured, printed as its source prints it: the form in which runs are compared, and passports hold them.

How a column is printed, which columns name a row and what is compared between MuJoCo versions is declared by its experiment:
workflow/experiments/README.md.
"""

import hashlib
import json
import re
from dataclasses import dataclass, field

from contactlab.statistics import band
from records import settings

Words = dict[str, str]  # a measure's value as it is printed, by the measure's name
Declaration = dict  # of an experiment
Declarations = dict[str, Declaration]  # by the experiment's name

NONE = "none"  # what did not happen
TEXTS = ("nan", "inf", "-inf")  # how a scan writes what is not finite


@dataclass(frozen=True)
class Run:
    """What is compared of a run.

    words: its measures
    digest: of the final state; of a row that ends in many states, of all that it holds; None where there is none
    bands: of a measure over starts moved by a hair, the lowest and the highest value
    marks: of the state after every step, see `contactlab.marks`; empty where none were kept
    timestep_s: of those steps
    truncated: whether the solver stopped at a limit of its own in any step; None where that is not known
    seen: of a measure, all words over starts moved by a hair
    numbers: of each measure that is a number or a list of them, that with all its digits; None where only the words are known
    """

    words: Words
    digest: str | None = None
    bands: dict[str, tuple[str, str]] = field(default_factory=dict)
    marks: str = ""
    timestep_s: float | None = None
    truncated: bool | None = None
    seen: dict[str, set[str]] = field(default_factory=dict)
    numbers: dict[str, list[float]] | None = None


def cell_of(path: str) -> tuple[str, str, str]:
    """Folder, engine and cell of a record's path below results/: "drop/3.17.0/dt_ms=2.json", "stepping/3.17.0.json"."""
    folder, engine, cell = re.fullmatch(r"(.+?)/(\d+\.\d+\.\d+[^/]*?)(?:/(.+))?\.json", path).groups()
    return folder, engine, cell or "all"


def declared_for(folder: str, declarations: Declarations) -> Declaration:
    """What the experiment declares whose cells a folder holds; before its name stands the way in which they are run."""
    return declarations[folder.rpartition("/")[2]]


def key_of(folder: str, declarations: Declarations) -> str:
    """What the cells of a folder are called: like their experiment, or, run in another way, like the key of that way."""
    way, _, experiment = folder.rpartition("/")
    return declarations[experiment]["ways"][way]["key"] if way else experiment


def experiment_of(key: str, declarations: Declarations) -> str:
    """The experiment of the cells that are called so."""
    keys = {way["key"]: name for name, declared in declarations.items() for way in declared.get("ways", {}).values()}
    return keys.get(key, key)


def measures_of(key: str, declarations: Declarations) -> dict:
    """The measures of the cells that are called so; none for those of an experiment that is not declared here."""
    return declarations.get(experiment_of(key, declarations), {}).get("measures", {})


def word(value, digits: str = "") -> str:
    """A value as it is printed, a number with `digits`, a format. No zero is negative."""
    if value is None:
        return NONE
    return format(float(value), f"z{digits}") if digits and value not in TEXTS else settings.to_word(value)


def row_digest(written: dict) -> str:
    """SHA-256 over all that a row or a record holds."""
    return hashlib.sha256(json.dumps(written).encode()).hexdigest()


def digest_of(record: dict) -> str | None:
    """That of a run's final state; of a record of rows that over all of it; None of what timed out."""
    return record["result"].get("digest") if "result" in record else row_digest(record)


def runs(cell: str, record: dict, declaration: Declaration) -> dict[str, Run]:
    """What a record measured by name: of a result under the cell's, of rows under that of their part and what names the row.

    Raises ValueError for two rows of one name.
    """
    measures = declaration["measures"]
    if "result" in record:
        result = record["result"]
        return {cell: Run(words(result, measures), result.get("digest"), bands(record, measures))}
    parts = {cell: record["rows"]} if "rows" in record else {part: record[part] for part in declaration["parts"]}
    found = {}
    for part, rows in parts.items():
        for row in rows:
            name = ",".join([part, *_axes(row, declaration)])
            if name in found:
                raise ValueError(f"two rows are {name}; `rows` of their experiment has to name what tells them apart")
            found[name] = Run(words(row, measures), row_digest(row))
    return found


def _axes(row: dict, declaration: Declaration) -> list[str]:
    return settings.to_words({axis: row[axis] for axis in row if axis in declaration["rows"] and row[axis] is not None})


def words(measured: dict, measures: dict) -> Words:
    """The measures among the columns of what was measured."""
    columns = _in_cm(measured, measures)
    return {name: word(columns[name], how.get("digits", "")) for name, how in measures.items() if name in columns}


def row_of(row: dict, measures: dict) -> Run:
    """What a row of a table holds, whose bands and digest are columns of their own."""
    ends = {name: (row.get(f"{name}_low"), row.get(f"{name}_high")) for name, how in measures.items() if how.get("band")}
    found = {
        name: tuple(word(end, measures[name].get("digits", "")) for end in pair)
        for name, pair in ends.items()
        if None not in pair
    }
    return Run(words(row, measures), row.get("digest"), found)


def bands(record: dict, measures: dict) -> dict[str, tuple[str, str]]:
    """The band of each measure that has one; there is none of a number that never happened or a run that was not repeated."""
    again = record.get("perturbed", [])
    repeated = [_in_cm(result, measures) for result in (record["result"], *again)] if again else []
    ends = {name: band(columns[name] for columns in repeated) for name, how in measures.items() if how.get("band")}
    return {name: tuple(word(end, measures[name]["digits"]) for end in found) for name, found in ends.items() if found}


def _in_cm(measured: dict, measures: dict) -> dict:
    """What was measured by column, in cm where the measure is a length in cm."""
    columns = {}
    for name, value in measured.items():
        in_cm = f"{name.removesuffix('_m')}_cm"
        if in_cm in measures:
            columns[in_cm] = None if value is None else 100 * value
        else:
            columns[name] = value
    return columns
