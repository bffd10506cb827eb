"""The preset `gripper`: the picks of a WidowX AI, whose two fingers slide."""

import copy

import pandas as pd
import pytest
from captions import caption
from conftest import PUBLISHED

from records import files, tables


def answer(table: pd.DataFrame) -> str:
    """What the preset's caption says of its table."""
    held, lost = table[table["held"] == table["n"]], table[table["held"] == 0]
    assert len(held) + len(lost) == len(table)
    assert set(table["n"]) == {10}
    return (
        "The cone decides with two sliding fingers as it does with one jaw that turns: of ten cubes all are held from mu "
        f"{held['mu'].min():g} on, where the cone ratio is {held['cone_ratio'].min():.2f}, and none up to mu "
        f"{lost['mu'].max():g}, where it is {lost['cone_ratio'].max():.2f}."
    )


def test_the_preset_holds_what_its_friction_can_hold(workflow):
    """The WidowX AI: 1000 N/m on 13.8 mm left to go squeeze 13.8 N; of the 0.294 N to hold, mu 0.03 has enough, mu 0.02 not."""
    config = copy.deepcopy(PUBLISHED)
    config["pick"]["settings"]["perturbations"] = 0
    workflow.configure(config)
    name = "results/pick/3.17.0/robot=widowx,mu={},mass_kg=0.03,cap_Nm=400,position=0,perturbations=0.json"
    cells = [name.format(mu) for mu in (0.02, 0.03)]
    done = workflow.run("gripper", "--configfile", "presets/gripper.yaml")
    assert done.returncode == 0, done.stdout
    assert answer(tables.read(workflow.folder / "results/grasp_gripper.csv")) in caption("pick_sweep_figure", sweep="gripper")
    below, above = (files.read_json(workflow.folder / cell)["result"] for cell in cells)
    assert (below["outcome"], above["outcome"]) == ("dropped", "held")
    assert above["squeeze_N"] == pytest.approx(13.8, abs=0.1)
    known = files.read_json(workflow.folder / "results/models/widowx/provenance.json")
    assert (known["package"], known["version"], known["licence"]) == ("trossen-arm-sim", "0.2.3", "Apache-2.0")

    refused = workflow.run("--dry-run", cells[0])
    assert "perturbations=0 belongs to robot=widowx; allowed by the configuration: default" in refused.stdout
    refused = workflow.run("--dry-run", cells[0].replace("robot=widowx,", ""), "--configfile", "presets/gripper.yaml")
    assert "perturbations=0 belongs to default; allowed by the configuration: robot=widowx" in refused.stdout
    refused = workflow.run("--dry-run", "gripper")
    assert "gripper needs its preset; allowed: snakemake gripper --configfile presets/gripper.yaml" in refused.stdout
