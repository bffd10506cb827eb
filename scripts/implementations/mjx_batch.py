"""Worlds that share their static model, stepped as one program by MJX on JAX, and what each left.

Source: MuJoCo documentation, MuJoCo XLA (MJX).
"""

import os
import sys
from operator import attrgetter
from pathlib import Path

# Compiled programs are kept with the engine and never in the home folder; JAX keeps only what took it a second unless told.
os.environ |= {
    "JAX_COMPILATION_CACHE_DIR": str(Path(sys.prefix) / "cache"),
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
}

import jax
import jax.numpy as jnp
import jaxlib
import mujoco
import numpy as np
from mujoco import mjx

from contactlab.recording import Contacts, Recording, World, differing

CHUNK = 100  # steps of one compiled program, so that it does not depend on how long the runs are


def run(worlds: list[World], dtype: str) -> tuple[list[Recording], dict]:
    """The recordings of all worlds, in their order, and what made them.

    dtype: float32 or float64

    Raises ValueError for another dtype, and where the worlds differ in what one program has only once.
    """
    if dtype not in ("float32", "float64"):
        raise ValueError(f"dtype is {dtype}; allowed: float32, float64")
    jax.config.update("jax_enable_x64", dtype == "float64")
    model, axes = _batched([world.model for world in worlds])
    start = {name: jnp.array([world.start[name] for world in worlds]) for name in worlds[0].start}
    data = jax.vmap(lambda fields: mjx.make_data(worlds[0].model).replace(**fields))(start)
    longest = -(-max(world.steps for world in worlds) // CHUNK) * CHUNK
    controls = _padded(worlds, longest)
    advance = jax.jit(jax.vmap(_chunk, in_axes=(axes, 0, 0)))
    parts = []
    for first in range(0, longest, CHUNK):
        data, seen = advance(model, data, controls[:, first : first + CHUNK])
        parts.append(jax.device_get(seen))
    seen = {name: np.concatenate([part[name] for part in parts], axis=1) for name in parts[0]}
    rows = _rows(data, worlds[0].model.opt.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL)
    recordings = [
        _recording(world, {name: values[place] for name, values in seen.items()}, rows) for place, world in enumerate(worlds)
    ]
    device = jax.devices()[0]
    return recordings, {
        "versions": {"mujoco-mjx": mujoco.__version__, "jax": jax.__version__, "jaxlib": jaxlib.__version__},
        "backend": device.platform,
        "device": device.device_kind,
        "contacts_reserved": len(rows),
        "overflow": [[] for _ in worlds],  # memory is reserved for every contact that there can be
    }


def _batched(models: list[mujoco.MjModel]) -> tuple[mjx.Model, mjx.Model]:
    """One model with a first axis on what differs from world to world, and the same tree with 0 there and None elsewhere."""
    put = [mjx.put_model(model, impl="jax") for model in models]
    read = [name for name in differing(models) if _has(put[0], name)]
    if fixed := [name for name in read if not isinstance(attrgetter(name)(put[0]), jax.Array)]:
        raise ValueError(f"MJX compiles {fixed[0]} into its program; allowed in one batch: what all of its worlds share")
    stacked = {name: jnp.stack([attrgetter(name)(model) for model in put]) for name in read}
    nowhere = jax.tree.map(lambda leaf: None, put[0])
    return put[0].tree_replace(stacked), nowhere.tree_replace(dict.fromkeys(stacked, 0))


def _has(model: mjx.Model, name: str) -> bool:
    """Whether MJX's model has an attribute at all; what it lacks, such as a camera's aperture, it does not read."""
    try:
        attrgetter(name)(model)
    except AttributeError:
        return False
    return True


def _padded(worlds: list[World], steps: int) -> jax.Array:
    """(worlds, steps, nu) the controls of all worlds, the last one on and on behind a world's own end."""
    given = [world.start["ctrl"][None] if world.controls is None else world.controls[: world.steps] for world in worlds]
    return jnp.array([np.concatenate([own, np.repeat(own[-1:], steps - len(own), axis=0)]) for own in given])


def _chunk(model: mjx.Model, data: mjx.Data, controls: jax.Array) -> tuple[mjx.Data, dict]:
    """CHUNK steps of one world, and what each left."""

    def step(data, control):
        data = mjx.step(model, data.replace(ctrl=control))
        contact = data._impl.contact
        found = {
            "geoms": contact.geom,
            "distance_m": contact.dist,
            "margin_m": contact.includemargin,
            "normal": contact.frame[:, 0],
            "position_m": contact.pos,
        }
        return data, {"qpos": data.qpos, "qvel": data.qvel, "found_m": data.xpos, "force_N": data._impl.efc_force} | found

    return jax.lax.scan(step, data, controls)


def _rows(data: mjx.Data, pyramidal: bool) -> list[slice]:
    """The rows of the constraint forces that add up to each contact's normal force."""
    contact = data._impl.contact
    address, dim = (np.asarray(value).reshape(-1) for value in (contact.efc_address, contact.dim))
    counts = np.where(pyramidal & (dim > 1), 2 * (dim - 1), 1)
    return [slice(start, start + count) for start, count in zip(address.tolist(), counts.tolist(), strict=True)]


def _recording(world: World, seen: dict, rows: list[slice]) -> Recording:
    seen = {name: np.asarray(values[: world.steps], dtype=None if name == "geoms" else float) for name, values in seen.items()}
    start = {name: np.concatenate([world.start[name][None], seen[name]]) for name in ("qpos", "qvel")}
    step, slot = np.nonzero(seen["distance_m"] < seen["margin_m"])
    normal_N = np.array([seen["force_N"][:, row].sum(axis=1) for row in rows]).reshape(len(rows), world.steps)
    fields = {name: seen[name][step, slot] for name in ("geoms", "distance_m", "normal", "position_m")}
    return Recording(**start, found_m=seen["found_m"], contacts=Contacts(step=step, **fields, normal_N=normal_N[slot, step]))
