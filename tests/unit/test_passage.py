"""How a body passes through a thin geom: wherever the geom stands, however it moves, and from either side."""

import math

import mujoco
import numpy as np
import pytest

from contactlab.landing import crossing, way_through
from contactlab.measures import Measures

SPEED = 4.3735  # m/s, lesson 02's at the table's top
TURNS = {"flat": (1, 0, 0, 0), "on edge": (math.sqrt(0.5), 0, math.sqrt(0.5), 0), "askew": (0.8, 0.36, 0.48, 0)}


def scene(timestep_s: float, turn=(1, 0, 0, 0), beside_m: float = 0, from_m: float = 0.3, size: str = ".2 .2 .005") -> str:
    """A cube that flies without gravity along the z axis of a turned frame, towards a sheet across that axis."""
    quat = " ".join(map(str, turn))
    return f"""
    <mujoco><option gravity="0 0 0" timestep="{timestep_s}"/>
      <worldbody><frame quat="{quat}">
        <body name="sheet"><geom name="sheet" type="box" size="{size}" mass="1000"/></body>
        <body name="cube" pos="{beside_m} 0 {from_m}"><freejoint/>
          <geom name="cube" type="box" size=".025 .025 .025" mass=".1"/></body>
      </frame></worldbody>
    </mujoco>"""


def passage(xml: str, velocity, steps: int = 400, body: str = "cube", geom: str = "sheet") -> str:
    """How the first free body passes that starts with a velocity (3,) in the frame of its scene."""
    model = mujoco.MjModel.from_xml_string(xml)
    data, measures = mujoco.MjData(model), Measures(model, {"way": {"passage": [body, geom]}})
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, model.body("cube").quat)
    data.qvel[:3] = rotation.reshape(3, 3) @ velocity
    measures.start(data)
    for _ in range(steps):
        mujoco.mj_step(model, data)
        measures.see()
    return measures.result()["way"]


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("timestep_s", [0.0005, 0.01, 0.025, 0.04])
def test_the_way_is_the_same_wherever_the_sheet_stands_and_from_either_side(timestep_s, side, turn):
    """No direction of space is special: a turned scene, or its mirror image, has the way of the flat one."""
    flat = passage(scene(timestep_s, from_m=0.3), [0, 0, -SPEED])
    assert passage(scene(timestep_s, TURNS[turn], from_m=0.3 * side), [0, 0, -side * SPEED]) == flat


def test_each_way_occurs():
    found = {passage(scene(timestep_s), [0, 0, -SPEED]) for timestep_s in (0.0005, 0.002, 0.006, 0.01, 0.012, 0.025, 0.04)}
    assert found >= {"kept", "wrong side", "missed contact", "too soft"}


@pytest.mark.parametrize("timestep_s", [0.002, 0.01, 0.025, 0.04])
def test_a_sheet_that_moves_towards_a_cube_passes_it_as_the_cube_would_the_sheet(timestep_s):
    """By Galileo: only their relative speed counts. The sheet is so heavy that nothing slows it."""
    moving = scene(timestep_s).replace(
        '<body name="sheet">', '<body name="sheet"><joint name="rail" type="slide" axis="0 0 1"/>'
    )
    model = mujoco.MjModel.from_xml_string(moving)
    data, measures = mujoco.MjData(model), Measures(model, {"way": {"passage": ["cube", "sheet"]}})
    data.joint("rail").qvel = SPEED
    measures.start(data)
    for _ in range(40):
        mujoco.mj_step(model, data)
        measures.see()
    assert measures.result()["way"] == passage(scene(timestep_s), [0, 0, -SPEED], steps=40)


def test_what_flies_past_the_edge_is_beside():
    assert passage(scene(0.002, beside_m=0.3), [0, 0, -1]) == "beside"


def test_what_slides_off_its_side_is_beside():
    assert passage(scene(0.002), [1, 0, 0]) == "beside"


def test_what_never_comes_to_it_is_not_reached():
    assert passage(scene(0.002), [0, 0, 0]) == "not reached"


def test_a_plane_has_one_mid_plane_and_no_edge():
    floor = scene(0.002).replace("<worldbody>", '<worldbody><geom name="floor" type="plane" size="1 1 1" pos="0 0 -1"/>')
    assert passage(floor, [0, 0, -1], geom="floor", steps=2) == "not reached"
    floor = floor.replace('<body name="sheet"><geom name="sheet" type="box" size=".2 .2 .005" mass="1000"/></body>', "")
    assert passage(floor, [9, 0, -1], geom="floor", steps=1000) == "kept"


def test_a_body_that_starts_in_the_middle_has_no_side():
    with pytest.raises(ValueError, match="passage of body 'cube' through geom 'sheet': it starts on its mid-plane"):
        passage(scene(0.002, from_m=0), [0, 0, 0])


def test_a_part_of_the_body_that_touches_counts_as_the_body():
    """A feeler ahead of the cube is stopped, and the cube with it; the cube's own geom never touches."""
    feeler = '<body name="feeler" pos="0 0 -.1"><geom size=".02" mass=".01"/></body></body></frame>'
    assert passage(scene(0.001).replace("</body>\n      </frame>", feeler), [0, 0, -1]) == "kept"


@pytest.mark.parametrize(
    ("normal", "way"),
    [
        (None, "missed contact"),
        (1, "too soft"),
        (-1, "wrong side"),
        (0.7, "pushed aside"),
        (-0.7, "pushed aside"),
        (0.71, "too soft"),
    ],
)
def test_the_first_contacts_normal_decides(normal, way):
    assert way_through(normal) == way


def test_a_crossing_lies_on_the_line_between_two_states():
    assert crossing([0, 2, 3], [4, 0, 1], 2.5) == (1, 1.5)
