"""A run as it was recorded, step by step, whatever program stepped it: poses, velocities and the contacts that it found.

Another implementation of MuJoCo's physics has no MjData to look into between steps. What it leaves is arrays, and C's own run
stands beside it in the same arrays. As after `mj_step`, contacts and forces are those of the state that a step starts from.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from contactlab.contacts import forces_of
from contactlab.runs import NOT_PHYSICS

FIELDS = ("qpos", "qvel", "act", "ctrl", "qfrc_applied", "xfrc_applied", "qacc_warmstart")
NOT_READ = (*NOT_PHYSICS, "numeric_data")  # custom numbers are for who wrote them
UNSOLVED = np.nan  # the normal force of a contact that the solver had no constraint of


@dataclass(frozen=True)
class World:
    """What one world of a batch is: its model, where it starts and for how many steps it is looked at.

    start: the fields of an MjData by name, FIELDS of them, before the first step
    controls: (steps, nu) what the actuators are told in each step; None where that is what the start says
    known: what whoever judges the run has to know beside it
    """

    model: mujoco.MjModel
    start: dict[str, np.ndarray]
    steps: int
    controls: np.ndarray | None = None
    known: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Contacts:
    """The contacts of all steps of a run, n of them, those of one step together and in the order of the steps.

    step: (n,) the step that found each, 0 is the first
    geoms: (n, 2) the two geoms; the normal points from the first to the second
    distance_m: (n,) below 0 where they overlap
    normal: (n, 3) unit vectors in the world's frame
    position_m: (n, 3) halfway between the two
    normal_N: (n,) normal forces, UNSOLVED where the solver had no constraint of a contact
    """

    step: np.ndarray
    geoms: np.ndarray
    distance_m: np.ndarray
    normal: np.ndarray
    position_m: np.ndarray
    normal_N: np.ndarray

    def between(self, first: ArrayLike, second: ArrayLike) -> np.ndarray:
        """(n,) bool, whether a contact is one of a geom of the first set with one of the second."""
        one, two = (np.isin(self.geoms, geoms) for geoms in (first, second))
        return (one[:, 0] & two[:, 1]) | (two[:, 0] & one[:, 1])

    def chosen(self, which: np.ndarray) -> "Contacts":
        """Some of them: `which` is (n,) bool or numbers."""
        return Contacts(**{name: getattr(self, name)[which] for name in self.__dataclass_fields__})


@dataclass(frozen=True)
class Recording:
    """One run of s steps: the states before the first step and after each, and what each step found.

    qpos, qvel: (s + 1, nq) and (s + 1, nv)
    found_m: (s, nbody, 3) where the bodies were when contacts were looked for: with RK4 that is its last stage
    """

    qpos: np.ndarray
    qvel: np.ndarray
    found_m: np.ndarray
    contacts: Contacts

    @property
    def steps(self) -> int:
        """How many steps were taken."""
        return len(self.found_m)


def times_s(timestep_s: float, steps: int) -> np.ndarray:
    """(steps,) the ends of the steps as MuJoCo adds them up, one timestep to the last sum."""
    return np.cumsum(np.full(steps, timestep_s))


def differing(models: list[mujoco.MjModel]) -> list[str]:
    """What differs between compiled models, as their attributes are called: `geom_solref`, `opt.timestep`, `stat.extent`.

    Raises ValueError for models that differ in what they are made of, such as their number of geoms.
    """
    first, *others = (dict(_values(model)) for model in models)
    if any(value.shape != other[name].shape for other in others for name, value in first.items()):
        raise ValueError("the models of a batch have other bodies, geoms, joints or actuators")
    return [name for name, value in first.items() if any(not np.array_equal(value, other[name]) for other in others)]


def _values(model: mujoco.MjModel) -> Iterator[tuple[str, np.ndarray]]:
    for prefix, struct in (("", model), ("opt.", model.opt), ("stat.", model.stat)):
        for name in dir(struct):
            value = None if name.startswith("_") or name in NOT_READ else getattr(struct, name)
            if isinstance(value, int | float | np.ndarray):
                yield prefix + name, np.asarray(value)


def fields_of(data: mujoco.MjData) -> dict[str, np.ndarray]:
    """What a world starts from that starts where `data` is."""
    return {name: getattr(data, name).copy() for name in FIELDS}


def recorded(world: World) -> tuple[Recording, mujoco.MjData]:
    """A world stepped by MuJoCo itself, and the data that it ends in."""
    model, data, forces = world.model, mujoco.MjData(world.model), forces_of(world.model)
    for name, value in world.start.items():
        setattr(data, name, value)
    qpos, qvel, found_m, contacts = [data.qpos.copy()], [data.qvel.copy()], [], []
    for step in range(world.steps):
        if world.controls is not None:
            data.ctrl = world.controls[step]
        mujoco.mj_step(model, data)
        qpos.append(data.qpos.copy())
        qvel.append(data.qvel.copy())
        found_m.append(data.xpos.copy())
        if data.ncon:
            contacts.append(_contacts_of(step, data, forces))
    return Recording(np.array(qpos), np.array(qvel), np.array(found_m), joined(contacts)), data


def _contacts_of(step: int, data: mujoco.MjData, forces) -> Contacts:
    contact = data.contact
    solved = contact.efc_address >= 0
    normal_N = np.full(data.ncon, UNSOLVED)
    normal_N[solved] = forces(data, np.flatnonzero(solved))[:, 0]
    steps, normal = np.full(data.ncon, step), contact.frame[:, :3].copy()
    return Contacts(steps, contact.geom.copy(), contact.dist.copy(), normal, contact.pos.copy(), normal_N)


def joined(parts: list[Contacts]) -> Contacts:
    """The contacts of several steps in one; none of no steps."""
    empty = Contacts(np.zeros(0, int), np.zeros((0, 2), int), np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0))
    names = Contacts.__dataclass_fields__
    return Contacts(**{name: np.concatenate([getattr(part, name) for part in [empty, *parts]]) for name in names})


def apart(one: Recording, other: Recording, joint_qpos: int, timestep_s: float) -> dict:
    """How far a free body of two runs came apart at most, over the steps of both.

    joint_qpos: where the joint's pose (7,) begins in qpos

    Returns:
        `largest_apart_m` and `largest_turn_rad`, the angle between the two orientations; `largest_apart_time_s`, when they
        were furthest apart. All are None where a pose of either is not finite.
    """
    steps = min(one.steps, other.steps)
    poses = [run.qpos[: steps + 1, joint_qpos : joint_qpos + 7] for run in (one, other)]
    if not all(np.isfinite(pose).all() for pose in poses):
        return dict.fromkeys(("largest_apart_m", "largest_apart_time_s", "largest_turn_rad"))
    distance_m = np.linalg.norm(poses[0][:, :3] - poses[1][:, :3], axis=1)
    quats = [pose[:, 3:] / np.linalg.norm(pose[:, 3:], axis=1, keepdims=True) for pose in poses]
    # Two unit quaternions are 2 sin(angle / 4) apart; q and -q are one orientation.
    chord = np.minimum(*(np.linalg.norm(quats[0] - sign * quats[1], axis=1) for sign in (1, -1)))
    furthest = int(distance_m.argmax())
    return {
        "largest_apart_m": float(distance_m[furthest]),
        "largest_apart_time_s": 0.0 if furthest == 0 else float(times_s(timestep_s, furthest)[-1]),
        "largest_turn_rad": float(4 * np.arcsin(np.minimum(1.0, chord / 2)).max()),
    }
