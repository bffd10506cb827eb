"""Worlds that share their static model, stepped as one program by MuJoCo Warp, and what each left.

Source: MuJoCo documentation, MuJoCo Warp.
"""

import os
import sys
from copy import copy
from pathlib import Path

# Compiled kernels are kept with the engine; Warp writes into the home folder unless told.
os.environ["WARP_CACHE_PATH"] = str(Path(sys.prefix) / "cache")

import mujoco
import mujoco_warp
import numpy as np
import warp

from contactlab.recording import UNSOLVED, Contacts, Recording, World, differing, joined

CONTACTS, ROWS = 64, 256  # memory for so many contacts and rows of constraints is reserved for each world
COPIED = {"geoms": "geom", "distance_m": "dist", "normal": "frame", "position_m": "pos"}  # and what Warp calls them


def run(worlds: list[World], nativeccd: str) -> tuple[list[Recording], dict]:
    """The recordings of all worlds, in their order, and what made them.

    nativeccd: enable for Warp's convex collider of two boxes, its default; disable for its analytic one

    Raises ValueError where the worlds differ in what one program has only once.
    """
    warp.config.quiet = True
    model = _batched([with_collider(world.model, nativeccd) for world in worlds])
    data = mujoco_warp.make_data(worlds[0].model, nworld=len(worlds), nconmax=CONTACTS, njmax=ROWS)
    for name, value in worlds[0].start.items():
        if value.size:
            getattr(data, name).assign(np.array([world.start[name] for world in worlds]))
    states, found = {"qpos": [], "qvel": [], "xpos": []}, []
    pyramidal = worlds[0].model.opt.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL
    for step in range(max(world.steps for world in worlds)):
        _control(worlds, data, step)
        mujoco_warp.step(model, data)
        for name, values in states.items():
            values.append(getattr(data, name).numpy().copy())
        found.append(_found(step, data, pyramidal))
    states = {name: np.array(values, dtype=float) for name, values in states.items()}
    device = warp.get_device()
    return _recordings(worlds, states, found), {
        "versions": {"mujoco-warp": mujoco_warp.__version__, "warp-lang": warp.__version__},
        "backend": "cuda" if device.is_cuda else "cpu",
        "device": device.name,
        "contacts_reserved": CONTACTS,
        "overflow": [_overflow_of(bits) for bits in data.overflow.numpy().tolist()],
    }


def with_collider(model: mujoco.MjModel, nativeccd: str) -> mujoco.MjModel:
    """The model with the flag that chooses Warp's collider of two boxes, set in it."""
    if nativeccd == "disable":
        model = copy(model)
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_NATIVECCD
    return model


def _batched(models: list[mujoco.MjModel]) -> mujoco_warp.Model:
    """One model with a first axis on what differs from world to world."""
    put = [mujoco_warp.put_model(model) for model in models]
    for name in differing(models):
        *path, last = name.split(".")
        owners = [getattr(model, path[0], None) if path else model for model in put]
        values = [getattr(owner, last, None) for owner in owners]
        if values[0] is None:  # what Warp lacks it does not read
            continue
        if not isinstance(values[0], warp.array) or values[0].shape[0] != 1:
            raise ValueError(f"Warp has one {name} for all worlds; allowed in one batch: what all of its worlds share")
        stacked = np.concatenate([value.numpy() for value in values])
        setattr(owners[0], last, warp.array(stacked, dtype=values[0].dtype))
    return put[0]


def _control(worlds: list[World], data: mujoco_warp.Data, step: int) -> None:
    """Tell the actuators of all worlds what they are told in this step; a world that has ended keeps its last."""
    if worlds[0].controls is not None:
        data.ctrl.assign(np.array([world.controls[min(step, world.steps - 1)] for world in worlds]))


def _found(step: int, data: mujoco_warp.Data, pyramidal: bool) -> tuple[np.ndarray, Contacts]:
    """The contacts of all worlds in one step, and (n,) the world of each, those of one world together."""
    count = int(data.nacon.numpy()[0])
    world = data.contact.worldid.numpy()[:count]
    order = np.argsort(world, kind="stable")
    world = world[order]
    fields = {name: getattr(data.contact, theirs).numpy()[:count][order] for name, theirs in COPIED.items()}
    fields["normal"] = fields["normal"][:, 0]
    address = data.contact.efc_address.numpy()[:count][order]
    address = address if pyramidal else address[:, :1]
    forces_N = np.where(address >= 0, data.efc.force.numpy()[world[:, None], address], 0.0)
    normal_N = np.where(address[:, 0] >= 0, forces_N.sum(axis=1, dtype=float), UNSOLVED)
    floats = {name: values.astype(int if name == "geoms" else float) for name, values in fields.items()}
    return world, Contacts(step=np.full(count, step), **floats, normal_N=normal_N)


def _recordings(worlds: list[World], states: dict[str, np.ndarray], found: list) -> list[Recording]:
    """states: (steps, worlds, ...) each; found: a pair for each step, as `_found` gives it."""
    every = joined([contacts for _, contacts in found])
    of_world = np.concatenate([world for world, _ in found])
    recordings = []
    for place, world in enumerate(worlds):
        mine = (of_world == place) & (every.step < world.steps)
        own = {name: values[: world.steps, place] for name, values in states.items()}
        start = {name: np.concatenate([world.start[name][None], own[name]]) for name in ("qpos", "qvel")}
        recordings.append(Recording(**start, found_m=own["xpos"], contacts=every.chosen(mine)))
    return recordings


def _overflow_of(bits: int) -> list[str]:
    """The names of what was too small for a world, in Warp's words; a solver at its limit is no shortage of memory."""
    limits = mujoco_warp.OverflowType.ITERATIONS | mujoco_warp.OverflowType.LS_ITERATIONS
    return [kind.name for kind in mujoco_warp.OverflowType if kind.name not in ("NONE", "ALL") and bits & kind & ~limits]
