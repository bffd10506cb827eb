"""The captions of the report as text, and the tables that they speak of."""

from types import SimpleNamespace

import jinja2
import pandas as pd
import pytest
from conftest import PROJECT

from records import tables
from records.headline import WITHIN_PLACEMENT

DEFAULT, STIFF = "0.02 1", "0.005 1"  # solref


def caption(name: str, **wildcards: str) -> str:
    """A caption as Snakemake fills it in, in one line; the settings that it would name are left out."""
    text = (PROJECT / f"workflow/report/{name}.rst").read_text(encoding="utf-8")
    job = SimpleNamespace(wildcards=wildcards, params=SimpleNamespace(settings=[], machine="", tolerance=""))
    return " ".join(jinja2.Environment().from_string(text).render(snakemake=job).split())


def table(name: str) -> pd.DataFrame:
    """A table that the published settings have made in this folder; where it is missing the test is skipped."""
    path = PROJECT / f"results/{name}.csv"
    if not path.is_file():
        pytest.skip(f"results/{name}.csv is not there: `make report` makes it")
    return tables.read(path)


def listed(values) -> str:
    """Numbers as a sentence lists them: "0.5, 1 and 3"."""
    *first, last = [f"{value:g}" for value in sorted(values)]
    return f"{', '.join(first)} and {last}" if first else last


def chosen(rows: pd.DataFrame, **values) -> pd.DataFrame:
    for axis, value in values.items():
        rows = rows[rows[axis] == value]
    return rows


def drops(sweep: str, mode: str, **values) -> list[float]:
    """The timesteps at which drops end in a failure mode ("none": kept)."""
    return sorted(set(chosen(table(sweep), failure_mode=mode, **values)["dt_ms"]))


def verdicts(**values) -> dict[str, int]:
    """The numbers of the default target: what is within placement, which a table on request shows, differs there."""
    counts = chosen(table("ledger"), **values)["verdict"].replace(WITHIN_PLACEMENT, "differs").value_counts()
    return {name: int(counts.get(name, 0)) for name in ("exact", "within", "differs", "timing")} | {"all": int(counts.sum())}


def flung() -> tuple[int, int, int]:
    rows = table("grasp_solver")
    stock = rows["iterations"] == rows["iterations"].min()
    return rows["flung"][stock].sum(), rows["flung"][~stock].sum(), rows["n"][stock].sum()
