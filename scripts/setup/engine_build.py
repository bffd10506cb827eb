"""Build a MuJoCo interpreter from its lock with uv, and write the versions that it holds."""

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from records import files, script

UNREACHABLE = ("error sending request", "dns error", "failed to lookup", "connect", "timed out", "failed to fetch")
VERSIONS = """
import importlib.metadata as metadata, json, platform
names = ("mujoco", "mujoco-core", "numpy", "mujoco-mjx", "jax", "jaxlib", "mujoco-warp", "warp-lang")
found = {item.metadata["Name"]: item.version for item in metadata.distributions()}
print(json.dumps({"python": platform.python_version()} | {name: found[name] for name in names if name in found}))
"""


def build(lock: Path, folder: Path) -> dict:
    """Make `folder` a virtual environment with exactly what `lock` holds, and return its versions.

    Raises SystemExit with one line where the registry cannot be reached or a download does not match its hash.
    """
    python = folder / "bin" / "python"
    run_uv(lock, folder, "venv", "--clear", "--python", sys.executable, str(folder))
    options = ["--compile-bytecode", "--require-hashes", "--no-deps"]
    run_uv(lock, folder, "pip", "install", *options, "--python", str(python), "-r", str(lock))
    found = subprocess.run([python, "-c", VERSIONS], capture_output=True, text=True, check=True)
    return json.loads(found.stdout)


def run_uv(lock: Path, folder: Path, *arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", "uv", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        shutil.rmtree(folder, ignore_errors=True)
        sys.exit(_reason(lock, done.stderr))
    print(done.stdout + done.stderr)


def _reason(lock: Path, errors: str) -> str:
    """The one line that says why uv failed."""
    text = " ".join(errors.split())
    if mismatch := re.search("Hash mismatch for `(.+?)`", text):
        return f"engine: the download of {mismatch[1]} does not have the hash that {lock.name} holds; nothing was installed"
    if any(sign in text.lower() for sign in UNREACHABLE):
        return f"engine: the package registry cannot be reached; it is needed once, for what {lock.name} lists"
    return f"engine: uv could not install {lock.name}: {text}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lock", required=True, type=Path, help="locked requirements with hashes")
    parser.add_argument("--out", required=True, type=Path, help="engine.json, in the folder to build the engine in")
    arguments = parser.parse_args()
    files.write_json(arguments.out, build(arguments.lock, arguments.out.parent))


if __name__ == "__main__":
    script.run(main)
