"""What every simulation run records beside its result: the digest of its final state and the engine's warnings."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

import mujoco
import numpy as np


def state_digest(data: mujoco.MjData) -> str:
    """SHA-256, in hex, over the raw bytes of qpos, qvel, act and time: equal digests mean bitwise equal final states."""
    sha = hashlib.sha256()
    for array in (data.qpos, data.qvel, data.act, np.float64(data.time)):
        sha.update(array.tobytes())
    return sha.hexdigest()


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
