"""What the page of all results shows of tables, figures and the ledger."""

import json
import re

import pandas as pd
import pytest
from conftest import CHEAP, PROJECT, SCHEMA

from lib import schema
from records import audit_comparison, headline, page, settings, tables
from records.ledger_page import Cells, headline_view, ledger_view

CLAIMS, COLUMNS = (
    pd.read_csv(PROJECT / f"workflow/published/{name}.csv", dtype=str, keep_default_na=False) for name in ("claims", "columns")
)


def test_a_sentence_counts_what_comes_out(tmp_path):
    where = ["here", "here", "", "", "here"]
    assert headline.sentence([*where, "no"]) == "3 of 6 published numbers come out here"
    where += ["emulated", "emulated", "placement", "no"]
    told = headline.sentence(where)
    assert re.findall(r"\d+", told) == ["3", "9", "2", "1", "1"]
    assert "2 more on the emulated machine" in told
    assert "1 more within the placement" in told
    assert told.endswith("; 1 are left")
    ledger = tmp_path / "ledger.csv"
    pd.DataFrame({"comes_out": where, "cause": "a, b\nc"}).to_csv(ledger)
    assert headline.of_file(ledger) == told


def test_the_headline_counts_by_document_and_names_what_measured():
    ledger = CLAIMS.assign(verdict="exact", comes_out="here", machine="here", engine="3.17.0")
    ledger.loc[ledger["document"] == "grasp", ["verdict", "machine", "engine"]] = ["unmeasured", "", ""]
    view = headline_view(ledger, {"grasp": "lesson 16"})
    sizes = ledger["document"].value_counts()
    assert view["machines"] == ["here"]
    assert view["engines"] == ["3.17.0"]
    assert view["all"]["total"] == len(ledger)
    assert {row["document"]: (row["out"], row["total"]) for row in view["documents"]} == {
        "timestep": (sizes["timestep"],) * 2, "lesson 16": (0, sizes["grasp"]), "hygiene": (sizes["hygiene"],) * 2,
    }  # fmt: skip


def write(tmp_path, **columns) -> str:
    path = tmp_path / "table.csv"
    tables.write(pd.DataFrame(columns), path)
    return str(path)


def test_a_table_shows_what_tells_its_rows_apart_and_says_once_what_they_share(tmp_path):
    view = page.table_view(write(tmp_path, engine="3.17.0", dt_ms=[1, 2.5], z=[1 / 3, None], seen=[True, False], why=None))
    assert [column["name"] for column in view["columns"]] == ["dt_ms", "z", "seen"]
    assert [column["numeric"] for column in view["columns"]] == [True, True, False]
    assert view["rows"] == [["1", "0.333333", "True"], ["2.5", "", "False"]]
    assert view["shared"] == [("engine", "3.17.0"), ("why", "")]
    assert (view["lines"], view["width"]) == (2, 5)


def test_a_table_of_one_row_is_shared_as_a_whole(tmp_path):
    view = page.table_view(write(tmp_path, mu=[1.0], outcome=["held"]))
    assert view["rows"] == []
    assert view["shared"] == [("mu", "1"), ("outcome", "held")]


def test_an_altered_table_is_refused(tmp_path):
    path = write(tmp_path, mu=[1.0, 2.0])
    with open(path, "a", encoding="utf-8") as file:  # noqa: PTH123
        file.write("3.0\n")
    with pytest.raises(ValueError, match="is not what was written into it"):
        page.table_view(path)


def test_figures_and_tables_of_one_title_stand_together_and_none_is_lost(tmp_path):
    path = write(tmp_path, mu=[1.0, 2.0])
    png = PROJECT / "docs/img/timestep.png"
    described = {"caption": None, "wildcards": {}, "params": {}}
    results = [{"path": path, "title": title} | described for title in ("a", "b", "b")]
    results.append({"path": str(png), "title": "b"} | described)
    view = page.section_view({"title": "Drops", "results": results})
    assert [(result["title"], sorted(result)) for result in view["results"]] == [
        ("b", ["figure", "table", "title"]), ("a", ["table", "title"]), ("b", ["table", "title"]),
    ]  # fmt: skip
    figure = view["results"][0]["figure"]
    assert (figure["width"], figure["height"]) == (pytest.importorskip("PIL.Image").open(png).size)
    assert figure["alt"] == "b"


def test_a_section_with_verdicts_begins_with_what_they_say(tmp_path):
    row = dict.fromkeys(audit_comparison.COLUMNS, "") | {"measure": "a<b", "variation": "engine=4.0.0", "verdict": "changed"}
    path = write(tmp_path, **{name: [value] for name, value in row.items()})
    view = page.section_view(
        {
            "title": "Audits: bowl",
            "results": [{"path": path, "title": "verdicts", "caption": None, "wildcards": {}, "params": {}}],
        }
    )
    assert view["said"] == ["1 of 1 measure moves: <code>a&lt;b</code> changes under engine=4.0.0"]
    assert page.table_view(write(tmp_path, verdict=["changed"], measure=["b"]))["said"] is None


GRID = CHEAP["drop"]["sweeps"]["timestep"]
DROPS = {
    "folder": "results/drop",
    "grids": [settings.grid_to_words({**GRID, "solref": ["default", [0.005, 1]]})],
    "defaults": settings.to_words(schema.defaults(SCHEMA, "drop")),
}


@pytest.mark.parametrize(
    ("case", "cells"),
    [
        ("dt_ms=2;solref=default", ["dt_ms=2"]),
        ("dt_ms=2;solref=0.02 1", ["dt_ms=2"]),
        ("dt_ms=10.0;solref=0.005 1", ["dt_ms=10,solref=0.005_1"]),
        ("dt=25;integrator=Euler", ["dt_ms=25", "dt_ms=25,solref=0.005_1"]),
        ("dt_ms<=9;solref=default", ["dt_ms=2"]),
        ("dt_ms=3", []),
        ("integrator=RK4", []),
        ("stepper=rk4;dt_ms=2;solref=default", ["dt_ms=2"]),
    ],
)
def test_a_case_names_its_cells(case, cells):
    assert Cells(**DROPS).of(case, "3.17.0") == [f"results/drop/3.17.0/{cell}.json" for cell in cells]
    assert Cells(**DROPS).of(case, "4.0.0") == []


def test_a_row_of_the_ledger_has_its_table_column_and_cells():
    row = {"document": "timestep", "section": "experiment", "case": "dt_ms=2;integrator=Euler;solref=default"}
    row |= {"quantity": "lowest_centre", "measured": "0.1..29.600000000000001", "unit": "1", "engine": "3.17.0"}
    [view] = ledger_view(pd.DataFrame([row]), COLUMNS, {"results/timestep.csv": DROPS}, {"timestep": "lesson 02"})
    assert (view["document"], view["shown"], view["unit"]) == ("lesson 02", "0.1..29.6", "")
    assert (view["table"], view["column"]) == ("results/timestep.csv", "lowest_centre_cm")
    assert view["cells"] == ["results/drop/3.17.0/dt_ms=2.json"]


def test_every_published_number_has_a_place_on_the_page():
    ledger = CLAIMS.assign(measured="")
    view = ledger_view(ledger, COLUMNS, {}, {})
    assert [row["quantity"] for row in view] == list(ledger["quantity"])
    assert all(row["cells"] == [] for row in view)


def test_the_bundle_of_datatables_can_stand_in_a_page_that_asks_for_nothing():
    bundle = page.datatables()
    assert json.loads(json.dumps(bundle)) == bundle
    assert "DataTables" in bundle["js"]
    assert "</style" not in bundle["css"]
    assert "@import" not in bundle["css"]
    assert "url(http" not in bundle["css"]
