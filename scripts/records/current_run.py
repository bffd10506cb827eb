"""What a run of the workflow tells its jobs beside their arguments: one file, which its start writes.

It says what made a record, and when a cell is given up. What a cell depends on stands in the job's own params.
"""

import functools
import json
import math
import os
from pathlib import Path

PATH = Path(".snakemake/contactlab.json")


def tell(machine: str, code: dict[str, str], cell_limit_s: float) -> None:
    """Write the file: the machine that the run was planned for, the digest of each script's code, and a cell's seconds."""
    part = PATH.with_suffix(".part")
    part.write_text(json.dumps({"machine": machine, "code": code, "cell_limit_s": cell_limit_s}, indent=1), encoding="utf-8")
    os.replace(part, PATH)


def forget() -> None:
    """Remove the file, so that a script run by hand later belongs to no run."""
    PATH.unlink(missing_ok=True)


def machine() -> str | None:
    """The machine that the run was planned for; None outside of a run."""
    return _told().get("machine")


def code_of(script: str) -> str | None:
    """The digest of a script's code by the name of its file; "unknown" if the run has no such script, None outside of a run."""
    told = _told()
    return told["code"].get(script, "unknown") if told else None


def cell_limit_s() -> float:
    """Seconds of processor time after which a cell is given up; infinite outside of a run."""
    return _told().get("cell_limit_s", math.inf)


def _told() -> dict:
    path = PATH.absolute()  # a process may work in several folders, as tests do
    return _read(path, path.stat().st_mtime_ns) if path.is_file() else {}


@functools.lru_cache(maxsize=1)
def _read(path: Path, _written_ns: int) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))
