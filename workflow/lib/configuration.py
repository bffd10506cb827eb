"""Check the configuration before any job starts: each fault is one line that names the key, the value and what is allowed."""

import math
from pathlib import Path

import yaml
from jsonschema import ValidationError
from packaging.version import Version
from snakemake.exceptions import WorkflowError
from snakemake.utils import validate

from contactlab import settings

NAME_LIMIT = 200  # characters of a cell's name; file systems end at 255, and a suffix comes behind it


class ConfigError(ValueError):
    """A configuration that cannot be run; its text is one line."""


def load_schema(path: Path) -> dict:
    """The schema in the YAML file at `path`."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def checked(config: dict, schema_path: Path, envs: Path) -> dict:
    """`config` with the schema's defaults filled in, in place. `envs` is the folder that holds the engines' locks.

    Raises ConfigError.
    """
    _check_finite(config, "config")
    try:
        validate(config, str(schema_path))
    except WorkflowError as error:
        if not isinstance(error.__context__, ValidationError):
            raise
        raise ConfigError(_one_line(error.__context__)) from None
    schema = load_schema(schema_path)
    _check_engine(config["stepping"]["engine"], "config.stepping.engine", envs)
    sweeps = drop_sweeps(config)
    for key, sweep in sweeps.items():
        _check_sweep(sweep, key, schema, envs)
    _check_size(sweeps, config["max_cells"])
    return config


def drop_sweeps(config: dict) -> dict[str, dict]:
    """The sweeps of the drop experiment by their key in the configuration."""
    sweeps = {f"config.drop.sweeps.{name}": sweep for name, sweep in config["drop"]["sweeps"].items()}
    return sweeps | ({"config.drop.impact": config["drop"]["impact"]} if "impact" in config["drop"] else {})


def axes(schema: dict, sweep: str) -> dict[str, dict]:
    """The axes of a sweep, such as "drop_sweep", by name, each with its subschema; the engine is none of them."""
    properties = schema["$defs"][sweep]["properties"]
    return {name: axis for name, axis in properties.items() if name != "engine"}


def defaults(schema: dict, sweep: str) -> dict:
    """The default value of each axis that has one."""
    return {name: axis["default"][0] for name, axis in axes(schema, sweep).items() if "default" in axis}


def _check_finite(value, key: str) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{key} is {value}; allowed: a finite number")
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, child in children:
        _check_finite(child, f"{key}[{name}]" if isinstance(value, list) else f"{key}.{name}")


def _check_engine(engine: str, key: str, envs: Path) -> None:
    locked = sorted((path.stem.removeprefix("mujoco-") for path in envs.glob("mujoco-*.txt")), key=Version)
    if engine not in locked:
        raise ConfigError(f"{key} is {engine}, which has no lock in envs/; allowed: {', '.join(locked)}")


def _check_sweep(sweep: dict, key: str, schema: dict, envs: Path) -> None:
    for engine in sweep["engine"]:
        _check_engine(engine, f"{key}.engine", envs)
    for name, axis in axes(schema, "drop_sweep").items():
        for value, since in axis.get("since", {}).items():
            old = [engine for engine in sweep["engine"] if Version(engine) < Version(since)]
            if value in sweep[name] and old:
                raise ConfigError(f"{key}.{name} is {value}, which MuJoCo {old[0]} lacks; allowed: {since} or newer")
    if max(sweep["table_thickness_m"]) > min(sweep["table_top_m"]):
        raise ConfigError(
            f"{key}.table_thickness_m is {max(sweep['table_thickness_m'])}, which reaches below the floor; "
            f"allowed: up to table_top_m, {min(sweep['table_top_m'])}"
        )
    _check_names(sweep, key, schema)


def _check_names(sweep: dict, key: str, schema: dict) -> None:
    longest = {name: max(sweep[name], key=lambda value: len(settings.to_word(value))) for name in sweep}
    del longest["engine"]
    name = settings.cell_name(settings.against_defaults(longest, defaults(schema, "drop_sweep")))
    if len(name) > NAME_LIMIT:
        raise ConfigError(f"{key} moves so many axes that a cell's name has {len(name)} characters; allowed: {NAME_LIMIT}")


def _check_size(sweeps: dict[str, dict], max_cells: int) -> None:
    sizes = {key: math.prod(len(values) for values in sweep.values()) for key, sweep in sweeps.items()}
    if sum(sizes.values()) > max_cells:
        largest = max(sizes, key=sizes.get)
        raise ConfigError(
            f"{largest} has {sizes[largest]} cells, {sum(sizes.values())} with the other sweeps; allowed: "
            f"max_cells, {max_cells}"
        )


def _one_line(error: ValidationError) -> str:
    key = "config" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path)
    allowed = _allowed(error)
    found = "" if error.validator in ("additionalProperties", "required", "propertyNames") else f" is {_short(error.instance)}"
    return f"{key}{found}{'; allowed: ' if found else ' '}{allowed}"


def _short(value) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def _allowed(error: ValidationError) -> str:
    """What the schema keyword that failed would have allowed."""
    limit = error.validator_value
    match error.validator:
        case "additionalProperties":
            known = error.schema.get("properties", {})
            unknown = [_short(key) for key in error.instance if key not in known]
            return f"has the unknown key {', '.join(unknown)}; allowed: {', '.join(known)}"
        case "required":
            return f"lacks {', '.join(key for key in limit if key not in error.instance)}; it must be there"
        case "exclusiveMinimum":
            return f"above {limit}"
        case "exclusiveMaximum":
            return f"below {limit}"
        case "minimum":
            return f"{limit} or more"
        case "maximum":
            return f"up to {limit}"
        case "minItems" | "minProperties":
            return f"{limit} or more"
        case "maxItems":
            return f"{limit} values"
        case "uniqueItems":
            return "each value once"
        case "enum":
            return ", ".join(str(value) for value in limit)
        case "type":
            return {"object": "a mapping", "array": "a list", "integer": "a whole number"}.get(limit, f"a {limit}")
        case "pattern":
            return f"text that matches {limit}"
        case _:
            return error.message
