"""Time contactlab beside what else could run the same picks and drops, on two cores, and write the table: `make bench`.

Everything is measured in one run on one machine, in fresh copies of the project whose MuJoCo and robot are there already and
nothing else is. Compare the ratios; the seconds belong to the machine.
"""

import argparse
import csv
import json
import re
import shlex
import sys
import tempfile
from pathlib import Path

import yaml
from bench_scale import scale
from copies import CORES, ENGINE, PROJECT, PYTHON, Copy

from records import settings

DROPS, PICKS = ["results/timestep.csv", "results/integrators.csv"], ["results/grasp_summary.csv"]
LOCAL = ("--executor", "local")
DVC_STAGES = 20  # a stage costs DVC seconds; the rest is scaled
EVERY = {"pick": 5}  # of the published picks each fifth is stepped again; the rest is scaled
MANY = 10_000
AIMS = {  # what, its unit, how much of it is wanted, and whether that is the most or the least
    "whole run": ("whole published run, cold: wall x cores over its mj_step seconds", "times", 1.2, "most"),
    "one pick": ("one pick over its bare mj_step, at worst", "times", 1.05, "most"),
    "pool": ("265 cells, cold, over the pool by hand", "times", 1.4, "most"),
    "limit and start": ("265 cells, cold, over the physical limit and Snakemake's start", "times", 1.5, "most"),
    "drops": ("drops over the local executor, times faster", "times", 3, "least"),
    "cell of many": ("10,000 cells: Snakemake's own time a cell", "ms", 8, "most"),
    "plan of many": ("10,000 cells: planning", "s", 15, "most"),
    "nothing to do": ("nothing to do", "s", 2, "most"),
    "make test": ("make test, on two cores", "min", 6, "most"),
}


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


def measure(ready: Copy, others: Path) -> Rows:
    """All ways of running the cells; `others` is the folder of DVC and of the Python that holds mjbatch."""
    cold = ready.another("cold")
    rows = with_the_workflow(cold, ready)
    cells = cold.cells()
    rows |= without_it(cold, others, cells) | with_dvc(cold, others / "dvc", cells)
    return rows | one_value_added(cold)


def bare_seconds(copy: Copy, cells: list[dict], engine: str) -> list[float]:
    """The seconds of the mj_step calls of each of some cells."""
    _, *command = by_hand(copy, cells)
    return json.loads(copy.run([f".engines/{engine}/bin/python", *command, "--bare"])[1])


def whole_run(copy: Copy) -> float:
    """All that is published, cold: processor time given to it, in times of the seconds of its mj_step calls."""
    wall_s, stepping_s = copy.snakemake(), 0.0
    kinds: dict[tuple[str, str], list[dict]] = {}
    for cell in copy.made():
        kinds.setdefault((cell["experiment"], cell["engine"]), []).append(cell)
    for (experiment, engine), cells in kinds.items():
        some = cells[:: EVERY.get(experiment, 1)]
        stepping_s += sum(bare_seconds(copy, some, engine)) * len(cells) / len(some)
    return wall_s * CORES / stepping_s


def one_pick(copy: Copy) -> float:
    """How much longer a pick takes than its mj_step calls, at worst over the scenes of the published picks of one mass."""
    scenes = sorted(copy.folder.glob("results/models/pick/*mass_kg=0.03,cap_Nm=0.5.xml"))
    printed = copy.run([PYTHON, str(PROJECT / "benchmarks/bench_pick.py"), *map(str, scenes)])[1]
    return max(map(float, re.findall(r"ratio ([0-9.]+)", printed)))


def all_tests(copy: Copy) -> float:
    """Minutes of `make test` in a clone whose environments are there."""
    copy.run(["make", ".venv-tests/plugins"])
    return copy.run(["make", "test"])[0] / 60


def aims(rows: Rows, folder: Path, ready: Copy) -> dict[str, float]:
    """What each row of AIMS has come to."""
    seconds = {run: taken for run, (taken, _) in rows.items()}
    cold, start = seconds["contactlab"], seconds["nothing to do"]
    whole = Copy.published(folder / "published")
    many = scale(ready.another("many"), MANY)
    return {
        "whole run": whole_run(whole),
        "one pick": one_pick(whole),
        "pool": cold / seconds["multiprocessing pool"],
        "limit and start": cold / (seconds["bare mj_step"] + start),
        "drops": seconds["drops, local executor"] / seconds["drops"],
        "cell of many": many["cell_ms"],
        "plan of many": many["planning_s"],
        "nothing to do": start,
        "make test": all_tests(whole),
    }


def write_aims(path: Path, found: dict[str, float]) -> None:
    """A row for each aim, CSV: what was measured, what is wanted, and whether that is the most or the least."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["row", "measured", "wanted", "is", "unit", "what"])
        for row, (what, unit, wanted, limit) in AIMS.items():
            writer.writerow([row, round(found[row], 2), wanted, limit, unit, what])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--others", required=True, type=Path, help="a virtual environment that holds DVC and mjbatch")
    parser.add_argument("--out", required=True, type=Path, help="the table of all ways, CSV")
    parser.add_argument("--aims", required=True, type=Path, help="the table of what is wanted, CSV")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ready = Copy.prepared(Path(folder) / "ready")
        rows = measure(ready, arguments.others.absolute() / "bin")
        write_aims(arguments.aims, aims(rows, Path(folder), ready))
    pool, limit = rows["multiprocessing pool"][0], rows["bare mj_step"][0]
    with arguments.out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["run", "wall_time_s", "times_pool", "times_mj_step", "remark"])
        for run, (seconds, remark) in rows.items():
            writer.writerow([run, round(seconds, 2), round(seconds / pool, 2), round(seconds / limit, 2), remark])
    for path in (arguments.out, arguments.aims):
        print(path.read_text(encoding="utf-8"), end="")


if __name__ == "__main__":
    main()
