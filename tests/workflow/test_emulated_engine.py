"""An emulated engine: its launcher, warm forks of it, a drop, and what the workflow says where there is none."""

import json
import os
import signal
import subprocess
import sys
import textwrap

import engine_emulate
import pytest
from conftest import EMULATED, ENVS, OTHER, SCENE, SCHEMA, SMALL, run_script
from snakemake_executor_plugin_prefork.command import parse
from snakemake_executor_plugin_prefork.interpreters import Interpreters

from lib import schema
from records import engines, settings

HINDRANCE = engines.hindrance(EMULATED)
needs_qemu = pytest.mark.skipif(HINDRANCE is not None, reason=f"engine {EMULATED}, {HINDRANCE}")


@pytest.fixture(scope="session")
def emulated(tmp_path_factory):
    """The interpreter of an emulated engine, in a folder with a blank in its name."""
    folder = tmp_path_factory.mktemp("an engine") / EMULATED
    versions = engine_emulate.build(ENVS / "mujoco-3.17.0.txt", OTHER, folder)
    assert (versions["mujoco"], versions["architecture"]) == ("3.17.0", OTHER)
    assert {"python3", "libc6", "libstdc++6"} <= versions["debian"].keys()
    assert "qemu" in versions["qemu"]
    assert not list(folder.parent.glob(".part.*"))
    return folder / "bin/python"


def test_without_qemu_one_line_stops_before_any_job(workflow):
    workflow.configure(SMALL | {"architectures": {"engine": EMULATED, "drop": ["timestep"]}})
    done = workflow.run(f"results/architectures/{EMULATED}/timestep.csv", env=os.environ | {"PATH": str(workflow.folder)})
    assert done.returncode != 0
    [line, *_] = [line for line in done.stdout.splitlines() if "allowed" in line]
    assert f"engine {EMULATED}, which needs qemu-{OTHER}-static; allowed: 3.17.0, or {EMULATED} once Debian's package" in line
    assert not (workflow.folder / "results/models").exists()


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
    scene, found = tmp_path / "scene.xml", []
    cell = schema.defaults(SCHEMA, "drop") | {"dt_ms": 25, "duration_s": 0.6}
    run_script("drop_model.py", "--out", scene, *settings.to_words(SCENE))
    for python in (sys.executable, emulated):
        out = tmp_path / f"{len(found)}.json"
        run_script("drop_run.py", "--model", scene, "--out", out, *settings.to_words(cell), python=python)
        found.append(json.loads(out.read_text(encoding="utf-8"))["result"])
    own, other = found
    assert own["outcome"] == "passed"
    for name in ("outcome", "failure_mode", "side", "first_overlap_centre_m", "impact_speed_m_per_s"):
        assert own[name] == other[name], name


@needs_qemu
def test_the_ledger_asks_for_an_emulated_table_only_where_there_is_one(workflow):
    workflow.configure(SMALL | {"architectures": {"engine": EMULATED}})
    assert "architecture_drop_table" not in workflow.run("--dry-run", "results/ledger.csv").stdout
    table = workflow.folder / f"results/architectures/{EMULATED}/timestep.csv"
    table.parent.mkdir(parents=True)
    table.touch()
    planned = workflow.run("--dry-run", "results/ledger.csv").stdout
    assert "architecture_drop_table" in planned
    assert "architecture_pick_summary" not in planned
