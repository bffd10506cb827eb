"""The folder that a run works in: one run at a time, all of it can be written, and room is left.

Snakemake's own lock is a file, which a killed run leaves behind: the next one stops until someone has made sure that nothing
runs and has said `--unlock`. The profiles turn it off (`nolock`) in favour of a lock that the system releases at the end of the
process that holds it, however it ends.
"""

import fcntl
import os
import shutil
from collections.abc import Iterable
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


def shortages(folders: Iterable[Path]) -> list[str]:
    """A line for each folder whose disk is full or nearly so, which is why jobs may have failed."""
    free = {folder: shutil.disk_usage(folder).free for folder in folders if folder.is_dir()}
    return [f"{folder} is on a full disk: {bytes_ // 1024} kB left" for folder, bytes_ in free.items() if bytes_ < SCARCE_BYTES]
