"""The two sides of a contact by their names: geoms, bodies with all that hangs on them, or anything."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

from contactlab.attributes import element
from contactlab.contacts import subtree_geoms


def contact_sets(model: mujoco.MjModel, first: str | Mapping, second: str | Mapping) -> tuple[np.ndarray, np.ndarray]:
    """The geoms (n,) and (m,) of the two sides of a contact; of a body and a part of it, the part is not in the body's.
    What is no geom, as a flex, is the geom -1 of `anything`.

    Raises ValueError for a name that the model lacks, that is a body's and another geom's, or for sides that share geoms.
    """
    sides = [geoms_of(model, side) for side in (first, second)]
    if sides[0] is None and sides[1] is None:
        raise ValueError("contact of anything with anything; allowed: one of the two by its name")
    for here, there in ((0, 1), (1, 0)):
        if sides[here] is None:
            sides[here] = np.setdiff1d(np.arange(-1, model.ngeom), sides[there])
    shared = np.intersect1d(*sides)
    for here, there in ((0, 1), (1, 0)):
        if len(shared) and len(shared) == len(sides[here]) < len(sides[there]):
            sides[there] = np.setdiff1d(sides[there], shared)
            shared = shared[:0]
    if len(shared):
        raise ValueError(f"contact of {first} with {second}, which share geoms; allowed: two that have none in common")
    return sides[0], sides[1]


def geoms_of(model: mujoco.MjModel, what: str | Mapping) -> np.ndarray | None:
    """(n,) the geoms of a geom, of a body with all that hangs on it, or of `subtree BODY`; None of `anything`.

    Raises ValueError where nothing of the name can touch anything.
    """
    if what == "anything":
        return None
    kind, name = next(iter(what.items())) if isinstance(what, Mapping) else (None, what.removeprefix("subtree "))
    kind = "body" if kind is None and name != what else kind
    found = {}
    for key, object_kind in (("geom", mujoco.mjtObj.mjOBJ_GEOM), ("body", mujoco.mjtObj.mjOBJ_BODY)):
        number = mujoco.mj_name2id(model, object_kind, name)
        if number >= 0 and kind in (None, key):
            found[key] = np.array([number]) if key == "geom" else subtree_geoms(model, name)
    if not found:
        element(model, kind or "body", name)
    if len(found) == 2 and not np.array_equal(found["geom"], found["body"]):
        raise ValueError(f"{name!r} is a body and a geom of the model; allowed: {{geom: {name}}}, {{body: {name}}}")
    geoms = next(iter(found.values()))
    felt = (model.geom_contype[geoms] != 0) | (model.geom_conaffinity[geoms] != 0)
    felt |= np.isin(geoms, np.concatenate([model.pair_geom1, model.pair_geom2]))
    if not felt.any():
        raise ValueError(f"{name!r} has no geom that can touch anything; allowed: one with contype, conaffinity or a pair")
    return geoms
