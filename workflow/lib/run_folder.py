"""The folder that a run works in: all of it can be written, one run is at work, nothing in it is dated tomorrow, room is left.

Snakemake's own lock is a file, which a killed run leaves behind: the next one stops until someone has made sure that nothing
runs and has said `--unlock`. The default profile turns it off (`nolock`) in favour of a lock that the system releases at the
end of the process that holds it, however it ends. On a cluster, where jobs outlive a killed run, Snakemake's own stays.
"""

import fcntl
import os
import shutil
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

SCARCE_BYTES = 2**20  # more than any table or cell


def check_writable(folders: Iterable[Path]) -> None:
    """Raise SystemExit with one line for a folder that is not there and cannot be made, or in which nothing can be written."""
    for folder in folders:
        nearest = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
        if not nearest.is_dir():
            raise SystemExit(f"{nearest} is not a folder; allowed: one in which you may write, or nothing")
        if not os.access(nearest, os.W_OK | os.X_OK):
            raise SystemExit(f"{nearest} cannot be written; allowed: a folder in which you may write")


def hold(path: Path) -> None:
    """Lock `path` until this process ends; no program that it starts inherits the lock.

    Raises SystemExit with one line, which names the other process, where one holds it.
    """
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)  # stays open
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.read(lock, 100).decode()
        raise SystemExit(f"process {holder} runs the workflow in this folder; allowed: one run at a time") from None
    os.truncate(lock, 0)
    os.write(lock, str(os.getpid()).encode())


def is_held(path: Path) -> bool:
    """Whether a process holds the lock at `path`."""
    if not path.exists():
        return False
    with path.open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def use_store(folder: Path) -> None:
    """Say until this process ends that it uses a store. What killed runs have left in it half stored goes if no other does.

    Snakemake moves what it stores through a folder tmp... in the store. Where the file system has no locks, they stay.
    """
    store = os.open(folder, os.O_RDONLY)  # stays open
    with suppress(OSError):
        fcntl.flock(store, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for left in folder.glob("tmp*"):
            shutil.rmtree(left)
    with suppress(OSError):
        fcntl.flock(store, fcntl.LOCK_SH)


def settle_dates(paths: Iterable[str]) -> None:
    """Date what lies in the future, as it does once the clock was set back, as of now: one date, so that nothing gets outdated.

    Snakemake refuses an output that is older than an input, so that until the clock has caught up every run would fail.
    """
    now = time.time_ns()
    for path in filter(os.path.lexists, paths):
        if os.lstat(path).st_mtime_ns > now:
            os.utime(path, ns=(now, now), follow_symlinks=False)


def report_shortages(folders: Iterable[Path]) -> None:
    """Print a line, with the folders on it, for each disk that is full or nearly so, which may be why a run has failed."""
    disks = {}
    for folder in filter(Path.is_dir, folders):
        disks.setdefault(folder.stat().st_dev, []).append(folder)
    for on_disk in disks.values():
        free = shutil.disk_usage(on_disk[0]).free
        if free < SCARCE_BYTES:
            print(f"{', '.join(map(str, on_disk))}: the disk is full, {free // 1024} kB are left", file=sys.stderr)
