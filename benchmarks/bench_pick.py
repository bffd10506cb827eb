"""Print how much longer a pick takes, inverse kinematics included, than a bare loop of the same mj_step calls.

    PYTHONPATH=scripts python benchmarks/bench_pick.py MODEL.xml ...

Each argument is a pick scene. The least processor time of several turns counts, since other work on the machine only ever adds.
A pick from a moved start is one of those that give a band: planned once for all of them, and not watched.
"""

import sys
import time
from collections.abc import Callable

import mujoco
import numpy as np

from contactlab.pick import plan_pick, reset_pick, run_pick, scripted_pick
from contactlab.runs import state_digest
from contactlab.scene import load_scene
from contactlab.task import LESSON_16, SO_101

REPETITIONS = 21
POSITION_M = (0.22, 0.0)


def stepping_seconds(model: mujoco.MjModel, data: mujoco.MjData, ctrl) -> float:
    """Processor seconds of a loop that does nothing but give the recorded controls to mj_step."""
    reset_pick(model, data, POSITION_M, LESSON_16, SO_101)
    started = time.process_time()
    for row in ctrl:
        data.ctrl[:] = row
        mujoco.mj_step(model, data)
    return time.process_time() - started


def seconds(pick: Callable[..., dict], *arguments, **options) -> float:
    """Processor seconds that one pick takes."""
    started = time.process_time()
    pick(*arguments, **options)
    return time.process_time() - started


def main() -> None:
    for path in sys.argv[1:]:
        model = load_scene(path)
        data = mujoco.MjData(model)
        recorded = scripted_pick(model, data, POSITION_M, record=True)
        ctrl, plan = recorded["trajectory"]["ctrl"], plan_pick(model, data, POSITION_M, LESSON_16, SO_101)
        again = (model, data, POSITION_M, plan, LESSON_16, SO_101)
        times = np.array(
            [
                (
                    stepping_seconds(model, data, ctrl),
                    seconds(scripted_pick, model, data, POSITION_M),
                    seconds(run_pick, *again, watched=False),
                )
                for _ in range(REPETITIONS)
            ]
        )
        stepping_seconds(model, data, ctrl)
        if state_digest(data) != recorded["digest"]:
            sys.exit(f"bench_pick: the replay of {path} does not end in the bits of its pick")
        bare_s, *_ = least_s = times.min(axis=0)
        pick, moved = least_s[1:] / bare_s
        print(f"{path}: mj_step {bare_s:.4f} s, pick ratio {pick:.2f}, from a moved start {moved:.2f} (at most 1.05)")


if __name__ == "__main__":
    main()
