"""What cells are called: the grids of a configuration, the axes that each moves, and the settings behind a name."""

import functools

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from lib import messages
from lib.messages import ConfigError
from lib.schema import Schema, axes, defaults
from records import settings


def own_defaults(config: dict, schema: Schema, experiment: str) -> dict:
    """The defaults that a source of the user's own brings with it, as a robot does, in place of those of the schema."""
    return _of_its_own(schema, experiment, "own_defaults", config)


def source(config: dict, schema: Schema, experiment: str) -> dict[str, str]:
    """The axis of stage source, and what the configuration has for it; none for what was published."""
    return _of_its_own(schema, experiment, "source", config)


def _of_its_own(schema: Schema, experiment: str, name: str, config: dict) -> dict:
    function = getattr(schema.own.get(experiment), name, None)
    return function(config[experiment]) if function else {}


def sweeps(config: dict, schema: Schema, experiment: str) -> dict[str, dict]:
    """The grids of an experiment by their key in the configuration, the settings common to them filled in.

    Beside its sweeps these are the keys that the experiment declares as a sweep or a list of sweeps, and its questions.
    """
    part, key, sweep = config[experiment], f"config.{experiment}", {"$ref": f"#/$defs/{experiment}_sweep"}
    grids = {f"{key}.sweeps.{name}": grid for name, grid in part["sweeps"].items()}
    for name, declared in schema.experiments[experiment].get("config", {}).items():
        if declared == sweep and name in part:
            grids[f"{key}.{name}"] = part[name]
        elif declared.get("items") == sweep:
            grids |= {f"{key}.{name}[{index}]": grid for index, grid in enumerate(part.get(name, []))}
    presets = config["presets"].items()
    grids |= {f"config.presets.{name}.{experiment}": preset[experiment] for name, preset in presets if experiment in preset}
    return {name: with_settings(config, schema, experiment, grid) for name, grid in grids.items()}


def with_settings(config: dict, schema: Schema, experiment: str, sweep: dict) -> dict:
    """A sweep with the experiment's settings for the axes that it does not name, and with its robot."""
    common = config[experiment]["settings"] | own_defaults(config, schema, experiment) | source(config, schema, experiment)
    return {axis: [value] for axis, value in common.items()} | sweep


def moved(config: dict, schema: Schema, experiment: str, sweep: dict) -> dict[str, list]:
    """A sweep's grid with only the axes it moves, values at their default as "default": what names its cells.

    The axes stand in the schema's order, whatever the configuration's, so that a cell has one name.
    """
    whole = with_settings(config, schema, experiment, sweep)
    default = defaults(schema, experiment) | own_defaults(config, schema, experiment)
    grid = {
        axis: [settings.against_defaults({axis: value}, default)[axis] for value in whole[axis]]
        for axis in ("engine", *axes(schema, experiment))
        if axis in whole
    }
    return {axis: values for axis, values in grid.items() if values != [settings.DEFAULT]}


def named(schema: Schema, experiment: str, name: str, own: dict | None = None) -> dict:
    """All settings behind the name of a cell or a scene, in the schema's order; `own` are the defaults of its source.

    Absent are a required axis that it lacks and a source that is the published one.

    Raises ConfigError for an axis that the experiment does not have, for a value that is not allowed, and for a second name of
    a cell: axes in another order, or a default spelt out. A file that ignored part of its name would pass for something else.
    """
    known, given = axes(schema, experiment), settings.from_cell_name(name)
    default = defaults(schema, experiment) | (own or {})
    unknown = [axis for axis in given if axis not in known]
    if unknown:
        raise ConfigError(f"{name}: {experiment} has no axis {unknown[0]}; allowed: {messages.listed(unknown[0], list(known))}")
    ordered = {axis: given[axis] for axis in known if axis in given}
    canonical = settings.cell_name(settings.against_defaults(ordered, default))
    if name != canonical:
        raise ConfigError(f"{name}: the one name of this cell is {canonical}")
    for axis, value in ordered.items():
        if allowed := not_allowed(schema, experiment, axis, settings.to_word(value)):
            raise ConfigError(f"{name}: {axis} is {messages.short(value)}; allowed: {allowed}")
    whole = default | ordered
    return {axis: whole[axis] for axis in known if axis in whole}


@functools.cache
def not_allowed(schema: Schema, experiment: str, axis: str, word: str) -> str | None:
    """None for a value that its axis allows, else what it allows. Cached, as thousands of cells share few values."""
    validator = Draft202012Validator(schema).evolve(schema=axes(schema, experiment)[axis])
    error = best_match(validator.iter_errors(settings.from_word(word)))
    return messages.allowed(messages.whole(error)) if error else None
