"""Put the outcomes of the sweeps on two architectures beside the published ones: what belongs to the machine?"""

import argparse
import platform
from pathlib import Path

import pandas as pd

from records import engines, script, settings, tables
from records.ledger import select

PUBLISHED = "published"
COUNTS = ["held", "not_closed", "dropped"]
MEASURED = ["outcome", "n", *COUNTS, "flung", "squeeze_N"]
CONVERGED = "grasp_converged"
TRIES = 10  # of every published value


def axes_of(table: pd.DataFrame) -> list[str]:
    """The axes that the table of a sweep begins with, before what was measured."""
    first = "successes" if "successes" in table else "impact_speed_m_per_s"
    return [axis for axis in table.columns[: table.columns.get_loc(first)] if axis != "engine"]


def published(table: pd.DataFrame, claims: pd.DataFrame, defaults: dict[str, str]) -> pd.DataFrame:
    """The rows of a table for which something is published, with that in place of what was measured.

    Part C of lesson 16 prints no counts but the outcome of all ten tries.
    """
    told = table.assign(**dict.fromkeys(table.columns.intersection([*MEASURED, "engine"])))
    for claim in claims[claims["column"].isin(told.columns.intersection(MEASURED))].to_dict("records"):
        rows = select(table, claim["case"], defaults).index
        told.loc[rows, claim["column"]] = None if claim["published"] == "none" else settings.from_word(claim["published"])
        told.loc[rows, "engine"] = claim["engine"]
    for count in told.columns.intersection(COUNTS):
        alike = told[count].isna() & told["outcome"].notna()
        told.loc[alike, count] = TRIES * (told["outcome"] == count.replace("_", " "))[alike]
    if "n" in told:
        told["n"] = told[COUNTS].sum(axis=1, min_count=len(COUNTS))
    return told[told["engine"].notna()]


def everywhere(name: str, found: dict[str, dict[str, pd.DataFrame]], claims: pd.DataFrame, defaults: dict) -> pd.DataFrame:
    """The rows of one table: published, if it is of the stock solver, then by engine; `place` numbers those of one value."""
    own = next(tables_of for engine, tables_of in found.items() if not engines.split(engine)[1])
    stock = "grasp_summary" if name == CONVERGED else name
    parts = {} if name == CONVERGED else {PUBLISHED: published(own[name], claims[claims["table"] == name], defaults)}
    parts |= {engines.split(engine)[1] or platform.machine(): tables_of[name] for engine, tables_of in found.items()}
    columns = [*axes_of(own[stock]), "engine", *own[name].columns.intersection(MEASURED)]
    told = pd.concat([part[columns].assign(architecture=where, place=part.index) for where, part in parts.items()])
    told["solver"] = "converged" if name == CONVERGED else "stock"
    return told if "sweep" in told else told.assign(sweep=name)


def architectures(found: dict[str, dict[str, pd.DataFrame]], claims: pd.DataFrame, defaults: dict[str, str]) -> pd.DataFrame:
    """All rows, those of one value together; `found` has the tables of each engine by name."""
    names = list(next(iter(found.values())))
    table = pd.concat([everywhere(name, found, claims, defaults) for name in names], ignore_index=True)
    sweeps = {sweep: rank for rank, sweep in enumerate(table["sweep"].unique())}
    table = table.sort_values(["sweep", "place"], key=lambda column: column.replace(sweeps), kind="stable")
    last = ["solver", "architecture", "engine", *MEASURED]
    axes = [column for column in table if column not in ("sweep", "place", *last)]
    return table[["sweep", *axes, *last]].astype(dict.fromkeys(("n", *COUNTS, "flung"), "Int64"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", required=True, help="what the sources print, CSV")
    parser.add_argument("--columns", required=True, help="the table and column that measures each quantity, CSV")
    parser.add_argument("--tables", required=True, nargs="+", type=Path, help="the measured tables, CSV, in a folder an engine")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    parser.add_argument("--defaults", nargs="+", default=[], help="axis=value for what a case calls default")
    arguments = parser.parse_args()
    read = {"dtype": str, "keep_default_na": False}
    where = pd.read_csv(arguments.columns, **read).drop(columns="case")
    claims = pd.read_csv(arguments.claims, **read).merge(where, on=["document", "section", "quantity"])
    found: dict[str, dict[str, pd.DataFrame]] = {}
    for path in arguments.tables:
        found.setdefault(path.parent.name, {})[path.stem] = tables.read(path)
    defaults = {axis: str(tables.readable(value)) for axis, value in settings.from_words(arguments.defaults).items()}
    tables.write(architectures(found, claims, defaults), arguments.out)


if __name__ == "__main__":
    script.run(main)
