"""The state machine of a scripted pick: what each state commands, and when it ends."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:  # importing it would import mujoco, which nothing here needs
    from contactlab.task import Task


def minimum_jerk(u: float) -> float:
    """Blend from 0 to 1 over u in [0, 1], constant outside, with no velocity and no acceleration at either end.

    Source: Flash & Hogan, The coordination of arm movements (1985); lesson 16, step 4.
    """
    u = min(max(u, 0.0), 1.0)
    return u * u * u * (10.0 + u * (6.0 * u - 15.0))


class Sensors(Protocol):
    """What the state machine asks while the jaws close, and only as far as its decision needs it."""

    def jaw_speed_rad_s(self) -> float:
        """Speed of the moving jaw."""

    def touches_both(self) -> bool:
        """Whether both jaws press on the cube."""


class PickMachine:
    """settle, pre, down, close, lift, hold, done: one move of all controls for each state, and when to go on.

    Every state ends by the clock but `close`. That ends when the jaw, with both jaws in contact, has stayed still for a
    time after its ramp, or at its time-out. `close_time_s` is the time it took, None as long as no grip has formed.

    `waypoints` maps "home", "pre", "down", "closed" and "lift" to control vectors (nu,).
    """

    STATES = ("settle", "pre", "down", "close", "lift", "hold", "done")
    MOVES = MappingProxyType(
        {
            "settle": ("home", "home"),
            "pre": ("home", "pre"),
            "down": ("pre", "down"),
            "close": ("down", "closed"),
            "lift": ("closed", "lift"),
            "hold": ("lift", "lift"),
        }
    )
    # The clock adds up time steps and so misses a duration by some units in the last place.
    CLOCK_SLACK_S = 1e-9

    def __init__(self, waypoints: dict[str, np.ndarray], task: Task, now_s: float = 0.0) -> None:
        self._task = task
        self._moves = {
            state: (waypoints[start], waypoints[end] - waypoints[start]) for state, (start, end) in self.MOVES.items()
        }
        self._still_since_s = None
        self.close_time_s = None
        self._enter("settle", now_s)

    def _enter(self, state: str, now_s: float) -> None:
        self.state, self._entered_s = state, now_s
        if state != "done":
            self._start, self._way = self._moves[state]
            self._duration_s = getattr(self._task, "close_ramp_s" if state == "close" else f"{state}_s")

    def _advance(self, now_s: float) -> None:
        self._enter(self.STATES[self.STATES.index(self.state) + 1], now_s)

    def command(self, now_s: float, out: np.ndarray) -> None:
        """Write the controls (nu,) for the step that starts at `now_s` into `out`."""
        np.multiply(self._way, minimum_jerk((now_s - self._entered_s) / self._duration_s), out=out)
        out += self._start

    def update(self, now_s: float, sensors: Sensors) -> None:
        """Go on to the next state if it is time; to be called after each step."""
        elapsed_s = now_s - self._entered_s
        if self.state == "close":
            self._update_close(now_s, elapsed_s, sensors)
        elif elapsed_s >= self._duration_s - self.CLOCK_SLACK_S:
            self._advance(now_s)

    def _update_close(self, now_s: float, elapsed_s: float, sensors: Sensors) -> None:
        task = self._task
        ramp_over = elapsed_s > task.close_ramp_s
        if not (ramp_over and abs(sensors.jaw_speed_rad_s()) < task.still_speed_rad_s and sensors.touches_both()):
            self._still_since_s = None
        elif self._still_since_s is None:
            self._still_since_s = now_s
        if self._still_since_s is not None and now_s - self._still_since_s >= task.still_time_s:
            self.close_time_s = elapsed_s
            self._advance(now_s)
        elif elapsed_s > task.close_timeout_s:
            self._advance(now_s)
