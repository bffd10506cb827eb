"""The cell of an audit of a scene: compiled and checked once for an engine, then run with the settings of the run."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np

from contactlab import attributes
from contactlab.audit import Audit
from contactlab.compile import compile_scene
from contactlab.control import ConstantControl, Control, FunctionControl, RecordedControl
from contactlab.limit import limited
from contactlab.marks import to_text
from contactlab.runs import marked_steps
from records import current_run, files, own_code, recordings
from records.ended import CANNOT_RUN, TIMED_OUT

FILES = ("recording", "code", "outcome_code")


def ready(scene: str, told: dict) -> tuple[bytes, str | None]:
    """The compiled model of a scene, and why no run of it is possible here, if none is; then the model may be empty.

    `told` is what `scene` below is told, with the settings of the reference. No code of the user's own is called.
    """
    binary = b""
    try:
        model = mujoco.MjModel.from_binary_path(scene) if scene.endswith(".mjb") else compile_scene(scene)
        binary = _binary(model)
        attributes.apply(model, told["settings"])
        control = None if "code" in told.get("control", {}) else _control(model, told)
        Audit(model, told, control, dict.fromkeys(_functions(told), _never_called)).check()
    except (ValueError, mujoco.FatalError) as error:
        return binary, " ".join(str(error).split())
    return binary, None


def parser(description: str) -> argparse.ArgumentParser:
    """The command line of a script that runs a cell; `told` takes what was parsed."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--model", required=True, help="the compiled scene, .mjb")
    parser.add_argument("--ready", required=True, help="the record of its check on this engine, JSON")
    parser.add_argument("--out", required=True, help="what to write")
    parser.add_argument("--settings", required=True, help="what the run is told, JSON")
    return parser


def told(arguments: argparse.Namespace) -> tuple[str, dict, str | None]:
    """The compiled model of a run, what the run is told, and why none is possible on this engine, if so."""
    why = files.read_json(arguments.ready)["why"]
    return files.unaltered(arguments.model), json.loads(arguments.settings), why


def scene(model: str, told: dict, why: str | None) -> dict:
    """The record of a run on a compiled model; `why` none is possible here, if so.

    `told` has the `audit`, what it asks of every run, and the `settings` of this one.
    """
    settings = {"audit": told["audit"]} | told["settings"]
    record = {"settings": settings, "files": told["files"], "mujoco": mujoco.__version__}
    return record | (_ended(CANNOT_RUN, why) if why else _measured(_measure, model, told))


def poses(model: str, told: dict, why: str | None, moments: int) -> dict[str, np.ndarray]:
    """Where everything is at evenly spaced times of the same run, see `Audit.poses`. Raises ValueError where it ended."""
    found = _ended(CANNOT_RUN, why) if why else _measured(lambda *run: _poses(*run, moments), model, told)
    if "poses" not in found:
        ended = found["result"]
        raise ValueError(f"{told['audit']} {ended['outcome']}: {ended.get('why', 'nothing more is known')}")
    return {name: np.array(rows).reshape(shape) for name, (rows, shape) in found["poses"].items()}


def _binary(model: mujoco.MjModel) -> bytes:
    binary = np.empty(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, binary)
    return binary.tobytes()


def _ended(outcome: str, why: str) -> dict:
    return {"result": {"outcome": outcome, "why": why}, "perturbed": []}


def _measured(measure: Callable[[str, dict], dict], model: str, told: dict) -> dict:
    """What a run measured, or how it ended; one that calls code of the user's own does so in a process of its own."""
    limit_s, path, placed = current_run.cell_limit_s(), str(Path(model).resolve()), _absolute(told)

    def limited_measure() -> dict:
        with limited(limit_s):
            return measure(path, placed)

    if _has_own_code(told):
        found = own_code.guarded(limited_measure, limit_s)
        return found if "result" in found else {"result": found, "perturbed": []}
    try:
        return limited_measure()
    except TimeoutError as error:
        return _ended(TIMED_OUT, str(error))
    except (ValueError, mujoco.FatalError) as error:
        return _ended(CANNOT_RUN, " ".join(str(error).split()))


def _measure(path: str, told: dict) -> dict:
    run, timestep_s = _audit(path, told)
    with marked_steps() as marks:
        found = run.run(told["series"])
    return {"timestep_s": timestep_s} | found | {"marks": to_text(marks)}


def _poses(path: str, told: dict, moments: int) -> dict:
    """Arrays as what JSON holds, with their shapes: an empty one has none there."""
    found = _audit(path, told)[0].poses(moments)
    return {"result": {}, "poses": {name: (array.tolist(), array.shape) for name, array in found.items()}}


def _audit(path: str, told: dict) -> tuple[Audit, float]:
    """What runs a scene as it is told, and the timestep of that."""
    model = mujoco.MjModel.from_binary_path(path)
    attributes.apply(model, told["settings"])
    functions = {name: own_code.load(*place) for name, place in _functions(told).items()}
    outcomes = own_code.load(told["outcome_code"], "outcomes") if "outcome_code" in told else None
    return Audit(model, told, _control(model, told), functions, outcomes), model.opt.timestep


def _has_own_code(told: dict) -> bool:
    return "outcome_code" in told or "code" in told.get("control", {}) or bool(_functions(told))


def _functions(told: dict) -> dict[str, tuple[str, str]]:
    """File and function of each measure that is code."""
    coded = {name: measure for name, measure in told["measures"].items() if "code" in measure}
    return {name: (measure["code"], measure.get("function", name)) for name, measure in coded.items()}


def _absolute(told: dict) -> dict:
    """What a run is told with the whole paths of files, as code of the user's own works in a folder of its own."""
    whole = {name: str(Path(told[name]).resolve()) for name in FILES if isinstance(told.get(name), str)}
    return {name: _absolute(part) if isinstance(part, dict) else part for name, part in told.items()} | whole


def _never_called(model: mujoco.MjModel, data: mujoco.MjData) -> float:
    raise NotImplementedError


def _control(model: mujoco.MjModel, told: dict) -> Control | None:
    control = told.get("control", {})
    if "constant" in control:
        return ConstantControl(model, control["constant"])
    if "recording" in control:
        return RecordedControl(model, *recordings.read(control["recording"]))
    if "code" in control:
        return FunctionControl(lambda: own_code.load(control["code"], "control"), control["every_s"])
    return None
