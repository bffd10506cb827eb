"""Snakemake in a fork of this process, which has imported it once: a start of its own takes a second longer, hundreds of times.

The fork knows nothing of the project but what lies in the folder that it works in: what this process has imported of the
project goes, and so do its places on the path.
"""

import atexit
import gc
import importlib
import os
import subprocess
import sys
import traceback
from pathlib import Path
from typing import NoReturn

PACKAGES = ("contactlab", "lib", "records")
CLI = "snakemake.cli"  # imported where a test needs it: most do not


def run(arguments: list[str], folder: Path, project: Path, env: dict | None = None) -> subprocess.CompletedProcess:
    """What `python -m snakemake` with these arguments does in a folder: its exit code, and all that it and its jobs print."""
    importlib.import_module(CLI)
    reader, writer = os.pipe()
    gc.freeze()  # the fork's collector would copy every page of what is here
    pid = os.fork()
    if pid == 0:
        _become_snakemake(arguments, folder, project, dict(os.environ) if env is None else env, writer)
    gc.unfreeze()
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8", errors="replace") as stream:
        said = stream.read()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return subprocess.CompletedProcess(["snakemake", *arguments], code, stdout=said)


def _become_snakemake(arguments: list[str], folder: Path, project: Path, env: dict, writer: int) -> NoReturn:
    code = 70
    try:
        _take_streams(writer)
        os.environ.clear()
        os.environ.update(env)
        os.chdir(folder)
        _forget(project)
        sys.path.insert(0, str(folder))  # as `-m` does
        sys.argv[:] = [str(Path(sys.modules["snakemake"].__file__).with_name("__main__.py")), *arguments]
        code = _ended(importlib.import_module(CLI).main)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _take_streams(writer: int) -> None:
    """Nothing to read, and all that is written into one pipe."""
    for descriptor, stream in ((os.open(os.devnull, os.O_RDONLY), 0), (writer, 1), (writer, 2)):
        os.dup2(descriptor, stream)
    os.close(writer)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout, sys.stderr = (os.fdopen(stream, "w", buffering=1, encoding="utf-8", closefd=False) for stream in (1, 2))


def _forget(project: Path) -> None:
    """Drop what was imported of a project, and its places on the path, but for the environment that may lie in it."""
    for name in [name for name in sys.modules if name.partition(".")[0] in PACKAGES]:
        del sys.modules[name]
    sys.path[:] = [path for path in sys.path if Path(path).is_relative_to(sys.prefix) or not Path(path).is_relative_to(project)]


def _ended(main) -> int:
    """The exit code of a program, whose exit hooks, and no others, are called as at the end of an interpreter."""
    atexit._clear()
    try:
        main()
        code = 0
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    atexit._run_exitfuncs()
    return code
