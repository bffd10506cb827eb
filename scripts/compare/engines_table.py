"""Compare the same runs on several MuJoCo versions: what differs, and from which step on."""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from contactlab.limit import TIMED_OUT
from contactlab.marks import first_difference
from records import files, script, settings, tables

DECIMALS = {"m": 4, "s": 3, "N": 2}  # as the lessons print them, heights in cm to 0.01; of any other unit six
METRES_OF_CHAPTER_5 = 7  # decimals: it prints -0.0088691 m
NUMBERS = ("lift_m", "squeeze_N", "close_time_s")  # of a pick
NOT_PRINTED = ("outcome", "failure_mode", "digest", "warning_texts")
ABSENT = "not in this version"
NEW = "not in the reference version"
COLUMNS = [
    "experiment", "sweep", "cell", "engine", "reference", "reference_cell", "published_outcome", "outcome", "failure_mode",
    "reference_outcome", "reference_failure_mode", "change", "first_different_step", "first_different_time_s",
    "changed_numbers",
]  # fmt: skip


@dataclass(frozen=True)
class Run:
    """What is compared of a run: its outcome, how it failed, its numbers as the sources print them, the marks of its steps."""

    outcome: str
    failure_mode: str | None
    numbers: dict
    marks: str
    timestep_s: float


def drop_run(record: dict) -> Run:
    """A drop, with every number of its row."""
    result = record["result"]
    numbers = {name: value for name, value in result.items() if name not in NOT_PRINTED}
    return Run(result["outcome"], result["failure_mode"], printed(numbers), record["marks"], record["settings"]["dt_ms"] / 1000)


def pick_run(record: dict) -> Run:
    """A pick: of its many numbers those that lesson 16's tables print. A flung cube is a failure mode of its own."""
    result = {"flung": False} | dict.fromkeys(NUMBERS) | record["result"]  # of one that timed out only that is known
    mode = "none" if result["outcome"] == "held" else "flung" if result["flung"] else result["outcome"]
    numbers = {name: result[name] for name in NUMBERS}
    return Run(result["outcome"], mode, printed(numbers), record["marks"], record["settings"]["timestep_s"])


def controls_run(case: dict, timestep_s: float) -> Run | None:
    """A case of a scan of control faults; None where its engine lacks the integrator.

    The outcome is whether the state stayed finite or was reset; of the mechanism, which explanations hold for each channel.
    """
    rows = case["rows"]
    if any(row.get("status", "measured") != "measured" for row in rows):
        return None
    outcomes = [row["bitwise"] if "bitwise" in row else state_outcome(row) for row in rows]
    numbers = {
        f"{row['channel']}_{name}" if "channel" in row else name: value
        for row in rows
        for name, value in row.items()
        if name not in NOT_PRINTED
    }
    return Run(" / ".join(outcomes), None, printed(numbers, m=METRES_OF_CHAPTER_5), case["marks"], timestep_s)


def state_outcome(row: dict) -> str:
    """Whether a run ended in a finite state, and whether the engine reset it on the way."""
    return "reset" if row["time_rewinds"] else "finite" if row["final_finite"] else "not finite"


def printed(numbers: dict, **decimals: int) -> dict:
    """Numbers rounded as the sources print them, by the unit at the end of their names; anything else as it is."""
    places = DECIMALS | decimals
    return {
        name: round(value, places.get(name.rsplit("_", 1)[-1], 6)) if isinstance(value, float) else value
        for name, value in numbers.items()
    }


def comparison(run: Run | None, reference: Run | None) -> dict:
    """What differs between a run and its reference, in the same words everywhere, and the first step after which bits do."""
    told = {} if run is None else {"outcome": run.outcome, "failure_mode": run.failure_mode}
    if reference is not None:
        told |= {"reference_outcome": reference.outcome, "reference_failure_mode": reference.failure_mode}
    if run is None or reference is None:
        return told | {"change": ABSENT if run is None else NEW}
    if TIMED_OUT in (run.outcome, reference.outcome):
        return told | {"change": TIMED_OUT}
    shared = [name for name in run.numbers if name in reference.numbers]  # a version may have warnings that another lacks
    numbers = {name: (reference.numbers[name], run.numbers[name]) for name in shared}
    numbers = {name: (before, after) for name, (before, after) in numbers.items() if before != after}
    step = first_difference(run.marks, reference.marks)
    differs = {
        "outcome": run.outcome != reference.outcome,
        "failure mode": run.failure_mode != reference.failure_mode,
        "printed numbers": bool(numbers),
        "only bits": step is not None,
        "nothing": True,
    }
    return told | {
        "change": next(word for word, found in differs.items() if found),
        "first_different_step": step,
        "first_different_time_s": None if step is None else round(step * run.timestep_s, 9),
        "changed_numbers": "; ".join(f"{name} {before} -> {after}" for name, (before, after) in numbers.items()),
    }


@dataclass(frozen=True)
class Sweep:
    """A sweep to compare; of a variant, the axes in which its cells differ from those of the reference."""

    experiment: str
    name: str
    reference: str
    grid: dict[str, list]
    moved: frozenset[str] = frozenset()

    @classmethod
    def from_words(cls, words: list[str], variant: dict | None = None) -> "Sweep":
        experiment, name, reference, *grid = words
        return cls(experiment, name, reference, settings.grid_from_words(grid), frozenset(variant or {}))


def sweep_rows(folder: Path, sweep: Sweep, lacking: dict[str, set[str]], published: dict[str, str]) -> Iterator[dict]:
    """A row for each cell of a sweep on each engine; `lacking` says which words of a cell's name an engine does not have."""
    read = {"drop": drop_run, "pick": pick_run}[sweep.experiment]
    for engine, _, path in tables.cell_files(folder / sweep.experiment, sweep.grid, ".json"):
        cell = path.name.removesuffix(".json")
        plain = {axis: value for axis, value in settings.from_cell_name(cell).items() if axis not in sweep.moved}
        reference = path.parents[1] / sweep.reference / f"{settings.cell_name(plain)}.json"
        run = None if lacking.get(engine, set()) & set(cell.split(",")) else read(files.read_json(path))
        named = {"experiment": sweep.experiment, "sweep": sweep.name, "cell": cell.replace(",", " ")}
        named |= {"engine": engine, "reference": sweep.reference, "reference_cell": reference.stem.replace(",", " ")}
        known = {"published_outcome": published.get(reference.stem) if sweep.experiment == "drop" else None}
        yield named | known | comparison(run, read(files.read_json(reference)))


def scan_rows(folder: Path, scan: str, reference: str, engines: list[str]) -> Iterator[dict]:
    """A row for each case of a scan of control faults on each engine."""
    records = {engine: files.read_json(folder / "controls" / engine / f"{scan}.json") for engine in {*engines, reference}}
    timestep_s = records[reference]["settings"]["plant"]["timestep_ms"] / 1000
    for engine in engines:
        for case, before in zip(records[engine]["cases"], records[reference]["cases"], strict=True):
            cell = " ".join(settings.to_words({name: tables.readable(value) for name, value in case["case"].items()}))
            named = {"experiment": "controls", "sweep": scan, "cell": cell}
            named |= {"engine": engine, "reference": reference, "reference_cell": cell}
            yield named | comparison(controls_run(case, timestep_s), controls_run(before, timestep_s))


def published_outcomes(claims: pd.DataFrame, defaults: dict) -> dict[str, str]:
    """Lesson 02's printed outcomes by the name of the cell."""
    found = {}
    for _, claim in claims[(claims["document"] == "timestep") & (claims["quantity"] == "outcome")].iterrows():
        cell = settings.from_words(claim["case"].replace(" ", "_").split(";"))
        found[settings.cell_name(settings.against_defaults(cell, defaults))] = claim["published"]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--marks", required=True, type=Path, help="folder of the marked runs, one folder an experiment in it")
    parser.add_argument("--claims", required=True, help="what the sources print, CSV")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    parser.add_argument("--defaults", required=True, nargs="+", help="axis=value, a drop's defaults")
    parser.add_argument("--engines", required=True, nargs="+", help="MuJoCo versions")
    words = {"nargs": "+", "action": "append", "default": []}
    parser.add_argument("--sweep", **words, help="experiment, name, reference engine and axis=value,value; repeated")
    parser.add_argument("--variant-sweep", **words, help="the same of sweeps with --variant's axes moved; repeated")
    parser.add_argument("--scan", **words, help="name and reference engine of a scan of control faults; repeated")
    parser.add_argument("--variant", nargs="*", default=[], help="axis=value of the variant")
    parser.add_argument("--lacking", **words, help="an engine and the words of cells' names that it lacks; repeated")
    arguments = parser.parse_args()
    variant = settings.from_words(arguments.variant)
    sweeps = [Sweep.from_words(words) for words in arguments.sweep]
    sweeps += [Sweep.from_words(words, variant) for words in arguments.variant_sweep]
    lacking = {engine: set(words) for engine, *words in arguments.lacking}
    claims = pd.read_csv(arguments.claims, dtype=str, keep_default_na=False)
    published = published_outcomes(claims, settings.from_words(arguments.defaults))
    rows = [row for sweep in sweeps for row in sweep_rows(arguments.marks, sweep, lacking, published)]
    rows += [row for scan in arguments.scan for row in scan_rows(arguments.marks, *scan, arguments.engines)]
    tables.write(pd.DataFrame(rows)[COLUMNS].astype({"first_different_step": "Int64"}), arguments.out)


if __name__ == "__main__":
    script.run(main)
