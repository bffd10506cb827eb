"""Attributes set on a compiled model: the same model, to the last bit, as one compiled with them; and what is refused."""

import re

import mujoco
import numpy as np
import pytest

from contactlab import attributes
from contactlab.runs import physics_digest

SCENE = """
<mujoco><compiler angle="radian"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1" margin=".01" gap=".002"/>
    <body name="ball" pos="0 0 .5">
      <freejoint/><geom name="ball" size=".1" margin=".01" gap=".002"/><geom name="ear" size=".02" pos="0 0 .1" margin=".03"/>
    </body>
    <body name="arm" pos="0 0 1">
      <joint name="elbow" range="-1 1" damping="1"/><geom name="arm" type="capsule" size=".02 .2"/>
      <body name="hand" pos="0 0 .4">
        <joint name="slide" type="slide"/><geom name="hand" type="box" size=".1 .1 .1" mass="2"/>
      </body>
    </body>
    <body name="one" pos="2 0 0"><freejoint/><geom name="one" size=".1"/></body>
    <body name="two" pos="2 0 .3"><freejoint/><geom name="two" size=".1"/></body>
  </worldbody>
  <contact><pair name="pair" geom1="one" geom2="two" friction="1 1 .005 .0001 .0001"/></contact>
  <actuator><position name="servo" joint="elbow" kp="10"/><motor name="motor" joint="slide"/></actuator>
</mujoco>
"""
SPEC_NAMES = {"solreflimit": "solref_limit", "solimplimit": "solimp_limit", "solreffriction": "solref_friction"}
SPEC_KINDS = {"geom": "geoms", "body": "bodies", "joint": "joints", "actuator": "actuators", "pair": "pairs"}
SET = {
    "geom.ball.friction": [0.5, 0.01, 0.001],
    "geom.ball.solref": [0.01, 0.5],
    "geom.ball.solimp": [0.8, 0.9, 0.01, 0.4, 3],
    "geom.ball.condim": 4,
    "geom.ball.priority": 2,
    "geom.ball.margin": 0.2,
    "geom.ball.gap": 0.1,
    "geom.ball.solmix": 2,
    "geom.ball.contype": 2,
    "geom.ball.conaffinity": 6,
    "geom.ball.adhesion": 1.5,
    "body.arm.pos": [0, 0, 2],
    "body.hand.quat": [0.6, 0.8, 0, 0],
    "joint.elbow.damping": 3,
    "joint.elbow.stiffness": 4,
    "joint.elbow.frictionloss": 0.2,
    "joint.elbow.armature": 0.3,
    "joint.elbow.margin": 0.01,
    "joint.elbow.range": [-0.5, 0.5],
    "joint.slide.range": [-0.5, 0.5],
    "joint.elbow.solreflimit": [0.01, 0.5],
    "joint.elbow.solimplimit": [0.8, 0.9, 0.01, 0.4, 3],
    "joint.elbow.solreffriction": [0.01, 0.5],
    "joint.elbow.actfrcrange": [-1, 1],
    "actuator.motor.gear": [2],
    "actuator.motor.damping": 2,
    "actuator.motor.armature": 0.3,
    "actuator.motor.ctrlrange": [-1, 1],
    "actuator.motor.forcerange": [-1, 2],
    "actuator.servo.gainprm": [5],
    "actuator.servo.biasprm": [0, -5, -1],
    "pair.pair.friction": [0.5, 0.5, 0.01, 0.001, 0.001],
    "pair.pair.solref": [0.01, 0.5],
    "pair.pair.condim": 4,
    "pair.pair.margin": 0.1,
}


def model() -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(SCENE)


def compiled_with(axis: str, value) -> mujoco.MjModel:
    """The scene as MuJoCo compiles it with one attribute written in it."""
    spec, (kind, name, field) = mujoco.MjSpec.from_string(SCENE), attributes.split(axis)
    [element] = [element for element in getattr(spec, SPEC_KINDS[kind]) if element.name == name]
    field = SPEC_NAMES.get(field, field) if kind == "joint" else field
    if isinstance(getattr(element, field), np.ndarray):
        getattr(element, field)[: len(np.atleast_1d(value))] = value
    else:
        setattr(element, field, value)
    return spec.compile()


@pytest.mark.parametrize("axis", SET)
def test_a_model_is_as_if_it_were_compiled_with_the_attribute(axis):
    changed, expected = model(), compiled_with(axis, SET[axis])
    attributes.apply(changed, {axis: SET[axis]})
    assert physics_digest(changed) == physics_digest(expected) != physics_digest(model())
    assert changed.stat.meaninertia == expected.stat.meaninertia


def test_a_mass_brings_its_inertia_and_all_that_follows():
    """As a box of another density is compiled."""
    changed, spec = model(), mujoco.MjSpec.from_string(SCENE)
    attributes.apply(changed, {"body.hand.mass": 3})
    [hand] = [geom for geom in spec.geoms if geom.name == "hand"]
    hand.mass = 3
    expected = spec.compile()
    assert physics_digest(changed) == physics_digest(expected)
    assert changed.stat.meaninertia == expected.stat.meaninertia != model().stat.meaninertia


def test_gravcomp_holds_a_body_in_the_air():
    changed = model()
    attributes.apply(changed, {"body.ball.gravcomp": 1})
    data = mujoco.MjData(changed)
    mujoco.mj_step(changed, data, 100)
    assert data.body("ball").xpos[2] == 0.5


def test_a_stated_mean_inertia_stays():
    stated = mujoco.MjModel.from_xml_string(SCENE.replace("<worldbody>", '<statistic meaninertia="7"/><worldbody>', 1))
    attributes.apply(stated, {"body.hand.mass": 3})
    assert stated.stat.meaninertia == 7


@pytest.mark.parametrize("axis", [axis for axis in SET if not axis.startswith("joint.slide")])
def test_what_is_already_so_changes_no_bit(axis):
    kind, name, field = attributes.split(axis)
    changed = model()
    row = attributes.element(changed, kind, name)
    row = changed.jnt_dofadr[row] if attributes.FIELDS[kind][field].startswith("dof_") else row
    value = getattr(changed, attributes.FIELDS[kind][field])[row].tolist()
    if field in attributes.LIMITED and not getattr(changed, attributes.LIMITED[field])[row]:
        pytest.skip("a range that is set also holds")
    attributes.apply(changed, {axis: value})
    assert physics_digest(changed) == physics_digest(model())


def test_a_star_sets_all_of_a_kind():
    changed = mujoco.MjModel.from_xml_string(
        SCENE.replace('<pair name="pair"', "<!-- <pair").replace("/></contact>", "/> --></contact>")
    )
    attributes.apply(changed, {"geom.*.friction": [0.3]})
    assert (changed.geom_friction[:, 0] == 0.3).all()
    assert changed.geom_friction[:, 1:].tolist() == model().geom_friction[:, 1:].tolist()
    attributes.apply(changed, {"body.*.mass": 2})
    assert changed.body_mass.tolist() == [0, 2, 2, 2, 2, 2]


@pytest.mark.parametrize(
    ("axis", "value", "found"),
    [
        ("option.timestep", 0.001, 0.001),
        ("option.gravity", [1, 0, -9], [1, 0, -9]),
        ("option.integrator", "RK4", int(mujoco.mjtIntegrator.mjINT_RK4)),
        ("option.cone", "elliptic", int(mujoco.mjtCone.mjCONE_ELLIPTIC)),
        ("option.solver", "PGS", int(mujoco.mjtSolver.mjSOL_PGS)),
        ("option.iterations", 7, 7),
    ],
)
def test_an_option_is_set(axis, value, found):
    changed = model()
    attributes.apply(changed, {axis: value})
    here = getattr(changed.opt, axis.removeprefix("option."))
    assert (here.tolist() if isinstance(here, np.ndarray) else here) == found


def test_a_flag_is_raised_and_lowered():
    """As MJCF's option/flag has it: what is enabled by default has a bit that disables it."""
    changed = model()
    attributes.apply(changed, {"option.flag.gravity": "disable", "option.flag.energy": True})
    assert changed.opt.disableflags == mujoco.mjtDisableBit.mjDSBL_GRAVITY
    assert changed.opt.enableflags == mujoco.mjtEnableBit.mjENBL_ENERGY
    attributes.apply(changed, {"option.flag.gravity": "enable", "option.flag.energy": "disable"})
    assert changed.opt.disableflags == changed.opt.enableflags == 0


def test_parameters_of_all_contacts_are_set_where_they_act():
    """MuJoCo takes them in place of those of geoms, or not at all."""
    changed = model()
    with pytest.raises(ValueError, match=r"o_solref acts on nothing; allowed: beside option.flag.override: enable"):
        attributes.apply(changed, {"option.o_solref": [0.01]})
    attributes.apply(changed, {"option.o_solref": [0.01], "option.flag.override": "enable"})
    assert changed.opt.o_solref.tolist() == [0.01, 1]
    with pytest.raises(
        ValueError, match=r"friction acts on nothing, as option.flag.override is up; allowed: option.o_friction"
    ):
        attributes.apply(changed, {"geom.ball.friction": 1})
    attributes.apply(changed, {"geom.ball.friction": 1, "option.flag.override": "disable"})
    assert changed.geom("ball").friction[0] == 1


@pytest.mark.parametrize(
    ("axis", "value", "said"),
    [
        ("friction", 1, "no attribute of a model; allowed: option.FIELD, option.flag.NAME, geom.NAME.FIELD"),
        ("site.a.pos", 1, "no attribute of a model; allowed: option.FIELD"),
        ("option.timestp", 1, "no option of MuJoCo"),
        ("option.disableflags", 1, "no option of MuJoCo"),
        ("option.timestep", -1, "option.timestep is -1; allowed: above 0"),
        ("option.timestep", "fast", "option.timestep is 'fast'; allowed: 1 number"),
        ("option.iterations", 1.5, "option.iterations is 1.5; allowed: whole numbers"),
        ("option.gravity", [1, 2], "allowed: 3 numbers"),
        ("option.integrator", "verlet", f"MuJoCo {mujoco.__version__} has "),
        ("option.flag.gravty", True, "no flag of MuJoCo"),
        ("option.flag.gravity", 3, "option.flag.gravity is 3; allowed: enable, disable"),
        ("geom.bal.friction", 1, "the model has no geom 'bal'; allowed: floor, ball"),
        ("geom.ball.frction", 1, "frction is no attribute of a geom that can be set"),
        (
            "geom.ball.size",
            1,
            "a geom's size is not set on a compiled model, inertia and bounds of the compiled model would not",
        ),
        ("geom.ball.friction", [1, 2, 3, 4], "geom.ball.friction is [1, 2, 3, 4]; allowed: 1 to 3 numbers"),
        ("geom.ball.friction", -1, "geom.ball.friction is -1; allowed: 0 or more"),
        ("geom.ball.friction", float("nan"), "allowed: finite numbers"),
        ("geom.ball.condim", 2, "geom.ball.condim is 2; allowed: 1, 3, 4, 6"),
        (
            "geom.one.friction",
            1,
            "geom 'one' stands in a contact pair of the scene, whose own friction holds; allowed: pair.NAME.f",
        ),
        ("geom.*.friction", 1, "geom 'one' stands in a contact pair"),
        ("body.ball.pos", [0, 0, 1], "the body moves with a free joint; allowed: its place in the start"),
        ("body.hand.mass", 0, "body.hand.mass is 0; allowed: above 0"),
        ("joint.elbow.range", [1, -1], "allowed: the lower bound, then the higher one"),
        ("joint.elbow.ref", 1, "a joint's ref is not set on a compiled model"),
        ("actuator.motr.gear", 1, "the model has no actuator 'motr'; allowed: servo, motor"),
    ],
)
def test_what_a_model_lacks_or_cannot_have_is_refused_in_one_line(axis, value, said):
    untouched = model()
    with pytest.raises(ValueError, match=re.escape(axis)) as caught:
        attributes.apply(untouched, {"option.viscosity": 1, axis: value})
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert physics_digest(untouched) == physics_digest(model())
