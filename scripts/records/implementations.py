"""MuJoCo's physics in other programs: the axes of their engines, and what each lacks, told before anything runs.

What an implementation accepts and never reads is lacking too, and so is what it first fails on when its program is compiled.
Source: the code of mujoco-mjx 3.17.0 (io.py, forward.py, types.py) and of mujoco-warp 3.17.0 (io.py, types.py), which refuse or
skip it there.
"""

from collections.abc import Callable, Iterator

from records import engines, settings

AXES = {"mjx": {"dtype": ["float64", "float32"]}, "warp": {"nativeccd": ["enable", "disable"]}}

Refusal = tuple[Callable[[object], bool], str, str]  # whether a value is lacking, why, and what is allowed


def _is(*values) -> Callable[[object], bool]:
    return lambda value: value in values


def _is_not(allowed) -> Callable[[object], bool]:
    return lambda value: value != allowed


LACKING: dict[str, dict[str, Refusal]] = {
    "mjx": {
        "integrator": (
            _is("implicit", "discrete"), "has no step for it, and says so of discrete only when it is compiled",
            "Euler, RK4, implicitfast",
        ),
        "solver": (_is("PGS"), "does not have it", "Newton, CG"),
        "noslip_iterations": (_is_not(0), "accepts it and never reads it", "0"),
        "speculative": (_is(True), "does not have it", "false"),
    },
    "warp": {
        "solver": (_is("PGS"), "does not have it", "Newton, CG"),
        "speculative": (_is(True), "does not have it", "false"),
    },
}  # fmt: skip
# Two settings that an implementation has, and not together: each is (axis, value, other axis, its allowed value).
TOGETHER = {
    "mjx": [("cone", "elliptic", "condim", _is(1))],
    "warp": [("integrator", "discrete", "noslip_iterations", _is_not(0))],
}


def lacks(engine: str, cell: dict) -> Iterator[tuple[str, str, str]]:
    """What an implementation lacks of a cell's settings: the axis, what is wrong, and what is allowed."""
    name = engines.implementation(engine)
    for axis, (is_lacking, why, allowed) in LACKING[name].items():
        if axis in cell and is_lacking(cell[axis]):
            yield axis, f"{settings.to_word(cell[axis])}, and {engine} {why}", allowed
    for axis, value, other, is_lacking in TOGETHER[name]:
        if cell.get(axis) == value and other in cell and is_lacking(cell[other]):
            yield axis, f"{value}, and {engine} has it only without {other}={settings.to_word(cell[other])}", "one of the two"


def hindrance(engine: str, cell: dict) -> str:
    """The first of these as one line; empty for a cell that the implementation can run."""
    return next((f"{axis} is {found}; allowed: {allowed}" for axis, found, allowed in lacks(engine, cell)), "")
