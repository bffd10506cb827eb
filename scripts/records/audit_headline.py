"""What the verdicts of an audit say in one sentence, and in which one line its `required` fails."""

import csv
from collections.abc import Iterable
from pathlib import Path

from contactlab import convergence
from records import ended, verdicts

Row = dict[str, str]  # of a table of verdicts
MOVES = (verdicts.MOVED, verdicts.CHANGED)
BANDS = 1000  # from so many on a move is told by itself
TOLD = 3  # measures, and as many variations, that a sentence names before it counts


def sentence(path: Path) -> str:
    """How many measures stand, and which move where: "2 of 5 measures move: `seated` changes from 3.4.0 on; ..."."""
    return of_rows(rows(path))


def rows(path: Path) -> list[Row]:
    """The rows of a table of verdicts; without pandas, which takes longer to import than all else that a run says."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def of_rows(found: list[Row]) -> str:
    """The same of the rows of a table of verdicts."""
    by_measure: dict[str, list[Row]] = {}
    for row in found:
        by_measure.setdefault(_named(row), []).append(row)
    moving = {name: moved for name, rows in by_measure.items() if (moved := [row for row in rows if row["verdict"] in MOVES])}
    variations = list(dict.fromkeys(row["variation"] for row in found))
    unknown = _unknown(found)
    if all(row["verdict"] in ended.ENDED for row in found):
        return f"No measure could be compared{unknown}"
    if not moving:
        lost = [name for name in variations if all(row["verdict"] in ended.ENDED for row in _of(name, found))]
        known = f"{len(variations) - len(lost)} of " if lost else ""
        return f"{_counted(len(by_measure), 'measure', 'All ')} under {known}{_counted(len(variations), 'variation')}{unknown}"
    told = [_moving(name, rows) for name, rows in sorted(moving.items(), key=_importance)]
    more = f"; and {len(told) - TOLD} more" if len(told) > TOLD else ""
    number = f"{len(moving)} of {_counted(len(by_measure), 'measure')} {'moves' if len(moving) == 1 else 'move'}"
    return f"{number}: {'; '.join(told[:TOLD])}{more}{unknown}"


def _of(variation: str, found: list[Row]) -> list[Row]:
    return [row for row in found if row["variation"] == variation]


def _counted(count: int, noun: str, all_of: str = "") -> str:
    if all_of:
        return f"{all_of}{count} {noun}s stand" if count > 1 else f"The one {noun} stands"
    return f"{count} {noun}" + ("s" if count != 1 else "")


def _named(row: Row) -> str:
    return f"`{row['measure']}`" + (f" of {row['case']}" if row["case"] else "")


def _importance(item: tuple[str, list[Row]]) -> tuple[bool, bool]:
    """What is required first, then what changes."""
    return item[1][0]["required"] != "True", all(row["verdict"] == verdicts.MOVED for row in item[1])


def _moving(name: str, moved: list[Row]) -> str:
    """What one measure does: "`height_m` moves by 3.1 bands under option.timestep=0.004"."""
    changes = any(row["verdict"] == verdicts.CHANGED for row in moved)
    engines = next((row["moved_in"] for row in moved if row["moved_in"]), "")
    others = [row["variation"] for row in moved if not row["moved_in"]]
    places = [*([engines] if engines else []), *([f"under {_variations(others)}"] if others else [])]
    how_far = "" if changes else _how_far(moved)
    return f"{name} {'changes' if changes else 'moves'}{how_far} {' and '.join(places)}"


def _how_far(moved: list[Row]) -> str:
    """How far a number moves: in bands, or by how much where it has none or so many that their number says nothing."""
    up_to = " up to" if len(moved) > 1 else ""
    widths, apart = ([float(row[column]) for row in moved if row[column]] for column in ("widths", "apart"))
    if widths and max(widths) < BANDS:
        number = f"{max(widths):.{2 if max(widths) < 10 else 3}g}"
        return f" by{up_to} {number} band{'s' if number != '1' else ''}"
    return f" by{up_to} {max(apart):.2g}" if apart else ""


def _listed(names: Iterable[str]) -> str:
    """Names as a sentence lists them, the first few, and how many more there are."""
    names = list(names)
    if len(names) > TOLD:
        names = [*names[: TOLD - 1], f"{len(names) - TOLD + 1} more"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _variations(names: list[str]) -> str:
    """Variations as a sentence lists them: by name, or where they are many how many of each axis."""
    if len(names) <= TOLD:
        return _listed(names)
    by_axis: dict[str, list[str]] = {}
    for name in names:
        by_axis.setdefault(name.partition("=")[0], []).append(name)
    return _listed(some[0] if len(some) == 1 else f"{len(some)} values of {axis}" for axis, some in by_axis.items())


def _unknown(found: list[Row]) -> str:
    """Under which variations runs ended before they told anything, and how."""
    told = ""
    for status in ended.ENDED:
        names = dict.fromkeys(row["variation"] for row in found if row["verdict"] == status)
        whole = [name for name in names if all(row["verdict"] == status for row in _of(name, found))]
        for some, how in ((whole, status), ([name for name in names if name not in whole], f"{status} in part")):
            told += f"; {_variations(some)} {how}" if some else ""
    return told


def broken(path: Path) -> str | None:
    """The one line in which an audit fails: the first required measure that does not hold; None where all of them do.

    What is not known does not hold either.
    """
    least = verdicts.rank(verdicts.WITHIN_BAND)
    wrong = [row for row in rows(path) if row["required"] == "True" and verdicts.rank(row["verdict"]) > least]
    if not wrong:
        return None
    more = f"; and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    return f"required {_named(wrong[0])} does not hold under {wrong[0]['variation']}: {_values(wrong[0])}{more}, in {path}"


def _values(row: Row) -> str:
    """A verdict with the two values behind it, of outcomes over several runs with how many succeed, or why there is none."""
    if not row["value_here"]:
        return f"{row['verdict']}, {row['why']}" if row["why"] else row["verdict"]
    pairs = int(row["pairs"] or 0)
    counts = f", true in {row['there_successes']} -> {row['here_successes']} of {pairs} runs" if pairs > 1 else ""
    return f"{row['verdict']}, {row['reference_value']} -> {row['value_here']}{counts}"


# Over timesteps


def timestep_sentence(path: Path) -> str:
    """Which timestep suffices: "option.timestep=0.001 is the largest that suffices for 3 measures"."""
    by_measure: dict[str, list[Row]] = {}
    for row in rows(path):
        by_measure.setdefault(f"`{row['measure']}`", []).append(row)
    enough = [min(float(row["suffices_s"]) for row in found) for found in by_measure.values() if _suffice(found)]
    wanting = [f"{name} {_wanting(found)}" for name, found in by_measure.items() if not _suffice(found)]
    more = f"; and {len(wanting) - TOLD} more" if len(wanting) > TOLD else ""
    of = f"{len(enough)} of {_counted(len(by_measure), 'measure')}" if wanting else _counted(len(enough), "measure")
    told = f"option.timestep={min(enough):g} is the largest that suffices for {of}" if enough else "No timestep suffices"
    return "; ".join([told, *wanting[:TOLD]]) + more


def _suffice(found: list[Row]) -> bool:
    return all(row["suffices_s"] for row in found)


def _wanting(found: list[Row]) -> str:
    """Why no timestep suffices for a measure, at the first place of the grid where none does."""
    row = next(row for row in found if not row["suffices_s"])
    place = f" at {row['place']}" if row["place"] else ""
    if row["verdict"] in (convergence.CONVERGES, convergence.NOISE):
        return f"needs a finer one{'' if row['allowed'] else ', or a tolerance'}{place}"
    if row["verdict"] in (convergence.OSCILLATES, convergence.DIVERGES, convergence.UNSETTLED):
        return f"does not converge ({row['verdict']}){place}"
    return f"has {row['verdict']}{place}" if row["verdict"] == convergence.TOO_FEW else f"{row['verdict']}{place}"
