"""A cube dropped onto a thin table: does the contact keep it, and if not, how did it fail?

The scene is lesson 02's: a cube falls onto a slab so thin that one timestep can jump over it. Contacts are detected only at
sampled states, so the first state inside the slab decides which way the contact normal points: beyond the slab's mid-plane
the shortest way out is down. A model needs a body "cube" with a geom "cube", and a geom "table"; both geoms are boxes that
stand straight, and the free joint is named "cube" too. `load` refuses any other.
"""

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field

import mujoco
import numpy as np

from contactlab.runs import captured_warnings, integrator, state_digest, warning_counts

UPRIGHT = 1 - 1e-9  # least z of a box's z axis; the last digits belong to how the file writes its angles
DIVERGENCE = ("BADQPOS", "BADQVEL", "BADQACC")


@dataclass(frozen=True)
class Scene:
    """The heights that decide a drop, in metres, read from a compiled model."""

    top_m: float
    bottom_m: float
    half_m: float  # half the cube's edge
    start_m: float  # the cube's centre at the start
    gravity: float  # m/s^2, positive downward

    @classmethod
    def of(cls, model: mujoco.MjModel) -> "Scene":
        table, cube = model.geom("table"), model.geom("cube")
        return cls(
            top_m=float(table.pos[2] + table.size[2]),
            bottom_m=float(table.pos[2] - table.size[2]),
            half_m=float(cube.size[2]),
            start_m=float(model.body("cube").pos[2]),
            gravity=float(-model.opt.gravity[2]),
        )

    @property
    def middle_m(self) -> float:
        """The table's mid-plane."""
        return (self.top_m + self.bottom_m) / 2

    @property
    def impact_speed(self) -> float:
        """Speed in m/s after free fall to the table's top: sqrt(2 g H)."""
        return math.sqrt(2 * self.gravity * (self.start_m - self.half_m - self.top_m))

    def overlaps(self, centre_m: float | np.ndarray) -> bool | np.ndarray:
        """Whether a cube with its centre at this height overlaps the table's slab."""
        return (centre_m - self.half_m < self.top_m) & (centre_m + self.half_m > self.bottom_m)

    def side(self, centre_m: float) -> str:
        """The side of the mid-plane a centre is on: "above" or "below"."""
        return "above" if centre_m > self.middle_m else "below"


def load(path: str) -> mujoco.MjModel:
    """The drop scene in an MJCF file. Raises ValueError, in one line, for a file that is none."""
    try:
        model = mujoco.MjModel.from_xml_path(path)
    except ValueError as error:
        raise ValueError(f"{path} does not compile: {' '.join(str(error).split())}; allowed: MJCF of a drop scene") from None
    for found, allowed in faults(model):
        raise ValueError(f"{path}: {found}; allowed: {allowed}")
    return model


def faults(model: mujoco.MjModel) -> Iterator[tuple[str, str]]:
    """What keeps a model from being a drop scene that `Scene` can read, each with what is allowed."""
    parts = {
        mujoco.mjtObj.mjOBJ_BODY: ["cube"],
        mujoco.mjtObj.mjOBJ_JOINT: ["cube"],
        mujoco.mjtObj.mjOBJ_GEOM: ["cube", "table"],
    }
    for kind, name in ((kind, name) for kind, names in parts.items() for name in names):
        if mujoco.mj_name2id(model, kind, name) < 0:
            yield (
                f"no {kind.name.removeprefix('mjOBJ_').lower()} {name!r}",
                "the body, free joint and geom 'cube', the geom 'table'",
            )
            return
    body, joint, cube, table = model.body("cube"), model.joint("cube"), model.geom("cube"), model.geom("table")
    if joint.type[0] != mujoco.mjtJoint.mjJNT_FREE or joint.bodyid[0] != body.id:
        yield "joint 'cube' does not free the body 'cube'", "a freejoint of that body"
    if cube.bodyid[0] != body.id or np.any(cube.pos):
        yield (
            f"geom 'cube' stands {cube.pos.tolist()} m from the centre of the body 'cube'",
            "a geom of that body, at its centre",
        )
    if model.body_weldid[table.bodyid[0]] or table.bodyid[0]:
        yield "geom 'table' belongs to a body", "a geom of the worldbody itself"
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    for geom in (cube, table):
        kind = mujoco.mjtGeom(geom.type[0]).name.removeprefix("mjGEOM_").lower()
        if kind != "box":
            yield f"geom {geom.name!r} is a {kind}", "a box"
        if data.geom(geom.id).xmat[8] < UPRIGHT:
            yield f"geom {geom.name!r} is tilted", "a box that stands straight"
    if model.opt.gravity[2] >= 0:
        yield f"gravity is {model.opt.gravity.tolist()}", "one that points down, along -z"
    scene = Scene.of(model)
    if scene.start_m - scene.half_m < scene.top_m:
        yield f"the cube starts {scene.top_m + scene.half_m - scene.start_m:g} m inside the table", "a start above it"


def dimensions(model: mujoco.MjModel) -> dict[str, float]:
    """What a generated scene is asked for and a scene of the user's own has: lengths in m, the cube's mass in kg."""
    scene = Scene.of(model)
    return {
        "table_thickness_m": scene.top_m - scene.bottom_m,
        "table_top_m": scene.top_m,
        "cube_size_m": 2 * scene.half_m,
        "cube_mass_kg": float(model.body("cube").mass[0]),
        "drop_height_m": scene.start_m - scene.half_m - scene.top_m,
    }


@dataclass
class Impact:
    """What a run has seen of its impact so far; None is "not yet".

    Contacts are found where a step starts and read when it has ended, so `first_contact_time_s` and `normal_flip_time_s` are
    the ends of those steps (the convention of lesson 02), while depth, normal and centre belong to the state in which the
    contact was found.
    """

    first_overlap_centre_m: float | None = None
    lowest_centre_m: float | None = None
    first_contact_time_s: float | None = None
    first_contact_depth_m: float | None = None
    first_contact_normal_z: float | None = None
    normal_flip_time_s: float | None = None
    normal_flip_centre_m: float | None = None

    def see_height(self, centre_m: float, scene: Scene) -> None:
        """Take in the sampled height of the cube's centre after a step."""
        if self.first_overlap_centre_m is None:
            if not scene.overlaps(centre_m):
                return
            self.first_overlap_centre_m = self.lowest_centre_m = centre_m
        self.lowest_centre_m = min(self.lowest_centre_m, centre_m)

    def see_contact(self, time_s: float, centre_m: float, depth_m: float, normal_z: float) -> None:
        """Take in a contact with the table, found while the cube's centre was at `centre_m`."""
        if self.first_contact_time_s is None:
            self.first_contact_time_s = time_s
            self.first_contact_depth_m = depth_m
            self.first_contact_normal_z = normal_z
        elif self.normal_flip_time_s is None and normal_z * self.first_contact_normal_z < 0:
            self.normal_flip_time_s = time_s
            self.normal_flip_centre_m = centre_m


@dataclass
class Trajectory:
    """Samples of a run, one a step; `normal_z` is None where no contact with the table was found."""

    time_s: list[float] = field(default_factory=list)
    centre_m: list[float] = field(default_factory=list)
    normal_z: list[float | None] = field(default_factory=list)

    def add(self, time_s: float, centre_m: float, contact: tuple[float, float] | None) -> None:
        """Append one sample; `contact` is (depth_m, normal_z) or None."""
        self.time_s.append(time_s)
        self.centre_m.append(centre_m)
        self.normal_z.append(contact[1] if contact else None)


def table_contact(data: mujoco.MjData, table: int, cube: int) -> tuple[float, float] | None:
    """Depth in metres and z of the contact normal acting on the cube, of the deepest contact of two geoms; None without one.

    A contact's frame points from its first geom to its second (MuJoCo documentation, APIreference, mjContact).
    """
    contacts = data.contact
    pairs = contacts.geom
    found = np.flatnonzero((pairs == table).any(axis=1) & (pairs == cube).any(axis=1))
    if not found.size:
        return None
    deepest = found[np.argmin(contacts.dist[found])]
    sign = 1.0 if pairs[deepest, 1] == cube else -1.0
    return float(-contacts.dist[deepest]), sign * float(contacts.frame[deepest, 2])


def outcome_of(final_centre_m: float, warnings: dict[str, int], scene: Scene) -> str:
    """ "kept" (the cube ends above the mid-plane), "passed", or "diverged" where the engine met a bad state.

    With autoreset on, the engine answers a bad state by putting the cube back where it started, which would pass for "kept".
    """
    if any(name in warnings for name in DIVERGENCE):
        return "diverged"
    return "kept" if scene.side(final_centre_m) == "above" else "passed"


def failure_mode(outcome: str, impact: Impact) -> str:
    """How the contact failed, from what the run saw: "none", "missed contact", "wrong side", "too soft" or "diverged".

    Missed: the engine never found a contact with the table. Wrong side: the first contact already pushed down. Too soft: the
    first contact pushed up, and the cube went through all the same.
    """
    if outcome != "passed":
        return "none" if outcome == "kept" else outcome
    if impact.first_contact_time_s is None:
        return "missed contact"
    return "wrong side" if impact.first_contact_normal_z < 0 else "too soft"


def run(
    model: mujoco.MjModel, dt_ms: float, integrator_name: str, duration_s: float, trajectory: Trajectory | None = None
) -> dict:
    """Drop the cube and report the impact; with `trajectory`, every sample is appended to it.

    Args:
        model: a drop scene; its timestep and integrator are set.
        dt_ms: timestep in ms.
        integrator_name: MuJoCo's name, "Euler" or "RK4" for example.
        duration_s: simulated time in s; long enough for the cube to come to rest.

    Raises:
        ValueError: this engine has no such integrator.
    """
    scene = Scene.of(model)
    model.opt.timestep = dt_ms / 1000
    model.opt.integrator = integrator(integrator_name)
    impact = Impact()
    with captured_warnings() as texts:
        data = mujoco.MjData(model)
        _simulate(model, data, scene, impact, round(duration_s * 1000 / dt_ms), trajectory)
    warnings = warning_counts(data)
    outcome = outcome_of(float(data.joint("cube").qpos[2]), warnings, scene)
    return _record(scene, impact, outcome, dt_ms) | {
        "warnings": warnings,
        "warning_texts": sorted(set(texts)),
        "digest": state_digest(data),
    }


def _simulate(model, data, scene: Scene, impact: Impact, steps: int, trajectory: Trajectory | None) -> None:
    table, cube = model.geom("table").id, model.geom("cube").id
    position = data.body("cube").xpos  # where the engine last looked for contacts
    pose = data.joint("cube").qpos  # after the step
    for _ in range(steps):
        mujoco.mj_step(model, data)
        contact = table_contact(data, table, cube) if data.ncon else None
        if contact:
            impact.see_contact(data.time, float(position[2]), *contact)
        impact.see_height(float(pose[2]), scene)
        if trajectory is not None:
            trajectory.add(data.time, float(pose[2]), contact)


def _record(scene: Scene, impact: Impact, outcome: str, dt_ms: float) -> dict:
    overlap = impact.first_overlap_centre_m
    record = {
        "impact_speed_m_per_s": scene.impact_speed,
        "jump_m": scene.impact_speed * dt_ms / 1000,
        "middle_m": scene.middle_m,
        "side": "none" if overlap is None else scene.side(overlap),
        "contact_seen": impact.first_contact_time_s is not None,
        "outcome": outcome,
        "failure_mode": failure_mode(outcome, impact),
    } | asdict(impact)
    if outcome != "kept":
        record["lowest_centre_m"] = None  # of a cube that went through, it would be the floor's
    return record
