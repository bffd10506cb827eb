"""Contacts between sets of geoms against closed forms, MuJoCo's own functions and a bare simulation."""

import mujoco
import numpy as np
import pytest

from contactlab.contacts import Between, SolverLimits, subtree_geoms

GRAVITY = 9.81  # m/s^2, MuJoCo's default
MASS_KG = 0.1
SCENE = """
<mujoco>
  <option cone="{cone}" {option}/>
  <worldbody>
    <geom name="table" type="box" size="1 1 .05" pos="0 0 -.05" euler="0 {slope} 0" friction="{mu} .005 .0001" {table}/>
    <body name="cube" pos="0 0 {height}" euler="0 {slope} 0">
      <freejoint/>
      <geom name="cube" type="box" size=".025 .025 .025" mass=".05" friction="{mu} .005 .0001" {cube}/>
      <body name="lid" pos="0 0 .03"><geom name="lid" type="box" size=".025 .025 .005" mass=".05"/></body>
    </body>
  </worldbody>
</mujoco>
"""


def settled(steps: int = 500, cone: str = "pyramidal", slope: float = 0, mu: float = 1, **others):
    """A cube with a lid on a slope in degrees, after some steps; the model, the data and the contacts of cube and table."""
    values = {"option": "", "table": "", "cube": "", "height": 0.0249} | others
    model = mujoco.MjModel.from_xml_string(SCENE.format(cone=cone, slope=slope, mu=mu, **values))
    data = mujoco.MjData(model)
    between = Between(model, data, subtree_geoms(model, "cube"), [model.geom("table").id])
    for _ in range(steps):
        mujoco.mj_step(model, data)
    return model, data, between


def test_a_subtree_is_the_body_and_all_that_hangs_on_it():
    model, _, _ = settled(0)
    names = [model.geom(geom).name for geom in subtree_geoms(model, "cube")]
    assert names == ["cube", "lid"]
    assert [model.geom(geom).name for geom in subtree_geoms(model, "cube", without="lid")] == ["cube"]
    assert len(subtree_geoms(model, "world")) == model.ngeom
    with pytest.raises(KeyError):
        subtree_geoms(model, "none")


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_at_rest_the_normal_forces_carry_the_weight(cone):
    touches = settled(cone=cone)[2].touches()
    assert len(touches.index) == 4
    assert touches.normal_N == pytest.approx(MASS_KG * GRAVITY, rel=1e-6)
    assert touches.friction_N == pytest.approx(0, abs=1e-9)
    assert touches.normal == pytest.approx(np.tile([0, 0, 1], (4, 1)))
    assert touches.force_N.sum(axis=0) == pytest.approx([0, 0, MASS_KG * GRAVITY], abs=1e-6)


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_on_a_slope_friction_is_m_g_sin_and_the_normal_force_m_g_cos(cone):
    slope_deg = 10
    touches = settled(cone=cone, slope=slope_deg, option='impratio="10"', height=0.0253)[2].touches()
    slope = np.deg2rad(slope_deg)
    assert touches.normal_N == pytest.approx(MASS_KG * GRAVITY * np.cos(slope), rel=1e-2)
    assert touches.force_N.sum(axis=0) == pytest.approx([0, 0, MASS_KG * GRAVITY], rel=1e-2, abs=1e-2)


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_forces_are_those_of_mujocos_own_function(cone):
    model, data, between = settled(steps=7, cone=cone, slope=5, height=0.0253)
    touches, force = between.touches(), np.zeros(6)
    assert len(touches.index)
    for index, local_N in zip(touches.index, touches.local_N, strict=True):
        mujoco.mj_contactForce(model, data, index, force)
        assert local_N == pytest.approx(force[:3], rel=1e-12, abs=1e-15)


def test_the_sign_does_not_depend_on_which_geom_comes_first():
    model, data, between = settled()
    other = Between(model, data, [model.geom("table").id], subtree_geoms(model, "cube")).touches()
    assert other.force_N == pytest.approx(-between.touches().force_N)


def test_a_record_in_the_gap_is_no_touch():
    """1 cm apart: within the gap, in which contacts are found, and beyond the margin, in which they push."""
    near = {"table": 'margin=".001" gap=".05"', "cube": 'margin=".001" gap=".05"', "option": 'gravity="0 0 0"'}
    _, data, between = settled(steps=1, height=0.035, **near)
    assert data.ncon > 0
    assert len(between.records()) == data.ncon
    assert len(between.touches().index) == 0
    assert between.depth_m() == 0


def test_depth_is_how_far_geoms_overlap_whether_that_presses_or_not():
    model, data, between = settled(steps=0, height=0.022)
    mujoco.mj_forward(model, data)
    assert between.depth_m() == pytest.approx(0.003, abs=1e-12)


def test_depth_at_rest_follows_from_impedance_and_stiffness():
    """A ball on a plane, frictionless, with a constant impedance d and the direct stiffness k: (1 - d) g = d (d k / d^2) r.

    Hence r = (1 - d) g / k, whatever the mass (MuJoCo documentation, Modeling, Solver parameters).
    """
    d, k = 0.9, 5000.0
    contact = f'condim="1" solref="-{k} -200" solimp="{d} {d} .001"'
    model = mujoco.MjModel.from_xml_string(f"""
        <mujoco><worldbody>
          <geom name="floor" type="plane" size="1 1 .1" {contact}/>
          <body name="ball" pos="0 0 .1"><freejoint/><geom name="ball" type="sphere" size=".1" mass="3" {contact}/></body>
        </worldbody></mujoco>""")
    data = mujoco.MjData(model)
    between = Between(model, data, subtree_geoms(model, "ball"), [model.geom("floor").id])
    mujoco.mj_step(model, data, 4000)
    assert between.depth_m() == pytest.approx((1 - d) * GRAVITY / k, rel=1e-6)


def test_a_cube_that_slides_slips_as_fast_as_it_moves():
    model, data, between = settled(steps=200, mu=0.01)
    data.qvel[:3] = [0.3, 0.4, 0]
    mujoco.mj_forward(model, data)
    touches = between.touches()
    assert between.slip_m_per_s(touches) == pytest.approx(np.full(len(touches.index), 0.5), rel=1e-9)


def test_a_wheel_that_rolls_does_not_slip_at_its_contact():
    model = mujoco.MjModel.from_xml_string("""
        <mujoco><worldbody>
          <geom name="floor" type="plane" size="1 1 .1"/>
          <body name="ball" pos="0 0 .0999"><freejoint/><geom name="ball" type="sphere" size=".1" mass="1"/></body>
        </worldbody></mujoco>""")
    data = mujoco.MjData(model)
    between = Between(model, data, subtree_geoms(model, "ball"), [model.geom("floor").id])
    data.qvel[:] = [0.0999, 0, 0, 0, 1, 0]  # 1 rad/s about y at 9.99 cm over the floor
    mujoco.mj_forward(model, data)
    touches = between.touches()
    assert len(touches.index) == 1
    assert between.slip_m_per_s(touches)[0] == pytest.approx(0, abs=1e-4)  # the contact lies half its depth below the surface


def test_a_solver_with_enough_iterations_is_never_at_its_limit():
    model, data, _ = settled(0)
    limits = SolverLimits(model)
    see = limits.watching(data)
    for _ in range(50):
        mujoco.mj_step(model, data)
        see()
    told = limits.summary()
    assert told["solved_steps"] == 50
    assert (told["at_iterations"], told["at_line_search"], told["left_gradient"]) == (0, 0, 0.0)


def test_a_solver_that_is_cut_short_is_counted_and_what_was_left_is_told():
    model, data, _ = settled(0, option='solver="PGS" iterations="1"')
    limits = SolverLimits(model)
    see = limits.watching(data)
    for _ in range(50):
        mujoco.mj_step(model, data)
        see()
    told = limits.summary()
    assert told["at_iterations"] > 40
    assert told["left_improvement"] > model.opt.tolerance


def test_a_step_without_constraints_does_not_count():
    model, data, _ = settled(0, height=1)
    limits = SolverLimits(model)
    see = limits.watching(data)
    mujoco.mj_step(model, data)
    see()
    assert limits.summary()["solved_steps"] == 0
