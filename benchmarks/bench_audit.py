"""Print what a run of an audit costs beside its own steps, over many runs of one scene, on two cores:

    PYTHONPATH=scripts:workflow .venv/bin/python benchmarks/bench_audit.py --runs 1000

The scene is three cubes that fall on one another, 1 s in 500 steps of some 20 us; each run gives them another friction.
"""

import argparse
import json
import resource
import sys
import tempfile
import time
from pathlib import Path

from bench import CORES, ENGINE, PYTHON, Copy

TARGET = "results/many.csv"
SAMPLE = 50  # of the runs, whose steps are timed by themselves; each must end in the bits of its run
CUBE = '<body name="cube{0}" pos="0 0 {1:g}"><freejoint/><geom type="box" size=".05 .05 .05" mass=".1"/></body>'
SCENE = f"""<mujoco>
  <option timestep="0.002"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1"/>
    {"".join(CUBE.format(index, 0.06 + 0.11 * index) for index in range(3))}
  </worldbody>
</mujoco>
"""
# In the engine's own Python: processor seconds and final digests of the same steps, by nothing but mj_step.
BARE = """
import json, sys, time
import mujoco
from contactlab.runs import state_digest
model, found, steps_s = mujoco.MjModel.from_xml_path("many.xml"), [], 0.0
for mu in json.loads(sys.argv[1]):
    model.geom_friction[:] = mu, 0.005, 0.0001
    data = mujoco.MjData(model)
    started = time.process_time()
    for _ in range(500):
        mujoco.mj_step(model, data)
    steps_s += time.process_time() - started
    found.append(state_digest(data))
print(json.dumps([steps_s, found]))
"""


def frictions(runs: int) -> list[float]:
    """The friction of each run, that of the reference first."""
    return [round(0.2 + index / runs, 6) for index in range(runs)]


def many_runs(config: dict, runs: int) -> None:
    """Make an audit of so many runs all that a configuration asks for."""
    config["max_cells"] += runs
    config["audits"] = {
        "many": {
            "scene": "many.xml",
            "duration_s": 1,
            "measures": {
                "top_m": {"body": "cube2", "quantity": "z_m"},
                "press_N": {"contact": ["cube0", "floor"], "quantity": "force_N", "at": "mean", "from_s": 0.5},
            },
            "reference": {"engine": ENGINE, "geom.*.friction": [frictions(runs)[0], 0.005, 0.0001]},
            "vary": {"geom.*.friction": [[mu, 0.005, 0.0001] for mu in frictions(runs)[1:]]},
        }
    }


def bare_steps(copy: Copy, sample: list[float]) -> tuple[float, list[str]]:
    """Processor seconds and final digests of the bare steps of these frictions."""
    return tuple(json.loads(copy.run([PYTHON, "-c", BARE, json.dumps(sample)])[1]))


def whole_run(copy: Copy) -> tuple[float, float]:
    """Make the table; seconds that it took, and processor seconds of all its processes."""
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    copy.snakemake(TARGET)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - started, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def digests(copy: Copy) -> dict[float, str]:
    """The digest of each run by its friction."""
    cells = [
        json.loads(path.read_text(encoding="utf-8")) for path in (copy.folder / f"results/audits/{ENGINE}/many").glob("*.json")
    ]
    return {cell["settings"]["geom.*.friction"][0]: cell["result"]["digest"] for cell in cells}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, required=True, help="how many")
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy.prepared(Path(folder) / "many")
        (copy.folder / "many.xml").write_text(SCENE, encoding="utf-8")
        copy.configure(lambda config: many_runs(config, runs))
        wall_s, processor_s = whole_run(copy)
        sample = frictions(runs)[:: max(1, runs // SAMPLE)]
        bare_s, ended = bare_steps(copy, sample)
        of_run = digests(copy)
        if [of_run[mu] for mu in sample] != ended:
            sys.exit("bench_audit: the bare steps do not end in the bits of the runs")
    steps_ms = 1000 * bare_s / len(sample)
    beside = [1000 * seconds / runs - steps_ms for seconds in (wall_s * CORES, processor_s)]
    print(f"{runs} runs of {steps_ms:.1f} ms of steps: {wall_s:.1f} s on {CORES} cores, {processor_s:.1f} s of processor time")
    print(f"beside its steps a run costs {beside[0]:.1f} ms of a core (at most 20), {beside[1]:.1f} ms of it processor time")


if __name__ == "__main__":
    main()
