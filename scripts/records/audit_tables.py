"""What became of the runs of an audit: their measures, their outcomes, the bands of moved starts, and the table of them all."""

import argparse
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from contactlab.statistics import band
from records import audits, conditions, ended, files, tables
from records.conditions import Condition, is_number

RAN = "ran"
COUNTS = ("start_overlap_m", "start_overlaps", "steps", "solved_steps", "at_iterations", "at_line_search", "warnings", "digest")
NOT_MEASURES = ("outcome", "why", *COUNTS)  # what else a run's result holds
Outcomes = dict[str, dict[str, Condition]]  # of each outcome the conditions by the measure that they are of


@dataclass(frozen=True)
class Ran:
    """A run of an audit, and what it told.

    values: its measures and its outcomes by name; none of a run that ended before it had any
    again: the same from each start moved by a hair
    record: what its file holds but for its series, which is most of it
    """

    run: audits.Run
    values: dict
    again: list[dict]
    record: dict

    @property
    def status(self) -> str:
        """What became of it: RAN, "diverged", or one of `ended.ENDED`."""
        return self.record["result"].get("outcome", RAN)

    @property
    def ended(self) -> bool:
        """Whether it ended before it told anything."""
        return self.status in ended.ENDED

    @property
    def why(self) -> str | None:
        """Why it did not run, in one line."""
        return self.record["result"].get("why")

    def band(self, name: str) -> tuple | None:
        """The lowest and the highest value of a number over the run and its moved starts, of each number of a list.

        None of what has no band: words, and numbers that never happened or of a run that was not repeated.
        """
        told = [values.get(name) for values in (self.values, *self.again)] if self.again else []
        found = [value for value in told if value is not None]
        if all(map(is_number, found)):
            return band(found)
        if not all(isinstance(value, list) and len(value) == len(found[0]) and all(map(is_number, value)) for value in found):
            return None
        return tuple([end(numbers) for numbers in zip(*found, strict=True)] for end in (min, max))


def add_audit(parser: argparse.ArgumentParser) -> None:
    """The argument of a script that is told of an audit."""
    parser.add_argument("--audit", required=True, type=json.loads, help="the audit of the configuration, with its name, JSON")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of a script that reads the runs of an audit."""
    add_audit(parser)
    parser.add_argument("--cells", required=True, type=Path, help="folder of the runs, one folder an engine in it")


def write(description: str, rows_of: Callable[[dict, list[Ran]], list[dict]]) -> str:
    """Write the table that `rows_of` makes of an audit and its runs, as the command line says; the path of the table."""
    parser = argparse.ArgumentParser(description=description)
    add_arguments(parser)
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    arguments = parser.parse_args()
    files.write_csv(arguments.out, rows_of(arguments.audit, read(arguments.cells, arguments.audit)))
    return arguments.out


def read(folder: Path, audit: dict) -> list[Ran]:
    """All runs of an audit in the order in which they are planned, from the folder with a folder for each engine.

    Raises ValueError for an outcome over a measure, or a required name, that no run has, and for a condition that cannot be.
    """
    outcomes = {
        name: {measure: conditions.parse(text) for measure, text in asked.items()}
        for name, asked in audit.get("outcomes", {}).items()
    }
    found = [_ran(run, files.read_json(run.path(folder)), outcomes) for run in audits.runs(audit)]
    found = _supported(found) if "code" in audit else found
    if known := measures(audit, found) if any(not ran.ended for ran in found) else []:
        asked = [(f"outcome {name}", measure) for name, asked in outcomes.items() for measure in asked]
        for by, name in [*asked, *(("required", name) for name in audit.get("required", []))]:
            if name not in known:
                raise ValueError(f"{audit['name']}: {by} names {name}, which no run has; allowed: {', '.join(known)}")
    return found


def _supported(found: list[Ran]) -> list[Ran]:
    """Runs of code, which cannot run on a version where each of them fails, if one of the reference's did not."""
    by_variation: dict[str, set[str]] = {}
    for ran in found:
        by_variation.setdefault(ran.run.variation, set()).add(ran.status)
    if by_variation[audits.REFERENCE] <= {*ended.ENDED}:
        return found
    return [
        replace(ran, record=ran.record | {"result": ran.record["result"] | {"outcome": ended.CANNOT_RUN}})
        if ran.run.axis == "engine" and by_variation[ran.run.variation] == {ended.FAILED}
        else ran
        for ran in found
    ]


def _ran(run: audits.Run, record: dict, outcomes: Outcomes) -> Ran:
    values, *again = (_values(result, outcomes) for result in (record["result"], *record.get("perturbed", [])))
    return Ran(run, values, again, {key: value for key, value in record.items() if key != "series"})


def _values(result: dict, outcomes: Outcomes) -> dict:
    """The measures and outcomes of a result."""
    if result.get("outcome") in ended.ENDED:
        return {}
    measured = {name: value for name, value in result.items() if name not in NOT_MEASURES}
    return measured | {name: _all_hold(name, asked, measured) for name, asked in outcomes.items()}


def _all_hold(outcome: str, asked: dict[str, Condition], measured: dict) -> bool:
    try:
        return all(condition.holds(measured.get(measure)) for measure, condition in asked.items())
    except ValueError as error:
        raise ValueError(f"outcome {outcome}: {error}") from None


def measures(audit: dict, found: Iterable[Ran]) -> list[str]:
    """The names of all that is compared: what the audit declares and what its runs have, outcomes last."""
    declared, outcomes = audit.get("measures", {}), audit.get("outcomes", {})
    measured = dict.fromkeys([*declared, *(name for ran in found for name in ran.values)])
    return [*(name for name in measured if name not in outcomes), *outcomes]


def rows(audit: dict, found: list[Ran]) -> list[dict]:
    """The rows of an audit's table, one for each run.

    Columns: variation, engine, every axis (None where it is the scene's or the code's own), status, why, each measure behind
    it the ends of its band, each outcome, whether the solver was cut short, and what else was counted.
    Raises ValueError where two columns would have one name.
    """
    axes = [axis for axis in dict.fromkeys([*audit["reference"], *audit["vary"], *audit["grid"]]) if axis != "engine"]
    names = measures(audit, found)
    if shared := {*axes} & {*names}:
        raise ValueError(f"{audit['name']}: {', '.join(sorted(shared))} is an axis and a measure; allowed: a name for each")
    banded = [name for name in names if any(ran.band(name) for ran in found)]
    return [_row(ran, axes, names, banded) for ran in found]


def _row(ran: Ran, axes: list[str], names: list[str], banded: list[str]) -> dict:
    row = {"variation": ran.run.variation, "engine": ran.run.engine} | {axis: ran.run.settings.get(axis) for axis in axes}
    row |= {"status": ran.status, "why": ran.why}
    for name in names:
        row[name] = ran.values.get(name)
        if name in banded:
            row[f"{name}_low"], row[f"{name}_high"] = ran.band(name) or (None, None)
    result = ran.record["result"]
    row |= {"truncated": tables.truncated(result)} | {name: result.get(name) for name in COUNTS}
    return {name: tables.readable(value) for name, value in row.items()}
