"""The measures of an audit over its timesteps: order of convergence, value at 0, and the largest timestep that suffices."""

from itertools import takewhile
from typing import NamedTuple

from contactlab import convergence
from records import audit_tables, settings, tables
from records.audit_comparison import DIGITS, word
from records.audit_tables import Ran
from records.audits import REFERENCE
from records.conditions import is_number

AXIS = "option.timestep"
CHANGES = "changes"  # of what is no number and not the same at all timesteps
FROM_0, FROM_FINEST = "the value at 0", "the finest timestep"  # what a timestep is held against
COLUMNS = (
    "measure", "place", "verdict", "order", "coarser_order", "value_at_0", "grid_convergence_index", "suffices_s", "against",
    "allowed", "allowed_by", "timesteps_s", "values",
)  # fmt: skip


def rows(audit: dict, found: list[Ran]) -> list[dict]:
    """One row for each measure and place of the grid, over the timesteps of the runs there that ran."""
    of_timestep = [ran for ran in found if ran.run.variation == REFERENCE or ran.run.axis == AXIS]
    places = {" ".join(settings.to_words(ran.run.place)): [] for ran in of_timestep}
    for ran in of_timestep:
        if not ran.ended:
            places[" ".join(settings.to_words(ran.run.place))].append(ran)
    names = audit_tables.measures(audit, found)
    return [_row(audit, name, place, runs) for place, runs in places.items() for name in names]


def _row(audit: dict, name: str, place: str, runs: list[Ran]) -> dict:
    by_timestep = {_timestep_s(ran): ran for ran in sorted(runs, key=_timestep_s)}
    values = [ran.values.get(name) for ran in by_timestep.values()]
    row = dict.fromkeys(COLUMNS) | {"measure": name, "place": place}
    row |= {
        "timesteps_s": tables.readable([*by_timestep]),
        "values": "; ".join(str(tables.readable(value)) for value in values),
    }
    if not values or not all(map(is_number, values)):
        return row | _of_words([*by_timestep], [word(value) for value in values])
    return row | _of_numbers([*by_timestep], values, _judged(audit, name, runs))


def _timestep_s(ran: Ran) -> float:
    return ran.record["timestep_s"]


def _of_words(timesteps_s: list[float], words: list[str]) -> dict:
    """What suffices is the largest timestep up to which all end as the finest does."""
    if len(words) < 2:
        return {"verdict": convergence.TOO_FEW}
    same = [timestep_s for timestep_s, _ in takewhile(lambda pair: pair[1] == words[0], zip(timesteps_s, words, strict=True))]
    told = {"suffices_s": same[-1] if len(same) > 1 else None, "against": FROM_FINEST}
    return told | {"verdict": convergence.SAME if len(set(words)) == 1 else CHANGES}


class Judged(NamedTuple):
    """How a number is judged: how far off it may be, what allows that, how wide its band is, and its digits."""

    allowed: float | None
    by: str | None
    width: float
    digits: str

    def near(self, value: float, best: float) -> bool:
        """Whether a number is as good as the best one."""
        return abs(value - best) <= (self.allowed or 0.0) or word(value, self.digits) == word(best, self.digits)


def _judged(audit: dict, name: str, runs: list[Ran]) -> Judged:
    reference = next((ran for ran in runs if ran.run.variation == REFERENCE), None)
    low, high = (reference and reference.band(name)) or (0.0, 0.0)
    declared = audit.get("measures", {}).get(name, {})
    by = "tolerance" if "tolerance" in declared else "band" if high > low else None
    return Judged(declared.get("tolerance", high - low) if by else None, by, high - low, declared.get("digits", DIGITS))


def _of_numbers(timesteps_s: list[float], values: list[float], judged: Judged) -> dict:
    """What suffices is the largest timestep up to which all numbers lie so near to the value at 0, or are printed as it is.

    Where there is none because all are the same or differ by no more than the noise, the finest timestep's stands for it.
    """
    found = convergence.study(timesteps_s, values, noise=judged.width)
    row = {
        "verdict": found.verdict, "order": found.order, "coarser_order": found.coarser_order, "value_at_0": found.value_at_0,
        "grid_convergence_index": found.index, "allowed": judged.allowed, "allowed_by": judged.by,
    }  # fmt: skip
    if found.verdict not in (convergence.CONVERGES, convergence.SAME, convergence.NOISE):
        return row
    extrapolated = found.verdict == convergence.CONVERGES
    best = found.value_at_0 if extrapolated else values[0]
    pairs = zip(timesteps_s, values, strict=True)
    enough = [timestep_s for timestep_s, _ in takewhile(lambda pair: judged.near(pair[1], best), pairs)]
    told = enough[-1] if len(enough) > (not extrapolated) else None
    return row | {"suffices_s": told, "against": FROM_0 if extrapolated else FROM_FINEST}
