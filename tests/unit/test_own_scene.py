"""A scene of the user's own: what its runs depend on, what `drop.load` asks of one, and that it is measured as it is."""

import math

import mujoco
import pytest
import yaml
from conftest import CUBE, ENVS, PROJECT, SCENE, SCHEMA, TABLE, changed, refusal, write_scene

from contactlab import drop
from contactlab.drop_scene import drop_mjcf
from lib import checks, own_scene


def test_every_file_of_a_scene_counts_in_its_digest(tmp_path):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes/a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n")
    write_scene(tmp_path, TABLE, "table.xml")
    head = '<include file="table.xml"/><compiler meshdir="meshes"/><asset><mesh file="a.obj"/></asset>'
    scene = write_scene(tmp_path, CUBE, head=head)
    assert own_scene.named_files(scene) == {"table.xml", "meshes/a.obj"}
    seen = {own_scene.digest(str(scene))}
    for name in ("my_scene.xml", "table.xml", "meshes/a.obj"):
        with (tmp_path / name).open("a") as file:
            file.write("\n")
        seen.add(own_scene.digest(str(scene)))
    (tmp_path / "unrelated.xml").write_text("<mujoco/>")
    seen.add(own_scene.digest(str(scene)))
    assert len(seen) == 4


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (TABLE + CUBE.replace('type="box" size=".025 .025 .025"', 'size=".025"'), "geom 'cube' is a sphere; allowed: a box"),
        (TABLE.replace('type="box"', 'type="cylinder"') + CUBE, "geom 'table' is a cylinder; allowed: a box"),
        (TABLE.replace("pos", 'euler="10 0 0" pos') + CUBE, "geom 'table' is turned by quat [0.99"),
        (TABLE + CUBE.replace("mass", 'euler="0 5 0" mass'), "geom 'cube' is turned by quat [0.99"),
        (f"<body>{TABLE}</body>{CUBE}", "geom 'table' belongs to a body; allowed: a geom of the worldbody itself"),
        (TABLE.replace("0 0 .295", ".1 0 .295") + CUBE, "geom 'table' stands at [0.1, 0.0] m with the half-sizes [0.2, "),
        (TABLE.replace(".2 .2", ".2 .3") + CUBE, "with the half-sizes [0.2, 0.3, 0.005] m; allowed: a square table"),
        (TABLE + CUBE.replace(".025 .025 .025", ".025 .025 .03"), "half-sizes [0.025, 0.025, 0.03] m; allowed: three equal"),
        (TABLE + CUBE.replace("mass", 'pos="0 0 .01" mass'), "stands [0.0, 0.0, 0.01] m from the centre of the body 'cube'"),
        (TABLE + CUBE.replace("freejoint", 'joint type="slide"'), "joint 'cube' does not free the body 'cube'"),
        (TABLE + CUBE.replace("0 0 .6", "0 0 .31"), "the cube starts 0.015 m inside the table; allowed: a start above it"),
        (TABLE + CUBE.replace("0 0 .6", "0 0 .29"), "centre starts at 0.29 m; allowed: above the table's mid-plane, 0.295 m"),
        (TABLE + CUBE.replace("body name", 'body gravcomp=".5" name'), "body 'cube' has gravcomp 0.5; allowed: 0, so"),
        (TABLE + CUBE.replace('size=".025 .025 .025"', ""), "does not compile: "),
        (CUBE, "no geom 'table'; allowed: "),
    ],
)  # fmt: skip
def test_a_compiled_scene_that_is_no_drop_is_refused_in_one_line(tmp_path, body, expected):
    with pytest.raises(ValueError, match="allowed: ") as caught:
        drop.load(str(write_scene(tmp_path, body)))
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ('gravity="1.70 0 -9.66"', "gravity is [1.7, 0.0, -9.66] m/s^2; allowed: one that points down, along -z"),
        ('gravity="0 -0.1 -9.81"', "gravity is [0.0, -0.1, -9.81] m/s^2; allowed: one that points down, along -z"),
        ('gravity="0 0 0"', "gravity is [0.0, 0.0, 0.0] m/s^2; allowed: one that points down, along -z"),
    ],
)
def test_gravity_points_down(tmp_path, option, expected):
    with pytest.raises(ValueError, match="allowed: ") as caught:
        drop.load(str(write_scene(tmp_path, head=f"<option {option}/>")))
    assert str(caught.value).endswith(expected)


def test_gravity_is_not_disabled(tmp_path):
    scene = write_scene(tmp_path, head='<option><flag gravity="disable"/></option>')
    with pytest.raises(ValueError, match="the option flag gravity is disabled; allowed: gravity that points down, along -z"):
        drop.load(str(scene))


def test_a_scene_is_measured_as_it_is(tmp_path):
    """Falling freely for 0.275 m; and the published scene, given as a file of one's own, gives the published bits."""
    model = drop.load(str(write_scene(tmp_path)))
    assert drop.run(model, 2, "Euler", 1)["impact_speed_m_per_s"] == pytest.approx(math.sqrt(2 * 9.81 * 0.275), rel=1e-12)
    own, generated = tmp_path / "own.xml", drop_mjcf(**SCENE)
    own.write_text(generated)
    again = [drop.run(model, 10, "Euler", 2) for model in (drop.load(str(own)), mujoco.MjModel.from_xml_string(generated))]
    assert again[0] == again[1]


def test_a_scene_under_drop_is_told_how_it_is_written_now():
    said = refusal(changed("drop.scene", "scenes/mine.xml"))
    assert said == (
        "config.drop.scene is 'scenes/mine.xml'; allowed: nothing; a scene of your own is an audit, and "
        "docs/own-scene-and-robot.md says how it is written"
    )


def test_the_manuals_audit_of_a_scene_is_taken_as_it_stands(tmp_path, monkeypatch):
    (tmp_path / "scenes").mkdir()
    write_scene(tmp_path / "scenes")
    monkeypatch.chdir(tmp_path)
    manual = (PROJECT / "docs/own-scene-and-robot.md").read_text(encoding="utf-8")
    example = yaml.safe_load(manual.partition("in a file of its own:\n")[2].partition("\nand\n")[0])
    assert checks.checked(example, SCHEMA, ENVS)["audits"]["mine"]["scene"] == "scenes/my_scene.xml"
