"""What a job's result depends on beside its input files: settings, code, software and machine.

Every rule carries these four as params, so that Snakemake reruns a job when one of them changed and only then, and says which.
Each is text or a list of texts, is printed with its own name before it, and holds no path of the machine.
"""

import functools
import hashlib
import os
import platform
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from packaging.requirements import Requirement

from lib import syntax

DISTRIBUTIONS = {
    "yaml": "pyyaml",
    "mujoco_warp": "mujoco-warp",
    "warp": "warp-lang",
}  # import names that are not the distribution's


class Settings(list):
    """A job's settings as words; Snakemake prints their name with them where it says that they have changed."""

    def __repr__(self) -> str:
        return f"settings {' '.join(self)}"


@functools.cache
def code(script: Path) -> str:
    """Digest of the script and of every project module it imports, directly or not.

    Comments, docstrings and formatting do not count: what is digested is the syntax tree, written out again.
    """
    sha = hashlib.sha256()
    for path in project_files(script):
        sha.update(f"{path.relative_to(script.parents[1]).as_posix()}\n{syntax.of(path).code}\n".encode())
    return f"code {sha.hexdigest()[:16]}"


def own_code(script: Path) -> str:
    """Digest of a script of the user's own and of all that it imports beside itself, packages as a whole.

    Nothing but these counts: not what they read, nor what is installed, which a lock says.
    """
    main = script.resolve()
    reached = project_files(main)
    packages = {path.parent for path in reached if path.name == "__init__.py"}
    files = sorted({*reached, *(path for package in packages for path in package.rglob("*.py"))})
    sha = hashlib.sha256()
    for path in files:
        sha.update(f"{os.path.relpath(path, main.parent)}\n{syntax.of(path).code}\n".encode())
    return f"code {sha.hexdigest()[:16]}"


def contents(paths: Iterable[str]) -> str:
    """Digest of what files hold, in their order.

    Snakemake looks into an input only where it is newer than the output; a file that was copied with its date, or edited while
    the clock was wrong, is not.
    """
    sha = hashlib.sha256()
    for path in paths:
        content = Path(path).read_bytes()
        sha.update(f"{len(content)}\n".encode() + content)
    return f"contents {sha.hexdigest()[:16]}"


@functools.cache
def software(script: Path, lock: Path) -> str:
    """The locked versions of the distributions that the script and its project modules import.

    Raises ValueError for an import that the lock does not hold.
    """
    versions = locked_versions(lock)
    names = sorted(DISTRIBUTIONS.get(name, name) for name in _imports(script)[1])
    missing = [name for name in names if name not in versions]
    if missing:
        raise ValueError(f"{script.name} imports {missing[0]}, which {lock.name} does not lock")
    return "software " + (", ".join(f"{name} {versions[name]}" for name in names) or "none")


@functools.cache
def machine(emulated: str = "") -> str:
    """Operating system, architecture, processor model and vector extensions; before them the architecture that runs on them
    emulated, if any. Virtual machines call very different processors by one name, and libraries choose by the extensions.
    """
    emulation = f"{emulated} by qemu-user on " if emulated else ""
    extensions = _vector_extensions(Path("/proc/cpuinfo"))
    return f"machine {emulation}{platform.system()} {platform.machine()} {_processor()}{extensions and f', {extensions}'}"


@functools.cache
def locked_versions(lock: Path) -> dict[str, str]:
    """Version of each distribution in a lock that applies to this Python and system."""
    lines = (line.rstrip("\\ ") for line in lock.read_text(encoding="utf-8").splitlines())
    requirements = [Requirement(line) for line in lines if line and line[0].isalnum()]
    applying = [item for item in requirements if item.marker is None or item.marker.evaluate()]
    return {item.name: next(iter(item.specifier)).version for item in applying}


def project_files(script: Path) -> list[Path]:
    """The script and the project's modules it imports, directly or not, in the order of their names."""
    return _imports(script)[0]


@functools.cache
def _imports(script: Path) -> tuple[list[Path], set[str]]:
    """Project files that `script` reaches, and the names of the distributions' modules that these import.

    A script finds modules beside itself and in the folder above, which holds `contactlab` and `records`.
    """
    roots, waiting, files, foreign = (script.parent, script.parents[1]), [script], set(), set()
    while waiting:
        path = waiting.pop()
        if path not in files:
            files.add(path)
            found, others = _imported(path, roots)
            waiting.extend(found)
            foreign |= others
    return sorted(files), foreign


@functools.cache
def _imported(path: Path, roots: tuple[Path, ...]) -> tuple[list[Path], set[str]]:
    """The files below `roots` that one file imports by itself, and the names of the modules of distributions."""
    files, foreign = [], set()
    for name in syntax.of(path).imports:
        found = [file for root in roots for file in _module_files(root, name)]
        files.extend(found)
        top = name.partition(".")[0]
        if not found and top not in sys.stdlib_module_names:
            foreign.add(top)
    return files, foreign


@functools.cache
def _module_files(root: Path, name: str) -> list[Path]:
    """The project's files behind a dotted name: a module and the packages around it; none for a foreign module."""
    parts = name.split(".")
    modules = [root.joinpath(*parts[:length]) for length in range(1, len(parts) + 1)]
    files = [file for module in modules for file in (module.with_suffix(".py"), module / "__init__.py")]
    return [file for file in files if file.is_file()]


def _vector_extensions(cpuinfo: Path) -> str:
    """The widest vector extension of x86-64's levels v2 to v4 that Linux lists, "AVX-512" for example; empty elsewhere.

    Source: System V application binary interface, AMD64 supplement, micro-architecture levels.
    """
    listed = cpuinfo.read_text(encoding="utf-8") if cpuinfo.is_file() else ""
    flags = next((set(line.split()) for line in listed.splitlines() if line.startswith("flags")), set())
    levels = {
        "AVX-512": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
        "AVX2": {"avx2", "fma"},
        "SSE4.2": {"sse4_2"},
    }
    return next((name for name, needed in levels.items() if needed <= flags), "")


def _processor() -> str:
    if sys.platform == "darwin":
        command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]  # a folder that not every PATH has
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() in ("model name", "Model", "CPU part"):
                return value.strip()
    return platform.processor() or "unknown processor"
