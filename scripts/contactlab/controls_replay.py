"""Chapter 5's faults in other programs: each measured run of a scan as a world, and its recording told as the scan tells it.

Neither MJX nor MuJoCo Warp has the automatic reset of a bad state, nor warning counters. A world has neither, so the rows of a
scan with `autoreset` enabled and disabled are the same run there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy

import mujoco
import numpy as np

from contactlab import controls
from contactlab.recording import Recording, World, fields_of, times_s
from contactlab.runs import physics_digest

SCANS = ("nan", "state", "clamp")  # one measured run a row; the others compare several runs within a row
AUTORESET = int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)

Watched = tuple[World, controls.Recording]  # where a run starts, and what MuJoCo's own run left


def watched(scan: str, settings: dict) -> tuple[list[Watched], list[dict]]:
    """The measured run of every row of a scan, and the rows as MuJoCo's own run gives them."""
    with _watching() as found:
        rows = controls.SCANS[scan](settings)
    return found, rows


@contextmanager
def _watching() -> Iterator[list[Watched]]:
    """The runs that are recorded inside the block.

    `controls.record` is replaced there, so that no scan has to know that it is watched.
    """
    found: list[Watched] = []
    plain = controls.record

    def watching(model: mujoco.MjModel, data: mujoco.MjData, steps: int) -> controls.Recording:
        world = World(without_autoreset(model), fields_of(data), steps)
        run = plain(model, data, steps)
        found.append((world, run))
        return run

    controls.record = watching
    try:
        yield found
    finally:
        controls.record = plain


def without_autoreset(model: mujoco.MjModel) -> mujoco.MjModel:
    """The model without the flag that says whether a bad state is reset, which the implementations do not know."""
    model = copy(model)
    model.opt.disableflags &= ~AUTORESET
    return model


def programs(worlds: list[World]) -> list[list[int]]:
    """The places of the worlds of one model, which are one program."""
    found: dict[str, list[int]] = {}
    for place, world in enumerate(worlds):
        found.setdefault(physics_digest(world.model), []).append(place)
    return list(found.values())


def told(world: World, recording: Recording, own: controls.Recording) -> dict:
    """The columns that `controls` tells of a state and its clock, and how far a channel was from where `own` has it at most.

    No warning is counted, as nothing there counts any. A channel that is not finite in either run has no distance.
    """
    time_s = np.concatenate([[0.0], times_s(world.model.opt.timestep, recording.steps)])
    warnings = np.zeros((recording.steps + 1, len(controls.WARNINGS)), dtype=int)
    run = controls.Recording(recording.qpos, recording.qvel, time_s, warnings)
    apart_m = np.abs(own.qpos - recording.qpos).max(axis=0)
    finite = apart_m[np.isfinite(apart_m)]
    return controls.state_columns(run) | {"largest_apart_m": float(finite.max()) if len(finite) else None}
