"""Fixtures: the published claims, a compiled drop scene, and a copy of the project in which Snakemake runs."""

import copy
import csv
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import mujoco
import pytest
import robot_fetch
import yaml
from drop_model import drop_mjcf

import configuration
import integrity

PROJECT = Path(__file__).parents[1]
SCHEMA = configuration.load_schema(PROJECT / "workflow/schemas/config.schema.yaml")
SCENE = {
    axis: default
    for axis, default in configuration.defaults(SCHEMA, "drop").items()
    if configuration.axes(SCHEMA, "drop")[axis]["stage"] == "model"
}

PICK = {"engine": ["3.17.0"], "mu": [0.3], "mass_kg": [0.03], "cap_Nm": [0.5], "position": [0]}
CHEAP = {  # a small grid of every experiment
    "stepping": {"energy_steps": 50, "curve_points": 5, "dt_ms": [2]},
    "drop": {"sweeps": {"timestep": {"engine": ["3.17.0"], "dt_ms": [2, 10, 25], "solref": [[0.02, 1], [0.005, 1]]}}},
    "pick": {
        "settings": {"perturbations": 0, "hold_s": 0.1, "settle_s": 0.1},
        "sweeps": {"friction": PICK | {"mu": [0.3, 1]}},
        "nominal": PICK | {"position": ["nominal"]},
        "checks": [],
    },
    "controls": {"engine": ["3.17.0"], "clamp": {"value": ["5", "nan"], "steps": 50}},
}
CHEAP_TARGETS = ["figures/timestep.png", "results/grasp_summary.csv", "results/ledger.csv"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--hard", action="store_true", help="all seeds of tests/hard, as in `make test-hard`; else a few")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`@pytest.mark.seeds(short=2, hard=50)` runs a test once for each `seed`, from 0 to one below the number."""
    mark = metafunc.definition.get_closest_marker("seeds")
    if mark:
        metafunc.parametrize("seed", range(mark.kwargs["hard" if metafunc.config.getoption("hard") else "short"]))


def drop_scene(**axes) -> mujoco.MjModel:
    """The published drop scene, compiled, with some axes moved."""
    return mujoco.MjModel.from_xml_string(drop_mjcf(**SCENE | axes))


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file, every value as text."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="session")
def claims() -> list[dict[str, str]]:
    """The rows of claims.csv."""
    return rows(PROJECT / "workflow/published/claims.csv")


@pytest.fixture(scope="session")
def robot_folder(tmp_path_factory) -> Path:
    """The folder of the SO-101, which is never committed: fetched, or where CONTACTLAB_ROBOT says it already is."""
    if "CONTACTLAB_ROBOT" in os.environ:
        return Path(os.environ["CONTACTLAB_ROBOT"]).resolve()
    folder = tmp_path_factory.mktemp("so101")
    digest = SCHEMA["properties"]["pick"]["properties"]["robot"]["properties"]["digest"]["default"]
    robot_fetch.fetch("wheel", PROJECT / "envs/so101.txt", digest, folder)
    return folder


class Workflow:
    """A copy of the project in which Snakemake runs; `configure` replaces its configuration."""

    def __init__(self, folder: Path):
        self.folder = folder
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=PROJECT, capture_output=True, text=True, check=True,
        )  # fmt: skip
        for name in filter(None, listed.stdout.split("\0")):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROJECT / name, target)

    def copied_to(self, folder: Path) -> "Workflow":
        """The same project elsewhere, with all that was made in it; links into its store go to the copy's."""
        shutil.copytree(self.folder, folder, symlinks=True, dirs_exist_ok=True)
        for link in filter(Path.is_symlink, folder.glob("results/**/*.json")):
            target, status = str(link.readlink()).replace(str(self.folder), str(folder)), link.lstat()
            link.unlink()
            link.symlink_to(target)
            os.utime(link, ns=(status.st_atime_ns, status.st_mtime_ns), follow_symlinks=False)
        other = copy.copy(self)
        other.folder = folder
        return other

    def configure(self, config: dict) -> None:
        (self.folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace a text that is there in a file, and mean it: a lock or a published number is listed anew."""
        path = self.folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")
        self.list_sources()

    def list_sources(self) -> None:
        """What `make sums` does."""
        (self.folder / integrity.SUMS).write_text("\n".join([*integrity.sums(self.folder), ""]), encoding="utf-8")

    def run(self, *arguments: str, env: dict | None = None) -> subprocess.CompletedProcess:
        command = [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]
        return subprocess.run(
            command, cwd=self.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )

    def log(self) -> str:
        """Snakemake's own log of the last run, in which every job stands."""
        return max(self.folder.glob(".snakemake/log/*.log")).read_text(encoding="utf-8")

    def executed(self, *arguments: str) -> Counter:
        """Run and count the jobs that were executed, by rule; the target rule does not count."""
        done = self.run(*arguments)
        assert done.returncode == 0, done.stdout
        rules = Counter(re.findall(r"Finished jobid: \d+ \(Rule: (\w+)\)", self.log()))
        del rules["all"]
        return rules

    def made(self) -> dict[str, bytes]:
        """All files that were made, by name, links followed, without what a clock said."""
        found = {path for folder in ("results", "figures") for path in (self.folder / folder).rglob("*") if path.is_file()}
        content = {str(path.relative_to(self.folder)): path.read_bytes() for path in found}
        for name in ("grasp_timing.csv", ".seal.grasp_timing.csv", ".seal.ledger.csv"):
            content.pop(f"results/{name}", None)
        if ledger := content.get("results/ledger.csv"):
            content["results/ledger.csv"] = b"\n".join(line for line in ledger.splitlines() if b",timing," not in line)
        return content

    def share_engines(self) -> None:
        """Put the engines, which are large, beside the project, where all copies find them by a link."""
        engines = self.folder / ".engines"
        engines.symlink_to(engines.rename(self.folder.with_name("engines")))

    def half_written(self) -> list[Path]:
        """Temporary files that jobs or the store have left."""
        return [*self.folder.rglob(".part.*"), *self.folder.glob(".store/tmp*")]


@pytest.fixture
def workflow(tmp_path: Path) -> Workflow:
    """A fresh copy of the project, in a folder with a blank in its name."""
    return Workflow(tmp_path / "a project")


@pytest.fixture(scope="session")
def prepared(tmp_path_factory) -> Workflow:
    """A copy of the project with an engine and the SO-101, the small grid configured, no cell run; copies share the engine."""
    workflow = Workflow(tmp_path_factory.mktemp("prepared") / "a project")
    workflow.configure(CHEAP)
    workflow.executed(".engines/3.17.0/engine.json", "results/models/so101/so101.xml")
    workflow.share_engines()
    return workflow


@pytest.fixture(scope="session")
def undisturbed(prepared, tmp_path_factory) -> Workflow:
    """A copy in which one run that nothing disturbed has made the small grid; to be copied and compared with, never changed."""
    workflow = prepared.copied_to(tmp_path_factory.mktemp("undisturbed") / "a project")
    workflow.executed(*CHEAP_TARGETS)
    return workflow
