"""What tests share: scenes, what is published, scripts, and copies of the project in which Snakemake runs."""

import contextlib
import copy
import csv
import importlib
import io
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from unittest import mock

import forked_snakemake
import mujoco
import pandas as pd
import pytest
import robot_fetch
import yaml
from browser import browsing
from hypothesis import settings

from contactlab.contacts import Between, Record, subtree_geoms
from contactlab.drop_scene import drop_mjcf
from lib import checks, integrity, messages, schema
from records import current_run, engines

# The examples are the same fifty in every run, and a busy machine fails none of them.
settings.register_profile("contactlab", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("contactlab")

PROJECT = Path(__file__).parents[1]
ENVS = PROJECT / "envs"
SCHEMA = schema.load(PROJECT)
DECLARATIONS = schema.declarations(SCHEMA)  # what scripts that compare are told
PUBLISHED = yaml.safe_load((PROJECT / "config.yaml").read_text(encoding="utf-8"))  # the configuration
FILLED = checks.checked(copy.deepcopy(PUBLISHED), SCHEMA, ENVS)  # with all that follows from it


def scene_defaults(experiment: str) -> dict:
    """The published value of each axis that a scene is made from, where it has one."""
    axes = schema.axes(SCHEMA, experiment)
    return {axis: value for axis, value in schema.defaults(SCHEMA, experiment).items() if axes[axis]["stage"] == "model"}


SCENE = scene_defaults("drop")
PICK_SCENE = {"mu": 1.0, "mass_kg": 0.03, "cap_Nm": 2.94} | scene_defaults("pick")  # of the nominal pick

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
SMALL = {  # the steppers and a few drops; picks as published
    "stepping": {"engine": "3.17.0", "energy_steps": 50, "curve_points": 5, "dt_ms": [2, 25]},
    "drop": {
        "sweeps": {"timestep": {"engine": ["3.17.0"], "dt_ms": [2, 25], "solref": [[0.02, 1], [0.005, 1]]}},
        "impact": {"engine": ["3.17.0"], "dt_ms": [2, 25]},
    },
    "pick": PUBLISHED["pick"],
}
SMALL_TARGETS = [f"results/stepping_{part}.csv" for part in ("steppers", "energy", "growth", "overlap", "split")]
SMALL_TARGETS += ["results/timestep.csv", *(f"figures/{figure}.png" for figure in ("timestep", "impact", "stepping"))]
CHEAP_TARGETS = ["figures/timestep.png", "results/grasp_summary.csv", "results/ledger.csv"]
LEAST = CHEAP | {"drop": {"sweeps": {"timestep": {"engine": ["3.17.0"], "dt_ms": [2, 25]}}}}  # the same with two drops
LEAST_TARGETS = [
    "results/timestep.csv",
    "figures/timestep.png",
    "figures/stepping.png",
    "results/grasp_summary.csv",
    "figures/grasp.png",
    "results/grasp_nominal.csv",
    "results/controls_clamp.csv",
    "figures/ledger.png",
]
TWO_DROPS = {  # and the least that a configuration has beside them
    "stepping": {},
    "drop": {"sweeps": {"mine": {"engine": ["3.17.0"], "dt_ms": [2, 25]}}},
    "pick": {"sweeps": {"friction": PICK}, "nominal": PICK | {"position": ["nominal"]}, "checks": []},
}
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # on which `snakemake` is this environment's


OTHER = next(architecture for architecture in engines.DEBIAN if architecture != engines.own_architecture())
EMULATED = f"3.17.0-{OTHER}"  # an engine of another architecture than this machine's


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--hard", action="store_true", help="all seeds of tests/hard, as in `make test-hard`; else a few")
    parser.addoption("--robot", type=Path, help="the folder where the SO-101 already is; else it is fetched")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`@pytest.mark.seeds(short=2, hard=50)` runs a test once for each `seed`, from 0 to one below the number."""
    mark = metafunc.definition.get_closest_marker("seeds")
    if mark:
        metafunc.parametrize("seed", range(mark.kwargs["hard" if metafunc.config.getoption("hard") else "short"]))


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file, every value as text."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def published_table(name: str) -> pd.DataFrame:
    """A table of workflow/published, every value as text."""
    return pd.read_csv(PROJECT / f"workflow/published/{name}.csv", dtype=str, keep_default_na=False)


CLAIMS = rows(PROJECT / "workflow/published/claims.csv")


def claims_of(document: str, *sections: str) -> list[dict[str, str]]:
    """The published numbers of a document, or of some of its sections, one row each as in claims.csv."""
    return [claim for claim in CLAIMS if claim["document"] == document and (not sections or claim["section"] in sections)]


def drop_scene(**axes) -> mujoco.MjModel:
    """The published drop scene, compiled, with some axes moved."""
    return mujoco.MjModel.from_xml_string(drop_mjcf(**SCENE | axes))


def on_the_table(model: mujoco.MjModel, data: mujoco.MjData) -> list[Record]:
    """The records of the cube's body with the table."""
    return Between(model, data, subtree_geoms(model, "cube"), [model.geom("table").id]).each()


TABLE = '<geom name="table" type="box" size=".2 .2 .005" pos="0 0 .295"/>'
CUBE = """<body name="cube" pos="0 0 .6"><freejoint name="cube"/>
  <geom name="cube" type="box" size=".025 .025 .025" mass=".1"/></body>"""


def write_scene(folder: Path, body: str = TABLE + CUBE, name: str = "my_scene.xml", head: str = "") -> Path:
    """A drop scene of the user's own, MJCF with `body` in its worldbody."""
    (folder / name).write_text(f"<mujoco>{head}<worldbody>{body}</worldbody></mujoco>", encoding="utf-8")
    return folder / name


def changed(key: str, value) -> dict:
    """The published configuration with one key set; a dot goes one level down."""
    config = copy.deepcopy(PUBLISHED)
    *path, last = key.split(".")
    holder = config
    for step in path:
        holder = holder[step]
    holder[last] = value
    return config


def refusal(config: dict, envs: Path = ENVS) -> str:
    """The one line in which a configuration is refused."""
    with pytest.raises(messages.ConfigError) as caught:
        checks.checked(config, SCHEMA, envs)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 400
    return text


def run_script(name: str, *arguments, python=sys.executable, cwd: Path | None = None, **environment: str) -> str:
    """Standard output of a script of the workflow, run as a rule runs it."""
    [script] = PROJECT.glob(f"scripts/*/{name}")
    environment = os.environ | {"PYTHONPATH": str(PROJECT / "scripts")} | environment
    command = [python, script, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def call_script(name: str, *arguments, **environment: str) -> str:
    """The same without a new interpreter, which takes a second to import what is here already."""
    command = [name, *map(str, arguments)]
    said = io.StringIO()
    with mock.patch.object(sys, "argv", command), mock.patch.dict(os.environ, environment), contextlib.redirect_stdout(said):
        importlib.import_module(name.removesuffix(".py")).main()
    return said.getvalue()


@pytest.fixture(scope="session")
def robot_folder(request, tmp_path_factory) -> Path:
    """The folder of the SO-101, which is never committed."""
    if known := request.config.getoption("--robot"):
        return known.resolve()
    folder = tmp_path_factory.mktemp("so101")
    digest = SCHEMA["properties"]["pick"]["properties"]["robot"]["properties"]["digest"]["default"]
    robot_fetch.fetch("wheel", PROJECT / "envs/so101.txt", digest, folder)
    return folder


@pytest.fixture
def in_run(tmp_path, monkeypatch):
    """in_run(seconds) makes the test's folder that of a run, in which a cell is given up after so many seconds."""

    def begin(cell_limit_s: float) -> None:
        monkeypatch.chdir(tmp_path)
        current_run.PATH.parent.mkdir()
        current_run.tell("this machine", {}, cell_limit_s)

    return begin


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
        """Snakemake in this folder, by a fork that has imported it."""
        return forked_snakemake.run(["--cores", "2", *arguments], self.folder, PROJECT, env)

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
        for name in (".seal.ledger.csv", "index.html", ".seal.index.html"):  # these hold what a clock said
            content.pop(f"results/{name}", None)
        if ledger := content.get("results/ledger.csv"):
            content["results/ledger.csv"] = b"\n".join(line for line in ledger.splitlines() if b",timing," not in line)
        return content

    def share_engines(self) -> None:
        """Put the engines, which are large, beside the project, where all copies find them by a link."""
        engines = self.folder / ".engines"
        engines.symlink_to(engines.rename(self.folder.with_name("engines")))

    def own_engines(self) -> None:
        """Engines of its own for a copy, in place of the link to those that all copies share."""
        link = self.folder / ".engines"
        shared = link.readlink()
        link.unlink()
        shutil.copytree(shared, link, symlinks=True)

    def half_written(self) -> list[Path]:
        """Temporary files that jobs or the store have left."""
        return [*self.folder.rglob(".part.*"), *self.folder.glob(".store/tmp*")]


@pytest.fixture(scope="session")
def with_engine(tmp_path_factory) -> Workflow:
    """A copy of the project in which a run has built an engine; to be copied. Copies share it, and those that they build."""
    workflow = Workflow(tmp_path_factory.mktemp("engine") / "a project")
    workflow.executed(".engines/3.17.0/engine.json")
    workflow.share_engines()
    return workflow


@pytest.fixture
def workflow(with_engine, tmp_path: Path) -> Workflow:
    """A copy of the project, in a folder with a blank in its name, in which nothing is made but the engine."""
    return with_engine.copied_to(tmp_path / "a project")


@pytest.fixture
def bare(tmp_path: Path) -> Workflow:
    """The same without an engine."""
    return Workflow(tmp_path / "a project")


@pytest.fixture(scope="session")
def prepared(with_engine, tmp_path_factory) -> Workflow:
    """A copy of the project with an engine and the SO-101, the small grid configured, no cell run; copies share the engine."""
    workflow = with_engine.copied_to(tmp_path_factory.mktemp("prepared") / "a project")
    workflow.configure(CHEAP)
    workflow.executed("results/models/so101/so101.xml")
    return workflow


@pytest.fixture(scope="session")
def undisturbed(prepared, tmp_path_factory) -> Workflow:
    """A copy in which one run that nothing disturbed has made the small grid; to be copied and compared with, never changed."""
    workflow = prepared.copied_to(tmp_path_factory.mktemp("undisturbed") / "a project")
    workflow.executed(*CHEAP_TARGETS)
    return workflow


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A browser without a network."""
    yield from browsing(tmp_path_factory.mktemp("browser"))
