"""What counts as a change of code, and what a job's software is."""

import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROJECT

from lib import provenance, syntax

SCRIPTS, SCRIPT = PROJECT / "scripts", "experiment/script.py"
MODULE = '''"""A module."""
from package.helper import offset

def distance(x):
    """Its docstring."""
    return x + offset  # why
'''


@pytest.fixture
def scripts(tmp_path):
    """A script that imports a module of the folder above, numpy and, through the module, a helper."""
    for folder in ("package", "experiment"):
        (tmp_path / folder).mkdir()
    (tmp_path / "package/__init__.py").write_text('"""A package."""\n')
    (tmp_path / "package/module.py").write_text(MODULE)
    (tmp_path / "package/helper.py").write_text("offset = 1\n")
    (tmp_path / "package/unused.py").write_text("import pandas\n")
    (tmp_path / SCRIPT).write_text("import numpy as np\nfrom package import module\n\nprint(module.distance(np.pi))\n")
    return tmp_path


def code(scripts) -> str:
    for kept in (provenance.code, provenance._imports, provenance._imported, provenance._module_files, syntax.of):
        kept.cache_clear()
    return provenance.code(scripts / SCRIPT)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("package/module.py", "# why", "# because"),
        ("package/module.py", "Its docstring.", "Another docstring."),
        ("package/module.py", "x + offset", "(x+offset)"),
        ("package/module.py", '"""A module."""\n', ""),
        (SCRIPT, "\n\n", "\n\n\n\n"),
        ("package/unused.py", "import pandas", "import scipy"),
    ],
)
def test_what_does_not_count(scripts, name, old, new):
    before, text = code(scripts), (scripts / name).read_text()
    assert old in text
    (scripts / name).write_text(text.replace(old, new))
    assert code(scripts) == before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("package/module.py", "x + offset", "x - offset"),
        ("package/helper.py", "offset = 1", "offset = 2"),
        ("package/__init__.py", '"""A package."""', "import os"),
        (SCRIPT, "np.pi", "np.e"),
    ],
)
def test_what_counts(scripts, name, old, new):
    before, text = code(scripts), (scripts / name).read_text()
    assert old in text
    (scripts / name).write_text(text.replace(old, new))
    assert code(scripts) != before


def test_a_digest_holds_no_path(scripts, tmp_path_factory):
    copy = tmp_path_factory.mktemp("elsewhere") / "clone"
    shutil.copytree(scripts, copy)
    assert code(copy) == code(scripts)


def test_a_cell_depends_on_the_physics_and_not_on_tables():
    names = {path.name for path in provenance.project_files(SCRIPTS / "drop/drop_run.py")}
    assert {"drop_run.py", "drop.py", "runs.py"} <= names
    assert not names & {"tables.py", "style.py", "stepping.py", "mjcf.py"}


def test_software_is_what_is_imported_in_the_locked_version():
    text = provenance.software(SCRIPTS / "drop/drop_run.py", PROJECT / "envs/mujoco-3.17.0.txt")
    assert re.fullmatch(r"software mujoco 3\.17\.0, numpy [0-9.]+", text)
    text = provenance.software(SCRIPTS / "drop/drop_table.py", PROJECT / "envs/workflow.txt")
    assert re.fullmatch(r"software numpy [0-9.]+, pandas [0-9.]+", text)


def test_an_import_without_a_lock_is_named():
    with pytest.raises(ValueError, match=r"drop_run\.py imports mujoco, which workflow\.txt does not lock"):
        provenance.software(SCRIPTS / "drop/drop_run.py", PROJECT / "envs/workflow.txt")


def test_a_mac_is_named_by_sysctl_where_there_is_no_proc(monkeypatch):
    def sysctl(command, **options):
        assert command == ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.CompletedProcess(command, 0, stdout="Apple M5\n")

    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    monkeypatch.setattr(subprocess, "run", sysctl)
    monkeypatch.setattr(Path, "is_file", lambda path: False)
    assert provenance.machine.__wrapped__() == "machine Darwin arm64 Apple M5"


def test_the_machine_is_named():
    system, architecture, *processor = provenance.machine().removeprefix("machine ").split()
    assert system
    assert architecture
    assert processor


@pytest.mark.parametrize("script", sorted(SCRIPTS.glob("*/*_run.py")), ids=lambda path: path.name)
def test_cells_import_numpy_and_mujoco_only(script):
    assert set(provenance._imports(script)[1]) <= {"numpy", "mujoco"}
