"""What a configuration may hold: the general keys (workflow/schemas/config.schema.yaml) and those that experiments declare."""

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import yaml
from packaging.version import Version

from lib import experiments
from records import engines, settings

OBJECT = {"type": "object", "additionalProperties": False}
# Tables of our own.
RESERVED = ("ledger", "architectures", "engines", "implementations", "verify", "passport", "bench", "machine", "settings")
COMPARED = ("cells", "ways", "parts", "rows", "measures", "timestep", "counted_over", "versions", "summary", "published")


class Schema(dict):
    """The configuration's schema; what was asked of one can be cached.

    experiments: what each experiment declares, by name, see `experiments.load`
    own: the module of what an experiment has of its own in checking a configuration, for those that have one
    """

    __hash__ = object.__hash__
    experiments: experiments.Declarations
    own: dict[str, ModuleType]


def load(project: Path) -> Schema:
    """The schema of the project in this folder. Raises experiments.DeclarationError."""
    folder = project / "workflow/experiments"
    declared = experiments.load(folder)
    schema = Schema(yaml.load((project / "workflow/schemas/config.schema.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader))
    schema.experiments = declared
    schema.own = {name: module for name in declared if (module := experiments.own_checks(folder, name))}
    schema["$defs"]["result_name"] = _result_name(declared)
    for name in grids(schema):
        _derive(schema, name)
    schema["properties"] = {name: _part(name, part) for name, part in declared.items()} | schema["properties"]
    _derive_general(schema)
    return schema


def grids(schema: Schema) -> list[str]:
    """The experiments whose cells are named by their axes."""
    return [name for name, declared in schema.experiments.items() if declared["cells"] == "grid"]


def named(schema: Schema) -> list[str]:
    """The experiments whose configuration holds mappings under names of the user's, each with runs of its own."""
    return [name for name, declared in schema.experiments.items() if declared["cells"] == "named"]


def with_engines(schema: Schema) -> list[str]:
    """The experiments whose configuration names the engines of all their cells."""
    return [name for name, declared in schema.experiments.items() if declared["cells"] in ("parts", "whole")]


def batched(schema: Schema) -> dict[str, list[str]]:
    """The experiments that other implementations run: the axes that may differ within a batch of cells, or the parts."""
    return {name: declared["batched"] for name, declared in schema.experiments.items() if "batched" in declared}


def axes(schema: Schema, experiment: str) -> dict[str, dict]:
    """The axes of an experiment by name, each with its subschema."""
    return schema["$defs"][f"{experiment}_axes"]["properties"]


def defaults(schema: Schema, experiment: str) -> dict:
    """The default of each axis that has one."""
    return {name: axis["default"] for name, axis in axes(schema, experiment).items() if "default" in axis}


def declarations(schema: Schema) -> dict[str, dict]:
    """What the experiments with measures declare for comparisons, by name; axes and defaults too where cells have some."""
    found = {name: declared for name, declared in schema.experiments.items() if "measures" in declared}
    compared = {name: {key: declared[key] for key in COMPARED if key in declared} for name, declared in found.items()}
    for name in compared.keys() & set(grids(schema)):
        compared[name] |= {"axes": list(axes(schema, name)), "defaults": defaults(schema, name)}
    return compared


def lacking(schema: Schema, experiment: str, engine: str) -> dict[str, str]:
    """What an engine does not have, as the words "axis=value" of a cell's name, each with the first version that has it."""
    return {
        f"{name}={settings.to_word(value)}": since
        for name, axis in axes(schema, experiment).items()
        for value, since in axis.get("since", {}).items()
        if Version(engines.split(engine)[0]) < Version(since)
    }


def _result_name(declared: Mapping[str, dict]) -> dict:
    """The names that a sweep or a question may have whose table is results/NAME.csv."""
    taken = [*dict.fromkeys([*(name for part in declared.values() for name in part.get("names", [])), *RESERVED])]
    listed = f"{', '.join(taken[:-1])} or {taken[-1]}"
    return {
        "pattern": f"^(?!({'|'.join(taken)})(_|$))[a-z][a-z0-9_]{{0,40}}$",
        "allowed": f"lower-case letters, digits and _, beginning with a letter, and not with {listed}",
    }


def _part(name: str, declared: dict) -> dict:
    """What the key of an experiment may hold in a configuration."""
    keys, general = declared.get("config", {}), {"description": declared["description"]}
    if declared["cells"] == "named":
        by_name = {"propertyNames": {"$ref": "#/$defs/result_name"}, "additionalProperties": OBJECT | {"properties": keys}}
        return {"type": "object", "default": {}} | general | by_name
    if declared["cells"] == "grid":
        sweeps = {
            "description": "Sweeps by name.",
            "type": "object",
            "propertyNames": {"$ref": "#/$defs/sweep_name"},
            "additionalProperties": {"$ref": f"#/$defs/{name}_sweep"},
            "default": {},
        }
        keys = {"settings": {"$ref": f"#/$defs/{name}_settings", "default": {}}} | keys
        keys["sweeps"] = sweeps | keys.get("sweeps", {})
        general["default"] = {}
    elif declared["cells"] == "parts":
        keys, general["required"] = {"engine": {"$ref": "#/$defs/engines"}} | keys, ["engine"]
    return OBJECT | general | {"properties": keys}


def _derive(schema: Schema, experiment: str) -> None:
    """Make of the axes of an experiment NAME the definitions `NAME_axes`, `NAME_settings`, one value for any axis that has a
    default, and `NAME_sweep`, a list of values for any axis and for the engine. Each axis is completed with what the definition
    `shared` says of it.
    """
    definitions, name = schema["$defs"], f"{experiment}_axes"
    own = schema.experiments[experiment]["axes"]
    known = {axis: definitions["shared"].get(axis, {}) | part for axis, part in own.items()}
    definitions[name] = {"properties": known}
    one = {axis: {"$ref": f"#/$defs/{name}/properties/{axis}"} for axis in known if known[axis]["stage"] != "source"}
    several = {axis: _list_of(value) for axis, value in ({"engine": {"$ref": "#/$defs/engine"}} | one).items()}
    required = [axis for axis in one if "default" not in known[axis]]
    settable = {axis: value for axis, value in one.items() if axis not in required}
    renamed = {known[axis]["was"]: axis for axis in one if "was" in known[axis]}
    definitions[f"{experiment}_settings"] = OBJECT | {"properties": settable, "renamed": renamed}
    definitions[f"{experiment}_sweep"] = OBJECT | {
        "properties": several,
        "required": ["engine", *required],
        "renamed": renamed,
    }


def _derive_general(schema: Schema) -> None:
    """What the general keys may hold of each experiment.

    A question is a sweep of one that says what makes its table and its figure, a variant of the versions' comparison moves any
    axis, and the sweeps for another architecture are named by experiment.
    """
    asked = [name for name, declared in schema.experiments.items() if "preset" in declared]
    preset = schema["properties"]["presets"]["additionalProperties"]
    preset["properties"] = {name: {"$ref": f"#/$defs/{name}_sweep"} for name in asked}
    preset["allowed"] = f"one of {' and '.join(asked)}"
    schema["properties"]["engines"]["properties"]["variant"]["properties"] = {
        axis: {"$ref": f"#/$defs/{name}_axes/properties/{axis}"}
        for name in reversed(grids(schema))
        for axis in schema["$defs"][f"{name}_settings"]["properties"]
    }
    schema["properties"]["architectures"]["properties"] |= {
        name: {"$ref": "#/$defs/names", "description": "The sweeps that run there; by default all that the version can run."}
        for name in grids(schema)
    }
    schema["properties"]["implementations"]["properties"] |= {
        name: {"description": "Scans by name.", "type": "array", "uniqueItems": True, "items": {"enum": parts}, "default": []}
        for name, parts in batched(schema).items()
        if name not in grids(schema)
    }
    schema["properties"]["implementations"]["properties"] |= {
        name: {
            "description": "Sweeps by name: one of the experiment's own where it is empty, else a grid without an engine.",
            "type": "object",
            "propertyNames": {"$ref": "#/$defs/sweep_name"},
            "additionalProperties": OBJECT | {"properties": _several(schema, name)},
            "default": {},
        }
        for name in batched(schema)
        if name in grids(schema)
    }
    schema["properties"]["architectures"]["properties"]["marginal"]["properties"] = {
        name: {"type": "array", "items": _values_of(schema, name)} for name in grids(schema) if repeats(schema, name)
    }


def _several(schema: Schema, experiment: str) -> dict[str, dict]:
    """Lists of values for any axis of an experiment, but for the engine."""
    several = schema["$defs"][f"{experiment}_sweep"]["properties"]
    return {axis: part for axis, part in several.items() if axis != "engine"}


def _values_of(schema: Schema, experiment: str) -> dict:
    """Some values of some axes of an experiment."""
    return OBJECT | {"properties": _several(schema, experiment), "minProperties": 1}


def repeats(schema: Schema, experiment: str) -> list[str]:
    """The axis that says how often the runs of an experiment are repeated from moved starts, where it has one."""
    return [axis for axis, part in axes(schema, experiment).items() if part.get("repeats") == "count"]


def _list_of(values: dict) -> dict:
    return {"type": "array", "minItems": 1, "uniqueItems": True, "items": values}
