"""Conditions of outcomes: what they hold of, and what is no condition."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records import conditions


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_numbers_are_compared_as_they_are_everywhere(measured, value):
    expected = {">": measured > value, ">=": measured >= value, "<": measured < value, "<=": measured <= value}
    expected |= {"==": measured == value, "!=": measured != value}
    assert {sign: conditions.parse(f"{sign} {value!r}").holds(measured) for sign in expected} == expected


@pytest.mark.parametrize(
    ("text", "holds", "fails"),
    [
        ("== kept", ["kept"], ["missed", 1, True, None]),
        ("!= wrong side", ["kept", 3], ["wrong side", None]),  # of a run that diverged nothing is known to be right
        ("!= none", ["kept", 0], [None]),
        ("==true", [True], [False, "yes", 1, None]),  # True is no number, and 1 is not True
        ("== 1", [1, 1.0], [True, "1.5", None]),
        ("== none", [None], [0, False, ""]),
        ("  >=  2 ", [2, 2.0, 3], [1.999, None]),
        ("< 1e-3", [-1, 0], [1e-3, None]),
    ],
)
def test_words_booleans_and_what_never_happened(text, holds, fails):
    condition = conditions.parse(text)
    assert [value for value in holds if not condition.holds(value)] == []
    assert [value for value in fails if condition.holds(value)] == []


@pytest.mark.parametrize("text", ["", "0.03", "> ", "=> 1", "> x", "> true", "> nan", "== inf", "== 1_2", "x", 0.03, None])
def test_what_is_no_condition_is_refused_in_one_line(text):
    with pytest.raises(ValueError, match=r"^condition .*allowed is one of [^\n]*$"):
        conditions.parse(text)


@pytest.mark.parametrize("measured", ["kept", True, [1.0, 2.0]])
def test_what_is_no_number_is_neither_above_nor_below_one(measured):
    with pytest.raises(ValueError, match="allowed of what is no number is == or !="):
        conditions.parse("> 0").holds(measured)
