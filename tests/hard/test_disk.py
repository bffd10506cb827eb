"""A full disk and folders that cannot be written: one line says which, nothing half-written stays, the next run completes."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import Workflow
from live import assert_same

TARGETS = ["results/timestep.csv", "figures/timestep.png"]
FOLDERS = ["results", "figures", "logs", ".store", ".engines", ".snakemake"]


def mount(*arguments: str | Path) -> None:
    """Mount, or skip the test where that is not allowed."""
    if subprocess.run(["mount", *map(str, arguments)], capture_output=True, check=False).returncode:
        pytest.skip("mounting a disk for the test needs root")


@contextmanager
def disk(folder: Path) -> Iterator[None]:
    """A disk of its own, in memory, at `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    mount("-t", "tmpfs", "-o", "size=64m", "tmpfs", folder)
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


@contextmanager
def unwritable(folder: Path) -> Iterator[None]:
    """A folder that not even root can write into."""
    folder.mkdir(parents=True, exist_ok=True)
    mount("--bind", folder, folder)
    try:
        mount("-o", "remount,bind,ro", folder)
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


@contextmanager
def replaced_by_a_file(folder: Path) -> Iterator[None]:
    """A file where the folder belongs."""
    aside = folder.with_name("aside")
    if os.path.lexists(folder):
        folder.rename(aside)
    folder.touch()
    yield
    folder.unlink()
    if os.path.lexists(aside):
        aside.rename(folder)


@contextmanager
def filled(folder: Path, kilobytes: int) -> Iterator[None]:
    """Fill the disk of `folder` but for some kilobytes, as long as the block lasts."""
    filler = folder / "filler"
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(folder).free - 1024 * kilobytes)
    yield
    filler.unlink()


FULL = r"^((.*, )?{0}(, .*)?: the disk is full, \d+ kB are left|\w+\.py: .*No space left on device: '{0}/.*')$"
PLACES = [".store", "results", "logs", ".", "figures", "results/drop"]


def fill_and_empty(workflow: Workflow, undisturbed: Workflow, place: str, kilobytes: int, *targets: str) -> None:
    """Run where the disk at `place` has so little room; then again with room for all."""
    with filled(workflow.folder / place, kilobytes):
        done = workflow.run(*targets)
    assert done.returncode != 0 or place == "logs"  # jobs that say nothing need no room there
    assert re.search(FULL.format(re.escape("results" if place == "." else place)), done.stdout, re.MULTILINE), done.stdout
    assert not workflow.half_written()
    again = workflow.run(*targets)
    assert again.returncode == 0, again.stdout
    assert_same(workflow, undisturbed, *targets)


@pytest.mark.seeds(short=0, hard=12)
def test_a_disk_fills_up_in_the_middle_of_a_run(prepared, undisturbed, tmp_path, seed):
    """A disk of its own for one place after the other; what cannot be written is said by the job, or at the end of the run."""
    place, kilobytes = PLACES[seed % 6], (8, 16)[seed // 6]
    with disk(tmp_path / "copy" / place):
        workflow = prepared.copied_to(tmp_path / "copy")
        fill_and_empty(workflow, undisturbed, place, kilobytes if place != "." else 10 * kilobytes, *TARGETS)


def test_a_compiled_model_is_not_cut_short(prepared, undisturbed, tmp_path):
    """MuJoCo itself would only warn."""
    place = "results/models/pick/3.17.0"
    workflow = prepared.copied_to(tmp_path / "copy")
    with disk(workflow.folder / place):
        fill_and_empty(workflow, undisturbed, place, 400, f"{place}/mu=0.3,mass_kg=0.03,cap_Nm=0.5.mjb")


@pytest.mark.seeds(short=2, hard=12)
def test_a_folder_that_cannot_be_written_stops_the_run_before_any_job(prepared, tmp_path, seed):
    """Each folder that a run writes into, with a file in its place or read-only."""
    folder, read_only = FOLDERS[seed // 2], seed % 2
    workflow = prepared.copied_to(tmp_path / "copy")
    place = workflow.folder / folder
    with unwritable(place) if read_only else replaced_by_a_file(place):
        done = workflow.run(*TARGETS)
    assert done.returncode != 0
    assert "Job stats" not in done.stdout
    wrong = "cannot be written; allowed: a folder in which you may write" if read_only else "is not a folder; allowed: one "
    [line] = [line for line in done.stdout.splitlines() if "allowed" in line]
    assert line.startswith(f"{folder} {wrong}")
    assert "Traceback" not in done.stdout


def test_a_store_elsewhere_that_cannot_be_written_is_named(prepared, tmp_path):
    workflow = prepared.copied_to(tmp_path / "copy")
    store = tmp_path / "store"
    store.touch()
    done = workflow.run(*TARGETS, env=os.environ | {"SNAKEMAKE_OUTPUT_CACHE": str(store / "mine")})
    assert done.returncode != 0
    assert f"{store} is not a folder; allowed: one in which you may write, or nothing\n" in done.stdout
