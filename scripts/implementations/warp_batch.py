"""Worlds that share their static model, stepped as one program by MuJoCo Warp, and what each left.

Source: MuJoCo documentation, MuJoCo Warp.
"""

import os
import sys
from copy import copy
from itertools import pairwise
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

    Worlds that have had all their steps are left out of the program from there on: what the others do does not depend on them.

    nativeccd: enable for Warp's convex collider of two boxes, its default; disable for its analytic one

    Raises ValueError where the worlds differ in what one program has only once.
    """
    model, moving = _batched([with_collider(world.model, nativeccd) for world in worlds])
    fields = {name: np.array([world.start[name] for world in worlds]) for name, value in worlds[0].start.items() if value.size}
    parts, overflow = [], np.zeros(len(worlds), dtype=int)
    for first, last in pairwise(sorted({0, *(world.steps for world in worlds)})):
        active = np.flatnonzero([world.steps >= last for world in worlds])
        _choose(model, moving, active)
        data = mujoco_warp.make_data(worlds[0].model, nworld=len(active), nconmax=CONTACTS, njmax=ROWS)
        for name, values in fields.items():
            getattr(data, name).assign(values[active])
        parts.append((active, *_steps(model, data, [worlds[place] for place in active], range(first, last))))
        for name, values in fields.items():
            values[active] = getattr(data, name).numpy()
        overflow[active] |= data.overflow.numpy()
    device = warp.get_device()
    return [_recording(world, place, parts) for place, world in enumerate(worlds)], {
        "versions": {"mujoco-warp": mujoco_warp.__version__, "warp-lang": warp.__version__},
        "backend": "cuda" if device.is_cuda else "cpu",
        "device": device.name,
        "contacts_reserved": CONTACTS,
        "overflow": [_overflow_of(bits) for bits in overflow.tolist()],
    }


def with_collider(model: mujoco.MjModel, nativeccd: str) -> mujoco.MjModel:
    """The model with the flag that chooses Warp's collider of two boxes, set in it. Raises ValueError for another value."""
    if nativeccd not in ("enable", "disable"):
        raise ValueError(f"nativeccd is {nativeccd}; allowed: enable, disable")
    if nativeccd == "disable":
        model = copy(model)
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_NATIVECCD
    return model


def _batched(models: list[mujoco.MjModel]) -> tuple[mujoco_warp.Model, dict[str, np.ndarray]]:
    """One model, and what differs from world to world: by attribute an array whose first axis is the world."""
    put, moving = [mujoco_warp.put_model(model) for model in models], {}
    for name in differing(models):
        values = [_attribute(model, name) for model in put]
        if values[0] is None:  # what Warp lacks it does not read
            continue
        if not isinstance(values[0], warp.array) or values[0].shape[0] != 1:
            raise ValueError(f"Warp has one {name} for all worlds; allowed in one batch: what all of its worlds share")
        moving[name] = np.concatenate([value.numpy() for value in values])
    return put[0], moving


def _attribute(model: mujoco_warp.Model, name: str) -> object:
    """An attribute of a model or of one of its parts; None where there is none."""
    for part in name.split("."):
        model = getattr(model, part, None)
    return model


def _choose(model: mujoco_warp.Model, moving: dict[str, np.ndarray], active: np.ndarray) -> None:
    """Give a model what differs between some worlds, (n,) of all."""
    for name, values in moving.items():
        *path, last = name.split(".")
        owner = getattr(model, path[0]) if path else model
        setattr(owner, last, warp.array(values[active], dtype=getattr(owner, last).dtype))


def _steps(
    model: mujoco_warp.Model, data: mujoco_warp.Data, worlds: list[World], steps: range
) -> tuple[dict[str, np.ndarray], np.ndarray, Contacts]:
    """Take some steps of n worlds: the states after each, (steps, n, ...), and all contacts behind the world of each."""
    states, found = {"qpos": [], "qvel": [], "xpos": []}, []
    pyramidal = worlds[0].model.opt.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL
    for step in steps:
        if worlds[0].controls is not None:
            data.ctrl.assign(np.array([world.controls[step] for world in worlds]))
        mujoco_warp.step(model, data)
        for name, values in states.items():
            values.append(getattr(data, name).numpy().copy())
        found.append(_found(step, data, pyramidal))
    states = {name: np.array(values, dtype=float) for name, values in states.items()}
    return states, np.concatenate([world for world, _ in found]), joined([contacts for _, contacts in found])


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


def _recording(world: World, place: int, parts: list[tuple]) -> Recording:
    """The recording of one world: parts are (n,) numbers of worlds, and what `_steps` gives of them."""
    own = [
        (int(np.flatnonzero(active == place)[0]), states, of, every) for active, states, of, every in parts if place in active
    ]
    states = {name: np.concatenate([states[name][:, at] for at, states, _, _ in own]) for name in ("qpos", "qvel", "xpos")}
    start = {name: np.concatenate([world.start[name][None], states[name]]) for name in ("qpos", "qvel")}
    return Recording(**start, found_m=states["xpos"], contacts=joined([every.chosen(of == at) for at, _, of, every in own]))


def _overflow_of(bits: int) -> list[str]:
    """The names of what was too small for a world, in Warp's words; a solver at its limit is no shortage of memory."""
    limits = mujoco_warp.OverflowType.ITERATIONS | mujoco_warp.OverflowType.LS_ITERATIONS
    return [kind.name for kind in mujoco_warp.OverflowType if kind.name not in ("NONE", "ALL") and bits & kind & ~limits]
