"""Engines of another architecture: their names, what stops them, the launcher, and the table beside the published numbers."""

import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import textwrap

import architectures_table
import configuration
import engine_emulate
import pandas as pd
import pytest
from conftest import PROJECT, SCHEMA
from ledger_table import CLAIM, ledger
from snakemake_executor_plugin_prefork.command import parse
from snakemake_executor_plugin_prefork.interpreters import Interpreters
from test_configuration import ENVS, changed, error
from test_workflow import SMALL

import provenance
from records import engines, settings

OTHER = next(architecture for architecture in engines.DEBIAN if architecture != platform.machine())
ENGINE = f"3.17.0-{OTHER}"
needs_qemu = pytest.mark.skipif(engines.hindrance(ENGINE) is not None, reason=f"engine {ENGINE}, {engines.hindrance(ENGINE)}")


@pytest.fixture
def qemu_of(monkeypatch):
    """Makes a machine of one architecture out of this one, with all programs or without one of them."""

    def change(machine: str, without: str = "") -> None:
        monkeypatch.setattr(platform, "machine", lambda: machine)
        monkeypatch.setattr(shutil, "which", lambda program: None if program == without else f"/usr/bin/{program}")

    return change


@pytest.fixture(scope="session")
def emulated(tmp_path_factory):
    """The interpreter of an emulated engine, in a folder with a blank in its name."""
    folder = tmp_path_factory.mktemp("an engine") / ENGINE
    versions = engine_emulate.build(ENVS / "mujoco-3.17.0.txt", OTHER, folder)
    assert (versions["mujoco"], versions["architecture"]) == ("3.17.0", OTHER)
    assert {"python3", "libc6", "libstdc++6"} <= versions["debian"].keys()
    assert "qemu" in versions["qemu"]
    assert not list(folder.parent.glob(".part.*"))
    return folder / "bin/python"


@pytest.mark.parametrize(
    ("engine", "parts"),
    [
        ("3.17.0", ("3.17.0", "")),
        ("3.17.0-aarch64", ("3.17.0", "aarch64")),
        ("4.0.0-x86_64", ("4.0.0", "x86_64")),
    ],
)
def test_an_engine_is_a_version_and_perhaps_an_architecture(engine, parts):
    assert engines.split(engine) == parts
    assert configuration.lock(ENVS, engine).name == f"mujoco-{parts[0]}.txt"


@pytest.mark.parametrize(
    ("machine", "without", "engine", "expected"),
    [
        ("x86_64", "qemu-aarch64-static", "3.17.0", None),
        ("x86_64", "", "3.17.0-aarch64", None),
        ("aarch64", "", "3.17.0-x86_64", None),
        ("aarch64", "", "3.17.0-aarch64", "which is this machine's own architecture; allowed: 3.17.0"),
        (
            "x86_64",
            "qemu-aarch64-static",
            "3.17.0-aarch64",
            "needs qemu-aarch64-static; allowed: 3.17.0, or 3.17.0-aarch64 once",
        ),
        ("aarch64", "qemu-x86_64-static", "3.17.0-x86_64", "once Debian's package qemu-user-static is installed"),
        ("x86_64", "apt-get", "3.17.0-aarch64", "needs apt-get; allowed: "),
        ("x86_64", "dpkg-deb", "3.17.0-aarch64", "once Debian's package dpkg is installed"),
    ],
)
def test_what_keeps_an_engine_from_running_is_one_line(qemu_of, machine, without, engine, expected):
    qemu_of(machine, without)
    assert (expected or "None") in str(engines.hindrance(engine))
    if expected:
        line = error(changed("drop.sweeps.timestep.engine", [engine]))
        assert line == f"config.drop.sweeps.timestep.engine is {engine}, {engines.hindrance(engine)}"


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("drop.sweeps.timestep.engine", ["3.17.0-arm"], "engine[0] is '3.17.0-arm'; allowed: a version such as 3.17.0"),
        ("drop.sweeps.timestep.engine", ["2.0.0-aarch64"], "engine is 2.0.0-aarch64, which has no lock in envs/; allowed: "),
        ("drop.sweeps.integrators.engine", ["3.11.0-aarch64"], "is discrete, which MuJoCo 3.11.0 lacks; allowed: 3.13.0"),
        ("architectures.engine", "3.17.0", "config.architectures.engine is '3.17.0'; allowed: a version and an architecture"),
        (
            "architectures",
            {"engine": "3.11.0-aarch64", "drop": ["integrators"]},
            "integrator is discrete, which MuJoCo 3.11.0 lacks; allowed: 3.13.0",
        ),
        ("architectures.drop", ["thick"], "architectures.drop is thick, which is no sweep; allowed: timestep, integrators"),
        ("architectures.pick", [], "config.architectures.pick is []; allowed: 1 or more"),
        ("drop.sweeps", {"architectures": {"engine": ["3.17.0"], "dt_ms": [2]}}, "has the name 'architectures'; allowed: "),
    ],
)  # fmt: skip
def test_a_fault_is_one_line(qemu_of, key, value, expected):
    qemu_of("x86_64")
    assert expected in error(changed(key, value))


def test_the_configuration_is_read_where_nothing_can_be_emulated(qemu_of):
    """Only a run that uses the other architecture needs QEMU."""
    qemu_of("aarch64", "qemu-x86_64-static")
    assert configuration.checked(changed("max_cells", 20000), SCHEMA, ENVS)["architectures"]["engine"] == "3.17.0-aarch64"


def test_without_qemu_one_line_stops_before_any_job(workflow):
    workflow.configure(SMALL | {"architectures": {"engine": ENGINE, "drop": ["timestep"]}})
    done = workflow.run(f"results/architectures/{ENGINE}/timestep.csv", env=os.environ | {"PATH": str(workflow.folder)})
    assert done.returncode != 0
    [line] = [line for line in done.stdout.splitlines() if "allowed" in line]
    assert f"engine {ENGINE}, which needs qemu-{OTHER}-static; allowed: 3.17.0, or {ENGINE} once Debian's package" in line
    assert not (workflow.folder / "results/models").exists()


def test_emulation_is_part_of_the_machine():
    own, other = provenance.machine(), provenance.machine(OTHER)
    assert own != other
    assert other == own.replace("machine ", f"machine {OTHER} by qemu-user on ")


@needs_qemu
def test_the_launcher_is_an_interpreter_like_any_other(emulated, tmp_path, monkeypatch):
    """A relative path, another folder, blanks in paths and arguments, exit codes, signals, children of its own."""
    (tmp_path / "a script.py").write_text(
        textwrap.dedent("""
            import os, platform, signal, subprocess, sys
            print(platform.machine(), sys.argv[1:])
            os.chdir("/")
            child = "import platform, numpy; print(platform.machine(), numpy.__name__)"
            print(subprocess.run([sys.executable, "-c", child], capture_output=True, text=True, check=True).stdout, end="")
            sys.stdout.flush()
            if sys.argv[1] == "signal":
                os.kill(os.getpid(), signal.SIGTERM)
            sys.exit(int(sys.argv[1]))
        """),
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    launcher = os.path.relpath(emulated)
    for word, code in (("0", 0), ("3", 3), ("signal", -signal.SIGTERM)):
        done = subprocess.run([launcher, "a script.py", word, "two words"], capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        assert done.stdout.splitlines() == [f"{OTHER} ['{word}', 'two words']", f"{OTHER} numpy"]


@needs_qemu
def test_a_warm_emulated_interpreter_forks(emulated, tmp_path, monkeypatch):
    """What it has imported is there at once in every fork; exit codes and signals arrive."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "python").symlink_to(emulated)
    (tmp_path / "job.py").write_text(
        "import os, platform, sys\nprint(platform.machine(), 'mujoco' in sys.modules)\nsys.stdout.flush()\n"
        "os.abort() if sys.argv[1] == 'abort' else sys.exit(int(sys.argv[1]))\n"
    )
    warned = []
    warm = Interpreters(["mujoco"], 1, warned.append)
    env = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    try:
        for word, code in (("0", 0), ("3", 3), ("abort", -signal.SIGABRT)):
            fork = warm.fork(parse(f"./python job.py {word} > {word}.log"), env, executable="/bin/bash")
            assert fork.wait() == code
            assert (tmp_path / f"{word}.log").read_text() == f"{OTHER} True\n"
    finally:
        warm.close()
    assert warned == []


@needs_qemu
def test_a_drop_ends_as_on_this_machine(emulated, tmp_path):
    """Free fall is the same to the last bit, contact is not: outcomes agree, digests need not."""
    cell = settings.to_words(configuration.defaults(SCHEMA, "drop") | {"dt_ms": 25, "duration_s": 0.6})
    scene = tmp_path / "scene.xml"
    scenes = [word for word in cell if SCHEMA["$defs"]["drop_axes"]["properties"][word.split("=")[0]]["stage"] == "model"]
    subprocess.run([sys.executable, PROJECT / "scripts/drop_model.py", "--out", scene, *scenes], check=True)
    found = []
    for python in (sys.executable, emulated):
        out = tmp_path / f"{len(found)}.json"
        subprocess.run([python, PROJECT / "scripts/drop_run.py", "--model", scene, "--out", out, *cell], check=True)
        found.append(json.loads(out.read_text(encoding="utf-8"))["result"])
    own, other = found
    assert own["outcome"] == "passed"
    for name in ("outcome", "failure_mode", "side", "first_overlap_centre_m", "impact_speed_m_per_s"):
        assert own[name] == other[name], name


def summary(engine: str, **counts: list) -> pd.DataFrame:
    """A summary of the picks at mu 0.005 and of those of 0.45 kg, with the counts of both."""
    axes = {"sweep": ["friction", "mass"], "engine": engine, "mu": [0.005, 0.3], "mass_kg": [0.03, 0.45], "cap_Nm": 0.5}
    return pd.DataFrame(axes | {"successes": counts["held"], "n": 10, "outcome": "mixed"} | counts)


def test_published_rows_stand_beside_those_of_each_architecture(claims):
    """Lesson 16 prints 0 held, 10 not closed and 10 flung at mu 0.005 (A), and 16.47 N and "dropped" at 0.45 kg (C)."""
    columns = pd.read_csv(PROJECT / "workflow/published/columns.csv", dtype=str, keep_default_na=False).drop(columns="case")
    published = pd.DataFrame(claims).merge(columns, on=["document", "section", "quantity"])
    measured = {"held": [1, 0], "not_closed": [2, 3], "dropped": [7, 7], "flung": [8, 0], "squeeze_N": [14.5, 16.5]}
    own, other = (summary(engine, **measured) for engine in ("3.17.0", ENGINE))
    found = {ENGINE: {"grasp_summary": other, "grasp_converged": other.assign(iterations=100)}}
    found |= {"3.17.0": {"grasp_summary": own, "grasp_converged": own.assign(iterations=100)}}
    table = architectures_table.architectures(found, published, {})
    assert "iterations" not in table
    architecture = ["published", OTHER, platform.machine(), OTHER, platform.machine()]
    assert list(table["architecture"]) == architecture * 2
    assert list(table["solver"]) == ["stock", "stock", "stock", "converged", "converged"] * 2
    slippery, heavy = (table[table["sweep"] == sweep].iloc[0] for sweep in ("friction", "mass"))
    names = ["n", "held", "not_closed", "dropped", "flung"]
    assert list(slippery[names]) == [10, 0, 10, 0, 10]
    assert pd.isna(slippery["squeeze_N"])
    assert list(heavy[names[:-1]]) == [10, 0, 0, 10]
    assert pd.isna(heavy["flung"])
    assert heavy["squeeze_N"] == 16.47
    assert list(table.loc[table["architecture"] == OTHER, "held"]) == [1, 1, 0, 0]


def test_the_ledger_has_a_verdict_for_the_emulated_engine(claims):
    """Table A's row at mu 0.005 prints 10 picks not closed; the drop tables have not been made there."""
    columns = pd.read_csv(PROJECT / "workflow/published/columns.csv", dtype=str, keep_default_na=False)
    claims = [claim for claim in claims if claim["document"] != "grasp" or claim["quantity"] in ("not_closed", "squeeze")]
    causes = pd.DataFrame(columns=[*CLAIM, "cause", "target"], dtype=str)
    counts = {"held": [0, 0], "dropped": [7, 10], "flung": [8, 0], "squeeze_N": [14.5, 16.5]}
    own, other = (
        {"grasp_summary": summary(engine, not_closed=[closed, 0], **counts)} for engine, closed in (("3.17.0", 3), (ENGINE, 10))
    )
    table = ledger(pd.DataFrame(claims), columns, causes, own, {}, other)
    assert len(table) == len(claims)
    emulated = ["emulated_engine", "emulated_measured", "emulated_verdict"]
    [row] = table[(table["case"] == "mu=0.005;mass=0.03;cap=0.5") & (table["quantity"] == "not_closed")].to_dict("records")
    assert (row["measured"], row["verdict"]) == ("3", "differs")
    assert [row[name] for name in emulated] == [ENGINE, "10", "exact"]
    assert (table.loc[table["document"] != "grasp", emulated] == "").all(axis=None)
    alone = ledger(pd.DataFrame(claims), columns, causes, own, {})
    assert (alone[emulated] == "").all(axis=None)
    assert alone.drop(columns=emulated).equals(table.drop(columns=emulated))


@needs_qemu
def test_the_ledger_asks_for_an_emulated_table_only_where_there_is_one(workflow):
    workflow.configure(SMALL | {"architectures": {"engine": ENGINE}})
    assert "architecture_drop_table" not in workflow.run("--dry-run", "results/ledger.csv").stdout
    table = workflow.folder / f"results/architectures/{ENGINE}/timestep.csv"
    table.parent.mkdir(parents=True)
    table.touch()
    planned = workflow.run("--dry-run", "results/ledger.csv").stdout
    assert "architecture_drop_table" in planned
    assert "architecture_pick_summary" not in planned
