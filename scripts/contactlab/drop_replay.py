"""What became of a dropped cube, from a recording of its run: the judge of `contactlab.drop`, whatever program stepped it."""

import mujoco
import numpy as np

from contactlab import drop
from contactlab.contacts import Record, subtree_geoms
from contactlab.landing import contact_of
from contactlab.recording import Contacts, Recording, World, fields_of, times_s
from contactlab.runs import integrator

BODY = "cube"  # whose pose is compared; its free joint has that name too


def world(path: str, settings: dict) -> World:
    """The world of a cell: the scene in an MJCF file with the cell's timestep and integrator, and its motion at the start.

    Raises ValueError for a file that is no such scene, and where this engine has no such integrator.
    """
    model = drop.load(path, settings["allowed_overlap_m"])
    model.opt.timestep = settings["dt_ms"] / 1000
    model.opt.integrator = integrator(settings["integrator"])
    start, local = fields_of(mujoco.MjData(model)), np.zeros(4)
    start["qvel"][0] = settings["speed_m_per_s"]
    mujoco.mju_negQuat(local, start["qpos"][3:7])
    mujoco.mju_rotVecQuat(start["qvel"][3:6], np.array([0.0, settings["spin_rad_s"], 0.0]), local)
    return World(model, start, round(settings["duration_s"] * 1000 / settings["dt_ms"]))


def judged(world: World, recording: Recording, warnings: dict[str, int]) -> dict:
    """The columns of a drop's record that a recording tells, as `contactlab.drop.run` has them, and the number of contacts.

    warnings: what the program warned of, by MuJoCo's names
    """
    model = world.model
    scene, impact = drop.Scene.of(model), drop.Impact()
    table, cube = model.geom("table").id, model.geom("cube").id
    body = model.body("cube").id
    records = _records(model, recording.contacts, table)
    times, poses = times_s(model.opt.timestep, recording.steps), recording.qpos[:, :7].tolist()
    for step, time_s in enumerate(times.tolist()):
        if contact := contact_of(records.get(step, ())):
            _see_contact(impact, contact, recording, body, cube, time_s)
        impact.see_pose(poses[step], poses[step + 1], scene)
    outcome = drop.outcome_of(poses[-1][:3], impact, warnings, scene)
    final = {f"final_{axis}_m": at if np.isfinite(at) else None for axis, at in zip("xyz", poses[-1], strict=False)}
    return _told(scene, impact, outcome) | final | _counted(records)


def _records(model: mujoco.MjModel, contacts: Contacts, table: int) -> dict[int, list[Record]]:
    """The records of the cube's body with the table, by the step that found them."""
    found: dict[int, list[Record]] = {}
    for index in np.flatnonzero(contacts.between(subtree_geoms(model, "cube"), [table])).tolist():
        distance_m, normal_N = float(contacts.distance_m[index]), float(contacts.normal_N[index])
        sign = 1.0 if contacts.geoms[index, 0] == table else -1.0
        record = Record(index, table, sign, distance_m, -distance_m, None if np.isnan(normal_N) else normal_N)
        found.setdefault(int(contacts.step[index]), []).append(record)
    return found


def _see_contact(impact: drop.Impact, contact: Record, recording: Recording, body: int, cube: int, time_s: float) -> None:
    step, contacts = int(recording.contacts.step[contact.index]), recording.contacts
    centre_m = float(recording.found_m[step, body, 2])
    normal_z = contact.sign * float(contacts.normal[contact.index, 2])
    impact.see_contact(time_s, centre_m, -contact.distance_m, normal_z)
    if impact.first_overlap_centre_m is None and contact.depth_m > 0 and cube not in contacts.geoms[contact.index]:
        impact.see_overlap(centre_m)


def _told(scene: drop.Scene, impact: drop.Impact, outcome: str) -> dict:
    overlap = impact.first_overlap_centre_m
    return {
        "outcome": outcome,
        "failure_mode": drop.failure_mode(outcome, impact),
        "side": "none" if overlap is None else scene.side(overlap),
        "first_overlap_centre_m": overlap,
        "lowest_centre_m": impact.lowest_centre_m if outcome == "kept" else None,
        "first_contact_time_s": impact.first_contact_time_s,
        "first_contact_normal_z": impact.first_contact_normal_z,
        "first_contact_depth_m": impact.first_contact_depth_m,
    }


def _counted(records: dict[int, list[Record]]) -> dict:
    """How many contacts of the cube with the table were found in the first step that acted on it, and at most."""
    acting = [found for _, found in sorted(records.items()) if contact_of(found)]
    return {
        "first_contacts": len(acting[0]) if acting else 0,
        "most_contacts": max(map(len, acting), default=0),
    }
