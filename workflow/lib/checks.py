"""Check the configuration before any job starts: each fault is one line that names the key, the value and what is allowed."""

import math
from pathlib import Path

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from lib import locks, messages, naming
from lib.messages import ConfigError
from lib.schema import Schema, axes, batched, defaults, grids, lacking, named, with_engines
from records import engines, implementations, passport, settings

NAME_LIMIT = 200  # characters of a cell's name; file systems end at 255, and a suffix comes behind it


def checked(config: dict, schema: Schema, envs: Path) -> dict:
    """`config` without the keys that are null, and with the schema's defaults filled in. `envs` is the folder that holds the
    engines' locks.

    Raises ConfigError.
    """
    _check_finite(config, "config")
    given, config = config, _filled(config, schema, schema)
    _check_schema(config, schema)
    config = _without_taken(_with_absent(config, schema), given, schema)
    for name, own in schema.own.items():
        if hasattr(own, "check_part"):
            own.check_part(config[name], f"config.{name}", schema, envs)
    for name in with_engines(schema):
        for engine in engines_of(config[name]):
            check_engine(engine, f"config.{name}.engine", envs)
    found = {name: _checked_sweeps(config, name, schema, envs) for name in grids(schema)}
    for name in grids(schema):
        for key, sweep in found[name].items() if name in schema.own else ():
            schema.own[name].check_grid(sweep, key, config[name], schema)
    _check_architectures(config, schema, envs)
    _check_engines(config, schema, envs)
    elsewhere = _check_implementations(config, schema, envs)
    planned = [own.runs_of(config[name], f"config.{name}", envs) for name, own in schema.own.items() if name in named(schema)]
    _check_size({key: sweep for keys in [*found.values(), *planned] for key, sweep in keys.items()}, config["max_cells"])
    _check_size(elsewhere, config["max_cells"])  # on request, and by themselves
    _check_presets(config, schema)
    _check_passport(config)
    return config


def engines_of(part: dict) -> list[str]:
    """The engines that a part of the configuration names for all its cells; none of an experiment whose sweeps name them."""
    named = part.get("engine", [])
    return [named] if isinstance(named, str) else named


def _with_absent(config: dict, schema: Schema) -> dict:
    """`config` with a part that makes nothing for each experiment that it leaves out, which is one without an engine."""
    absent = [name for name in schema.experiments if name not in config]
    return {name: _filled({"engine": []}, schema["properties"][name], schema) for name in absent} | config


def _without_taken(config: dict, given: dict, schema: Schema) -> dict:
    """`config` in which other implementations are not asked for sweeps and scans that null, or their absence, takes away."""
    asked = dict(config["implementations"])
    for experiment in batched(schema):
        part = given.get(experiment) or {}
        named = part.get("sweeps") or {} if experiment in grids(schema) else part
        gone = [name for name in asked[experiment] if named.get(name) is None and (name in named or not named)]
        kept = [
            name for name in asked[experiment] if name not in gone or (experiment in grids(schema) and asked[experiment][name])
        ]
        asked[experiment] = {name: asked[experiment][name] for name in kept} if experiment in grids(schema) else kept
    return config | {"implementations": asked}


def _checked_sweeps(config: dict, experiment: str, schema: Schema, envs: Path) -> dict[str, dict]:
    """The grids of an experiment by their key, each with nothing in it that its engines do not allow."""
    found = naming.sweeps(config, schema, experiment)
    for key, sweep in found.items():
        _check_sweep(sweep, key, experiment, schema, envs, naming.own_defaults(config, schema, experiment))
    return found


def _filled(config, part: dict, schema: Schema):
    """`config` with the defaults of the properties it lacks, at every level that `part` of the schema describes.

    A key that is null is as one that is not there: Snakemake merges configurations, so that nothing else takes away what
    another file has. Of a `removable` part what is null has no default either, and what is then empty is not there.
    """
    if not isinstance(config, dict):
        return config
    part = part | schema["$defs"].get(part.get("$ref", "").removeprefix("#/$defs/"), {})
    parts, others = part.get("properties", {}), part.get("additionalProperties", {})
    null = [name for name, value in config.items() if value is None and (name in parts or others is not False)]
    without = null if part.get("removable") else []
    default = {name: known["default"] for name, known in parts.items() if "default" in known and name not in without}
    given = default | {name: value for name, value in config.items() if name not in null}
    filled = {name: _filled(value, parts.get(name, others or {}), schema) for name, value in given.items()}
    return {name: value for name, value in filled.items() if value != {} or not parts.get(name, {}).get("removable")}


def _check_finite(value, key: str) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{key} is {value}; allowed: a finite number")
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, child in children:
        _check_finite(child, f"{key}[{name}]" if isinstance(value, list) else f"{key}.{name}")


def _check_schema(config: dict, schema: Schema) -> None:
    error = best_match(Draft202012Validator(schema).iter_errors(config))
    if error:
        raise ConfigError(messages.one_line(error))


def _check_lock(engine: str, key: str, envs: Path) -> None:
    if not locks.of_engine(envs, engine).exists():
        allowed = ", ".join(locks.versions(envs))
        raise ConfigError(
            f"{key} is {engine}, which has no lock in envs/; allowed: {allowed}, or any version of the registry "
            f"after: make lock VERSION={engines.split(engine)[0]}"
        )


def check_engine(engine: str, key: str, envs: Path) -> None:
    """An engine has a lock, and this machine can run it. Raises ConfigError."""
    _check_lock(engine, key, envs)
    if hindrance := engines.hindrance(engine):
        raise ConfigError(f"{key} is {engine}, {hindrance}")


def _check_sweep(sweep: dict, key: str, experiment: str, schema: Schema, envs: Path, own: dict) -> None:
    for engine in sweep["engine"]:
        check_engine(engine, f"{key}.engine", envs)
        _check_since(sweep, key, experiment, schema, engine)
    longest = {name: max(values, key=lambda value: len(settings.to_word(value))) for name, values in sweep.items()}
    del longest["engine"]
    name = settings.cell_name(settings.against_defaults(longest, defaults(schema, experiment) | own))
    if len(name) > NAME_LIMIT:
        raise ConfigError(f"{key} moves so many axes that a cell's name has {len(name)} characters; allowed: {NAME_LIMIT}")


def missing(sweep: dict, experiment: str, schema: Schema, engine: str) -> list[tuple[str, str, str]]:
    """What a sweep asks for that an engine does not have: the axis, the value's word and the first version that has it."""
    words = ((*word.partition("="), since) for word, since in lacking(schema, experiment, engine).items())
    return [(axis, value, since) for axis, _, value, since in words if value in map(settings.to_word, sweep.get(axis, []))]


def _check_since(sweep: dict, key: str, experiment: str, schema: Schema, engine: str) -> None:
    """An engine has what the sweep asks of it."""
    for axis, value, since in missing(sweep, experiment, schema, engine):
        version = engines.split(engine)[0]
        raise ConfigError(f"{key}.{axis} is {value}, which MuJoCo {version} lacks; allowed: {since} or newer")


def _check_architectures(config: dict, schema: Schema, envs: Path) -> None:
    """The sweeps are there and can run on the engine's version. Whether it can be emulated here is asked when it is used."""
    part, key = config["architectures"], "config.architectures"
    _check_lock(part["engine"], f"{key}.engine", envs)
    for experiment in grids(schema):
        known = config[experiment]["sweeps"]
        for name in part.get(experiment, []):
            if name not in known:
                raise ConfigError(f"{key}.{experiment} is {name}, which is no sweep; allowed: {', '.join(known)}")
            sweep = naming.with_settings(config, schema, experiment, known[name])
            _check_since(sweep, f"config.{experiment}.sweeps.{name}", experiment, schema, part["engine"])


def _check_engines(config: dict, schema: Schema, envs: Path) -> None:
    """Every version that is compared can be had, and every sweep that has the variant's axes can run with its settings."""
    for engine in config["engines"]["compare"]:
        check_engine(engine, "config.engines.compare", envs)
    variant = {axis: [value] for axis, value in config["engines"]["variant"].items()}
    for name in grids(schema):
        if name in schema.own and variant.keys() <= axes(schema, name).keys():
            for sweep in naming.sweeps(config, schema, name).values():
                schema.own[name].check_grid(sweep | variant, "config.engines.variant", config[name], schema)


def grid_elsewhere(config: dict, experiment: str, sweep: str) -> dict[str, list]:
    """The grid of a sweep that other implementations run, without an engine: the experiment's own where it names no axis."""
    given = config["implementations"][experiment][sweep] or config[experiment]["sweeps"][sweep]
    return {axis: values for axis, values in given.items() if axis != "engine"}


def _check_implementations(config: dict, schema: Schema, envs: Path) -> dict[str, dict]:
    """Every implementation can be had and has the axis that is named for it, and no grid asks for what one of them lacks.

    Of an experiment's own sweep what an implementation lacks is no fault: the comparison says that it cannot run. Returns the
    grids by their key.
    """
    part, key = config["implementations"], "config.implementations"
    for engine, option in part["engines"].items():
        known, allowed = implementations.AXES[engines.implementation(engine)], locks.implementations(envs)
        if engine not in allowed:
            raise ConfigError(f"{key}.engines has {engine}, which has no lock in envs/; allowed: {', '.join(allowed)}")
        for axis in option.keys() - known.keys():
            raise ConfigError(f"{key}.engines.{engine} has {axis}; allowed: {', '.join(known)}")
        check_engine(engines.split(engine)[0], f"{key}.engines", envs)  # of C, which stands beside it
    found = {}
    known = {word for declared in schema.experiments.values() for word in declared.get("collisions", [])}
    for program, words in part["collisions"].items():
        for word in words:
            if word not in known:
                raise ConfigError(f"{key}.collisions.{program} has {word}; allowed: {', '.join(sorted(known))}")
    for experiment in batched(schema).keys() - set(grids(schema)):
        for name in part[experiment]:
            if name not in config[experiment]:
                raise ConfigError(f"{key}.{experiment} has {name}, which config.{experiment} lacks; allowed: what that has")
    for experiment in batched(schema).keys() & set(grids(schema)):
        for name, grid in part[experiment].items():
            own = config[experiment]["sweeps"]
            if grid:
                found[f"{key}.{experiment}.{name}"] = _checked_elsewhere(config, schema, experiment, name, envs)
            elif name not in own:
                allowed = f"{', '.join(own)}, or a grid"
                raise ConfigError(
                    f"{key}.{experiment}.{name} names no axis and is no sweep of {experiment}; allowed: {allowed}"
                )
    return found


def _checked_elsewhere(config: dict, schema: Schema, experiment: str, name: str, envs: Path) -> dict:
    """A grid of its own that other implementations run, with the settings common to the experiment."""
    key = f"config.implementations.{experiment}.{name}"
    sweep = naming.with_settings(config, schema, experiment, config["implementations"][experiment][name])
    for required in schema["$defs"][f"{experiment}_sweep"]["required"]:
        if required not in ("engine", *sweep):
            raise ConfigError(f"{key} has no {required}; allowed: a list of values for it")
    default = defaults(schema, experiment) | naming.own_defaults(config, schema, experiment)
    for engine in config["implementations"]["engines"]:
        here = sweep | {"engine": [engines.split(engine)[0]]}
        _check_sweep(here, key, experiment, schema, envs, naming.own_defaults(config, schema, experiment))
        for cell in settings.grid(sweep):
            for axis, found, allowed in implementations.lacks(engine, default | cell):
                raise ConfigError(f"{key}.{axis} is {found}; allowed: {allowed}")
    return sweep


def _check_size(found: dict[str, dict], max_cells: int) -> None:
    sizes = {key: math.prod(len(values) for values in sweep.values()) for key, sweep in found.items()}
    if sum(sizes.values()) > max_cells:
        largest = max(sizes, key=sizes.get)
        raise ConfigError(
            f"{largest} has {sizes[largest]} cells, {sum(sizes.values())} with the other sweeps; allowed: "
            f"max_cells, {max_cells}"
        )


def _check_presets(config: dict, schema: Schema) -> None:
    """No two results have one table, results/NAME.csv: sweeps that name theirs so, presets, and what experiments name."""
    tables = {}
    for experiment in grids(schema):
        names = schema["properties"][experiment]["properties"]["sweeps"]["propertyNames"]
        if names == schema["properties"]["presets"]["propertyNames"]:
            tables[f"config.{experiment}.sweeps"] = config[experiment]["sweeps"]
    tables |= {"config.presets": config["presets"]} | {f"config.{name}": config[name] for name in named(schema)}
    taken: dict[str, str] = {}
    for key, part in tables.items():
        for name in part:
            if name in taken:
                raise ConfigError(f"{key} has {name}, which {taken[name]} has too; allowed: any other name")
            taken[name] = key


def _check_passport(config: dict) -> None:
    """The other machine's passport, if one is named, is there and is what was written."""
    try:
        if "passport" in config:
            passport.load(config["passport"])
    except ValueError as error:
        raise ConfigError(f"config.passport is {error}; allowed: a file of passports/, or a results/passport.json") from None
