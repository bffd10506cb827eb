"""The workflow end to end, in a copy of the project."""

import copy
import os
import re
from collections import Counter
from pathlib import Path

import pytest
import yaml
from conftest import EMULATED, OTHER, PUBLISHED, SMALL, SMALL_TARGETS, published_table, rows

from records import engines, tables
from records.ledger import ledger

STEPPING = Counter(stepping_model=1, stepping_run=1, stepping_table=5, stepping_figure=1)
COLD = STEPPING + Counter(engine=1, drop_model=2, drop_run=6, drop_table=1, drop_figure=1, impact_figure=1)


def one_sweep(**axes) -> dict:
    """A configuration's drop experiment with one sweep, "x"."""
    return {"drop": {"sweeps": {"x": {"engine": ["3.17.0"], **axes}}}}


def test_a_small_grid_from_nothing_to_ledger_and_what_then_reruns(bare):
    bare.configure(SMALL)
    assert bare.executed(*SMALL_TARGETS) == COLD
    table = rows(bare.folder / "results/timestep.csv")
    assert [row["outcome"] for row in table] == ["kept", "kept", "passed", "passed"]
    assert [row["failure_mode"] for row in table] == ["none", "none", "missed contact", "missed contact"]
    for figure in ("timestep", "impact", "stepping"):
        assert (bare.folder / f"figures/{figure}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (bare.folder / f"figures/{figure}.svg").read_text(encoding="utf-8")
    assert not list(bare.folder.rglob("MUJOCO_LOG.TXT"))
    assert not list(bare.folder.rglob(".part.*"))

    assert bare.executed(*SMALL_TARGETS) == Counter()

    for path in bare.folder.rglob("scripts/**/*.py"):
        path.write_text("# a comment\n\n\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    for path in (bare.folder / "workflow/published").iterdir():
        os.utime(path)
    assert bare.executed(*SMALL_TARGETS) == Counter()

    config = copy.deepcopy(SMALL)
    config["drop"]["sweeps"]["timestep"]["dt_ms"].append(10)
    bare.configure(config)
    assert bare.executed(*SMALL_TARGETS) == Counter(drop_run=2, drop_table=1, drop_figure=1)
    assert [row["failure_mode"] for row in rows(bare.folder / "results/timestep.csv")][4:] == ["wrong side"] * 2


def test_published_configuration_reproduces_the_lesson(workflow):
    """Every number that lesson 02 prints, from the configuration as it is committed."""
    targets = ["results/integrators.csv", *(target for target in SMALL_TARGETS if target.endswith(".csv"))]
    done = workflow.run(*targets)
    assert done.returncode == 0, done.stdout
    published = [published_table(name) for name in ("claims", "columns")]
    found = {Path(target).stem: tables.read(workflow.folder / target) for target in targets}
    table = ledger(*published, found, {"solref": "0.02 1"})
    assert len(table) == len(published[0])
    lesson = table[table["document"] == "timestep"]
    assert list(lesson[~lesson["verdict"].isin(["exact", "within"])].index) == []


def test_report_carries_figures_tables_and_captions(workflow):
    workflow.configure(SMALL)
    workflow.executed(*SMALL_TARGETS)
    done = workflow.run("--report", "report.html", *SMALL_TARGETS)
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
        (
            {"drops": {}},
            "config has the unknown key 'drops'; allowed: drop, stepping, pick, controls, runtime, audits, max_cells",
        ),
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


def read_by_the_ledger(workflow, *targets: str, **environment: str) -> list[str]:
    """What the ledger is made of in a run that is asked for these targets."""
    done = workflow.run("--dry-run", "--printshellcmds", *targets, env=os.environ | environment)
    [command] = re.findall(r"python \S*ledger_table\.py .*", done.stdout)
    return command.split()


def test_the_ledger_of_a_run_has_what_that_run_is_asked_for(workflow, tmp_path):
    """Nothing is there yet, and the ledger by itself asks for nothing; the programs of an emulated engine are only named."""
    for program in (engines.emulator(OTHER), *engines.PROGRAMS):
        (tmp_path / program).write_text("#!/bin/sh\n")
        (tmp_path / program).chmod(0o755)
    workflow.configure(PUBLISHED | {"architectures": {"engine": EMULATED}})
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    placed, solver = "results/pick_placement.csv", "results/grasp_solver.csv"
    alone = read_by_the_ledger(workflow, "results/ledger.csv")
    assert not any(placed in word or solver in word or "architectures/" in word for word in alone)
    assert {placed, solver} <= set(read_by_the_ledger(workflow, "results/ledger.csv", placed, "figures/grasp_solver.png"))
    assert solver in read_by_the_ledger(workflow)  # the default makes it
    beside = read_by_the_ledger(workflow, "figures/architectures.png", "results/ledger.csv", PATH=path)
    emulated = [f"results/architectures/{EMULATED}/{name}.csv" for name in ("timestep", "grasp_summary", "grasp_nominal")]
    assert set(emulated) <= set(beside)


def test_a_figure_that_the_configuration_leaves_out_has_no_rule(workflow):
    workflow.configure(SMALL | one_sweep(dt_ms=[2]))
    done = workflow.run("--dry-run", "figures/impact.png")
    assert done.returncode != 0
    assert "No rule to produce figures/impact.png" in done.stdout
    assert "Traceback" not in done.stdout


ALL_OFF = dict.fromkeys(("stepping", "drop", "pick", "controls", "runtime"))


@pytest.mark.parametrize(
    ("less", "left"),
    [
        ({"drop": {"sweeps": {"timestep": None}}, "pick": None, "controls": None}, STEPPING + Counter(drop_model=1)),
        (ALL_OFF, Counter()),
    ],
)
def test_what_null_takes_away_is_not_made_and_its_numbers_are_unmeasured(prepared, tmp_path, less, left):
    """In a file of the command line, which Snakemake merges with config.yaml; all else is made as ever."""
    workflow = prepared.copied_to(tmp_path / "a project")
    (workflow.folder / "less.yaml").write_text(yaml.safe_dump(less), encoding="utf-8")
    done = workflow.executed("all", "--configfile", "less.yaml")
    assert left <= done
    assert not [rule for rule in done if re.match("drop_(run|table)|pick|robot|controls|runtime", rule)]
    verdicts = {(row["document"], row["section"], row["verdict"]) for row in rows(workflow.folder / "results/ledger.csv")}
    measured = {(document, section) for document, section, verdict in verdicts if verdict not in ("unmeasured", "timing")}
    assert {document for document, _ in measured} == ({"timestep"} if left else set())
    assert ("timestep", "experiment") not in measured


OF_NOTHING = [
    "results/grasp_summary.csv",
    "figures/pick.png",
    "figures/stepping.png",
    "figures/controls.png",
    "results/verify.csv",
    "results/passport.json",
    "results/engines.csv",
    "results/architectures.csv",
]


def test_what_nothing_is_left_of_is_refused_before_any_job(prepared, tmp_path):
    workflow = prepared.copied_to(tmp_path / "a project")
    (workflow.folder / "less.yaml").write_text(yaml.safe_dump(ALL_OFF), encoding="utf-8")
    for target in OF_NOTHING:
        done = workflow.run(target, "--dry-run", "--configfile", "less.yaml")
        assert done.returncode != 0, target
        assert done.stdout.splitlines()[-1].startswith("the configuration has nothing left that this is made of; "), target


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


def test_without_the_registry_one_line_says_so(bare):
    """No package in the cache and no network: the engine's job fails with one line, and names its log."""
    bare.configure(SMALL)
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    empty = {"UV_CACHE_DIR": str(bare.folder / "empty cache"), "UV_HTTP_RETRIES": "0", "UV_HTTP_TIMEOUT": "5"}
    done = bare.run(".engines/3.17.0/engine.json", env=os.environ | proxies | empty)
    assert done.returncode != 0
    assert "engine: the package registry cannot be reached; it is needed once, for what mujoco-3.17.0.txt lists" in done.stdout
    assert "logs/engine/3.17.0.log" in done.stdout
    assert "Traceback" not in done.stdout
    assert not (bare.folder / ".engines/3.17.0/engine.json").exists()


def test_a_lock_with_another_hash_is_refused(bare):
    lock = bare.folder / "envs/mujoco-3.17.0.txt"
    text = lock.read_text(encoding="utf-8")
    for block in re.findall(r"^numpy==.*?\n(?=\w)", text, re.MULTILINE | re.DOTALL):
        text = text.replace(block, re.sub(r"sha256:(.)(.)", r"sha256:\2\1", block))
    lock.write_text(text, encoding="utf-8")
    bare.list_sources()
    bare.configure(SMALL)
    done = bare.run(".engines/3.17.0/engine.json")
    assert done.returncode != 0
    assert re.search("engine: the download of numpy==.* does not have the hash that mujoco-3.17.0.txt holds; ", done.stdout)


def test_a_failing_job_shows_its_message_and_its_log(workflow):
    workflow.configure(SMALL)
    workflow.edit("scripts/contactlab/drop_scene.py", '"size": [2, 2, 0.1]', '"size": [2, 2, 1 / 0]')
    done = workflow.run("results/models/drop/default.xml")
    assert done.returncode != 0
    assert "ZeroDivisionError" in done.stdout
    assert "logs/drop_model/default.log" in done.stdout
