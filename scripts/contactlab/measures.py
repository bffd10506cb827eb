"""Measures of a scene while it runs: bodies, joints, actuators, sensors, energy, contacts, passages, and how the engine fared.

Every sample belongs to the end of a step. Positions, velocities and energies are those of the state then, and there is one of
the start. Forces, contacts, sensors and what actuators give act in the step: the engine works them out of the state that the
step starts from, and before the first step there is none (docs/contacts.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import mujoco
import numpy as np

from contactlab.attributes import element, nearest, single_actuator
from contactlab.contact_sides import contact_sets
from contactlab.contact_tape import ContactTape, PairSeries, Reader
from contactlab.contacts import SolverLimits
from contactlab.measure_words import LISTS, WHOLE, require_definition, subject_of
from contactlab.passage import Passage
from contactlab.reduction import REDUCE, Samples
from contactlab.runs import warning_counts
from contactlab.start import joint_type
from contactlab.state import ENERGIES, KINEMATICS, Read, State

WARNINGS = ("total", *(name.removeprefix("mjWARN_") for name in mujoco.mjtWarning.__members__ if name.startswith("mjWARN_")))
STATE = ("body", "joint", "energy")  # what a state has by itself; all else acts in a step


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
        self._model, self._functions, self._definitions = model, functions or {}, dict(definitions)
        self._state, self._samples, self._sides, self._passages = State(model), {}, {}, {}
        for name, definition in definitions.items():
            try:
                self._add(name, definition, subject_of(definition), duration_s)
            except ValueError as error:
                raise ValueError(f"measures.{name}: {error}") from None

    def _add(self, name: str, definition: Mapping, subject: str, duration_s: float) -> None:
        require_definition(definition, subject, duration_s)
        what, quantity = definition[subject], definition.get("quantity")
        match subject:
            case "contact":
                self._sides[str(what)] = contact_sets(self._model, *what)
            case "passage":
                self._passages[name] = Passage(self._model, *what)
                self._state.need(KINEMATICS)
            case "code":
                if not callable(self._functions.get(name)):
                    raise ValueError(f"no function of {what} is given")
            case "energy":
                self._state.need(ENERGIES)
            case "warnings":
                if what not in WARNINGS:
                    raise ValueError(f"warnings is {what!r}; MuJoCo {mujoco.__version__} has {', '.join(WARNINGS)}")
            case "actuator":
                single_actuator(self._model, what)
            case "body" | "joint" | "sensor":
                self._add_element(subject, element(self._model, subject, what), definition)
        if subject not in WHOLE:
            window = definition.get("from_s", 0.0), definition.get("to_s", math.inf)
            first_time = quantity == "first_time_s"
            self._samples[name] = Samples(definition.get("at", "end"), *window, subject in STATE, first_time)

    def _add_element(self, subject: str, number: int, definition: Mapping) -> None:
        """One that the model has by its name and number."""
        quantity = definition.get("quantity")
        if subject == "joint" and joint_type(self._model, number) not in ("hinge", "slide"):
            raise ValueError(f"a {joint_type(self._model, number)} joint has no {quantity} of one number; allowed: its body")
        if subject == "body":
            self._state.need_body(number, quantity)
        several = quantity in LISTS or (subject == "sensor" and self._model.sensor_dim[number] > 1)
        if several and definition.get("at") in REDUCE:
            raise ValueError(f"a list has no {definition['at']}; allowed: end, start, a time in s")

    @property
    def scratch(self) -> mujoco.MjData:
        """A data that nothing is remembered in before `start`."""
        return self._state.posed

    def start(self, data: mujoco.MjData, readers: Sequence[Reader] = ()) -> None:
        """Take in the start that `data` holds, and look at `data` from now on; neither this nor `see` changes it.

        readers: what else is to take in the contacts of the run.
        """
        self._data, self._times_s, self._start_s, self.limits = data, [0.0], data.time, SolverLimits(self._model)
        self._state.start(data)
        looks = [self.limits.watching(data), self._state.see]
        pairs = self._pairs()
        if pairs or readers:
            self._tape = ContactTape(self._model, data, [*pairs, *readers])
            looks.append(self._tape.see)
        else:
            self._tape = None
        for passage in self._passages.values():
            passage.start(data, self._state.posed)
            looks.append(passage.see)
        self._looks, self._takes = looks, list(self._readers())

    def _pairs(self) -> list[PairSeries]:
        """What works out contacts; a measure's samples are the list that one of these fills."""
        asked = {name: definition for name, definition in self._definitions.items() if "contact" in definition}
        pairs = {str(definition["contact"]): None for definition in asked.values()}
        for key in pairs:
            pairs[key] = PairSeries(self._model, *self._sides[key])
        for name, definition in asked.items():
            self._samples[name].values = pairs[str(definition["contact"])].ask(definition["quantity"])
        return list(pairs.values())

    def _readers(self):
        """For each measure that is read in every step: what keeps a sample, and what reads it."""
        for name, samples in self._samples.items():
            read = self._reader(name, self._definitions[name])
            if read:
                samples.values = [read()] if samples.of_state else []
                yield samples.values.append, read

    def see(self) -> None:
        """Take in the step just taken."""
        self._times_s.append(self._data.time - self._start_s)
        for look in self._looks:
            look()
        for keep, read in self._takes:
            keep(read())

    def _reader(self, name: str, definition: Mapping) -> Read | None:
        subject, model, data = subject_of(definition), self._model, self._data
        what, quantity = definition[subject], definition.get("quantity")
        match subject:
            case "contact":
                return None  # the tape has them
            case "body":
                return self._state.body_reader(element(model, "body", what), quantity)
            case "joint":
                array, addresses = (data.qpos, model.jnt_qposadr) if quantity == "position" else (data.qvel, model.jnt_dofadr)
                return _number_at(array, addresses[element(model, "joint", what)])
            case "actuator":
                arrays = {"force": data.actuator_force, "control": data.ctrl, "length": data.actuator_length}
                return _number_at(arrays[quantity], single_actuator(model, what))
            case "sensor":
                values = data.sensor(what).data
                return (lambda: float(values[0])) if len(values) == 1 else values.tolist
            case "energy":
                return self._state.energy_reader(what)
        function = self._functions[name]
        return lambda: _number(name, function(model, data))

    def result(self) -> dict:
        """Each measure of the run: a number, a list of numbers, a text, or None where there is none."""
        self.finish()
        return {name: _finite(self._result(name, definition)) for name, definition in self._definitions.items()}

    def finish(self) -> None:
        """Work out all contacts that are kept, for the readers too."""
        if self._tape:
            self._tape.finish()

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
        return self._samples[name].reduced(self._times_s, self._model.opt.timestep)

    def series(self, names: Sequence[str]) -> dict[str, list]:
        """times_s, from the start on, and the samples of each measure at them; what acts in a step has none at the start.

        Raises ValueError for a name that is not sampled over time.
        """
        self.finish()
        known = [name for name, samples in self._samples.items() if not samples.first_time]
        for name in names:
            if name not in known:
                raise ValueError(f"series: {name} has no samples over time; allowed: {nearest(name, known)}")
        samples = {name: self._samples[name] for name in names}
        drawn = {name: [*([] if one.of_state else [None]), *map(_finite, one.values)] for name, one in samples.items()}
        return {"times_s": list(self._times_s)} | drawn if drawn else {}


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
