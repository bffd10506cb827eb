"""What every simulation run records beside its result: its final state's digest, the engine's warnings, marks of its steps."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

import mujoco
import numpy as np

from contactlab.marks import mark


def state_bytes(data: mujoco.MjData) -> bytes:
    """The raw bytes of qpos, qvel, act and time."""
    return b"".join(array.tobytes() for array in (data.qpos, data.qvel, data.act, np.float64(data.time)))


def state_digest(data: mujoco.MjData) -> str:
    """SHA-256, in hex, over the state's bytes: equal digests mean bitwise equal final states."""
    return hashlib.sha256(state_bytes(data)).hexdigest()


@contextmanager
def marked_steps() -> Iterator[bytearray]:
    """Marks of the initial state and of the state after every `mj_step`, for the first data that is stepped inside the block.

    `mujoco.mj_step` is what changes, so that no experiment has to know that it is watched. The data that comes first is the run
    that is measured; an experiment may step others beside it, to compare with.
    """
    marks, watched, step = bytearray(), [], mujoco.mj_step

    def marking_step(model: mujoco.MjModel, data: mujoco.MjData, nstep: int = 1) -> None:
        if not watched:
            watched.append(data)
            marks.extend(mark(state_bytes(data)))
        if data is not watched[0]:
            step(model, data, nstep)
            return
        for _ in range(nstep):
            step(model, data)
            marks.extend(mark(state_bytes(data)))

    mujoco.mj_step = marking_step
    try:
        yield marks
    finally:
        mujoco.mj_step = step


@contextmanager
def captured_warnings() -> Iterator[list[str]]:
    """The texts MuJoCo warns with inside the block, which then reach neither stderr nor a MUJOCO_LOG.TXT.

    Some warnings, such as a non-convex line search, are in no counter of mjData: only this hook sees them.
    """
    texts: list[str] = []
    mujoco.set_mju_user_warning(texts.append)
    try:
        yield texts
    finally:
        mujoco.set_mju_user_warning(None)


def warning_counts(data: mujoco.MjData) -> dict[str, int]:
    """The counters of `data.warning` that are not zero, by mjtWarning's names without their prefix: {"BADQACC": 3}."""
    return {
        name.removeprefix("mjWARN_"): int(data.warning[kind].number)
        for name, kind in mujoco.mjtWarning.__members__.items()
        if name.startswith("mjWARN_") and data.warning[kind].number
    }


def integrator(name: str) -> mujoco.mjtIntegrator:
    """The engine's integrator by the name it has in MJCF. Raises ValueError where this engine has none of that name."""
    kinds = {kind.removeprefix("mjINT_").lower(): value for kind, value in mujoco.mjtIntegrator.__members__.items()}
    if name.lower() not in kinds:
        raise ValueError(f"integrator {name!r}: MuJoCo {mujoco.__version__} has {', '.join(sorted(kinds))}")
    return kinds[name.lower()]
