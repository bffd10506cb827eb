"""What a configuration of drops must hold beside its schema: a scene that can be read, a table that stands above the floor."""

import re
from pathlib import Path
from xml.etree.ElementTree import ParseError

from lib import own_scene
from lib.messages import ConfigError
from lib.schema import Schema, axes, defaults


def source(part: dict) -> dict[str, str]:
    """The mark of a scene of the user's own in the names of its cells."""
    return {"scene": own_scene.label(part["scene"])} if "scene" in part else {}


def source_words(part: dict) -> dict[str, str]:
    """What a scene of the user's own holds, as a setting of its cells."""
    return {"scene_digest": f"sha256-{own_scene.digest(part['scene'])}"} if "scene" in part else {}


def check_part(part: dict, key: str, schema: Schema, envs: Path) -> None:
    """A scene of the user's own can be read and has the parts that a drop asks for by name. Raises ConfigError."""
    path, key = part.get("scene"), f"{key}.scene"
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


def check_grid(sweep: dict, key: str, part: dict, schema: Schema) -> None:
    """The table stands above the floor, and the cube above the table, or as far inside as is allowed. Raises ConfigError."""
    default = defaults(schema, "drop")
    thickness = max(sweep.get("table_thickness_m", [default["table_thickness_m"]]))
    top = min(sweep.get("table_top_m", [default["table_top_m"]]))
    if thickness > top:
        raise ConfigError(
            f"{key}.table_thickness_m is {thickness}, which reaches below the floor; allowed: up to table_top_m, {top}"
        )
    _check_start(sweep, key, schema, default)


def _check_start(sweep: dict, key: str, schema: Schema, default: dict) -> None:
    """The cube starts above the table, or no deeper inside than is allowed, and with its centre above the mid-plane."""
    overlap, size, thickness = (
        min(sweep.get(axis, [default[axis]])) for axis in ("allowed_overlap_m", "cube_size_m", "table_thickness_m")
    )
    for index, height in enumerate(sweep.get("drop_height_m", [])):
        found = f"{key}.drop_height_m[{index}] is {height}"
        if height < -overlap:
            allowed = axes(schema, "drop")["drop_height_m"]["allowed"]
            raise ConfigError(f"{found}; allowed: {allowed}, {overlap}")
        if height <= (lowest := -(size + thickness) / 2):
            raise ConfigError(f"{found}, where the cube's centre starts below the table's mid-plane; allowed: above {lowest:g}")
