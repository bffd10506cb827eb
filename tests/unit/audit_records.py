"""Made-up runs of audits: what tests of their tables, verdicts and figures read."""

from pathlib import Path

from contactlab.marks import mark, to_text
from records import audits, files

STEP_S = 0.002


def bowl(**changed) -> dict:
    """An audit as its scripts are told of it."""
    audit = {
        "name": "bowl",
        "grid": {},
        "measures": {"height_m": {"body": "bowl", "quantity": "z_m"}, "through": {"passage": ["bowl", "table"]}},
        "outcomes": {"seated": {"height_m": "> 0.03"}},
        "reference": {"engine": "3.3.7"},
        "vary": {"engine": ["3.3.0", "3.4.0", "4.0.0"], "option.timestep": [0.004]},
    }
    return audit | changed


def record(again: tuple[dict, ...] = (), states: tuple[int, ...] = (), **result) -> dict:
    """A run's record: its result, those of moved starts, and the marks of its states."""
    ended = {"height_m": 0.04, "through": "kept", "digest": "a", "at_iterations": 0, "at_line_search": 0, "warnings": 0}
    told = {"result": ended | result, "perturbed": [ended | one for one in again], "timestep_s": STEP_S}
    return told | ({"marks": to_text(b"".join(mark(bytes([state])) for state in states))} if states else {})


def ended(outcome: str, why: str | None = None) -> dict:
    """The record of a run that ended before it told anything."""
    return {"result": {"outcome": outcome} | ({"why": why} if why else {}), "perturbed": []}


def write(folder: Path, audit: dict, records: dict[str, dict]) -> Path:
    """A folder of runs: the record of each variation, or of each variation and place, "engine=3.4.0 seed=1".

    What `records` does not name is like the plain variation, and that like the reference.
    """
    for run in audits.runs(audit):
        place = " ".join([run.variation, *(f"{axis}={value}" for axis, value in run.place.items())])
        known = next(records[name] for name in (place, run.variation, "reference") if name in records)
        files.write_json(run.path(folder), {"settings": run.settings} | known)
    return folder
