"""A pick open loop: the controls of C's own pick, step by step, for whatever program is to step them; and what came of it.

The controls carry the state machine's decisions with them, above all when the jaws had closed, so that what differs is physics.
"""

from copy import copy

import mujoco
import numpy as np

from contactlab.contacts import subtree_geoms
from contactlab.grasp import outcome
from contactlab.landing import DIVERGED, DIVERGENCE
from contactlab.pick import reset_pick, scripted_pick
from contactlab.pick_cell import task_of
from contactlab.recording import Recording, World, fields_of, times_s
from contactlab.scene import load_scene
from contactlab.task import SO_101

BODY = SO_101.cube_joint  # whose pose is compared


def world(path: str, settings: dict, collisions: str = "all") -> World:
    """The world of a cell: its scene, the state that a pick starts from, and the controls that C's pick gave.

    collisions: all, or cube for those of the cube alone, see `of_cube_alone`

    Raises ValueError for other collisions, for a shaken gripper, as that is no control, and what `scripted_pick` raises.
    """
    if collisions not in ("all", "cube"):
        raise ValueError(f"collisions is {collisions}; allowed: all, cube")
    model = load_scene(path, SO_101)
    position_m, _, task = task_of(model, settings, SO_101)
    if task.shake_m_s2:
        raise ValueError(f"shake_m_s2 is {task.shake_m_s2:g}, which no control gives; allowed: 0")
    data = mujoco.MjData(model)
    result = scripted_pick(model, data, position_m, True, task)
    controls, states = (result["trajectory"][name] for name in ("ctrl", "state"))
    reset_pick(model, data, position_m, task, SO_101)
    known = {"task": task, "closed": result["close_time_s"] is not None, "close_ends": _last(states, "close")}
    model = of_cube_alone(model) if collisions == "cube" else model
    return World(model, fields_of(data), len(controls), controls, known)


def _last(states: np.ndarray, state: str) -> int:
    """The last step of a state, -1 where it was never reached."""
    return int(np.flatnonzero(states == state).max(initial=-1))


def of_cube_alone(model: mujoco.MjModel) -> mujoco.MjModel:
    """The model in which the cube meets what it met before, and nothing else meets anything.

    An arm that stays clear of the floor and of itself moves to the last bit as before.
    """
    model, cube = copy(model), subtree_geoms(model, SO_101.cube_body)
    met = np.zeros(model.ngeom, dtype=bool)
    for geom in cube:
        met |= (model.geom_contype & model.geom_conaffinity[geom]) | (model.geom_conaffinity & model.geom_contype[geom]) != 0
    met[cube] = False
    model.geom_contype[:], model.geom_conaffinity[:] = 0, met
    model.geom_contype[cube] = 1
    return model


def judged(world: World, recording: Recording, warnings: dict[str, int]) -> dict:
    """What became of the cube, by the words of `contactlab.pick`, and the jaws' contacts with it.

    Whether the jaws had closed, and in which step, is what C's pick says. warnings: what the program warned of
    """
    model, task, contacts = world.model, world.known["task"], recording.contacts
    place = int(model.joint(SO_101.cube_joint).qposadr[0])
    poses_m = recording.qpos[:, place : place + 3]
    fixed, moving = (contacts.between(geoms, subtree_geoms(model, SO_101.cube_body)) for geoms in _jaws(model))
    jaws, ends = fixed | moving, (world.known["close_ends"], recording.steps - 1)
    pressed_N = [[float(np.nansum(contacts.normal_N[jaw & (contacts.step == end)])) for jaw in (fixed, moving)] for end in ends]
    depth_m = -contacts.distance_m[jaws & np.isin(contacts.step, ends)].min(initial=0.0)
    inside = bool(depth_m > task.jaw_depth_limit * model.geom(SO_101.cube_geom).size[0])
    lift_m, moved_m = float(poses_m[-1, 2] - poses_m[0, 2]), float(np.linalg.norm(poses_m[-1] - poses_m[0]))
    ended = outcome(lift_m, min(pressed_N[1]) > 0, world.known["closed"], task.min_lift_m, inside)
    diverged = any(name in warnings for name in DIVERGENCE) or not np.isfinite(poses_m[-1]).all()
    return {
        "outcome": DIVERGED if diverged else ended,
        "flung": moved_m > task.flung_m,
        "lift_m": lift_m,
        "squeeze_N": sum(pressed_N[0]) if world.known["closed"] else None,
    } | _counted(recording, jaws, model.opt.timestep)


def _jaws(model: mujoco.MjModel) -> tuple[np.ndarray, np.ndarray]:
    """The geoms of the fixed and of the moving jaw."""
    fixed = subtree_geoms(model, SO_101.fixed_jaw_body, without=SO_101.moving_jaw_body)
    return fixed, subtree_geoms(model, SO_101.moving_jaw_body, without=SO_101.fixed_jaw_body)


def _counted(recording: Recording, jaws: np.ndarray, timestep_s: float) -> dict:
    """When a jaw first pressed on the cube, and how many contacts of the jaws with it that step and any step had."""
    steps = recording.contacts.step
    counts = np.bincount(steps[jaws], minlength=recording.steps)
    pressing = np.flatnonzero(jaws & (recording.contacts.normal_N > 0))
    first = int(steps[pressing[0]]) if len(pressing) else None
    return {
        "first_contact_time_s": None if first is None else float(times_s(timestep_s, first + 1)[-1]),
        "first_contacts": 0 if first is None else int(counts[first]),
        "most_contacts": int(counts.max()),
    }
