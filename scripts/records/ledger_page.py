"""The ledger as the page of all results shows it: the headline, and what stands behind each of its rows."""

from collections import Counter

import pandas as pd

from records import headline, settings, tables
from records.ledger import PLACE, UNITS, conditions, holds, label

DIGITS = 8  # of a measured number, as many as any source prints; all of them stand behind the row


def headline_view(ledger: pd.DataFrame, documents: dict[str, str]) -> dict:
    """How many numbers come out in all and by document, the verdicts counted, and on what they were measured."""
    by_document = ledger.groupby("document", sort=False)
    return {
        "sentence": headline.sentence(ledger["comes_out"]),
        "all": verdict_counts(ledger),
        "documents": [{"document": documents.get(name, name)} | verdict_counts(rows) for name, rows in by_document],
        "machines": sorted({*ledger["machine"]} - {""}),
        "engines": sorted({*ledger["engine"]} - {""}),
    }


def verdict_counts(rows: pd.DataFrame) -> dict:
    """The numbers of a ledger's rows, `counts` by verdict, those that come `out` and the `total`."""
    counts = Counter(rows["verdict"])
    return {"counts": counts, "out": sum(counts[name] for name in headline.COME_OUT), "total": counts.total()}


def ledger_view(ledger: pd.DataFrame, columns: pd.DataFrame, made_of: dict[str, dict], documents: dict[str, str]) -> list[dict]:
    """The rows of the ledger, each with the table and column that measure it and with the cells behind it.

    `columns` says where each quantity is measured, `made_of` what a table was made of, see `Cells`.
    """
    cells = {path: Cells(**parts) for path, parts in made_of.items()}
    rows = ledger.merge(columns.rename(columns={"case": "words"}), on=PLACE, how="left").fillna("").to_dict("records")
    return [row | row_view(row, cells, documents) for row in rows]


def row_view(row: dict, cells: dict[str, "Cells"], documents: dict[str, str]) -> dict:
    """What the page says of a row beside what the ledger holds."""
    table = f"results/{row['table']}.csv"
    case = row["words"].format(case=row["case"]) or row["case"]
    return {
        "document": documents.get(row["document"], row["document"]),
        "shown": "..".join(rounded(part) for part in row["measured"].split("..")),
        "unit": "" if row["unit"] == "1" else row["unit"],
        "table": table if table in cells else "",  # nothing for one that this configuration does not make
        "cells": cells[table].of(case, row["engine"]) if table in cells else [],
    }


def rounded(text: str) -> str:
    """A number of the ledger to DIGITS digits; any other word as it is."""
    try:
        return f"{float(text):.{DIGITS}g}"
    except ValueError:
        return text


class Cells:
    """The cells that a table was made of: either their `paths`, or in a `folder` those of `grids`, each as words.

    `defaults`, as words, are the values of the axes that a grid does not move.
    """

    def __init__(self, paths: list[str] = (), folder: str = "", grids: list[list[str]] = (), defaults: list[str] = ()):
        self._defaults = {axis: tables.readable(value) for axis, value in settings.from_words(defaults).items()}
        self._axes = {path: {} for path in paths} | {
            f"{folder}/{engine}/{settings.cell_name(cell)}.json": {"engine": engine} | self._all_axes(cell)
            for words in grids
            for engine, cell in map(without_engine, settings.grid(settings.grid_from_words(words)))
        }

    def _all_axes(self, cell: dict) -> dict:
        moved = {axis: tables.readable(value) for axis, value in cell.items() if value != settings.DEFAULT}
        return self._defaults | moved

    def of(self, case: str, engine: str) -> list[str]:
        """The paths of the cells for which a case such as "dt_ms=1;solref=default" holds, as far as it names their axes."""
        asked = conditions(f"engine={engine};{case}")
        return [path for path, axes in self._axes.items() if all(self._holds(axes, *part) for part in asked)]

    def _holds(self, axes: dict, axis: str, sign: str, value: str) -> bool:
        name = next((name for name in (axis, *(f"{axis}_{unit}" for unit in UNITS)) if name in axes), None)
        value = label(self._defaults.get(name)) if value == settings.DEFAULT else value
        return name is None or holds(axes[name], sign, value)


def without_engine(cell: dict) -> tuple[str, dict]:
    """The engine of a cell of a grid, and its other axes."""
    return cell["engine"], {axis: value for axis, value in cell.items() if axis != "engine"}
