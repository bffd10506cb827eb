"""The folder of a run and its store."""

import os
import subprocess
import sys
from pathlib import Path

from lib import run_folder

USE = "import pathlib, run_folder, sys; run_folder.use_store(pathlib.Path(sys.argv[1])); print(); input()"


def user_of(store: Path) -> subprocess.Popen:
    """A process that uses a store until its input ends."""
    environment = os.environ | {"PYTHONPATH": str(Path(run_folder.__file__).parent)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    user = subprocess.Popen([sys.executable, "-c", USE, store], env=environment, **pipes)
    assert user.stdout.readline()
    return user


def test_what_a_killed_run_left_half_stored_goes_once_nobody_uses_the_store(tmp_path):
    with user_of(tmp_path) as user:
        (tmp_path / "entry").touch()
        (tmp_path / "tmpabc").mkdir()
        (tmp_path / "tmpabc/half").touch()
        user_of(tmp_path).communicate()  # it may be the first one's
        assert {path.name for path in tmp_path.iterdir()} == {"entry", "tmpabc"}
        user.kill()
    user_of(tmp_path).communicate()
    assert [path.name for path in tmp_path.iterdir()] == ["entry"]
