"""Summaries of picks, on records made up here: counts, means over the tries that closed, bands, comparisons of timesteps."""

import math

import mujoco
import numpy as np
import pandas as pd
import pick_timestep
import pytest
from conftest import claims_of
from scipy.optimize import minimize_scalar
from scipy.stats import binomtest

from contactlab.grasp import lift_acceleration
from contactlab.machine import minimum_jerk
from records import files, grasp_checks, pick_tables, tables

STRAIGHT = {"cube_yaw_rad": 0.0}
CELL = STRAIGHT | {"mu": 0.05, "mass_kg": 0.03, "lift_s": 1.0, "lift_height_m": 0.07, "down_height_m": -0.004}


def pick(outcome: str, squeeze_N: float | None = None, x_m: float = 0.22, flung: bool = False) -> dict:
    closed = squeeze_N is not None
    return {
        "outcome": outcome,
        "flung": flung,
        "squeeze_N": squeeze_N,
        "close_time_s": 1.5 if closed else None,
        "cube_position_m": [x_m, 0.0, 0.015],
        "cube_quat": [1.0, 0.0, 0.0, 0.0],
        "reapproaches": 0,
        "largest_depth_m": 0.001,
        "start_overlap_m": 0.0,
    }


@pytest.mark.parametrize("at_line_search", [0, 3])
def test_checks_say_whether_the_solver_of_their_pick_was_cut_short(at_line_search):
    result = {"hold": {"jaw_contacts": 8, "vertical_force_N": 0.3, "largest_cone_use": 0.1}, "at_iterations": 0}
    record = {
        "settings": CELL | {"cap_Nm": 0.5, "position": 0},
        "result": result | {"at_line_search": at_line_search},
        "perturbed": [],
    }
    assert {row["truncated"] for row in grasp_checks.step2(record)} == {at_line_search > 0}


def test_counts_and_means_are_over_the_tries_that_closed():
    row = pick_tables.counts([pick("held", 10.0), pick("dropped", 14.0), pick("not closed", flung=True)], CELL)
    assert (row["held"], row["dropped"], row["not_closed"], row["flung"]) == (1, 1, 1, 1)
    assert row["squeeze_N"] == 12.0
    assert row["cone_ratio"] == pytest.approx(0.05 * 12 / (0.03 * 9.81))
    lift_m_s2 = 10 / math.sqrt(3) * 0.074 / 1.0**2  # of 7.4 cm in a second
    assert row["cone_ratio_lift"] == pytest.approx(0.05 * 12 / (0.03 * (9.81 + lift_m_s2)))


def test_a_summary_counts_the_picks_with_jaws_inside_and_those_whose_solver_was_cut_short():
    limits = [{"at_iterations": 2, "at_line_search": 0}, {"at_iterations": 0, "at_line_search": 0}, {}]
    picks = [pick("jaws inside", 900.0) | limits[0], pick("held", 10.0) | limits[1], pick("held", 10.0) | limits[2]]
    row = pick_tables.summary_row([{"settings": CELL, "result": result, "perturbed": []} for result in picks])
    assert (row["jaws_inside"], row["held"], row["successes"], row["n"]) == (1, 2, 2, 3)
    assert row["truncated"] == 1


def test_a_pick_that_ran_has_its_hold_and_its_solver_in_its_row():
    grip = {"force_fixed_N": 20.0, "depth_m": 0.001, "slip_m_per_s": 2e-5}
    seen = {"largest_depth_m": 0.002, "lift_hold_largest_cone_use": 1.0, "lift_hold_friction_use": 0.5}
    holding = {"mean_slip_m_per_s": 1e-5, "x_m": 0.01, "quat": [1.0, 0.0, 0.0, 0.0], "jitter_m": 1e-6}
    solver = dict.fromkeys(tables.SOLVER_TOLD, 0) | {"at_line_search": 1}
    result = (
        pick("held", 40.0) | {"close": grip, "hold": grip, "holding": holding, "effective": None, "digest": "d"} | seen | solver
    )
    result |= {"lift_m": 0.07, "steps": 9, "distance_moved_m": 0.07, "ik_error_m": {"pre": 1e-4}, "start_overlaps": ""}
    result["warnings"] = {"counters": {}, "messages": {}}
    row = pick_tables.pick_row({"result": result, "perturbed": [], "model_digest": "m"})
    told = {
        name: row[name]
        for name in ("hold_depth_m", "close_slip_m_per_s", "hold_mean_slip_m_per_s", "hold_x_m", "hold_jitter_m")
    }
    assert told == dict(zip(told, (0.001, 2e-5, 1e-5, 0.01, 1e-6), strict=True))
    assert {name: row[name] for name in seen} == seen
    assert row["truncated"] is True


def test_without_a_grip_there_is_no_mean():
    row = pick_tables.counts([pick("not closed")], CELL)
    assert [row[name] for name in ("squeeze_N", "close_time_s", "cone_ratio", "cone_ratio_lift")] == [None] * 4


def test_a_band_spans_the_rows_of_moved_starts():
    """The k-th moved pick of each position belong together: their means are banded, not the single picks."""
    records = [
        {"settings": CELL, "result": pick("held", 10.0), "perturbed": [pick("held", 12.0), pick("dropped", 8.0)]},
        {"settings": CELL, "result": pick("held", 20.0), "perturbed": [pick("held", 18.0), pick("held", 30.0)]},
    ]
    row = pick_tables.summary_row(records)
    assert (row["squeeze_N"], row["squeeze_N_low"], row["squeeze_N_high"]) == (15.0, 15.0, 19.0)
    assert (row["held"], row["held_low"], row["held_high"]) == (2, 1, 2)
    fewest, most = (binomtest(count, 2).proportion_ci(method="wilson") for count in (1, 2))
    ends = [row[f"wilson_{end}_{of_band}"] for end in ("low", "high") for of_band in ("low", "high")]
    assert ends == pytest.approx([fewest.low, most.low, fewest.high, most.high], abs=2e-5)  # the lesson's z is 1.96
    assert (row["n"], row["perturbations"], row["outcome"]) == (2, 2, "held")


def held_pick(lift_m: float, forces_N: tuple[float, float], use: float) -> dict:
    hold = dict(zip(("force_fixed_N", "force_moving_N"), forces_N, strict=True)) | {"largest_cone_use": use}
    return pick("held", 10.0) | {"lift_m": lift_m, "hold": hold}


def test_lift_forces_and_cone_use_are_means_over_held_cubes_with_their_bands():
    """A dropped cube, which lies on the floor without a force, says nothing of how the others are held."""
    lost = pick("dropped", 14.0) | {"lift_m": 0.0, "hold": None}
    records = [
        {"result": held_pick(0.05, (20, 22), 0.25), "perturbed": [held_pick(0.06, (20, 22), 0.5), lost]},
        {"result": held_pick(0.07, (10, 12), 0.75), "perturbed": [lost, held_pick(0.07, (30, 32), 0.75)]},
        {"result": lost, "perturbed": [lost, lost]},
        {"result": {"outcome": "timed out"}, "perturbed": []},
    ]
    row = pick_tables.held_row(records)
    assert [row[f"lift_cm{end}"] for end in ("", "_low", "_high")] == pytest.approx([6, 6, 7])
    assert [row[f"hold_force_fixed_N{end}"] for end in ("", "_low", "_high")] == [15, 15, 30]
    assert [row[f"hold_force_moving_N{end}"] for end in ("", "_low", "_high")] == [17, 17, 32]
    assert [row[f"hold_largest_cone_use{end}"] for end in ("", "_low", "_high")] == [0.5, 0.5, 0.75]
    nobody = pick_tables.held_row(records[2:])
    assert {value for name, value in nobody.items() if not name.startswith("largest_depth_cm")} == {None}
    assert nobody["largest_depth_cm"] == pytest.approx(0.1)  # which is told of every pick


@pytest.mark.parametrize(("yaw_deg", "turn_deg"), [(0, 30), (40, 90), (0, 180), (-170, 25)])
def test_the_turn_of_a_cube_is_the_angle_about_its_axis(yaw_deg, turn_deg):
    start, turn, end = np.zeros(4), np.zeros(4), np.zeros(4)
    mujoco.mju_axisAngle2Quat(start, np.array([0.0, 0, 1]), math.radians(yaw_deg))
    mujoco.mju_axisAngle2Quat(turn, np.array([0.6, 0, 0.8]), math.radians(turn_deg))
    mujoco.mju_mulQuat(end, turn, start)
    record = {"settings": {"cube_yaw_rad": math.radians(yaw_deg)}, "result": {"cube_quat": end.tolist()}}
    assert pick_tables.rotation_deg(record) == pytest.approx(turn_deg, abs=1e-5)


def test_without_moved_starts_the_table_says_so():
    row = pick_tables.summary_row([{"settings": CELL, "result": pick("held", 10.0), "perturbed": []}])
    assert (row["perturbations"], row["squeeze_N_low"], row["squeeze_N_high"]) == (0, None, None)


@pytest.mark.parametrize(
    ("picks", "decides"),
    [
        ({0.005: pick("held"), 0.002: pick("held"), 0.001: pick("held")}, "nothing"),
        ({0.005: pick("held", x_m=0.2211), 0.002: pick("held"), 0.001: pick("held")}, "pose"),
        ({0.005: pick("held"), 0.002: pick("held"), 0.001: pick("dropped")}, "outcome"),
        ({0.005: pick("dropped"), 0.002: pick("dropped", flung=True), 0.001: pick("dropped")}, "outcome"),
    ],
)
def test_what_the_timestep_decides(picks, decides):
    row = pick_timestep.compare(picks, tolerance_m=0.001)
    assert row["timestep_decides"] == decides
    assert list(row)[:3] == ["outcome_5_ms", "outcome_2_ms", "outcome_1_ms"]


def test_sweeps_that_share_a_pick_read_the_same_cell(tmp_path):
    for position in (0, 1):
        record = {
            "settings": CELL | {"cap_Nm": 0.5, "position": position},
            "result": pick("held", 12.0 + position),
            "perturbed": [],
        }
        files.write_json(tmp_path / "3.17.0" / f"mu=0.05,mass_kg=0.03,cap_Nm=0.5,position={position}.json", record)
    grid = {"engine": ["3.17.0"], "mu": [0.05], "mass_kg": [0.03], "cap_Nm": [0.5], "position": [0, 1]}
    table = pick_tables.summary(tmp_path, [("friction", grid, {}), ("torque_cap", grid, {})])
    assert list(table["sweep"]) == ["friction", "torque_cap"]
    assert list(table["squeeze_N"]) == [12.5, 12.5]


def test_the_largest_acceleration_of_a_lift():
    """10 / sqrt(3) is the largest second derivative of the blend, found here by a numerical optimiser."""
    second = lambda u: (minimum_jerk(u + 1e-4) - 2 * minimum_jerk(u) + minimum_jerk(u - 1e-4)) / 1e-8  # noqa: E731
    largest = -minimize_scalar(lambda u: -second(u), bounds=(0.05, 0.45), method="bounded").fun
    assert lift_acceleration(lift_m=0.08, lift_s=2.0) == pytest.approx(largest * 0.08 / 4, rel=1e-5)


def test_published_ratios_follow_from_published_squeezes():
    rows = grasp_checks.step1(pd.DataFrame(claims_of("grasp")))
    found = {row["part"]: f"{row['value']:.2f}" for row in rows if row["quantity"] == "max_abs_ratio_difference"}
    assert found == {"A": "0.01", "B": "0.00", "C": "0.00"}
    assert [f"{row['value']:.3f}" for row in rows if row["quantity"] == "max_mass"] == ["0.065", "0.497"]


def test_published_steps_4_and_5():
    values = {row["quantity"]: row["value"] for row in grasp_checks.step4({"max_qpos_difference_rad": 0.0})}
    assert f"{values['minjerk_mid']:.3f}" == "0.500"
    assert f"{values['minjerk_peak_speed']:.4f}" == "1.8750"
    assert f"{values['minjerk_end_rate']:.0e}" == "6e-04"
    intervals = [row for row in grasp_checks.step5() if row["quantity"] == "wilson_interval"]
    assert [f"{row['value']:.2f}..{row['upper']:.2f}" for row in intervals] == ["0.06..0.51", "0.72..1.00", "0.00..0.28"]
    apart = [row["value"] for row in grasp_checks.step5() if row["quantity"] == "wilson_vs_scipy"]
    assert [f"{value:.1e}" for value in apart] == ["5.6e-06", "7.4e-06", "7.4e-06"]
    assert not any(math.isnan(value) for value in apart)
