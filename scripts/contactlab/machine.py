"""The state machine of a scripted pick: what each state commands, and when it ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:  # importing it would import mujoco, which nothing here needs
    from contactlab.task import Task


def minimum_jerk(u: ArrayLike) -> np.ndarray:
    """Blend from 0 to 1 over u in [0, 1], constant outside, with no velocity and no acceleration at either end.

    Source: Flash & Hogan, The coordination of arm movements (1985); lesson 16, step 4.
    """
    u = np.clip(u, 0.0, 1.0)
    return u * u * u * (10.0 + u * (6.0 * u - 15.0))


class Sensors(Protocol):
    """What the state machine asks while the jaws close, and only as far as its decision needs it."""

    def jaw_speed_rad_s(self) -> float:
        """Speed of the moving jaw."""

    def touches_both(self) -> bool:
        """Whether both jaws press on the cube."""

    def cube_m(self) -> np.ndarray:
        """(2,) where the cube's centre is along the floor."""


class PickMachine:
    """settle, pre, down, close, lift, hold, done: one move of all controls for each state, and when to go on.

    Every state ends by the clock but `close`. That ends when the jaw, with both jaws in contact, has stayed still for a
    time after its ramp, or at its time-out, or, with `task.close_fixed_s`, at that time. `close_time_s` is the time it took,
    None as long as no grip has formed.

    `waypoints` maps "home", "pre", "down", "closed", "lift" and "turned" to control vectors (nu,). With `task.reapproach_m`, a
    cube that the closing jaws push away is let go: the arm retreats the way it came, and `replan` gives the waypoints to the
    cube's new place, (2,), or None where it is out of reach; then the pick goes on with what it has.
    """

    STATES = ("settle", "pre", "down", "close", "lift", "hold", "done")
    MOVES = MappingProxyType(
        {
            "settle": ("home", "home"),
            "pre": ("home", "pre"),
            "down": ("pre", "down"),
            "close": ("down", "closed"),
            "lift": ("closed", "lift"),
            "hold": ("lift", "turned"),
        }
    )
    # The clock adds up time steps and so misses a duration by some units in the last place.
    CLOCK_SLACK_S = 1e-9

    DURATIONS = MappingProxyType({"close": "close_ramp_s", "retreat": "down_s"})

    def __init__(
        self,
        waypoints: dict[str, np.ndarray],
        task: Task,
        now_s: float = 0.0,
        replan: Callable[[np.ndarray], dict[str, np.ndarray] | None] = lambda cube_m: None,
    ) -> None:
        self._task, self._replan = task, replan
        self._plan(waypoints)
        self._still_since_s = self._cube_m = None
        self.close_time_s = None
        self.reapproaches = 0
        self._enter("settle", now_s)

    def _plan(self, waypoints: dict[str, np.ndarray]) -> None:
        self._waypoints = waypoints
        self._moves = {
            state: (waypoints[start], waypoints[end] - waypoints[start]) for state, (start, end) in self.MOVES.items()
        }

    def _enter(self, state: str, now_s: float) -> None:
        self.state, self._entered_s = state, now_s
        if state != "done":
            self._start, self._way = self._moves[state]
            self._duration_s = getattr(self._task, self.DURATIONS.get(state, f"{state}_s"))

    def _advance(self, now_s: float) -> None:
        self._enter(self.STATES[self.STATES.index(self.state) + 1], now_s)

    @property
    def senses(self) -> bool:
        """Whether the present state may end at any step, by what the jaws feel; the others end by the clock."""
        return self.state == "close"

    def elapsed_s(self, now_s: float) -> float:
        """Time since the present state began."""
        return now_s - self._entered_s

    def command(self, now_s: ArrayLike) -> np.ndarray:
        """(..., nu) the controls for the steps of the present state that start at the times `now_s` (...,)."""
        blend = minimum_jerk((np.asarray(now_s) - self._entered_s) / self._duration_s)
        return self._way * blend[..., None] + self._start

    def commands(self, now_s: float, timestep_s: float) -> np.ndarray:
        """(n, nu) the same for each step from `now_s` on, of as many as the present state has: `close` may end before its last.

        Times are added up as the engine's clock adds them up.
        """
        longest_s = max(self._task.close_timeout_s, self._task.close_fixed_s) if self.senses else self._duration_s
        starts_s = np.full(1 + math.ceil(longest_s / timestep_s), timestep_s)
        starts_s[0] = now_s
        starts_s = starts_s.cumsum()
        steps = np.count_nonzero(starts_s - self._entered_s < longest_s - self.CLOCK_SLACK_S)
        return self.command(starts_s[: max(1, steps)])

    def update(self, now_s: float, sensors: Sensors) -> None:
        """Go on to the next state if it is time; to be called after each step, or where nothing is sensed after the last."""
        elapsed_s = now_s - self._entered_s
        if self.senses:
            self._update_close(now_s, elapsed_s, sensors)
        elif elapsed_s >= self._duration_s - self.CLOCK_SLACK_S:
            if self.state == "retreat":
                self._approach_anew(now_s, sensors.cube_m())
            else:
                self._advance(now_s)

    def _approach_anew(self, now_s: float, cube_m: np.ndarray) -> None:
        """From over the cube's old place to its new one, if that can be reached."""
        before = self._waypoints["pre"]
        self._plan(self._replan(cube_m) or self._waypoints)
        self._moves["pre"] = (before, self._waypoints["pre"] - before)
        self._enter("pre", now_s)

    def _pushed_away(self, sensors: Sensors) -> bool:
        """Whether the closing jaws have moved the cube so far that it is approached anew."""
        task = self._task
        if not task.reapproach_m or self.reapproaches == task.reapproaches:
            return False
        if self._cube_m is None:
            self._cube_m = sensors.cube_m()
        return float(np.linalg.norm(sensors.cube_m() - self._cube_m)) > task.reapproach_m

    def _retreat(self, now_s: float) -> None:
        self.reapproaches += 1
        self._still_since_s = self._cube_m = None
        now = self.command(now_s)
        self._moves["retreat"] = (now, self._waypoints["pre"] - now)
        self._enter("retreat", now_s)

    def _update_close(self, now_s: float, elapsed_s: float, sensors: Sensors) -> None:
        task = self._task
        if self._pushed_away(sensors):
            self._retreat(now_s)
        elif task.close_fixed_s:
            if elapsed_s >= task.close_fixed_s - self.CLOCK_SLACK_S:
                self.close_time_s = elapsed_s if sensors.touches_both() else None
                self._advance(now_s)
        else:
            self._sense_grip(now_s, elapsed_s, sensors)

    def _sense_grip(self, now_s: float, elapsed_s: float, sensors: Sensors) -> None:
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
