"""The lowest point of a geom, exact for each of MuJoCo's convex shapes.

Source: MuJoCo documentation, XMLreference, geom (type, size); Modeling, Composite and meshes are their vertices.
"""

import mujoco
import numpy as np

SHAPE = mujoco.mjtGeom


def lowest_m(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> float:
    """Height in m of the lowest point of a geom in a pose whose kinematics are known; -inf for a plane and a height field."""
    up = data.geom_xmat[geom].reshape(3, 3)[2]  # the world's vertical in the geom's own axes
    return float(data.geom_xpos[geom, 2] - _reach_m(model, geom, up))


def _reach_m(model: mujoco.MjModel, geom: int, up: np.ndarray) -> float:
    """How far a geom reaches from its centre against `up`, a unit vector (3,) in its own axes."""
    size, across = model.geom_size[geom], np.hypot(up[0], up[1])
    match SHAPE(model.geom_type[geom]):
        case SHAPE.mjGEOM_SPHERE:
            return size[0]
        case SHAPE.mjGEOM_CAPSULE:
            return size[0] + size[1] * abs(up[2])
        case SHAPE.mjGEOM_CYLINDER:
            return size[0] * across + size[1] * abs(up[2])
        case SHAPE.mjGEOM_ELLIPSOID:
            return np.linalg.norm(size * up)
        case SHAPE.mjGEOM_BOX:
            return size @ np.abs(up)
        case SHAPE.mjGEOM_MESH:
            mesh = model.geom_dataid[geom]
            first = model.mesh_vertadr[mesh]
            return -(model.mesh_vert[first : first + model.mesh_vertnum[mesh]] @ up).min()
        case _:
            return np.inf
