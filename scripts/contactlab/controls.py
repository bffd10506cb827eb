"""Faults in the control path of MuJoCo: what a bad control or a spoilt state does to a small servo robot.

The robot is a row of bodies, each on one slide joint with one actuator. A scan takes its settings as a dictionary
whose lists are the values to cross, and returns one row (a dictionary) for each combination. The rows of a fault carry,
for each of the engine's warning counters, the highest value seen, the value at the end and the first step that raised
it. Steps count from 1, the first after the fault. A number that is not finite is written as its text ("nan", "inf"), as
JSON has none.

The experiments are those of chapter 5 (runtime and numerical hygiene), sections 5 and 6.
"""

import itertools
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import mujoco
import numpy as np

from contactlab.mjcf import document, element
from contactlab.runs import captured_warnings, state_digest

INTEGRATORS = ("Euler", "RK4", "implicit", "implicitfast", "discrete")
WARNINGS = tuple(name.removeprefix("mjWARN_").lower() for name in mujoco.mjtWarning.__members__ if "mjWARN_" in name)
NOT_IN_THIS_ENGINE = "not in this engine"


# Models


def slider_mjcf(
    actuators: list[Element],
    *,
    axis: list[float],
    mass_kg: float,
    damping_N_s_per_m: float,
    timestep_ms: float,
    integrator: str = "Euler",
    gravity: str = "disable",
    autoreset: str = "enable",
    armature_kg: float = 0.0,
    frictionloss_N: float = 0.0,
    qpos0_m: float = 0.0,
    **flags: str,
) -> str:
    """MJCF of one body per actuator, each on a slide joint along `axis`; joint and body i are named channel<i>.

    `gravity`, `autoreset` and any other of MJCF's option flags are "enable" or "disable".
    """
    joint = {"type": "slide", "axis": axis, "ref": qpos0_m}
    joint |= {"damping": damping_N_s_per_m, "armature": armature_kg, "frictionloss": frictionloss_N}
    # The geoms' size shows in a viewer only: nothing touches, and the mass is given.
    bodies = [
        element(
            "body",
            element("joint", name=f"channel{i}", **joint),
            element("geom", type="sphere", size=0.06, mass=mass_kg),
            name=f"channel{i}",
        )
        for i in range(len(actuators))
    ]
    flag = element("flag", contact="disable", gravity=gravity, autoreset=autoreset, **flags)
    option = element("option", flag, timestep=timestep_ms / 1000, integrator=integrator)
    return document(element("mujoco", option, element("worldbody", *bodies), element("actuator", *actuators)))


def servo(
    channel: int,
    *,
    kp: float,
    kv: float,
    dyntype: str = "none",
    time_constant_s: float = 1.0,
    ctrlrange_m: list[float] | None = None,
    forcerange_N: list[float] | None = None,
) -> Element:
    """A position servo, force = kp (u - q) - kv v; u is the control or, with a `dyntype`, the activation it drives."""
    limits = {"ctrlrange": ctrlrange_m, "forcerange": forcerange_N}
    return element(
        "general",
        name=f"channel{channel}",
        joint=f"channel{channel}",
        gainprm=kp,
        biastype="affine",
        biasprm=[0, -kp, -kv],
        dyntype=dyntype,
        dynprm=time_constant_s,
        **{name: limit for name, limit in limits.items() if limit is not None},
    )


def load(mjcf: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The compiled model and its data in the initial state."""
    model = mujoco.MjModel.from_xml_string(mjcf)
    return model, mujoco.MjData(model)


def engine_has(integrator: str) -> bool:
    """Whether this MuJoCo has `integrator` (`discrete` came with 3.13); ValueError for a name that no version knows."""
    if integrator not in INTEGRATORS:
        raise ValueError(f"integrator {integrator!r} is unknown; allowed are {', '.join(INTEGRATORS)}")
    return f"mjINT_{integrator.upper()}" in mujoco.mjtIntegrator.__members__


# Runs


@dataclass(frozen=True)
class Recording:
    """The states and warning counters of a run of n steps; entry 0 is what stood before the first step."""

    qpos: np.ndarray  # (n + 1, nq)
    qvel: np.ndarray  # (n + 1, nv)
    time_s: np.ndarray  # (n + 1,)
    warnings: np.ndarray  # (n + 1, number of warnings)


def record(model: mujoco.MjModel, data: mujoco.MjData, steps: int) -> Recording:
    """Advance `data` by `steps` steps and keep what every one of them left behind."""
    counters = data.warning.number
    run = Recording(
        np.empty((steps + 1, model.nq)),
        np.empty((steps + 1, model.nv)),
        np.empty(steps + 1),
        np.empty((steps + 1, len(counters)), dtype=int),
    )
    for step in range(steps + 1):
        if step:
            mujoco.mj_step(model, data)
        run.qpos[step], run.qvel[step], run.time_s[step], run.warnings[step] = data.qpos, data.qvel, data.time, counters
    return run


def shown(value: float) -> float | str:
    """`value` as JSON can hold it: a float, or the text of one that is not finite."""
    return float(value) if np.isfinite(value) else str(float(value))


def warning_columns(run: Recording) -> dict[str, int | None]:
    """For each warning its counter's peak, its final value and the first step that raised it (None: no step did)."""
    columns = {}
    for name, counts in zip(WARNINGS, run.warnings.T, strict=True):
        columns[f"{name}_peak"] = int(counts.max())
        columns[f"{name}_final"] = int(counts[-1])
        columns[f"{name}_first_step"] = int(np.argmax(counts > counts[0])) if counts.max() > counts[0] else None
    return columns


def state_columns(run: Recording) -> dict:
    """What the state and the clock did; a move is the change of one position in one step."""
    finite = np.isfinite(run.qpos).all(axis=1) & np.isfinite(run.qvel).all(axis=1)
    moves = np.abs(np.diff(run.qpos, axis=0))
    return {
        **{f"final_qpos_{i}_m": shown(q) for i, q in enumerate(run.qpos[-1])},
        "time_s": float(run.time_s[-1]),
        "time_rewinds": int(np.count_nonzero(np.diff(run.time_s) < 0)),
        "final_finite": bool(finite[-1]),
        "nonfinite_states": int(np.count_nonzero(~finite)),
        "longest_move_m": shown(moves.max()),
    }


def band_entries(run: Recording, band_m: float) -> int:
    """How often the largest |position| over the channels comes below `band_m` from above.

    Chapter 5, section 5.1 counts these as resets of the state; a servo ringing around 0 makes one at every half-period.
    """
    distance = np.abs(run.qpos).max(axis=1)
    return int(np.count_nonzero((distance[:-1] >= band_m) & (distance[1:] < band_m)))


def combinations(**axes: list) -> list[dict]:
    """Every combination of the axes' values, the last axis varying fastest."""
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


# Scans

# What each scan crosses, by its keys in the settings.
AXES = {
    "nan": ("gravity", "forcerange", "autoreset"),
    "displaced": ("autoreset",),
    "scan": ("integrator", "dyntype", "gains", "armature_kg", "forcerange", "autoreset"),
    "state": ("field", "autoreset"),
    "clamp": ("value", "ctrlrange"),
    "mechanism": ("actuator",),
}


def crossed(scan: str, settings: dict) -> list[dict]:
    """Every case of a scan: one value for each of its axes; of the actuators, the name."""
    return combinations(**{axis: settings[axis] for axis in AXES[scan]})


def cases(scan: str, settings: dict) -> list[tuple[dict, dict]]:
    """Every case of a scan with the settings that run it alone."""

    def only(axis: str, value) -> dict | list:
        return {value: settings[axis][value]} if isinstance(settings[axis], dict) else [value]

    return [(case, settings | {axis: only(axis, value) for axis, value in case.items()}) for case in crossed(scan, settings)]


def nan_scan(settings: dict) -> list[dict]:
    """A servo holding at 0 whose control is NaN from the first step (chapter 5, section 5, the table of eight rows)."""
    return [{**case, **nan_run(settings, case)} for case in crossed("nan", settings)]


def nan_run(settings: dict, case: dict) -> dict:
    """One row of `nan_scan`: gravity, autoreset "enable"/"disable", forcerange "yes"/"no"."""
    model, data = load(
        slider_mjcf(
            [one_servo(settings, 0, case["forcerange"] == "yes", **settings["servo"])],
            **settings["plant"],
            gravity=case["gravity"],
            autoreset=case["autoreset"],
        )
    )
    data.actuator("channel0").ctrl = np.nan
    with captured_warnings() as texts:
        run = record(model, data, settings["steps"])
    at_qpos0 = bool(np.array_equal(data.qpos, model.qpos0))
    return {**state_columns(run), "at_qpos0": at_qpos0, "warning_lines": len(texts), **warning_columns(run)}


def one_servo(settings: dict, channel: int, force_limited: bool, **gains) -> Element:
    """A servo with the settings' control range, and their force range where it is asked for."""
    forcerange = settings["forcerange_N"] if force_limited else None
    return servo(channel, ctrlrange_m=settings["ctrlrange_m"], forcerange_N=forcerange, **gains)


def warmed_up(settings: dict, mjcf: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The model after `warm_up_steps` steps with every control at `command`."""
    model, data = load(mjcf)
    data.ctrl[:] = settings["command_m"]
    mujoco.mj_step(model, data, settings["warm_up_steps"])
    return model, data


def displaced_scan(settings: dict) -> list[dict]:
    """Two servos away from 0 when the second one's control turns NaN (section 5.1); one row per autoreset."""
    rows = []
    for case in crossed("displaced", settings):
        servos = [servo(i, ctrlrange_m=settings["ctrlrange_m"], **settings["servo"]) for i in range(2)]
        rows.append({**case, **fault_run(settings, slider_mjcf(servos, **settings["plant"], **case))})
    return rows


def fault_run(settings: dict, mjcf: str) -> dict:
    """Warm up, put NaN into channel 1, run on; and whether the end is bitwise that of a run with every control at 0."""
    model, data = warmed_up(settings, mjcf)
    warm_up_qpos = float(data.joint("channel0").qpos[0])
    data.actuator("channel1").ctrl = np.nan
    with captured_warnings():
        run = record(model, data, settings["steps"])
    return {
        "status": "measured",
        "warm_up_qpos_m": warm_up_qpos,
        **state_columns(run),
        **{f"final_ctrl_{i}_m": shown(u) for i, u in enumerate(data.ctrl)},
        "band_entries": band_entries(run, settings["band_m"]),
        "bitwise_zero_controls": state_digest(data) == zero_control_digest(settings, mjcf),
        "digest": state_digest(data),
        **warning_columns(run),
    }


def zero_control_digest(settings: dict, mjcf: str) -> str:
    """The digest of the final state when, after the same warm-up, every control is 0."""
    model, data = warmed_up(settings, mjcf)
    data.ctrl[:] = 0
    mujoco.mj_step(model, data, settings["steps"])
    return state_digest(data)


def setting_scan(settings: dict) -> list[dict]:
    """The displaced run over integrators, activation dynamics, gains, armatures, force limits, autoreset (section 5.1).

    `autoreset_matters` says whether the two autoreset settings of the same row end in different bits.
    """
    rows = []
    for case in crossed("scan", settings):
        row = {**case, **case["gains"]}
        del row["gains"]
        rows.append({**row, **setting_run(settings, case)})
    return mark_autoreset(rows)


def setting_run(settings: dict, case: dict) -> dict:
    """One row of `setting_scan`; for an integrator this engine lacks only its status."""
    if not engine_has(case["integrator"]):
        return {"status": NOT_IN_THIS_ENGINE}
    gains = {**case["gains"], "dyntype": case["dyntype"], "time_constant_s": settings["time_constant_s"]}
    servos = [one_servo(settings, i, case["forcerange"] == "yes", **gains) for i in range(2)]
    axes = {name: case[name] for name in ("integrator", "armature_kg", "autoreset")}
    return fault_run(settings, slider_mjcf(servos, **settings["plant"], **axes))


def mark_autoreset(rows: list[dict]) -> list[dict]:
    """Rows with `autoreset_matters` in place of the digest, and the same columns, None where there is no value."""
    groups: dict[tuple, set] = {}
    axes = ("integrator", "dyntype", "kp", "kv", "armature_kg", "forcerange")
    for row in rows:
        groups.setdefault(tuple(row[name] for name in axes), set()).add(row.pop("digest", None))
    columns = dict.fromkeys(name for row in rows for name in row)
    for row in rows:
        row.update({name: row.get(name) for name in columns})
        measured = row["status"] == "measured"
        row["autoreset_matters"] = len(groups[tuple(row[name] for name in axes)]) > 1 if measured else None
    return rows


def state_scan(settings: dict) -> list[dict]:
    """A robot in motion with one NaN written past the control path into a field of its data (section 5.2)."""
    return [{**case, **state_run(settings, case)} for case in crossed("state", settings)]


def spoil(data: mujoco.MjData, field: str) -> None:
    """Write NaN into the first number of `field` that belongs to channel 0's joint, actuator or body."""
    if field == "act":
        data.act[data.model.actuator("channel0").actadr] = np.nan
    elif field == "xfrc_applied":
        data.body("channel0").xfrc_applied[0] = np.nan
    else:
        getattr(data.joint("channel0"), field)[0] = np.nan


def state_run(settings: dict, case: dict) -> dict:
    """One row of `state_scan`: NaN into `field` where it belongs to channel 0."""
    servos = [servo(i, ctrlrange_m=settings["ctrlrange_m"], **settings["servo"]) for i in range(2)]
    model, data = warmed_up(settings, slider_mjcf(servos, **settings["plant"], autoreset=case["autoreset"]))
    command = data.ctrl.copy()
    spoil(data, case["field"])
    with captured_warnings():
        run = record(model, data, settings["steps"])
    return {
        **state_columns(run),
        "ctrl_kept": bool(np.array_equal(data.ctrl, command)),
        "field_finite": bool(np.isfinite(getattr(data, case["field"])).all()),
        **warning_columns(run),
    }


def clamp_scan(settings: dict) -> list[dict]:
    """A value given to the second of two servos, with and without a control range (chapter 5, section 6)."""
    return [{**case, **clamp_run(settings, case)} for case in crossed("clamp", settings)]


def clamp_run(settings: dict, case: dict) -> dict:
    """One row of `clamp_scan`: `value` is a number or its text ("inf", "nan"), `ctrlrange` "yes" or "no"."""
    ctrlrange = settings["ctrlrange_m"] if case["ctrlrange"] == "yes" else None
    servos = [servo(i, ctrlrange_m=ctrlrange, **settings["servo"]) for i in range(2)]
    model, data = load(slider_mjcf(servos, **settings["plant"]))
    data.ctrl[:] = settings["command_m"], float(case["value"])
    with captured_warnings():
        run = record(model, data, settings["steps"])
    return {
        **state_columns(run),
        "warnings": int(run.warnings[-1].sum()),
        "badctrl_per_step": float(data.warning[mujoco.mjtWarning.mjWARN_BADCTRL].number / settings["steps"]),
        **warning_columns(run),
    }


# The mechanism


EXPLANATIONS = ("no_force", "zero_controls", "reset")


def two_actuators(actuator: dict) -> list[Element]:
    """The same actuator on both channels: `element` is its MJCF name, every other key an attribute."""
    attributes = {name: value for name, value in actuator.items() if name not in ("element", "command")}
    return [element(actuator["element"], name=f"channel{i}", joint=f"channel{i}", **attributes) for i in range(2)]


def moving_robot(settings: dict, actuator: dict) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The two channels after the warm-up, both driven by `command` and away from qpos0."""
    mjcf = slider_mjcf(two_actuators(actuator), **settings["plant"])
    return warmed_up({**settings, "command_m": actuator["command"]}, mjcf)


def measured(settings: dict, actuator: dict) -> np.ndarray:
    """Positions in m, shape (steps + 1, 2), when channel 0 is given NaN and channel 1 keeps its command."""
    model, data = moving_robot(settings, actuator)
    data.actuator("channel0").ctrl = np.nan
    with captured_warnings():
        return record(model, data, settings["steps"]).qpos


def no_force(settings: dict, actuator: dict) -> np.ndarray:
    """What "the faulty actuator gives no force" predicts: gain and bias of channel 0 are 0, channel 1 goes on."""
    model, data = moving_robot(settings, actuator)
    model.actuator("channel0").gainprm[:] = 0
    model.actuator("channel0").biasprm[:] = 0
    return record(model, data, settings["steps"]).qpos


def zero_controls(settings: dict, actuator: dict) -> np.ndarray:
    """What "every control is taken as 0" predicts."""
    model, data = moving_robot(settings, actuator)
    data.ctrl[:] = 0
    return record(model, data, settings["steps"]).qpos


def reset(settings: dict, actuator: dict) -> np.ndarray:
    """What "the pose is reset and stays at qpos0, time runs on" predicts."""
    model, data = moving_robot(settings, actuator)
    qpos = np.tile(model.qpos0, (settings["steps"] + 1, 1))
    qpos[0] = data.qpos
    return qpos


def curves(settings: dict, actuator: dict) -> dict[str, np.ndarray]:
    """What happened and what each explanation predicts: positions in m, shape (steps + 1, 2)."""
    return {run.__name__: run(settings, actuator) for run in (measured, no_force, zero_controls, reset)}


def mechanism_scan(settings: dict) -> list[dict]:
    """Which explanation of a NaN control is right: one row for each actuator and channel.

    Channel 0 is the faulty one that is given NaN, channel 1 the healthy one. `<explanation>_error_m` is the largest
    distance of the predicted path from what happened; `bitwise` names the explanations whose path is the same bits.
    """
    rows = []
    for name, actuator in settings["actuator"].items():
        found = curves(settings, actuator)
        for channel, role in enumerate(("faulty", "healthy")):
            paths = {curve: qpos[:, channel] for curve, qpos in found.items()}
            rows.append({"actuator": name, "channel": role, **verdict(paths)})
    return rows


def verdict(paths: dict[str, np.ndarray]) -> dict:
    """Start, ends and errors, all in m, of one channel's four paths."""
    happened = paths["measured"]
    row = {"start_m": float(happened[0]), **{f"{name}_end_m": float(path[-1]) for name, path in paths.items()}}
    row |= {f"{name}_error_m": float(np.abs(paths[name] - happened).max()) for name in EXPLANATIONS}
    right = [name for name in EXPLANATIONS if paths[name].tobytes() == happened.tobytes()]
    return {**row, "bitwise": " ".join(right)}


def mechanism_curves(settings: dict) -> list[dict]:
    """The paths behind `mechanism_scan`, one row for each actuator, channel, curve and every `sample_every`-th step."""
    rows = []
    for name, actuator in settings["actuator"].items():
        for curve, qpos in curves(settings, actuator).items():
            for step in range(0, settings["steps"] + 1, settings["sample_every"]):
                time_s = step * settings["plant"]["timestep_ms"] / 1000
                for role, position in zip(("faulty", "healthy"), qpos[step], strict=True):
                    rows.append(
                        {"actuator": name, "channel": role, "curve": curve, "time_s": time_s, "qpos_m": float(position)}
                    )
    return rows


SCANS = {
    "nan": nan_scan,
    "displaced": displaced_scan,
    "scan": setting_scan,
    "state": state_scan,
    "clamp": clamp_scan,
    "mechanism": mechanism_scan,
    "curves": mechanism_curves,
}
