"""The words of a measure's definition and what they allow, whatever the scene is; nothing here needs MuJoCo.

A measure has one subject and, where it is sampled over time, a reduction:
{"body": "bowl", "quantity": "z_m", "at": "smallest"}.
"""

import math
from collections.abc import Mapping, Sequence

QUANTITIES = {
    "body": ("x_m", "y_m", "z_m", "pos_m", "quat", "tilt_rad", "moved_m", "speed_m_per_s", "spin_rad_s"),
    "joint": ("position", "speed"),
    "actuator": ("force", "control", "length"),
    "contact": ("force_N", "friction_N", "depth_m", "count", "near_count", "slip_m_per_s", "cone_use", "first_time_s"),
}
ENERGY = ("total_J", "potential_J", "kinetic_J")
SOLVER = ("at_iterations", "at_line_search", "iterations_mean")
SUBJECTS = (*QUANTITIES, "sensor", "energy", "passage", "warnings", "solver", "code")
REDUCTIONS = ("end", "start", "largest", "smallest", "mean", "spread")
WHOLE = ("passage", "warnings", "solver")  # of the run as a whole: neither reduced nor drawn over time
LISTS = ("pos_m", "quat")


def subject_of(definition: Mapping) -> str:
    """The one subject of a measure. Raises ValueError where there is none, or more."""
    found = [subject for subject in SUBJECTS if subject in definition]
    if len(found) != 1:
        raise ValueError(f"{' and '.join(found) or 'nothing'} is measured; allowed: one of {', '.join(SUBJECTS)}")
    return found[0]


def require_definition(definition: Mapping, subject: str, duration_s: float = math.inf) -> None:
    """Raises ValueError, in one line, for a measure whose keys or words are not allowed, whatever the model is."""
    words = {"energy": ENERGY, "solver": SOLVER}.get(subject)
    known = {"code": ("function",), **dict.fromkeys(QUANTITIES, ("quantity",))}.get(subject, ())
    known = (subject, *known, *(() if subject in WHOLE else ("at", "from_s", "to_s")))
    for key in definition:
        if key not in known:
            raise ValueError(f"{key} is unknown of a {subject}; allowed: {', '.join(known)}")
    quantity = definition.get("quantity")
    if subject in QUANTITIES and quantity not in QUANTITIES[subject]:
        raise ValueError(f"quantity of a {subject} is {quantity!r}; allowed: {', '.join(QUANTITIES[subject])}")
    if words and definition[subject] not in words:
        raise ValueError(f"{subject} is {definition[subject]!r}; allowed: {', '.join(words)}")
    if subject in ("contact", "passage") and not (isinstance(definition[subject], Sequence) and len(definition[subject]) == 2):
        raise ValueError(f"{subject} is {definition[subject]!r}; allowed: a list of two names")
    if quantity == "first_time_s" and "at" in definition:
        raise ValueError("at has no meaning for first_time_s; allowed: from_s, to_s")
    _require_times(definition, duration_s)


def _require_times(definition: Mapping, duration_s: float) -> None:
    at, from_s, to_s = definition.get("at", "end"), definition.get("from_s", 0.0), definition.get("to_s", math.inf)
    if isinstance(at, str) and at not in REDUCTIONS:
        raise ValueError(f"at is {at!r}; allowed: {', '.join(REDUCTIONS)}, a time in s")
    if not isinstance(at, str) and not 0 <= at <= duration_s:
        raise ValueError(f"at is {at} s; allowed: 0 to {duration_s:g}, how long the run lasts")
    if not 0 <= from_s <= min(to_s, duration_s):
        raise ValueError(f"from_s is {from_s} and to_s {to_s}; allowed: a part of the run of {duration_s:g} s")
