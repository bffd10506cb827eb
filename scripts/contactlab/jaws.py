"""The contact forces of two jaws on a cube, read from a simulation."""

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from contactlab.effective import effective
from contactlab.grasp import cone_use


@dataclass(frozen=True)
class Grip:
    """The contacts between the cube and the jaws at one instant; n of them.

    moving: (n,) bool, whether the contact is the moving jaw's; the others are the fixed jaw's
    normal_N: (n,) normal forces, never negative
    force_N: (n, 3) forces on the cube in the world frame
    cone_use: (n,) used part of each friction cone, 0 where a contact carries nothing
    lever_arm_m: (n,) moment of a unit normal force about the jaw's hinge; nan for a jaw that slides
    """

    moving: np.ndarray
    normal_N: np.ndarray
    force_N: np.ndarray
    cone_use: np.ndarray
    lever_arm_m: np.ndarray

    def summary(self) -> dict:
        """What a result keeps of a grip; cone use and lever arm are None without a contact that bears them.

        The lever arm is the moving jaw's, averaged with the normal forces as weights (lesson 16, step 3).
        """
        moving_N = float(self.normal_N[self.moving].sum())
        moment_Nm = abs(float(self.normal_N[self.moving] @ self.lever_arm_m[self.moving]))
        return {
            "force_fixed_N": float(self.normal_N[~self.moving].sum()),
            "force_moving_N": moving_N,
            "jaw_contacts": len(self.normal_N),
            "largest_cone_use": float(self.cone_use.max()) if len(self.cone_use) else None,
            "vertical_force_N": float(self.force_N[:, 2].sum()),
            "lever_arm_m": moment_Nm / moving_N if moving_N > 0 and math.isfinite(moment_Nm) else None,
        }


class JawSensor:
    """Senses a grasp in an MjData: the jaw's speed, and the contacts between a cube's geom and the geoms of two bodies.

    The moving jaw is on a hinge or a slide; the other may stand still or move as well.
    Valid right after `mj_step` or `mj_forward`. Raises KeyError for a name that the model lacks.
    """

    # Codes of the geoms, chosen so that the sum over a contact's pair tells which jaw touches the cube.
    _FIXED, _MOVING, _CUBE = 1, 2, 4

    def __init__(
        self, model: mujoco.MjModel, data: mujoco.MjData, cube_geom: str, fixed_body: str, moving_body: str, joint: str
    ) -> None:
        self._data = data
        self._forces = elliptic_forces if model.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC else pyramidal_forces
        self._cube = model.geom(cube_geom).id
        self._joint = model.joint(joint).id
        self._dof = model.joint(joint).dofadr[0]
        self._slides = model.joint(joint).type[0] == mujoco.mjtJoint.mjJNT_SLIDE
        self._code = np.zeros(model.ngeom, dtype=int)
        self._code[model.geom_bodyid == model.body(fixed_body).id] = self._FIXED
        self._code[model.geom_bodyid == model.body(moving_body).id] = self._MOVING
        self._code[self._cube] = self._CUBE

    def jaw_speed_rad_s(self) -> float:
        """The signed speed of the jaw's joint, in m/s where it slides."""
        return self._data.qvel[self._dof]

    def cube_m(self) -> np.ndarray:
        """(2,) where the cube's centre is along the floor."""
        return self._data.geom_xpos[self._cube, :2].copy()

    def touches_both(self) -> bool:
        """Whether each jaw presses on the cube with a force above zero."""
        pairs = self._pairs()
        chosen = np.flatnonzero(pairs > self._CUBE)
        pressing = pairs[chosen][self._forces(self._data, chosen)[:, 0] > 0]
        return self._CUBE + self._FIXED in pressing and self._CUBE + self._MOVING in pressing

    def overlaps(self) -> int:
        """How many contacts of the cube with a jaw overlap; those that act across a margin do not."""
        return int(((self._pairs() > self._CUBE) & (self._data.contact.dist < 0)).sum())

    def _pairs(self) -> np.ndarray:
        """(ncon,) sums of the two geoms' codes, 0 for the contacts that take no part in the solver."""
        contact = self._data.contact
        return self._code[contact.geom].sum(axis=1) * (contact.efc_address >= 0)

    def read(self) -> Grip:
        """All contacts between the cube and the jaws, in one pass."""
        contact, pairs = self._data.contact, self._pairs()
        chosen = np.flatnonzero(pairs > self._CUBE)
        frame, mu = contact.frame[chosen].reshape(-1, 3, 3), contact.friction[chosen, 0]
        # The contact normal points from the first geom to the second, so a cube that is the first feels the opposite.
        to_cube = np.where(contact.geom[chosen, 1] == self._cube, 1.0, -1.0)[:, None]
        local_N = self._forces(self._data, chosen)
        bearing = local_N[:, 0] > 0
        use = np.zeros(len(chosen))
        use[bearing] = cone_use(local_N[bearing], mu[bearing])
        arm_m = contact.pos[chosen] - self._data.xanchor[self._joint]
        about_hinge_m = np.cross(arm_m, to_cube * frame[:, 0]) @ self._data.xaxis[self._joint]
        return Grip(
            moving=pairs[chosen] == self._CUBE + self._MOVING,
            normal_N=local_N[:, 0],
            force_N=to_cube * np.einsum("ni,nij->nj", local_N, frame),
            cone_use=use,
            lever_arm_m=np.full(len(chosen), np.nan) if self._slides else about_hinge_m,
        )

    def effective(self) -> dict | None:
        """The parameters of the jaws' contact that presses most, see `contactlab.effective`; None without a contact."""
        chosen = np.flatnonzero(self._pairs() > self._CUBE)
        if not chosen.size:
            return None
        return effective(self._data, int(chosen[np.argmax(self._forces(self._data, chosen)[:, 0])]))


def elliptic_forces(data: mujoco.MjData, chosen: np.ndarray) -> np.ndarray:
    """(n, 3) normal and tangential forces in N of the chosen contacts, in their own frames: a contact's first three rows.

    Source: MuJoCo documentation, Computation, Contact.
    """
    return _rows(data, chosen, 3, data.contact.dim[chosen])


def pyramidal_forces(data: mujoco.MjData, chosen: np.ndarray) -> np.ndarray:
    """The same of a pyramid, whose rows are forces f along its edges: the normal force is their sum, a tangential one is
    mu (f+ - f-) of its two edges.
    """
    dim = data.contact.dim[chosen]
    edges = _rows(data, chosen, 10, np.maximum(1, 2 * (dim - 1)))
    tangents = data.contact.friction[chosen, :2] * (edges[:, 0:4:2] - edges[:, 1:4:2]) * (dim > 1)[:, None]
    return np.column_stack([edges.sum(axis=1), tangents])


def _rows(data: mujoco.MjData, chosen: np.ndarray, most: int, present: np.ndarray) -> np.ndarray:
    """(n, most) forces of the first constraint rows of the chosen contacts, 0 beyond those that are `present` (n,)."""
    row = np.arange(most)
    exists = row < present[:, None]
    address = np.where(exists, data.contact.efc_address[chosen, None] + row, 0)
    return np.where(exists, data.efc_force[address], 0.0) if len(chosen) else np.zeros((0, most))
