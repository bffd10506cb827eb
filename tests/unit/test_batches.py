"""A batch as its job writes it, with MuJoCo itself in the place of another implementation."""

import json

import batches
import pytest
from conftest import SCENE, SCHEMA

from contactlab import drop_replay, recording
from contactlab.drop_scene import drop_mjcf
from lib import schema
from records import settings

MADE = {"versions": {"mujoco": "itself"}, "backend": "cpu", "device": "cpu", "contacts_reserved": 8}


@pytest.fixture
def ran(tmp_path, monkeypatch):
    """ran(option, *cells) runs drops as a job does, and gives what the program was asked for and each record."""

    def run(option: str, *names: str) -> tuple[dict, list[dict]]:
        asked, model = {}, tmp_path / "scene.xml"
        model.write_text(drop_mjcf(**SCENE), encoding="utf-8")

        def program(worlds, **axes):
            asked.update(axes)
            return [recording.recorded(world)[0] for world in worlds], MADE | {"overflow": [[] for _ in worlds]}

        words, out = settings.to_words(schema.defaults(SCHEMA, "drop")), [tmp_path / f"{name}.json" for name in names]
        arguments = ["--option", option, "--settings", *words, "--models", *[str(model)] * len(out), "--out", *map(str, out)]
        monkeypatch.setattr("sys.argv", ["mjx_drop.py", *arguments])
        batches.run_cells(program, drop_replay)
        return asked, [json.loads(path.read_text(encoding="utf-8")) for path in out]

    return run


def test_each_cell_is_a_file_that_says_where_it_ran_and_with_how_many(ran):
    asked, records = ran("dtype=float64", "dt_ms=2", "dt_ms=25")
    assert asked == {"dtype": "float64"}
    for record in records:
        assert record["implementation"] | MADE == record["implementation"]
        assert record["implementation"]["batch"] == 2
        assert record["implementation"]["collisions"] == "all"
        assert "digest" not in record["result"]


def test_what_ended_as_c_is_no_distance_from_it(ran):
    _, [kept, missed] = ran("dtype=float64", "dt_ms=2", "dt_ms=25")
    assert (kept["result"]["outcome"], missed["result"]["failure_mode"]) == ("kept", "missed contact")
    assert kept["result"]["largest_apart_m"] == missed["result"]["largest_apart_m"] == 0
    shared = kept["result"].keys() & kept["reference"].keys()
    assert {name: kept["result"][name] for name in shared} == {name: kept["reference"][name] for name in shared}


def test_each_axis_of_an_option_reaches_the_program_by_itself(ran):
    """Two axes in the name of one folder are two."""
    asked, _ = ran("nativeccd=disable,other=1", "dt_ms=25")
    assert asked == {"nativeccd": "disable", "other": 1}
