"""Settings as words: `axis=value`, the form in which they stand on command lines and in the names of cells.

Numbers are written with `repr`, an integral number without its ".0", a list of numbers joined by "_" (one alone is followed
by it): `dt_ms=0.5`, `solref=0.005_1`. The word `default` stands for an axis at its default; a cell's name leaves such an axis
out, so that a new axis renames no existing cell.
"""

import itertools

Value = bool | int | float | str | list
DEFAULT = "default"
AGAINST = "against"  # between two grids


def to_word(value: Value) -> str:
    """The word of one value."""
    if isinstance(value, list):
        return "_".join(to_word(item) for item in value) + ("_" if len(value) == 1 else "")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return repr(value) if isinstance(value, float) else str(value)


def from_word(word: str) -> Value:
    """The value of one word: a boolean, a number, a list of numbers, or else the word itself."""
    if word in ("true", "false"):
        return word == "true"
    # Split before float(): Python reads "0.005_1" as the number 0.0051.
    numbers = [_number(part) for part in word.removesuffix("_").split("_")]
    if None in numbers:
        return word
    return numbers if "_" in word else numbers[0]


def _number(text: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return None


def to_words(settings: dict[str, Value]) -> list[str]:
    """`axis=value` words in the order of `settings`."""
    return [f"{axis}={to_word(value)}" for axis, value in settings.items()]


def from_words(words: list[str]) -> dict[str, Value]:
    """The settings in `axis=value` words. Raises ValueError for a word without "=" and for an axis given twice."""
    settings: dict[str, Value] = {}
    for word in words:
        axis, equals, value = word.partition("=")
        if not equals or axis in settings:
            raise ValueError(f"setting {word!r}: allowed is axis=value, each axis once")
        settings[axis] = from_word(value)
    return settings


def cell_name(settings: dict[str, Value]) -> str:
    """The canonical name of a cell or a model: its words joined by ",", axes at "default" left out."""
    return ",".join(to_words({axis: value for axis, value in settings.items() if value != DEFAULT})) or DEFAULT


def from_cell_name(name: str) -> dict[str, Value]:
    """The settings in a cell's name; axes at their default are absent."""
    return {} if name == DEFAULT else from_words(name.split(","))


def against_defaults(settings: dict[str, Value], defaults: dict[str, Value]) -> dict[str, Value]:
    """`settings` with "default" in place of each value that equals the axis's default."""
    return {
        axis: DEFAULT if axis in defaults and to_word(value) == to_word(defaults[axis]) else value
        for axis, value in settings.items()
    }


def grid(values: dict[str, list[Value]]) -> list[dict[str, Value]]:
    """Every combination of the axes' values, the last axis varying fastest."""
    return [dict(zip(values, combination, strict=True)) for combination in itertools.product(*values.values())]


def grid_to_words(values: dict[str, list[Value]]) -> list[str]:
    """A grid as words: `dt_ms=1,2 solref=default,0.005_1`."""
    return [f"{axis}={','.join(to_word(value) for value in axis_values)}" for axis, axis_values in values.items()]


def grid_from_words(words: list[str]) -> dict[str, list[Value]]:
    """The grid in words such as `dt_ms=1,2`."""
    pairs = (word.partition("=") for word in words)
    return {axis: [from_word(value) for value in values.split(",")] for axis, _, values in pairs}


def grids_from_words(words: list[str]) -> tuple[dict[str, list[Value]], dict[str, list[Value]]]:
    """The grid in words and the one behind the word `against`, with which it is compared; the latter is empty without it."""
    end = words.index(AGAINST) if AGAINST in words else len(words)
    return grid_from_words(words[:end]), grid_from_words(words[end + 1 :])
