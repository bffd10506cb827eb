"""Marks of steps, the comparison of runs on several MuJoCo versions, and its table in the workflow."""

import copy
import re
from collections import Counter

import mujoco
import numpy as np
import pandas as pd
import pytest
import yaml
from conftest import PROJECT, drop_scene, rows
from hypothesis import given
from hypothesis import strategies as st

import engines_table
import tables
from contactlab import controls, drop, runs
from contactlab.marks import first_difference, mark, to_text
from engines_table import Run, comparison
from test_workflow import SMALL

PUBLISHED = yaml.safe_load((PROJECT / "config.yaml").read_text(encoding="utf-8"))


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
    plain = drop.run(drop_scene(), 3, "RK4", 1)
    step = mujoco.mj_step
    with pytest.raises(ZeroDivisionError), runs.marked_steps():
        assert drop.run(drop_scene(), 3, "RK4", 1) == plain
        raise ZeroDivisionError
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
        settings = PUBLISHED["controls"][scan] | {"steps": 20}
        if scan == "scan":
            settings |= {"integrator": ["Euler", "discrete"], "dyntype": ["none"], "armature_kg": [0]}
        together = controls.SCANS[scan](settings)
        alone = [row for _, one in controls.cases(scan, settings) for row in controls.SCANS[scan](one)]
        for row in (*together, *alone):
            row.pop("autoreset_matters", None)  # a comparison of cases
        assert alone == together, scan


NUMBERS = {"lowest_centre_m": 0.296, "first_contact_time_s": 0.448, "contact_seen": True, "normal_flip_time_s": None}
MARKS = to_text(b"".join(mark(bytes([state])) for state in range(10)))
PARTED = to_text(b"".join(mark(bytes([state + (state >= 4)])) for state in range(10)))
KEPT = Run("kept", "none", NUMBERS, MARKS, 0.008)


@pytest.mark.parametrize(
    ("run", "change", "step", "numbers"),
    [
        (KEPT, "nothing", None, ""),
        (Run("kept", "none", NUMBERS, PARTED, 0.008), "only bits", 4, ""),
        (Run("kept", "none", NUMBERS | {"lowest_centre_m": 0.29603}, PARTED, 0.008), "only bits", 4, ""),
        (Run("kept", "none", NUMBERS | {"lowest_centre_m": 0.2961}, PARTED, 0.008), "printed numbers", 4, "lowest_centre_m 0.296 -> 0.2961"),
        (Run("kept", "none", NUMBERS | {"contact_seen": False}, MARKS, 0.008), "printed numbers", None, "contact_seen True -> False"),
        (Run("passed", "too soft", NUMBERS, PARTED, 0.008), "outcome", 4, ""),
        (Run("kept", "late", NUMBERS, PARTED, 0.008), "failure mode", 4, ""),
    ],
)  # fmt: skip
def test_what_differs_is_told_in_fixed_words(run, change, step, numbers):
    told = comparison(run, KEPT)
    assert (told["change"], told["first_different_step"], told["changed_numbers"]) == (change, step, numbers)
    assert told["first_different_time_s"] == (None if step is None else 0.032)
    assert (told["outcome"], told["reference_outcome"]) == (run.outcome, "kept")


def test_a_run_that_an_engine_lacks_is_a_row_that_says_so():
    assert comparison(None, KEPT) == {
        "reference_outcome": "kept", "reference_failure_mode": "none", "change": "not in this version"
    }  # fmt: skip


def test_a_flung_cube_is_a_failure_mode_of_its_own():
    result = {"outcome": "dropped", "flung": False, "lift_m": 0.0, "squeeze_N": 3.0, "close_time_s": 0.5}
    dropped, flung = (
        engines_table.pick_run({"result": result | {"flung": far}, "settings": {"timestep_s": 0.002}, "marks": MARKS})
        for far in (False, True)
    )
    assert comparison(flung, dropped)["change"] == "failure mode"


def test_published_outcomes_stand_under_the_names_of_cells(claims):
    found = engines_table.published_outcomes(pd.DataFrame(claims), {"integrator": "Euler"})
    assert len(found) == 15 + 15 + 5 * 3
    assert found["dt_ms=8"] == "kept"
    assert found["dt_ms=10,solref=0.005_1"] == "passed"
    assert found["dt_ms=2,integrator=RK4"] == "passed"
