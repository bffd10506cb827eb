"""What drives a scene: a constant, a recording held between its samples, or a function of (model, data).

The rate of a control is its own: a run with a smaller timestep is given the same controls at the same times. Times are counted
in steps from the start, as the engine's clock adds up timesteps and drifts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from contactlab.attributes import single_actuator
from contactlab.samples import SLACK, require_samples

Before = Callable[[int], None]  # called with the number of a step, from 0 on, before it is taken


class Control(Protocol):
    """Drives one run after another; `begin` starts each."""

    def begin(self, model: mujoco.MjModel, data: mujoco.MjData, steps: int) -> Before | None:
        """Set what holds from the start of a run of so many steps; return what is to be called before each step, if any."""


class ConstantControl:
    """The same controls from the start on, by actuator; the others stay as the start has them."""

    def __init__(self, model: mujoco.MjModel, values: Mapping[str, float]) -> None:
        """Raises ValueError for an actuator that the model lacks and for a value that is no finite number."""
        self._values = {name: float(value) for name, value in values.items()}
        for name, value in self._values.items():
            single_actuator(model, name)
            if not np.isfinite(value):
                raise ValueError(f"control.constant.{name} is {value}; allowed: a finite number")

    def begin(self, model: mujoco.MjModel, data: mujoco.MjData, steps: int) -> None:
        """As `Control.begin`."""
        for name, value in self._values.items():
            data.actuator(name).ctrl = value


class RecordedControl:
    """Controls as they were recorded: each sample holds from its time, in s from the start, until the next one's.

    A step takes the last sample that has begun when it starts, or that begins within SLACK: written times are rounded.
    """

    def __init__(self, model: mujoco.MjModel, times_s: ArrayLike, names: Sequence[str], values: ArrayLike) -> None:
        """times_s: (n,). names: the actuators, in the order of the columns of `values` (n, nu).

        Raises ValueError, in one line, for an actuator that is missing, unknown or there twice, a time that is missing or out
        of order, and a value that is not finite.
        """
        _require_actuators(model, names)
        try:
            self._sample_s = require_samples(times_s, names, values)
        except ValueError as error:
            raise ValueError(f"the recording, {error}") from None
        self._times_s, values = np.asarray(times_s, dtype=float), np.asarray(values, dtype=float)
        self._values = np.empty((len(values), model.nu))
        for column, name in enumerate(names):
            self._values[:, single_actuator(model, name)] = values[:, column]

    def begin(self, model: mujoco.MjModel, data: mujoco.MjData, steps: int) -> Before:
        """As `Control.begin`. Raises ValueError for a recording that ends before the run does."""
        starts_s = np.arange(steps) * model.opt.timestep
        end_s = self._times_s[-1] + self._sample_s
        if starts_s[-1] + SLACK * self._sample_s >= end_s:
            end = f"the recording ends at {end_s:g} s, the run at {starts_s[-1] + model.opt.timestep:g} s"
            raise ValueError(f"{end}; allowed: one that lasts as long")
        rows = np.searchsorted(self._times_s, starts_s + SLACK * self._sample_s, side="right") - 1
        rows, control, values = rows.tolist(), data.ctrl, self._values

        def before(step: int) -> None:
            control[:] = values[rows[step]]

        return before


class FunctionControl:
    """A function of (model, data) that is called at its own rate and either sets data.ctrl or returns the controls (nu,).

    It is called when `rate_s` has passed since its last call, and for the first time before the first step. What it reads of
    data is what it would find in a loop around `mj_step`: positions are new, what follows from them is of the step before.
    """

    def __init__(self, load: Callable[[], Callable], rate_s: float) -> None:
        """load: gives the function anew for each run, so that what it remembers of one run is not in the next."""
        if not 0 < rate_s < np.inf:
            raise ValueError(f"control.rate_s is {rate_s}; allowed: a finite number of seconds above 0")
        self._load, self._rate_s = load, rate_s

    def begin(self, model: mujoco.MjModel, data: mujoco.MjData, steps: int) -> Before:
        """As `Control.begin`. The function finds the start worked out, as after `mj_forward`, and the solver as it was."""
        function, warmstart = self._load(), data.qacc_warmstart.copy()
        mujoco.mj_forward(model, data)
        data.qacc_warmstart[:] = warmstart  # before 3.3.6 mj_forward moved it on
        calls = ((np.arange(steps) * model.opt.timestep) / self._rate_s + SLACK) // 1
        due = np.diff(calls, prepend=-1).astype(bool).tolist()

        def before(step: int) -> None:
            if due[step]:
                _give(model, data, function(model, data))

        return before


def _give(model: mujoco.MjModel, data: mujoco.MjData, returned: ArrayLike | None) -> None:
    if returned is not None:
        controls = np.asarray(returned, dtype=float)
        if controls.shape != (model.nu,):
            raise ValueError(f"the control returned an array of {controls.shape}; allowed: ({model.nu},), or nothing")
        data.ctrl[:] = controls
    for actuator in np.flatnonzero(~np.isfinite(data.ctrl)):
        name = model.actuator(int(actuator)).name
        raise ValueError(
            f"the control gave actuator {name!r} {data.ctrl[actuator]} at {data.time:g} s; allowed: finite numbers"
        )


def _require_actuators(model: mujoco.MjModel, names: Sequence[str]) -> None:
    for name in names:
        single_actuator(model, name)
    known = [model.actuator(index).name for index in range(model.nu)]
    missing = [name for name in known if name not in names]
    if missing or len(set(names)) < len(names):
        fault = f"lacks {', '.join(missing)}" if missing else "has an actuator twice"
        raise ValueError(f"the recording {fault}; allowed: each actuator of the model once")
