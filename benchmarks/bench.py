"""Time contactlab beside what else could run the same picks and drops, on two cores, and write the table: `make bench`.

Everything is measured in one run on one machine, in fresh copies of the project whose MuJoCo and robot are there already and
nothing else is. Compare the ratios; the seconds belong to the machine.
"""

import argparse
import csv
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

from lib import checks, naming
from lib import schema as schemas
from records import settings

PROJECT = Path(__file__).parents[1]
ENGINE = "3.17.0"
PYTHON = f".engines/{ENGINE}/bin/python"
CORES = 2
DROPS, PICKS = ["results/timestep.csv", "results/integrators.csv"], ["results/grasp_summary.csv"]
LOCAL = ("--executor", "local")
DVC_STAGES = 20  # a stage costs DVC seconds; the rest is scaled
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
    def prepared(cls, folder: Path) -> "Copy":
        """A clone of what is committed, with the published sweeps, each pick run once and not from perturbed starts."""
        subprocess.run(["git", "clone", "--quiet", str(PROJECT), str(folder)], check=True)
        copy = cls(folder)
        copy.configure(lambda config: config["pick"]["settings"].update(perturbations=0))
        copy.snakemake(f".engines/{ENGINE}/engine.json", "results/models/so101/so101.xml")
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


def dvc_pipeline(cells: list[dict]) -> str:
    """dvc.yaml with one stage a cell."""
    stages = {}
    for index, cell in enumerate(cells):
        out, words = f"dvc/{index}.json", settings.to_words(cell["settings"])
        script, model = "scripts/pick/pick_run.py", cell["model"]
        command = [PYTHON, script, "--model", model, "--out", out, *words]
        stages[f"pick{index}"] = {"cmd": shlex.join(command), "deps": [model, script], "outs": [out]}
    return yaml.safe_dump({"stages": stages})


def same_bits(copy: Copy, cells: list[dict], digests: list[str]) -> None:
    """Stop where a cell of the workflow does not end in the bits that the functions alone give."""
    for cell, digest in zip(cells, digests, strict=True):
        path = copy.folder / f"results/{cell['experiment']}/{ENGINE}/{cell['name']}.json"
        if json.loads(path.read_text(encoding="utf-8"))["result"]["digest"] != digest:
            sys.exit(f"bench: {path.name} does not end in the bits that the same functions give without the workflow")


Rows = dict[str, tuple[float, str]]  # seconds and a remark for each way of running the cells


def with_the_workflow(cold: Copy, ready: Copy) -> Rows:
    """Everything cold, again, from the store and with Snakemake's own executor; then drops and picks alone."""
    fetched, local, drops, local_drops, picks, local_picks = (
        ready.another(name) for name in ("fetched", "local", "drops", "local_drops", "picks", "local_picks")
    )
    rows = {
        "contactlab": (cold.snakemake(*DROPS, *PICKS), "cold: models, cells and tables"),
        "nothing to do": (cold.snakemake(*DROPS, *PICKS), "the same command again"),
    }
    shared = fetched.snakemake(*DROPS, *PICKS, SNAKEMAKE_OUTPUT_CACHE=str(cold.folder / ".store"))
    return rows | {
        "everything from the store": (shared, "a second clone that shares the store"),
        "contactlab, local executor": (local.snakemake(*DROPS, *PICKS, options=LOCAL), "a new Python for each job"),
        "drops": (drops.snakemake(*DROPS), "drops alone"),
        "drops, local executor": (local_drops.snakemake(*DROPS, options=LOCAL), "drops alone"),
        "picks": (picks.snakemake(*PICKS), "picks alone"),
        "picks, local executor": (local_picks.snakemake(*PICKS, options=LOCAL), "picks alone"),
    }


def without_it(copy: Copy, others: Path, cells: list[dict]) -> Rows:
    """The same functions in a pool, the bare mj_step calls, and mjbatch; all but the last must end in the workflow's bits."""
    record = copy.folder / "record"
    record.mkdir()
    pool, printed = copy.run([*by_hand(copy, cells), "--processes", str(CORES)])
    same_bits(copy, cells, json.loads(printed)["digests"])
    bare = json.loads(copy.run([*by_hand(copy, cells), "--record", str(record)])[1])
    same_bits(copy, cells, bare["digests"])
    batched = [str(others / "python"), str(PROJECT / "benchmarks/batched.py"), "--cells", "cells.json"]
    mjbatch = json.loads(copy.run([*batched, "--record", str(record), "--threads", str(CORES)])[1])
    return {
        "multiprocessing pool": (pool, "the same functions by hand: no files, no tables, no cache"),
        "bare mj_step": (bare["seconds"] / CORES, f"the physical limit: {bare['seconds']:.1f} s over {CORES} cores"),
        "mjbatch": (mjbatch["seconds"], f"the picks' recorded controls, physics alone, MuJoCo {mjbatch['mujoco']}"),
    }


def by_hand(copy: Copy, cells: list[dict]) -> list[str]:
    """The command that runs cells without the workflow."""
    (copy.folder / "cells.json").write_text(json.dumps(cells), encoding="utf-8")
    return [PYTHON, str(PROJECT / "benchmarks/by_hand.py"), "--cells", "cells.json"]


def with_dvc(copy: Copy, dvc: Path, cells: list[dict]) -> Rows:
    """A stage a cell for some of the picks."""
    picks = [cell for cell in cells if cell["experiment"] == "pick"]
    chosen = picks[:: len(picks) // DVC_STAGES][:DVC_STAGES]
    (copy.folder / "dvc.yaml").write_text(dvc_pipeline(chosen), encoding="utf-8")
    copy.run([str(dvc), "init", "--no-scm", "--quiet"])
    seconds = copy.run([str(dvc), "repro", "--quiet"])[0] * len(cells) / len(chosen)
    return {"DVC": (seconds, f"scaled from {len(chosen)} stages to {len(cells)}; one after another, as DVC runs them")}


def one_value_added(copy: Copy) -> Rows:
    """One more friction: ten picks, what is made from them, and what their bare mj_step calls take."""
    copy.configure(lambda config: config["pick"]["sweeps"]["friction"]["mu"].append(0.2))
    new = [cell for cell in copy.cells() if cell["settings"].get("mu") == 0.2]
    seconds = copy.snakemake(*DROPS, *PICKS)
    bare = json.loads(copy.run([*by_hand(copy, new), "--record", str(copy.folder / "record")])[1])["seconds"] / CORES
    return {"one value added": (seconds, f"{len(new)} picks, whose mj_step calls take {bare:.1f} s over {CORES} cores")}


def measure(folder: Path, others: Path) -> Rows:
    """All of it; `others` is the folder of DVC and of the Python that holds mjbatch."""
    ready = Copy.prepared(folder / "ready")
    cold = ready.another("cold")
    rows = with_the_workflow(cold, ready)
    cells = cold.cells()
    rows |= without_it(cold, others, cells) | with_dvc(cold, others / "dvc", cells)
    return rows | one_value_added(cold)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--others", required=True, type=Path, help="a virtual environment that holds DVC and mjbatch")
    parser.add_argument("--out", required=True, type=Path, help="the table, CSV")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(Path(folder), arguments.others.absolute() / "bin")
    pool, limit = rows["multiprocessing pool"][0], rows["bare mj_step"][0]
    with arguments.out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["run", "wall_time_s", "times_pool", "times_mj_step", "remark"])
        for run, (seconds, remark) in rows.items():
            writer.writerow([run, round(seconds, 2), round(seconds / pool, 2), round(seconds / limit, 2), remark])
    print(arguments.out.read_text(encoding="utf-8"), end="")


if __name__ == "__main__":
    main()
