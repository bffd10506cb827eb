"""The state machine of a pick driven by hand, sensing with `mj_contactForce`, beside `scripted_pick` (lesson 16, step 4).

It has the machine in common with `scripted_pick`, but a loop and a reading of contacts of its own.
"""

import mujoco
import numpy as np

from contactlab.limit import check
from contactlab.machine import PickMachine
from contactlab.pick import Shake, plan_pick, reset_pick, scripted_pick
from contactlab.task import Robot, Task


class ContactForceSensor:
    """The jaws' touch and speed by MuJoCo's own functions, contact by contact."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, robot: Robot) -> None:
        self._model, self._data, self._robot, self._force = model, data, robot, np.zeros(6)

    def jaw_speed_rad_s(self) -> float:
        """Speed of the moving jaw."""
        return self._data.joint(self._robot.jaw_joint).qvel[0]

    def touches_both(self) -> bool:
        """Whether both jaws press on the cube."""
        model, pressing = self._model, set()
        for index, contact in enumerate(self._data.contact):
            mujoco.mj_contactForce(model, self._data, index, self._force)
            bodies = {model.body(model.geom(geom).bodyid[0]).name for geom in contact.geom}
            if self._robot.cube_body in bodies and self._force[0] > 0:
                pressing |= bodies
        return {self._robot.fixed_jaw_body, self._robot.moving_jaw_body} <= pressing


def largest_difference(model: mujoco.MjModel, cube_m: tuple[float, float], task: Task, robot: Robot) -> tuple[float, int]:
    """Largest |qpos difference| over all steps of the two runs, in rad and m, and the number of steps."""
    data = mujoco.MjData(model)
    recorded = scripted_pick(model, data, cube_m, record=True, task=task, robot=robot)["trajectory"]["qpos"]
    machine = PickMachine(plan_pick(model, data, cube_m, task, robot).waypoints, task)
    reset_pick(model, data, cube_m, task, robot)
    sensor, shake, largest, step = ContactForceSensor(model, data, robot), Shake(model, data, task, robot), 0.0, 0
    now_s = -1.0
    while machine.state != "done" and data.time > now_s:  # MuJoCo resets an unstable simulation, as `run_pick` knows
        check()
        now_s = data.time
        largest = max(largest, float(abs(data.qpos - recorded[step]).max()))
        data.ctrl[:] = machine.command(now_s)
        if machine.state == "hold":
            shake.push(machine)
        mujoco.mj_step(model, data)
        machine.update(data.time, sensor)
        step += 1
    if step != len(recorded):
        raise ValueError(f"the run by hand took {step} steps, scripted_pick {len(recorded)}")
    return largest, step
