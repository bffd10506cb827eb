"""The steppers of `contactlab.steppers` beside MuJoCo's own integrators (lesson 02, steps 1 to 4).

Each function gives the rows of one table. A spring model has one slide joint named "slide" and omega^2 as its stiffness.
"""

import math

import mujoco
import numpy as np

from contactlab import drop, steppers
from contactlab.runs import integrator
from contactlab.steppers import STEPPERS, Array

TWINS = {"semi_implicit_euler": "Euler", "rk4": "RK4"}  # the integrator that takes the same step


def experiment(spring: mujoco.MjModel, scene: mujoco.MjModel, cell: dict) -> dict:
    """The rows of every table and the curves of the figure, by name; `cell` has every setting of the experiment."""
    bench = {"timestep_ms": cell["timestep_ms"], "amplitude_m": cell["amplitude_m"]}
    omega = omega_of(spring)
    histories = energy_histories(spring, steps=cell["energy_steps"], **bench)
    curve = np.linspace(0, cell["curve_h_omega"], cell["curve_points"])[1:].tolist()
    return {
        "steppers": stepper_rows(spring, steps=cell["steps"], **bench),
        "energy": energy_rows(histories, omega * cell["timestep_ms"] / 1000),
        "growth": growth_rows(spring, cell["h_omega"], cell["growth_steps"], cell["amplitude_m"]),
        "overlap": first_overlap_rows(scene, cell["dt_ms"], cell["duration_s"]),
        "split": split_rows(spring, steps=cell["steps"], tolerance_m=cell["match_tolerance_m"], **bench),
        "energy_history": {name: history.tolist() for name, history in histories.items()},
        "growth_curve": growth_rows(spring, curve, cell["growth_steps"], cell["amplitude_m"]),
    }


def omega_of(spring: mujoco.MjModel) -> float:
    """Angular frequency in rad/s of the spring model's mass of 1 kg."""
    return math.sqrt(float(np.ravel(spring.joint("slide").stiffness)[0]))


def mujoco_trajectory(
    model: mujoco.MjModel, integrator_name: str, x0: float, h: float, steps: int, v0: float = 0.0, split: bool = False
) -> tuple[Array, Array]:
    """Positions and velocities of the spring model's joint under mj_step, each of shape (steps + 1,).

    With `split`, each step is mj_step1 followed by mj_step2, the pair that lets a controller act in between.
    """
    model.opt.timestep, model.opt.integrator = h, integrator(integrator_name)
    data = mujoco.MjData(model)
    joint = data.joint("slide")
    joint.qpos[0], joint.qvel[0] = x0, v0
    states = np.empty((steps + 1, 2))
    states[0] = x0, v0
    for step in range(1, steps + 1):
        if split:
            mujoco.mj_step1(model, data)
            mujoco.mj_step2(model, data)
        else:
            mujoco.mj_step(model, data)
        states[step] = joint.qpos[0], joint.qvel[0]
    return states[:, 0], states[:, 1]


def mujoco_growth(model: mujoco.MjModel, integrator_name: str, h: float) -> float:
    """Growth per step of MuJoCo's own step on the spring model; see `growth`."""
    columns = [
        [series[1] for series in mujoco_trajectory(model, integrator_name, x0, h, steps=1, v0=v0)]
        for x0, v0 in ((1.0, 0.0), (0.0, 1.0))
    ]
    return float(np.abs(np.linalg.eigvals(np.array(columns))).max())


def stepper_rows(spring: mujoco.MjModel, timestep_ms: float, steps: int, amplitude_m: float) -> list[dict]:
    """Step 1: the largest distance in m between a stepper's trajectory and that of its MuJoCo twin."""
    h, acceleration = timestep_ms / 1000, steppers.spring(omega_of(spring))
    rows = []
    for name, twin in TWINS.items():
        ours, _ = steppers.trajectory(STEPPERS[name], acceleration, amplitude_m, h, steps)
        theirs, _ = mujoco_trajectory(spring, twin, amplitude_m, h, steps)
        rows.append({"stepper": name, "integrator": twin, "max_abs_position_error_m": float(abs(ours - theirs).max())})
    return rows


def energy_histories(spring: mujoco.MjModel, timestep_ms: float, steps: int, amplitude_m: float) -> dict[str, Array]:
    """Energy relative to the start, shape (steps + 1,), by stepper and by MuJoCo integrator."""
    h, omega = timestep_ms / 1000, omega_of(spring)
    runs = {
        name: steppers.trajectory(stepper, steppers.spring(omega), amplitude_m, h, steps) for name, stepper in STEPPERS.items()
    } | {twin: mujoco_trajectory(spring, twin, amplitude_m, h, steps) for twin in TWINS.values()}
    energies = {name: steppers.energy(x, v, omega) for name, (x, v) in runs.items()}
    return {name: energy / energy[0] for name, energy in energies.items()}


def energy_rows(histories: dict[str, Array], h_omega: float) -> list[dict]:
    """Step 2: energy after the last step relative to the start, explicit Euler's closed form included."""
    ratios = {name: float(history[-1]) for name, history in histories.items()}
    steps = len(histories["explicit_euler"]) - 1
    ratios["explicit_euler_formula"] = float(steppers.explicit_euler_energy_ratio(h_omega, steps))
    return [_source(name) | {"energy_ratio": ratio} for name, ratio in ratios.items()]


def growth_rows(spring: mujoco.MjModel, h_omega: list[float], steps: int, amplitude_m: float) -> list[dict]:
    """Step 3: growth per step, and the largest |x| in m over some steps from rest, for each h omega."""
    omega = omega_of(spring)
    rows = []
    for name in (*STEPPERS, *TWINS.values()):
        for product in h_omega:
            h = product / omega
            if name in STEPPERS:
                rate = float(steppers.growth(STEPPERS[name], steppers.spring(omega), h))
                x, _ = steppers.trajectory(STEPPERS[name], steppers.spring(omega), amplitude_m, h, steps)
            else:
                rate = mujoco_growth(spring, name, h)
                x, _ = mujoco_trajectory(spring, name, amplitude_m, h, steps)
            excursion = {f"max_abs_x_{steps}_steps_m": float(abs(x).max())}
            rows.append({"h_omega": product} | _source(name) | {"growth_per_step": rate} | excursion)
    return rows


def first_overlap_rows(scene_model: mujoco.MjModel, dt_ms: list[float], duration_s: float) -> list[dict]:
    """Step 4: the first overlap by free fall and in MuJoCo's own drop, for each timestep."""
    scene = drop.Scene.of(scene_model)
    ours = steppers.first_overlap(scene, np.array(dt_ms) / 1000)
    rows = []
    for dt, by_fall in zip(dt_ms, ours, strict=True):
        by_mujoco = drop.run(scene_model, dt, "Euler", duration_s)["first_overlap_centre_m"]
        for by, centre in (("numpy", None if np.isnan(by_fall) else float(by_fall)), ("mujoco", by_mujoco)):
            side = "none" if centre is None else scene.side(centre)
            rows.append({"dt_ms": dt, "by": by, "first_overlap_centre_m": centre, "first_overlap_side": side})
    return rows


def split_rows(spring: mujoco.MjModel, timestep_ms: float, steps: int, amplitude_m: float, tolerance_m: float) -> list[dict]:
    """Which stepper RK4 becomes when it is stepped through mj_step1 and mj_step2, and how closely.

    A stepper matches when its trajectory stays within `tolerance_m`; "none" where none does.
    """
    h, acceleration = timestep_ms / 1000, steppers.spring(omega_of(spring))
    split, _ = mujoco_trajectory(spring, "RK4", amplitude_m, h, steps, split=True)
    whole, _ = mujoco_trajectory(spring, "Euler", amplitude_m, h, steps)
    errors = {
        name: float(abs(steppers.trajectory(stepper, acceleration, amplitude_m, h, steps)[0] - split).max())
        for name, stepper in STEPPERS.items()
    }
    closest = min(errors, key=errors.get)
    return [
        {
            "call": "mj_step1+mj_step2",
            "integrator": "RK4",
            "matches_stepper": closest if errors[closest] <= tolerance_m else "none",
            "max_abs_position_error_m": errors[closest],
            "bitwise_integrator_Euler": bool((split == whole).all()),
        }
    ]


def _source(name: str) -> dict[str, str | None]:
    """The columns that say whether a row is of our stepper or of MuJoCo's integrator."""
    ours = name not in TWINS.values()
    return {"stepper": name if ours else None, "integrator": None if ours else name}
