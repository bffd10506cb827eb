"""Conditions of an audit's outcomes, each a comparison and a value in words: "> 0.03", ">= 1", "== kept", "!= missed"."""

import math
import operator
import re
from dataclasses import dataclass

from records import settings
from records.printed import NONE, word

ORDERS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
EQUALS = {"==": operator.eq, "!=": operator.ne}
ALLOWED = 'allowed is one of > >= < <= before a number, or of == != before a number, a word, true, false or none: "> 0.03"'
PARTS = re.compile(r"\s*(>=|<=|==|!=|>|<)\s*(.*\S)\s*")


@dataclass(frozen=True)
class Condition:
    """A comparison of what is measured with a value: a number, a word, or a boolean."""

    comparison: str
    value: bool | int | float | str

    @property
    def ordered(self) -> bool:
        """Whether it asks for a number: what is no number is neither above nor below another."""
        return self.comparison in ORDERS

    def holds(self, measured) -> bool:
        """Whether it holds of what was measured. Of what never happened, None, nothing holds but `== none`.

        Raises ValueError where it asks whether anything but a number is above or below one.
        """
        if measured is None:
            return (self.comparison, self.value) == ("==", NONE)
        if not self.ordered:
            return EQUALS[self.comparison](_plain(measured), _plain(self.value))
        if not is_number(measured):
            raise ValueError(f"{word(measured)!r} {self}: allowed of what is no number is == or !=")
        return ORDERS[self.comparison](measured, self.value)

    def __str__(self) -> str:
        return f"{self.comparison} {settings.to_word(self.value)}"


def parse(text: str) -> Condition:
    """The condition in words. Raises ValueError, in one line, for any other text."""
    found = PARTS.fullmatch(text) if isinstance(text, str) else None
    if not found:
        raise ValueError(f"condition {text!r}: {ALLOWED}")
    comparison, value = found[1], settings.from_word(found[2])
    of_number = is_number(value) and math.isfinite(value)
    if isinstance(value, list) or (isinstance(value, float) and not of_number) or (comparison in ORDERS and not of_number):
        raise ValueError(f"condition {text!r}: {ALLOWED}")
    return Condition(comparison, value)


def is_number(value) -> bool:
    """Whether a value is a number, which a boolean is not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _plain(value):
    """A value as it is compared for equality: numbers by value, everything else by its word."""
    return value if is_number(value) else word(value)
