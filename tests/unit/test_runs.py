"""What every run records beside its result."""

import mujoco
import numpy as np
import pytest

from contactlab.runs import state_digest

MODEL = mujoco.MjModel.from_xml_string("""
<mujoco>
  <worldbody><body><joint name="slide" type="slide"/><geom size="0.1"/></body></worldbody>
  <actuator><intvelocity joint="slide" kp="1" actrange="-1 1"/></actuator>
</mujoco>
""")


@pytest.mark.parametrize("field", ["qpos", "qvel", "act", "time"])
def test_the_last_bit_of_any_part_of_the_state_changes_its_digest(field):
    data = mujoco.MjData(MODEL)
    before = state_digest(data)
    setattr(data, field, np.nextafter(getattr(data, field), 1.0))
    assert state_digest(data) != before
    setattr(data, field, np.zeros_like(getattr(data, field)))
    assert state_digest(data) == before
