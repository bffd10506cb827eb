"""The pick chain end to end on a few picks, and what stops it before any pick runs."""

import json
from collections import Counter

import numpy as np
import pytest
from conftest import rows

PICK = {"engine": ["3.17.0"], "mu": [0.3], "mass_kg": [0.03], "cap_Nm": [0.5], "position": [0, 1]}
NOMINAL = PICK | {"mu": [1.0], "cap_Nm": [2.94], "position": ["nominal"]}
CONFIG = {
    "stepping": {},
    "drop": {"sweeps": {"timestep": {"engine": ["3.17.0"], "dt_ms": [2]}}},
    "pick": {
        "settings": {"perturbations": 1},
        "sweeps": {"friction": PICK, "mass": PICK},
        "nominal": NOMINAL,
        "checks": [],
        "timesteps_s": [0.005, 0.002],
    },
}
TABLES = ["cells", "summary", "nominal", "checks", "solver", "timestep"]
FIGURES = ["grasp", "grasp_solver", "grasp_timestep", "pick"]
TARGETS = [*(f"results/grasp_{name}.csv" for name in TABLES), *(f"figures/{name}.png" for name in FIGURES)]


def changed(**settings) -> dict:
    return CONFIG | {"pick": CONFIG["pick"] | {"settings": CONFIG["pick"]["settings"] | settings}}


def test_a_few_picks_from_nothing_to_figures(bare):
    bare.configure(CONFIG)
    done = bare.executed(*TARGETS)
    assert done == Counter(
        engine=1, robot=1, pick_ready=1, pick_model=5, pick_compile=4, pick_run=7, pick_machine=1, pick_frames=1, pick_table=2,
        pick_summary=2, pick_checks=1, pick_timestep=1, pick_figure=1, pick_solver_figure=1,
        pick_timestep_figure=1, pick_story=1,
    )  # fmt: skip
    results = bare.folder / "results"
    [first, second] = rows(results / "grasp_summary.csv")
    assert (first["sweep"], second["sweep"]) == ("friction", "mass")
    assert (first["successes"], first["n"], first["outcome"], first["perturbations"]) == ("2", "2", "held", "1")
    assert float(first["squeeze_N_low"]) <= float(first["squeeze_N"]) <= float(first["squeeze_N_high"])
    [nominal] = rows(results / "grasp_nominal.csv")
    assert (nominal["outcome"], nominal["steps"], nominal["hold_jaw_contacts"]) == ("held", "2287", "18")
    provenance = json.loads((results / "models/so101/provenance.json").read_text(encoding="utf-8"))
    assert (provenance["source"], provenance["version"], provenance["licence"]) == ("wheel", "0.10.0", "Apache-2.0")

    assert bare.executed(*TARGETS) == Counter()
    cell = "results/demonstrations/3.17.0/mu=1,mass_kg=0.03,cap_Nm=2.94,position=nominal.npz"
    assert bare.executed(cell) == Counter(pick_demonstration=1)
    demonstration = np.load(bare.folder / cell)
    assert len(demonstration["qpos"]) == len(demonstration["ctrl"]) == len(demonstration["time_s"]) == 2287
    assert "rad" in str(demonstration["units"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"position_centre_m": [0.6, 0.0]}, "position nominal: pose 'pre' at [0.6, 0"),
        ({"cube_half_size_m": 0.025}, "the open jaws cannot span a cube 0.05 m wide"),
    ],
)
def test_a_pick_that_cannot_be_planned_stops_before_any_pick(workflow, settings, message):
    workflow.configure(changed(**settings))
    done = workflow.run("results/grasp_summary.csv")
    assert done.returncode != 0
    [line, *_] = [line for line in done.stdout.splitlines() if message in line]
    assert line.startswith("pick_ready.py: ")
    assert "allowed" in line
    assert not list(workflow.folder.glob("results/pick/3.17.0/*.json"))


def test_a_robot_with_other_content_is_refused(workflow):
    workflow.configure(CONFIG | {"pick": CONFIG["pick"] | {"robot": {"digest": "0" * 64}}})
    done = workflow.run("results/models/so101/so101.xml")
    assert done.returncode != 0
    assert "robot: the model from wheel has the digest 3e1a671e0d81a127" in done.stdout
    assert not (workflow.folder / "results/models/so101/so101.xml").exists()
