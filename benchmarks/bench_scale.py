"""Print what a sweep of many short drops costs Snakemake itself, on two cores; bench.py takes it too:

    PYTHONPATH=scripts:workflow .venv/bin/python benchmarks/bench_scale.py --cells 10000

Processor time and memory are those of Snakemake's own process, which plans and schedules; the cells run in others.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from copies import ENGINE, ENVIRONMENT, Copy, snakemake_command

TARGET = "results/many.csv"
FALL_S = 0.1  # the cube is still in the air: a cell is next to nothing but its overhead
LOOK_EVERY_S = 0.2


def many_drops(config: dict, cells: int) -> None:
    """Make a sweep of `cells` timesteps from 1 to 11 ms all that a configuration drops."""
    timesteps_ms = [1 + 10 * index / cells for index in range(cells)]
    sweeps = {"many": {"engine": [ENGINE], "dt_ms": timesteps_ms}}
    config["drop"] = {"settings": {"duration_s": FALL_S}, "sweeps": sweeps}
    config["max_cells"] += cells
    config.pop("implementations", None)  # which names the sweeps that go


def watched(copy: Copy) -> tuple[float, float, int]:
    """Make the table; seconds that it took, those of the processor that Snakemake's own process used, and its most bytes."""
    started, processor_s, most_bytes = time.perf_counter(), 0.0, 0
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    run = psutil.Popen(snakemake_command(TARGET), cwd=copy.folder, env=ENVIRONMENT, **silent)
    while run.poll() is None:
        try:
            processor_s, most_bytes = sum(run.cpu_times()[:2]), max(most_bytes, run.memory_info().rss)
        except psutil.NoSuchProcess:  # it ended since it was asked
            break
        time.sleep(LOOK_EVERY_S)
    if run.wait():
        sys.exit(f"bench_scale: {TARGET} was not made")
    return time.perf_counter() - started, processor_s, most_bytes


def scale(copy: Copy, cells: int) -> dict[str, float]:
    """What so many drops cost in a copy: planning and the run in s; of Snakemake's own process ms a cell, and its most MB."""
    copy.configure(lambda config: many_drops(config, cells))
    dry_s = copy.snakemake(TARGET, options=("--dry-run",))
    wall_s, processor_s, most_bytes = watched(copy)
    return {"planning_s": dry_s, "run_s": wall_s, "cell_ms": 1000 * processor_s / cells, "most_MB": most_bytes / 1e6}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, required=True, help="how many")
    cells = parser.parse_args().cells
    with tempfile.TemporaryDirectory() as folder:
        found = scale(Copy.prepared(Path(folder) / "many"), cells)
    print(f"{cells} cells: planned in {found['planning_s']:.1f} s, run in {found['run_s']:.1f} s")
    print(f"Snakemake's own process: {found['cell_ms']:.1f} ms a cell, {found['most_MB']:.0f} MB")


if __name__ == "__main__":
    main()
