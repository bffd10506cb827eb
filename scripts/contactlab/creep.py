"""How far a held cube creeps out of the jaws: its centre in the frame of the fixed jaw, over the time it is held."""

import mujoco
import numpy as np

from contactlab.limit import TIMED_OUT
from contactlab.pick import scripted_pick
from contactlab.task import SO_101, Robot, Task

SAMPLE_S = 0.5
SOLVER = ("at_iterations", "at_line_search")


def held_slip(model: mujoco.MjModel, cube_pos: tuple[float, float], task: Task, robot: Robot = SO_101) -> dict:
    """Pick the cube that rests at `cube_pos` (2,) and watch it while it is held.

    outcome, flung, digest, at_iterations, at_line_search: as `contactlab.pick.scripted_pick` gives them
    held_s: times since the hold began, one every SAMPLE_S
    slip_m: distance between where the cube's centre is in the fixed jaw's frame and where it was when the hold began
    sunk_m: how far the centre has come down in the world
    """
    data = mujoco.MjData(model)
    pick = scripted_pick(model, data, cube_pos, True, task, robot)
    trajectory = pick["trajectory"]
    held = np.vstack([trajectory["qpos"][trajectory["state"] == "hold"], data.qpos])  # recorded before each step
    every = round(SAMPLE_S / model.opt.timestep)
    places, heights = zip(*(in_jaw(model, data, qpos, robot) for qpos in held[::every]), strict=True)
    return {name: pick[name] for name in ("outcome", "flung", *SOLVER, "digest")} | {
        "held_s": [SAMPLE_S * index for index in range(len(places))],
        "slip_m": [float(np.linalg.norm(place - places[0])) for place in places],
        "sunk_m": [heights[0] - height for height in heights],
    }


def timed_out() -> dict:
    """The same of a pick that was ended before its time."""
    unknown = dict.fromkeys(("flung", *SOLVER, "digest"))
    return {"outcome": TIMED_OUT, "held_s": [None], "slip_m": [None], "sunk_m": [None]} | unknown


def in_jaw(model: mujoco.MjModel, data: mujoco.MjData, qpos: np.ndarray, robot: Robot) -> tuple[np.ndarray, float]:
    """The cube's centre (3,) in the fixed jaw's frame, and its height in the world; `data` is scratch."""
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    jaw, cube_m = data.body(robot.fixed_jaw_body), data.body(robot.cube_body).xpos
    return jaw.xmat.reshape(3, 3).T @ (cube_m - jaw.xpos), float(cube_m[2])
