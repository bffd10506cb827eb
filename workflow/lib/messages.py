"""What a wrong configuration says: one line that names the key, the value and what is allowed."""

import re
from difflib import SequenceMatcher

from jsonschema import ValidationError

MANY_KEYS = 20  # so that an error stays one line
ALIKE = 0.6  # of 1, from where on two names are alike; difflib's own
# What YAML 1.1 takes for a text: it reads an exponent only behind a point, and only with its sign.
NUMBER = re.compile(r"([-+]?[0-9]+)(\.[0-9]*)?(?:[eE]([-+]?)([0-9]+))?")


class ConfigError(ValueError):
    """A configuration that cannot be run; its text is one line."""


def one_line(error: ValidationError) -> str:
    error = whole(error)
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path)
    key = clipped("config" + "".join(steps))
    if error.validator == "additionalProperties":
        known = list(error.schema.get("properties", {}))
        unknown = next(name for name in error.instance if name not in known)
        if unknown in (renamed := error.schema.get("renamed", {})):
            return f"{key} has the key {short(unknown)}, which is now {renamed[unknown]}; allowed: {renamed[unknown]}"
        return f"{key} has the unknown key {short(unknown)}; allowed: {listed(str(unknown), known)}"
    if error.validator == "required":
        return (
            f"{key} lacks {', '.join(name for name in error.validator_value if name not in error.instance)}; it must be there"
        )
    found = "has the name" if "propertyNames" in error.absolute_schema_path else "is"
    return f"{key} {found} {short(error.instance)}; allowed: {allowed(error)}{as_number(error)}"


def whole(error: ValidationError) -> ValidationError:
    """Of an anyOf, the error that says what it allows as a whole."""
    return error if error.parent is None else whole(error.parent)


def listed(unknown: str, known: list[str]) -> str:
    """The known keys, those most like the unknown one first and then in their own order; of very many the first five."""
    ordered = sorted(known, key=lambda name: -likeness(unknown, name))
    if len(ordered) <= MANY_KEYS:
        return ", ".join(ordered)
    return f"{', '.join(ordered[:5])} and {len(ordered) - 5} more, which the schema lists"


def likeness(one: str, other: str) -> float:
    """How alike two names are: from 1 on if one is part of the other or they share a word that is no unit, 0 if not at all."""
    share = one in other or other in one or any(len(word) > 2 for word in {*one.split("_")} & {*other.split("_")})
    ratio = SequenceMatcher(None, one, other).ratio()
    return share + ratio if share or ratio >= ALIKE else 0


def as_number(error: ValidationError) -> str:
    """How to write the number that a text, or the first such text in a list, looks like; nothing where there is none."""
    asked = error.validator == "anyOf" or error.validator_value in ("number", "integer")
    texts = error.instance if isinstance(error.instance, list) else [error.instance]
    for text in texts if asked else []:
        if isinstance(text, str) and (number := NUMBER.fullmatch(text)):
            whole, point, sign, power = number.groups()
            written = f"{whole}{point or '.0'}e{sign or '+'}{power}" if power else f"{whole}{point or ''}"
            return f", written {written}"
    return ""


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
