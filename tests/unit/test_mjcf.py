"""MJCF keeps every bit of what was asked for."""

import math

import mujoco
import numpy as np
import pytest
from conftest import SCENE, drop_scene
from hypothesis import given
from hypothesis import strategies as st

from contactlab.mjcf import attribute

AWKWARD = {
    "table_width_m": 0.1 + 0.2,
    "table_thickness_m": 0.0012345678901234,
    "table_top_m": 1 / 3,
    "cube_size_m": math.pi / 60,
    "cube_mass_kg": 0.1 / 3,
    "drop_height_m": math.sqrt(0.5),
    "solref": [0.02 / 7, 1.0000000000000002],
    "solimp": [0.9 - 1e-16, 0.95 + 1e-16, 0.001 / 3, 0.5000000000000001, 2.0000000000000004],
    "friction": [1 / 7, 0.005 / 7, 1e-4 / 7],
    "condim": 6,
    "cone": "elliptic",
}


def spec_model(axes: dict) -> mujoco.MjModel:
    """The same scene built in memory, no number passing through text."""
    spec = mujoco.MjSpec()
    spec.modelname = "drop"
    spec.option.cone = {"pyramidal": mujoco.mjtCone.mjCONE_PYRAMIDAL, "elliptic": mujoco.mjtCone.mjCONE_ELLIPTIC}[axes["cone"]]
    contact = {"solref": axes["solref"], "solimp": axes["solimp"], "friction": axes["friction"], "condim": axes["condim"]}
    half_table, half_cube = axes["table_thickness_m"] / 2, axes["cube_size_m"] / 2
    box = mujoco.mjtGeom.mjGEOM_BOX
    world = spec.worldbody
    world.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[2, 2, 0.1])
    width = axes["table_width_m"] / 2
    table_pos = [0, 0, axes["table_top_m"] - half_table]
    world.add_geom(name="table", type=box, size=[width, width, half_table], pos=table_pos, **contact)
    cube = world.add_body(name="cube", pos=[0, 0, axes["table_top_m"] + half_cube + axes["drop_height_m"]])
    cube.add_freejoint(name="cube")
    cube.add_geom(name="cube", type=box, size=[half_cube] * 3, mass=axes["cube_mass_kg"], **contact)
    return spec.compile()


def arrays(model: mujoco.MjModel) -> dict[str, np.ndarray]:
    """Every array of a compiled model, those of its options and statistics included."""
    found = {}
    for prefix, holder in (("", model), ("opt.", model.opt), ("stat.", model.stat)):
        for name in dir(holder):
            value = getattr(holder, name) if not name.startswith("_") else None
            if isinstance(value, np.ndarray | float | int):
                found[prefix + name] = np.asarray(value)
    return found


@pytest.mark.parametrize("axes", [SCENE, AWKWARD], ids=["published", "awkward"])
def test_the_compiled_scene_is_bitwise_the_one_in_memory(axes):
    ours, theirs = arrays(drop_scene(**axes)), arrays(spec_model(axes))
    assert ours.keys() == theirs.keys()
    assert len(ours) > 300
    different = [name for name in ours if ours[name].tobytes() != theirs[name].tobytes()]
    assert not different


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_survives_the_text(number):
    assert float(attribute(number)).hex() == number.hex()


def test_numpy_numbers_are_written_as_numbers():
    assert attribute([np.float64(0.1), np.float64(1e-300)]) == "0.1 1e-300"
