"""The table of other implementations: one row for each cell in each of them, beside the same cell in C."""

from collections.abc import Iterator
from pathlib import Path

from records import engines, files, printed, settings, tables, verdicts, versions
from records.ended import CANNOT_RUN
from records.implementations import hindrance
from records.printed import Declaration, Run

BESIDE = (  # there, and as c_... in C
    "outcome", "failure_mode", "ended", "lift_m", "squeeze_N", "flung",
    "first_contact_time_s", "first_contacts", "most_contacts",
)  # fmt: skip
APART = ("largest_apart_m", "largest_apart_time_s", "largest_turn_rad")
MADE = ("collisions", "batch", "contacts_reserved", "overflow", "backend", "device")
COLUMNS = [
    "experiment", "sweep", "cell", "engine", "option", "verdict", "changed_measures",
    *(column for name in BESIDE for column in (name, f"c_{name}")), *APART, "c_same_bits", *MADE, "reason",
]  # fmt: skip
COUNTS = [name for name in COLUMNS if name.endswith("_contacts")] + ["batch", "contacts_reserved"]


def rows(
    results: Path, experiment: str, sweep: str, grid: dict, variants: list[tuple[str, str]], declaration: Declaration
) -> Iterator[dict]:
    """The rows of one sweep, those of one cell together; a cell that an implementation lacks has a reason and no measures."""
    for cell in settings.grid(grid):
        for engine, option in variants:
            own = tables.cell_file(results / experiment, cell | {"engine": engines.split(engine)[0]})
            there = results / "implementations" / experiment / engine / option / own.name
            named = {"experiment": experiment, "sweep": sweep, "cell": own.stem.replace(",", " "), "engine": engine}
            yield named | {"option": option} | row(own, there, engine, declaration["measures"])


def row(own: Path, there: Path, engine: str, measures: dict) -> dict:
    """What is told of one cell: `own` is C's record, `there` that of the implementation."""
    c = files.read_json(own)
    shown = {f"c_{name}": c["result"][name] for name in BESIDE if name in c["result"]}
    if reason := hindrance(engine, c["settings"]):
        return shown | {"verdict": CANNOT_RUN, "reason": reason}
    record = files.read_json(there)
    result, reference, made = record["result"], record["reference"], record["implementation"]
    found = verdicts.compare(
        Run(printed.words(result, measures)), Run(printed.words(c["result"], measures)), measures, shared=True
    )
    shown = {f"c_{name}": reference[name] for name in BESIDE if name in reference} | shown
    return (
        shown
        | {name: result[name] for name in (*BESIDE, *APART) if name in result}
        | {"verdict": found.verdict, "changed_measures": found.changed_measures()}
        | {"c_same_bits": reference["digest"] == c["result"]["digest"]}
        | _made(record, made["batch"])
    )


def scan_rows(
    results: Path, experiment: str, scan: str, variants: list[tuple[str, str]], declaration: Declaration
) -> Iterator[dict]:
    """The rows of a scan, those of one variant together."""
    for engine, option in variants:
        c = files.read_json(results / experiment / engines.split(engine)[0] / f"{scan}.json")["rows"]
        record = files.read_json(results / "implementations" / experiment / engine / option / f"{scan}.json")
        for there, reference, own in zip(record["rows"], record["reference"], c, strict=True):
            named = {axis: own[axis] for axis in declaration["rows"] if own.get(axis) is not None}
            cell = " ".join(settings.to_words(named))
            found = {"experiment": experiment, "sweep": scan, "cell": cell, "engine": engine, "option": option}
            yield found | scan_row(there, own, declaration) | {"c_same_bits": reference == own} | _made(record, there["batch"])


def scan_row(there: dict, own: dict, declaration: Declaration) -> dict:
    """What is told of one row of a scan: how it ended there and in C, and how far a channel came apart."""
    measures, how = declaration["measures"], declaration["versions"]["outcome"]
    words = {side: printed.words(row, measures) for side, row in (("", there), ("c_", own))}
    found = verdicts.compare(Run(words[""]), Run(words["c_"]), measures, shared=True)
    ended = {
        f"{side}ended": " ".join(told[name] for name in told if name.startswith("final_qpos")) for side, told in words.items()
    }
    return (
        {"verdict": found.verdict, "changed_measures": found.changed_measures(), "largest_apart_m": there["largest_apart_m"]}
        | {"outcome": versions.first_that_holds(how, there), "c_outcome": versions.first_that_holds(how, own)}
        | ended
    )


def _made(record: dict, batch: int) -> dict:
    made = {name: record["implementation"][name] for name in MADE if name != "batch"}
    return made | {"batch": batch, "overflow": " ".join(made["overflow"])}
