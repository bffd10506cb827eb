"""Audits: which runs one has, and what they are called."""

from pathlib import Path

from records import audits

BOWL = {
    "name": "bowl",
    "grid": {},
    "reference": {"engine": "3.17.0", "option.timestep": 0.002},
    "vary": {"engine": ["3.11.0", "3.17.0"], "option.timestep": [0.001, 0.002], "geom.*.friction": [[0.5, 0.005, 0.0001]]},
}


def test_each_variation_moves_one_thing_from_the_reference_and_none_is_the_reference():
    found = audits.runs(BOWL)
    friction = "geom.*.friction=0.5_0.005_0.0001"
    assert [run.variation for run in found] == ["reference", "engine=3.11.0", "option.timestep=0.001", friction]
    assert [run.engine for run in found] == ["3.17.0", "3.11.0", "3.17.0", "3.17.0"]
    assert found[2].settings == {"option.timestep": 0.001}
    assert found[3].settings == {"option.timestep": 0.002, "geom.*.friction": [0.5, 0.005, 0.0001]}


def test_each_variation_runs_over_the_whole_grid():
    found = audits.runs(BOWL | {"grid": {"task": ["reach", "push"], "seed": [0, 1]}, "vary": {"engine": ["3.11.0"]}})
    places = [{"task": task, "seed": seed} for task in ("reach", "push") for seed in (0, 1)]
    assert [(run.variation, run.place) for run in found] == [
        (variation, place) for variation in ("reference", "engine=3.11.0") for place in places
    ]
    assert len({run.path(Path()) for run in found}) == 8


def test_a_cell_is_named_by_what_it_moves_and_by_nothing_that_a_file_cannot_be_called():
    names = {run.variation: run.path(Path("results/audits")).as_posix() for run in audits.runs(BOWL)}
    assert names["reference"] == "results/audits/3.17.0/bowl/default.json"
    assert names["engine=3.11.0"] == "results/audits/3.11.0/bowl/default.json"
    assert names["geom.*.friction=0.5_0.005_0.0001"].endswith("/bowl/geom.%2A.friction=0.5_0.005_0.0001.json")
    assert audits.cell_name({"way": "a/b, c=d"}, {}) == "way=a%2Fb%2C%20c%3Dd"
    assert audits.cell_name({"b": 1, "a": 2}, {"a": 2.0}) == audits.cell_name({"a": 2, "b": 1}, {"a": 2}) == "b=1"


def test_a_long_name_is_cut_and_stays_one_of_its_own():
    names = [audits.cell_name({"word": 300 * "é" + end}, {}) for end in "ab"]
    assert all(len(name) <= audits.NAME_LIMIT and name.isascii() for name in names)
    assert names[0] != names[1]
