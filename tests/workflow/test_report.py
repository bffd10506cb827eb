"""What a caption says with the published settings is what the tables say: each number in it is taken from the CSV."""

import platform
import re

import pytest
from captions import DEFAULT, STIFF, caption, chosen, drops, flung, listed, table, verdicts
from conftest import PROJECT

NOT_MEASURED = re.compile(r"``.*?``|SO-101|RK4|\blesson 16|\bchapter 5|mj_step[12]|steps 1 to 5|Wilson's 95 %|x86-64|qpos0")


def drop_timestep() -> list[str]:
    soft, wrong, missed = (drops("timestep", mode, solref=DEFAULT) for mode in ("too soft", "wrong side", "missed contact"))
    assert missed == [dt for dt in drops("timestep", "missed contact", solref=STIFF) if dt >= missed[0]]
    assert set(soft) <= set(drops("timestep", "none", solref=STIFF))
    assert wrong == drops("timestep", "wrong side", solref=STIFF)
    return [
        f"{listed(soft)} ms sink through where {drops('timestep', 'none', solref=DEFAULT)[0]:g} ms keeps",
        f"{listed(wrong)} ms first look below the mid-plane",
        f"{missed[0]:g} ms and more never see the table",
        f"(solref {STIFF}) keeps {listed(soft)} ms too, but not {listed(wrong)} ms",
    ]


def drop_timestep_table() -> list[str]:
    kept = [len(drops("timestep", "none", solref=solref)) for solref in (DEFAULT, STIFF)]
    missed = drops("timestep", "missed contact", solref=DEFAULT)
    return [
        f"{kept[0]} of {table('timestep')['dt_ms'].nunique()} timesteps keep the cube with the default solref",
        f"{kept[1]} with solref {STIFF}; none from {missed[0]:g} ms on",
    ]


def drop_integrators() -> list[str]:
    rows = table("integrators")
    kept = {name: drops("integrators", "none", integrator=name) for name in rows["integrator"].unique()}
    assert kept["Euler"] == kept["implicitfast"]
    assert kept["RK4"] == kept["discrete"] == []
    assert list(chosen(rows, contact_seen=True, dt_ms=25)["integrator"]) == ["RK4"]
    return [
        f"Euler and implicitfast keep the cube at {listed(kept['Euler'])} ms",
        f"RK4 and discrete at none of the {rows['dt_ms'].nunique()} timesteps",
        "Only RK4 sees the table at 25 ms, and sinks through",
    ]


def drop_integrators_table() -> list[str]:
    rows = table("integrators")
    assert list(chosen(rows, contact_seen=True, dt_ms=25)["integrator"]) == ["RK4"]
    return [
        f"{(rows['outcome'] == 'kept').sum()} of {len(rows)} drops are kept",
        f"Euler and implicitfast at {listed(drops('integrators', 'none'))} ms. RK4 is the only one to find a contact at 25 ms",
    ]


def impact() -> list[str]:
    rows = chosen(table("timestep"), solref=DEFAULT).set_index("dt_ms")
    assert list(rows["failure_mode"][[2, 1, 10, 25]]) == ["none", "too soft", "wrong side", "missed contact"]
    return [
        "2 ms keeps the cube; at 1 ms it is caught from above",
        f"at 10 ms the first contact, at {rows['first_overlap_centre_cm'][10]:.2f} cm",
        f"below the mid-plane of {rows['middle_cm'][10]:g} cm",
        f"at 25 ms one step of {rows['jump_cm'][25]:.1f} cm",
    ]


def growth(name: str, h_omega: float) -> float:
    rows = table("stepping_growth")
    return chosen(rows[(rows["stepper"] == name) | (rows["integrator"] == name)], h_omega=h_omega)["growth_per_step"].iloc[0]


def energies() -> list[str]:
    ratio = table("stepping_energy").set_index(["stepper", "integrator"])["energy_ratio"].to_dict()
    ratio = {stepper if isinstance(stepper, str) else integrator: value for (stepper, integrator), value in ratio.items()}
    assert ratio["Euler"] == ratio["semi_implicit_euler"]
    assert ratio["rk4"] == pytest.approx(ratio["RK4"], abs=1e-12)
    assert ratio["explicit_euler"] == pytest.approx(ratio["explicit_euler_formula"], rel=1e-9)
    return [f"{ratio['explicit_euler']:.1f}", f"{ratio['Euler']:.5f}", f"{ratio['rk4']:.6f}"]


def stepping_figure() -> list[str]:
    explicit, euler, rk4 = energies()
    assert growth("Euler", 1.9) == pytest.approx(1)
    return [
        f"without damping by {explicit} in 1000 steps",
        f"ends at {euler} and RK4 at {rk4}",
        f"neutral up to h omega = 2 and grows by {growth('Euler', 2.1):.2f} a step at 2.1",
        f"RK4 damps (by {growth('RK4', 1.9):.2f} a step at 1.9) and holds to 2.8",
        f"grows by {growth('RK4', 2.9):.2f} at 2.9",
    ]


def stepping_steppers() -> list[str]:
    error = table("stepping_steppers").set_index("integrator")["max_abs_position_error_m"]
    assert error["Euler"] == 0
    return [f"within {error['RK4']:.0e} m".replace("e-0", "e-")]


def stepping_energy() -> list[str]:
    explicit, euler, rk4 = energies()
    return [f"{explicit} times the energy", f"with {euler} and RK4 with {rk4}"]


def stepping_growth() -> list[str]:
    assert growth("Euler", 1.9) == pytest.approx(1)
    assert growth("RK4", 2.8) < 1
    return [
        f"grows by {growth('Euler', 2.1):.2f} a step at h omega 2.1 and by {growth('Euler', 2.9):.2f} at 2.9",
        "not at all up to 1.9; RK4 damps until 2.8",
        f"grows by {growth('RK4', 2.9):.2f} at 2.9",
    ]


def stepping_overlap() -> list[str]:
    centre = table("stepping_overlap").pivot(index="dt_ms", columns="by", values="first_overlap_centre_cm")
    assert centre["numpy"].equals(centre["mujoco"])
    return [f"all {len(centre)} timesteps", f"from {centre.index[centre['numpy'].isna()].min():g} ms on there is none"]


def stepping_split() -> list[str]:
    assert table("stepping_split")["bitwise_integrator_Euler"].all()
    return []


def ledger_figure() -> list[str]:
    found = verdicts()
    return [
        f"{found['exact'] + found['within']} of {found['all']} published numbers come out",
        f"{found['exact']} at the printed digits",
        f"{found['within']} inside their band",
        f"{found['differs']} differ, {verdicts(document='grasp')['differs']} of them in lesson 16",
        f"{found['timing']} are timings",
    ]


def ledger_table() -> list[str]:
    drop, grasp, hygiene = (verdicts(document=name) for name in ("timestep", "grasp", "hygiene"))
    assert drop["exact"] + drop["within"] == drop["all"]
    assert chosen(table("ledger"), verdict="differs")["cause"].notna().all()
    return [
        f"all {drop['all']} numbers of lesson 02 come out",
        f"{grasp['exact'] + grasp['within']} of lesson 16's {grasp['all']}",
        f"{hygiene['exact'] + hygiene['within']} of chapter 5's {hygiene['all']}",
        f"Each of the {verdicts()['differs']} that differ",
    ]


def held(sweep: str, axis: str, successes: int = 10) -> list[float]:
    """The values of a sweep at which so many of the picks hold."""
    return sorted(chosen(table("grasp_summary"), sweep=sweep, successes=successes)[axis])


def pick_figure() -> list[str]:
    slippery, light = held("friction", "mu", 0), held("mass", "mass_kg")
    mu, dropped = held("friction", "mu"), chosen(table("grasp_summary"), sweep="mass", outcome="dropped").iloc[0]
    assert max(slippery) < min(mu)
    return [
        f"friction of {min(mu):g} and more holds 10 of 10 cubes and {max(slippery):g} and less none",
        f"up to {max(light):g} kg is held and {dropped['mass_kg']:g} kg is dropped",
        f"at a cone ratio of {dropped['cone_ratio']:.2f}",
        "a ratio of 1 carries",
        "more than 30 cm away",
    ]


def pick_summary() -> list[str]:
    rows = chosen(table("grasp_summary"), sweep="torque_cap")
    caps, open_ = held("torque_cap", "cap_Nm"), rows[rows["not_closed"] == 10]["cap_Nm"]
    mu, masses = held("friction", "mu"), held("mass", "mass_kg")
    return [
        f"friction of {min(mu):g} and more, torque caps of {min(caps):g} to {max(caps):g} N m",
        f"masses up to {max(masses):g} kg are held 10 times of 10",
        f"caps of {max(open_):g} N m and less never close",
    ]


def pick_solver() -> list[str]:
    stock, converged, picks = flung()
    return [f"{stock} of {picks} cubes are flung with the stock solver and {converged} with the converged one"]


def pick_solver_figure() -> list[str]:
    stock, converged, picks = flung()
    rows = table("grasp_solver")
    rows = rows[rows["iterations"] > rows["iterations"].min()]
    dropped = chosen(rows, sweep="friction", dropped=10)["mu"]
    assert (converged, list(chosen(rows, sweep="torque_cap", cap_Nm=2.94)["held"])) == (0, [10])
    return [
        f"flings {stock} of {picks} cubes, the solver run to its end none",
        f"friction of {max(dropped):g} and less is then dropped",
        "the strongest jaw (2.94 N m) holds 10 of 10",
    ]


def nominal() -> dict:
    return table("grasp_nominal").iloc[0].to_dict()


def pick_story() -> list[str]:
    pick = nominal()
    return [
        f"lifts the cube by {pick['lift_cm']:.2f} cm: the jaws take {pick['close_time_s']:.3f} s to close",
        f"press with {pick['hold_force_fixed_N']:.2f} and {pick['hold_force_moving_N']:.2f} N",
        f"using {pick['hold_largest_cone_use']:.3f} of the friction cone",
    ]


def pick_nominal() -> list[str]:
    pick = nominal()
    return [
        f"lift {pick['lift_cm']:.2f} cm, close time {pick['close_time_s']:.3f} s, {pick['hold_force_fixed_N']:.2f} and"
        f" {pick['hold_force_moving_N']:.2f} N at the end of the hold, {pick['hold_jaw_contacts']} jaw contacts,"
        f" {pick['steps']} steps",
    ]


def pick_cells() -> list[str]:
    counts = table("grasp_cells")["outcome"].value_counts()
    return [
        f"of {counts.sum()} distinct picks {counts['held']} hold the cube, {counts['dropped']} drop it and"
        f" {counts['not closed']} never close",
    ]


def pick_checks() -> list[str]:
    rows = chosen(table("grasp_checks"), mu=1.0).set_index("quantity")["value"]
    moved = table("grasp_checks").set_index("quantity")["value"]["state_machine_max_qpos_difference"]
    assert moved == 0
    assert rows["sum_vertical_force"] == pytest.approx(rows["weight"], rel=1e-6)
    return [
        f"carries {rows['sum_vertical_force']:.4f} N, the cube's weight",
        f"with {rows['jaw_contacts']:g} contacts that use at most {rows['max_cone_use']:.3f}",
    ]


def pick_timestep() -> list[str]:
    rows = table("grasp_timestep")
    counts = rows.drop_duplicates(["mu", "mass_kg", "cap_Nm", "position"])["timestep_decides"].value_counts()
    assert "outcome" not in set(chosen(rows, sweep="mass")["timestep_decides"])
    return [
        f"outcome of {counts['outcome']} of {counts.sum()} distinct picks and where the cube ends in {counts['pose']} more;"
        f" {counts['nothing']} survive",
    ]


def pick_timestep_figure() -> list[str]:
    sweeps = table("grasp_timestep").groupby("sweep")["timestep_decides"]
    decided = sweeps.agg(lambda column: f"{(column == 'outcome').sum()} of {len(column)}")
    friction, cap, mass = decided["friction"], decided["torque_cap"], decided["mass"]
    return [f"{friction} picks over friction, {cap} over the torque cap and {mass} over mass"]


def controls_scan() -> list[str]:
    rows = table("controls_scan")
    assert rows["bitwise_zero_controls"].all()
    return [
        f"all {len(rows)} runs",
        "every control at 0",
        f"enter the band {rows['band_entries'].min()} to {rows['band_entries'].max()} times",
    ]


def controls_checks() -> list[str]:
    value = chosen(table("controls_checks"), section="scan").set_index("quantity")["value"]
    assert value["settings_bitwise_zero_controls"] == value["settings"]
    assert value["settings_where_autoreset_matters"] == "0"
    return [f"all {value['settings']} settings of the scan end in the bits of a run with every control at 0"]


def controls_mechanism() -> list[str]:
    rows = table("controls_mechanism")
    counts = {name: sum(name in words.split() for words in rows["bitwise"]) for name in ("zero_controls", "no_force", "reset")}
    return [
        "taking every control as 0 gives",
        f"{counts['zero_controls']} of {len(rows)} rows, no force from the faulty actuator in {counts['no_force']}",
        f"a reset to qpos0 in {counts['reset']}.",
    ]


def controls_figure() -> list[str]:
    rows = table("controls_mechanism")
    assert all("zero_controls" in words.split() for words in rows["bitwise"])
    return [f"*every control taken as 0* in all {len(rows)} panels", "servos drive to 0", "one servo with qpos0 at 0"]


def controls_nan() -> list[str]:
    end = table("controls_nan").groupby("gravity")["final_qpos_0_m"].unique()
    assert list(end["disable"]) == [0]
    [sag] = end["enable"]
    return ["stays at 0 without gravity", f"sags by {-1000 * sag:.3f} mm", "holds at 0"]


def controls_displaced() -> list[str]:
    rows = table("controls_displaced")
    assert rows["bitwise_zero_controls"].all()
    assert rows[["final_qpos_0_m", "final_qpos_1_m"]].abs().max(axis=None) < 1e-12
    [entries] = rows["band_entries"].unique()
    return [
        "both servos end at 0", "both controls were 0", f"further than {1000 * rows['longest_move_m'].max():.1f} mm",
        f"The {entries} band entries", "a band around 0",
    ]  # fmt: skip


def controls_state() -> list[str]:
    rows = table("controls_state")
    left = chosen(rows, autoreset="disable", final_finite=False)
    assert chosen(rows, autoreset="enable")["final_finite"].all()
    return [
        f"any of {rows['field'].nunique()} fields",
        f"in {len(left)} of {len(chosen(rows, autoreset='disable'))} runs without autoreset and in none with it",
    ]


def controls_clamp() -> list[str]:
    rows = table("controls_clamp")
    zeroed = chosen(rows, ctrlrange="no", badctrl_final=2000)
    assert list(zeroed["value"]) == ["1e20", "inf", "-inf", "nan"]
    assert list(chosen(rows, ctrlrange="yes", badctrl_final=2000)["value"]) == ["nan"]
    return ["without one 1e20 and both infinities zero every control in all 2000 steps"]


def runtime() -> list[str]:
    rows = chosen(table("runtime"), fact="arena", case="memory=16K").set_index("quantity")["value"]
    assert rows["outcome"] == "stack overflow error"
    return ["memory of 16K fails", f"asks for {rows['stack_requested_bytes']} bytes"]


FOUND = [
    ("ledger_figure", {}, ledger_figure),
    ("ledger_table", {}, ledger_table),
    ("stepping_figure", {}, stepping_figure),
    ("stepping_table", {"table": "steppers"}, stepping_steppers),
    ("stepping_table", {"table": "energy"}, stepping_energy),
    ("stepping_table", {"table": "growth"}, stepping_growth),
    ("stepping_table", {"table": "overlap"}, stepping_overlap),
    ("stepping_table", {"table": "split"}, stepping_split),
    ("drop_figure", {"sweep": "timestep"}, drop_timestep),
    ("drop_figure", {"sweep": "integrators"}, drop_integrators),
    ("drop_table", {"sweep": "timestep"}, drop_timestep_table),
    ("drop_table", {"sweep": "integrators"}, drop_integrators_table),
    ("impact_figure", {}, impact),
    ("pick_figure", {}, pick_figure),
    ("pick_solver_figure", {}, pick_solver_figure),
    ("pick_story", {}, pick_story),
    ("pick_summary", {"table": "summary"}, pick_summary),
    ("pick_summary", {"table": "solver"}, pick_solver),
    ("pick_summary", {"table": "placement"}, list),
    ("pick_placement", {}, list),
    ("pick_table", {"table": "cells"}, pick_cells),
    ("pick_table", {"table": "nominal"}, pick_nominal),
    ("pick_checks", {}, pick_checks),
    ("pick_timestep", {}, pick_timestep),
    ("pick_timestep_figure", {}, pick_timestep_figure),
    ("controls_figure", {}, controls_figure),
    ("controls_checks", {}, controls_checks),
    ("controls_table", {"table": "controls_nan"}, controls_nan),
    ("controls_table", {"table": "controls_displaced"}, controls_displaced),
    ("controls_table", {"table": "controls_scan"}, controls_scan),
    ("controls_table", {"table": "controls_state"}, controls_state),
    ("controls_table", {"table": "controls_clamp"}, controls_clamp),
    ("controls_table", {"table": "controls_mechanism"}, controls_mechanism),
    ("controls_table", {"table": "runtime"}, runtime),
    ("controls_table", {"table": "runtime_timings"}, list),
    ("controls_table", {"table": "health"}, list),
    ("settings", {}, list),
]
# Captions of what the default target leaves out.
ON_REQUEST = {"verify", "passport_diff", "passport_figure", "engines_table", "engines_figure"}
ON_REQUEST |= {"architectures_table", "architectures_figure", "preset", "pick_sweep_figure"}
ON_REQUEST |= {"implementations_table", "implementations_figure"}
ON_REQUEST |= {path.stem for path in (PROJECT / "workflow/report").glob("audit*.rst")}
ON_REQUEST |= {path.stem for path in (PROJECT / "presets").glob("*.yaml")}  # test_presets.py compares these


@pytest.mark.parametrize(("name", "wildcards", "found"), FOUND, ids=lambda part: part if isinstance(part, str) else None)
def test_every_number_of_a_caption_is_the_tables(name, wildcards, found):
    text = caption(name, **wildcards)
    if "on x86-64" in text and platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("the caption speaks of x86-64")
    for fragment in found():
        assert fragment in text
        text = text.replace(fragment, "")
    assert re.findall(r"\S*\d\S*", NOT_MEASURED.sub("", text)) == []


def test_every_caption_is_compared():
    written = {path.stem for path in (PROJECT / "workflow/report").glob("*.rst")} - {"workflow"}
    assert {name for name, _, _ in FOUND} == written - ON_REQUEST
