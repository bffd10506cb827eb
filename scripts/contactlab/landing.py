"""How a falling body meets the table: touch and proximity, depth, force and rebound, and how still it lies in the end.

docs/contacts.md defines each word. Contacts, depths and forces are those that the engine found where a step started.
"""

import math
from collections.abc import Sequence
from operator import attrgetter

import mujoco
import numpy as np

from contactlab.contacts import Record, SolverLimits, geom_label

REST_S = 0.2  # the last part of a run, in which a body may be at rest: free fall would move it by 5 mm at least
STILL_M, STILL_RAD = 1e-3, 0.02  # it lies still where it stays within 1 mm, and turns by no more than about 1 degree
DIVERGED = "diverged"
DIVERGENCE = ("BADQPOS", "BADQVEL", "BADQACC")  # the warnings of a state that the engine cannot go on from


def contact_of(records: Sequence[Record]) -> Record | None:
    """The contact among the records of one step: the deepest touch; where nothing presses, the deepest overlap in the solver.

    A body that parts from what it overlaps faster than the contact's spring pushes is in contact, and no force acts.
    """
    found = [record for record in records if record.normal_N]
    if not found:
        found = [record for record in records if record.normal_N is not None and record.depth_m > 0]
    return min(found, key=attrgetter("distance_m"), default=None)


def way_through(first_normal: float | None) -> str:
    """How the contact failed with a body that went through: "missed contact", "wrong side", "too soft" or "pushed aside".

    first_normal: of the first contact that acts, the part of its unit normal that points back to the body's own side; None
    where there was none. Pushed aside: it points less along the thin axis than across, as only an edge can.
    """
    if first_normal is None:
        return "missed contact"
    if abs(first_normal) < math.sqrt(0.5):
        return "pushed aside"
    return "wrong side" if first_normal < 0 else "too soft"


def crossing(before: Sequence[float], after: Sequence[float], middle: float) -> tuple[float, float]:
    """Where, along x and y, a point went through the plane z = `middle` on the line between two places (3,) beside it."""
    part = (before[2] - middle) / (before[2] - after[2])
    return tuple(before[axis] + part * (after[axis] - before[axis]) for axis in (0, 1))


class Rebound:
    """The vertical motion of a body's centre from its first contact on, state by state; speeds are upward, in m/s.

    The body parts from the table in the first state that is out of contact, above the table's mid-plane and on its way up.
    """

    def __init__(self, middle_m: float) -> None:
        self._middle_m = middle_m
        self._approach = self._parting = None
        self._from_m = self._top_m = 0.0
        self._in_contact = self._ended = self._rising = False

    def see(self, in_contact: bool, height_m: float, speed: float) -> None:
        """Take in a state: whether the body is in contact in it, its height and its speed."""
        self._in_contact = in_contact
        if self._approach is None:
            if in_contact:
                self._approach = speed
        elif self._parting is None:
            if not in_contact and speed > 0 and height_m > self._middle_m:
                self._parting, self._from_m, self._top_m = speed, height_m, height_m
        elif not self._ended:
            self._ended, self._rising = in_contact, speed > 0
            self._top_m = max(self._top_m, height_m)

    def summary(self, at_rest: bool) -> dict:
        """Downward speed before the first contact, upward speed after it, their ratio, and how far the centre then rose.

        A body that never parted and is at rest in contact has not rebounded: 0. Else what did not happen, or not to its end, is
        unknown.
        """
        parting = 0.0 if self._parting is None and at_rest and self._in_contact else self._parting
        known = parting is not None and (self._ended or not self._rising)
        falls = self._approach is not None and self._approach < 0
        return {
            "approach_speed_m_per_s": None if self._approach is None else -self._approach,
            "rebound_speed_m_per_s": parting,
            "rebound_height_m": self._top_m - self._from_m if known else None,
            "restitution": -parting / self._approach if falls and parting is not None else None,
        }


class Rest:
    """The last part of a run: whether the body lies still, on what, with what force and how deep."""

    def __init__(self) -> None:
        self._poses, self._forces_N, self._depths_m, self._touching = [], [], [], []

    def see(self, records: list[Record], pose: Sequence[float]) -> None:
        """Take in a step: the records of the body with anything, and its pose (7,) after the step."""
        self._touching = [record for record in records if record.normal_N]
        self._poses.append(pose)
        self._forces_N.append(sum(record.normal_N for record in self._touching))
        self._depths_m.append(max([0.0, *(record.depth_m for record in records)]))

    def summary(self, model: mujoco.MjModel) -> dict:
        """At rest the body touches something and moves and turns by less than STILL_M and STILL_RAD; jitter is by how much."""
        jitter_m, jitter_rad = spread(np.array(self._poses)) if len(self._poses) > 1 else (math.inf, math.inf)
        force_N = sum(self._forces_N) / max(1, len(self._forces_N))
        at_rest = jitter_m <= STILL_M and jitter_rad <= STILL_RAD and 0 < force_N < math.inf
        found = {
            "rests_on": ", ".join(sorted({geom_label(model, record.other) for record in self._touching})),
            "rest_contacts": len(self._touching),
            "rest_force_N": force_N,
            "rest_depth_m": sum(self._depths_m) / max(1, len(self._depths_m)),
            "jitter_m": jitter_m,
            "jitter_rad": jitter_rad,
        }
        return {"at_rest": at_rest} | (found if at_rest else dict.fromkeys(found))


def spread(poses: np.ndarray) -> tuple[float, float]:
    """Of poses (n, 7), a centre in m and a quaternion wxyz: the largest distance of a centre from their mean, and the largest
    angle in rad by which one is turned from the last.
    """
    centres, quats = poses[:, :3], poses[:, 3:]
    # Two unit quaternions are 2 sin(angle / 4) apart; q and -q are one orientation.
    apart = np.minimum(np.linalg.norm(quats - quats[-1], axis=1), np.linalg.norm(quats + quats[-1], axis=1)).max()
    distance_m = np.linalg.norm(centres - centres.mean(axis=0), axis=1).max()
    return float(distance_m), float(4 * np.arcsin(apart / 2))


class Landing:
    """What a run sees of a body's meeting with the table, step by step.

    table: the table's geom
    steps: how many steps the run will have, of the model's timestep
    limits: what is shown every step by itself
    """

    def __init__(self, model: mujoco.MjModel, table: int, steps: int) -> None:
        self._model, self._table = model, table
        self._rest_from = steps - max(1, round(REST_S / model.opt.timestep))
        self._near_s = self._touch_s = None
        self._depth_m = self._depth_elsewhere_m = self._force_N = 0.0
        self.limits, self._rest, self._rebound = SolverLimits(model), Rest(), Rebound(float(model.geom_pos[table, 2]))

    def see(self, step: int, data: mujoco.MjData, records: list[Record], in_contact: bool, before: tuple, pose: list) -> None:
        """Take in a step: the records of the body with anything, whether it is in contact with the table, its height and its
        upward speed in m and m/s before the step, and its pose after it.
        """
        if records:
            self._see_records(records, data.time)
        self._rebound.see(in_contact, *before)
        if step >= self._rest_from:
            self._rest.see(records, pose)

    def _see_records(self, records: list[Record], time_s: float) -> None:
        force_N, table, near = 0.0, self._table, False
        for _, other, _, _, depth_m, normal_N in records:
            if other != table:
                self._depth_elsewhere_m = max(self._depth_elsewhere_m, depth_m)
                continue
            near = True
            self._depth_m = max(self._depth_m, depth_m)
            force_N += normal_N or 0.0
        if force_N > 0:
            self._force_N = max(self._force_N, force_N)
            self._touch_s = time_s if self._touch_s is None else self._touch_s
        elif near and self._near_s is None:
            self._near_s = time_s

    def result(self, outcome: str) -> dict:
        """What was seen, in SI units; of a run that diverged nothing is said of its rebound and its rest."""
        rest = self._rest.summary(self._model)
        rebound = self._rebound.summary(rest["at_rest"])
        seen = {
            "touched": self._touch_s is not None,
            "first_touch_time_s": self._touch_s,
            "proximity_seen": self._near_s is not None,
            "first_proximity_time_s": self._near_s,
            "largest_depth_m": self._depth_m,
            "largest_depth_elsewhere_m": self._depth_elsewhere_m,
            "largest_force_N": self._force_N if math.isfinite(self._force_N) else None,
        }
        known = rebound | rest
        return seen | (dict.fromkeys(known) if outcome == DIVERGED else known) | self.limits.summary()
