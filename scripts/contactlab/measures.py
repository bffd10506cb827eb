"""Measures of a scene while it runs: bodies, joints, actuators, sensors, energy, contacts, passages, and how the engine fared.

Every sample belongs to the end of a step. Positions, velocities and energies are those of the state then, and there is one of
the start. Forces, contacts, sensors and what actuators give act in the step: the engine works them out of the state that the
step starts from, and before the first step there is none (docs/contacts.md).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import mujoco
import numpy as np

from contactlab.attributes import element, nearest
from contactlab.contacts import Between, SolverLimits, subtree_geoms
from contactlab.grasp import cone_use
from contactlab.measure_words import LISTS, WHOLE, require_definition, subject_of
from contactlab.passage import Passage
from contactlab.runs import warning_counts
from contactlab.start import joint_type

WARNINGS = ("total", *(name.removeprefix("mjWARN_") for name in mujoco.mjtWarning.__members__ if name.startswith("mjWARN_")))
STATE = ("body", "joint", "energy")  # what a state has by itself; all else acts in a step

KINEMATICS, VELOCITIES, ENERGIES = 1, 2, 3  # how much of a state is worked out
Read = Callable[[], object]


@dataclass
class Sampled:
    """One measure over a run: how it is reduced, and its samples, of states from the start on, else from the first step on."""

    at: str | float
    from_s: float
    to_s: float
    of_state: bool
    first_time: bool = False
    values: list = field(default_factory=list)
    read: Read | None = None

    def reduced(self, times_s: Sequence[float], timestep_s: float) -> object:
        """The number, or the list, that the samples come to; None without one. times_s: (n,), those of the samples."""
        slack_s = timestep_s / 2
        if self.at == "start":
            return self.values[0]
        if isinstance(self.at, int | float):
            return next(value for value, now_s in zip(self.values, times_s, strict=True) if now_s >= self.at - slack_s)
        within = [
            (now_s, value)
            for now_s, value in zip(times_s, self.values, strict=True)
            if self.from_s - slack_s <= now_s <= self.to_s + slack_s
        ]
        if self.first_time:
            return next((now_s for now_s, touching in within if touching), None)
        found = [value for _, value in within if value is not None]
        if self.at == "end":
            return within[-1][1] if within else None
        return REDUCE[self.at](found) if found else None


REDUCE = {
    "largest": max,
    "smallest": min,
    "mean": statistics.fmean,
    "spread": lambda values: max(values) - min(values),
}


class Pair:
    """The contacts of two sets of geoms, read once a step for all measures of them."""

    def __init__(self, model: mujoco.MjModel, sets: tuple[np.ndarray, np.ndarray]) -> None:
        self._model, self._sets = model, sets

    def start(self, data: mujoco.MjData) -> None:
        """Look at `data` from now on."""
        self._data, self.between = data, Between(self._model, data, *self._sets)

    def see(self) -> None:
        """Take in the step just taken."""
        self.records, self._touches = self.between.each(), None
        self.touching = [record for record in self.records if record.normal_N and record.normal_N > 0]

    def touches(self):
        """As `Between.touches`."""
        self._touches = self._touches or self.between.touches()
        return self._touches

    def reader(self, quantity: str) -> Read:
        """What reads a quantity of the step just taken."""
        return {
            "force_N": lambda: sum([record.normal_N for record in self.touching]),
            "friction_N": lambda: self.touches().friction_N if self.touching else 0.0,
            "depth_m": lambda: max([0.0, *(record.depth_m for record in self.records)]),
            "count": lambda: len(self.touching),
            "near_count": lambda: len(self.records) - len(self.touching),
            "slip_m_per_s": lambda: float(self.between.slip_m_per_s(self.touches()).max()) if self.touching else None,
            "cone_use": lambda: self._cone_use() if self.touching else None,
            "first_time_s": lambda: bool(self.touching),
        }[quantity]

    def _cone_use(self) -> float:
        touches = self.touches()
        return float(cone_use(touches.local_N, self._data.contact.friction[touches.index, 0]).max())


class Measures:
    """The measures of runs of one model, by name. For each run `start`, then `see` after every step, then `result`.

    definitions: as in a configuration, {"height_m": {"body": "bowl", "quantity": "z_m", "at": "smallest"}}
    duration_s: of a run; functions: by name, those of (model, data) that `code` measures call after every step

    Raises ValueError, in one line with what is allowed, for a definition that is none of this model.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        definitions: Mapping[str, Mapping],
        duration_s: float = math.inf,
        functions: Mapping[str, Callable] | None = None,
    ) -> None:
        self._model, self._functions, self._needs = model, functions or {}, 0
        self._definitions, self._sampled, self._pairs, self._passages = dict(definitions), {}, {}, {}
        for name, definition in definitions.items():
            try:
                self._add(name, definition, subject_of(definition), duration_s)
            except ValueError as error:
                raise ValueError(f"measures.{name}: {error}") from None
        self._posed = mujoco.MjData(model)

    def _add(self, name: str, definition: Mapping, subject: str, duration_s: float) -> None:
        require_definition(definition, subject, duration_s)
        what, quantity = definition[subject], definition.get("quantity")
        match subject:
            case "contact":
                key = str(what)
                self._pairs[key] = self._pairs.get(key) or Pair(self._model, contact_sets(self._model, *what))
            case "passage":
                self._passages[name], self._needs = Passage(self._model, *what), max(self._needs, KINEMATICS)
            case "code":
                if not callable(self._functions.get(name)):
                    raise ValueError(f"no function of {what} is given")
            case "body" | "joint" | "actuator" | "sensor":
                number = element(self._model, subject, what)
                self._need(subject, number, quantity)
            case "energy":
                self._needs = ENERGIES
            case "warnings":
                if what not in WARNINGS:
                    raise ValueError(f"warnings is {what!r}; MuJoCo {mujoco.__version__} has {', '.join(WARNINGS)}")
        if subject not in WHOLE:
            self._sampled[name] = Sampled(
                definition.get("at", "end"),
                definition.get("from_s", 0.0),
                definition.get("to_s", math.inf),
                subject in STATE,
                quantity == "first_time_s",
            )
            self._require_number(definition, subject, quantity)

    def _need(self, subject: str, number: int, quantity: str | None) -> None:
        if subject == "joint" and joint_type(self._model, number) not in ("hinge", "slide"):
            raise ValueError(f"a {joint_type(self._model, number)} joint has no {quantity} of one number; allowed: its body")
        if subject == "body" and (quantity in ("quat", "tilt_rad") or free_address(self._model, number) is None):
            needs = VELOCITIES if quantity in ("speed_m_per_s", "spin_rad_s") else KINEMATICS
            self._needs = max(self._needs, needs)

    def _require_number(self, definition: Mapping, subject: str, quantity: str | None) -> None:
        several = quantity in LISTS or (subject == "sensor" and self._model.sensor(definition["sensor"]).dim[0] > 1)
        if several and definition.get("at", "end") in REDUCE:
            raise ValueError(f"a list has no {definition['at']}; allowed: end, start, a time in s")

    def start(self, data: mujoco.MjData) -> None:
        """Take in the start that `data` holds, and look at `data` from now on. It is not changed, now or later."""
        self._data, self._times_s, self._start_s = data, [0.0], data.time
        self.limits = SolverLimits(self._model)
        self._pose()
        for looker in self._pairs.values():
            looker.start(data)
        for passage in self._passages.values():
            passage.start(data, self._posed)
        for name, sampled in self._sampled.items():
            sampled.read = self._reader(name, self._definitions[name])
            sampled.values = [sampled.read()] if sampled.of_state else []
        self._looks = [looker.see for looker in (*self._pairs.values(), *self._passages.values())]
        self._takes = [(sampled.values.append, sampled.read) for sampled in self._sampled.values()]

    def see(self) -> None:
        """Take in the step just taken."""
        self.limits.see(self._data)
        self._times_s.append(self._data.time - self._start_s)
        if self._needs:
            self._pose()
        for look in self._looks:
            look()
        for append, read in self._takes:
            append(read())

    def _pose(self) -> None:
        """Work out of the state now what measures need of it, beside `data`, which keeps what the step has left there."""
        model, data, posed = self._model, self._data, self._posed
        posed.qpos[:] = data.qpos
        posed.qvel[:] = data.qvel
        if model.nmocap:
            posed.mocap_pos[:], posed.mocap_quat[:] = data.mocap_pos, data.mocap_quat
        mujoco.mj_kinematics(model, posed)
        if self._needs >= VELOCITIES:
            mujoco.mj_comPos(model, posed)
            mujoco.mj_comVel(model, posed)
        if self._needs >= ENERGIES:
            _energies(model, posed)

    def _reader(self, name: str, definition: Mapping) -> Read:
        subject, data = subject_of(definition), self._data
        what, quantity = definition[subject], definition.get("quantity")
        match subject:
            case "contact":
                return self._pairs[str(what)].reader(quantity)
            case "body":
                return body_reader(self._model, element(self._model, "body", what), quantity, data, self._posed)
            case "joint":
                joint = element(self._model, "joint", what)
                if quantity == "position":
                    return _number_at(data.qpos, self._model.jnt_qposadr[joint])
                return _number_at(data.qvel, self._model.jnt_dofadr[joint])
            case "actuator":
                return _number_at(_actuator_array(data, quantity), element(self._model, "actuator", what))
            case "sensor":
                values = data.sensor(what).data
                return (lambda: float(values[0])) if len(values) == 1 else values.tolist
            case "energy":
                energy = self._posed.energy
                return {
                    "potential_J": lambda: float(energy[0]),
                    "kinetic_J": lambda: float(energy[1]),
                    "total_J": lambda: float(energy[0] + energy[1]),
                }[what]
            case _:
                function = self._functions[name]
                return lambda: _number(name, function(self._model, data))

    def result(self) -> dict:
        """Each measure of the run: a number, a list of numbers, a text, or None where there is none."""
        return {name: _finite(self._result(name, definition)) for name, definition in self._definitions.items()}

    def _result(self, name: str, definition: Mapping) -> object:
        match subject_of(definition):
            case "passage":
                return self._passages[name].result()
            case "warnings":
                counts = warning_counts(self._data)
                return sum(counts.values()) if definition["warnings"] == "total" else counts.get(definition["warnings"], 0)
            case "solver":
                limits = self.limits
                mean = limits.iterations / limits.steps if limits.steps else None
                return mean if definition["solver"] == "iterations_mean" else getattr(limits, definition["solver"])
        sampled = self._sampled[name]
        times_s = self._times_s if sampled.of_state else self._times_s[1:]
        return sampled.reduced(times_s, self._model.opt.timestep)

    def series(self, names: Sequence[str]) -> dict[str, list]:
        """times_s, from the start on, and the samples of each measure at them; what acts in a step has none at the start.

        Raises ValueError for a name that is not sampled over time.
        """
        known = [name for name, sampled in self._sampled.items() if not sampled.first_time]
        for name in names:
            if name not in known:
                raise ValueError(f"series: {name} has no samples over time; allowed: {nearest(name, known)}")
        found = {
            name: [*([] if self._sampled[name].of_state else [None]), *map(_finite, self._sampled[name].values)]
            for name in names
        }
        return {"times_s": list(self._times_s)} | found if names else {}


def contact_sets(model: mujoco.MjModel, first: str | Mapping, second: str | Mapping) -> tuple[np.ndarray, np.ndarray]:
    """The geoms (n,) and (m,) of the two sides of a contact; of a body and a part of it, the part is not in the body's.

    Raises ValueError for a name that the model lacks, that is a body's and another geom's, or for sides that share geoms.
    """
    sides = [geoms_of(model, side) for side in (first, second)]
    if sides[0] is None and sides[1] is None:
        raise ValueError("contact of anything with anything; allowed: one of the two by its name")
    for here, there in ((0, 1), (1, 0)):
        if sides[here] is None:
            sides[here] = np.setdiff1d(np.arange(model.ngeom), sides[there])
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


def free_address(model: mujoco.MjModel, body: int) -> int | None:
    """Where the free joint of a body stands in the list of joints; None where it has none."""
    joint = model.body_jntadr[body]
    return int(joint) if joint >= 0 and model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE else None


def body_reader(model: mujoco.MjModel, body: int, quantity: str, data: mujoco.MjData, posed: mujoco.MjData) -> Read:
    """What reads a quantity of a body's frame in the state now; its start is the state that `posed` holds.

    x_m, y_m, z_m, pos_m: where its origin is. moved_m: how far that is from its start. quat: wxyz. tilt_rad: the angle of its z
    axis with its z axis at the start. speed_m_per_s: of its origin. spin_rad_s: its angular speed.
    """
    if quantity in ("speed_m_per_s", "spin_rad_s"):
        return _motion_reader(model, body, quantity == "spin_rad_s", data, posed)
    joint = free_address(model, body)
    place = posed.xpos[body]
    if joint is not None:
        place = data.qpos[model.jnt_qposadr[joint] : model.jnt_qposadr[joint] + 3]
    up, start, at = posed.xmat[body].reshape(3, 3)[:, 2], place.copy(), memoryview(place)
    start_up = up.copy()
    return {
        "x_m": lambda: at[0],
        "y_m": lambda: at[1],
        "z_m": lambda: at[2],
        "pos_m": at.tolist,
        "moved_m": lambda: math.dist(at, start),
        "quat": posed.xquat[body].tolist,
        "tilt_rad": lambda: _angle(up, start_up),
    }[quantity]


def _angle(one: np.ndarray, other: np.ndarray) -> float:
    """Of two unit vectors (3,), in rad; exact for small ones too."""
    return 2 * math.atan2(math.dist(one, other), math.dist(one, -other))


def _motion_reader(model: mujoco.MjModel, body: int, spins: bool, data: mujoco.MjData, posed: mujoco.MjData) -> Read:
    joint = free_address(model, body)
    if joint is not None:
        first = model.jnt_dofadr[joint] + (3 if spins else 0)
        velocity = memoryview(data.qvel[first : first + 3])
        return lambda: math.hypot(*velocity)
    six, kind = np.zeros(6), mujoco.mjtObj.mjOBJ_XBODY
    part = memoryview(six[:3] if spins else six[3:])

    def read() -> float:
        mujoco.mj_objectVelocity(model, posed, kind, body, six, 0)
        return math.hypot(*part)

    return read


def _energies(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Work out the energy of a state whose kinematics are known: of bodies, springs, tendons and flexes."""
    mujoco.mj_flex(model, data)
    mujoco.mj_tendon(model, data)
    getattr(mujoco, "mj_makeM", mujoco.mj_crb)(model, data)
    flags = model.opt.enableflags
    model.opt.enableflags = flags | int(mujoco.mjtEnableBit.mjENBL_ENERGY)  # without it early versions have 0
    mujoco.mj_energyPos(model, data)
    mujoco.mj_energyVel(model, data)
    model.opt.enableflags = flags


def _actuator_array(data: mujoco.MjData, quantity: str) -> np.ndarray:
    return {"force": data.actuator_force, "control": data.ctrl, "length": data.actuator_length}[quantity]


def _number_at(array: np.ndarray, index: int) -> Read:
    numbers, place = memoryview(array), int(index)
    return lambda: numbers[place]


def _number(name: str, value: object) -> float:
    if not isinstance(value, bool | int | float | np.number | np.bool_):
        raise ValueError(f"measures.{name}: the function returned {value!r}; allowed: a number, or yes or no as 1 or 0")
    return float(value)


def _finite(value: object) -> object:
    """A value as a record has it: None in place of a number that is not finite."""
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
