"""The verdicts of an audit: each measure of each variation beside the reference, and from which version on it moves."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby

from records import audit_tables, engines, printed, settings, tables, verdicts
from records.audit_tables import Ran
from records.audits import REFERENCE
from records.conditions import is_number
from records.ended import ENDED
from records.verdicts import Comparison, Difference

DIGITS = ".6g"  # of a number that the audit gives no format
BLOCKS = 2  # of versions next to each other that are named; more are counted
UNLIKELY = 0.05  # a paired test below it says that rates differ, the counterpart of Wilson's interval of 95 %
COLUMNS = (
    "measure", "case", "variation", "axis", "value", "engine", "verdict", "reference_value", "value_here", "apart", "widths",
    "place", "compared", "not_compared", "pairs", "here_successes", "here_wilson_low", "here_wilson_high", "there_successes",
    "there_wilson_low", "there_wilson_high", "discordant", "paired_p", "first_different_step", "first_different_time_s",
    "contact_there", "first_different_contact", "first_version", "moved_in", "truncated", "required", "why",
)  # fmt: skip


@dataclass(frozen=True)
class Pair:
    """A run of a variation, the reference's run of the same place of the grid, and how the two compare."""

    here: Ran
    there: Ran
    found: Comparison

    @property
    def compared(self) -> bool:
        """Whether both ran."""
        return not (self.here.ended or self.there.ended)

    @property
    def why(self) -> str | None:
        """Why the two were not compared: what ended the run, or else the reference."""
        return self.here.why or (self.there.why and f"the reference: {self.there.why}")


def rows(audit: dict, found: list[Ran]) -> list[dict]:
    """One row for each measure or outcome and each variation; where the audit has `by`, for each value of these axes too.

    Over a grid the row tells the pair that is furthest apart, at `place`, and of outcomes how many runs succeed.
    """
    names, by = audit_tables.measures(audit, found) or [""], audit.get("by", [])
    cases: dict[str, list[Pair]] = {}
    for pair in _pairs(audit, found):
        cases.setdefault(_word(pair.here.run.place, by), []).append(pair)
    told = [row for case, pairs in cases.items() for name in names for row in _of_measure(audit, name, case, pairs)]
    return [{column: row.get(column) for column in COLUMNS} for row in told]


def _of_measure(audit: dict, name: str, case: str, pairs: list[Pair]) -> list[dict]:
    """The rows of one measure in one case, a row for each variation, with the versions in which it moves."""
    by_variation = groupby(pairs, key=lambda pair: pair.here.run.variation)
    rows = [row for _, of_one in by_variation if (row := _row(name, [*of_one]))]
    known = {"measure": name, "case": case, "required": name in audit.get("required", [])}
    own = engines.split(audit["reference"]["engine"])
    same_machine = [row for row in rows if row["axis"] == "engine" and engines.split(row["engine"])[1] == own[1]]
    moves = {engines.split(row["engine"])[0]: _moves(row["verdict"]) for row in same_machine}
    told = versions_told(own[0], {version: moved for version, moved in moves.items() if moved is not None})
    return [known | row | (told if row in same_machine else {}) for row in rows]


def _pairs(audit: dict, found: list[Ran]) -> list[Pair]:
    """Every run of a variation beside the reference's run of its place, those of one variation one after the other."""
    runs = [(ran, _printed(ran, audit)) for ran in found]
    references = {_word(ran.run.place): (ran, run) for ran, run in runs if ran.run.variation == REFERENCE}
    pairs = []
    for here, run in runs:
        if here.run.variation != REFERENCE:
            there, other = references[_word(here.run.place)]
            step_by_step = run.timestep_s is not None and run.timestep_s == other.timestep_s
            run = run if step_by_step else replace(run, marks="")
            pairs.append(Pair(here, there, verdicts.compare(run, other, {})))
    return pairs


def _word(place: dict, axes: Iterable[str] | None = None) -> str:
    """Values of a grid's axes as words, all of them or those of some axes."""
    return " ".join(settings.to_words({axis: place[axis] for axis in (place if axes is None else axes)}))


def _printed(ran: Ran, audit: dict) -> printed.Run:
    """A run in the form in which runs are compared."""
    if ran.ended:
        return printed.Run({"outcome": ran.status})
    declared = audit.get("measures", {})
    digits = {name: declared.get(name, {}).get("digits", DIGITS) for name in ran.values}
    told = [{name: word(values.get(name), digits[name]) for name in ran.values} for values in (ran.values, *ran.again)]
    bands = {name: found for name in ran.values if (found := ran.band(name))}
    return printed.Run(
        words=told[0],
        digest=ran.record["result"].get("digest"),
        bands={name: (settings.to_word(low), settings.to_word(high)) for name, (low, high) in bands.items()},
        marks=ran.record.get("marks", ""),
        timestep_s=ran.record.get("timestep_s"),
        truncated=tables.truncated(ran.record["result"]),
        seen={name: {words[name] for words in told} for name in ran.values},
        numbers={name: numbers for name, value in ran.values.items() if (numbers := _numbers(value))},
    )


def word(value, digits: str = DIGITS) -> str:
    """A value as it is compared: a float with its digits, a list element by element, a count, word or boolean as it is."""
    if isinstance(value, list):
        return "_".join(word(item, digits) for item in value)
    return printed.word(value, digits if isinstance(value, float) else "")


def _numbers(value) -> list[float] | None:
    numbers = value if isinstance(value, list) else [value]
    return [float(number) for number in numbers] if numbers and all(map(is_number, numbers)) else None


def _row(name: str, pairs: list[Pair]) -> dict | None:
    """The row of a measure in one variation; None where runs were compared and none has it."""
    compared = [pair for pair in pairs if pair.compared]
    having = [pair for pair in compared if name in pair.found.measures]
    if compared and not having:
        return None
    run = pairs[0].here.run
    ended = [pair for pair in pairs if not pair.compared]
    row = {"variation": run.variation, "axis": run.axis, "engine": run.engine} | {
        "value": settings.to_word(run.value), "compared": len(compared), "not_compared": len(ended),
        "why": next((pair.why for pair in ended), None),
        "truncated": any(tables.truncated(side.record["result"]) for pair in compared for side in (pair.here, pair.there)),
    }  # fmt: skip
    if not having:
        return row | {"verdict": verdicts.worst(pair.found.verdict for pair in ended)}
    furthest = max(having, key=lambda pair: _badness(pair.found.measures[name]))
    difference, rates = furthest.found.measures[name], _rates(name, having)
    found = _with_rates(difference.verdict, rates)
    if found != verdicts.CHANGED and ended:
        found = verdicts.worst([found, *(pair.found.verdict for pair in ended)])
    return row | rates | {
        "verdict": found,
        "reference_value": tables.readable(furthest.there.values.get(name)),
        "value_here": tables.readable(furthest.here.values.get(name)),
        "apart": difference.apart,
        "widths": difference.widths,
        "place": _word(furthest.here.run.place),
    } | _parting(furthest)  # fmt: skip


def _badness(difference: Difference) -> tuple[int, float]:
    return verdicts.rank(difference.verdict), difference.apart or 0.0


def _rates(name: str, pairs: list[Pair]) -> dict:
    """How often an outcome is true over the grid and the moved starts, here and there; nothing of what is no yes or no."""
    both = [
        (here.get(name), there.get(name))
        for pair in pairs
        for here, there in zip((pair.here.values, *pair.here.again), (pair.there.values, *pair.there.again), strict=False)
    ]
    both = [pair for pair in both if all(isinstance(value, bool) for value in pair)]
    return verdicts.rates(both) if both else {}


def _with_rates(found: str, rates: dict) -> str:
    """The verdict on an outcome, with what its moved starts say: they may differ where the unmoved ones do not."""
    if rates.get("paired_p", 1.0) < UNLIKELY:
        return verdicts.CHANGED
    if rates.get("discordant") and verdicts.rank(found) < verdicts.rank(verdicts.WITHIN_BAND):
        return verdicts.WITHIN_BAND
    return found


# Where two runs part


def _parting(pair: Pair) -> dict:
    """The first step and time at which the states differ, the contact found or lost there, and the first one that differs.

    Only of runs with the same timestep, whose steps are the same moments.
    """
    step = pair.found.first_different_step
    if step is None:
        return {}
    here, there = (_events(side.record) for side in (pair.here, pair.there))
    at_step = dict.fromkeys(event for event in [*here, *there] if event[0] == step)
    return {
        "first_different_step": step,
        "first_different_time_s": pair.found.first_different_time_s,
        "contact_there": "; ".join(f"{_told(event)}{_side(event, here, there)}" for event in at_step) or None,
        "first_different_contact": _first_different(here, there),
    }


def _events(record: dict) -> dict[tuple, float]:
    """The contacts found and lost in a run with their times in s: step, "+" or "-", and the two geoms."""
    return {(step, sign, one, other): time_s for step, time_s, sign, one, other in record.get("contact_log", [])}


def _told(event: tuple) -> str:
    _, sign, one, other = event
    return f"{'found' if sign == '+' else 'lost'} {one}/{other}"


def _side(event: tuple, here: dict, there: dict) -> str:
    return "" if event in here and event in there else " only here" if event in here else " only in the reference"


def _first_different(here: dict, there: dict) -> str | None:
    """The first contact that is found or lost in one of the runs alone.

    A log ends after so many contacts; where two of one length differ, their first difference comes before the end of either.
    """
    first = min(here.keys() ^ there.keys(), default=None)
    return None if first is None else f"{_told(first)}{_side(first, here, there)} at {(here | there)[first]:g} s"


# Versions


def _moves(verdict: str) -> bool | None:
    """Whether a verdict says that a measure is another; None where nothing is known."""
    return None if verdict in ENDED else verdict in (verdicts.MOVED, verdicts.CHANGED)


def versions_told(reference: str, moves: dict[str, bool]) -> dict:
    """In which versions a measure moves, in words, and the first version after the reference's in which it does.

    `moves` says of each version whether the measure moves there; a reference that is not among them does not.
    """
    known = sorted({reference, *moves}, key=_order)
    blocks = [[*block] for moved, block in groupby(known, key=lambda version: moves.get(version, False)) if moved]
    later = [version for version in known if moves.get(version) and _order(version) > _order(reference)]
    told = [_block_told(block, known, _order(block[0]) > _order(reference), len(blocks) == 1) for block in blocks]
    if len(told) > BLOCKS:
        first, last = blocks[0][0], blocks[-1][-1]
        among = known.index(last) - known.index(first) + 1
        told = [f"in {sum(map(len, blocks))} of {among} versions from {first} to {last}"]
    return {"moved_in": " and ".join(told) or None, "first_version": next(iter(later), None)}


def _order(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def _block_told(block: list[str], known: list[str], later: bool, alone: bool) -> str:
    first, last = block[0], block[-1]
    if later and last == known[-1]:
        return f"from {first} on"
    if not later and first == known[0]:
        return f"until {last}"
    return f"from {first} to {last}" if first != last else f"in {first}" + (" only" if alone else "")
