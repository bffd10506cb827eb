"""A drop scene of the user's own in the workflow: an edited one runs its own cells again."""

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
    assert workflow.executed(*targets) == Counter(engine=1, drop_run=2, drop_table=1, drop_figure=1)
    first = rows(workflow.folder / "results/own.csv")
    assert [row["outcome"] for row in first] == ["kept", "kept"]
    assert {(row["scene"], row["table_top_m"], row["cube_mass_kg"]) for row in first} == {("my-scene", "0.3", "0.1")}
    assert "solref" not in first[0]
    assert workflow.executed(*targets) == Counter()

    write_scene(scenes, TABLE.replace(".295", ".195"), "table.xml")
    assert workflow.executed(*targets) == Counter(drop_run=2, drop_table=1, drop_figure=1)
    second = rows(workflow.folder / "results/own.csv")
    assert {row["table_top_m"] for row in second} == {"0.2"}
    assert {row["scene_digest"] for row in first}.isdisjoint(row["scene_digest"] for row in second)

    generated = workflow.executed("results/drop/3.17.0/dt_ms=2.json")
    assert generated == Counter(drop_model=1, drop_run=1)
    refused = workflow.run("--dry-run", "results/drop/3.17.0/scene=other,dt_ms=2.json")
    assert "scene=other,dt_ms=2 belongs to scene=other; allowed by the configuration: scene=my-scene" in refused.stdout
