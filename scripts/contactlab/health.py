"""A health check for a control loop: one object per robot, one call after every step, no array made on the way.

    health = HealthCheck(model)
    while running:
        data.ctrl[:] = checked_control(model, policy(data))
        mujoco.mj_step(model, data)
        if faults := health.check(data):
            print("; ".join(health.report(data, faults)))

What it looks for follows chapter 5 (runtime and numerical hygiene), section 8: readings such as time and control look
well on a robot that no longer moves. What it costs is measured by `scripts/controls/health_run.py`.

It runs with MuJoCo from 3.3.7 on: tests/workflow/test_health_versions.py runs it there.
"""

import math
from enum import IntFlag, auto

import mujoco
import numpy as np
from mujoco import mju_dot, mju_norm

WARNINGS = tuple(name.removeprefix("mjWARN_") for name in mujoco.mjtWarning.__members__ if "mjWARN_" in name)
NO_ACTUATION = int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
DISABLE_GROUPS = 31  # opt.disableactuator has a bit for each of the groups 0 to 30


class Fault(IntFlag):
    """What `HealthCheck.check` finds; several may hold at once."""

    CONTROL_NONFINITE = auto()
    CONTROL_OUT_OF_RANGE = auto()
    STATE_NONFINITE = auto()
    STATE_HUGE = auto()
    WARNING = auto()
    ACTUATION_DISABLED = auto()
    FROZEN = auto()


# As plain integers, because "or" of two IntFlags costs as much as a step of a small robot.
CONTROL_NONFINITE, CONTROL_OUT_OF_RANGE, STATE_NONFINITE, STATE_HUGE, WARNING, ACTUATION_DISABLED, FROZEN = map(int, Fault)


class HealthCheck:
    """Finds the faults of one robot.

    Call `check` once after every mj_step and before the next control is written.

    The length of an array is not finite when an entry is not: one length each clears the positions, velocities and
    activations of a healthy robot, and only an array that fails is searched. Controls are looked at when they change.
    Lengths are taken by MuJoCo: of a huge velocity NumPy's would overflow with a warning, or raise, as `numpy.seterr`
    has it, and a check does neither.

    A robot is FROZEN, and not merely at rest, when nothing moves although its controls ask for a force: either one
    of them is not finite (the engine then takes all of them as 0), or every actuator delivers exactly 0 where gain
    and bias, at the control within its range, do not. Actuators with activation dynamics, a delay or another law
    than gain * control + bias take no part in the second test.

    `huge` bounds the Euclidean lengths of qpos, of qvel and of act, in their own units (the engine itself objects
    only above 1e10 in an entry); a robot whose qvel is shorter than `rest_speed` is at rest; `rest_force`, in the
    actuators' units, is the asked force up to which none is asked. Raises ValueError for a model some of whose
    actuators take several controls.
    """

    def __init__(self, model: mujoco.MjModel, huge: float = 1e4, rest_speed: float = 1e-6, rest_force: float = 1e-6):
        # Before there were actuators of several controls or outputs, none of these was counted.
        actuators, outputs = (getattr(model, name, model.nu) for name in ("nactuator", "nout"))
        if not model.nu == actuators == outputs:
            raise ValueError(f"{actuators} actuators take {model.nu} controls; allowed is one for each actuator")
        self.model = model
        self._option = model.opt
        self._huge, self._rest_speed, self._rest_force = huge, rest_speed, rest_force
        self._huge2 = huge * huge
        self._groups = sum(1 << group for group in {*model.actuator_group.tolist()} if 0 <= group < DISABLE_GROUPS)
        self._lower, self._upper = control_range(model)
        self._gain, self._stiffness, self._offset = summed_law(model)
        # The controls clamped to their range, as bytes, which compare fastest and NaN equal to itself, and as numbers.
        self._control_bytes = bytearray(8 * model.nu)
        self._control = np.frombuffer(self._control_bytes)
        self.new_warnings = np.zeros(len(WARNINGS), dtype=np.int32)  # by type, in the order of WARNINGS
        self._data = None

    def check(self, data: mujoco.MjData) -> int:
        """The `Fault` flags of the step just taken; 0 for a healthy robot."""
        if data is not self._data:
            self._watch(data)
        if self._control_bytes != self._ctrl:
            self._look_at_controls()
        faults, time, option = self._control_faults, data.time, self._option
        length, speed = mju_norm(self._qpos), mju_norm(self._qvel)
        length2 = length * length + speed * speed
        if self._has_act:
            length = mju_norm(self._act)
            length2 += length * length
        if not length2 < self._huge2:
            faults |= self._state_faults()
        if self._counts.tobytes() != self._seen or time <= self._time:
            faults |= self._warning_faults(forward=time > self._time)
        self._time = time
        if option.disableflags & NO_ACTUATION or option.disableactuator & self._groups:
            faults |= ACTUATION_DISABLED
        if speed < self._rest_speed and (faults & CONTROL_NONFINITE or self._powerless()):
            faults |= FROZEN
        return faults

    def _watch(self, data: mujoco.MjData) -> None:
        """Keep the views of `data`, as looking them up costs more than reading them; all its warnings are new."""
        self._data = data
        self._ctrl, self._qpos, self._qvel, self._act = data.ctrl, data.qpos, data.qvel, data.act
        self._has_act = data.act.size > 0
        self._force, self._length = data.actuator_force, data.actuator_length
        self._counts = data.warning.number
        self._seen = bytearray(self._counts.nbytes)
        self._seen_counts = np.frombuffer(self._seen, dtype=self._counts.dtype)
        self._time = -np.inf
        self._look_at_controls()

    def _look_at_controls(self) -> None:
        """Clamp controls that are new; what is found holds for as long as they are held."""
        np.maximum(self._ctrl, self._lower, out=self._control)
        np.minimum(self._control, self._upper, out=self._control)
        self._asked = mju_dot(self._gain, self._control)
        # Clamping changes every bad control but NaN, which makes the sum NaN.
        suspicious = self._control_bytes != self._ctrl or math.isnan(self._asked)
        self._control_faults = self._search_controls() if suspicious else 0

    def _search_controls(self) -> int:
        if not np.isfinite(self._ctrl).all():
            return CONTROL_NONFINITE
        return CONTROL_OUT_OF_RANGE if self._out_of_range().any() else 0

    def _out_of_range(self) -> np.ndarray:
        return np.isfinite(self._ctrl) & ((self._ctrl < self._lower) | (self._ctrl > self._upper))

    def _state_faults(self) -> int:
        nonfinite, huge = self._bad_states()
        return (STATE_NONFINITE if nonfinite else 0) | (STATE_HUGE if huge else 0)

    def _bad_states(self) -> tuple[list[str], list[str]]:
        """The names of the state's arrays that are not finite, and of those that are but huge."""
        arrays = {"qpos": self._qpos, "qvel": self._qvel, "act": self._act}
        nonfinite = [name for name, array in arrays.items() if not np.isfinite(array).all()]
        huge = [name for name, array in arrays.items() if name not in nonfinite and mju_norm(array) >= self._huge]
        return nonfinite, huge

    def _warning_faults(self, *, forward: bool) -> int:
        # A reset sets the clock and the counters back: what stands in them then is all new.
        self.new_warnings[:] = self._counts - self._seen_counts if forward else self._counts
        self._seen_counts[:] = self._counts
        return WARNING if self.new_warnings.any() else 0

    def _powerless(self) -> bool:
        """Whether some actuators are asked for a force and none delivers any."""
        asked = self._asked + mju_dot(self._stiffness, self._length) + self._offset
        return abs(asked) > self._rest_force and not self._force.any()

    def report(self, data: mujoco.MjData, faults: int) -> list[str]:
        """One line for each of `faults`, as `check` has just returned them, naming actuators, fields and warnings."""
        bad_states, huge_states = self._bad_states()
        raised = [f"{name} +{count}" for name, count in zip(WARNINGS, self.new_warnings, strict=True) if count]
        nonfinite = controls(self.model, data.ctrl, ~np.isfinite(data.ctrl))
        beyond = controls(self.model, data.ctrl, self._out_of_range())
        lines = {
            Fault.CONTROL_NONFINITE: f"control not finite: {nonfinite}",
            Fault.CONTROL_OUT_OF_RANGE: f"control out of range: {beyond}",
            Fault.STATE_NONFINITE: f"state not finite: {', '.join(bad_states)}",
            Fault.STATE_HUGE: f"state huge: {', '.join(huge_states)}",
            Fault.WARNING: f"new warnings: {', '.join(raised)}",
            Fault.ACTUATION_DISABLED: "actuation is disabled in the model's options",
            Fault.FROZEN: "nothing moves although the controls ask for a force",
        }
        return [line for fault, line in lines.items() if fault & faults]


def control_range(model: mujoco.MjModel) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper bounds of the controls, each of shape (nu,).

    Without a ctrlrange they are those beyond which the engine calls a control bad (mjMAXVAL, 1e10).
    """
    limited = model.actuator_ctrllimited.astype(bool)
    lower, upper = model.actuator_ctrlrange.T
    return np.where(limited, lower, -mujoco.mjMAXVAL), np.where(limited, upper, mujoco.mjMAXVAL)


def summed_law(model: mujoco.MjModel) -> tuple[np.ndarray, np.ndarray, float]:
    """The laws of `static_law`, each weighted, and the weighted sum of their offsets.

    The weights, 1 + i times the golden ratio modulo 1, stand in no simple ratio, so that forces asked of different
    actuators do not cancel in the sum.
    """
    weights = 1 + np.arange(model.nu) * ((1 + 5**0.5) / 2) % 1
    gain, stiffness, offset = static_law(model)
    return weights * gain, weights * stiffness, float(weights @ offset)


def static_law(model: mujoco.MjModel) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gain, stiffness and offset, each of shape (nu,): at rest, force = gain * control + stiffness * length + offset.

    All are 0 for an actuator with activation dynamics, a delay or another law (MuJoCo documentation, Computation,
    Actuation model).
    """
    delay = getattr(model, "actuator_delay", np.zeros(model.nu))  # none before MuJoCo could delay a control
    fixed = (model.actuator_gaintype == mujoco.mjtGain.mjGAIN_FIXED) & (delay == 0)
    static = fixed & (model.actuator_dyntype == mujoco.mjtDyn.mjDYN_NONE)
    affine = static & (model.actuator_biastype == mujoco.mjtBias.mjBIAS_AFFINE)
    known = affine | static & (model.actuator_biastype == mujoco.mjtBias.mjBIAS_NONE)
    gain = np.where(known, model.actuator_gainprm[:, 0], 0.0)
    offset, stiffness = np.where(affine, model.actuator_biasprm[:, :2].T, 0.0)
    return gain, stiffness, offset


def controls(model: mujoco.MjModel, ctrl: np.ndarray, chosen: np.ndarray) -> str:
    """The chosen controls as text, `name = value`, with the index in place of a missing name."""
    return ", ".join(f"{model.actuator(i).name or i} = {float(ctrl[i])!r}" for i in np.flatnonzero(chosen))


def checked_control(model: mujoco.MjModel, ctrl: np.ndarray) -> np.ndarray:
    """`ctrl` as floats of shape (nu,), refused before it reaches the engine when an entry is not finite.

    The engine would take one NaN as a zero for every actuator, and clamp an infinity without a word. Raises
    ValueError for another shape or for entries that are not finite, naming their actuators.
    """
    ctrl = np.asarray(ctrl, dtype=float)
    if ctrl.shape != (model.nu,):
        raise ValueError(f"control of shape {ctrl.shape}; allowed is ({model.nu},), one entry for each actuator")
    if not np.isfinite(ctrl).all():
        raise ValueError(f"control not finite: {controls(model, ctrl, ~np.isfinite(ctrl))}; allowed are finite values")
    return ctrl
