"""Put every published number beside the one measured here, with a verdict."""

import argparse
import re
from decimal import Decimal
from pathlib import Path

import pandas as pd

import tables
from contactlab import settings

COLUMNS = [
    "document", "section", "case", "quantity", "published", "measured",
    "unit", "kind", "verdict", "cause", "target", "engine", "machine",
]  # fmt: skip
CLAIM = ["document", "section", "case", "quantity"]


def equal_at_printed_digits(published: str, measured: float, note: str = "") -> bool:
    """Whether `measured`, printed as `published` is, gives the same number.

    The digits behind the point count, or the significant ones where the note names their number or the number has an exponent.
    """
    significant = re.search(r"(\d+) significant digits", note)
    mantissa, exponent, _ = published.partition("e")
    decimals = len(mantissa.partition(".")[2])
    form = f".{significant[1]}g" if significant else f".{decimals}{'e' if exponent else 'f'}"
    return Decimal(format(measured, form)) == Decimal(published)


def verdict(kind: str, published: str, measured, note: str = "") -> str:
    """ "exact", "within", "differs" or "timing" for a measured value, None standing for "did not happen"."""
    if kind == "timing":
        return "timing"
    if kind == "label" or measured is None or isinstance(measured, str):
        return "exact" if label(measured) == published else "differs"
    if kind == "interval":
        low, high = (float(end) for end in published.split(".."))
        return "within" if low <= measured <= high else "differs"
    if equal_at_printed_digits(published, measured, note):
        return "exact"
    return "within" if kind == "below" and measured <= float(published) else "differs"


def label(measured) -> str:
    """The word that stands for a measured value in the published tables."""
    if isinstance(measured, bool):
        return "yes" if measured else "no"
    return "none" if measured is None else str(measured)


def select(table: pd.DataFrame, case: str, defaults: dict[str, str]) -> pd.DataFrame:
    """The rows of `table` for which a case such as "dt_ms=1;solref=default" holds. Raises ValueError for an unknown axis."""
    for axis, value in (part.split("=") for part in case.split(";") if part):
        if axis not in table:
            raise ValueError(f"case {case!r}: the table has no column {axis}; it has {', '.join(table)}")
        value = defaults.get(axis, value) if value == settings.DEFAULT else value
        column = table[axis]
        matches = column == float(value) if pd.api.types.is_numeric_dtype(column) else column.astype(str) == value
        table = table[matches]
    return table


def measure(claim: pd.Series, column: str, table: pd.DataFrame, defaults: dict[str, str]) -> dict:
    """Measured value, engine and verdict of one claim; "unmeasured" where no row of the table is its case.

    A claim is asked of the engine it was published with, or of the only engine that the table has.
    """
    engine = claim["engine"] if claim["engine"] in set(table["engine"]) else None
    engine = engine or (table["engine"].iloc[0] if table["engine"].nunique() == 1 else None)
    rows = select(table[table["engine"] == engine], claim["case"], defaults)
    values = [None if pd.isna(value) else value for value in rows[column].drop_duplicates()]
    if len(values) > 1:
        raise ValueError(f"{claim['document']} {claim['section']} {claim['case']}: {column} has several values {values}")
    if not values:
        return {"verdict": "unmeasured"}
    value = values[0].item() if hasattr(values[0], "item") else values[0]
    shown = label(value) if value is None or isinstance(value, bool | str) else repr(value)
    return {
        "measured": shown,
        "engine": engine,
        "verdict": verdict(claim["kind"], claim["published"], value, claim["note"]),
    }


def ledger(
    claims: pd.DataFrame, columns: pd.DataFrame, causes: pd.DataFrame, tables_by_name: dict, defaults: dict
) -> pd.DataFrame:
    """One row for every claim, none left out. Raises ValueError for a cause of a claim that does not exist."""
    where = {(row.document, row.section, row.quantity): row for row in columns.itertuples()}
    rows = []
    for _, claim in claims.iterrows():
        place = where.get((claim["document"], claim["section"], claim["quantity"]))
        if place is None or place.table not in tables_by_name:
            rows.append({"verdict": "unmeasured"})
        else:
            rows.append(measure(claim, place.column, tables_by_name[place.table], defaults))
    blank = {"measured": "", "engine": ""}
    measured = pd.DataFrame([blank | row for row in rows], index=claims.index)
    told = claims.drop(columns=["engine", "note"]).join(measured).merge(causes, on=CLAIM, how="left", validate="1:1")
    unknown = causes.merge(claims[CLAIM], on=CLAIM, how="left", indicator=True).query("_merge == 'left_only'")
    if len(unknown):
        raise ValueError(f"known differences: no such claim: {', '.join(unknown.iloc[0][CLAIM])}")
    told.loc[told["verdict"] != "differs", ["cause", "target"]] = ""
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", required=True, help="what the sources print, CSV")
    parser.add_argument("--columns", required=True, help="the table and column that measures each quantity, CSV")
    parser.add_argument("--causes", required=True, help="measured causes of known differences, CSV")
    parser.add_argument("--tables", required=True, nargs="*", type=Path, help="the measured tables, CSV")
    parser.add_argument("--machine", required=True, help="what the ledger calls this machine")
    parser.add_argument("--out", required=True, help="the ledger to write, CSV")
    parser.add_argument("--defaults", nargs="+", default=[], help="axis=value for what a case calls default")
    arguments = parser.parse_args()
    read = {"dtype": str, "keep_default_na": False}
    claims, columns, causes = (pd.read_csv(path, **read) for path in (arguments.claims, arguments.columns, arguments.causes))
    measured = {path.stem: pd.read_csv(path, dtype={"engine": str}) for path in arguments.tables}
    defaults = {axis: str(tables.readable(value)) for axis, value in settings.from_words(arguments.defaults).items()}
    table = ledger(claims, columns, causes, measured, defaults)
    table["machine"] = table["engine"].map(lambda engine: arguments.machine.removeprefix("machine ") if engine else "")
    tables.write(table[COLUMNS], arguments.out)


if __name__ == "__main__":
    main()
