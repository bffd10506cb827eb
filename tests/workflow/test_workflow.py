"""The workflow end to end, in a copy of the project."""

import os
import re
from collections import Counter

import configuration
import pandas as pd
import pytest
import yaml
from conftest import PROJECT, SCHEMA, rows
from ledger_table import ledger, select

from records import settings, tables

SMALL = {
    "stepping": {"engine": "3.17.0", "energy_steps": 50, "curve_points": 5, "dt_ms": [2, 25]},
    "drop": {
        "sweeps": {"timestep": {"engine": ["3.17.0"], "dt_ms": [2, 25], "solref": [[0.02, 1], [0.005, 1]]}},
        "impact": {"engine": ["3.17.0"], "dt_ms": [2, 25]},
    },
    "pick": yaml.safe_load((PROJECT / "config.yaml").read_text(encoding="utf-8"))["pick"],
}
STEPPING = Counter(stepping_model=1, stepping_run=1, stepping_table=5, stepping_figure=1)
COLD = STEPPING + Counter(engine=1, drop_model=2, drop_run=4, drop_trajectory=2, drop_table=1, drop_figure=1, impact_figure=1)
STEPPING_TABLES = [f"stepping_{part}" for part in ("steppers", "energy", "growth", "overlap", "split")]
TARGETS = [f"results/{table}.csv" for table in ("timestep", *STEPPING_TABLES)]
TARGETS += [f"figures/{figure}.png" for figure in ("timestep", "impact", "stepping")]


def one_sweep(**axes) -> dict:
    """A configuration's drop experiment with one sweep, "x"."""
    return {"drop": {"sweeps": {"x": {"engine": ["3.17.0"], **axes}}}}


def test_a_small_grid_from_nothing_to_ledger_and_what_then_reruns(workflow):
    workflow.configure(SMALL)
    assert workflow.executed(*TARGETS) == COLD
    table = rows(workflow.folder / "results/timestep.csv")
    assert [row["outcome"] for row in table] == ["kept", "kept", "passed", "passed"]
    assert [row["failure_mode"] for row in table] == ["none", "none", "missed contact", "missed contact"]
    for figure in ("timestep", "impact", "stepping"):
        assert (workflow.folder / f"figures/{figure}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (workflow.folder / f"figures/{figure}.svg").read_text(encoding="utf-8")
    assert not list(workflow.folder.rglob("MUJOCO_LOG.TXT"))
    assert not list(workflow.folder.rglob(".part.*"))

    assert workflow.executed(*TARGETS) == Counter()

    for path in workflow.folder.rglob("scripts/**/*.py"):
        path.write_text("# a comment\n\n\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    for path in (workflow.folder / "workflow/published").iterdir():
        os.utime(path)
    assert workflow.executed(*TARGETS) == Counter()

    SMALL["drop"]["sweeps"]["timestep"]["dt_ms"].append(10)
    workflow.configure(SMALL)
    assert workflow.executed(*TARGETS) == Counter(drop_run=2, drop_table=1, drop_figure=1)
    assert [row["failure_mode"] for row in rows(workflow.folder / "results/timestep.csv")][4:] == ["wrong side"] * 2


def test_published_configuration_reproduces_the_lesson(workflow):
    """Every one of lesson 02's 194 published numbers, from the configuration as it is committed."""
    names = ["timestep", "integrators", *STEPPING_TABLES]
    paths = [workflow.folder / f"results/{name}.csv" for name in names]
    done = workflow.run(*(f"results/{name}.csv" for name in names))
    assert done.returncode == 0, done.stdout
    read = {"dtype": str, "keep_default_na": False}
    claims, columns, causes = (
        pd.read_csv(workflow.folder / f"workflow/published/{name}.csv", **read)
        for name in ("claims", "columns", "known_differences")
    )
    table = ledger(claims, columns, causes, {path.stem: tables.read(path) for path in paths}, {"solref": "0.02 1"})
    assert len(table) == 543
    lesson = table[table["document"] == "timestep"]
    assert len(lesson) == 194
    assert list(lesson[~lesson["verdict"].isin(["exact", "within"])].index) == []


def test_report_carries_figures_tables_and_captions(workflow):
    workflow.configure(SMALL)
    workflow.executed(*TARGETS)
    done = workflow.run("--report", "report.html", *TARGETS)
    assert done.returncode == 0, done.stdout
    report = (workflow.folder / "report.html").read_text(encoding="utf-8")
    for name in ("timestep.png", "impact.png", "stepping.png", "timestep.csv"):
        assert name in report
    for caption in ("below the mid-plane it pushes down", "contact normal acting on the cube", "dt_ms=2,25"):
        assert caption in report


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (one_sweep(dt_ms=[0]), "config.drop.sweeps.x.dt_ms[0] is 0; allowed: above 0"),
        (one_sweep(dt_ms=["$(touch hacked)"]), "config.drop.sweeps.x.dt_ms[0] is '$(touch hacked)'; allowed: a number"),
        ({"drops": {}}, "config has the unknown key 'drops'; allowed: max_cells, cell_limit_s, stepping, drop, pick"),
    ],
)
def test_a_wrong_configuration_stops_in_one_line(workflow, config, expected):
    workflow.configure(SMALL | config)
    done = workflow.run("--dry-run")
    assert done.returncode != 0
    assert "Traceback" not in done.stdout
    [line] = [line for line in done.stdout.splitlines() if "allowed" in line]
    assert expected in line
    assert not (workflow.folder / "hacked").exists()
    assert not (workflow.folder / "results/timestep.csv").exists()


def test_a_figure_that_the_configuration_leaves_out_has_no_rule(workflow):
    workflow.configure(SMALL | one_sweep(dt_ms=[2]))
    done = workflow.run("--dry-run", "figures/impact.png")
    assert done.returncode != 0
    assert "No rule to produce figures/impact.png" in done.stdout
    assert "Traceback" not in done.stdout


def test_a_cell_asked_for_by_a_second_name_is_refused(workflow):
    workflow.configure(SMALL)
    done = workflow.run("--dry-run", "results/drop/3.17.0/dt_ms=2,gravity=5.json")
    assert done.returncode != 0
    assert "dt_ms=2,gravity=5: drop has no axis gravity; allowed: " in done.stdout


def test_a_cell_that_its_engine_cannot_run_is_refused_before_any_job(workflow):
    workflow.configure(SMALL)
    for engine, word in (("3.17.0", "speculative=true"), ("3.11.0", "integrator=discrete")):
        done = workflow.run("--dry-run", f"results/drop/{engine}/dt_ms=2,{word}.json")
        assert done.returncode != 0
        assert f"dt_ms=2,{word}: MuJoCo {engine} lacks {word}; allowed: " in done.stdout


def test_without_the_registry_one_line_says_so(workflow):
    """No package in the cache and no network: the engine's job fails with one line, and names its log."""
    workflow.configure(SMALL)
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    empty = {"UV_CACHE_DIR": str(workflow.folder / "empty cache"), "UV_HTTP_RETRIES": "0", "UV_HTTP_TIMEOUT": "5"}
    done = workflow.run(".engines/3.17.0/engine.json", env=os.environ | proxies | empty)
    assert done.returncode != 0
    assert "engine: the package registry cannot be reached; it is needed once, for what mujoco-3.17.0.txt lists" in done.stdout
    assert "logs/engine/3.17.0.log" in done.stdout
    assert "Traceback" not in done.stdout
    assert not (workflow.folder / ".engines/3.17.0/engine.json").exists()


def test_a_lock_with_another_hash_is_refused(workflow):
    lock = workflow.folder / "envs/mujoco-3.17.0.txt"
    text = lock.read_text(encoding="utf-8")
    for block in re.findall(r"^numpy==.*?\n(?=\w)", text, re.MULTILINE | re.DOTALL):
        text = text.replace(block, re.sub(r"sha256:(.)(.)", r"sha256:\2\1", block))
    lock.write_text(text, encoding="utf-8")
    workflow.list_sources()
    workflow.configure(SMALL)
    done = workflow.run(".engines/3.17.0/engine.json")
    assert done.returncode != 0
    assert re.search("engine: the download of numpy==.* does not have the hash that mujoco-3.17.0.txt holds; ", done.stdout)


def test_a_failing_job_shows_its_message_and_its_log(workflow):
    workflow.configure(SMALL)
    script = workflow.folder / "scripts/drop_model.py"
    text = script.read_text(encoding="utf-8").replace('"size": [2, 2, 0.1]', '"size": [2, 2, 1 / 0]')
    script.write_text(text, encoding="utf-8")
    done = workflow.run("results/models/drop/default.xml")
    assert done.returncode != 0
    assert "ZeroDivisionError" in done.stdout
    assert "logs/drop_model/default.log" in done.stdout


def committed() -> dict:
    return yaml.safe_load((PROJECT / "config.yaml").read_text(encoding="utf-8"))


def test_the_committed_configuration_is_the_published_one():
    """Where the configuration names a value that the schema has a default for, the two agree."""
    config, known = committed(), SCHEMA["properties"]
    assert config["pick"]["settings"].items() <= configuration.defaults(SCHEMA, "pick").items()
    named = {"stepping": (config["stepping"], known["stepping"])}
    scans = known["controls"]["properties"]
    named |= {key: (scan, scans[key]) for key, scan in config["controls"].items() if key != "engine"}
    for key, (part, schema) in named.items():
        assert part == {name: schema["properties"][name]["default"] for name in part}, key


@pytest.mark.parametrize(("experiment", "sections"), [("drop", ("experiment", "observe", "break")), ("pick", ("A", "B", "C"))])
def test_the_committed_sweeps_hold_every_published_case(claims, experiment, sections):
    defaults = configuration.defaults(SCHEMA, experiment)
    sweeps = [
        pd.DataFrame(settings.grid({axis: [value] for axis, value in defaults.items()} | grid)).map(tables.readable)
        for grid in committed()[experiment]["sweeps"].values()
    ]
    cases = {claim["case"] for claim in claims if claim["section"] in sections and "<=" not in claim["case"] != ""}
    assert len(cases) > 20
    for case in cases:
        assert any(len(select(sweep, case, {"solref": "0.02 1"})) for sweep in sweeps), case
