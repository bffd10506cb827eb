"""The sweeps on several architectures beside the published numbers and each other, one row for each value and architecture."""

import itertools

import pandas as pd

from records import engines, printed, settings, tables, verdicts
from records.ledger import select
from records.printed import NONE, Declaration, Run

Tables = dict[str, pd.DataFrame]  # by name

PUBLISHED = "published"
VERDICTS = ["verdict", "changed_measures", "published_verdict", "published_changed_measures"]


def measures_of(declaration: Declaration) -> dict:
    """The measures of a table's row: over repeats where the experiment declares them, else those of a cell."""
    return declaration.get("summary", declaration)["measures"]


def axes_of(table: pd.DataFrame, declaration: Declaration) -> list[str]:
    """The axes that a table begins with, and the name of the sweep where it has one."""
    axes = itertools.takewhile(lambda column: column in ("sweep", "engine", *declaration["axes"]), table.columns)
    return [axis for axis in axes if axis != "engine"]


def rows_of(table: pd.DataFrame) -> dict[int, dict]:
    """The rows of a table by their place; what is missing is None."""
    return table.astype(object).where(table.notna(), None).to_dict("index")


def published(table: pd.DataFrame, claims: pd.DataFrame, declaration: Declaration) -> dict[int, dict]:
    """What is published of the rows of a table, as it is printed, by their place, and the engine it was published with.

    Where nothing but the outcome of all tries is printed, it counts as often as there are tries.
    """
    told: dict[int, dict] = {}
    measures = measures_of(declaration)
    defaults = {axis: str(tables.readable(value)) for axis, value in declaration["defaults"].items()}
    for claim in claims[claims["column"].isin(table.columns.intersection(list(measures)))].to_dict("records"):
        for place in select(table, claim["case"], defaults).index:
            told.setdefault(place, {}).update({claim["column"]: claim["published"], "engine": claim["engine"]})
    counted = {name: how["counts"] for name, how in measures.items() if "counts" in how}
    for row in told.values():
        if counted and "outcome" in row:
            tries = declaration["summary"]["tries"]
            row.update({name: str(tries * (row["outcome"] == word)) for name, word in counted.items() if name not in row})
        if counted and counted.keys() <= row.keys():
            row["n"] = str(sum(int(row[name]) for name in counted))
    return told


def against_own(row: dict, own: dict, measures: dict) -> dict:
    """The verdict on a row of another architecture beside the machine's own."""
    found = verdicts.compare(printed.row_of(row, measures), printed.row_of(own, measures), measures)
    return {"verdict": found.verdict, "changed_measures": found.changed_measures()}


def against_published(row: dict, told: dict) -> dict:
    """The verdict on a row beside what is published of it, with as many digits as are printed there."""
    words = {name: word for name, word in told.items() if name != "engine"}
    digits = {name: {"digits": f".{len(word.partition('.')[2])}f"} if "." in word else {} for name, word in words.items()}
    found = verdicts.compare(Run(printed.words(row, digits)), Run(words), {}, shared=True)
    return {"published_verdict": found.verdict, "published_changed_measures": found.changed_measures()}


def everywhere(name: str, stock: str, found: dict[str, Tables], claims: pd.DataFrame, declaration: Declaration) -> list[dict]:
    """The rows of one table: published, if it is of the stock solver, then by engine; `place` numbers those of one value."""
    machine = next(engine for engine in found if not engines.split(engine)[1])
    own, axes = found[machine][name], axes_of(found[machine][stock], declaration)
    beside, columns = rows_of(own), [*axes, *measures_of(declaration), "truncated"]
    told = published(own, claims[claims["table"] == name], declaration) if name == stock else {}
    known, rows = {"sweep": name, "solver": "stock" if name == stock else "converged"}, []
    for place, words in told.items():
        shown = {column: None if word == NONE else settings.from_word(word) for column, word in words.items()}
        axis, where = {axis: beside[place][axis] for axis in axes}, {"architecture": PUBLISHED, "place": place}
        rows.append(known | axis | shown | where | {"engine": words["engine"]})
    for engine, tables_of in found.items():
        for place, row in rows_of(tables_of[name]).items():
            compared = against_own(row, beside[place], measures_of(declaration)) if engine != machine else {}
            compared |= against_published(row, told[place]) if place in told else {}
            where = {"architecture": engines.split(engine)[1] or engines.own_architecture(), "place": place, "engine": engine}
            rows.append(known | {column: row[column] for column in columns if column in row} | where | compared)
    return rows


def architectures(found: dict[str, Tables], experiments: dict[str, Declaration], claims: pd.DataFrame) -> pd.DataFrame:
    """All rows, those of one value together.

    `found` has the tables of each engine by name, `experiments` what the experiment of each table declares.
    """
    repeated = sorted(experiments.values(), key=lambda declaration: "summary" not in declaration)
    stocks = {name: stock for declared in repeated for name, stock in declared.get("summary", {}).get("converged", {}).items()}
    rows = [everywhere(name, stocks.get(name, name), found, claims, declared) for name, declared in experiments.items()]
    table = pd.DataFrame([row for of_table in rows for row in of_table])
    sweeps = {sweep: rank for rank, sweep in enumerate(table["sweep"].unique())}
    table = table.sort_values(["sweep", "place"], key=lambda column: column.replace(sweeps), kind="stable")
    measures = {name: how for declared in repeated for name, how in measures_of(declared).items() if name in table}
    last = ["solver", "architecture", "engine", *measures, "truncated", *VERDICTS]
    axes = [column for column in table if column not in ("sweep", "place", *last)]
    numbers = table[[*measures]].select_dtypes("number")
    whole = {name: "Int64" for name in numbers if "digits" not in measures[name]}
    return table.reindex(columns=["sweep", *axes, *last]).astype(whole)
