"""The one comparison: the same runs with one thing changed, and what of all that they measured changed with it.

A verdict is one of these words, from what matters least to what matters most; that of a pair is the worst of its measures.

    same bits     everything printed is equal, and so are the states
    same digits   everything printed is equal, the states are not, or are not known
    within band   a number is printed otherwise, and the one run has it inside of the other's band; or a number or a word is
                  another, and the one run prints the other's where its start is moved by a hair
    moved         a number is printed otherwise, and has no band or lies outside of it
    changed       a word is another, or a number happened on one side only
    timed out     one of the runs took too long, and nothing is known of it
    failed        code of the user's own raised an error in one of the runs, and nothing is known of it
    cannot run    one of the runs cannot be on its version
    not there     only the run here exists: the other passport has no such cell, the reference version lacks what it needs
    not here      the run here does not exist
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from contactlab.marks import first_difference
from contactlab.statistics import mcnemar, wilson
from records import settings
from records.ended import ENDED
from records.printed import Run

SAME_BITS, SAME_DIGITS, WITHIN_BAND, MOVED, CHANGED, NOT_THERE, NOT_HERE = (
    "same bits", "same digits", "within band", "moved", "changed", "not there", "not here"
)  # fmt: skip
COUNTS = ("pairs", "here_successes", "there_successes", "discordant")  # whole numbers among the columns of `rates`
VERDICTS = (SAME_BITS, SAME_DIGITS, WITHIN_BAND, MOVED, CHANGED, *ENDED, NOT_THERE, NOT_HERE)


@dataclass(frozen=True)
class Difference:
    """One measure of a pair: its verdict, what is printed here and there, and how far a number moved.

    apart: the distance of the two numbers, or of two lists of numbers, in the unit of the measure
    widths: the same in widths of the band, of the wider one where both runs have one; None where none has any width
    """

    verdict: str
    here: str | None = None
    there: str | None = None
    apart: float | None = None
    widths: float | None = None


@dataclass(frozen=True)
class Comparison:
    """A pair of runs: the verdict, every measure, and where marks were kept the first step that differs, and its time."""

    verdict: str
    measures: dict[str, Difference] = field(default_factory=dict)
    first_different_step: int | None = None
    first_different_time_s: float | None = None

    def printed_otherwise(self) -> dict[str, Difference]:
        """The measures that are not printed alike."""
        return {name: found for name, found in self.measures.items() if rank(found.verdict) > rank(SAME_DIGITS)}

    def changed_measures(self) -> str:
        """These measures as a table shows them: "outcome changed; squeeze_N moved 3.2 widths"."""
        return "; ".join(
            f"{name} {found.verdict}" + ("" if found.widths is None else f" {found.widths:.3g} widths")
            for name, found in self.printed_otherwise().items()
        )


def rank(verdict: str) -> int:
    """How bad a verdict is, 0 for the best."""
    return VERDICTS.index(verdict)


def worst(verdicts: Iterable[str]) -> str:
    """The worst of some verdicts, of none the best there is."""
    return max(verdicts, key=rank, default=SAME_BITS)


def compare(here: Run | None, there: Run | None, measures: dict, shared: bool = False) -> Comparison:
    """Compare a run with another of the same cell; a run that does not exist is None.

    `measures` are as an experiment declares them. A measure that only one run has is `changed`, unless only what they share is
    compared. The two runs may change places: nothing but the words `not here` and `not there` then becomes another.
    """
    if here is None or there is None:
        return Comparison(NOT_HERE if here is None else NOT_THERE)
    if ended := [run.words["outcome"] for run in (here, there) if run.words.get("outcome") in ENDED]:
        return Comparison(worst(ended))
    step = first_difference(here.marks, there.marks) if here.marks and there.marks else None
    time_s = None if step is None or here.timestep_s is None else round(step * here.timestep_s, 9)
    alike = SAME_BITS if _same_states(here, there, step) else SAME_DIGITS
    names = [name for name in here.words | there.words if not shared or (name in here.words and name in there.words)]
    found = {name: _difference(name, here, there, measures.get(name, {}), alike) for name in names}
    for name in names:  # a number that follows from another is judged with it where both are printed otherwise
        lead = found.get(measures.get(name, {}).get("follows"))
        if lead and alike not in (found[name].verdict, lead.verdict):
            found[name] = Difference(lead.verdict, found[name].here, found[name].there, found[name].apart)
    return Comparison(worst([alike, *(difference.verdict for difference in found.values())]), found, step, time_s)


def _same_states(here: Run, there: Run, step: int | None) -> bool:
    """Whether all that is known of the states of two runs says that they are the same bits."""
    digests = {run.digest for run in (here, there)}
    known = None not in digests or (here.marks and there.marks)
    return bool(known) and step is None and (None in digests or len(digests) == 1)


def _difference(name: str, here: Run, there: Run, measure: dict, alike: str) -> Difference:
    words = (here.words.get(name), there.words.get(name))
    first, second = (_numbers(run, name) for run in (here, there))
    numbers = first is not None and second is not None and len(first) == len(second)
    apart = math.dist(first, second) if numbers else None
    if words[0] == words[1]:
        return Difference(alike, *words, apart)
    also = words[0] in there.seen.get(name, ()) or words[1] in here.seen.get(name, ())
    if not numbers:
        return Difference(WITHIN_BAND if also else CHANGED, *words)
    if "within" in measure:
        inside, width = apart <= measure["within"], measure["within"]
    else:
        bands = [tuple(map(_listed, run.bands.get(name, ()))) for run in (here, there)]
        inside = also or any(band and _inside(*band, other) for band, other in zip(bands, (second, first), strict=True))
        width = max(math.dist(*band) if band else 0 for band in bands)
    return Difference(WITHIN_BAND if inside else MOVED, *words, apart, apart / width if width else None)


def _inside(low: list[float], high: list[float], numbers: list[float]) -> bool:
    """Whether all numbers lie in their bands."""
    return all(low <= number <= high for low, number, high in zip(low, numbers, high, strict=True))


def _numbers(run: Run, name: str) -> list[float] | None:
    """The number or the list of numbers that a measure is, None of any other: those that are known, else those of its word."""
    if run.numbers is not None or name not in run.words:
        return (run.numbers or {}).get(name)
    numbers = _listed(run.words[name])
    finite = all(isinstance(number, int | float) and math.isfinite(number) for number in numbers)
    return numbers if finite and not isinstance(numbers[0], bool) else None


def _listed(word: str) -> list:
    """What a word is, a single value as a list of one."""
    value = settings.from_word(word)
    return value if isinstance(value, list) else [value]


def together(comparisons: Iterable[Comparison]) -> Comparison:
    """Several pairs as one: the worst verdict, and of each measure the worst difference, the furthest of several."""
    comparisons, measures = list(comparisons), {}
    for name in dict.fromkeys(name for comparison in comparisons for name in comparison.measures):
        found = [comparison.measures[name] for comparison in comparisons if name in comparison.measures]
        measures[name] = max(found, key=lambda difference: (rank(difference.verdict), difference.apart or 0))
    return Comparison(worst(comparison.verdict for comparison in comparisons), measures)


def pairs(grid: dict[str, list], reference: dict[str, list]) -> list[tuple[dict, dict]]:
    """Each cell of a grid beside the first cell of another grid that has all its values but on what is changed.

    Changed are the axes that have other values in the one grid than in the other, or stand in one alone.
    """
    shared = [axis for axis in grid if grid[axis] == reference.get(axis)]
    found: dict[str, dict] = {}
    for cell in settings.grid(reference):
        found.setdefault(_place(cell, shared), cell)
    return [(cell, found[_place(cell, shared)]) for cell in settings.grid(grid)]


def _place(cell: dict, axes: list[str]) -> str:
    return settings.cell_name({axis: cell[axis] for axis in axes})


def rates(successes: Iterable[tuple[bool, bool]]) -> dict[str, float]:
    """The columns that compare how often runs succeed: k of n with Wilson's interval on both sides, and the exact paired test.

    `successes` says of each run here, and of the one there that it is paired with, whether it succeeds.
    """
    found = list(successes)
    told: dict[str, float] = {"pairs": len(found)}
    for side, ended in zip(("here", "there"), zip(*found, strict=True), strict=True):
        low, high = wilson(sum(ended), len(found))
        told |= {f"{side}_successes": sum(ended), f"{side}_wilson_low": low, f"{side}_wilson_high": high}
    gained, lost = (found.count(pair) for pair in ((True, False), (False, True)))
    return told | {"discordant": gained + lost, "paired_p": mcnemar(gained, lost)}
