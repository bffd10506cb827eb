"""A cube dropped onto a thin table: does the contact keep it, and if not, how did it fail?

The scene is lesson 02's: a cube falls onto a slab so thin that one timestep can jump over it. Contacts are detected only at
sampled states, so the first state inside the slab decides which way the contact normal points: beyond the slab's mid-plane
the shortest way out is down. A model needs a body "cube" with a geom and a free joint of that name, and a geom "table"; both
geoms are boxes. The table stands straight, the cube may be turned, may move sideways and spin, and may leave the table over its
edge. The body may have more geoms, and bodies that hang on it: whatever touches with any of them, the body touches with.
`load` refuses any other.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field

import mujoco
import numpy as np

from contactlab import limit
from contactlab.contacts import Between, Record, start_faults, start_overlap, subtree_geoms
from contactlab.effective import effective
from contactlab.landing import DIVERGED, DIVERGENCE, Landing, contact_of, crossing, way_through
from contactlab.lowest import lowest_m
from contactlab.runs import captured_warnings, integrator, state_digest, warning_counts

ROUNDING_M = 1e-9  # a turned cube that starts on the table stands some last digits above or below its top
STRAIGHT = 1 - 1e-12  # least w of a box's quaternion; the last digits belong to how a file writes its angles


def half_extents(quat: Sequence[float], half_edge_m: float) -> np.ndarray:
    """(3,) half the extents along the world's axes of a cube turned by `quat` (wxyz): h sum_j |R_ij|."""
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, quat)
    return np.abs(rotation.reshape(3, 3)) @ np.full(3, half_edge_m)


@dataclass(frozen=True)
class Scene:
    """The lengths that decide a drop, in metres, read from a compiled model."""

    top_m: float
    bottom_m: float
    half_width_m: float  # half the table's edge
    half_edge_m: float  # half the cube's edge
    half_m: float  # half the cube's vertical extent at the start: half its edge where it stands straight
    reach_m: float  # from the cube's centre down to the lowest point of its body at the start: half_m, or more
    start_m: float  # the cube's centre at the start
    margin_m: float  # at most, where contacts of the two begin to push
    gravity: float  # m/s^2, positive downward

    @classmethod
    def of(cls, model: mujoco.MjModel) -> "Scene":
        table, half_edge_m = model.geom("table"), float(model.geom("cube").size[0])
        half_m, geoms = float(half_extents(model.body("cube").quat, half_edge_m)[2]), touching_geoms(model)
        return cls(
            top_m=float(table.pos[2] + table.size[2]),
            bottom_m=float(table.pos[2] - table.size[2]),
            half_width_m=float(table.size[0]),
            half_edge_m=half_edge_m,
            half_m=half_m,
            reach_m=max([half_m, *_reaches_m(model, geoms[geoms != model.geom("cube").id])]),
            start_m=float(model.body("cube").pos[2]),
            margin_m=float(table.margin[0] + model.geom_margin[geoms].max()),
            gravity=float(-model.opt.gravity[2]),
        )

    @property
    def middle_m(self) -> float:
        """The table's mid-plane."""
        return (self.top_m + self.bottom_m) / 2

    @property
    def impact_speed(self) -> float:
        """Downward speed in m/s after free fall to the table's top: sqrt(2 g H)."""
        return math.sqrt(2 * self.gravity * max(0.0, self.clearance_m))

    @property
    def clearance_m(self) -> float:
        """From the table's top up to the lowest point of the cube's body at the start; negative where that is lower."""
        return self.start_m - self.reach_m - self.top_m

    def overlaps(self, centre_m: float | np.ndarray, half_m: float | None = None) -> bool | np.ndarray:
        """Whether a cube with its centre at this height overlaps the table's slab, however wide that is.

        `half_m` is half the cube's vertical extent, the one at the start if absent.
        """
        half_m = self.half_m if half_m is None else half_m
        return (centre_m - half_m < self.top_m) & (centre_m + half_m > self.bottom_m)

    def over_table(self, place_m: Sequence[float], reach_m: Sequence[float] = (0, 0)) -> bool:
        """Whether a place (x, y), or what reaches this far from it along x and y, is over the table."""
        return all(abs(at) < self.half_width_m + reach for at, reach in zip(place_m, reach_m, strict=True))

    def side(self, centre_m: float) -> str:
        """The side of the mid-plane a centre is on: "above" or "below"."""
        return "above" if centre_m > self.middle_m else "below"


def touching_geoms(model: mujoco.MjModel) -> np.ndarray:
    """(n,) ids of the geoms with which the cube's body can touch something: of it and of all that hangs on it."""
    geoms = subtree_geoms(model, "cube")
    touching = (model.geom_contype[geoms] != 0) | (model.geom_conaffinity[geoms] != 0)
    return geoms[touching | (geoms == model.geom("cube").id)]


def _reaches_m(model: mujoco.MjModel, geoms: np.ndarray) -> list[float]:
    """How far geoms (n,) reach below the centre of the body "cube" at the start, in m."""
    if not len(geoms):
        return []
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return [float(data.body("cube").xpos[2]) - lowest_m(model, data, geom) for geom in geoms]


def load(path: str, allowed_overlap_m: float = 0) -> mujoco.MjModel:
    """The drop scene in an MJCF file. Raises ValueError, in one line, for a file that is no such scene.

    Where geoms overlap at the start by more than `allowed_overlap_m`, it is none.
    """
    try:
        model = mujoco.MjModel.from_xml_path(path)
    except ValueError as error:
        raise ValueError(f"{path} does not compile: {' '.join(str(error).split())}; allowed: MJCF of a drop scene") from None
    for found, allowed in faults(model, allowed_overlap_m):
        raise ValueError(f"{path}: {found}; allowed: {allowed}")
    return model


def faults(model: mujoco.MjModel, allowed_overlap_m: float = 0) -> Iterator[tuple[str, str]]:
    """What keeps a model from being a drop scene that `Scene` can read, each with what is allowed."""
    parts = [(model.body, "cube"), (model.joint, "cube"), (model.geom, "cube"), (model.geom, "table")]
    missing = [f"{kind.__name__} {name!r}" for kind, name in parts if not _has(kind, name)]
    if missing:
        yield f"no {missing[0]}", "a body 'cube' with a free joint and a geom of that name, and a geom 'table'"
        return
    body, joint, cube, table = (kind(name) for kind, name in parts)
    for geom in (cube, table):
        if geom.type[0] != mujoco.mjtGeom.mjGEOM_BOX:
            yield f"geom {geom.name!r} is a {mujoco.mjtGeom(geom.type[0]).name.removeprefix('mjGEOM_').lower()}", "a box"
        if abs(geom.quat[0]) < STRAIGHT:
            yield f"geom {geom.name!r} is turned by quat {geom.quat.tolist()}", "none; the body 'cube' may be turned"
    if joint.type[0] != mujoco.mjtJoint.mjJNT_FREE or joint.bodyid[0] != body.id:
        yield "joint 'cube' does not free the body 'cube'", "a freejoint of that body"
    if cube.bodyid[0] != body.id or np.any(cube.pos):
        yield (
            f"geom 'cube' stands {cube.pos.tolist()} m from the centre of the body 'cube'",
            "a geom of that body, at its centre",
        )
    if np.any(cube.size != cube.size[0]):
        yield f"geom 'cube' has the half-sizes {cube.size.tolist()} m", "three equal ones"
    if table.bodyid[0]:
        yield "geom 'table' belongs to a body", "a geom of the worldbody itself"
    if np.any(table.pos[:2]) or table.size[0] != table.size[1]:
        where = f"geom 'table' stands at {table.pos[:2].tolist()} m with the half-sizes {table.size.tolist()} m"
        yield where, "a square table in the middle, at 0 0"
    if model.opt.gravity[2] >= 0 or np.any(model.opt.gravity[:2]):
        yield f"gravity is {model.opt.gravity.tolist()} m/s^2", "one that points down, along -z"
    if model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY:
        yield "the option flag gravity is disabled", "gravity that points down, along -z"
    for body in np.unique(model.geom_bodyid[subtree_geoms(model, "cube")]):
        if model.body_gravcomp[body]:
            yield f"body {model.body(body).name!r} has gravcomp {model.body_gravcomp[body]:g}", "0, so that it falls freely"
    yield from _start_faults(model, allowed_overlap_m)


def _start_faults(model: mujoco.MjModel, allowed_m: float) -> Iterator[tuple[str, str]]:
    """A cube that starts below the table's top, and geoms that overlap at the start, by more than is allowed; and, whatever is
    allowed, a cube whose centre starts below the mid-plane, so that it never goes through it.
    """
    allowed = f"by up to allowed_overlap_m, {allowed_m:g}"
    scene = Scene.of(model)
    inside_m = -scene.clearance_m
    if scene.side(scene.start_m) == "below":
        yield f"the cube's centre starts at {scene.start_m:g} m", f"above the table's mid-plane, {scene.middle_m:g} m"
    if inside_m > allowed_m + ROUNDING_M:
        yield f"the cube starts {inside_m:g} m inside the table", f"a start above it, or inside it {allowed}"
    with captured_warnings():
        found = [*start_faults(model, mujoco.MjData(model), allowed_m)]
    yield from found


def _has(kind: Callable, name: str) -> bool:
    try:
        kind(name)
    except KeyError:
        return False
    return True


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
    crossing_x_m: float | None = None
    crossing_y_m: float | None = None
    effective: dict | None = None

    def see_pose(self, before: Sequence[float], pose: Sequence[float], scene: Scene) -> None:
        """Take in the cube's sampled poses (7,) before and after a step: the centre and a quaternion wxyz.

        It overlaps the table where the box around it does, its faces along the world's axes: exact over a wide table.
        """
        height_m = pose[2]
        if scene.side(before[2]) == "above" and scene.side(height_m) == "below":
            self.crossing_x_m, self.crossing_y_m = crossing(before, pose, scene.middle_m)
        if self.first_overlap_centre_m is None:
            if height_m > scene.top_m + 2 * scene.half_edge_m:  # further than half the cube's diagonal, however it is turned
                return
            half_m = half_extents(pose[3:], scene.half_edge_m)
            if not (scene.overlaps(height_m, half_m[2]) and scene.over_table(pose[:2], half_m[:2])):
                return
            self.see_overlap(height_m)
        self.lowest_centre_m = min(self.lowest_centre_m, height_m)

    def see_overlap(self, centre_m: float) -> None:
        """Take in the first state in which the cube's body overlaps the table."""
        self.first_overlap_centre_m = self.lowest_centre_m = centre_m

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
    """Samples of a run, one a step; `normal_z` is None where no contact with the table was found.

    centre_m, half_m: height of the cube's centre, and half its vertical extent
    """

    time_s: list[float] = field(default_factory=list)
    centre_m: list[float] = field(default_factory=list)
    half_m: list[float] = field(default_factory=list)
    normal_z: list[float | None] = field(default_factory=list)

    def add(self, time_s: float, centre_m: float, half_m: float, normal_z: float | None) -> None:
        """Append one sample."""
        self.time_s.append(time_s)
        self.centre_m.append(centre_m)
        self.half_m.append(half_m)
        self.normal_z.append(normal_z)


def outcome_of(centre_m: Sequence[float], impact: Impact, warnings: dict[str, int], scene: Scene) -> str:
    """How a run ended: "kept", "passed", "off the table", "in the air", or "diverged" where the engine met a bad state.

    Kept: the cube's final centre (3,) is above the mid-plane and over the table. Off the table: it is not over the table, or
    was not when it last went down through the mid-plane: the cube left over the edge, and not through the slab.
    In the air: the cube has not come down to the table yet, or is higher than at the start by more than its edge and margin.
    A contact that is too stiff for the timestep gives back more than it took, and what flies away would pass for "kept".
    With autoreset on, the engine answers a bad state by putting the cube back where it started, which would pass for "kept".
    """
    if any(name in warnings for name in DIVERGENCE) or not np.isfinite(centre_m).all():
        return DIVERGED
    above = scene.side(centre_m[2]) == "above"
    if not scene.over_table(centre_m[:2] if above else (impact.crossing_x_m, impact.crossing_y_m)):
        return "off the table"
    if not above:
        return "passed"
    thrown_up = centre_m[2] > scene.start_m + 2 * scene.half_edge_m + scene.margin_m
    landed = impact.first_overlap_centre_m is not None or impact.first_contact_time_s is not None
    return "kept" if landed and not thrown_up else "in the air"


def failure_mode(outcome: str, impact: Impact) -> str:
    """How the contact failed, from what the run saw: "none", "missed contact", "wrong side", "too soft", "pushed aside",
    or the outcome of a cube that did not pass.

    Missed: the engine never found a contact with the table that acts. Wrong side: the first contact's normal already points
    down. Too soft: it points up, and the cube went through all the same. Contacts are those of `contactlab.landing.contact_of`.
    """
    if outcome != "passed":
        return "none" if outcome == "kept" else outcome
    return way_through(impact.first_contact_normal_z)


def run(
    model: mujoco.MjModel,
    dt_ms: float,
    integrator_name: str,
    duration_s: float,
    trajectory: Trajectory | None = None,
    *,
    speed_m_per_s: float = 0,
    spin_rad_s: float = 0,
) -> dict:
    """Drop the cube and report the impact; with `trajectory`, every sample is appended to it.

    Args:
        model: a drop scene; its timestep and integrator are set.
        dt_ms: timestep in ms.
        integrator_name: MuJoCo's name, "Euler" or "RK4" for example.
        duration_s: simulated time in s; long enough for the cube to come to rest.
        speed_m_per_s: the cube's speed along x at the start.
        spin_rad_s: its rotation about the world's y axis at the start, as of a wheel that rolls along x.

    Raises:
        ValueError: this engine has no such integrator.
    """
    scene = Scene.of(model)
    model.opt.timestep = dt_ms / 1000
    model.opt.integrator = integrator(integrator_name)
    steps = round(duration_s * 1000 / dt_ms)
    impact, landing = Impact(), Landing(model, model.geom("table").id, steps)
    with captured_warnings() as texts:
        data = mujoco.MjData(model)
        start = start_overlap(model, data)
        mujoco.mj_resetData(model, data)
        _set_motion(data, speed_m_per_s, spin_rad_s)
        _simulate(model, data, scene, steps, impact, landing, trajectory)
    warnings, centre_m = warning_counts(data), data.joint("cube").qpos[:3].tolist()
    outcome = outcome_of(centre_m, impact, warnings, scene)
    seen = {
        **{f"final_{axis}_m": at if math.isfinite(at) else None for axis, at in zip("xyz", centre_m, strict=True)},
        "warnings": warnings,
        "warning_texts": sorted(set(texts)),
        "digest": state_digest(data),
    }
    return _record(scene, impact, outcome, dt_ms) | seen | start | landing.result(outcome)


def timed_out(model: mujoco.MjModel, dt_ms: float) -> dict:
    """The report of a drop that was ended before its time: what the scene says, and nothing that the run saw."""
    unknown = ["side", "contact_seen", "final_x_m", "final_y_m", "final_z_m", "warnings", "digest"]
    landing = Landing(model, model.geom("table").id, 0).result(limit.TIMED_OUT)
    unknown += [*start_overlap(model, mujoco.MjData(model)), *landing]
    return _record(Scene.of(model), Impact(), limit.TIMED_OUT, dt_ms) | {"warning_texts": []} | dict.fromkeys(unknown)


def _set_motion(data: mujoco.MjData, speed_m_per_s: float, spin_rad_s: float) -> None:
    """Start the cube along x and about y. A free joint's rotation is about the axes of its own body."""
    cube, local = data.joint("cube"), np.zeros(4)
    mujoco.mju_negQuat(local, cube.qpos[3:])
    cube.qvel[0] = speed_m_per_s
    mujoco.mju_rotVecQuat(cube.qvel[3:], np.array([0.0, spin_rad_s, 0.0]), local)


def _simulate(model, data, scene: Scene, steps: int, impact: Impact, landing: Landing, trajectory: Trajectory | None) -> None:
    table, geoms = model.geom("table").id, subtree_geoms(model, "cube")
    between = Between(model, data, geoms, np.delete(np.arange(model.ngeom), geoms))
    position = data.body("cube").xpos  # where the engine last looked for contacts
    pose, velocity = data.joint("cube").qpos, data.joint("cube").qvel
    after, see_solver = pose.tolist(), landing.limits.watching(data)
    for step in range(steps):
        limit.check()
        speed = float(velocity[2])
        mujoco.mj_step(model, data)
        see_solver()
        before, after = after, pose.tolist()
        records = between.each()
        contact = contact_of([record for record in records if record.other == table]) if records else None
        if contact:
            _see_contact(data, contact, impact, float(position[2]), model.geom("cube").id)
        impact.see_pose(before, after, scene)
        landing.see(step, data, records, contact is not None, (before[2], speed), after)
        if trajectory is not None:
            trajectory.add(data.time, after[2], float(half_extents(after[3:], scene.half_edge_m)[2]), normal_z(data, contact))


def _see_contact(data: mujoco.MjData, contact: Record, impact: Impact, centre_m: float, cube: int) -> None:
    impact.effective = impact.effective or effective(data, contact.index)
    impact.see_contact(data.time, centre_m, -contact.distance_m, normal_z(data, contact))
    unseen = impact.first_overlap_centre_m is None and contact.depth_m > 0
    if unseen and cube not in data.contact.geom[contact.index]:  # what the pose tells is the overlap of the geom "cube"
        impact.see_overlap(centre_m)


def normal_z(data: mujoco.MjData, contact: Record | None) -> float | None:
    """z of the normal of a contact, acting on the cube; None without one."""
    return None if contact is None else contact.sign * float(data.contact.frame[contact.index, 2])


def _record(scene: Scene, impact: Impact, outcome: str, dt_ms: float) -> dict:
    overlap = impact.first_overlap_centre_m
    record = {
        "impact_speed_m_per_s": scene.impact_speed,
        "jump_m": scene.impact_speed * dt_ms / 1000,
        "middle_m": scene.middle_m,
        "half_height_m": scene.half_m,
        "side": "none" if overlap is None else scene.side(overlap),
        "contact_seen": impact.first_contact_time_s is not None,
        "outcome": outcome,
        "failure_mode": failure_mode(outcome, impact),
    } | asdict(impact)
    if outcome != "kept":
        record["lowest_centre_m"] = None  # of a cube that went through, it would be the floor's
    return record
