"""Why published numbers differ: a cause names its kind and the table that shows it, and its numbers are read there.

    exchanged    two numbers of one message stand in each other's place
    placement    the number depends on a placement that is printed with an error
    truncation   the number is decided where the solver stops iterating

A cause that its table speaks against is *refuted*. Without its table it is told without numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pandas as pd

from records import settings, verdicts
from records.headline import COME_OUT, WITHIN_PLACEMENT
from records.ledger import CLAIM, PLACE, are_measured, asked, band_of, of_engine, shown, value_of, verdict

REFUTED = "refuted"
POWERS = {"m": 0, "cm": -2, "mm": -3}  # of ten, of lengths in m
LIMITS = ("iterations", "ls_iterations")  # at which the solver stops


@dataclass(frozen=True)
class Found:
    """What a table says of a cause: whether it speaks for it, and its numbers in words."""

    holds: bool
    numbers: str


@dataclass(frozen=True)
class Kind:
    """A kind of cause: what it says, and how its table is looked at.

    look: told the ledger's row of a number with its cause, the rows and the column of the table, and what is printed as limit
    verdict: that of a number which differs for such a cause, where the table speaks for it
    """

    says: str
    look: Callable[[pd.Series, pd.DataFrame, str, pd.Series | None], Found]
    verdict: str = "differs"


def exchanged(row: pd.Series, rows: pd.DataFrame, column: str, limit: pd.Series | None) -> Found:
    """Whether the other number of the message is nearer to what is printed."""
    other = value_of(rows, column, row)
    own, there = (abs(float(row["published"]) - float(value)) for value in (row["measured"], other))
    return Found(there < own, f"the other one is {other} {row['unit']} here, {there:g} from what is printed, unexplained")


def placement(row: pd.Series, rows: pd.DataFrame, column: str, limit: pd.Series) -> Found:
    """Whether the printed digits lie in the band over starts moved by no more than the printed error of the placement."""
    band, moved_m = band_of(rows, column, row), value_of(rows, "perturbation_size_m", row)
    allowed_m = float(Decimal(limit["published"]).scaleb(POWERS[limit["unit"]]))
    inside = verdict(row["kind"], row["published"], float(row["measured"]), row["note"], (band,)) in COME_OUT
    ranges = {"a hair": row["band"] and tuple(map(float, row["band"].split(".."))), f"{moved_m:g} m": band}
    told = ", ".join(f"by {moved} {said(ends)}" for moved, ends in ranges.items() if ends)
    return Found(inside and moved_m <= allowed_m, f"from starts moved {told}, where an error of {allowed_m:g} m is printed")


def truncation(row: pd.Series, rows: pd.DataFrame, column: str, limit: pd.Series | None) -> Found:
    """Whether anything printed changes with the solver run to its end: the rows with a verdict beside those without."""
    compared = rows["verdict"].notna()
    told = [
        f"{said(value_of(part, column, row))} with " + " and ".join(f"{part[name].iloc[0]} {name}" for name in LIMITS)
        for part in (rows[~compared], rows[compared])
    ]
    worst = verdicts.worst(rows.loc[compared, "verdict"])
    holds = verdicts.rank(worst) > verdicts.rank(verdicts.SAME_DIGITS)
    return Found(holds, f"{', '.join(told)}; from the one to the other the runs are {worst}{elsewhere(row)}")


def elsewhere(row: pd.Series) -> str:
    """What an emulated machine gives, where it has run."""
    beside = {"exact": ", as published", "within": ", with what is published in its band"}.get(row["emulated_verdict"], "")
    value = settings.from_word(row["emulated_measured"]) if row["emulated_measured"] else None
    return f"; {row['emulated_engine']} gives {said(value)}{beside}" if row["emulated_engine"] else ""


def said(value) -> str:
    """A value in a sentence: numbers to six digits, a pair of them as a range."""
    if isinstance(value, tuple):
        return "..".join(map(said, value))
    return f"{value:.6g}" if isinstance(value, float) else shown(value)


KINDS = {
    "exchanged": Kind("The two numbers of one message are taken for each other", exchanged),
    "placement": Kind(
        "Decided by a placement that is printed with an error, and only the source's own would give the digits",
        placement,
        WITHIN_PLACEMENT,
    ),
    "truncation": Kind("Decided where the solver stops iterating", truncation),
}


def explained(
    told: pd.DataFrame, causes: pd.DataFrame, columns: pd.DataFrame, tables_by_name: dict, defaults: dict
) -> pd.DataFrame:
    """A ledger with the cause of each difference, its kind and target, and where the number comes out, if anywhere.

    `causes` say of a claim the `kind` and the `target` that shows it; there the `column`, of a table in long form the quantity,
    if it is not the one that measures the claim, and the `rows`, a case in which "{case}" is the claim's; and which quantity is
    printed as its `limit`. Raises ValueError for a cause of a claim that does not exist, or of an unknown kind.
    """
    require_known(told, causes)
    causes = causes.rename(columns={"kind": "cause_kind", "column": "shown_in"})
    told = told.merge(causes, on=CLAIM, how="left", validate="1:1")
    told = told.merge(columns[[*PLACE, "column"]], on=PLACE, how="left").fillna("").assign(cause="")
    told.loc[told["verdict"] != "differs", ["cause_kind", "target"]] = ""
    for place, row in told[told["cause_kind"] != ""].iterrows():
        told.loc[place, ["cause", "verdict"]] = cause_of(row, told, tables_by_name.get(Path(row["target"]).stem), defaults)
    return told.assign(comes_out=[comes_out(*found) for found in zip(told["verdict"], told["emulated_verdict"], strict=True)])


def require_known(told: pd.DataFrame, causes: pd.DataFrame) -> None:
    """Raise ValueError for a cause of a claim that does not exist, or of an unknown kind."""
    unknown = causes.merge(told[CLAIM], on=CLAIM, how="left", indicator=True).query("_merge == 'left_only'")
    if len(unknown):
        raise ValueError(f"known differences: no such claim: {', '.join(unknown.iloc[0][CLAIM])}")
    for kind in set(causes["kind"]) - KINDS.keys():
        raise ValueError(f"known differences: the kind {kind!r}; allowed: {', '.join(KINDS)}")


def cause_of(row: pd.Series, told: pd.DataFrame, table: pd.DataFrame | None, defaults: dict) -> tuple[str, str]:
    """The cause of one difference in words, and the verdict with it."""
    kind = KINDS[row["cause_kind"]]
    rows, column = (pd.DataFrame(), "") if table is None else shown_by(table, row, defaults)
    if not are_measured(rows):
        return f"{kind.says}; no numbers before {row['target']} has them.", row["verdict"]
    limits = told[(told["document"] == row["document"]) & (told["quantity"] == row["limit"])]
    found = kind.look(row, rows, column, limits.iloc[0] if len(limits) else None)
    words = f"{kind.says}: {found.numbers}."
    return (words, kind.verdict) if found.holds else (f"{REFUTED}: {words}", row["verdict"])


def shown_by(table: pd.DataFrame, row: pd.Series, defaults: dict) -> tuple[pd.DataFrame, str]:
    """The rows and the column of a table that show the cause of a difference."""
    claim, column = row.copy(), row["shown_in"] or row["column"]
    claim["case"] = row["rows"].format(case=row["case"]) or row["case"]
    if "quantity" in table:
        claim["quantity"], column = column, "value"
    return asked(of_engine(table, row["engine"]), claim, defaults), column


def comes_out(verdict: str, emulated_verdict: str) -> str:
    """Where a number comes out: "here", "emulated", within its "placement" or "no"; empty for what is not judged."""
    if verdict in COME_OUT:
        return "here"
    if verdict not in ("differs", WITHIN_PLACEMENT):
        return ""
    return "emulated" if emulated_verdict in COME_OUT else "placement" if verdict == WITHIN_PLACEMENT else "no"
