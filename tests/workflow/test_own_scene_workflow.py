"""A drop scene of the user's own in the workflow: an edited one runs its own cells again."""

import re
from collections import Counter

from conftest import CUBE, PUBLISHED, TABLE, rows, write_scene


def test_an_edited_scene_runs_its_cells_again_and_no_others(workflow):
    scenes = workflow.folder / "scenes"
    scenes.mkdir()
    write_scene(scenes, TABLE, "table.xml")
    write_scene(scenes, CUBE, head='<include file="table.xml"/>')
    drops = {"scene": "scenes/my_scene.xml", "sweeps": {"own": {"engine": ["3.17.0"], "dt_ms": [2, 25]}}}
    workflow.configure({"stepping": {}, "drop": drops, "pick": PUBLISHED["pick"]})
    targets = ["results/own.csv", "figures/own.png"]
    assert workflow.executed(*targets) == Counter(engine=1, drop_ready=1, drop_run=2, drop_table=1, drop_figure=1)
    first = rows(workflow.folder / "results/own.csv")
    assert [row["outcome"] for row in first] == ["kept", "kept"]
    assert {(row["scene"], row["table_top_m"], row["cube_mass_kg"]) for row in first} == {("my-scene", "0.3", "0.1")}
    assert "solref" not in first[0]
    assert workflow.executed(*targets) == Counter()

    write_scene(scenes, TABLE.replace(".295", ".195"), "table.xml")
    assert workflow.executed(*targets) == Counter(drop_ready=1, drop_run=2, drop_table=1, drop_figure=1)
    second = rows(workflow.folder / "results/own.csv")
    assert {row["table_top_m"] for row in second} == {"0.2"}
    assert {row["scene_digest"] for row in first}.isdisjoint(row["scene_digest"] for row in second)

    generated = workflow.executed("results/drop/3.17.0/dt_ms=2.json")
    assert generated == Counter(drop_model=1, drop_run=1)
    refused = workflow.run("--dry-run", "results/drop/3.17.0/scene=other,dt_ms=2.json")
    assert "scene=other,dt_ms=2 belongs to scene=other; allowed by the configuration: scene=my-scene" in refused.stdout


def test_a_scene_that_is_no_drop_is_one_job_and_one_line_before_any_drop(workflow):
    """Also for a question that runs its own cells. What only a compiled scene tells: here a table that leans on its edge."""
    scene = write_scene(workflow.folder, TABLE.replace("pos", 'euler="10 0 0" pos') + CUBE)
    sweep = {"engine": ["3.17.0"], "dt_ms": [1, 2, 4, 25]}
    own = {"stepping": None, "pick": None, "presets": {"softest_solref": {"drop": sweep}}}
    workflow.configure({"drop": {"scene": scene.name, "sweeps": {"own": sweep}}} | own)
    done = workflow.run("--keep-going", "results/own.csv", "results/softest_solref.csv")
    assert done.returncode != 0
    assert done.stdout.splitlines()[-1].startswith("drop_ready.py: my_scene.xml: geom 'table' is turned by quat [0.99")
    assert re.findall(r"Error in rule (\w+)", workflow.log()) == ["drop_ready"]
    assert not [path for path in workflow.folder.glob("results/*/3.17.0/*.json") if "ready" not in str(path)]


def test_a_scene_is_drawn_in_the_map_of_a_preset(workflow):
    """Its table has no solref, which the map of the generated scene marks."""
    scene = write_scene(workflow.folder)
    preset = {"ours": {"drop": {"engine": ["3.17.0"], "dt_ms": [2, 25], "integrator": ["Euler", "RK4"]}}}
    workflow.configure({"drop": {"scene": scene.name}, "presets": preset, "stepping": None, "pick": None})
    assert workflow.executed("ours") == Counter(engine=1, drop_ready=1, drop_run=4, ours_table=1, ours_figure=1, ours=1)
    assert {row["outcome"] for row in rows(workflow.folder / "results/ours.csv")} == {"kept", "passed"}
