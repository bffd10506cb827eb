"""Measures against closed forms, MuJoCo's own sensors and functions, and a bare loop."""

import math

import mujoco
import numpy as np
import pytest

from contactlab.measures import Measures

GRAVITY = 9.81  # m/s^2, MuJoCo's default
TIMESTEP_S = 0.002  # MuJoCo's default
BALL = '<mujoco>{option}<worldbody><body name="ball" pos="0 0 2"><freejoint/><geom size=".1"/></body></worldbody></mujoco>'
PENDULUM = """
<mujoco><option integrator="RK4" timestep=".0005"/>
  <worldbody>
    <body name="rod" pos="0 0 1"><joint name="pivot" type="hinge" axis="0 1 0" springref="20" stiffness=".5"/>
      <geom type="capsule" fromto="0 0 0 .5 0 0" size=".02" mass="1"/>
      <body name="bob" pos=".5 0 0"><joint name="cord" axis="0 1 0"/><geom size=".05" mass="2" pos=".3 0 0"/></body>
    </body>
  </worldbody>
  <actuator><position name="servo" joint="pivot" kp="3" ctrlrange="-1 1"/></actuator>
  <sensor><jointpos name="angle" joint="pivot"/><framepos name="place" objtype="body" objname="bob"/></sensor>
</mujoco>
"""
D, K = 0.9, 5000.0  # of a contact, its constant impedance and its direct stiffness in 1/s^2
STACK = f"""
<mujoco><option cone="{{cone}}"/><default><geom solref="-{K} -100" solimp="{D} {D} .001"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1"/>
    <body name="box" pos="0 0 .05"><freejoint/>
      <geom name="chest" type="box" size=".05 .05 .05" mass="2"/>
      <site name="skin" type="box" size=".06 .06 .06"/>
      <body name="hat" pos="0 0 .06"><geom name="brim" type="box" size=".05 .05 .01" mass="1"/></body>
    </body>
    <body name="top" pos="0 0 .15"><freejoint/><geom name="top" type="box" size=".03 .03 .03" mass="1"/></body>
    <body name="twin" pos="5 5 5"><geom name="twin" size=".1"/><geom size=".1" pos="1 0 0"/></body>
    <body name="ghost"><geom name="ghost" size=".1" contype="0" conaffinity="0"/></body>
  </worldbody>
  <sensor><touch name="skin" site="skin"/></sensor>
</mujoco>
"""


def measured(model, definitions: dict, duration_s: float, functions=None, **state) -> tuple[dict, Measures, mujoco.MjData]:
    """What is measured in a bare loop; `state`: arrays of data at the start."""
    data, measures = mujoco.MjData(model), Measures(model, definitions, duration_s, functions)
    for name, values in state.items():
        getattr(data, name)[:] = values
    measures.start(data)
    for _ in range(round(duration_s / model.opt.timestep)):
        mujoco.mj_step(model, data)
        measures.see()
    return measures.result(), measures, data


def of_ball(duration_s: float, option: str = "", **definitions) -> dict:
    model = mujoco.MjModel.from_xml_string(BALL.format(option=option))
    return measured(model, {name: {"body": "ball"} | definition for name, definition in definitions.items()}, duration_s)[0]


def test_a_body_falls_as_euler_has_it():
    """After n steps of h the semi-implicit scheme is at z0 - g h^2 n (n + 1) / 2, with the speed g n h."""
    n = 200
    found = of_ball(
        n * TIMESTEP_S,
        end={"quantity": "z_m"},
        start={"quantity": "z_m", "at": "start"},
        halfway={"quantity": "z_m", "at": n * TIMESTEP_S / 2},
        lowest={"quantity": "z_m", "at": "smallest"},
        highest={"quantity": "z_m", "at": "largest"},
        way={"quantity": "z_m", "at": "spread"},
        mean={"quantity": "z_m", "at": "mean"},
        late={"quantity": "z_m", "at": "largest", "from_s": 0.2},
        early={"quantity": "z_m", "at": "smallest", "to_s": 0.2},
        moved={"quantity": "moved_m"},
        speed={"quantity": "speed_m_per_s"},
        place={"quantity": "pos_m"},
    )
    fallen = GRAVITY * TIMESTEP_S**2 * np.arange(n + 1) * np.arange(1, n + 2) / 2
    heights = 2 - fallen
    expected = {
        "end": heights[-1],
        "start": 2,
        "halfway": heights[n // 2],
        "lowest": heights[-1],
        "highest": 2,
        "way": fallen[-1],
    }
    expected |= {"mean": heights.mean(), "late": heights[100], "early": heights[100], "moved": fallen[-1]}
    expected |= {"speed": GRAVITY * n * TIMESTEP_S}
    place = found.pop("place")
    assert found == pytest.approx(expected, rel=1e-12)
    assert place == pytest.approx([0, 0, heights[-1]])


@pytest.mark.parametrize("timestep_s", [0.003, 0.007, 0.0011])
def test_a_time_means_the_sample_nearest_to_it(timestep_s):
    model = mujoco.MjModel.from_xml_string(BALL.format(option=f'<option timestep="{timestep_s}"/>'))
    definitions = {"at": {"body": "ball", "quantity": "speed_m_per_s", "at": 0.1}}
    definitions["from"] = {"body": "ball", "quantity": "speed_m_per_s", "at": "smallest", "from_s": 0.1}
    found = measured(model, definitions, 0.2)[0]
    nearest = round(0.1 / timestep_s)
    assert found == pytest.approx(dict.fromkeys(found, GRAVITY * nearest * timestep_s))


def test_a_body_that_spins_is_turned_and_tilted_by_its_angle():
    """About x with 3 rad/s for 0.5 s, without gravity and nothing that the scheme could lose."""
    model = mujoco.MjModel.from_xml_string(BALL.format(option='<option gravity="0 0 0"/>'))
    definitions = {name: {"body": "ball", "quantity": name} for name in ("tilt_rad", "spin_rad_s", "quat", "speed_m_per_s")}
    found = measured(model, definitions, 0.5, qvel=[0.3, 0.4, 0, 3, 0, 0])[0]
    assert found["quat"] == pytest.approx([math.cos(0.75), math.sin(0.75), 0, 0])
    assert (found["tilt_rad"], found["spin_rad_s"], found["speed_m_per_s"]) == pytest.approx((1.5, 3, 0.5))


def test_a_small_tilt_is_told_to_its_digits():
    """acos of a product would know nothing below 1e-8."""
    model = mujoco.MjModel.from_xml_string(BALL.format(option='<option gravity="0 0 0"/>'))
    definitions = {"tilt_rad": {"body": "ball", "quantity": "tilt_rad"}}
    assert measured(model, definitions, 1, qvel=[0, 0, 0, 1e-10, 0, 0])[0]["tilt_rad"] == pytest.approx(1e-10, rel=1e-5)


def test_bodies_that_hang_on_joints_are_where_mujoco_has_them_in_the_same_state():
    """Not one step behind, as xpos is after `mj_step`; velocities and energies alike."""
    model = mujoco.MjModel.from_xml_string(PENDULUM)
    model.opt.enableflags = mujoco.mjtEnableBit.mjENBL_ENERGY
    bob = {name: {"body": "bob", "quantity": name} for name in ("pos_m", "quat", "speed_m_per_s", "spin_rad_s", "tilt_rad")}
    energies = {name: {"energy": name} for name in ("potential_J", "kinetic_J", "total_J")}
    found, _, data = measured(model, bob | energies, 0.3)
    mujoco.mj_forward(model, data)
    velocity = np.zeros(6)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, model.body("bob").id, velocity, 0)
    assert found["pos_m"] == data.body("bob").xpos.tolist()
    assert found["quat"] == data.body("bob").xquat.tolist()
    assert found["speed_m_per_s"] == pytest.approx(np.linalg.norm(velocity[3:]))
    assert found["spin_rad_s"] == pytest.approx(np.linalg.norm(velocity[:3]))
    assert found["tilt_rad"] == pytest.approx(abs(data.qpos.sum()))  # both hinges turn about y
    assert [found["potential_J"], found["kinetic_J"]] == pytest.approx(data.energy.tolist())
    assert found["total_J"] == pytest.approx(data.energy.sum())


def test_energy_is_conserved_where_nothing_takes_it():
    model = mujoco.MjModel.from_xml_string(PENDULUM)
    model.opt.disableflags = mujoco.mjtDisableBit.mjDSBL_ACTUATION
    attributes = {"spread": {"energy": "total_J", "at": "spread"}, "moved": {"energy": "kinetic_J", "at": "largest"}}
    found = measured(model, attributes, 1, qvel=[1, 2])[0]
    assert found["moved"] > 1
    assert found["spread"] < 1e-6


def test_joints_actuators_and_sensors_are_those_of_a_bare_loop():
    """Joints of the state after the last step; what an actuator gives and a sensor tells in it, of the state before it."""
    model = mujoco.MjModel.from_xml_string(PENDULUM)
    definitions = {
        "position": {"joint": "pivot", "quantity": "position"},
        "speed": {"joint": "cord", "quantity": "speed"},
        "force": {"actuator": "servo", "quantity": "force"},
        "length": {"actuator": "servo", "quantity": "length"},
        "control": {"actuator": "servo", "quantity": "control"},
        "angle": {"sensor": "angle"},
        "place": {"sensor": "place"},
        "first": {"sensor": "angle", "at": "start"},
    }
    found = measured(model, definitions, 0.2, ctrl=[0.4])[0]
    bare = mujoco.MjData(model)
    bare.ctrl[:] = 0.4
    mujoco.mj_step(model, bare, 400)
    assert found["position"] == bare.qpos[0]
    assert found["speed"] == bare.qvel[1]
    assert found["force"] == bare.actuator_force[0]
    assert found["length"] == bare.actuator_length[0]
    assert found["control"] == 0.4
    assert found["angle"] == bare.sensordata[0]
    assert found["place"] == bare.sensordata[1:].tolist()


@pytest.fixture(params=["pyramidal", "elliptic"])
def stack(request) -> mujoco.MjModel:
    """A box with a hat, 3 kg, on the floor and a box of 1 kg on the hat."""
    return mujoco.MjModel.from_xml_string(STACK.format(cone=request.param))


def contacts(*pair, **others) -> dict:
    """Every quantity of a contact."""
    names = ("force_N", "friction_N", "depth_m", "count", "near_count", "slip_m_per_s", "cone_use")
    return {name: {"contact": list(pair), "quantity": name} | others for name in names}


def test_at_rest_a_contact_carries_what_stands_on_it(stack):
    """4 kg on four corners at a depth of (1 - d) g / (4 k) per kg of the effective mass, all on the floor."""
    found = measured(stack, contacts("box", "floor"), 3)[0]
    assert found["force_N"] == pytest.approx(4 * GRAVITY, rel=1e-5)
    assert (found["count"], found["near_count"]) == (4, 0)
    assert found["friction_N"] == pytest.approx(0, abs=1e-4)
    assert found["slip_m_per_s"] < 1e-5
    assert found["cone_use"] < 1e-5
    top = measured(stack, contacts("top", "anything"), 3)[0]
    assert top["force_N"] == pytest.approx(GRAVITY, rel=1e-5)


def test_depth_at_rest_follows_from_stiffness_and_impedance():
    """Four corners of one box that does not turn share its weight: each is (1 - d) g / (4 k) deep, whatever the mass.

    Source: MuJoCo documentation, Modeling, Solver parameters; frictionless, so that nothing else bears on it.
    """
    contact = f'condim="1" solref="-{K} -200" solimp="{D} {D} .001"'
    model = mujoco.MjModel.from_xml_string(f"""
        <mujoco><worldbody><geom name="floor" type="plane" size="1 1 .1" {contact}/><body name="box" pos="0 0 .1"><freejoint/>
        <geom name="box" type="box" size=".1 .1 .1" mass="3" {contact}/></body></worldbody></mujoco>""")
    found = measured(model, contacts("box", "floor"), 6)[0]
    assert found["count"] == 4
    rows_stiffness = found["depth_m"] / ((1 - D) * GRAVITY / K)
    assert rows_stiffness == pytest.approx(1 / 4, rel=0.01)


def test_a_touch_sensor_tells_the_same_force_in_every_step(stack):
    definitions = {"sensor": {"sensor": "skin"}, "measure": {"contact": ["chest", "anything"], "quantity": "force_N"}}
    _, measures, _ = measured(stack, definitions, 0.5)
    series = measures.series(list(definitions))
    assert series["sensor"][0] is None
    assert max(series["measure"][1:]) > 10
    assert series["measure"][1:] == pytest.approx(series["sensor"][1:], rel=1e-9, abs=1e-12)


def test_a_body_is_its_whole_subtree_but_for_a_part_that_is_named(stack):
    """The top box stands on the hat, which is part of the box's subtree; the box alone never touches it."""
    forces = {
        "subtree": ["subtree box", "top"],
        "body": ["top", {"body": "box"}],
        "hat": ["hat", "top"],
        "alone": ["chest", "top"],
    }
    found = measured(stack, {name: {"contact": pair, "quantity": "force_N"} for name, pair in forces.items()}, 3)[0]
    assert [found["subtree"], found["body"], found["hat"]] == pytest.approx([GRAVITY] * 3, rel=1e-5)
    assert found["alone"] == 0
    part = Measures(stack, {"parts": {"contact": ["box", "hat"], "quantity": "count"}})
    assert part  # the hat is no part of the box here, or the two would share it


def test_anything_may_be_soft():
    """A ball at rest on a soft sheet is borne by that, which is no geom; the sheet itself rests on the floor."""
    model = mujoco.MjModel.from_xml_string("""
        <mujoco><option timestep=".001"/><worldbody><geom name="floor" type="plane" size="1 1 .1"/>
        <flexcomp type="grid" count="5 5 1" spacing=".04 .04 .04" pos="0 0 .012" radius=".01" name="sheet" dim="2" mass=".1">
        <contact selfcollide="none"/><edge equality="true"/></flexcomp>
        <body name="ball" pos="0.01 0 .055"><freejoint/><geom name="ball" size=".03" mass=".1" friction="1 .1 .1" condim="6"/>
        </body></worldbody></mujoco>""")
    definitions = contacts("ball", "anything", at="mean", from_s=1.5)
    definitions["floor_N"] = {"contact": ["ball", "floor"], "quantity": "force_N"}
    found = measured(model, definitions, 2)[0]
    assert found["force_N"] == pytest.approx(0.1 * GRAVITY, rel=0.01)
    assert found["floor_N"] == 0
    assert found["slip_m_per_s"] is None


def test_a_block_that_slides_uses_its_cone_and_slips_as_fast_as_it_moves():
    """What friction takes of its momentum is the mean force times the time, and mu times what the floor gives it upward."""
    model = mujoco.MjModel.from_xml_string("""
        <mujoco><option cone="elliptic" impratio="100"/><worldbody><geom name="floor" type="plane" size="9 9 .1" friction=".3"/>
        <body name="block" pos="0 0 .05"><freejoint/>
        <geom name="block" type="box" size=".2 .2 .05" mass="2" friction=".3"/></body></worldbody></mujoco>""")
    found, _, data = measured(model, contacts("block", "floor", at="mean"), 0.3, qvel=[3, 0, 0, 0, 0, 0])
    assert found["friction_N"] * 0.3 == pytest.approx(2 * (3 - data.qvel[0]), rel=1e-2)
    assert found["force_N"] * 0.3 == pytest.approx(2 * (GRAVITY * 0.3 + data.qvel[2]), rel=1e-2)
    assert found["cone_use"] == pytest.approx(1, rel=1e-3)
    first = measured(model, contacts("block", "floor", at="largest"), 0.01, qvel=[3, 0, 0, 0, 0, 0])[0]
    assert first["slip_m_per_s"] == pytest.approx(3, rel=1e-3)


def test_what_only_touches_for_a_time_has_no_slip_beyond_it():
    found = of_two_balls(
        contacts("upper", "lower") | {"fast": {"contact": ["upper", "lower"], "quantity": "slip_m_per_s", "at": "mean"}}
    )
    assert found["force_N"] == found["count"] == 0
    assert found["slip_m_per_s"] is None
    assert found["fast"] is not None


def of_two_balls(definitions: dict, duration_s: float = 0.6) -> dict:
    """A ball that falls from 1 m above the side of one that lies, bounces and rolls away."""
    model = mujoco.MjModel.from_xml_string("""
        <mujoco><worldbody><geom name="lower" size=".1"/><body name="upper" pos=".1 0 1.2"><freejoint/>
        <geom name="upper" size=".1"/></body></worldbody></mujoco>""")
    return measured(model, definitions, duration_s)[0]


def test_the_first_time_of_a_touch_is_the_end_of_the_step_in_which_it_first_presses():
    first = {"contact": ["upper", "lower"], "quantity": "first_time_s"}
    found = of_two_balls({"first": first, "later": first | {"from_s": 0.55}, "before": first | {"to_s": 0.1}})
    fall_m = 1.2 - math.sqrt(0.2**2 - 0.1**2)
    assert found["first"] == pytest.approx(math.sqrt(2 * fall_m / GRAVITY), abs=3 * TIMESTEP_S)
    assert found["later"] is None
    assert found["before"] is None


def test_what_the_engine_warned_of_and_where_its_solver_stopped(stack):
    model = mujoco.MjModel.from_xml_string(PENDULUM)
    definitions = {"all": {"warnings": "total"}, "bad": {"warnings": "BADCTRL"}, "other": {"warnings": "BADQPOS"}}
    found = measured(model, definitions, 0.01, ctrl=[math.nan])[0]
    assert found == {"all": 80, "bad": 80, "other": 0}  # in each of RK4's four stages
    stack.opt.iterations, stack.opt.tolerance = 1, 0
    words = ("at_iterations", "at_line_search", "iterations_mean")
    solver = measured(stack, {word: {"solver": word} for word in words}, 0.1)[0]
    assert solver["iterations_mean"] == 1
    assert solver["at_iterations"] == 50


def test_a_function_of_the_users_own_is_sampled_in_every_step(stack):
    definitions = {"most": {"code": "my.py", "function": "f", "at": "largest"}, "met": {"code": "my.py", "at": "mean"}}
    functions = {"most": lambda model, data: data.ncon, "met": lambda model, data: data.ncon > 0}
    found = measured(stack, definitions, 0.5, functions)[0]
    assert found["most"] >= 8
    assert 0 < found["met"] <= 1


def test_a_function_that_returns_no_number_is_named(stack):
    with pytest.raises(ValueError, match=r"measures.most: the function returned 'many'; allowed: a number"):
        measured(stack, {"most": {"code": "my.py"}}, 0.1, {"most": lambda model, data: "many"})


def test_numbers_that_are_none_are_none(stack):
    definitions = {"nan": {"code": "my.py"}, "inf": {"code": "my.py", "at": "largest"}}
    functions = {"nan": lambda model, data: math.nan, "inf": lambda model, data: math.inf}
    assert measured(stack, definitions, 0.1, functions)[0] == {"nan": None, "inf": None}


def test_looking_changes_no_bit(stack):
    every = contacts("box", "floor") | {"energy": {"energy": "total_J"}, "hat": {"body": "hat", "quantity": "speed_m_per_s"}}
    data = measured(stack, every | {"through": {"passage": ["top", "floor"]}}, 0.5)[2]
    bare = mujoco.MjData(stack)
    mujoco.mj_step(stack, bare, 250)
    assert data.qpos.tobytes() == bare.qpos.tobytes()
    assert data.xpos.tobytes() == bare.xpos.tobytes()
    assert data.sensordata.tobytes() == bare.sensordata.tobytes()


def test_a_second_run_is_as_the_first(stack):
    definitions = contacts("box", "floor", at="mean") | {"moved": {"body": "top", "quantity": "moved_m", "at": "largest"}}
    measures, results = Measures(stack, definitions, 0.2), []
    for _ in range(2):
        data = mujoco.MjData(stack)
        measures.start(data)
        for _ in range(100):
            mujoco.mj_step(stack, data)
            measures.see()
        results.append(measures.result())
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("definition", "said"),
    [
        ({}, "nothing is measured; allowed: one of body, joint"),
        ({"body": "box", "joint": "a"}, "body and joint is measured; allowed: one of body"),
        ({"body": "bx", "quantity": "z_m"}, "the model has no body 'bx'; allowed: world, box"),
        ({"body": "box", "quantity": "z"}, "quantity of a body is 'z'; allowed: x_m, y_m"),
        ({"body": "box", "quantity": "z_m", "when": 1}, "when is unknown of a body; allowed: body, quantity, at, from_s, to_s"),
        ({"body": "box", "quantity": "z_m", "at": "last"}, "at is 'last'; allowed: end, start, largest"),
        ({"body": "box", "quantity": "z_m", "at": 2}, "at is 2 s; allowed: 0 to 1, how long the run lasts"),
        ({"body": "box", "quantity": "z_m", "from_s": 2}, "from_s is 2 and to_s inf; allowed: a part of the run of 1 s"),
        ({"body": "box", "quantity": "pos_m", "at": "mean"}, "a list has no mean; allowed: end, start, a time in s"),
        ({"contact": ["box"], "quantity": "force_N"}, "contact is ['box']; allowed: a list of two names"),
        ({"contact": ["box", "flor"], "quantity": "force_N"}, "the model has no body 'flor'"),
        (
            {"contact": ["twin", "top"], "quantity": "force_N"},
            "'twin' is a body and a geom of the model; allowed: {geom: twin}, ",
        ),
        ({"contact": ["ghost", "floor"], "quantity": "force_N"}, "'ghost' has no geom that can touch anything"),
        ({"contact": ["top", "top"], "quantity": "force_N"}, "contact of top with top, which share geoms"),
        ({"contact": ["anything", "anything"], "quantity": "force_N"}, "contact of anything with anything"),
        ({"contact": ["top", "floor"], "quantity": "first_time_s", "at": "end"}, "at has no meaning for first_time_s"),
        (
            {"passage": ["top", "chest"]},
            "geom 'chest' is a box with the half-sizes [0.05, 0.05, 0.05] m; allowed: a plane, or a box with",
        ),
        ({"energy": "all"}, "energy is 'all'; allowed: total_J, potential_J, kinetic_J"),
        ({"warnings": "BAD"}, "warnings is 'BAD'; MuJoCo"),
        ({"warnings": "total", "at": "end"}, "at is unknown of a warnings; allowed: warnings"),
        ({"sensor": "skn"}, "the model has no sensor 'skn'; allowed: skin"),
        ({"code": "my.py"}, "no function of my.py is given"),
    ],
)
def test_a_measure_that_is_none_is_refused_in_one_line(definition, said):
    model = mujoco.MjModel.from_xml_string(STACK.format(cone="elliptic"))
    with pytest.raises(ValueError, match=r"^measures[.]mine: ") as caught:
        Measures(model, {"mine": definition}, 1)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_series_have_a_sample_for_the_start_and_for_each_step(stack):
    definitions = {"z": {"body": "top", "quantity": "z_m"}, "n": {"contact": ["top", "anything"], "quantity": "count"}}
    _, measures, _ = measured(stack, definitions | {"w": {"warnings": "total"}}, 0.01)
    series = measures.series(["z", "n"])
    assert series["times_s"] == pytest.approx([0, 0.002, 0.004, 0.006, 0.008, 0.01])
    assert len(series["z"]) == len(series["n"]) == 6
    assert (series["z"][0], series["n"][0]) == (0.15, None)
    with pytest.raises(ValueError, match="series: w has no samples over time; allowed: z, n"):
        measures.series(["w"])
