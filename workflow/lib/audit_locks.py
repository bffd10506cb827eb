"""Write locks into envs/: of every release of MuJoCo between two, or of the requirements of audits for each engine they name.

The releases are those that the package index of pip and uv has. What requirements say of MuJoCo itself is overridden.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml
from packaging.version import Version

from lib import audits, locks
from records import engines

OPTIONS = ["--quiet", "--universal", "--python-version", "3.11", "--generate-hashes", "--no-header", "--no-annotate"]


class LockError(ValueError):
    """A lock that cannot be written; its text is one line."""


def releases(first: str, last: str) -> list[str]:
    """Every release of MuJoCo between two, both included, the oldest first. Raises LockError."""
    listed = _run(sys.executable, "-m", "pip", "index", "versions", "mujoco")
    found = re.search(r"Available versions: (.*)", listed)
    versions = sorted(Version(word) for word in found[1].split(", ")) if found else []
    between = [str(version) for version in versions if Version(first) <= version <= Version(last)]
    if not between:
        raise LockError(f"the package index has no release of mujoco from {first} to {last}")
    return between


def of_audit(name: str, requirements: str, version: str, folder: Path) -> Path:
    """Write the lock of an audit's requirements beside a MuJoCo version. Raises LockError."""
    said = f"# {requirements} with mujoco=={version}, whatever it and what it needs say of mujoco\n"
    with tempfile.TemporaryDirectory() as scratch:
        overrides = Path(scratch, "overrides.txt")
        overrides.write_text(f"mujoco=={version}\n", encoding="utf-8")
        out = folder / f"{audits.lock_name(name, version)}.txt"
        return _compile(version, out, said, "--overrides", str(overrides), requirements)


def needed(file: Path, envs: Path) -> list[tuple[str, str, str]]:
    """Name, requirements and MuJoCo version of every lock that the audits of a configuration need. Raises ConfigError."""
    asked = yaml.safe_load(file.read_text(encoding="utf-8")).get("audits", {})
    with_own = {name: audit for name, audit in asked.items() if "requirements" in audit}
    found = []
    for name, audit in with_own.items():
        varied = audits.resolved(name, audit, f"config.audits.{name}", envs)["vary"].get("engine", [])
        versions = {engines.split(engine)[0] for engine in (audit["reference"]["engine"], *varied)}
        found += [(name, audit["requirements"], version) for version in sorted(versions, key=Version)]
    return found


def _compile(version: str, out: Path, first_line: str, *options: str) -> Path:
    """Lock a MuJoCo version, and what the options add."""
    locked = _run(sys.executable, "-m", "uv", "pip", "compile", *OPTIONS, *options, "-", given=f"mujoco=={version}\n")
    out.parent.mkdir(exist_ok=True)
    out.write_text(first_line + locked, encoding="utf-8", newline="\n")  # without a seal: it is to be committed
    return out


def _run(*command: str, given: str = "") -> str:
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LockError(" ".join(done.stderr.split()))
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--between", nargs=2, metavar=("FROM", "TO"), help="two versions of MuJoCo")
    parser.add_argument("--audits", type=Path, metavar="FILE", help="a configuration with audits that have requirements")
    parser.add_argument("--envs", type=Path, default=Path("envs"), help="the project's folder of locks")
    arguments = parser.parse_args()
    for version in releases(*arguments.between) if arguments.between else []:
        if not (arguments.envs / f"mujoco-{version}.txt").exists():
            print(_compile(version, arguments.envs / f"mujoco-{version}.txt", ""))
    for name, requirements, version in needed(arguments.audits, arguments.envs) if arguments.audits else []:
        path = of_audit(name, requirements, version, locks.OWN)
        print(f"{path}: with mujoco=={version}, whatever {requirements} and what it needs say of mujoco")


if __name__ == "__main__":
    try:
        main()
    except (ValueError, OSError) as error:
        sys.exit(f"lock: {error}")
