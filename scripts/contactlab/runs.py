"""What a run records beside its result: digests of its model and its final state, the engine's warnings, marks of its steps."""

import functools
import hashlib
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import mujoco
import numpy as np

from contactlab.marks import mark

NOT_PHYSICS = ("npaths", "signature")  # the length of file names, and a mark that a compiled file loses

_spelled = functools.cache(str)  # NumPy takes as long to spell the dtypes of a model as SHA-256 to read its arrays


def state_bytes(data: mujoco.MjData) -> bytes:
    """The raw bytes of qpos, qvel, act and time."""
    return b"".join(array.tobytes() for array in (data.qpos, data.qvel, data.act, np.float64(data.time)))


def state_digest(data: mujoco.MjData) -> str:
    """SHA-256, in hex, over the state's bytes: equal digests mean bitwise equal final states."""
    return hashlib.sha256(state_bytes(data)).hexdigest()


@contextmanager
def marked_steps() -> Iterator[bytearray]:
    """Marks of the initial state and of the state after every `mj_step`, for the first data that is stepped inside the block.

    `mujoco.mj_step` is replaced inside the block, so that no experiment has to know that it is watched. The first data that is
    stepped is the measured run; an experiment may step others, to compare with.
    """
    marks, watched, step = bytearray(), [], mujoco.mj_step

    def marking_step(model: mujoco.MjModel, data: mujoco.MjData, nstep: int = 1) -> None:
        if not watched:
            watched.extend((data, _marking(data)))
            marks.extend(watched[1]())
        if data is not watched[0]:
            step(model, data, nstep)
            return
        for _ in range(nstep):
            step(model, data)
            marks.extend(watched[1]())

    mujoco.mj_step = marking_step
    try:
        yield marks
    finally:
        mujoco.mj_step = step


def _marking(data: mujoco.MjData) -> Callable[[], bytes]:
    """What gives the mark of `state_bytes` of this data, without copying them."""
    state = [memoryview(array) for array in (data.qpos, data.qvel, data.act)]
    return lambda: mark(*state, struct.pack("d", data.time))


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


def physics_digest(model: mujoco.MjModel) -> str:
    """SHA-256, in hex, over the options and all arrays of a compiled model in the order of their names.

    The places of files are no part of it, so that equal digests mean equal physics wherever the model was compiled.
    """
    sha = hashlib.sha256()
    for name, array in (*_arrays(model), *_arrays(model.opt)):
        sha.update(f"{name} {_spelled(array.dtype)} {array.shape}".encode())
        sha.update(np.ascontiguousarray(array))
    return sha.hexdigest()


def _arrays(struct: mujoco.MjModel | mujoco.MjOption) -> Iterator[tuple[str, np.ndarray]]:
    for name in dir(struct):
        value = None if name.startswith("_") or name.endswith("pathadr") or name in NOT_PHYSICS else getattr(struct, name)
        if isinstance(value, int | float | np.ndarray):
            yield name, np.asarray(value)
