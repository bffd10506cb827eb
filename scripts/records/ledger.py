"""Published numbers beside measured ones: which row of which table measures a number, and what becomes of it."""

import re
from decimal import Decimal

import pandas as pd

from contactlab.limit import TIMED_OUT
from records import settings

COLUMNS = [
    "document", "section", "case", "quantity", "published", "measured", "band",
    "unit", "kind", "verdict", "cause", "target", "engine", "machine",
    "emulated_engine", "emulated_measured", "emulated_verdict",
    "cause_kind", "comes_out", "emulated_band",
]  # fmt: skip
CLAIM = ["document", "section", "case", "quantity"]
PLACE = ["document", "section", "quantity"]  # what a column is measured for
SUM = "sum of "  # before columns that are added up over all rows of a case
UNITS = ("kg", "N", "Nm", "m", "cm", "mm", "s", "ms", "us", "rad", "bytes")

Band = tuple[float, float]


def as_printed(published: str, measured: float, note: str = "") -> Decimal:
    """`measured`, rounded as `published` is printed.

    The digits behind the point count, or the significant ones where the note names their number or the number has an exponent.
    """
    significant = re.search(r"(\d+) significant digits", note)
    mantissa, exponent, _ = published.partition("e")
    decimals = len(mantissa.partition(".")[2])
    return Decimal(format(measured, f".{significant[1]}g" if significant else f".{decimals}{'e' if exponent else 'f'}"))


def verdict(kind: str, published: str, measured, note: str = "", bands: tuple[Band | None, ...] = (None,)) -> str:
    """The verdict on a measured value, None for what did not happen: "exact", "within", "differs" or "timing".

    A pair of numbers is an interval. A band is the lowest and the highest value over runs from starts moved by a hair, one for
    each number.
    """
    if kind == "timing":
        return "timing"
    if kind == "label" or measured is None or isinstance(measured, str):
        return "exact" if label(measured) == published else "differs"
    if kind == "interval" and not isinstance(measured, tuple):
        low, high = (float(end) for end in published.split(".."))
        return "within" if low <= measured <= high else "differs"
    if kind == "below" and measured <= float(published):
        return "exact" if as_printed(published, measured, note) == Decimal(published) else "within"
    values = measured if isinstance(measured, tuple) else (measured,)
    parts = [number_verdict(*part, note) for part in zip(published.split(".."), values, bands, strict=True)]
    return next(found for found in ("differs", "within", "exact") if found in parts)


def number_verdict(published: str, measured: float, band: Band | None, note: str) -> str:
    """One number: equal at the printed digits, or printed inside its band."""
    if as_printed(published, measured, note) == Decimal(published):
        return "exact"
    if band and as_printed(published, band[0], note) <= Decimal(published) <= as_printed(published, band[1], note):
        return "within"
    return "differs"


def label(measured) -> str:
    """The word that stands for a measured value in the published tables."""
    if isinstance(measured, bool):
        return "yes" if measured else "no"
    return "none" if measured is None else str(measured)


def conditions(case: str) -> list[tuple[str, str, str]]:
    """Axis, sign and value of each part of a case such as "dt_ms=1;solref=default" or "mu<=0.03"."""
    parts = (re.fullmatch("([^=<]+)(<?=)(.*)", part) for part in case.split(";"))
    return [part.groups() for part in parts if part]


def select(table: pd.DataFrame, case: str, defaults: dict[str, str]) -> pd.DataFrame:
    """The rows of `table` for which a case holds, see `conditions`. Raises ValueError for an unknown axis."""
    for axis, sign, value in conditions(case):
        name = next((name for name in (axis, *(f"{axis}_{unit}" for unit in UNITS)) if name in table), None)
        if name is None:
            raise ValueError(f"case {case!r}: the table has no column {axis}; it has {', '.join(table)}")
        value = defaults.get(axis, value) if value == settings.DEFAULT else value
        table = table.loc[[holds(found, sign, value) for found in table[name]]]
    return table


def holds(found, sign: str, value: str) -> bool:
    """Whether a value of a table is what a case says, or with the sign "<=" at most that."""
    return float(found) <= float(value) if sign == "<=" else same(found, value)


def same(found, value: str) -> bool:
    """Whether a value of a table is what a case says: the same word, or the same number."""
    if label(found) == value:
        return True
    try:
        return float(found) == float(value)
    except ValueError:
        return False


def asked(rows: pd.DataFrame, claim: pd.Series, defaults: dict[str, str]) -> pd.DataFrame:
    """The rows that measure a claim: those of its case.

    A table in long form, with a column `quantity`, is asked of the claim's quantity, with or without a unit behind it, and of
    its section if the table has sections. A table with a column `case` is asked of the whole case, as not every case is pairs.
    """
    if "quantity" in rows:
        rows = rows[rows["quantity"].isin([claim["quantity"], *(f"{claim['quantity']}_{unit}" for unit in UNITS)])]
        rows = rows[rows["section"] == claim["section"]] if "section" in rows else rows
    if "case" in rows:
        return rows[rows["case"] == claim["case"]] if claim["case"] else rows
    return select(rows, claim["case"], defaults)


def measure(claim: pd.Series, column: str, table: pd.DataFrame, defaults: dict[str, str]) -> dict:
    """Measured value, band, engine and verdict of one claim; "unmeasured" where no row is its case or a cell of one timed out.

    `column` is as `value_of` has it.
    """
    rows = asked(of_engine(table, claim["engine"]), claim, defaults)
    if not are_measured(rows):
        return {"verdict": "unmeasured"}
    bands = tuple(band_of(rows, name, claim) for name in column.split(".."))
    value = value_of(rows, column, claim)
    return {
        "measured": shown(value),
        "band": " and ".join(shown(band) for band in bands if band),
        "engine": rows["engine"].iloc[0],
        "verdict": verdict(claim["kind"], claim["published"], value, claim["note"], bands),
    }


def are_measured(rows: pd.DataFrame) -> bool:
    """Whether there are rows, and no cell of them timed out."""
    timed_out = (rows.filter(["outcome"]) == TIMED_OUT).any(axis=None) or rows.filter(["timed_out"]).any(axis=None)
    return not (rows.empty or timed_out)


def of_engine(table: pd.DataFrame, engine: str) -> pd.DataFrame:
    """The rows of the engine that a number was published with, or of the only engine that the table has; else none."""
    return table if table["engine"].nunique() == 1 else table[table["engine"] == engine]


def value_of(rows: pd.DataFrame, column: str, claim: pd.Series):
    """The value of a column in the rows of a case, None where it is empty; "low..high" names the two ends of an interval.

    "sum of first - second" adds a column up over all rows, less another one.
    """
    if column.startswith(SUM):
        first, second = (rows[name].sum().item() if name else 0 for name in terms(column))
        return first - second
    values = tuple(only(rows, name, claim) for name in column.split(".."))
    return values[0] if len(values) == 1 else values


def terms(column: str) -> tuple[str, str]:
    """The column that is added up, and the one that is taken off, if any."""
    first, _, second = column.removeprefix(SUM).partition(" - ")
    return first, second


def band_of(rows: pd.DataFrame, column: str, claim: pd.Series) -> Band | None:
    """The band of a column's value where the table has one.

    That of a sum runs over the bands of its rows, which are runs of their own, and over the value of a row that has none; of
    "first - second" only the second has a band.
    """
    if column.startswith(SUM):
        first, second = terms(column)
        known = rows.filter([f"{second or first}_low", f"{second or first}_high"])
        if known.shape[1] < 2 or known.isna().all(axis=None):
            return None
        low, high = (known[name].fillna(rows[second or first]).sum() for name in known)
        ends = (rows[first].sum() - high, rows[first].sum() - low) if second else (low, high)
        return tuple(int(end) if end == int(end) else float(end) for end in ends)
    ends = (f"{column}_low", f"{column}_high")
    found = tuple(only(rows, end, claim) for end in ends) if set(ends) <= set(rows) else (None, None)
    return None if None in found else found


def only(rows: pd.DataFrame, column: str, claim: pd.Series):
    """The one value that `rows` have in `column`, None where it is empty. Raises ValueError where they disagree."""
    values = [None if pd.isna(value) else value for value in rows[column].drop_duplicates()]
    if len(values) > 1:
        raise ValueError(f"{claim['document']} {claim['section']} {claim['case']}: {column} has several values {values}")
    value = values[0].item() if hasattr(values[0], "item") else values[0]
    return settings.from_word(value) if isinstance(value, str) else value  # words and numbers share a column in long form


def shown(value) -> str:
    """A measured value as the ledger writes it."""
    if isinstance(value, tuple):
        return "..".join(shown(end) for end in value)
    return label(value) if value is None or isinstance(value, bool | str) else repr(value)


def answers(claims: pd.DataFrame, columns: pd.DataFrame, tables_by_name: dict, defaults: dict) -> pd.DataFrame:
    """What the tables answer to every claim.

    The columns' `case` is a case in the table's words where they are not the claim's; "{case}" in it is the claim's.
    """
    where = {(row.document, row.section, row.quantity): row for row in columns.itertuples()}
    rows = []
    for _, claim in claims.iterrows():
        place = where.get((claim["document"], claim["section"], claim["quantity"]))
        if place is None or place.table not in tables_by_name:
            timed_elsewhere = place is None and claim["kind"] == "timing"  # by `make bench`, which needs a quiet machine
            rows.append({"verdict": "timing" if timed_elsewhere else "unmeasured"})
        else:
            case = place.case.format(case=claim["case"]) if place.case else claim["case"]
            rows.append(measure(pd.Series({**claim, "case": case}), place.column, tables_by_name[place.table], defaults))
    blank = {"measured": "", "band": "", "engine": ""}
    return pd.DataFrame([blank | row for row in rows], index=claims.index)


def ledger(
    claims: pd.DataFrame, columns: pd.DataFrame, tables_by_name: dict, defaults: dict, emulated: dict | None = None
) -> pd.DataFrame:
    """One row for every claim, none left out; `emulated` has the tables of an emulated engine, where it has run."""
    told = claims.drop(columns="engine").join(answers(claims, columns, tables_by_name, defaults))
    elsewhere = answers(claims, columns, emulated or {}, defaults).replace({"verdict": {"unmeasured": ""}})
    return told.assign(**{f"emulated_{name}": elsewhere[name] for name in ("engine", "measured", "band", "verdict")})
