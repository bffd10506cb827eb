"""Copies of the project in which Snakemake and other commands are timed, and the cells that they run."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import yaml

from lib import checks, naming
from lib import schema as schemas
from records import settings

PROJECT = Path(__file__).parents[1]
ENGINE = "3.17.0"
PYTHON = f".engines/{ENGINE}/bin/python"
SCANS_ON = ("3.11.0",)  # where the published scans of control faults run
CORES = 2
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name not in ("SNAKEMAKE_OUTPUT_CACHE", "OPENBLAS_CORETYPE")
} | {
    "PYTHONPATH": "scripts",
    "OMP_NUM_THREADS": "1",
    "DVC_NO_ANALYTICS": "1",
}


class Copy:
    """A copy of the project in which MuJoCo and the robot are there."""

    def __init__(self, folder: Path):
        self.folder = folder

    @classmethod
    def published(cls, folder: Path) -> "Copy":
        """A clone of what is committed."""
        subprocess.run(["git", "clone", "--quiet", str(PROJECT), str(folder)], check=True)
        copy = cls(folder)
        engines = [f".engines/{engine}/engine.json" for engine in (ENGINE, *SCANS_ON)]
        copy.snakemake(*engines, "results/models/so101/so101.xml")
        return copy

    @classmethod
    def prepared(cls, folder: Path) -> "Copy":
        """The same with each pick run once and not from perturbed starts."""
        copy = cls.published(folder)
        copy.configure(lambda config: config["pick"]["settings"].update(perturbations=0))
        return copy

    def another(self, name: str) -> "Copy":
        """The same state in a folder of its own."""
        shutil.copytree(self.folder, self.folder.with_name(name), symlinks=True)
        return Copy(self.folder.with_name(name))

    def configure(self, edit) -> None:
        """Change the configuration in place by a function of it."""
        path = self.folder / "config.yaml"
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
        edit(config)
        path.write_text(yaml.safe_dump(config), encoding="utf-8")

    def snakemake(self, *targets: str, options: tuple[str, ...] = (), **environment: str) -> float:
        """Run Snakemake and return the seconds it took."""
        return self.run(snakemake_command(*targets, options=options), **environment)[0]

    def run(self, command: list[str], **environment: str) -> tuple[float, str]:
        """Run a command here; the seconds it took and what it printed."""
        started = time.perf_counter()
        done = subprocess.run(
            command, cwd=self.folder, env=ENVIRONMENT | environment, capture_output=True, text=True, check=False
        )
        seconds = time.perf_counter() - started
        if done.returncode:
            sys.exit(f"bench: {shlex.join(command)[:200]} failed: {(done.stderr or done.stdout)[-500:]}")
        return seconds, done.stdout

    def made(self) -> list[dict]:
        """Every drop, pick and scan of control faults that a run has made here, as `cells` but with its engine."""
        schema = schemas.load(self.folder)
        grids = [
            cell_of(schema, experiment, path.stem) | {"engine": ENGINE}
            for experiment in ("drop", "pick")
            for path in sorted(self.folder.glob(f"results/{experiment}/{ENGINE}/*.json"))
        ]
        scans = [(path, json.loads(path.read_text())) for path in sorted(self.folder.glob("results/controls/*/*.json"))]
        return grids + [
            {"experiment": "controls", "name": path.stem, "engine": path.parent.name, "settings": scan["settings"]}
            for path, scan in scans
        ]

    def cells(self) -> list[dict]:
        """Every distinct drop and pick: its experiment, name, model and settings."""
        schema = schemas.load(self.folder)
        given = yaml.safe_load((self.folder / "config.yaml").read_text(encoding="utf-8"))
        config, found = checks.checked(given, schema, self.folder / "envs"), {}
        for experiment in ("drop", "pick"):
            for sweep in config[experiment]["sweeps"].values():
                for moved in settings.grid(naming.moved(config, schema, experiment, sweep)):
                    moved.pop("engine")
                    cell = cell_of(schema, experiment, settings.cell_name(moved))
                    found[experiment, cell["name"]] = cell
        return list(found.values())


def snakemake_command(*targets: str, options: tuple[str, ...] = ()) -> list[str]:
    """The command that makes targets without a word about jobs."""
    return [sys.executable, "-m", "snakemake", "--cores", str(CORES), *options, "--quiet", "all", "--", *targets]


def cell_of(schema: schemas.Schema, experiment: str, name: str) -> dict:
    """A cell by its name, with the model it runs on as the workflow names it."""
    whole, default = naming.named(schema, experiment, name), schemas.defaults(schema, experiment)
    axes = schemas.axes(schema, experiment)
    scene = settings.against_defaults({axis: whole[axis] for axis in whole if axes[axis]["stage"] == "model"}, default)
    model = f"results/models/{experiment}/{settings.cell_name(scene)}.xml"
    return {"experiment": experiment, "name": name, "model": model, "settings": whole}
