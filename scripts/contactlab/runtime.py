"""Facts about MuJoCo's runtime, each measured by a small function that returns rows {case, quantity, value}.

The claims are those of chapter 5 (runtime and numerical hygiene), sections 1 to 7; the stages of a step are in MuJoCo's
documentation, Computation, Forward dynamics. What can end the process (a stack overflow) or writes where it pleases
(warnings) runs in a child process in a folder of its own.
"""

import json
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree.ElementTree import Element

import mujoco
import numpy as np

from contactlab.controls import NOT_IN_THIS_ENGINE, combinations, engine_has, load, servo, shown, slider_mjcf
from contactlab.health import HealthCheck
from contactlab.mjcf import document, element
from contactlab.runs import captured_warnings

BADCTRL = mujoco.mjtWarning.mjWARN_BADCTRL


def rows(case: str, **values) -> list[dict]:
    """One row for each quantity of a case."""
    return [{"case": case, "quantity": quantity, "value": value} for quantity, value in values.items()]


# Derived quantities


def pendulum_mjcf(timestep_ms: float, integrator: str = "Euler") -> str:
    """A two-link pendulum about z and y with a velocity servo at its root and a sensor of the root's angle."""
    tip = element(
        "body",
        element("joint", name="elbow", type="hinge", axis=[0, 1, 0]),
        element("geom", type="box", size=[0.2, 0.02, 0.02], pos=[0.2, 0, 0]),
        name="tip",
        pos=[0.4, 0, 0],
    )
    root = element(
        "body",
        element("joint", name="root", type="hinge", axis=[0, 0, 1]),
        element("geom", type="box", size=[0.2, 0.02, 0.02], pos=[0.2, 0, 0]),
        tip,
        name="root",
    )
    return document(
        element(
            "mujoco",
            element("option", timestep=timestep_ms / 1000, integrator=integrator),
            element("worldbody", root),
            element("actuator", element("velocity", name="root", joint="root", kv=1)),
            element("sensor", element("jointpos", name="root", joint="root")),
        )
    )


def stale_before_forward(settings: dict) -> list[dict]:
    """The root's rotation matrix after its angle was written, before and after mj_forward (section 2).

    Closed form for an angle a about z: xmat_00 = cos a, xmat_10 = sin a.
    """
    model, data = load(pendulum_mjcf(settings["timestep_ms"]))
    mujoco.mj_forward(model, data)
    data.joint("root").qpos = settings["angle_rad"]
    qpos = data.qpos.tobytes()
    found = {}
    for moment in ("before", "after"):
        xmat = data.body("root").xmat
        found |= {f"xmat_00_{moment}_forward": float(xmat[0]), f"xmat_10_{moment}_forward": float(xmat[3])}
        mujoco.mj_forward(model, data)
    kept = {"time_after_forward_s": data.time, "qpos_unchanged": data.qpos.tobytes() == qpos}
    return rows(f"hinge qpos={settings['angle_rad']}", **found, **kept)


def zeros_after_reset(settings: dict) -> list[dict]:
    """The largest entry of the root's rotation matrix after mj_resetData, and after the forward that must follow it."""
    model, data = load(pendulum_mjcf(settings["timestep_ms"]))
    mujoco.mj_step(model, data)
    mujoco.mj_resetData(model, data)
    largest = float(np.abs(data.body("root").xmat).max())
    mujoco.mj_forward(model, data)
    after = float(np.abs(data.body("root").xmat).max())
    return rows("after mj_resetData", xmat_max_abs=largest, xmat_max_abs_after_forward=after)


# The step in two halves


def step_split(settings: dict) -> list[dict]:
    """mj_step1 + mj_step2 against mj_step for each integrator, and against mj_step with Euler (section 1)."""
    found = []
    for integrator in settings["integrator"]:
        case = f"integrator={integrator};steps={settings['steps']}"
        if not engine_has(integrator):
            found += rows(case, outcome=NOT_IN_THIS_ENGINE)
            continue
        split = swung(settings, integrator, halves=True)
        whole, euler = swung(settings, integrator, halves=False), swung(settings, "Euler", halves=False)
        found += rows(
            case,
            max_abs_qpos_difference_rad=float(np.abs(split - whole).max()),
            bitwise_mj_step=split.tobytes() == whole.tobytes(),
            bitwise_euler=split.tobytes() == euler.tobytes(),
        )
    return found


def swung(settings: dict, integrator: str, *, halves: bool) -> np.ndarray:
    """The pendulum's positions in rad after each step under a constant velocity command, shape (steps, 2)."""
    model, data = load(pendulum_mjcf(settings["timestep_ms"], integrator))
    data.actuator("root").ctrl = settings["command_rad_s"]
    path = np.empty((settings["steps"], model.nq))
    for step in range(settings["steps"]):
        if halves:
            mujoco.mj_step1(model, data)
            mujoco.mj_step2(model, data)
        else:
            mujoco.mj_step(model, data)
        path[step] = data.qpos
    return path


def control_between_halves(settings: dict) -> list[dict]:
    """Whether a control written between mj_step1 and mj_step2 acts in that same step (section 2)."""
    model, data = load(pendulum_mjcf(settings["timestep_ms"]))
    mujoco.mj_step1(model, data)
    data.actuator("root").ctrl = settings["command_rad_s"]
    mujoco.mj_step2(model, data)
    return rows("ctrl between mj_step1 and mj_step2", root_moved=bool(data.joint("root").qpos[0] != 0))


def ball_mjcf(timestep_ms: float, height_m: float, memory: str = "-1", **options) -> str:
    """A ball of 10 cm radius whose centre is `height_m` above a floor.

    `memory` is the arena's size in MJCF's notation (-1: the compiler chooses), `options` attributes of MJCF's option.
    """
    ball = element(
        "body",
        element("freejoint", name="ball"),
        element("geom", name="ball", type="sphere", size=0.1),
        name="ball",
        pos=[0, 0, height_m],
    )
    floor = element("geom", name="floor", type="plane", size=[1, 1, 1])
    size, option = element("size", memory=memory), element("option", timestep=timestep_ms / 1000, **options)
    return document(element("mujoco", size, option, element("worldbody", floor, ball)))


def repeated_step2(settings: dict) -> list[dict]:
    """One mj_step1 just above the floor, then only mj_step2 while the ball falls into it (section 2)."""
    model, data = load(ball_mjcf(settings["timestep_ms"], settings["height_m"]))
    data.joint("ball").qvel[2] = -settings["speed_m_per_s"]
    mujoco.mj_step1(model, data)
    contacts, times = [data.ncon], [data.time]
    for _ in range(settings["times"]):
        mujoco.mj_step2(model, data)
        contacts.append(data.ncon)
        times.append(data.time)
    height = float(data.joint("ball").qpos[2])
    mujoco.mj_step1(model, data)
    return rows(
        f"mj_step2 {settings['times']} times",
        contacts_change=len(set(contacts)) > 1,
        time_advances=bool((np.diff(times) > 0).all()),
        overlap_m=float(model.geom("ball").size[0]) - height,
        contacts_after_step1=data.ncon,
    )


def sensor_time(settings: dict) -> list[dict]:
    """Which state a sensor read after mj_step belongs to (section 1)."""
    model, data = load(pendulum_mjcf(settings["timestep_ms"]))
    data.actuator("root").ctrl = settings["command_rad_s"]
    mujoco.mj_step(model, data)
    start = data.joint("root").qpos.copy()
    mujoco.mj_step(model, data)
    reading, end = data.sensor("root").data, data.joint("root").qpos
    moments = {"start of the step": start, "end of the step": end}
    belongs = [moment for moment, angle in moments.items() if np.array_equal(reading, angle)]
    return rows("jointpos after mj_step", sensor_belongs_to=" and ".join(belongs))


# Child processes


def in_child(function: str, settings: dict) -> tuple[dict | None, subprocess.CompletedProcess, str]:
    """Run a function of this module in a child: its result (None if it died), the process and its MUJOCO_LOG.TXT."""
    code = (
        "import json, sys; sys.path.insert(0, sys.argv[1]); from contactlab import runtime;"
        "print(json.dumps(getattr(runtime, sys.argv[2])(json.loads(sys.argv[3]))))"
    )
    scripts = str(Path(__file__).parents[1])
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", code, scripts, function, json.dumps(settings)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        log = Path(folder, "MUJOCO_LOG.TXT")
        text = log.read_text(encoding="utf-8") if log.exists() else ""
    return json.loads(done.stdout) if done.returncode == 0 else None, done, text


def cause_of_death(done: subprocess.CompletedProcess) -> str:
    """The signal that ended a child, or the line on stderr that says `Error: message`."""
    if done.returncode < 0:
        return signal.Signals(-done.returncode).name
    messages = re.findall(r"^[\w.]+: .*", done.stderr, re.MULTILINE)
    return messages[0] if messages else f"exit code {done.returncode}"


def arena_sizes(settings: dict) -> list[dict]:
    """A ball dropped on a floor with each of the `arena` settings, every one in a child process (section 7)."""
    found = []
    for arena in settings["arena"]:
        result, done, _ = in_child("ball_on_floor", {**settings, "arena": arena})
        case = ";".join(f"{name}={value}" for name, value in arena.items())
        found += rows(case, **(result or {"outcome": cause_of_death(done)}))
    return found


def ball_on_floor(settings: dict) -> dict:
    """Outcome, contacts, height in m and bytes used after `steps` steps of the ball's fall; or the error's numbers."""
    model, data = load(ball_mjcf(settings["timestep_ms"], settings["height_m"], **settings["arena"]))
    with captured_warnings() as texts:
        try:
            mujoco.mj_step(model, data, settings["steps"])
        except mujoco.FatalError as error:
            return overflow(str(error))
    return {
        "outcome": texts[0].splitlines()[0] if texts else "ran",
        "contacts": data.ncon,
        "ball_height_m": shown(data.joint("ball").qpos[2]),
        "arena_peak_bytes": int(data.maxuse_arena),
        "stack_peak_bytes": int(data.maxuse_stack),
    }


def overflow(message: str) -> dict:
    """A stack overflow's numbers, in bytes: `max` less `available` was in use when `requested` was asked for."""
    number = {name: int(value) for name, value in re.findall(r"(\w+) = (\d+)", message)}
    return {
        "outcome": "stack overflow error" if "stack overflow" in message else message.splitlines()[0],
        "arena_used_bytes": number["max"] - number["available"],
        "stack_left_bytes": number["available"],
        "stack_requested_bytes": number["requested"],
        "contacts": number["ncon"],
    }


def warning_lines(settings: dict) -> list[dict]:
    """How many lines 2000 bad steps leave on stderr and in MUJOCO_LOG.TXT, against the counter (section 4)."""
    result, done, log = in_child("bad_steps", settings)
    lines = {"warning_lines": done.stderr.count("WARNING"), "log_lines": log.count("WARNING")}
    return rows(f"{settings['steps']} steps", **lines, **(result or {"outcome": cause_of_death(done)}))


def bad_steps(settings: dict) -> dict:
    """The BADCTRL counter after `steps` steps with a NaN control, the engine's warnings left to go where they go."""
    model, data = load(pendulum_mjcf(settings["timestep_ms"]))
    data.actuator("root").ctrl = np.nan
    mujoco.mj_step(model, data, settings["steps"])
    return {"badctrl": int(data.warning[BADCTRL].number)}


# Warnings and silence


def warning_index(settings: dict) -> list[dict]:
    """Two actuators on one joint: what the warning's text and `lastinfo` name when one's control is NaN (section 4)."""
    texts, infos = [], []
    for bad in range(2):
        servos = [servo(0, **settings["servo"]) for _ in range(2)]
        for index, actuator in enumerate(servos):
            actuator.set("name", f"a{index}")
        model, data = load(slider_mjcf(servos, **settings["plant"]))
        data.actuator(f"a{bad}").ctrl = np.nan
        with captured_warnings() as warned:
            mujoco.mj_step(model, data)
        texts += re.findall(r"ACTUATOR (\d+)", warned[0])
        infos.append(int(data.warning[BADCTRL].lastinfo))
    return rows(
        "two actuators on one joint",
        warning_index=" and ".join(texts),
        lastinfo=" and ".join(map(str, infos)),
    )


def warning_types(settings: dict) -> list[dict]:
    """The number of the engine's warning types (section 4)."""
    return rows("mjtWarning", warning_types=int(mujoco.mjtWarning.mjNWARNING))


def actuation_disabled(settings: dict) -> list[dict]:
    """A robot whose flags switch actuation off: neither a command nor NaN moves or warns (sections 8.2 and 9)."""
    found = []
    for flag in ("actuator", "actuation"):
        mjcf = slider_mjcf([servo(0, **settings["servo"])], **settings["plant"], **{flag: "disable"})
        found += rows(f"flag {flag}=disable", **silent_death(mjcf, settings))
    return found


def silent_death(mjcf: str, settings: dict) -> dict:
    """Whether the model compiles, moves and warns under `command`, and the warnings that NaN gives then."""
    try:
        model, data = load(mjcf)
    except ValueError as error:
        return {"compiles": False, "message": str(error).splitlines()[0]}
    data.ctrl[:] = settings["command_m"]
    mujoco.mj_step(model, data, settings["steps"])
    outcome = {"compiles": True, "warnings": int(data.warning.number.sum()), "qpos_moves": bool(data.qpos.any())}
    data.ctrl[:] = np.nan
    with captured_warnings():
        mujoco.mj_step(model, data, settings["steps"])
    return {**outcome, "ctrl_at_end": shown(data.ctrl[0]), "warnings_with_nan": int(data.warning.number.sum())}


def clip_order(settings: dict) -> list[dict]:
    """What clamping a NaN to [0, 1] gives: with min and max the order of their arguments decides (section 6)."""
    nan = float("nan")
    results = {
        "min(max(nan,0),1)": min(max(nan, 0.0), 1.0),
        "min(max(0,nan),1)": min(max(0.0, nan), 1.0),
        "min(1,max(nan,0))": min(1.0, max(nan, 0.0)),
        "min(1,max(0,nan))": min(1.0, max(0.0, nan)),
        "np.clip(nan,0,1)": np.clip(nan, 0.0, 1.0),
        "np.fmin(np.fmax(nan,0),1)": np.fmin(np.fmax(nan, 0.0), 1.0),
    }
    return [row for text, value in results.items() for row in rows(f"expression={text}", result=shown(value))]


# Sleeping islands


def domino(name: str, x_m: float, y_m: float, tilt_rad: float) -> Element:
    """A free domino of 2 x 10 x 20 cm standing at (x, y), tilted about y."""
    geom = element("geom", name=name, type="box", size=[0.01, 0.05, 0.1])
    freejoint = element("freejoint", name=name)
    return element(
        "body", freejoint, geom, name=name, pos=[x_m, y_m, 0.1], quat=[np.cos(tilt_rad / 2), 0, np.sin(tilt_rad / 2), 0]
    )


def domino_mjcf(settings: dict, sleep: str) -> str:
    """Rows of dominoes, the first of each tilted so that its row falls; rows do not touch, so each sleeps by itself."""
    option = element("option", element("flag", sleep=sleep), timestep=settings["timestep_ms"] / 1000)
    floor = element("geom", name="floor", type="plane", size=[10, 10, 1])
    dominoes = [
        domino(f"row{row}_{place}", settings["gap_m"] * place, settings["row_gap_m"] * row, tilt)
        for row in range(settings["rows"])
        for place in range(settings["per_row"])
        for tilt in [0.0 if place else settings["tilt_rad"]]
    ]
    return document(element("mujoco", option, element("worldbody", floor, *dominoes)))


def sleeping_dominoes(settings: dict) -> list[dict]:
    """Contacts, islands and awake trees once the dominoes lie, with sleeping on and off (section 7)."""
    found = {}
    for sleep, state in (("disable", "without_sleep"), ("enable", "asleep")):
        model, data = load(domino_mjcf(settings, sleep))
        mujoco.mj_step(model, data, settings["steps"])
        numbers = {"contacts": data.ncon, "islands": data.nisland, "simulated_trees": data.ntree_awake}
        found |= {f"{name}_{state}": number for name, number in numbers.items()}
    return rows("dominos", trees=model.ntree, **found)


# Health checks


def chapter_check(model: mujoco.MjModel, data: mujoco.MjData) -> dict:
    """The check of chapter 5, section 8.1: controls one by one in Python, then reductions over arrays."""
    suspicious = 0
    for i in range(model.nu):
        if not np.isfinite(data.ctrl[i]) or abs(data.ctrl[i]) > 1e3:
            suspicious += 1
    return {
        "ctrl_nonfinite": suspicious,
        "qpos_nonfinite": int(np.count_nonzero(~np.isfinite(data.qpos))),
        "qvel_nonfinite": int(np.count_nonzero(~np.isfinite(data.qvel))),
        "qvel_absmax": float(np.nanmax(np.abs(data.qvel))) if model.nv else 0.0,
        "frozen_at_qpos0": bool(np.allclose(data.qpos, model.qpos0, atol=1e-12)),
        "warn_badctrl": int(data.warning[BADCTRL.value].number),
    }


def robot(settings: dict, nu: int) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """`nu` position servos, each on a slide of its own."""
    servos = [servo(i, ctrlrange_m=settings["ctrlrange_m"], **settings["servo"]) for i in range(nu)]
    return load(slider_mjcf(servos, **settings["plant"]))


def health_at_rest(settings: dict) -> list[dict]:
    """What the chapter's check and ours say of a healthy robot that rests with every control at 0 (section 8.1)."""
    found = []
    for nu in settings["nu"]:
        model, data = robot(settings, nu)
        check, faults = HealthCheck(model).check, 0
        for _ in range(settings["steps"]):
            mujoco.mj_step(model, data)
            faults |= check(data)
        found += rows(f"healthy model at rest, nu={nu}", **chapter_check(model, data), health_faults=int(faults))
    return found


# Timings, which no two runs repeat


def step_us(mjcf: str, steps: int) -> float:
    """The mean time of a step in microseconds by the engine's own timer."""
    model, data = load(mjcf)
    mujoco.mj_step(model, data, steps)
    timer = data.timer[mujoco.mjtTimer.mjTIMER_STEP]
    return float(timer.duration / timer.number * 1e6)


def engine_timer(settings: dict) -> list[dict]:
    """A step of one servo by mjTIMER_STEP (section 7)."""
    mjcf = slider_mjcf([servo(0, **settings["servo"])], **settings["plant"])
    return rows(f"{settings['steps']} steps", step_time_us=step_us(mjcf, settings["steps"]))


def sleeping_speed(settings: dict) -> list[dict]:
    """The mean step of the domino scene with sleeping off and on, falling included (section 7)."""
    awake, sleeping = (step_us(domino_mjcf(settings, sleep), settings["steps"]) for sleep in ("disable", "enable"))
    return rows("dominos", awake_step_us=awake, sleeping_step_us=sleeping, speed_up=awake / sleeping)


def loop_us(model: mujoco.MjModel, data: mujoco.MjData, commands: np.ndarray, check: Callable) -> float:
    """The mean time in microseconds of writing a row of `commands`, a step and `check(data)`."""
    mujoco.mj_resetData(model, data)
    start = time.perf_counter()
    for command in commands:
        data.ctrl[:] = command
        mujoco.mj_step(model, data)
        check(data)
    return (time.perf_counter() - start) / len(commands) * 1e6


def health_cost(settings: dict) -> list[dict]:
    """Chapter 5, section 8.2: a check's time beside a step's on the same model; one row for each size and each motion.

    A "moving" robot is given new controls at every step, a "resting" one is held at 0.
    """
    cases = combinations(nu=settings["nu"], motion=["moving", "resting"])
    return [{**case, **check_cost(settings, case)} for case in cases]


def check_cost(settings: dict, case: dict) -> dict:
    """Microseconds of a step, of our check and of the chapter's, and their ratios; the lowest of `repeats` means each.

    A check is timed within a loop of steps, as it is used; the time of the same loop without one is taken off.
    """
    model, data = robot(settings, case["nu"])
    commands = np.zeros((settings["steps"], model.nu))
    if case["motion"] == "moving":
        commands += settings["command_m"] * np.sin(np.arange(settings["steps"]))[:, None]
    checks = {
        "loop": lambda data: None,
        "health_check": HealthCheck(model).check,
        "chapter_check": lambda data: chapter_check(model, data),
    }
    best = dict.fromkeys(["mj_step", *checks], np.inf)
    for _ in range(settings["repeats"]):
        best["mj_step"] = min(best["mj_step"], bare_step_us(model, data, settings["steps"]))
        for name, check in checks.items():
            best[name] = min(best[name], loop_us(model, data, commands, check))
    row = {"mj_step_us": best["mj_step"]}
    for name in ("health_check", "chapter_check"):
        cost_us = best[name] - best["loop"]
        row |= {f"{name}_us": cost_us, f"{name}_ratio": cost_us / best["mj_step"]}
    return row


def bare_step_us(model: mujoco.MjModel, data: mujoco.MjData, steps: int) -> float:
    """The mean time in microseconds of a call of mj_step."""
    start = time.perf_counter()
    for _ in range(steps):
        mujoco.mj_step(model, data)
    return (time.perf_counter() - start) / steps * 1e6


FACTS = {
    "forward": stale_before_forward,
    "reset": zeros_after_reset,
    "step_split": step_split,
    "ctrl_between": control_between_halves,
    "step2_repeated": repeated_step2,
    "sensor": sensor_time,
    "arena": arena_sizes,
    "stderr": warning_lines,
    "warning_index": warning_index,
    "warnings": warning_types,
    "disabled": actuation_disabled,
    "clip": clip_order,
    "sleep": sleeping_dominoes,
    "health": health_at_rest,
}
TIMINGS = {"timers": engine_timer, "sleep": sleeping_speed}
WITHOUT_SETTINGS = ("warnings", "clip")
MEASUREMENTS = {"facts": FACTS, "timings": TIMINGS}


def measure(functions: dict[str, Callable], settings: dict) -> list[dict]:
    """The rows of every function, each given its own settings, with the function's key as the fact's name in front.

    One whose settings are absent is left out, unless it takes none.
    """
    asked = [name for name in functions if name in settings or name in WITHOUT_SETTINGS]
    return [{"fact": name, **row} for name in asked for row in functions[name](settings.get(name, {}))]
