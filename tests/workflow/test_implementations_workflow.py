"""Other implementations in a copy of the project: what a run would do, and what it refuses. None of them is built for it."""

from conftest import CHEAP

FOLDER = "results/implementations/drop"


def configured(workflow):
    """A copy that asks for four drops in two implementations, one integrator of which MJX lacks."""
    asked = {
        "engines": {"mjx-3.17.0": {"dtype": ["float64"]}, "warp-3.17.0": {"nativeccd": ["disable"]}},
        "drop": {"timestep": {}},
    }
    sweep = {"engine": ["3.17.0"], "dt_ms": [2, 25], "integrator": ["Euler", "discrete"]}
    workflow.configure(CHEAP | {"drop": {"sweeps": {"timestep": sweep}}, "implementations": asked})
    return workflow


def test_what_an_implementation_lacks_is_refused_by_its_path_and_left_out_of_the_comparison(workflow):
    """A batch is one job, whatever its size; nothing of what cannot run is planned."""
    copied = configured(workflow)
    done = copied.run("--dry-run", f"{FOLDER}/mjx-3.17.0/dtype=float64/dt_ms=2,integrator=discrete.json")
    assert done.returncode != 0
    assert "integrator is discrete, and mjx-3.17.0 has no step for it" in done.stdout
    done = copied.run("--dry-run", "results/implementations.csv")
    assert done.returncode == 0, done.stdout
    batches = {tuple(line.split()) for line in done.stdout.splitlines() if line.startswith("drop_") and "_batch_" in line}
    assert batches == {("drop_mjx_batch_0", "1"), ("drop_warp_batch_0", "1"), ("drop_warp_batch_1", "1")}
    assert f"{FOLDER}/mjx-3.17.0/dtype=float64/dt_ms=2,integrator=discrete.json" not in done.stdout
