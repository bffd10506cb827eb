"""The same cells on several MuJoCo versions: their table and figure in the workflow."""

from collections import Counter

from conftest import PROJECT, PUBLISHED, SMALL

from records import files, tables

CONFIG = SMALL | {
    "drop": {
        "sweeps": {
            "timestep": {"engine": ["3.17.0"], "dt_ms": [8, 10]},
            "discrete": {"engine": ["3.17.0"], "dt_ms": [8], "integrator": ["discrete"]},
        }
    },
    "controls": {"engine": ["3.11.0"], "state": {"field": ["qpos"], "autoreset": ["disable"]}},
    "engines": {"compare": ["3.11.0", "3.17.0"]},
}
PICK = {axis: values[:1] for axis, values in PUBLISHED["pick"]["sweeps"]["mass"].items()}
ONE_PICK = {"sweeps": {"mass": PICK}, "nominal": PICK, "checks": []}


def test_a_drop_that_the_version_decides(workflow):
    """At 8 ms MuJoCo 3.11.0 never finds the table that 3.17.0, as published, lands on; at 10 ms they share every bit."""
    workflow.configure(CONFIG | {"pick": ONE_PICK})
    made = workflow.executed("figures/engines.png", "figures/engines.svg")
    assert (made["drop_run"], made["pick_run"], made["controls_run"]) == (5, 2, 2)
    table = tables.read(workflow.folder / "results/engines.csv").set_index(["cell", "engine"])
    lost = table.loc["dt_ms=8", "3.11.0"]
    assert (lost["published_outcome"], lost["outcome"], lost["failure_mode"]) == ("kept", "passed", "missed contact")
    assert (lost["change"], lost["first_different_step"]) == ("changed", 57)
    assert "outcome changed; failure_mode changed; " in lost["changed_measures"]
    assert list(table.xs("3.17.0", level="engine")["change"].unique()) == ["same bits", "not here", "moved"]
    assert table.loc[("dt_ms=10", "3.11.0"), "change"] == "same bits"
    for cell, engine in (("dt_ms=8 integrator=discrete", "3.11.0"), ("dt_ms=8 speculative=true", "3.17.0")):
        assert table.loc[(cell, engine), "change"] == "not here"
    bad = table.loc["field=qpos autoreset=disable", "3.17.0"]
    assert "badqpos_peak 1000 -> 500" in bad["changed_numbers"]
    page = (PROJECT / "results/README.md").read_text(encoding="utf-8")
    assert [column for column in table.reset_index() if f"`{column}`" not in page] == []

    assert workflow.executed("figures/engines.png") == Counter()

    # What is compared is the run that the tables are made from, digest included.
    plain, marked = (f"results/{part}/3.17.0/dt_ms=8.json" for part in ("drop", "marks/drop"))
    assert workflow.executed(plain) == Counter(drop_run=1)
    marked = files.read_json(workflow.folder / marked)
    assert marked.pop("marks")
    assert marked == files.read_json(workflow.folder / plain)


def test_which_published_drops_depend_on_the_version(workflow):
    """Lesson 02's 50 outcomes, as published, on three versions, and with the speculative flag of the last."""
    config = {name: PUBLISHED[name] for name in ("stepping", "drop", "engines")}
    workflow.configure(config | {"pick": ONE_PICK})
    workflow.executed("results/engines.csv")
    table = tables.read(workflow.folder / "results/engines.csv").query("experiment == 'drop'")
    assert table["published_outcome"].notna().all()
    flipped = table[table["outcome"].notna() & (table["outcome"] != table["published_outcome"])]
    cells = {engine: set(rows["cell"]) for engine, rows in flipped.groupby("engine")}
    assert cells["3.11.0"] == {
        "dt_ms=2", "dt_ms=8", "dt_ms=8 solref=0.005_1", "dt_ms=2 integrator=implicitfast", "dt_ms=8 integrator=implicitfast"
    }  # fmt: skip
    assert set(flipped["engine"]) == {"3.11.0", "4.0.0"}
    assert all(cell.endswith("speculative=true") for cell in cells["4.0.0"])
    speculative = table[(table["engine"] == "4.0.0") & (table["cell"] != table["reference_cell"])].query("sweep == 'timestep'")
    passed = speculative[speculative["outcome"] == "passed"]
    assert list(passed["cell"]) == ["dt_ms=0.5 speculative=true", "dt_ms=1 speculative=true"]
    plain = table[(table["engine"] == "4.0.0") & (table["cell"] == table["reference_cell"])]
    assert set(plain["change"]) == {"same digits"}
