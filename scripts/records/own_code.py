"""Code of the user's own, called so that nothing of what it may do harms a run: it may raise, print, write files and never end.

It runs in a process of its own, which works in a scratch folder and is ended at the limit of a cell.
"""

import importlib.util
import itertools
import json
import math
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

from records.ended import CANNOT_RUN, FAILED, TIMED_OUT

CLOCK = 10  # times the limit of processor time, after which code that waits is ended by the clock
LONGEST = 300  # characters of a reason

_names = itertools.count()


class CannotRunError(Exception):
    """Code that does not run on this engine; its text is one line."""


def load(path: str | os.PathLike, function: str) -> Callable:
    """A function of a file, from a module that is made anew. The file may import what lies beside it.

    Raises CannotRunError, in one line, for a file that raises when it is imported.
    """
    file = Path(path).resolve()
    if str(file.parent) not in sys.path:
        sys.path.insert(0, str(file.parent))
    name = f"{file.stem}_{next(_names)}"
    spec = importlib.util.spec_from_file_location(name, file)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        return getattr(module, function)
    except BaseException as error:
        raise CannotRunError(said(error)) from error


def guarded(call: Callable[[], dict], limit_s: float = math.inf) -> dict:
    """What `call` returns, which JSON can hold; or an `outcome` that is no result, and `why` in one line.

    FAILED where it raises or dies, CANNOT_RUN where it raises CannotRunError, TIMED_OUT where it takes more than `limit_s`
    seconds of processor time, or CLOCK times as long by the clock.
    """
    with tempfile.TemporaryDirectory() as scratch:
        returned = Path(scratch, "returned.json")
        (folder := Path(scratch, "folder")).mkdir()
        # The code's own process; forked, as it is to have all that was loaded here.
        child = multiprocessing.get_context("fork").Process(target=_call, args=(call, limit_s, folder, returned))
        child.start()
        child.join(None if math.isinf(limit_s) else CLOCK * limit_s)
        if waiting := child.is_alive():
            child.kill()
            child.join()
        if returned.exists():
            return json.loads(returned.read_text(encoding="utf-8"))
    if waiting or -child.exitcode == signal.SIGXCPU:
        return {"outcome": TIMED_OUT}
    ended = f"signal {-child.exitcode}" if child.exitcode < 0 else f"exit code {child.exitcode}"
    return {"outcome": FAILED, "why": f"the code ended its process, {ended}"}


def _call(call: Callable[[], dict], limit_s: float, folder: Path, returned: Path) -> None:
    """In the process of the code: call it, and write what it returns, whole or not at all."""
    os.chdir(folder)
    if math.isfinite(limit_s):
        seconds = math.ceil(limit_s)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    try:
        found = call()
    except CannotRunError as error:
        found = {"outcome": CANNOT_RUN, "why": str(error)}
    except TimeoutError as error:
        found = {"outcome": TIMED_OUT, "why": str(error)}
    except BaseException as error:
        traceback.print_exc()
        found = {"outcome": FAILED, "why": said(error)}
    part = returned.with_suffix(".part")
    part.write_text(json.dumps(found), encoding="utf-8")
    os.replace(part, returned)


def said(error: BaseException) -> str:
    """An error as one line: its kind, its text, and the file and the line that raised it."""
    text = " ".join(str(error).split())
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    line = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return (line if len(line) <= LONGEST else f"{line[: LONGEST - 3]}...") + place


def checked(returned: object, reserved: frozenset[str]) -> dict[str, bool | int | float | str]:
    """What a function of the user's own returned: a mapping of numbers, texts and yes/no by name.

    Raises TypeError or ValueError, in one line, for anything else.
    """
    if not isinstance(returned, dict):
        raise TypeError(f"it returned a {type(returned).__name__}; allowed: a mapping of numbers, texts and yes/no by name")
    found = {}
    for name, value in returned.items():
        if not isinstance(name, str) or not name.isidentifier() or name in reserved or name.endswith(("_low", "_high")):
            raise ValueError(f"it returned the name {name!r}; allowed: letters, digits and _, and no column of the tables")
        value = value.item() if hasattr(value, "item") and getattr(value, "size", 1) == 1 else value
        if not isinstance(value, bool | int | float | str):
            raise TypeError(f"{name} is a {type(value).__name__}; allowed: a number, a text, or True or False")
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{name} is {value}; allowed: a finite number")
        found[name] = value
    return found
