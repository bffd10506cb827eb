"""What a configuration of drops must hold beside its schema: a table that stands above the floor, a cube above the table."""

from lib.messages import ConfigError
from lib.schema import Schema, axes, defaults


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
