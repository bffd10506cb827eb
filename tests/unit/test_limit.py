"""A cell that takes too long is ended, and passes for no measurement anywhere."""

import time

import drop_run
import pandas as pd
import pytest
import verify_check
from conftest import DECLARATIONS, SCENE, SCHEMA, drop_scene
from pick_timestep import compare

from contactlab import drop, limit
from contactlab.drop_scene import drop_mjcf
from lib import schema
from records import files, passport, settings
from records.pick_tables import summary_row

HELD = {
    "outcome": "held", "flung": False, "close_time_s": 0.5, "squeeze_N": 20.0, "cube_quat": [1, 0, 0, 0], "reapproaches": 0,
    "cube_position_m": [0, 0, 0], "start_overlap_m": 0.0,
}  # fmt: skip
ENDED = {"outcome": limit.TIMED_OUT}


def endless(seconds: float) -> None:
    with limit.limited(seconds):
        while True:
            limit.check()


def test_what_takes_too_long_is_ended_and_what_does_not_is_left_alone():
    started = time.process_time()
    with pytest.raises(TimeoutError, match="cell_limit_s"):
        endless(0.05)
    assert 0.05 <= time.process_time() - started < 0.1
    limit.check()
    with limit.limited():
        limit.check()


def test_the_clock_is_looked_at_at_once_and_then_only_now_and_then(monkeypatch):
    looks = []
    monkeypatch.setattr(limit.time, "process_time", lambda: looks.append(None) or 0.0)
    with limit.limited(1):
        looks.clear()
        limit.check()
        assert len(looks) == 1
        for _ in range(10 * limit.EVERY):
            limit.check()
    assert len(looks) == 11


def test_a_drop_that_times_out_says_so_and_nothing_that_it_saw(tmp_path, monkeypatch, in_run):
    model, cell = tmp_path / "model.xml", schema.defaults(SCHEMA, "drop") | {"dt_ms": 0.001}
    model.write_text(drop_mjcf(**SCENE), encoding="utf-8")
    in_run(0.2)
    monkeypatch.setattr("sys.argv", ["", "--model", str(model), "--out", str(tmp_path / "cell.json"), *settings.to_words(cell)])
    drop_run.main()
    result = files.read_json(tmp_path / "cell.json")["result"]
    known = {name: value for name, value in result.items() if value not in (None, [])}
    assert known.keys() == {"outcome", "failure_mode", "impact_speed_m_per_s", "jump_m", "middle_m", "half_height_m"}
    assert known["outcome"] == known["failure_mode"] == limit.TIMED_OUT


def test_a_pick_that_times_out_counts_as_no_pick():
    record = {"settings": schema.defaults(SCHEMA, "pick") | {"mu": 0.3, "mass_kg": 0.03}, "result": HELD, "perturbed": []}
    ended = record | {"result": ENDED}
    alone = summary_row([record])
    both = summary_row([record, ended])
    assert {name for name in alone if alone[name] != both[name]} == {"outcome", "timed_out"}
    assert (both["n"], both["held"], both["timed_out"], both["outcome"]) == (1, 1, 1, "mixed")
    none = summary_row([ended])
    assert (none["n"], none["timed_out"], none["wilson_low"], none["outcome"]) == (0, 1, None, limit.TIMED_OUT)


def test_a_timestep_is_said_to_decide_nothing_where_a_pick_timed_out():
    row = compare({0.002: HELD, 0.001: ENDED}, 0.001)
    assert (row["timestep_decides"], row["final_distance_mm"]) == (limit.TIMED_OUT, None)


def test_a_passport_has_no_cell_that_timed_out():
    assert passport.entries("drop/3.17.0/dt_ms=2.json", {"result": ENDED}, DECLARATIONS) == {}


def test_verify_compares_no_cell_that_timed_out():
    cell = {"experiment": "drop", "engine": "3.17.0", "cell": "dt_ms=2"}
    table = pd.DataFrame([cell | {"verdict": verdict} for verdict in ("same bits", "same bits", limit.TIMED_OUT)])
    assert verify_check.check(table) == "2 of 2 cells gave the same bits again; 1 timed out and could not be compared"
    with pytest.raises(ValueError, match="all 1 cells timed out"):
        verify_check.check(table[table["verdict"] == limit.TIMED_OUT])


def test_a_cube_that_has_not_come_down_is_in_the_air_and_where_free_fall_has_it():
    """Semi-implicit Euler: after n steps of h it has fallen g h^2 n (n + 1) / 2."""
    steps, h, model = 100, 0.002, drop_scene()
    result = drop.run(model, 1000 * h, "Euler", steps * h)
    assert result["outcome"] == "in the air"
    fallen_m = drop.Scene.of(model).start_m - result["final_z_m"]
    assert fallen_m == pytest.approx(9.81 * h**2 * steps * (steps + 1) / 2, rel=1e-9)


def test_a_cube_that_a_contact_throws_above_its_start_is_not_kept():
    result = drop.run(drop_scene(solref=[-1e5, -1e4]), 2, "RK4", 0.8)
    assert result["contact_seen"]
    assert result["final_z_m"] > 1.3 + 0.05
    assert result["outcome"] == result["failure_mode"] == "in the air"
