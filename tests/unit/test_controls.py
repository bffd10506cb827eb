"""Control faults: the numbers of chapter 5, closed forms, and SciPy's integration of the same servo."""

import json

import mujoco
import numpy as np
import pytest
from conftest import FILLED, call_script, claims_of, run_script
from scipy.integrate import solve_ivp

from contactlab import controls

ENGINE = tuple(int(part) for part in mujoco.__version__.split(".")[:2])
# A ball of 6 cm radius at MuJoCo's default density, 1000 kg/m^3.
MASS_KG, DAMPING, H_S = 4 / 3 * np.pi * 0.06**3 * 1000, 8.0, 0.002
PLANT = {"axis": [1, 0, 0], "mass_kg": MASS_KG, "damping_N_s_per_m": DAMPING, "timestep_ms": 2}
NAN = {
    "gravity": ["disable", "enable"],
    "forcerange": ["no", "yes"],
    "autoreset": ["enable", "disable"],
    "steps": 2000,
    "servo": {"kp": 1000, "kv": 0},
    "ctrlrange_m": [-1, 1],
    "forcerange_N": [-100, 100],
    "plant": {"axis": [0, 0, 1], "mass_kg": 1, "damping_N_s_per_m": 1, "timestep_ms": 2},
}
DISPLACED = {
    "autoreset": ["enable", "disable"],
    "warm_up_steps": 200,
    "command_m": 0.5,
    "steps": 2000,
    "band_m": 0.02,
    "servo": {"kp": 1000, "kv": 15},
    "ctrlrange_m": [-1, 1],
    "plant": PLANT,
}
SCAN = {
    **DISPLACED,
    "integrator": ["Euler", "RK4", "implicit", "implicitfast"],
    "dyntype": ["none", "filter", "filterexact"],
    "gains": [{"kp": 1000, "kv": 0}, {"kp": 1000, "kv": 15}, {"kp": 100, "kv": 5}, {"kp": 30, "kv": 1}],
    "armature_kg": [0, 0.2],
    "forcerange": ["no", "yes"],
    "time_constant_s": 0.01,
    "forcerange_N": [-100, 100],
}
STATE = {
    "field": ["qpos", "qvel", "act", "qfrc_applied", "xfrc_applied", "qacc_warmstart"],
    "autoreset": ["disable", "enable"],
    "warm_up_steps": 200,
    "command_m": 0.5,
    "steps": 500,
    "servo": {"kp": 1000, "kv": 15, "dyntype": "filter", "time_constant_s": 0.01},
    "ctrlrange_m": [-1, 1],
    "plant": {**PLANT, "frictionloss_N": 0.1},
}
CLAMP = {
    "value": ["5", "1e20", "inf", "-inf", "nan"],
    "ctrlrange": ["yes", "no"],
    "command_m": 0.5,
    "steps": 2000,
    "servo": {"kp": 1000, "kv": 15},
    "ctrlrange_m": [-1, 1],
    "plant": PLANT,
}
QPOS0_M, MECHANISM_DAMPING = 0.3, 1.0
MECHANISM = {
    "warm_up_steps": 200,
    "steps": 1000,
    "sample_every": 10,
    "actuator": {
        "motor": {"element": "motor", "command": 2.0},
        "position": {"element": "position", "kp": 100, "kv": 5, "command": 0.5},
        "velocity": {"element": "velocity", "kv": 20, "command": 0.5},
        "intvelocity": {"element": "intvelocity", "kp": 100, "kv": 5, "actrange": [-2, 2], "command": 1.5},
        "filtered position": {"element": "position", "kp": 100, "kv": 5, "timeconst": 0.1, "command": 0.5},
    },
    "plant": {**PLANT, "damping_N_s_per_m": MECHANISM_DAMPING, "qpos0_m": QPOS0_M},
}


def claims(section: str) -> list:
    """The chapter's claims of one section as test parameters: case, quantity, published."""
    return [
        pytest.param(row["case"], row["quantity"], row["published"], id=f"{row['case']}:{row['quantity']}")
        for row in claims_of("hygiene", section)
    ]


def agrees(value, published: str) -> bool:
    """Whether a measured value is the published one at its printed digits."""
    if isinstance(value, bool):
        return {"yes": True, "no": False}[published] is value
    if isinstance(value, str):
        return value == published
    # Rounding may leave a minus before a zero, which no one prints.
    return float(f"{value:.{len(published.partition('.')[2])}f}") == float(published)


def axes_of(case: str) -> dict[str, str]:
    return dict(axis.split("=") for axis in case.split(";") if axis)


def find(rows: list[dict], **axes) -> dict:
    """The only row with these values."""
    (row,) = (row for row in rows if all(row[name] == value for name, value in axes.items()))
    return row


@pytest.fixture(scope="module")
def nan_rows():
    return controls.nan_scan(NAN)


@pytest.fixture(scope="module")
def displaced_rows():
    return controls.displaced_scan(DISPLACED)


@pytest.fixture(scope="module")
def state_rows():
    return controls.state_scan(STATE)


@pytest.fixture(scope="module")
def clamp_rows():
    return controls.clamp_scan(CLAMP)


@pytest.fixture(scope="module")
def mechanism_rows():
    return controls.mechanism_scan(MECHANISM)


# The model


def test_the_generated_model_has_the_bits_that_were_asked_for():
    parts = {"armature_kg": 0.1 / 3, "frictionloss_N": 0.2 / 3, "qpos0_m": 0.7 / 3}
    model, _ = controls.load(controls.slider_mjcf([controls.servo(0, kp=1000 / 3, kv=0.1)], **PLANT, **parts))
    assert model.body("channel0").mass[0] == MASS_KG
    joint = model.joint("channel0")
    assert [joint.damping[0], joint.armature[0], joint.frictionloss[0], joint.qpos0[0]] == [DAMPING, *parts.values()]
    assert model.actuator("channel0").gainprm[0] == 1000 / 3
    assert model.actuator("channel0").biasprm[:3].tolist() == [0, -1000 / 3, -0.1]
    assert model.opt.timestep == H_S


def test_the_published_plant_has_the_mass_of_a_ball_of_6_cm_and_the_density_of_water():
    plants = [FILLED["controls"][scan]["plant"] for scan in ("displaced", "scan", "state", "clamp", "mechanism")]
    assert [plant["mass_kg"] for plant in plants] == pytest.approx([MASS_KG] * 5, rel=1e-15)


def test_an_unknown_integrator_is_refused():
    with pytest.raises(ValueError, match=r"^integrator 'euler' is unknown; allowed are Euler, RK4, implicit"):
        controls.engine_has("euler")


# What a recording is turned into


def recording(qpos, warnings) -> controls.Recording:
    qpos = np.array(qpos, dtype=float)[:, None]
    counts = np.zeros((len(qpos), len(controls.WARNINGS)), dtype=int)
    counts[:, controls.WARNINGS.index("badctrl")] = warnings
    return controls.Recording(qpos, np.zeros_like(qpos), np.arange(len(qpos)) * H_S, counts)


def test_a_warning_counter_is_told_by_its_peak_its_end_and_its_first_step():
    columns = controls.warning_columns(recording([0] * 6, [0, 0, 3, 4, 0, 1]))
    assert [columns[f"badctrl_{what}"] for what in ("peak", "final", "first_step")] == [4, 1, 2]
    assert columns["badqpos_first_step"] is None


def test_a_warning_from_before_the_fault_is_nobody_s_first_step():
    assert controls.warning_columns(recording([0] * 3, [5, 5, 5]))["badctrl_first_step"] is None


@pytest.mark.parametrize(
    ("qpos", "entries"), [([1, 0.5, 0.01], 1), ([0.01, 0.01], 0), ([1, -0.01, -1, 0, 0.01, 1], 2), ([1, -1, 1], 0)]
)
def test_band_entries_come_from_above(qpos, entries):
    assert controls.band_entries(recording(qpos, 0), 0.02) == entries


# NaN from the first step


@pytest.mark.parametrize(("case", "quantity", "published"), claims("nan_ctrl"))
def test_nan_control_gives_the_published_table(nan_rows, case, quantity, published):
    column = {
        "final_qpos": "final_qpos_0_m",
        "finite": "final_finite",
        "time": "time_s",
        "badctrl": "badctrl_peak",
        "badqacc": "badqacc_peak",
    }
    assert agrees(find(nan_rows, **axes_of(case))[column.get(quantity, quantity)], published)


def test_the_servo_is_not_powerless_it_holds_at_zero_and_sags():
    settings = {**NAN, "gravity": ["enable"], "forcerange": ["no"], "autoreset": ["enable"], "steps": 20000}
    (row,) = controls.nan_scan(settings)
    # After 40 s the ringing is down by exp(-20): a sag of m g / kp stays. A body without force would be 7.8 km down.
    assert row["final_qpos_0_m"] == pytest.approx(-9.81 / 1000, abs=1e-10)


def test_one_line_is_written_for_two_thousand_warnings(nan_rows):
    assert {(row["warning_lines"], row["badctrl_final"], row["badctrl_first_step"]) for row in nan_rows} == {(1, 2000, 1)}


# Displaced


@pytest.mark.parametrize("autoreset", ["enable", "disable"])
@pytest.mark.parametrize(("case", "quantity", "published"), claims("displaced"))
def test_displaced_run_gives_the_published_numbers(displaced_rows, autoreset, case, quantity, published):
    column = {
        "final_qpos": f"final_qpos_{axes_of(case).get('channel')}_m",
        "final_ctrl": f"final_ctrl_{axes_of(case).get('channel')}_m",
        "warm_up_qpos": "warm_up_qpos_m",
        "time": "time_s",
        "reset_events": "band_entries",
        "badqacc": "badqacc_peak",
    }
    assert agrees(find(displaced_rows, autoreset=autoreset)[column.get(quantity, quantity)], published)


def test_nothing_jumps_in_the_displaced_run(displaced_rows):
    # The fastest that a mass released at 0.5 m from a spring can be without damping; a reset would move it by 0.4974 m.
    fastest_m_s = 0.5 * np.sqrt(1000 / MASS_KG)
    assert all(row["longest_move_m"] < fastest_m_s * H_S for row in displaced_rows)


def entries_of_a_servo(kp: float, kv: float, start_m: float, duration_s: float) -> int:
    """SciPy's count of entries into 2 cm around 0 for a servo of target 0, sampled as the engine's run is."""

    def motion(_, state):
        return [state[1], (-kp * state[0] - (kv + DAMPING) * state[1]) / MASS_KG]

    times = np.arange(0, duration_s, H_S)
    path = np.abs(solve_ivp(motion, (0, duration_s), [start_m, 0.0], t_eval=times, rtol=1e-10, atol=1e-12).y[0])
    return int(np.count_nonzero((path[:-1] >= 0.02) & (path[1:] < 0.02)))


@pytest.mark.parametrize(("kp", "kv"), [(1000, 15), (100, 5), (30, 1)])
def test_the_published_resets_are_a_servo_ringing_towards_zero(kp, kv):
    # A long warm-up, so that both start at rest at 0.5 m.
    settings = {**DISPLACED, "autoreset": ["enable"], "servo": {"kp": kp, "kv": kv}, "warm_up_steps": 5000}
    (row,) = controls.displaced_scan(settings)
    assert row["warm_up_qpos_m"] == pytest.approx(0.5, abs=1e-6)
    assert row["band_entries"] == entries_of_a_servo(kp, kv, 0.5, 4.0)


# The scan of 384 settings


def test_scan_gives_the_published_numbers():
    rows = controls.setting_scan(SCAN)
    entries = {(row["kp"], row["kv"]): set() for row in rows}
    for row in rows:
        entries[row["kp"], row["kv"]].add(row["band_entries"])
    assert len(rows) == 384
    assert entries[1000, 0] == {7, 8, 9}
    assert entries[30, 1] == {1}
    for quantity in ("badqacc_peak", "badqpos_peak", "nonfinite_states", "time_rewinds", "autoreset_matters"):
        assert not any(row[quantity] for row in rows), quantity
    assert all(row["bitwise_zero_controls"] for row in rows)
    # One warning for each forward evaluation: four a step with Runge-Kutta, one with every other integrator.
    assert {(row["integrator"] == "RK4", row["badctrl_final"]) for row in rows} == {(True, 8000), (False, 2000)}


def test_an_integrator_the_engine_lacks_is_marked():
    few = {"dyntype": ["none"], "gains": [{"kp": 30, "kv": 1}], "armature_kg": [0], "forcerange": ["no"], "steps": 10}
    rows = controls.setting_scan({**SCAN, **few, "integrator": ["Euler", "discrete"]})
    status = {row["integrator"]: row["status"] for row in rows}
    assert status == {"Euler": "measured", "discrete": "measured" if ENGINE >= (3, 13) else controls.NOT_IN_THIS_ENGINE}
    assert len({tuple(row) for row in rows}) == 1
    lacking = [row for row in rows if row["status"] == controls.NOT_IN_THIS_ENGINE]
    assert all(row["badctrl_peak"] is row["autoreset_matters"] is None for row in lacking)


def test_autoreset_matters_is_about_the_digests_of_one_setting():
    axes = {"integrator": "Euler", "dyntype": "none", "kp": 1, "kv": 0, "armature_kg": 0, "status": "measured"}
    digests = {("no", "enable"): "a", ("no", "disable"): "b", ("yes", "enable"): "c", ("yes", "disable"): "c"}
    rows = [
        {**axes, "forcerange": forcerange, "autoreset": autoreset, "digest": digest}
        for (forcerange, autoreset), digest in digests.items()
    ]
    marked = controls.mark_autoreset(rows)
    assert [row["autoreset_matters"] for row in marked] == [True, True, False, False]


# NaN written past the controls

# 3.16 stopped counting each warning twice.
TIMES = 1 if ENGINE >= (3, 16) else 2


@pytest.mark.parametrize(("case", "quantity", "published"), claims("nan_qpos"))
def test_nan_in_qpos_gives_the_published_numbers(state_rows, case, quantity, published):
    row = find(state_rows, field="qpos", **axes_of(case))
    if quantity in ("badqpos", "badqvel", "badqacc"):
        assert row[f"{quantity}_peak"] == int(published) // 2 * TIMES
    else:
        assert agrees(row[{"time": "time_s"}.get(quantity, quantity)], published)


@pytest.mark.parametrize("field", STATE["field"])
def test_without_autoreset_the_state_stays_bad(state_rows, field):
    row = find(state_rows, field=field, autoreset="disable")
    assert row["final_finite"] is False
    assert row["ctrl_kept"] is True
    assert (row["time_s"], row["time_rewinds"]) == (pytest.approx(1.4), 0)
    # The check of qacc is the first to see what is not in qpos or qvel themselves, one step before the others.
    first = {"qpos": ("badqpos", "badqacc"), "qvel": ("badqvel", "badqacc")}.get(field, ("badqacc",))
    for warning in ("badqpos", "badqvel", "badqacc"):
        assert row[f"{warning}_first_step"] == (1 if warning in first else 2)
        assert row[f"{warning}_final"] == (500 if warning in first else 499) * TIMES


@pytest.mark.parametrize("field", STATE["field"])
def test_with_autoreset_everything_is_reset_once_the_controls_too(state_rows, field):
    row = find(state_rows, field=field, autoreset="enable")
    assert row["final_finite"] is True
    assert row["field_finite"] is True
    assert row["ctrl_kept"] is False
    assert (row["final_qpos_0_m"], row["final_qpos_1_m"]) == (0, 0)
    assert (row["time_s"], row["time_rewinds"]) == (pytest.approx(1.0), 1)
    assert sum(row[f"{warning}_peak"] for warning in controls.WARNINGS) == 1


def test_without_a_constraint_nobody_reads_the_warm_start():
    settings = {**STATE, "field": ["qacc_warmstart"], "plant": PLANT}
    assert all(row["final_finite"] and row["badqacc_peak"] == 0 for row in controls.state_scan(settings))


# Clamping


@pytest.mark.parametrize(("case", "quantity", "published"), [c for c in claims("clamp") if "value=" in c.values[0]])
def test_clamping_gives_the_published_numbers(clamp_rows, case, quantity, published):
    row = find(clamp_rows, ctrlrange="yes", **axes_of(case))
    assert agrees(row[{"final_qpos": "final_qpos_1_m"}.get(quantity, quantity)], published)


@pytest.mark.parametrize("value", ["1e20", "inf", "-inf", "nan"])
def test_without_a_range_every_huge_control_is_bad_and_zeroes_all(clamp_rows, value):
    row = find(clamp_rows, ctrlrange="no", value=value)
    assert row["badctrl_per_step"] == 1
    assert (row["final_qpos_0_m"], row["final_qpos_1_m"]) == (0, 0)


def test_one_nan_stops_the_healthy_channel_too(clamp_rows):
    healthy = [find(clamp_rows, ctrlrange="yes", value=value)["final_qpos_0_m"] for value in ("5", "nan")]
    assert healthy == [pytest.approx(0.5, abs=1e-12), 0.0]


# The mechanism


@pytest.mark.parametrize("channel", ["faulty", "healthy"])
@pytest.mark.parametrize("actuator", MECHANISM["actuator"])
def test_only_zeroing_every_control_explains_what_happened(mechanism_rows, actuator, channel):
    row = find(mechanism_rows, actuator=actuator, channel=channel)
    # A motor without control is a motor without force: its healthy neighbour tells the two apart.
    expected = "no_force zero_controls" if (actuator, channel) == ("motor", "faulty") else "zero_controls"
    assert row["bitwise"] == expected
    assert row["zero_controls_error_m"] == 0
    for explanation in {"no_force", "reset"} - {*expected.split()}:
        assert row[f"{explanation}_error_m"] > 0.1, explanation


@pytest.mark.parametrize("channel", ["faulty", "healthy"])
@pytest.mark.parametrize("actuator", ["position", "filtered position"])
def test_position_servos_drive_to_zero_not_to_qpos0(actuator, channel):
    settings = {**MECHANISM, "steps": 10000, "actuator": {actuator: MECHANISM["actuator"][actuator]}}
    row = find(controls.mechanism_scan(settings), channel=channel)
    assert row["measured_end_m"] == pytest.approx(0, abs=1e-9)
    assert row["reset_end_m"] == QPOS0_M


def test_motors_coast(mechanism_rows):
    # Euler with damping taken implicitly: every step multiplies the velocity by r.
    r = 1 / (1 + H_S * MECHANISM_DAMPING / MASS_KG)
    speed = MECHANISM["actuator"]["motor"]["command"] / MECHANISM_DAMPING * (1 - r ** MECHANISM["warm_up_steps"])
    travel_m = H_S * speed * r * (1 - r ** MECHANISM["steps"]) / (1 - r)
    for channel in ("faulty", "healthy"):
        row = find(mechanism_rows, actuator="motor", channel=channel)
        assert row["measured_end_m"] - row["start_m"] == pytest.approx(travel_m, rel=1e-12)


def test_velocity_servos_brake(mechanism_rows):
    # Damping is implicit and the servo's kv explicit in Euler: v' = v (1 - h kv / (m + h c)) / (1 + h c / m), to rest.
    kv, command = (MECHANISM["actuator"]["velocity"][name] for name in ("kv", "command"))
    implicit_kg = MASS_KG + H_S * MECHANISM_DAMPING
    r = (MASS_KG - H_S * kv) / implicit_kg
    speed = kv * command / (kv + MECHANISM_DAMPING) * (1 - r ** MECHANISM["warm_up_steps"])
    for channel in ("faulty", "healthy"):
        row = find(mechanism_rows, actuator="velocity", channel=channel)
        assert row["measured_end_m"] - row["start_m"] == pytest.approx(H_S * speed * r / (1 - r), rel=1e-9)


def test_integrated_velocity_holds_where_its_activation_stands():
    actuator = MECHANISM["actuator"]["intvelocity"]
    row = find(controls.mechanism_scan({**MECHANISM, "steps": 10000, "actuator": {"x": actuator}}), channel="faulty")
    # The activation starts at 0 and stays at its integral over the warm-up.
    held_m = actuator["command"] * MECHANISM["warm_up_steps"] * H_S
    assert row["measured_end_m"] == pytest.approx(held_m, abs=1e-9)


def test_curves_are_the_sampled_paths(mechanism_rows):
    rows = controls.mechanism_curves({**MECHANISM, "actuator": {"position": MECHANISM["actuator"]["position"]}})
    assert len(rows) == 2 * 4 * (MECHANISM["steps"] // MECHANISM["sample_every"] + 1)
    ends = {row["curve"]: row["qpos_m"] for row in rows if row["time_s"] == pytest.approx(2) and row["channel"] == "faulty"}
    row = find(mechanism_rows, actuator="position", channel="faulty")
    assert ends == {curve: row[f"{curve}_end_m"] for curve in ("measured", *controls.EXPLANATIONS)}


def test_rows_are_json_without_nan(nan_rows, displaced_rows, state_rows, clamp_rows, mechanism_rows):
    for rows in (nan_rows, displaced_rows, state_rows, clamp_rows, mechanism_rows):
        assert json.loads(json.dumps(rows, allow_nan=False)) == rows


# The script


def test_the_script_writes_the_same_rows_every_time(tmp_path, monkeypatch):
    settings = {**CLAMP, "steps": 50}
    monkeypatch.chdir(tmp_path)
    for name, run in (("first.json", run_script), ("second.json", call_script)):
        run("controls_run.py", "--scan", "clamp", "--settings", json.dumps(settings), "--out", name)
    first, second = ((tmp_path / name).read_bytes() for name in ("first.json", "second.json"))
    assert first == second
    record = json.loads(first)
    assert record["settings"] == settings
    assert record["mujoco"] == mujoco.__version__
    assert record["rows"] == controls.clamp_scan(settings)
    # No warning went to a log in the folder.
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.json", "second.json"]
