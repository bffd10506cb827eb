"""The health check on the oldest MuJoCo that it runs with, in that engine's own interpreter."""

import json
import re
import subprocess

import pytest
from conftest import PROJECT

from contactlab import health

[OLDEST] = re.findall(r"MuJoCo from ([0-9.]+) on", health.__doc__)
ROBOT = """
<mujoco>
  <option><flag gravity="disable"/></option>
  <worldbody>
    <body><joint name="a" type="slide" damping="1"/><geom size=".1" contype="0"/></body>
    <body><joint name="b" type="slide" damping="1"/><geom size=".1" contype="0"/></body>
  </worldbody>
  <actuator>
    <position name="a" joint="a" kp="10" ctrlrange="-1 1"/>
    <position name="b" joint="b" kp="10" ctrlrange="-1 1" timeconst="0.1"/>
  </actuator>
</mujoco>
"""
CODE = """
import json, sys, warnings
import mujoco, numpy as np
from contactlab.health import Fault, HealthCheck

warnings.simplefilter("error")
np.seterr(all="raise")
mujoco.set_mju_user_warning(lambda text: None)
model = mujoco.MjModel.from_xml_string(sys.argv[1])
said = {"mujoco": mujoco.__version__, "nactuator": hasattr(model, "nactuator")}
for name, (field, value) in json.loads(sys.argv[2]).items():
    data = mujoco.MjData(model)
    health = HealthCheck(model)
    for _ in range(5):
        mujoco.mj_step(model, data)
        assert health.check(data) == 0
    getattr(data, field)[0] = float(value)
    if field == "ctrl":
        mujoco.mj_step(model, data)
    data.time += 1  # a bad state is looked at before a step, which would reset it
    faults = health.check(data)
    said[name] = [sorted(fault.name for fault in Fault if fault & faults), health.report(data, faults)]
print(json.dumps(said))
"""
FAULTS = {
    "none": ("ctrl", "0.5"),
    "NaN": ("ctrl", "nan"),
    "range": ("ctrl", "2"),
    "fast": ("qvel", "1e200"),
    "lost": ("qpos", "inf"),
    "activation": ("act", "-inf"),
}


@pytest.mark.parametrize("engine", [OLDEST, "3.17.0"])
def test_it_says_the_same_on_the_oldest_engine_and_today(workflow, engine):
    workflow.executed(f".engines/{engine}/engine.json")
    command = [workflow.folder / f".engines/{engine}/bin/python", "-c", CODE, ROBOT, json.dumps(FAULTS)]
    done = subprocess.run(
        command, cwd=workflow.folder, env={"PYTHONPATH": str(PROJECT / "scripts")}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    assert (said.pop("mujoco"), said.pop("nactuator")) == (engine, engine != OLDEST)
    assert said == {
        "none": [[], []],
        "NaN": [
            ["CONTROL_NONFINITE", "FROZEN", "WARNING"],
            [
                "control not finite: a = nan",
                "new warnings: BADCTRL +1",
                "nothing moves although the controls ask for a force",
            ],
        ],
        "range": [["CONTROL_OUT_OF_RANGE"], ["control out of range: a = 2.0"]],
        "fast": [["STATE_HUGE"], ["state huge: qvel"]],
        "lost": [["STATE_NONFINITE"], ["state not finite: qpos"]],
        "activation": [["STATE_NONFINITE"], ["state not finite: act"]],
    }
