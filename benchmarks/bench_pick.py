"""Print how much longer a pick takes, inverse kinematics included, than the bare mj_step calls of the same trajectory.

    PYTHONPATH=scripts python benchmarks/bench_pick.py MODEL.xml ...

Each argument is a pick scene. The best of several repetitions counts, since other work on the machine only ever adds.
"""

import sys
import time

import mujoco

from contactlab.pick import reset_pick, scripted_pick
from contactlab.runs import state_digest
from contactlab.scene import load_scene
from contactlab.task import LESSON_16, SO_101

REPETITIONS = 7
POSITION_M = (0.22, 0.0)


def stepping_seconds(model: mujoco.MjModel, data: mujoco.MjData, ctrl) -> float:
    """Seconds spent in mj_step alone when the recorded controls are replayed."""
    reset_pick(model, data, POSITION_M, LESSON_16, SO_101)
    seconds = 0.0
    for row in ctrl:
        data.ctrl[:] = row
        started = time.perf_counter()
        mujoco.mj_step(model, data)
        seconds += time.perf_counter() - started
    return seconds


def pick_seconds(model: mujoco.MjModel, data: mujoco.MjData) -> float:
    """Seconds that one pick takes."""
    started = time.perf_counter()
    scripted_pick(model, data, POSITION_M)
    return time.perf_counter() - started


def main() -> None:
    for path in sys.argv[1:]:
        model = load_scene(path)
        data = mujoco.MjData(model)
        recorded = scripted_pick(model, data, POSITION_M, record=True)
        bare_s = min(stepping_seconds(model, data, recorded["trajectory"]["ctrl"]) for _ in range(REPETITIONS))
        if state_digest(data) != recorded["digest"]:
            sys.exit(f"bench_pick: the replay of {path} does not end in the bits of its pick")
        pick_s = min(pick_seconds(model, data) for _ in range(REPETITIONS))
        print(f"{path}: pick {pick_s:.4f} s, mj_step {bare_s:.4f} s, ratio {pick_s / bare_s:.2f} (at most 1.4)")


if __name__ == "__main__":
    main()
