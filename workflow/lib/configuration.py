"""Check the configuration before any job starts: each fault is one line that names the key, the value and what is allowed."""

import functools
import math
import re
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from xml.etree.ElementTree import ParseError

import yaml
from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import best_match
from packaging.version import Version

import own_scene
from records import engines, passport, settings

SO_101 = "so101"  # the robot whose cells carry no mark
ROBOT_PARTS = (
    "arm_joints", "arm_actuators", "jaw_joint", "jaw_actuator", "tool_body", "fixed_jaw_body", "moving_jaw_body",
)  # fmt: skip

NAME_LIMIT = 200  # characters of a cell's name; file systems end at 255, and a suffix comes behind it

OBJECT = {"type": "object", "additionalProperties": False}
DEEPEST = 30  # levels of a configuration; its schema has 6

MANY_KEYS = 20  # so that an error stays one line


class ConfigError(ValueError):
    """A configuration that cannot be run; its text is one line."""


class Schema(dict):
    """The configuration's schema; what was asked of one can be cached."""

    __hash__ = object.__hash__


def load_schema(path: Path, added: Iterable[str] = ()) -> Schema:
    """The schema in the YAML file at `path`, with the settings and sweeps that follow from the axes of each experiment.

    `added` are experiments whose keys may stand in a configuration and are not checked before `add_experiment`.
    """
    schema = Schema(yaml.safe_load(path.read_text(encoding="utf-8")))
    for experiment in experiments(schema):
        _derive(schema, experiment)
    schema["properties"] |= {name: {} for name in added}
    return schema


def add_experiment(schema: Schema, name: str, description: str, axes: str) -> None:
    """Make `name` a key of the configuration with `settings` and `sweeps`, as `drop` has them; its `axes` are given in YAML."""
    schema["$defs"][f"{name}_axes"] = {"properties": yaml.safe_load(axes)}
    _derive(schema, name)
    sweeps = schema["properties"]["drop"]["properties"]["sweeps"]
    schema["properties"][name] = OBJECT | {
        "description": description,
        "required": ["sweeps"],
        "properties": {
            "settings": {"$ref": f"#/$defs/{name}_settings", "default": {}},
            "sweeps": sweeps | {"additionalProperties": {"$ref": f"#/$defs/{name}_sweep"}},
        },
    }


def _derive(schema: Schema, experiment: str) -> None:
    """Make of `drop_axes`, for example, `drop_settings`, one value for any axis that has a default, and `drop_sweep`, a list of
    values for any axis and for the engine. Each axis is completed with what the definition `shared` says of it.
    """
    definitions, name = schema["$defs"], f"{experiment}_axes"
    known = {axis: definitions["shared"].get(axis, {}) | own for axis, own in definitions[name]["properties"].items()}
    definitions[name]["properties"] = known
    one = {axis: {"$ref": f"#/$defs/{name}/properties/{axis}"} for axis in known if known[axis]["stage"] != "source"}
    several = {axis: _list_of(value) for axis, value in ({"engine": {"$ref": "#/$defs/engine"}} | one).items()}
    required = [axis for axis in one if "default" not in known[axis]]
    settable = {axis: value for axis, value in one.items() if axis not in required}
    definitions[f"{experiment}_settings"] = OBJECT | {"properties": settable}
    definitions[f"{experiment}_sweep"] = OBJECT | {"properties": several, "required": ["engine", *required]}


def _list_of(values: dict) -> dict:
    return {"type": "array", "minItems": 1, "uniqueItems": True, "items": values}


def experiments(schema: dict) -> list[str]:
    """The experiments whose cells are named by their axes."""
    return [name.removesuffix("_axes") for name in schema["$defs"] if name.endswith("_axes")]


def axes(schema: dict, experiment: str) -> dict[str, dict]:
    """The axes of an experiment, "drop" for example, by name, each with its subschema."""
    return schema["$defs"][f"{experiment}_axes"]["properties"]


def defaults(schema: dict, experiment: str) -> dict:
    """The default of each axis that has one."""
    return {name: axis["default"] for name, axis in axes(schema, experiment).items() if "default" in axis}


def own_defaults(config: dict, experiment: str) -> dict:
    """The defaults that a robot brings with it, in place of those of the schema."""
    return config["pick"]["robot"]["settings"] if experiment == "pick" else {}


def lacking(schema: dict, experiment: str, engine: str) -> dict[str, str]:
    """What an engine does not have, as the words "axis=value" of a cell's name, each with the first version that has it."""
    return {
        f"{name}={settings.to_word(value)}": since
        for name, axis in axes(schema, experiment).items()
        for value, since in axis.get("since", {}).items()
        if Version(engines.split(engine)[0]) < Version(since)
    }


def checked(config: dict, schema: dict, envs: Path) -> dict:
    """`config` with the schema's defaults filled in. `envs` is the folder that holds the engines' locks.

    Raises ConfigError.
    """
    _check_finite(config, "config")
    config = _filled(config, schema)
    _check_schema(config, schema)
    _check_scene(config, schema)
    _check_robot(config, schema, envs)
    _check_engine(config["stepping"]["engine"], "config.stepping.engine", envs)
    for experiment in ("controls", "runtime"):
        for engine in config.get(experiment, {"engine": []})["engine"]:
            _check_engine(engine, f"config.{experiment}.engine", envs)
    grids = {experiment: _checked_sweeps(config, experiment, schema, envs) for experiment in ("drop", "pick")}
    for key, sweep in grids["drop"].items():
        _check_drop(sweep, key, schema)
    for key, sweep in grids["pick"].items():
        _check_pick(sweep, key, schema, config["pick"]["robot"])
    _check_architectures(config, schema, envs)
    _check_engines(config, schema, envs)
    _check_size(grids["drop"] | grids["pick"], config["max_cells"])
    _check_presets(config)
    _check_passport(config)
    return config


def checked_experiment(config: dict, name: str, schema: dict, envs: Path) -> dict:
    """A checked `config` with its key `name`, an experiment that was added, filled and checked; without it there is no sweep.

    Raises ConfigError.
    """
    if name not in config:
        return config | {name: {"settings": {}, "sweeps": {}}}
    config = config | {name: _filled(config[name], schema["properties"][name])}
    _check_schema(config, schema)
    others = [experiment for experiment in experiments(schema) if experiment != name]
    grids = [_checked_sweeps(config, name, schema, envs), *(sweeps(config, other) for other in others)]
    _check_size({key: sweep for named in grids for key, sweep in named.items()}, config["max_cells"])
    return config


def _check_schema(config: dict, schema: dict) -> None:
    error = best_match(Draft202012Validator(schema).iter_errors(config))
    if error:
        raise ConfigError(_one_line(error))


def _checked_sweeps(config: dict, experiment: str, schema: dict, envs: Path) -> dict[str, dict]:
    """The grids of an experiment by their key, each with nothing in it that its engines or its scene do not allow."""
    grids = sweeps(config, experiment)
    for key, sweep in grids.items():
        _check_sweep(sweep, key, experiment, schema, envs, own_defaults(config, experiment))
        _check_fixed(sweep, key, experiment, schema)
    return grids


def lock(envs: Path, engine: str) -> Path:
    """The file that locks an engine's packages, the same for every architecture."""
    return envs / f"mujoco-{engines.split(engine)[0]}.txt"


def sweeps(config: dict, experiment: str) -> dict[str, dict]:
    """The grids of an experiment by their key in the configuration, the settings common to them filled in."""
    part, key = config[experiment], f"config.{experiment}"
    grids = {f"{key}.sweeps.{name}": sweep for name, sweep in part["sweeps"].items()}
    grids |= {f"{key}.{name}": part[name] for name in ("impact", "nominal") if name in part}
    grids |= {f"{key}.checks[{index}]": grid for index, grid in enumerate(part.get("checks", []))}
    presets = config["presets"].items()
    grids |= {f"config.presets.{name}.{experiment}": preset[experiment] for name, preset in presets if experiment in preset}
    return {name: with_settings(config, experiment, grid) for name, grid in grids.items()}


def with_settings(config: dict, experiment: str, sweep: dict) -> dict:
    """A sweep with the experiment's settings for the axes that it does not name, and with its scene or its robot."""
    common = config[experiment]["settings"] | own_defaults(config, experiment) | source(config, experiment)
    return {axis: [value] for axis, value in common.items()} | sweep


def source(config: dict, experiment: str) -> dict[str, str]:
    """The axis of stage source, and what the configuration has for it; none for a published scene or robot."""
    if experiment == "drop" and "scene" in config["drop"]:
        return {"scene": own_scene.label(config["drop"]["scene"])}
    if experiment == "pick" and config["pick"]["robot"]["name"] != SO_101:
        return {"robot": config["pick"]["robot"]["name"]}
    return {}


def fixed(schema: dict, experiment: str, given: Iterable[str]) -> list[str]:
    """The axes that are settled by a source among the `given` axes: all of the model, by a scene of the user's own."""
    known = axes(schema, experiment)
    stages = {known[axis]["fixes"] for axis in given if "fixes" in known.get(axis, {})}
    return [axis for axis, part in known.items() if part["stage"] in stages]


def moved(config: dict, schema: dict, experiment: str, sweep: dict) -> dict[str, list]:
    """A sweep's grid with only the axes it moves, values at their default as "default": what names its cells.

    The axes stand in the schema's order, whatever the configuration's, so that a cell has one name.
    """
    whole = with_settings(config, experiment, sweep)
    default = defaults(schema, experiment) | own_defaults(config, experiment)
    grid = {
        axis: [settings.against_defaults({axis: value}, default)[axis] for value in whole[axis]]
        for axis in ("engine", *axes(schema, experiment))
        if axis in whole
    }
    return {axis: values for axis, values in grid.items() if values != [settings.DEFAULT]}


def named(schema: Schema, experiment: str, name: str, own: dict | None = None) -> dict:
    """All settings behind the name of a cell or a scene, in the schema's order; `own` are the defaults of its robot.

    Absent are a required axis that it lacks, a source that is the published one, and what its own source fixes.

    Raises ConfigError for an axis that the experiment does not have, for a value that is not allowed, and for a second name of
    a cell: axes in another order, or a default spelt out. A file that ignored part of its name would pass for something else.
    """
    known, given = axes(schema, experiment), settings.from_cell_name(name)
    default = defaults(schema, experiment) | (own or {})
    unknown = [axis for axis in given if axis not in known]
    if unknown:
        raise ConfigError(f"{name}: {experiment} has no axis {unknown[0]}; allowed: {_keys(unknown[0], list(known))}")
    ordered = {axis: given[axis] for axis in known if axis in given}
    canonical = settings.cell_name(settings.against_defaults(ordered, default))
    if name != canonical:
        raise ConfigError(f"{name}: the one name of this cell is {canonical}")
    for axis, value in ordered.items():
        allowed = _not_allowed(schema, experiment, axis, settings.to_word(value))
        if allowed:
            raise ConfigError(f"{name}: {axis} is {_short(value)}; allowed: {allowed}")
    settled = fixed(schema, experiment, ordered)
    for axis in settled:
        if axis in ordered:
            raise ConfigError(f"{name}: {axis} is fixed by the scene; allowed: {_keys(axis, _movable(known, settled))}")
    return {axis: (default | ordered)[axis] for axis in known if axis in (default | ordered) and axis not in settled}


def _movable(known: dict[str, dict], settled: list[str]) -> list[str]:
    return [axis for axis, part in known.items() if axis not in settled and part["stage"] != "source"]


@functools.cache
def _not_allowed(schema: Schema, experiment: str, axis: str, word: str) -> str | None:
    """None for a value that its axis allows, else what it allows. Cached, as thousands of cells share few values."""
    validator = Draft202012Validator(schema).evolve(schema=axes(schema, experiment)[axis])
    error = best_match(validator.iter_errors(settings.from_word(word)))
    return _allowed(_whole(error)) if error else None


def check_readable(path: Path) -> None:
    """Raises ConfigError, with the line, for a file that YAML cannot read as a mapping, or would read otherwise than it looks.

    Of a key that stands twice YAML would take the last, and a tag may run code. A file that is not there is none of ours.
    """
    if not path.is_file():
        return
    try:
        root = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, UnicodeError) as error:
        place = getattr(error, "problem_mark", None)
        line = f", line {place.line + 1}" if place else ""
        said = getattr(error, "problem", None) or str(error)
        raise ConfigError(f"config: {path}{line}: {' '.join(said.split())}; allowed: YAML") from None
    if not isinstance(root, yaml.MappingNode):
        raise ConfigError(f"config: {path} has no keys; allowed: YAML with keys at the top")
    _check_once(root, "config", path, ())


def _check_once(node: yaml.Node, key: str, path: Path, around: tuple[yaml.Node, ...]) -> None:
    where = f"in line {node.start_mark.line + 1} of {path}"
    if node in around:
        raise ConfigError(f"{key}, {where}, has itself in it; allowed: other values")
    if len(around) > DEEPEST:
        raise ConfigError(f"{_clipped(key)}, {where}, is nested too deeply; allowed: {DEEPEST} levels")
    if node.tag not in yaml.SafeLoader.yaml_constructors:
        raise ConfigError(f"{key}, {where}, has the tag {_short(node.tag)}; allowed: no tag")
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for name, value in node.value:
            line, child = name.start_mark.line + 1, f"{key}.{name.value}"
            if not isinstance(name, yaml.ScalarNode):
                raise ConfigError(f"{key} has a key that is no word, in line {line} of {path}; allowed: words")
            if name.value in seen:
                raise ConfigError(f"{_clipped(child)} stands twice, in line {line} of {path} again; allowed: once")
            seen.add(name.value)
            _check_once(value, child, path, (*around, node))
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _check_once(value, f"{key}[{index}]", path, (*around, node))


def _filled(config, schema: dict):
    """`config` with the defaults of the properties it lacks, at every level that the schema describes in place."""
    if not isinstance(config, dict):
        return config
    parts = schema.get("properties", {})
    given = {name: part["default"] for name, part in parts.items() if "default" in part} | config
    return {name: _filled(value, parts.get(name, {})) for name, value in given.items()}


def _check_finite(value, key: str) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{key} is {value}; allowed: a finite number")
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, child in children:
        _check_finite(child, f"{key}[{name}]" if isinstance(value, list) else f"{key}.{name}")


def _check_lock(engine: str, key: str, envs: Path) -> None:
    if not lock(envs, engine).exists():
        locked = sorted((path.stem.removeprefix("mujoco-") for path in envs.glob("mujoco-*.txt")), key=Version)
        raise ConfigError(
            f"{key} is {engine}, which has no lock in envs/; allowed: {', '.join(locked)}, or any version of the registry "
            f"after: make lock VERSION={engines.split(engine)[0]}"
        )


def _check_engine(engine: str, key: str, envs: Path) -> None:
    _check_lock(engine, key, envs)
    if hindrance := engines.hindrance(engine):
        raise ConfigError(f"{key} is {engine}, {hindrance}")


def _check_sweep(sweep: dict, key: str, experiment: str, schema: dict, envs: Path, own: dict) -> None:
    for engine in sweep["engine"]:
        _check_engine(engine, f"{key}.engine", envs)
        _check_since(sweep, key, experiment, schema, engine)
    longest = {name: max(values, key=lambda value: len(settings.to_word(value))) for name, values in sweep.items()}
    del longest["engine"]
    name = settings.cell_name(settings.against_defaults(longest, defaults(schema, experiment) | own))
    if len(name) > NAME_LIMIT:
        raise ConfigError(f"{key} moves so many axes that a cell's name has {len(name)} characters; allowed: {NAME_LIMIT}")


def missing(sweep: dict, experiment: str, schema: dict, engine: str) -> list[tuple[str, str, str]]:
    """What a sweep asks for that an engine does not have: the axis, the value's word and the first version that has it."""
    words = ((*word.partition("="), since) for word, since in lacking(schema, experiment, engine).items())
    return [(axis, value, since) for axis, _, value, since in words if value in map(settings.to_word, sweep.get(axis, []))]


def _check_since(sweep: dict, key: str, experiment: str, schema: dict, engine: str) -> None:
    """An engine has what the sweep asks of it."""
    for axis, value, since in missing(sweep, experiment, schema, engine):
        version = engines.split(engine)[0]
        raise ConfigError(f"{key}.{axis} is {value}, which MuJoCo {version} lacks; allowed: {since} or newer")


def _check_architectures(config: dict, schema: dict, envs: Path) -> None:
    """The sweeps are there and can run on the engine's version. Whether it can be emulated here is asked when it is used."""
    part, key = config["architectures"], "config.architectures"
    _check_lock(part["engine"], f"{key}.engine", envs)
    for experiment in ("drop", "pick"):
        known = config[experiment]["sweeps"]
        for name in part.get(experiment, []):
            if name not in known:
                raise ConfigError(f"{key}.{experiment} is {name}, which is no sweep; allowed: {', '.join(known)}")
            sweep = with_settings(config, experiment, known[name])
            _check_since(sweep, f"config.{experiment}.sweeps.{name}", experiment, schema, part["engine"])


def _check_engines(config: dict, schema: dict, envs: Path) -> None:
    """Every version that is compared can be had, and every drop can run with the variant's settings."""
    for engine in config["engines"]["compare"]:
        _check_engine(engine, "config.engines.compare", envs)
    variant = {axis: [value] for axis, value in config["engines"]["variant"].items()}
    for sweep in sweeps(config, "drop").values():
        _check_drop(sweep | variant, "config.engines.variant", schema)


def _check_scene(config: dict, schema: dict) -> None:
    """A drop scene of the user's own can be read and has the parts that a drop asks for by name."""
    path, key = config["drop"].get("scene"), "config.drop.scene"
    if path is None:
        return
    try:
        missing = own_scene.missing_part(path)
    except OSError as error:
        raise ConfigError(f"{key} is {path}; {error.filename}: {error.strerror}; allowed: the path of an MJCF file") from None
    except ParseError as error:
        raise ConfigError(f"{key} is {path}, which is not XML: {error}; allowed: the path of an MJCF file") from None
    if missing:
        raise ConfigError(f"{key} is {path}, which has no {missing}; allowed: {own_scene.ALLOWED}")
    if not re.search(schema["$defs"]["label"]["pattern"], own_scene.label(path)):
        raise ConfigError(f"{key} is {path}; allowed: a file whose name has letters, digits, - and _ and begins with a letter")


def _check_robot(config: dict, schema: dict, envs: Path) -> None:
    """The robot's model can be found, and one that is not the SO-101 is not called so."""
    robot, key = config["pick"]["robot"], "config.pick.robot"
    if robot["source"] == "wheel" and not (envs / f"{robot['lock']}.txt").is_file():
        raise ConfigError(f"{key}.lock is {robot['lock']}; allowed: the NAME of a file envs/NAME.txt")
    if robot["source"] not in ("wheel", "menagerie") and not (Path(robot["source"]) / robot["file"]).is_file():
        raise ConfigError(
            f"{key}.source is {robot['source']}; allowed: wheel, menagerie or a folder that holds {robot['file']}"
        )
    parts = schema["properties"]["pick"]["properties"]["robot"]["properties"]
    for name in ("file", "settings", *ROBOT_PARTS):
        if robot["name"] == SO_101 and robot[name] != parts[name]["default"]:
            raise ConfigError(f"{key}.{name} is not the SO-101's, whose name the robot has; allowed: a name of its own")
    joints, actuators = len(robot["arm_joints"]), len(robot["arm_actuators"])
    if joints != actuators:
        raise ConfigError(f"{key}.arm_actuators has {actuators} names; allowed: one for each of the {joints} arm_joints")


def _check_fixed(sweep: dict, key: str, experiment: str, schema: dict) -> None:
    """No sweep moves what a scene of the user's own settles; a default spelt out moves nothing."""
    settled, default = fixed(schema, experiment, sweep), defaults(schema, experiment)
    for axis in settled:
        moved_to = [value for value in sweep.get(axis, []) if settings.to_word(value) != settings.to_word(default[axis])]
        if moved_to:
            movable = ", ".join(_movable(axes(schema, experiment), settled))
            raise ConfigError(
                f"{key}.{axis} is {_short(moved_to[0])}, which the scene {sweep['scene'][0]} fixes; allowed: {movable}"
            )


def _check_drop(sweep: dict, key: str, schema: dict) -> None:
    """The table stands above the floor."""
    default = defaults(schema, "drop")
    thickness = max(sweep.get("table_thickness_m", [default["table_thickness_m"]]))
    top = min(sweep.get("table_top_m", [default["table_top_m"]]))
    if thickness > top:
        raise ConfigError(
            f"{key}.table_thickness_m is {thickness}, which reaches below the floor; allowed: up to table_top_m, {top}"
        )


def _check_pick(sweep: dict, key: str, schema: dict, robot: dict) -> None:
    """Every position is one of the seeded ones, and the arm's start has a value for each of its joints."""
    joints = len(robot["arm_joints"])
    for home in sweep.get("home_rad", [defaults(schema, "pick")["home_rad"]]):
        if len(home) != joints:
            raise ConfigError(
                f"{key}.home_rad has {len(home)} values; allowed: one for each of the robot's {joints} arm_joints"
            )
    count = min(sweep.get("position_count", [defaults(schema, "pick")["position_count"]]))
    beyond = [position for position in sweep["position"] if position != "nominal" and position >= count]
    if beyond:
        raise ConfigError(f"{key}.position is {beyond[0]}; allowed: nominal, or up to position_count - 1, {count - 1}")


def _check_size(grids: dict[str, dict], max_cells: int) -> None:
    sizes = {key: math.prod(len(values) for values in sweep.values()) for key, sweep in grids.items()}
    if sum(sizes.values()) > max_cells:
        largest = max(sizes, key=sizes.get)
        raise ConfigError(
            f"{largest} has {sizes[largest]} cells, {sum(sizes.values())} with the other sweeps; allowed: "
            f"max_cells, {max_cells}"
        )


def _check_presets(config: dict) -> None:
    """No preset writes what a sweep of drops writes."""
    for name in config["presets"].keys() & config["drop"]["sweeps"].keys():
        raise ConfigError(f"config.presets has {name}, which is a sweep of config.drop.sweeps; allowed: any other name")


def _check_passport(config: dict) -> None:
    """The other machine's passport, if one is named, is there and is what was written."""
    try:
        if "passport" in config:
            passport.load(config["passport"])
    except ValueError as error:
        raise ConfigError(f"config.passport is {error}; allowed: a file of passports/, or a results/passport.json") from None


def _one_line(error: ValidationError) -> str:
    error = _whole(error)
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path)
    key = _clipped("config" + "".join(steps))
    if error.validator == "additionalProperties":
        known = list(error.schema.get("properties", {}))
        unknown = next(name for name in error.instance if name not in known)
        return f"{key} has the unknown key {_short(unknown)}; allowed: {_keys(str(unknown), known)}"
    if error.validator == "required":
        return (
            f"{key} lacks {', '.join(name for name in error.validator_value if name not in error.instance)}; it must be there"
        )
    found = "has the name" if "propertyNames" in error.absolute_schema_path else "is"
    return f"{key} {found} {_short(error.instance)}; allowed: {_allowed(error)}"


def _whole(error: ValidationError) -> ValidationError:
    """Of an anyOf, the error that says what it allows as a whole."""
    return error if error.parent is None else _whole(error.parent)


def _keys(unknown: str, known: list[str]) -> str:
    """All keys that are known, or, of very many, those most like the unknown one."""
    if len(known) <= MANY_KEYS:
        return ", ".join(known)
    like = get_close_matches(unknown, known, n=5, cutoff=0.0)
    return f"{', '.join(like)} and {len(known) - len(like)} more, which the schema lists"


def _short(value) -> str:
    return _clipped(repr(value), 60)


def _clipped(text: str, length: int = 200) -> str:
    """A text as one line that is not too long."""
    text = " ".join(text.split())
    return text if len(text) <= length else f"{text[: length - 3]}..."


def _allowed(error: ValidationError) -> str:
    """What would have been allowed: the schema's own words where it has some, else those of the keyword that failed."""
    limit = error.validator_value
    kinds = {"object": "a mapping", "array": "a list", "integer": "a whole number"}
    words = {
        "exclusiveMinimum": f"above {limit}",
        "exclusiveMaximum": f"below {limit}",
        "minimum": f"{limit} or more",
        "maximum": f"up to {limit}",
        "minItems": f"{limit} or more",
        "minProperties": f"{limit} or more",
        "maxItems": f"{limit} values",
        "uniqueItems": "each value once",
        "enum": ", ".join(str(value) for value in limit) if isinstance(limit, list) else "",
        "type": kinds.get(str(limit), f"a {limit}"),
    }
    return error.schema.get("allowed") or words.get(error.validator, error.message)
