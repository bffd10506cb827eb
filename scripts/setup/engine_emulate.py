"""Build a MuJoCo interpreter of another architecture, which QEMU runs here, from its lock and Debian's packages.

The engine is a virtual environment like the others, with wheels of that architecture, but its Python is Debian's: unpacked
beside it, not installed, with every library it needs, and started by a launcher.
"""

import argparse
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from engine_build import VERSIONS, run_uv

from records import engines, files, script

DEBIAN_PACKAGES = ("python3", "libstdc++6")  # and what they depend on; the second is for MuJoCo

# APT's state and cache are folders of our own in which nothing is installed: the host's packages are neither read nor touched,
# and nobody has to be root. Sources, keys and proxies stay the host's; its hooks, meant for its own packages, do not run.
APT = """
APT::Architecture "{debian}";
#clear APT::Architectures;
APT::Architectures {{ "{debian}"; }};
#clear APT::Update;
APT::Sandbox::User "root";
Acquire::Languages "none";
Dir::State "{folder}/state";
Dir::State::status "{folder}/status";
Dir::Cache "{folder}/cache";
"""

# Python finds its environment by the name it is called by: the launcher's, so that sys.executable can be started again.
LAUNCHER = """#!/bin/sh
self=$(readlink -f "$0")
root=${{self%/bin/python}}
export MUJOCO_GL=disabled
exec {emulator} -L "$root/debian" -0 "$self" "$root/debian/usr/bin/{python}" "$@"
"""


def build(lock: Path, architecture: str, folder: Path) -> dict:
    """Make `folder` an interpreter of `architecture` with exactly what `lock` holds, and return the versions of everything.

    Raises SystemExit with one line where something cannot be fetched.
    """
    part = folder.with_name(f".part.{folder.name}")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    packages = unpack_debian(architecture, part / "debian")
    python = (part / "debian/usr/bin/python3").readlink().name
    environment = part / "lib" / python / "site-packages"
    wheels = ["--python-platform", f"{architecture}-unknown-linux-gnu", "--python-version", python.removeprefix("python")]
    wheels += ["--only-binary", ":all:", "--require-hashes", "--no-deps", "--target", str(environment)]
    run_uv(lock, part, "pip", "install", *wheels, "-r", str(lock))
    write_launcher(part, folder.absolute(), engines.emulator(architecture), python)
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)
    versions = json.loads(_run(str(folder / "bin/python"), "-c", VERSIONS))
    qemu = _run(engines.emulator(architecture), "--version").splitlines()[0]
    return versions | {"architecture": architecture, "qemu": qemu, "debian": packages}


def unpack_debian(architecture: str, folder: Path) -> dict[str, str]:
    """Unpack Debian's Python of an architecture and all it depends on into `folder`; return the packages' versions.

    Raises ValueError where the host's package sources do not give it. APT checks the signatures.
    """
    with tempfile.TemporaryDirectory() as temporary:
        archives = fetch_debian(architecture, Path(temporary))
        for archive in archives:
            _run("dpkg-deb", "--extract", str(archive), str(folder))
        versions = dict(_run("dpkg-deb", "--show", str(archive)).split() for archive in archives)
    for name in ("lib", "lib64"):
        if not (folder / name).exists():  # newer releases have the loader under /usr only, and the link in base-files
            (folder / name).symlink_to(f"usr/{name}")
    return versions


def fetch_debian(architecture: str, folder: Path) -> list[Path]:
    """The packages' archives, fetched into `folder`, which is APT's for this one call."""
    for name in ("state/lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True)
    (folder / "status").touch()
    files.write_text(folder / "apt.conf", APT.format(debian=engines.DEBIAN[architecture], folder=folder))
    apt = ["apt-get", "--config-file", str(folder / "apt.conf"), "--quiet", "--yes"]
    try:
        _run(*apt, "update")
        _run(*apt, "--download-only", "--no-install-recommends", "install", *DEBIAN_PACKAGES)
    except ValueError as error:
        raise ValueError(f"this machine's package sources do not give Debian's Python for {architecture}: {error}") from None
    return sorted(folder.glob("cache/archives/*.deb"))


def write_launcher(part: Path, folder: Path, emulator: str, python: str) -> None:
    """Write what makes `part`, which will be `folder`, a virtual environment on the unpacked Python."""
    home = folder / "debian/usr/bin"
    files.write_text(part / "pyvenv.cfg", f"home = {home}\ninclude-system-site-packages = false\n")
    files.write_text(part / "bin/python", LAUNCHER.format(emulator=emulator, python=python))
    (part / "bin/python").chmod(0o755)


def _run(*command: str) -> str:
    """The output of a program. Raises ValueError with its last line where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"LC_ALL": "C"})
    if done.returncode:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise ValueError(f"{Path(command[0]).name} failed: {lines[-1] if lines else f'exit code {done.returncode}'}")
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lock", required=True, type=Path, help="locked requirements with hashes")
    parser.add_argument("--architecture", required=True, choices=engines.DEBIAN, help="of the machine to emulate")
    parser.add_argument("--out", required=True, type=Path, help="engine.json, in the folder to build the engine in")
    arguments = parser.parse_args()
    files.write_json(arguments.out, build(arguments.lock, arguments.architecture, arguments.out.parent))


if __name__ == "__main__":
    script.run(main)
