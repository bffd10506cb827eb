"""What reruns: a table of edits and of exactly the jobs each of them executes, on the real workflow over small grids."""

import copy
import os
import re
import subprocess
import sys
from collections import Counter

import pytest
from conftest import LEAST, LEAST_TARGETS, PATH, PROJECT, Workflow

# The jobs of each part of the workflow, with what is made from them; the ledger follows from all tables.
LEDGER = Counter(ledger_table=1, ledger_figure=1)
DROPS = Counter(drop_run=2, drop_table=1, drop_figure=1)
STEPPERS = Counter(stepping_run=1, stepping_table=5, stepping_figure=1)
PICK_SUMMARIES = Counter(pick_summary=1, pick_figure=1)
PICK_TABLES = Counter(pick_table=1, pick_checks=1) + PICK_SUMMARIES
PICKS = Counter(pick_run=3, pick_machine=1, pick_ready=1) + PICK_TABLES
CONTROLS = Counter(controls_run=1, controls_table=1)
MODELS = Counter(drop_model=1, stepping_model=1, pick_model=2, pick_compile=2, robot=1, engine=1)
MADE_WITH_PANDAS = Counter(drop_table=1, drop_figure=1, stepping_table=5, stepping_figure=1) + PICK_TABLES + LEDGER
EVERYTHING = DROPS + STEPPERS + PICKS + CONTROLS + MODELS + LEDGER


def edited(name: str, old: str, new: str):
    """An edit of a file: what is replaced must be there."""

    return lambda workflow: workflow.edit(name, old, new)


def configured(key: str, value):
    """An edit of the configuration."""

    def apply(workflow: Workflow) -> None:
        config = copy.deepcopy(LEAST)
        *path, last = key.split(".")
        holder = config
        for step in path:
            holder = holder[step]
        holder[last] = value
        workflow.configure(config)

    return apply


def reformatted(workflow: Workflow) -> None:
    for path in workflow.folder.glob("scripts/*/*.py"):
        text = path.read_text(encoding="utf-8").replace('"""\n', '"""  # a comment\n\n\n', 1)
        path.write_text(text, encoding="utf-8")


def relocked(workflow: Workflow) -> None:
    """An older numpy for one MuJoCo version, locked as `make lock` does it."""
    lock = workflow.folder / "envs/mujoco-3.17.0.txt"
    command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--universal", "--python-version", "3.11"]
    command += ["--generate-hashes", "--no-header", "--no-annotate", "-", "-o", str(lock)]
    lock.unlink()  # uv would keep what it already holds
    subprocess.run(command, input="mujoco==3.17.0\nnumpy<2.4.6", text=True, check=True, capture_output=True)
    workflow.list_sources()


# What is edited -> the jobs that run, beyond the target: nothing missing, nothing extra. docs/sweeps.md shows this table.
MATRIX = {
    "nothing": (lambda workflow: None, Counter()),
    "a comment, a docstring or the formatting of any module": (reformatted, Counter()),
    "a caption": (edited("workflow/report/drop_figure.rst", "A stiffer contact", "A much stiffer contact"), Counter()),
    "a colour in one figure": (
        edited("scripts/drop/drop_figure.py", "color=style.PALE", "color=style.GREY"),
        Counter(drop_figure=1),
    ),
    "a value added to a sweep of drops": (
        configured("drop.sweeps.timestep.dt_ms", [2, 10, 25]),
        Counter(drop_run=1, drop_table=1, drop_figure=1) + LEDGER,
    ),
    "a value taken out of a sweep of drops": (
        configured("drop.sweeps.timestep.dt_ms", [2]),
        Counter(drop_table=1, drop_figure=1) + LEDGER,
    ),
    "a value added to a sweep of picks": (
        configured("pick.sweeps.friction.position", [0, 1]),
        Counter(pick_run=2) + PICK_SUMMARIES + LEDGER,
    ),
    "a value taken out of a sweep of picks": (
        configured("pick.sweeps.friction.mu", [0.3]),
        PICK_SUMMARIES + LEDGER,
    ),
    "a value added to, or taken out of, a list of the steppers": (
        configured("stepping.dt_ms", [2, 10]),
        STEPPERS + LEDGER,
    ),
    "a value added to, or taken out of, a scan of control faults": (
        configured("controls.clamp.value", ["5"]),
        CONTROLS + LEDGER,
    ),
    "the number of perturbations": (
        configured("pick.settings.perturbations", 1),
        PICKS - Counter(pick_ready=1) + LEDGER,
    ),
    "a constant in the drop physics": (
        edited("scripts/contactlab/drop.py", "ROUNDING_M = 1e-9", "ROUNDING_M = 2e-9"),
        DROPS + STEPPERS + LEDGER,
    ),
    "a helper that only picks import": (
        edited("scripts/contactlab/ik.py", "mujoco.mj_comPos(model, data)", "mujoco.mj_comPos(model, data), None"),
        PICKS + LEDGER,
    ),
    "the published claims": (
        edited("workflow/published/claims.csv", "51.422174", "51.422175"),
        Counter(pick_checks=1) + LEDGER,
    ),
    "the locked pandas": (
        edited("envs/workflow.txt", "pandas==3.1.1", "pandas==3.1.0"),
        MADE_WITH_PANDAS,
    ),
    "the lock of one MuJoCo version": (
        relocked,
        DROPS + STEPPERS + PICKS + CONTROLS + LEDGER + Counter(engine=1, pick_compile=2),
    ),
    "another machine": (
        edited("workflow/lib/provenance.py", 'return f"machine {', 'return f"machine another {'),
        EVERYTHING,
    ),
    "a deleted table": (
        lambda workflow: (workflow.folder / "results/timestep.csv").unlink(),
        Counter(drop_table=1, drop_figure=1) + LEDGER,
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Workflow:
    """A copy of the project whose targets are all made."""
    workflow = Workflow(tmp_path_factory.mktemp("rerun") / "made")
    workflow.configure(LEAST)
    assert workflow.executed(*LEAST_TARGETS) == EVERYTHING
    workflow.share_engines()
    return workflow


@pytest.mark.parametrize("name", MATRIX)
def test_an_edit_executes_exactly_its_jobs(made, tmp_path, name):
    edit, jobs = MATRIX[name]
    workflow = made.copied_to(tmp_path / "copy")
    if jobs["engine"]:
        workflow.own_engines()
    edit(workflow)
    assert workflow.executed(*LEAST_TARGETS) == jobs
    assert workflow.executed(*LEAST_TARGETS) == Counter()


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("a value added to a sweep of drops", "settings"),
        ("a colour in one figure", "code"),
        ("the locked pandas", "software"),
        ("another machine", "machine"),
    ],
)
def test_a_dry_run_says_what_changed(made, tmp_path, name, word):
    workflow = made.copied_to(tmp_path / "copy")
    MATRIX[name][0](workflow)
    plan = workflow.run("--dry-run", *LEAST_TARGETS)
    assert plan.returncode == 0, plan.stdout
    assert re.search(f"Params have changed since last execution: .*before: '?{word} .*now: '?{word} ", plan.stdout)


def test_the_page_of_sweeps_shows_this_table():
    """Row by row: the edit, and the rules that run, or the words for all of them and for none."""
    page = (PROJECT / "docs/sweeps.md").read_text(encoding="utf-8")
    section = page.partition("## What reruns when\n")[2].partition("\n## ")[0]
    shown = dict(re.findall(r"^\| (.+?) \| (.+?) \|$", section, re.MULTILINE)[1:])
    words = {"nothing": set(), "every job": set(EVERYTHING)}
    assert {edit: words.get(jobs, set(re.findall(r"`(\w+)`", jobs))) for edit, jobs in shown.items()} == {
        name: set(jobs) for name, (_, jobs) in MATRIX.items()
    }


def test_a_value_changed_and_changed_back_executes_nothing(made):
    configured("drop.sweeps.timestep.dt_ms", [2, 10, 25])(made)
    assert made.executed(*LEAST_TARGETS) == Counter(drop_run=1, drop_table=1, drop_figure=1) + LEDGER
    made.configure(LEAST)
    assert made.executed(*LEAST_TARGETS) == Counter(drop_table=1, drop_figure=1) + LEDGER
    assert made.executed(*LEAST_TARGETS) == Counter()


def test_a_second_clone_fetches_every_simulation(made, tmp_path):
    """With the store shared, another clone makes the same tables without a simulation; on another machine it runs them all."""
    clone = Workflow(tmp_path / "clone")
    clone.configure(LEAST)
    (clone.folder / ".store").symlink_to(made.folder / ".store")
    done = clone.run("results/timestep.csv")
    assert done.returncode == 0, done.stdout
    assert clone.log().count("Symlinking output file") == 2
    assert "Moving output file" not in clone.log()
    table = "results/timestep.csv"
    assert (clone.folder / table).read_bytes() == (made.folder / table).read_bytes()
    MATRIX["another machine"][0](clone)
    done = clone.run("results/timestep.csv")
    assert done.returncode == 0, done.stdout
    assert clone.log().count("Moving output file") == 2


def test_the_store_is_the_users_own(made):
    assert (made.folder / ".store").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("kept_in_store", [True, False])
def test_a_corrupted_cell_is_refused_and_its_command_makes_it_again(made, tmp_path, kept_in_store):
    workflow = made.copied_to(tmp_path / "copy")
    cell = workflow.folder / "results/drop/3.17.0/dt_ms=2.json"
    text = cell.read_text(encoding="utf-8")
    if not kept_in_store:
        cell.unlink()  # a link into the store, else written through
    cell.write_text(text.replace('"outcome": "kept"', '"outcome": "passed"'), encoding="utf-8")
    (workflow.folder / "results/timestep.csv").unlink()
    done = workflow.run("results/timestep.csv")
    assert done.returncode != 0
    refusal = re.search(r"results/drop/3.17.0/dt_ms=2.json is not what was measured; make it again with: (.*)", done.stdout)
    subprocess.run(refusal[1], shell=True, cwd=workflow.folder, env=os.environ | {"PATH": PATH}, check=True)
    assert workflow.executed("results/timestep.csv")["drop_table"] == 1
    assert cell.read_text(encoding="utf-8") == text
