"""Marks of steps, and the comparison of runs on several MuJoCo versions."""

import copy
import re

import mujoco
import numpy as np
import pandas as pd
import pytest
from conftest import CLAIMS, DECLARATIONS, FILLED, PUBLISHED, drop_scene, refusal
from hypothesis import given
from hypothesis import strategies as st

from contactlab import controls, drop, runs
from contactlab.marks import first_difference, mark, to_text
from records import versions


@given(st.lists(st.floats(width=64), min_size=1, max_size=40), st.data())
def test_one_flipped_bit_changes_the_mark(state, data):
    raw = bytearray(np.array(state).tobytes())
    before = mark(bytes(raw))
    bit = data.draw(st.integers(0, 8 * len(raw) - 1))
    raw[bit // 8] ^= 1 << bit % 8
    assert mark(bytes(raw)) != before


@given(st.lists(st.binary(min_size=8, max_size=8), min_size=1, max_size=50), st.data())
def test_the_first_difference_is_found_where_it_was_put(states, data):
    place = data.draw(st.integers(0, len(states) - 1))
    others = [bytes([state[0] ^ 1]) + state[1:] if index >= place else state for index, state in enumerate(states)]
    first, second = (to_text(b"".join(map(mark, row))) for row in (states, others))
    assert first_difference(first, second) == place
    assert first_difference(first, first) is None
    assert first_difference(first, to_text(b"".join(map(mark, states[:place])))) == place


def test_marks_are_those_of_every_state_from_the_initial_one_on():
    model = drop_scene()
    with runs.marked_steps() as marks:
        drop.run(model, 8, "Euler", 0.8)
    data = mujoco.MjData(model)
    expected = mark(runs.state_bytes(data))
    for _ in range(100):
        mujoco.mj_step(model, data)
        expected += mark(runs.state_bytes(data))
    assert bytes(marks) == expected


def test_watching_a_run_changes_nothing_of_it():
    plain, step = drop.run(drop_scene(), 3, "RK4", 1), mujoco.mj_step
    with runs.marked_steps():
        assert drop.run(drop_scene(), 3, "RK4", 1) == plain
        assert mujoco.mj_step is not step
    assert mujoco.mj_step is step


def test_marks_are_of_the_measured_run_and_not_of_one_beside_it():
    model = drop_scene()
    first, beside = mujoco.MjData(model), mujoco.MjData(model)
    with runs.marked_steps() as marks:
        mujoco.mj_step(model, first, 3)
        mujoco.mj_step(model, beside, 5)
        mujoco.mj_step(model, first)
    assert len(marks) == 4 * (1 + 3 + 1)
    assert beside.time == pytest.approx(5 * model.opt.timestep)


def test_every_case_of_a_scan_runs_alone_as_it_runs_among_the_others():
    for scan in controls.AXES:
        settings = FILLED["controls"][scan] | {"steps": 20}
        if scan == "scan":
            settings |= {"integrator": ["Euler", "discrete"], "dyntype": ["none"], "armature_kg": [0]}
        together = controls.SCANS[scan](settings)
        alone = [row for _, one in controls.cases(scan, settings) for row in controls.SCANS[scan](one)]
        for row in (*together, *alone):
            row.pop("autoreset_matters", None)  # a comparison of cases
        assert alone == together, scan


def test_published_outcomes_stand_under_the_names_of_cells():
    found = versions.published_outcomes(pd.DataFrame(CLAIMS), DECLARATIONS["drop"])
    assert len(found) == 15 + 15 + 5 * 3
    assert found["dt_ms=8"] == "kept"
    assert found["dt_ms=10,solref=0.005_1"] == "passed"
    assert found["dt_ms=2,integrator=RK4"] == "passed"
    assert versions.published_outcomes(pd.DataFrame(CLAIMS), DECLARATIONS["pick"]) == {}


def test_a_variant_that_no_drop_can_have_is_refused():
    config = copy.deepcopy(PUBLISHED) | {"engines": {"variant": {"table_thickness_m": 0.5}}}
    assert refusal(config).startswith("config.engines.variant.table_thickness_m is 0.5, which reaches below")
    config["engines"] = {"compare": ["9.9.9"]}
    assert re.match("config.engines.compare is 9.9.9, which has no lock .* VERSION=9.9.9", refusal(config))
