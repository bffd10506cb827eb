"""Names of engines: a MuJoCo version, and behind it the architecture of an emulated machine, as in `3.17.0-aarch64`.

An implementation, MuJoCo's physics in another program, has its name before the version, as in `mjx-3.17.0`, and behind it where
its wheels are those for another kind of device, as in `mjx-3.17.0-cuda`.
"""

import platform
import shutil
import sys

DEBIAN = {"aarch64": "arm64", "x86_64": "amd64"}  # what can be emulated, and Debian's names of it
OTHER_NAMES = {"arm64": "aarch64", "AMD64": "x86_64"}  # of them, on macOS and Windows
IMPLEMENTATIONS = ("mjx", "warp")  # MJX on JAX, and MuJoCo Warp
PROGRAMS = {"apt-get": "apt", "dpkg-deb": "dpkg"}  # what builds such an engine, by the package that has it


def split(engine: str) -> tuple[str, str]:
    """MuJoCo version and emulated architecture; the latter is empty for the machine's own."""
    if name := implementation(engine):
        return engine.removeprefix(f"{name}-").partition("-")[0], ""
    version, _, architecture = engine.partition("-")
    return version, architecture


def implementation(engine: str) -> str:
    """The name of another program that an engine runs; empty for MuJoCo's own."""
    name = engine.partition("-")[0]
    return name if name in IMPLEMENTATIONS else ""


def own_architecture() -> str:
    """This machine's architecture, as engines are named by it."""
    return OTHER_NAMES.get(platform.machine(), platform.machine())


def emulator(architecture: str) -> str:
    """The program that runs another architecture's programs, of Debian's package qemu-user-static."""
    return f"qemu-{architecture}-static"


def hindrance(engine: str) -> str | None:
    """Why this machine cannot run an engine, and what it can run instead; None where it can."""
    version, architecture = split(engine)
    if not architecture:
        return None
    if architecture == own_architecture():
        return f"which is this machine's own architecture; allowed: {version}"
    if sys.platform != "linux":
        return f"which only Linux can emulate; allowed: {version}"
    for program, package in ({emulator(architecture): "qemu-user-static"} | PROGRAMS).items():
        if shutil.which(program) is None:
            return f"which needs {program}; allowed: {version}, or {engine} once Debian's package {package} is installed"
    return None
