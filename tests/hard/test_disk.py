"""A full disk and folders that cannot be written: one line says which, nothing half-written stays, the next run completes."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from live import half_written, made

TARGETS = ["results/timestep.csv", "figures/timestep.png"]
FOLDERS = ["results", "figures", "logs", ".store", ".engines", ".snakemake"]


@pytest.fixture(scope="module")
def expected(prepared, tmp_path_factory) -> dict[str, bytes]:
    """What a run makes that has room."""
    workflow = prepared.copied_to(tmp_path_factory.mktemp("disk") / "with room")
    workflow.executed(*TARGETS)
    return made(workflow)


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
def filled(folder: Path, kilobytes: int) -> Iterator[None]:
    """Fill the disk of `folder` but for some kilobytes, as long as the block lasts."""
    filler = folder / "filler"
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(folder).free - 1024 * kilobytes)
    yield
    filler.unlink()


def lines(done: subprocess.CompletedProcess, word: str) -> list[str]:
    return [line for line in done.stdout.splitlines() if word in line]


@pytest.mark.parametrize("folder", ["results", "results/drop", "figures", "logs", ".store", "."])
@pytest.mark.seeds(short=1, hard=3)
def test_a_disk_fills_up_in_the_middle_of_a_run(prepared, expected, tmp_path, folder, seed):
    place = tmp_path / "copy"
    with disk(place / folder):
        workflow = prepared.copied_to(place)
        with filled(place / folder, (12, 28, 60)[seed]):
            done = workflow.run(*TARGETS)
        print(done.stdout)
        assert done.returncode != 0
        assert not half_written(workflow)
        assert done.stdout.count("No space left on device") + len(lines(done, "full disk")) == 0
        again = workflow.run(*TARGETS)
        assert again.returncode == 0, again.stdout
        assert made(workflow) == expected
        assert not half_written(workflow)
