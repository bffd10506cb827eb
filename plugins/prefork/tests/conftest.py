"""A fixture that runs small workflows with one executor or another."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"


class Project:
    """A folder with a Snakefile and scripts, in which Snakemake runs."""

    def __init__(self, folder: Path, **files: str):
        self.folder = folder
        for name, text in files.items():
            path = folder / ("Snakefile" if name == "Snakefile" else f"{name}.py")
            path.write_text(text, encoding="utf-8")

    def command(self, executor: str, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "snakemake", "--cores", "2", "--executor", executor, *arguments]

    def environment(self, **variables: str) -> dict[str, str]:
        """The environment for Snakemake: `python` is this interpreter, and the plugin can be imported."""
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        return os.environ | {"PATH": path, "PYTHONPATH": f"{SOURCE}{os.pathsep}{self.folder / 'lib'}"} | variables

    def run(self, executor: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            self.command(executor, *arguments), cwd=self.folder, env=self.environment(**variables), text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
        )  # fmt: skip

    def read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def files(self, name: str) -> dict[str, bytes]:
        """The content of every file in a folder."""
        root = self.folder / name
        return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


@pytest.fixture
def project(tmp_path: Path):
    """A function that makes a project of a Snakefile and scripts, in a folder with a blank in its name."""

    def make(**files: str) -> Project:
        folder = tmp_path / "a project"
        (folder / "lib").mkdir(parents=True)
        return Project(folder, **files)

    return make
