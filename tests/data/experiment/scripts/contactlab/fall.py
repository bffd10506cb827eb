"""A ball in free fall: how far a stepper lets it fall in a given time."""

import mujoco

from contactlab import limit
from contactlab.runs import captured_warnings, integrator, state_digest, warning_counts


def run(model: mujoco.MjModel, dt_ms: float, integrator_name: str, duration_s: float) -> dict:
    """Let the ball fall and report how far it fell, in m.

    Args:
        model: a scene whose first joint is the slide joint of the ball, positive upward.
        dt_ms: timestep in ms.
        integrator_name: MuJoCo's name, "Euler" or "RK4" for example.
        duration_s: simulated time in s.

    Raises:
        ValueError: this engine has no such integrator.
    """
    model.opt.timestep = dt_ms / 1000
    model.opt.integrator = integrator(integrator_name)
    with captured_warnings() as texts:
        data = mujoco.MjData(model)
        for _ in range(round(duration_s * 1000 / dt_ms)):
            limit.check()
            mujoco.mj_step(model, data)
    return {
        "fallen_m": -float(data.qpos[0]),
        "warnings": warning_counts(data),
        "warning_texts": sorted(set(texts)),
        "digest": state_digest(data),
    }


def timed_out() -> dict:
    """The report of a fall that was ended before its time."""
    return {"outcome": limit.TIMED_OUT} | dict.fromkeys(("fallen_m", "warnings", "digest")) | {"warning_texts": []}
