"""Physics falsified on purpose: each wrong constant or formula is caught by a test of the ordinary suite."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import Workflow


@dataclass(frozen=True)
class Mutant:
    """One edit of a file, the text that stands there once and what it becomes, and the tests that should catch it."""

    what: str
    file: str
    old: str
    new: str
    tests: str  # node ids below tests/, with blanks between


LIB = "scripts/contactlab"
PUBLISHED_PICK = "test_pick.py::test_published_fingerprint_of_the_nominal_pick"
PUBLISHED_DROPS = "test_drop.py::test_published_timestep_table"
CONFIGURED = "test_workflow.py::test_the_committed_configuration_is_the_published_one"
MUTANTS = [
    # Steppers
    Mutant("position moves with the old velocity", f"{LIB}/steppers.py", "return x + h * v, v\n", "return x + h * (v - h * acceleration(x, v)), v\n", "test_steppers.py"),
    Mutant("explicit Euler's energy falls", f"{LIB}/steppers.py", "(1 + h_omega**2) ** steps", "(1 - h_omega**2) ** steps", "test_steppers.py"),
    Mutant("the spring's energy is not halved", f"{LIB}/steppers.py", "omega**2 * x**2 / 2", "omega**2 * x**2", "test_steppers.py"),
    Mutant("Runge-Kutta's weights", f"{LIB}/steppers.py", "2 * second + 2 * third", "2 * second + third", "test_steppers.py"),
    Mutant("growth is the smaller eigenvalue", f"{LIB}/steppers.py", ".max(axis=-1)", ".min(axis=-1)", "test_steppers.py"),
    Mutant("damping acts explicitly", f"{LIB}/steppers.py", "(1 + h * implicit_damping)", "(1 - h * implicit_damping)", "test_steppers.py"),
    Mutant("the spring pushes outward", f"{LIB}/steppers.py", "-(omega**2) * x", "(omega**2) * x", "test_steppers.py"),
    # Drops
    Mutant("half the speed of free fall", f"{LIB}/drop.py", "math.sqrt(2 * self.gravity", "math.sqrt(self.gravity", "test_drop.py::test_impact_speed_is_that_of_free_fall"),
    Mutant("g points up", f"{LIB}/drop.py", "gravity=float(-model.opt.gravity[2])", "gravity=float(model.opt.gravity[2])", "test_drop.py::test_impact_speed_is_that_of_free_fall"),
    Mutant("a cube overlaps by its centre alone", f"{LIB}/drop.py", "(centre_m + half_m > self.bottom_m)", "(centre_m > self.bottom_m)", PUBLISHED_DROPS),
    Mutant("above and below change places", f"{LIB}/drop.py", '"above" if centre_m > self.middle_m', '"above" if centre_m < self.middle_m', PUBLISHED_DROPS),
    Mutant("the lowest centre is the highest", f"{LIB}/drop.py", "min(self.lowest_centre_m, height_m)", "max(self.lowest_centre_m, height_m)", PUBLISHED_DROPS),
    Mutant("the lowest centre counts from the step after the overlap", f"{LIB}/drop.py", "self.first_overlap_centre_m = self.lowest_centre_m = height_m\n", "self.first_overlap_centre_m, self.lowest_centre_m = height_m, math.inf\n            return\n", PUBLISHED_DROPS),
    Mutant("the contact normal acts on the table", f"{LIB}/drop.py", "1.0 if contact.geom[1] == cube else -1.0", "-1.0 if contact.geom[1] == cube else 1.0", "test_drop.py::test_geom_order_does_not_turn_the_normal test_drop.py::test_published_wrong_side"),
    Mutant("the first contact is dated to the start of its step", f"{LIB}/drop.py", "impact.see_contact(data.time, ", "impact.see_contact(data.time - model.opt.timestep, ", "test_drop.py"),
    Mutant("the centre of a flip is read a step late", f"{LIB}/drop.py", "impact.see_contact(data.time, float(position[2])", "impact.see_contact(data.time, after[2]", "test_drop.py::test_the_normal_flips_where_the_mid_plane_is"),
    Mutant("depth is negative", f"{LIB}/drop.py", "float(-contact.dist)", "float(contact.dist)", "test_drop.py test_axes.py"),
    Mutant("the shallowest contact is taken", f"{LIB}/drop.py", "np.argmin(contacts.dist[found])", "np.argmax(contacts.dist[found])", "test_drop.py test_axes.py"),
    Mutant("the cube flies the other way", f"{LIB}/drop.py", "cube.qvel[0] = speed_m_per_s", "cube.qvel[0] = -speed_m_per_s", "test_axes.py::test_before_contact_a_moving_cube_flies_on_the_parabola_and_keeps_its_spin"),
    Mutant("the spin is the other way", f"{LIB}/drop.py", "np.array([0.0, spin_rad_s, 0.0])", "np.array([0.0, -spin_rad_s, 0.0])", "test_axes.py::test_before_contact_a_moving_cube_flies_on_the_parabola_and_keeps_its_spin"),
    Mutant("a turned cube is as wide as a straight one", f"{LIB}/drop.py", "np.abs(rotation.reshape(3, 3)) @", "rotation.reshape(3, 3) @", "test_axes.py::test_a_turned_cube_overlaps_where_mujoco_finds_a_contact"),
    Mutant("wrong side and too soft change places", f"{LIB}/drop.py", 'first_contact_normal_z < 0 else "too soft"', 'first_contact_normal_z > 0 else "too soft"', "test_drop.py::test_published_wrong_side test_drop.py::test_published_too_soft"),
    Mutant("a run is a step short", f"{LIB}/drop.py", "round(duration_s * 1000 / dt_ms)", "round(duration_s * 1000 / dt_ms) - 1", "test_drop.py test_axes.py"),
    Mutant("the drop height is to the centre", "scripts/drop_model.py", "table_top_m + half_height + drop_height_m", "table_top_m + drop_height_m", PUBLISHED_DROPS),
    Mutant("six digits in MJCF", f"{LIB}/mjcf.py", "return repr(float(value))", 'return f"{value:.6g}"', "test_mjcf.py"),
    Mutant("the time constant is half", f"{LIB}/effective.py", "timeconst_s = 2 / (dmax * b)", "timeconst_s = 1 / (dmax * b)", "test_axes.py::test_effective_parameters_follow_the_documented_rules"),
    Mutant("of two frictions the smaller", "scripts/friction_rule_table.py", '"the larger": np.maximum', '"the larger": np.minimum', "test_presets.py::test_a_rule_is_one_that_holds_in_every_row"),
    # Picks
    Mutant("minimum jerk starts steeper", f"{LIB}/machine.py", "u * u * u * (10.0 +", "u * u * u * (10.5 +", "test_pick.py::test_minimum_jerk_is_the_quintic"),
    Mutant("minimum jerk ends elsewhere", f"{LIB}/machine.py", "(6.0 * u - 15.0)", "(6.5 * u - 15.0)", "test_pick.py::test_minimum_jerk_is_the_quintic"),
    Mutant("the jaw is still after half the time", f"{LIB}/machine.py", ">= task.still_time_s", ">= task.still_time_s / 2", "test_pick.py::test_close_ends_a_still_time_after_the_ramp"),
    Mutant("a jaw that jerks back is still", f"{LIB}/machine.py", "abs(sensors.jaw_speed_rad_s())", "sensors.jaw_speed_rad_s()", "test_pick.py"),
    Mutant("close times out late", f"{LIB}/machine.py", "elapsed_s > task.close_timeout_s", "elapsed_s > 2 * task.close_timeout_s", "test_pick.py::test_without_a_grip_it_lifts_at_the_time_out"),
    Mutant("contact forces act on the jaws", f"{LIB}/jaws.py", "self._cube, 1.0, -1.0)", "self._cube, -1.0, 1.0)", "test_grasp.py::test_friction_alone_carries_the_weight_for_either_order_of_geoms"),
    Mutant("one jaw is enough", f"{LIB}/jaws.py", "self._FIXED in pressing and", "self._FIXED in pressing or", "test_grasp.py::test_touching_means_that_both_jaws_press"),
    Mutant("the edges of a pyramid are added", f"{LIB}/jaws.py", "edges[:, 0:4:2] - edges[:, 1:4:2]", "edges[:, 0:4:2] + edges[:, 1:4:2]", "test_grasp.py::test_forces_are_those_of_mj_contact_force"),
    Mutant("another g", f"{LIB}/grasp.py", "GRAVITY_M_S2 = 9.81", "GRAVITY_M_S2 = 9.8", "test_grasp.py"),
    Mutant("one normal force squeezes", f"{LIB}/grasp.py", "2 * cap_Nm / lever_arm_m", "cap_Nm / lever_arm_m", "test_grasp.py::test_published_squeeze_from_cap"),
    Mutant("the cone ratio is doubled", f"{LIB}/grasp.py", "(mass_kg * gravity_m_s2)", "(mass_kg * gravity_m_s2 / 2)", "test_grasp.py"),
    Mutant("cone use by one tangent", f"{LIB}/grasp.py", "np.hypot(force_N[..., 1], force_N[..., 2])", "abs(force_N[..., 1])", "test_grasp.py::test_cone_use_is_one_on_the_cone_and_turns_with_the_tangent"),
    Mutant("held at the limit is dropped", f"{LIB}/grasp.py", "lift_m >= min_lift_m", "lift_m > min_lift_m", "test_grasp.py::test_outcome_at_its_boundaries"),
    Mutant("the torque cap is doubled", f"{LIB}/scene.py", "[-cap_Nm, cap_Nm]", "[-2 * cap_Nm, 2 * cap_Nm]", "test_pick.py::test_published_outcome_of_a_weak_jaw test_own_robot.py::test_the_cap_holds_for_an_actuator_that_had_none"),
    Mutant("flung is along the floor", f"{LIB}/pick.py", "cube_pose[:3] - start_m)", "cube_pose[:2] - start_m[:2])", "test_pick.py::test_distance_moved_is_in_three_dimensions"),
    Mutant("squeeze is one jaw's", f"{LIB}/pick.py", 'close["force_fixed_N"] + close["force_moving_N"]', '2 * close["force_fixed_N"] + 0 * close["force_moving_N"]', "test_pick.py"),
    Mutant("perturbations are twice as large", f"{LIB}/pick.py", "+ size_m * np.stack", "+ 2 * size_m * np.stack", "test_pick.py::test_perturbed_starts_are_as_far_as_asked_and_repeatable"),
    Mutant("perturbations ignore their seed", f"{LIB}/pick.py", "default_rng(seed).uniform(0.0, 2", "default_rng(0).uniform(0.0, 2", "test_pick.py::test_perturbed_starts_are_as_far_as_asked_and_repeatable"),
    Mutant("positions of another seed", f"{LIB}/task.py", "default_rng(seed).uniform", "default_rng(seed + 1).uniform", "test_pick.py::test_positions_are_the_published_square"),
    Mutant("positions of a square twice as large", f"{LIB}/task.py", "uniform(-spread_m, spread_m", "uniform(-2 * spread_m, 2 * spread_m", "test_pick.py::test_positions_are_the_published_square"),
    Mutant("the damping is not squared", f"{LIB}/ik.py", "settings.damping_m**2", "settings.damping_m", f"test_ik.py {PUBLISHED_PICK}"),
    Mutant("an orientation error is not weighted", f"{LIB}/ik.py", "        jacobian[3:] *= settings.orientation_weight_m\n", "", "test_ik.py"),
    Mutant("the arm turns the other way", f"{LIB}/task.py", "yaw_rad: float = -math.pi / 2", "yaw_rad: float = math.pi / 2", "test_pick.py::test_the_task_of_the_library_is_that_of_the_schema"),
    # Statistics, ledger, digests
    Mutant("90 % instead of 95 %", f"{LIB}/statistics.py", "z: float = 1.96", "z: float = 1.645", "test_statistics.py"),
    Mutant("the normal approximation", f"{LIB}/statistics.py", " + spread * spread / 4)", ")", "test_statistics.py"),
    Mutant("tries that did not close count as 0", f"{LIB}/statistics.py", "math.fsum(happened) / len(happened)", "math.fsum(happened) / max(len(happened), len(list(values)))", "test_statistics.py"),
    Mutant("a digit less is compared", "scripts/ledger_table.py", 'decimals = len(mantissa.partition(".")[2])', 'decimals = max(0, len(mantissa.partition(".")[2]) - 1)', "test_ledger.py"),
    Mutant("every number has an interval", "scripts/ledger_table.py", "if as_printed(published, measured, note) == Decimal(published):", "if abs(as_printed(published, measured, note) - Decimal(published)) <= 1:", "test_ledger.py"),
    Mutant("a bound may be passed", "scripts/ledger_table.py", "measured <= float(published)", "measured >= float(published)", "test_ledger.py"),
    Mutant("the best end of an interval decides", "scripts/ledger_table.py", '("differs", "within", "exact")', '("exact", "within", "differs")', "test_ledger.py"),
    Mutant("the state's digest has no velocities", f"{LIB}/runs.py", "(data.qpos, data.qvel, data.act,", "(data.qpos, data.act,", "test_engines.py test_runs.py"),
    Mutant("the state's digest has no time", f"{LIB}/runs.py", "data.act, np.float64(data.time))", "data.act)", "test_engines.py test_runs.py"),
    Mutant("a huge state is no fault", f"{LIB}/health.py", "huge: float = 1e4", "huge: float = 1e11", "test_health.py"),
    Mutant("rest is slower than it is", f"{LIB}/health.py", "rest_speed: float = 1e-6", "rest_speed: float = 1e-1", "test_health.py"),
    Mutant("a servo pushes away from its target", f"{LIB}/controls.py", "biasprm=[0, -kp, -kv]", "biasprm=[0, kp, -kv]", "test_controls.py"),
    # The published values of config.yaml
    Mutant("another stiff solref", "config.yaml", "[0.005, 1]]  # time", "[0.006, 1]]  # time", CONFIGURED),
    Mutant("another amplitude of the spring", "config.yaml", "amplitude_m: 0.1 ", "amplitude_m: 0.2 ", CONFIGURED),
    Mutant("another speed at which a jaw is still", "config.yaml", "still_speed_rad_s: 0.05 ", "still_speed_rad_s: 0.06 ", CONFIGURED),
    Mutant("another size of a perturbation", "config.yaml", "perturbation_size_m: 1.0e-8", "perturbation_size_m: 1.0e-7", CONFIGURED),
    Mutant("another gain of the servo", "config.yaml", "kv: 0}            # N/m", "kv: 1}            # N/m", CONFIGURED),
    Mutant("another torque cap in the sweep", "config.yaml", "cap_Nm: [2.94, 1.0, 0.5, 0.3, 0.2, 0.15, 0.1]", "cap_Nm: [2.94, 1.0, 0.5, 0.3, 0.25, 0.15, 0.1]", CONFIGURED),
]  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """A copy of the project, which each mutant changes and puts back."""
    return Workflow(tmp_path_factory.mktemp("mutants") / "project").folder


def run_tests(project: Path, robot: Path, nodes: str) -> subprocess.CompletedProcess:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        *(f"tests/{node}" for node in nodes.split()),
    ]
    environment = os.environ | {"CONTACTLAB_ROBOT": str(robot), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.seeds(short=3, hard=len(MUTANTS))
def test_a_mutant_is_caught(project, robot_folder, seed):
    mutant = MUTANTS[seed]
    path = project / mutant.file
    text = path.read_text(encoding="utf-8")
    assert text.count(mutant.old) == 1
    try:
        path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
        done = run_tests(project, robot_folder, mutant.tests)
    finally:
        path.write_text(text, encoding="utf-8")
    assert done.returncode == 1, (
        f"{mutant.what}: {done.stdout}"
    )  # tests failed; 0: the mutant survived, others: the tests did not run
