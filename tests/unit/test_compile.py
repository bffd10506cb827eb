"""What a compiled scene leaves unread has no part in the physics: MuJoCo, which reads it all, comes to the same bytes."""

import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import PurePosixPath

import mujoco
import numpy as np
import pytest
from conftest import PICK_SCENE

from contactlab.compile import compile_scene
from contactlab.pick_scene import pick_mjcf

TETRAHEDRON = "0 0 0  0.1 0 0  0 0.1 0  0 0 0.1"
SCENE_OF_MESHES = """
<mujoco>
  <compiler discardvisual="true" {compiler}/>
  <asset><mesh name="seen" vertex="{vertices}"/><mesh name="touched" vertex="{vertices}"/></asset>
  <worldbody>
    <body name="arm">
      <joint name="hinge"/>
      {inertial}
      <geom type="mesh" mesh="{touched}" {collision}/>
      <geom type="mesh" mesh="seen" contype="0" {visual}/>
    </body>
    <geom type="mesh" mesh="seen" contype="0" conaffinity="0" pos="1 0 0"/>
  </worldbody>
  {rest}
</mujoco>
"""
INERTIAL = '<inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>'
UNTOUCHED = 'conaffinity="0"'
PLAIN = {"compiler": "", "inertial": INERTIAL, "touched": "touched", "collision": "", "visual": UNTOUCHED, "rest": ""}


def saved(model: mujoco.MjModel) -> bytes:
    """What MuJoCo writes of a compiled model."""
    binary = np.empty(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, binary)
    return binary.tobytes()


def outcome(compiler, scene) -> bytes | str:
    """The bytes of a scene's model, or why it is refused."""
    try:
        return saved(compiler(str(scene)))
    except ValueError as error:
        return str(error)


def scene_of(robot_folder, folder, **changes):
    """The MJCF of a pick's scene in `folder`, beside a copy of its robot."""
    shutil.copytree(robot_folder, folder / "so101")
    scene = folder / "scene.xml"
    scene.write_text(pick_mjcf(robot=PurePosixPath("so101/so101.xml"), **PICK_SCENE | changes), encoding="utf-8")
    return scene


def test_the_meshes_that_only_show_are_neither_read_nor_part_of_the_model(robot_folder, tmp_path):
    scene, robot = scene_of(robot_folder, tmp_path), tmp_path / "so101"
    expected = saved(mujoco.MjModel.from_xml_path(str(scene)))
    # The camera's mount has no inertia of its own: it comes from its mesh.
    geoms = ElementTree.parse(robot / "so101.xml").findall(".//geom[@mesh]")
    needed = {geom.get("mesh") for geom in geoms if geom.get("class") != "visual" or geom.get("mass")}
    for mesh in [file for file in robot.glob("assets/*.stl") if file.stem not in needed]:
        mesh.unlink()
    with pytest.raises(ValueError, match="Error opening file"):
        mujoco.MjModel.from_xml_path(str(scene))
    assert saved(compile_scene(str(scene))) == expected


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"inertial": ""},  # the visual mesh has mass
        {"compiler": 'inertiafromgeom="true"'},  # MuJoCo refuses it
        {
            "visual": f'{UNTOUCHED} name="eye"',
            "rest": '<sensor><distance geom1="eye" geom2="hand"/></sensor>',
            "collision": 'name="hand"',
        },
        {
            "visual": f'{UNTOUCHED} name="eye"',
            "rest": '<contact><pair geom1="eye" geom2="hand"/></contact>',
            "collision": 'name="hand"',
        },
        {"visual": 'conaffinity="1"'},
        {"visual": f'{UNTOUCHED} fluidshape="ellipsoid"', "rest": '<option density="1.2"/>'},
        {"touched": "seen"},  # a mesh that is seen and touched
    ],
    ids=str,
)
def test_whatever_a_scene_makes_of_its_visual_geoms_the_bytes_are_those_of_mujoco(tmp_path, change):
    text = SCENE_OF_MESHES.format(vertices=TETRAHEDRON, **PLAIN | change)
    scene = tmp_path / "scene.xml"
    scene.write_text(text, encoding="utf-8")
    assert outcome(compile_scene, scene) == outcome(mujoco.MjModel.from_xml_path, scene)


def test_an_engine_that_cannot_delete_comes_to_the_same_bytes(robot_folder, tmp_path, monkeypatch):
    scene = scene_of(robot_folder, tmp_path)
    expected = saved(compile_scene(str(scene)))
    monkeypatch.delattr(mujoco.MjSpec, "delete")
    assert saved(compile_scene(str(scene))) == expected


def test_a_scene_that_keeps_its_visual_meshes_has_them(robot_folder, tmp_path):
    scene = scene_of(robot_folder, tmp_path, discardvisual=False)
    assert compile_scene(str(scene)).nmesh == mujoco.MjModel.from_xml_path(str(scene)).nmesh == 18
