"""What a wrong configuration says: one line that names the key, the value and what is allowed."""

from difflib import get_close_matches

from jsonschema import ValidationError

MANY_KEYS = 20  # so that an error stays one line


class ConfigError(ValueError):
    """A configuration that cannot be run; its text is one line."""


def one_line(error: ValidationError) -> str:
    error = whole(error)
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path)
    key = clipped("config" + "".join(steps))
    if error.validator == "additionalProperties":
        known = list(error.schema.get("properties", {}))
        unknown = next(name for name in error.instance if name not in known)
        return f"{key} has the unknown key {short(unknown)}; allowed: {listed(str(unknown), known)}"
    if error.validator == "required":
        return (
            f"{key} lacks {', '.join(name for name in error.validator_value if name not in error.instance)}; it must be there"
        )
    found = "has the name" if "propertyNames" in error.absolute_schema_path else "is"
    return f"{key} {found} {short(error.instance)}; allowed: {allowed(error)}"


def whole(error: ValidationError) -> ValidationError:
    """Of an anyOf, the error that says what it allows as a whole."""
    return error if error.parent is None else whole(error.parent)


def listed(unknown: str, known: list[str]) -> str:
    """All keys that are known, or, of very many, those most like the unknown one."""
    if len(known) <= MANY_KEYS:
        return ", ".join(known)
    like = get_close_matches(unknown, known, n=5, cutoff=0.0)
    return f"{', '.join(like)} and {len(known) - len(like)} more, which the schema lists"


def short(value) -> str:
    return clipped(repr(value), 60)


def clipped(text: str, length: int = 200) -> str:
    """A text as one line that is not too long."""
    text = " ".join(text.split())
    return text if len(text) <= length else f"{text[: length - 3]}..."


def allowed(error: ValidationError) -> str:
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
