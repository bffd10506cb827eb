"""What audits must hold beside their schema: files that are there, names that the scene has, conditions over known measures."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import ParseError

from contactlab.measure_words import LISTS, SUBJECTS, require_definition, subject_of
from lib import audits, checks, locks, messages, own_scene
from lib.messages import ConfigError
from lib.schema import Schema
from records import audits as planned
from records import engines, recordings
from records.conditions import parse

OF_SCENES = ("start", "allowed_overlap_m", "control", "duration_s", "outcome_code", "repeats", "series", "storyboard")
BESIDE = ("_verdicts", "_timestep", "_series", "_storyboard", "_card", "_table")  # ends of names of tables, figures and rules
NAMED = {"body": "body", "joint": "joint", "actuator": "actuator", "sensor": "sensor"}  # subjects of measures, kinds of names
KINDS = ("option", "geom", "body", "joint", "actuator", "pair")  # of attributes


def check_part(part: dict, key: str, schema: Schema, envs: Path) -> None:
    """Every audit can be run as far as this can be known without an engine. Raises ConfigError."""
    for name, audit in part.items():
        _check(audit, f"{key}.{name}", name, schema, envs)


def runs_of(part: dict, key: str, envs: Path) -> dict[str, dict]:
    """The runs of each audit by its key in the configuration."""
    found = {name: planned.runs(audits.resolved(name, audit, f"{key}.{name}", envs)) for name, audit in part.items()}
    return {f"{key}.{name}": {"run": runs} for name, runs in found.items()}


def _check(audit: dict, key: str, name: str, schema: Schema, envs: Path) -> None:
    if ("scene" in audit) == ("code" in audit):
        raise ConfigError(f"{key} has {'both' if 'scene' in audit else 'neither'} scene and code; allowed: one of them")
    if name.endswith(BESIDE):
        raise ConfigError(f"{key} is called like what is made of {name.rpartition('_')[0]}; allowed: any other name")
    for needed in ("reference", "vary", *(["duration_s"] if "scene" in audit else [])):
        if needed not in audit:
            raise ConfigError(f"{key} lacks {needed}; it must be there")
    _check_engines(audit, key, name, envs)
    _check_axes(audit, key)
    _check_runs(audits.resolved(name, audit, key, envs), key)
    for place, path, function in audits.own_code(audit):
        _check_code(path, function, f"{key}.{place}")
    if "scene" in audit:
        _check_scene(audit, key, envs)
    else:
        _check_code_audit(audit, key, schema)
        for outcome, conditions in audit["outcomes"].items():
            _check_conditions(conditions, {}, f"{key}.outcomes.{outcome}")


# Engines and axes


def _check_engines(audit: dict, key: str, name: str, envs: Path) -> None:
    """Every engine has its lock; of an audit with requirements of its own that is another one."""
    varied = audits.resolved(name, audit, key, envs)["vary"].get("engine", [])
    own = audit.get("requirements")
    if own and not Path(own).is_file():
        raise ConfigError(f"{key}.requirements is {own}; allowed: the path of a requirements file")
    emulated = [engine for engine in (audit["reference"]["engine"], *varied) if engines.split(engine)[1]]
    if own and emulated:
        raise ConfigError(f"{key} has requirements and the engine {emulated[0]}; allowed: this machine's architecture")
    for place, engine in [("reference.engine", audit["reference"]["engine"]), *(("vary.engine", engine) for engine in varied)]:
        if not own:
            checks.check_engine(engine, f"{key}.{place}", envs)
            continue
        lock = audits.lock_name(name, engine)
        if not locks.named(envs, lock).is_file():
            raise ConfigError(
                f"{key}.{place} is {engine}, for which {own} has no lock envs/{lock}.txt; allowed: any version of the registry "
                f"after: make lock AUDIT=FILE, the file that holds {key}"
            )


def _check_axes(audit: dict, key: str) -> None:
    """No axis is varied and in the grid too; each is an attribute of a scene, or a word that code can be given."""
    for axis in audit["grid"]:
        if axis in audit["vary"] or axis == "engine":
            raise ConfigError(f"{key}.grid has {axis}; allowed: what vary does not have, and no engine")
    _check_known(audit["by"], audit["grid"], f"{key}.by", "axis of the grid")
    axes = [(place, axis) for place in ("reference", "grid", "vary") for axis in audit[place] if axis != "engine"]
    for place, axis in axes:
        if "code" in audit and not axis.isidentifier():
            raise ConfigError(f"{key}.{place} has {axis}; allowed: engine, and words that measure(**settings) can be given")
        if "scene" in audit and (axis.partition(".")[0] not in KINDS or axis.count(".") < 1 + (axis[:7] != "option.")):
            kinds = ", ".join(f"{kind}.NAME.FIELD" for kind in KINDS[1:])
            raise ConfigError(f"{key}.{place} has {axis}; allowed: engine, option.FIELD, {kinds}, where NAME may be *")


def _check_runs(audit: dict, key: str) -> None:
    """No two runs have one name, and what is drawn of them is one of the variations."""
    runs = planned.runs(audit)
    variations = dict.fromkeys(run.variation for run in runs if run.variation != planned.REFERENCE)
    for place, names in audits.chosen(audit).items():
        _check_known(names, variations, f"{key}.{place}", "variation")
    names = Counter((run.engine, run.cell) for run in runs)
    for run in runs:
        if names[run.engine, run.cell] > 1:
            raise ConfigError(f"{key} has two runs that are called {run.cell}; allowed: values that are written differently")


# Files of the user's own


def _check_code(path: str, function: str, key: str) -> None:
    """A Python file can be read and has the function."""
    try:
        tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{key} is {path}: {error.strerror}; allowed: the path of a Python file") from None
    except (SyntaxError, ValueError) as error:
        raise ConfigError(f"{key} is {path}, which is not Python: {' '.join(str(error).split())}") from None
    if function not in _defined(tree):
        raise ConfigError(f"{key} is {path}, which has no function {function}; allowed: a file with {function}(...)")


def _defined(tree: ast.Module) -> Iterator[str]:
    """The names that a file has at its top."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _check_code_audit(audit: dict, key: str, schema: Schema) -> None:
    """Code has nothing that only a scene can have, and its measures no subject."""
    for name, measure in audit["measures"].items():
        if has := [subject for subject in (*SUBJECTS, "quantity", "at") if subject in measure]:
            raise ConfigError(f"{key}.measures.{name} has {has[0]}; allowed of what code returns: digits, tolerance")
    defaults = schema["properties"]["audits"]["additionalProperties"]["properties"]
    for name in OF_SCENES:
        default = {"repeats": {name: part["default"] for name, part in defaults["repeats"]["properties"].items()}}
        if name in audit and audit[name] != default.get(name, defaults[name].get("default")):
            raise ConfigError(f"{key} has code and {name}; allowed: {name} where there is a scene")


# Scenes


def _check_scene(audit: dict, key: str, envs: Path) -> None:
    if "requirements" in audit:
        raise ConfigError(f"{key} has a scene and requirements; allowed: requirements where there is code")
    names = _scene_names(audit["scene"], f"{key}.scene", envs)
    _check_measures(audit, f"{key}.measures", names)
    _check_named(audit, key)
    _check_start_and_control(audit, key, names)
    for place in ("reference", "grid", "vary"):
        for axis in audit[place]:
            kind, _, rest = axis.partition(".")
            name = rest.rpartition(".")[0]
            if kind != "option" and rest and name != "*":
                _require(names, kind, name, f"{key}.{place}.{axis}")


def _scene_names(scene: str | dict, key: str, envs: Path) -> dict[str, list[str]] | None:
    """The names in a scene by kind; None where only its compiled model has them all."""
    if not isinstance(scene, str):
        lock = locks.named(envs, scene["lock"])
        if not lock.is_file():
            raise ConfigError(f"{key}.lock is {scene['lock']}; allowed: the NAME of a file envs/NAME.txt")
        if (held := lock.read_text(encoding="utf-8").split(maxsplit=1)[0]) != scene["wheel"]:
            raise ConfigError(f"{key}.wheel is {scene['wheel']}; allowed: {held}, which envs/{lock.name} holds")
        return None
    try:
        own_scene.digest(scene)
        return own_scene.names(scene)
    except OSError as error:
        raise ConfigError(
            f"{key} is {scene}; {error.filename}: {error.strerror}; allowed: the path of an MJCF file or a compiled model"
        ) from None
    except ParseError as error:
        raise ConfigError(f"{key} is {scene}, which is not XML: {error}; allowed: the path of an MJCF file") from None


def _require(names: dict[str, list[str]] | None, kind: str, name: str, key: str) -> None:
    if names is not None and name not in names[kind]:
        known = messages.listed(name, names[kind]) or f"a scene with a {kind}"
        raise ConfigError(f"{key}: the scene has no {kind} {name}; allowed: {known}")


def _check_measures(audit: dict, key: str, names: dict[str, list[str]] | None) -> None:
    """Each has one subject, which the scene has, and a quantity that such a subject has."""
    for name, measure in audits.measured(audit).items():
        try:
            subject = subject_of(measure)
            require_definition(measure, subject, audit["duration_s"])
        except ValueError as error:
            raise ConfigError(f"{key}.{name}: {error}") from None
        for kind, named in _subjects(measure):
            _require(names, kind, named, f"{key}.{name}.{subject}")


def _subjects(measure: dict) -> Iterator[tuple[str, str]]:
    """Kind and name of what a measure names; of a contact only what says its kind."""
    yield from ((kind, measure[subject]) for subject, kind in NAMED.items() if subject in measure)
    if "passage" in measure:
        yield from zip(("body", "geom"), measure["passage"], strict=True)
    for end in measure.get("contact", []):
        if isinstance(end, dict):
            yield from end.items()
        elif end.startswith("subtree "):
            yield "body", end.removeprefix("subtree ")


def _check_named(audit: dict, key: str) -> None:
    """Conditions, series and requirements name measures or outcomes."""
    measures, outcomes = audit["measures"], audit["outcomes"]
    for name, conditions in outcomes.items():
        if name in measures:
            raise ConfigError(f"{key}.outcomes has {name}, which measures has too; allowed: any other name")
        _check_known(conditions, measures, f"{key}.outcomes.{name}", "measure")
        _check_conditions(conditions, measures, f"{key}.outcomes.{name}")
    _check_known(audits.drawn(audit), measures, f"{key}.series", "measure")
    if "outcome_code" not in audit:
        _check_known(audit["required"], measures | outcomes, f"{key}.required", "outcome or measure")


def _check_conditions(conditions: dict, measures: dict, key: str) -> None:
    """Each condition can be read, and asks only a number to be above or below another."""
    for name, text in conditions.items():
        try:
            condition = parse(text)
        except ValueError as error:
            raise ConfigError(f"{key}.{name}: {error}") from None
        measure = measures.get(name, {})
        if measure.get("quantity") in LISTS:
            raise ConfigError(f"{key}.{name} is {text!r}, of a list of numbers; allowed: a condition of one number")
        if "passage" in measure and condition.ordered:
            raise ConfigError(f"{key}.{name} is {text!r}, of a text; allowed: == or !=")


def _check_known(asked, known: dict, key: str, kind: str) -> None:
    for name in asked:
        if name not in known:
            raise ConfigError(
                f"{key} names {name}, which is no {kind}; allowed: {messages.listed(name, list(known)) or 'none'}"
            )


def _check_start_and_control(audit: dict, key: str, names: dict[str, list[str]] | None) -> None:
    start, control = audit.get("start", {}), audit.get("control", {})
    if "keyframe" in start:
        _require(names, "keyframe", start["keyframe"], f"{key}.start.keyframe")
    for part in ("qpos", "qvel"):
        for joint in start.get(part, {}):
            _require(names, "joint", joint, f"{key}.start.{part}")
    for actuator in control.get("constant", {}):
        _require(names, "actuator", actuator, f"{key}.control.constant")
    if "recording" in control:
        _check_recording(control["recording"], f"{key}.control.recording", names)


def _check_recording(path: str, key: str, names: dict[str, list[str]] | None) -> None:
    """A recording can be read, and has a column for each actuator and no other."""
    try:
        _, columns, _ = recordings.read(path)
    except ValueError as error:
        raise ConfigError(f"{key} is {error}") from None
    for name in columns:
        _require(names, "actuator", name, key)
    for name in names["actuator"] if names else []:
        if name not in columns:
            raise ConfigError(f"{key} is {path}, which lacks the actuator {name}; allowed: a column for each actuator")
