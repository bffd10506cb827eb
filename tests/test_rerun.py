"""What reruns: a table of edits and of exactly the jobs each of them executes, on the real workflow over small grids."""

import copy
import re
import shutil
from collections import Counter

import pytest
from conftest import Workflow

SWEEP = {"engine": ["3.17.0"], "dt_ms": [2, 25]}
PICK = {"engine": ["3.17.0"], "mu": [0.3], "mass_kg": [0.03], "cap_Nm": [0.5], "position": [0]}
CONFIG = {
    "stepping": {"energy_steps": 50, "curve_points": 5, "dt_ms": [2]},
    "drop": {"sweeps": {"timestep": SWEEP}},
    "pick": {
        "settings": {"perturbations": 0, "hold_s": 0.1, "settle_s": 0.1},
        "sweeps": {"friction": PICK},
        "nominal": PICK | {"position": ["nominal"]},
        "checks": [],
    },
}
TARGETS = [
    "results/timestep.csv",
    "figures/timestep.png",
    "figures/stepping.png",
    "results/grasp_summary.csv",
    "figures/grasp.png",
]
TARGETS += ["results/grasp_nominal.csv", "figures/ledger.png"]

# The jobs of each part of the workflow, with what is made from them; the ledger follows from all tables.
LEDGER = Counter(ledger_table=1, ledger_figure=1)
DROPS = Counter(drop_run=2, drop_table=1, drop_figure=1)
STEPPERS = Counter(stepping_run=1, stepping_table=5, stepping_figure=1)
PICK_TABLES = Counter(pick_table=1, pick_summary=1, pick_checks=1)
PICK_FIGURES = Counter(pick_figure=1)
PICKS = Counter(pick_run=2, pick_machine=1, pick_ready=1, pick_timing=1) + PICK_TABLES + PICK_FIGURES
MODELS = Counter(drop_model=1, stepping_model=1, pick_model=1, pick_compile=1, robot=1, engine=1)
MADE_WITH_PANDAS = (
    PICK_TABLES
    + PICK_FIGURES
    + LEDGER
    + Counter(drop_table=1, drop_figure=1, stepping_table=5, stepping_figure=1, pick_timing=1)
)
EVERYTHING = DROPS + STEPPERS + PICKS + MODELS + LEDGER


def edited(name: str, old: str, new: str):
    """An edit of a file: what is replaced must be there."""

    def apply(workflow: Workflow) -> None:
        path = workflow.folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    return apply


def configured(key: str, value):
    """An edit of the configuration."""

    def apply(workflow: Workflow) -> None:
        config = copy.deepcopy(CONFIG)
        *path, last = key.split(".")
        holder = config
        for step in path:
            holder = holder[step]
        holder[last] = value
        workflow.configure(config)

    return apply


def reformatted(workflow: Workflow) -> None:
    for path in [*workflow.folder.glob("scripts/*.py"), *workflow.folder.glob("scripts/contactlab/*.py")]:
        text = path.read_text(encoding="utf-8").replace('"""\n', '"""  # a comment\n\n\n', 1)
        path.write_text(text, encoding="utf-8")


# What is edited -> the jobs that run, beyond the target: nothing missing, nothing extra.
MATRIX = {
    "nothing": (lambda workflow: None, Counter()),
    "comments, docstrings and formatting of every module": (reformatted, Counter()),
    "a constant in the drop physics": (
        edited("scripts/contactlab/drop.py", 'DIVERGENCE = ("BADQPOS"', 'DIVERGENCE = ("CNSTRFULL", "BADQPOS"'),
        DROPS + STEPPERS + LEDGER,
    ),
    "a helper that only picks import": (
        edited("scripts/contactlab/ik.py", "mujoco.mj_comPos(model, data)", "mujoco.mj_comPos(model, data), None"),
        PICKS + LEDGER,
    ),
    "a colour in one figure": (
        edited("scripts/drop_figure.py", "color=style.PALE", "color=style.GREY"),
        Counter(drop_figure=1),
    ),
    "one value added to a sweep of drops": (
        configured("drop.sweeps.timestep.dt_ms", [2, 10, 25]),
        Counter(drop_run=1, drop_table=1, drop_figure=1) + LEDGER,
    ),
    "one value taken out of a sweep of drops": (
        configured("drop.sweeps.timestep.dt_ms", [2]),
        Counter(drop_table=1, drop_figure=1) + LEDGER,
    ),
    "one value added to a sweep of picks": (
        configured("pick.sweeps.friction.position", [0, 1]),
        Counter(pick_run=1, pick_timing=1) + PICK_TABLES - Counter(pick_table=1) + PICK_FIGURES + LEDGER,
    ),
    "the number of perturbations": (
        configured("pick.settings.perturbations", 1),
        PICKS - Counter(pick_ready=1) + LEDGER,
    ),
    "the numpy of one MuJoCo version": (
        edited("envs/mujoco-3.17.0.txt", "numpy==2.4.6", "numpy==2.4.5"),
        DROPS + STEPPERS + PICKS + LEDGER + Counter(engine=1, pick_compile=1),
    ),
    "the pandas version": (
        edited("envs/workflow.txt", "pandas==3.1.1", "pandas==3.1.0"),
        MADE_WITH_PANDAS,
    ),
    "the published claims": (
        edited("workflow/published/claims.csv", "51.422174", "51.422175"),
        Counter(pick_checks=1) + LEDGER,
    ),
    "a caption": (edited("workflow/report/drop_figure.rst", "a stiffer contact", "a much stiffer contact"), Counter()),
    "another machine": (
        edited("workflow/lib/provenance.py", 'return f"machine {', 'return f"machine another {'),
        EVERYTHING,
    ),
    "a deleted result": (
        lambda workflow: (workflow.folder / "results/timestep.csv").unlink(),
        Counter(drop_table=1, drop_figure=1) + LEDGER,
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Workflow:
    """A copy of the project whose targets are all made."""
    workflow = Workflow(tmp_path_factory.mktemp("rerun") / "made")
    workflow.configure(CONFIG)
    assert workflow.executed(*TARGETS) == EVERYTHING
    return workflow


def planned(workflow: Workflow) -> Counter:
    """The jobs that a dry run names, by rule."""
    done = workflow.run("--dry-run", *TARGETS)
    assert done.returncode == 0, done.stdout
    table = re.search(r"Job stats:\n.*?\n\n", done.stdout, re.DOTALL)
    counts = re.findall(r"^(\w+) +(\d+)$", table[0], re.MULTILINE) if table else []
    return Counter({rule: int(count) for rule, count in counts if rule != "total"})


@pytest.mark.parametrize("name", MATRIX)
def test_an_edit_plans_exactly_its_jobs(made, tmp_path, name):
    edit, jobs = MATRIX[name]
    shutil.copytree(made.folder, tmp_path / "copy", symlinks=True)
    workflow = copy.copy(made)
    workflow.folder = tmp_path / "copy"
    edit(workflow)
    assert planned(workflow) == jobs


def test_a_value_changed_and_changed_back_executes_nothing(made):
    configured("drop.sweeps.timestep.dt_ms", [2, 10, 25])(made)
    assert made.executed(*TARGETS) == Counter(drop_run=1, drop_table=1, drop_figure=1) + LEDGER
    made.configure(CONFIG)
    assert made.executed(*TARGETS) == Counter(drop_table=1, drop_figure=1) + LEDGER
    assert made.executed(*TARGETS) == Counter()


def test_a_second_clone_fetches_every_simulation(made, tmp_path):
    """With the store shared, another clone makes the same tables without a simulation; on another machine it runs them all."""
    clone = Workflow(tmp_path / "clone")
    clone.configure(CONFIG)
    (clone.folder / ".store").symlink_to(made.folder / ".store")
    done = clone.run("results/timestep.csv")
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("Symlinking output file") == 2
    assert "Moving output file" not in done.stdout
    table = "results/timestep.csv"
    assert (clone.folder / table).read_bytes() == (made.folder / table).read_bytes()
    MATRIX["another machine"][0](clone)
    done = clone.run("results/timestep.csv")
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("Moving output file") == 2


def test_the_store_is_the_users_own(made):
    assert (made.folder / ".store").stat().st_mode & 0o077 == 0


def test_a_corrupted_cell_is_refused_by_name(made, tmp_path):
    shutil.copytree(made.folder, tmp_path / "copy", symlinks=True)
    workflow = copy.copy(made)
    workflow.folder = tmp_path / "copy"
    cell = workflow.folder / "results/drop/3.17.0/dt_ms=2.json"
    text = cell.read_text(encoding="utf-8")
    cell.unlink()
    cell.write_text(text.replace('"outcome": "kept"', '"outcome": "passed"'), encoding="utf-8")
    (workflow.folder / "results/timestep.csv").unlink()
    done = workflow.run("results/timestep.csv")
    assert done.returncode != 0
    refusal = "dt_ms=2.json is not what was measured; make it again with: snakemake --cores 1 --force"
    assert refusal in done.stdout
    workflow.executed("--force", "results/drop/3.17.0/dt_ms=2.json")
    assert workflow.executed("results/timestep.csv")["drop_table"] == 1
