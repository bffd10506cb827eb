"""One run of any scene: from a start, under a control, for a time; what was measured, and the same from moved starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import mujoco
import numpy as np

from contactlab import limit
from contactlab.contact_tape import ContactLog
from contactlab.contacts import require_apart, start_overlap
from contactlab.control import Control
from contactlab.landing import DIVERGED, DIVERGENCE
from contactlab.measures import Measures
from contactlab.runs import captured_warnings, state_digest, warning_counts
from contactlab.start import perturbed, set_start

LOGGED = 1000  # touches found and lost of which a run keeps a record
SOLVER = ("solved_steps", "at_iterations", "at_line_search")
# What a result holds beside its measures and outcomes, whose names these cannot be.
RESERVED = ("outcome", "why", *SOLVER, "warnings", "start_overlap_m", "start_overlaps", "steps", "digest")
NO_REPEATS = {"perturbations": 0, "size_m": 0.0, "seed": 0}


class Audit:
    """A scene as it is run again and again: `run` measures it, and then from moved starts.

    definition: `start`, `allowed_overlap_m`, `duration_s`, `measures`, `repeats`, as in a configuration; docs/audit.md
    control: what drives it; functions: those of `code` measures, by their names
    outcomes: a function of (model, data, measures) that is called at the end of each run, {NAME: text or bool}
    step: takes the place of `mj_step`, for a caller that times or watches it

    Raises ValueError, in one line, for what does not fit the model.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        definition: Mapping,
        control: Control | None = None,
        functions: Mapping[str, Callable] | None = None,
        outcomes: Callable | None = None,
        step: Callable[[mujoco.MjModel, mujoco.MjData], None] | None = None,
    ) -> None:
        self._model, self._definition, self._control, self._outcomes = model, definition, control, outcomes
        self._step = step
        self._steps = round(definition["duration_s"] / model.opt.timestep)
        if self._steps < 1:
            raise ValueError(f"duration_s is {definition['duration_s']}; allowed: at least a timestep, {model.opt.timestep} s")
        _require_names(definition.get("measures", {}))
        self._measures = Measures(model, definition.get("measures", {}), definition["duration_s"], functions)

    def run(self, series: Sequence[str] = ()) -> dict:
        """The record of it: `result`, `perturbed`, `contact_log` and, of the named measures, `series`."""
        repeats = NO_REPEATS | self._definition.get("repeats", {})
        with captured_warnings():
            log = ContactLog(self._model, LOGGED)
            result = self._once(lambda data: None, [log])
            drawn = self._measures.series(series)
            moved = []
            for number in range(repeats["perturbations"]):
                rng = np.random.default_rng([repeats["seed"], number])
                moved.append(self._once(lambda data, rng=rng: perturbed(self._model, data, repeats["size_m"], rng)))
        return {"result": result, "perturbed": moved, "contact_log": log.entries, "series": drawn}

    def poses(self, moments: int) -> dict[str, np.ndarray]:
        """The states of the unmoved run at n evenly spaced times from the start to the end, whatever the timestep is.

        times_s: (n,); qpos: (n, nq); mocap_pos, mocap_quat: (n, nmocap, 3) and (n, nmocap, 4); body_m: (n, nbody, 3), the
        origins of the bodies' frames. A run that diverged stays in the last state before that.
        """
        times_s = np.linspace(0, self._definition["duration_s"], moments)
        asked = np.minimum(np.round(times_s / self._model.opt.timestep), self._steps)
        with captured_warnings():
            data, _, before = self._begin(lambda data: None)
            kept = [_pose(data)]
            self._simulate(data, before, lambda: kept.append(_pose(data)))
        arrays = {name: np.array([kept[min(int(step), len(kept) - 1)][name] for step in asked]) for name in kept[0]}
        return {"times_s": times_s} | arrays | {"body_m": body_places(self._model, **arrays)}

    def check(self) -> None:
        """Begin a run and take no step. Raises ValueError, in one line, where start, control or measures do not allow it."""
        data, _, _ = self._begin(lambda data: None)
        self._measures.start(data)

    def _begin(self, move: Callable[[mujoco.MjData], None]) -> tuple[mujoco.MjData, dict, Callable[[int], None] | None]:
        """The start as `move` leaves it, what overlaps there, and what the control does before each step."""
        data = mujoco.MjData(self._model)
        set_start(self._model, data, self._definition.get("start"))
        move(data)
        start = self._start(data)
        return data, start, self._control.begin(self._model, data, self._steps) if self._control else None

    def _once(self, move: Callable[[mujoco.MjData], None], readers: Sequence[ContactLog] = ()) -> dict:
        """The result of one run from the start as `move` leaves it."""
        measures = self._measures
        data, start, before = self._begin(move)
        measures.start(data, readers)
        steps = self._simulate(data, before, measures.see)
        measures.finish()
        digest, warnings = state_digest(data), warning_counts(data)
        if _diverged(data, warnings):
            found = dict.fromkeys(self._definition.get("measures", {})) | {"outcome": DIVERGED}
        else:
            found = measures.result()
            found |= self._outcomes_of(data, found)
        limits = measures.limits.summary()
        seen = {key: limits[key] for key in SOLVER} | {"warnings": sum(warnings.values())}
        return found | seen | start | {"steps": steps, "digest": digest}

    def _simulate(self, data: mujoco.MjData, before: Callable[[int], None] | None, see: Callable[[], None]) -> int:
        """Step to the end, or to where the engine resets a state that it cannot go on from; how many steps that were."""
        model, step, check = self._model, self._step or mujoco.mj_step, limit.check
        now_s = data.time
        for number in range(self._steps):
            check()
            if before:
                before(number)
            step(model, data)
            if data.time <= now_s:
                return number + 1
            now_s = data.time
            see()
        return self._steps

    def _start(self, data: mujoco.MjData) -> dict:
        """What overlaps in the start that `data` holds. Raises ValueError where that is more than is allowed."""
        posed = self._measures.scratch
        posed.qpos[:] = data.qpos
        if self._model.nmocap:
            posed.mocap_pos[:], posed.mocap_quat[:] = data.mocap_pos, data.mocap_quat
        if (allowed_m := self._definition.get("allowed_overlap_m")) is not None:
            require_apart(self._model, posed, allowed_m)
        return start_overlap(self._model, posed)

    def _outcomes_of(self, data: mujoco.MjData, measures: dict) -> dict:
        if self._outcomes is None:
            return {}
        found = self._outcomes(self._model, data, dict(measures))
        if not isinstance(found, Mapping) or not all(isinstance(value, str | bool) for value in found.values()):
            raise ValueError(f"outcome_code returned {found!r}; allowed: a name with a text, True or False for each outcome")
        _require_names(found, measures)
        return dict(found)


def _pose(data: mujoco.MjData) -> dict[str, np.ndarray]:
    return {"qpos": data.qpos.copy(), "mocap_pos": data.mocap_pos.copy(), "mocap_quat": data.mocap_quat.copy()}


def body_places(model: mujoco.MjModel, qpos: np.ndarray, mocap_pos: np.ndarray, mocap_quat: np.ndarray) -> np.ndarray:
    """(n, nbody, 3) in m, where the origins of the bodies' frames are in n states."""
    data, places_m = mujoco.MjData(model), []
    for data.qpos[:], data.mocap_pos[:], data.mocap_quat[:] in zip(qpos, mocap_pos, mocap_quat, strict=True):
        mujoco.mj_kinematics(model, data)
        places_m.append(data.xpos.copy())
    return np.array(places_m)


def _diverged(data: mujoco.MjData, warnings: Mapping[str, int]) -> bool:
    """Whether the engine met a state that it could not go on from, or the one that it ended in is not finite."""
    return any(name in warnings for name in DIVERGENCE) or not np.isfinite(np.concatenate([data.qpos, data.qvel])).all()


def _require_names(names: Mapping, taken: Sequence[str] = ()) -> None:
    for name in names:
        if name in RESERVED or name in taken:
            raise ValueError(f"{name} is already a column of the result; allowed: a name beside {', '.join(RESERVED)}")
