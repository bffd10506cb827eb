"""What a drop tells of touch, depth, force, rebound and rest, against closed forms and bare loops over MuJoCo's own arrays."""

import math

import mujoco
import numpy as np
import pytest
from conftest import CUBE, SCENE, TABLE, drop_scene, write_scene

from contactlab import drop
from contactlab.contacts import Between, Record, subtree_geoms
from contactlab.drop_scene import drop_mjcf
from contactlab.landing import Rebound, contact_of, spread

G = 9.81  # m/s^2, MuJoCo's default
MASS_KG = SCENE["cube_mass_kg"]
SPEED = math.sqrt(2 * G * SCENE["drop_height_m"])
GAP = """<mujoco><worldbody>
  <geom name="table" type="box" size=".12 .12 .005" pos="0 0 .295" margin=".001" gap=".05"/>
  <body name="cube" pos="0 0 1.3"><freejoint name="cube"/>
    <geom name="cube" type="box" size=".025 .025 .025" mass=".1" margin=".001" gap=".05"/></body>
</worldbody></mujoco>"""
FOOT = CUBE.replace("</body>", '<geom name="foot" type="box" size=".01 .01 .02" pos="0 0 -.045" mass=".05"/></body>')
HUNG = CUBE.replace("</body>", '<body pos="0 0 -.045"><geom type="capsule" size=".01 .01" mass=".05"/></body></body>')


def run(dt_ms: float = 2, duration_s: float = 2, **axes) -> dict:
    return drop.run(drop_scene(**axes), dt_ms, "Euler", duration_s)


def own(body: str, head: str = "") -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(f"<mujoco>{head}<worldbody>{body}</worldbody></mujoco>")


# Touch is force


def largest_force_N(model: mujoco.MjModel, dt_ms: float, duration_s: float) -> float:
    """The largest sum of the normal forces of all contacts in a step of a bare simulation."""
    model.opt.timestep = dt_ms / 1000
    data, force, largest = mujoco.MjData(model), np.zeros(6), 0.0
    for _ in range(round(duration_s * 1000 / dt_ms)):
        mujoco.mj_step(model, data)
        total = 0.0
        for index in range(data.ncon):
            mujoco.mj_contactForce(model, data, index, force)
            total += force[0]
        largest = max(largest, total)
    return largest


def test_what_lies_in_the_gap_is_near_and_touches_nothing():
    """At 25 ms the engine keeps records on both sides of the table, and none of them ever pushes."""
    model = mujoco.MjModel.from_xml_string(GAP)
    assert largest_force_N(model, 25, 2) == 0
    result = drop.run(model, 25, "Euler", 2)
    assert (result["outcome"], result["failure_mode"], result["contact_seen"]) == ("passed", "missed contact", False)
    assert (result["touched"], result["largest_force_N"], result["first_contact_depth_m"]) == (False, 0, None)
    assert (result["proximity_seen"], result["first_proximity_time_s"]) == (True, pytest.approx(0.45))
    assert result["effective"] is None


def test_the_first_contact_that_acts_decides_the_side_and_not_the_first_that_is_near():
    """At 10 ms records in the gap point up, and the first overlap lies below the mid-plane."""
    result = drop.run(mujoco.MjModel.from_xml_string(GAP), 10, "Euler", 2)
    assert (result["failure_mode"], result["first_contact_normal_z"]) == ("wrong side", -1)
    assert result["first_proximity_time_s"] < result["first_contact_time_s"]


def test_a_contact_that_acts_is_as_before_whatever_the_gap():
    """At 2 ms the gap adds records to the plain scene, and changes nothing of what touches."""
    plain = mujoco.MjModel.from_xml_string(GAP.replace('gap=".05"', ""))
    near, far = (drop.run(model, 2, "Euler", 2) for model in (mujoco.MjModel.from_xml_string(GAP), plain))
    assert near["digest"] == far["digest"]
    for name in ("first_contact_time_s", "first_touch_time_s", "largest_force_N", "restitution", "contact_seen", "outcome"):
        assert near[name] == far[name], name
    assert near["first_proximity_time_s"] < near["first_touch_time_s"] < far["first_proximity_time_s"]


@pytest.mark.parametrize("dt_ms", [10, 15])
def test_a_cube_that_leaves_faster_than_the_spring_pushes_is_in_contact_and_never_touched(dt_ms):
    """Lesson 02: the first overlap is below the mid-plane and on its way down, so that the damper would have to pull."""
    result = run(dt_ms)
    assert (result["contact_seen"], result["failure_mode"]) == (True, "wrong side")
    assert (result["touched"], result["largest_force_N"], result["proximity_seen"]) == (False, 0, True)
    assert result["largest_depth_m"] == pytest.approx(result["first_contact_depth_m"])
    assert largest_force_N(drop_scene(), dt_ms, 0.5) == 0


def record(distance_m: float, normal_N: float | None) -> Record:
    return Record(0, 1, 1.0, distance_m, -distance_m, normal_N)


@pytest.mark.parametrize(
    ("records", "chosen"),
    [
        ([], None),
        ([record(0.01, None)], None),  # in the gap
        ([record(-0.01, None)], None),  # for want of memory
        ([record(0.01, 0.0)], None),  # within the margin, and parting
        ([record(-0.01, 0.0)], 0),  # overlapping, and parting
        ([record(0.01, 2.0)], 0),  # pushes within its margin
        ([record(-0.01, 0.0), record(0.01, 2.0)], 1),
        ([record(-0.01, 1.0), record(-0.02, 2.0)], 1),
    ],
)
def test_the_contact_is_the_deepest_touch_or_else_the_deepest_overlap(records, chosen):
    assert contact_of(records) is (None if chosen is None else records[chosen])


@pytest.mark.parametrize("condim", [1, 3, 4, 6])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_each_record_says_what_the_arrays_do(cone, condim):
    model = drop_scene(drop_height_m=0, cone=cone, condim=condim, tilt_rad=0.1, margin_m=0.001)
    data, force = mujoco.MjData(model), np.zeros(6)
    between = Between(model, data, subtree_geoms(model, "cube"), [model.geom("floor").id, model.geom("table").id])
    mujoco.mj_step(model, data, 30)
    records, touches = between.each(), between.touches()
    assert [one.index for one in records] == between.records().tolist()
    assert [one.index for one in records if one.normal_N] == touches.index.tolist()
    assert {one.other for one in records} == {model.geom("table").id}
    for one in records:
        mujoco.mj_contactForce(model, data, one.index, force)
        assert one.normal_N == pytest.approx(force[0], rel=1e-12)
        assert one.depth_m == -one.distance_m == -data.contact.dist[one.index]
    assert between.depth_m() == pytest.approx(-data.contact.dist.min())


def test_the_depth_of_a_speculative_contact_is_that_of_geometry():
    """Its distance is made up (MuJoCo documentation, Computation, Speculative contacts); without it the two are one."""
    model = drop_scene(drop_height_m=0, tilt_rad=0.1)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 30)
    between = Between(model, data, subtree_geoms(model, "cube"), [model.geom("table").id])
    plain = between.depth_m()
    between._speculative = True
    data.contact.dist[:] = -0.5
    assert between.depth_m() == pytest.approx(plain, rel=1e-9)


# A body is all its geoms


@pytest.mark.parametrize("body", [FOOT, HUNG])
def test_a_body_touches_with_whatever_hangs_on_it(body):
    """A cube that stands on a foot 4 cm high: it falls 4 cm less, lands, and is carried by the foot alone."""
    model = own(TABLE + body)
    result = drop.run(model, 2, "Euler", 0.5)
    assert drop.Scene.of(model).clearance_m == pytest.approx(0.275 - 0.04)
    assert result["impact_speed_m_per_s"] == pytest.approx(math.sqrt(2 * G * 0.235))
    assert (result["contact_seen"], result["touched"], result["outcome"]) == (True, True, "kept")
    assert result["first_overlap_centre_m"] == pytest.approx(0.3 + 0.065, abs=0.002 * SPEED)
    assert result["first_contact_normal_z"] == pytest.approx(1)


def test_a_wide_foot_carries_the_weight_of_the_whole_body():
    result = drop.run(own(TABLE + FOOT.replace(".01 .01 .02", ".03 .03 .02")), 2, "Euler", 2)
    assert (result["outcome"], result["at_rest"], result["rests_on"], result["rest_contacts"]) == ("kept", True, "table", 4)
    assert result["rest_force_N"] == pytest.approx(0.15 * G, rel=1e-6)


@pytest.mark.parametrize(
    ("geom", "reach_m"),
    [
        ('type="sphere" size=".03"', 0.03),
        ('type="capsule" size=".01 .03"', 0.01 + 0.03 * math.cos(0.5)),
        ('type="cylinder" size=".01 .03"', 0.01 * math.sin(0.5) + 0.03 * math.cos(0.5)),
        ('type="ellipsoid" size=".01 .02 .03"', math.hypot(0.02 * math.sin(0.5), 0.03 * math.cos(0.5))),
        ('type="box" size=".01 .02 .03"', 0.02 * math.sin(0.5) + 0.03 * math.cos(0.5)),
        ('type="mesh" mesh="wedge"', 0.05 * math.cos(0.5)),
    ],
)
def test_the_lowest_point_of_a_body_is_exact_for_every_shape(geom, reach_m):
    """Turned by 0.5 rad about x, hanging 5 cm below the centre of the cube, from which it is counted."""
    wedge = '<asset><mesh name="wedge" vertex="0 0 -.05 .01 0 .01 -.01 .01 .01 -.01 -.01 .01"/></asset>'
    model = own(TABLE + CUBE.replace("</body>", f'<geom {geom} pos="0 0 -.05" euler="28.64788975654116 0 0"/></body>'), wedge)
    assert drop.Scene.of(model).reach_m == pytest.approx(0.05 + reach_m, abs=1e-8)  # a mesh is kept in single precision


# Depth and force


STIFF = 400.0**2  # 1/s^2: (400 rad/s)^2, which stops the cube within 1.1 cm
THICK = {"table_thickness_m": 0.1, "condim": 1, "solimp": [0.9999, 0.9999, 0.001, 0.5, 2]}


def bounce(zeta: float, duration_s: float = 0.95) -> dict:
    """A fall from the published height onto a spring and a damper: r'' = -omega^2 r - 2 zeta omega r' while that pushes.

    Direct solref is stiffness and damping, over the impedance d, here 1 within 1e-4; the constraint then sets the acceleration,
    whatever else acts (MuJoCo documentation, Modeling, Solver parameters).
    """
    return run(0.02, duration_s, solref=[-STIFF, -2 * zeta * math.sqrt(STIFF)], **THICK)


def test_depth_and_force_of_a_spring_follow_from_energy():
    """Without damping m v^2 / 2 = m omega^2 r^2 / 2 where it is deepest, and the contact also carries the weight."""
    result, omega = bounce(0, 0.5), math.sqrt(STIFF)
    assert result["approach_speed_m_per_s"] == pytest.approx(SPEED, rel=1e-3)
    assert result["largest_depth_m"] == pytest.approx(SPEED / omega, rel=5e-3)
    assert result["largest_force_N"] == pytest.approx(MASS_KG * (omega * SPEED + G), rel=5e-3)
    assert result["largest_depth_elsewhere_m"] == 0


@pytest.mark.parametrize("zeta", [0, 0.1, 0.3, 0.6, 0.9])
def test_the_rebound_of_a_spring_and_a_damper_that_cannot_pull(zeta):
    """The contact ends where its force does, r'' = 0, and not where r = 0, which would give exp(-pi zeta / sqrt(1 - zeta^2)).

    r = (v / w) exp(-zeta omega t) sin(w t) with w = omega sqrt(1 - zeta^2) has r'' = 0 at w t = pi - 2 asin(zeta), where the
    speed is u = v exp(-zeta omega t): with pi / 2 - asin = acos, u = v exp(-2 zeta acos(zeta) / sqrt(1 - zeta^2)). From there
    the cube rises freely by 2 zeta u / omega to the surface.
    """
    result, omega = bounce(zeta), math.sqrt(STIFF)
    free = SPEED * math.exp(-2 * zeta * math.acos(zeta) / math.sqrt(1 - zeta**2))
    parting = math.sqrt(free**2 - 2 * G * 2 * zeta * free / omega)
    assert result["rebound_speed_m_per_s"] == pytest.approx(parting, abs=0.003 * SPEED)
    assert result["restitution"] == pytest.approx(parting / SPEED, abs=0.003)
    assert result["rebound_height_m"] == pytest.approx(parting**2 / (2 * G), rel=0.02)


STATES = [(False, 1.0, -2.0), (True, 0.5, -3.0), (True, 0.4, 1.0), (False, 0.5, 1.5), (False, 0.6, 0.5), (False, 0.61, -0.4)]


def rebound(states: list, at_rest: bool = False) -> list:
    seen = Rebound(middle_m=0.3)
    for state in states:
        seen.see(*state)
    return list(seen.summary(at_rest).values())


@pytest.mark.parametrize(
    ("states", "at_rest", "told"),
    [
        (STATES[:1], False, [None] * 4),
        (STATES[:3], False, [3.0, None, None, None]),  # too short
        (STATES[:3], True, [3.0, 0.0, 0.0, 0.0]),
        (STATES[:5], False, [3.0, 1.5, None, 0.5]),  # still rising
        (STATES, False, [3.0, 1.5, pytest.approx(0.11), 0.5]),
        ([*STATES, (True, 0.5, -1), (False, 0.9, 5.0)], False, [3.0, 1.5, pytest.approx(0.11), 0.5]),  # the first contact alone
        ([*STATES[:2], (False, 0.4, -1.0), (True, 0.35, -1.0), *STATES[3:]], False, [3.0, 1.5, pytest.approx(0.11), 0.5]),
        ([*STATES[:2], (False, 0.2, -4.0), (False, 0.1, 3.0)], True, [3.0, None, None, None]),  # through it, up from the floor
        ([(True, 0.5, 0.0), STATES[3], STATES[5]], False, [0.0, 1.5, pytest.approx(0.11), None]),
    ],
)
def test_a_rebound_is_the_first_parting_upward(states, at_rest, told):
    assert rebound(states, at_rest) == told


# Rest


@pytest.mark.parametrize("stiffness", [2000.0, 20000.0])
def test_at_rest_four_contacts_share_the_weight(stiffness):
    """Of a constant impedance d each pushes with m k r / (1 - d), so that r = (1 - d) g / (4 k), whatever the mass."""
    d = 0.9
    contact = {"solref": [-stiffness, -2 * math.sqrt(stiffness)], "solimp": [d, d, 0.001, 0.5, 2], "condim": 1}
    result = run(2, 3, drop_height_m=0.001, cube_mass_kg=0.7, **contact)
    assert (result["at_rest"], result["rests_on"], result["rest_contacts"]) == (True, "table", 4)
    assert result["rest_depth_m"] == pytest.approx((1 - d) * G / (4 * stiffness), rel=1e-6)
    assert result["rest_force_N"] == pytest.approx(0.7 * G, rel=1e-6)
    assert result["jitter_m"] == pytest.approx(0, abs=1e-11)
    assert result["jitter_rad"] == pytest.approx(0, abs=1e-9)


def test_a_cube_that_went_through_rests_on_the_floor():
    result = run(1)
    assert (result["outcome"], result["at_rest"], result["rests_on"]) == ("passed", True, "floor")
    assert result["rest_force_N"] == pytest.approx(MASS_KG * G, rel=1e-6)
    assert result["rebound_speed_m_per_s"] is None


@pytest.mark.parametrize("duration_s", [0.3, 0.46])
def test_what_still_falls_or_sinks_is_not_at_rest(duration_s):
    result = run(duration_s=duration_s)
    told = ("rests_on", "rest_contacts", "rest_force_N", "rest_depth_m", "jitter_m", "jitter_rad")
    assert not result["at_rest"]
    assert {name: result[name] for name in told} == dict.fromkeys(told)


def test_jitter_is_how_far_a_pose_strays():
    """Centres at both ends of 2 a are a from their mean; turns by -b and b are 2 b apart, about whatever axis."""
    a, b, axis = 1e-4, 1e-3, np.array([2.0, -1.0, 2.0]) / 3
    poses = [[sign * a, 0, 1, math.cos(b / 2), *(sign * math.sin(b / 2) * axis)] for sign in (-1, 1)]
    assert spread(np.array(poses)) == (pytest.approx(a, rel=1e-12), pytest.approx(2 * b, rel=1e-9))
    poses[0][3:] = [-part for part in poses[0][3:]]  # the same orientation
    assert spread(np.array(poses))[1] == pytest.approx(2 * b, rel=1e-9)


# Overlap at the start

POST = '<geom name="post" type="box" size=".01 .01 .05" pos="0 0 {centre}"/>'


def test_what_overlaps_at_the_start_is_named_and_refused_or_measured(tmp_path):
    """A post that reaches 3 mm into the cube; and the cube 1 cm inside the table and, if that is allowed, measured."""
    scene = str(write_scene(tmp_path, TABLE + CUBE + POST.format(centre=0.528)))
    with pytest.raises(
        ValueError, match=r"post and cube overlap by 0.003 m at the start; allowed: by up to allowed_overlap_m, 0$"
    ):
        drop.load(scene)
    with pytest.raises(ValueError, match=r"allowed_overlap_m, 0.002$"):
        drop.load(scene, 0.002)
    result = drop.run(drop.load(scene, 0.003), 2, "Euler", 0.1)
    assert (result["start_overlaps"], result["start_overlap_m"]) == ("post and cube", pytest.approx(0.003))
    inside = tmp_path / "inside.xml"
    inside.write_text(drop_mjcf(**SCENE | {"drop_height_m": -0.001}))
    with pytest.raises(
        ValueError, match=r"the cube starts 0\.001 m inside the table; allowed: a start above it, or inside it by up"
    ):
        drop.load(str(inside))
    result = drop.run(drop.load(str(inside), 0.001), 2, "Euler", 2)
    assert (result["start_overlaps"], result["start_overlap_m"]) == ("table and cube", pytest.approx(0.001))
    assert (result["outcome"], result["impact_speed_m_per_s"], result["largest_depth_m"]) == ("kept", 0, pytest.approx(0.001))


def test_a_cube_in_the_floor_is_named(tmp_path):
    floor = '<geom name="floor" type="plane" size="1 1 .1" pos="0 0 .58"/>'
    with pytest.raises(ValueError, match=r"floor and cube overlap by 0.005 m at the start"):
        drop.load(str(write_scene(tmp_path, TABLE + CUBE + floor)))


def test_a_published_drop_starts_free_of_everything_and_no_look_at_it_moves_the_run():
    """The same final state as a bare loop over mj_step."""
    result, model = run(2), drop_scene()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 1000)
    assert (result["start_overlap_m"], result["start_overlaps"]) == (0, "")
    assert result["digest"] == drop.state_digest(data)


# The solver's limits


@pytest.mark.parametrize(
    ("axes", "column"),
    [
        ({"iterations": 1}, "at_iterations"),
        ({"ls_iterations": 1}, "at_line_search"),
        ({"ls_iterations": 3}, "at_line_search"),  # at which no search looks at more points than that
    ],
)
def test_steps_in_which_the_solver_stopped_at_a_limit_are_counted(axes, column):
    """A cube that lands on an edge needs more than one iteration and more than one point of the line search."""
    result, model = run(2, 0.6, tilt_rad=0.5, **axes), drop_scene(tilt_rad=0.5, **axes)
    data, counted, solved = mujoco.MjData(model), 0, 0
    for _ in range(300):
        mujoco.mj_step(model, data)
        solved += data.nefc > 0
        done = [data.solver[index] for index in range(data.solver_niter[0])] if data.nefc else []
        if column == "at_line_search":
            counted += any(one.neval >= model.opt.ls_iterations for one in done)
        elif done:
            counted += done[-1].improvement >= model.opt.tolerance and done[-1].gradient >= model.opt.tolerance
    assert counted > 10
    assert (result[column], result["solved_steps"]) == (counted, solved)
    assert (result["left_gradient"] > 0) == (column == "at_iterations")
    whole = run(2, 0.6, tilt_rad=0.5)
    assert (whole["at_iterations"], whole["at_line_search"], whole["left_improvement"]) == (0, 0, 0)


def test_a_drop_that_timed_out_has_every_column_and_says_nothing():
    seen, ended = run(25), drop.timed_out(drop_scene(), 25)
    assert ended.keys() == seen.keys()
    known = ("impact_speed_m_per_s", "jump_m", "middle_m", "half_height_m", "warning_texts")
    told = {name for name, value in ended.items() if value is not None}
    assert told == {"outcome", "failure_mode", *known}
