"""Fetch a robot's model, by default Menagerie's SO-101, and write down where it came from; it is never committed.

The source `wheel` is a package that ships the model, so that nothing but the package registry is needed; `menagerie` is
Menagerie's own package, which downloads the SO-101 from GitHub; anything else is the path of a folder.
"""

import argparse
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from records import files, script, settings

SO_101_FOLDER = "so101_nexus/assets/SO101_menagerie"
EDITS = {  # what a wheel says it changed in the model it ships
    "so101-nexus": [
        "so101.xml: the wrist camera has a vertical field of view in place of its sensor size and focal length",
        "so101.xml: the site gripperframe has the orientation 0 0 1 0 in place of 1 0 1 0",
    ],
    "mujoco-menagerie": [],
}
MENAGERIE_FOLDER = "import mujoco_menagerie; print(mujoco_menagerie.get('robotstudio_so101').path())"


def install(requirements: Path, target: Path) -> dict:
    """Install the one locked package of `requirements` into `target`; its name, version, licence and known edits.

    Raises SystemExit with one line where that fails, a hash that does not match included.
    """
    options = ["--no-deps", "--require-hashes", "--only-binary=:all:", "--python-version=3.12"]
    command = [sys.executable, "-m", "uv", "pip", "install", *options, f"--target={target}", "-r", str(requirements)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = " ".join(done.stderr.split())
        sys.exit(f"robot: uv could not install {requirements.name} with the hash it holds: {reason}")
    print(done.stdout + done.stderr)
    package, version = re.match(r"(\S+)==(\S+)", requirements.read_text(encoding="utf-8")).groups()
    about = next(iter(importlib.metadata.distributions(path=[str(target)]))).metadata
    licence = about.get("License-Expression") or about.get("License")
    return {"package": package, "version": version, "licence": licence, "edits": EDITS.get(package)}


def locate(source: str, folder: str, requirements: Path, scratch: Path) -> tuple[Path, dict]:
    """The folder that holds the model of `source`, and the provenance that is known of it."""
    if source not in ("wheel", "menagerie"):
        return Path(source), {"source": "path", "package": None, "version": None, "licence": None, "edits": None}
    known = {"source": source} | install(requirements, scratch)
    if source == "wheel":
        return scratch / folder, known
    command, environment = [sys.executable, "-c", MENAGERIE_FOLDER], os.environ | {"PYTHONPATH": str(scratch)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        sys.exit(f"robot: Menagerie's package could not download the model: {done.stderr.strip().splitlines()[-1]}")
    return Path(done.stdout.strip()), known


def fetch(
    source: str, requirements: Path, digest: str | None, target: Path, folder: str = SO_101_FOLDER, file: str = "so101.xml"
) -> dict:
    """Make `target` a copy of the folder that holds the model's `file`, with its provenance, and return that.

    `folder` is the place of the model in a wheel. Without a `digest` the lock's hash of the wheel is enough.
    Raises SystemExit with one line for a folder without the model or with a content whose digest is not `digest`.
    """
    with tempfile.TemporaryDirectory() as scratch:
        model, known = locate(source, folder, requirements, Path(scratch))
        if not (model / file).is_file():
            sys.exit(f"robot: {model} holds no {file}; allowed are wheel, menagerie or the path of such a folder")
        found = files.folder_digest(model)
        if digest not in (None, found):
            sys.exit(f"robot: the model from {source} has the digest {found}, allowed is {digest}")
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(model, target, ignore=shutil.ignore_patterns(files.PROVENANCE))
    record = known | {"digest": found}
    files.write_json(target / files.PROVENANCE, record)
    return record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requirements", required=True, type=Path, help="locked package of the source, with its hash")
    parser.add_argument("--digest", help="the digest that the model's folder must have")
    parser.add_argument("--out", required=True, type=Path, help="provenance.json, in the folder to fill")
    parser.add_argument("settings", nargs="+", help="source=wheel, menagerie or a folder; folder= in the wheel; file= the MJCF")
    arguments = parser.parse_args()
    source = settings.from_words(arguments.settings)
    print(fetch(requirements=arguments.requirements, digest=arguments.digest, target=arguments.out.parent, **source))


if __name__ == "__main__":
    script.run(main)
