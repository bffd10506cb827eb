"""Cell names are canonical and can be read back; axes at their default leave no trace in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records import settings

AXIS = st.from_regex(r"[a-z][a-zA-Z_]{0,12}", fullmatch=True)
NUMBER = st.one_of(st.integers(-(10**12), 10**12), st.floats(allow_nan=False, allow_infinity=False))
WORD = st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,10}", fullmatch=True).filter(
    lambda word: word.lower() not in ("default", "true", "false", "inf", "nan", "infinity")
)
VALUE = st.one_of(st.booleans(), NUMBER, WORD, st.lists(NUMBER, min_size=1, max_size=5))


@given(st.dictionaries(AXIS, VALUE, min_size=1, max_size=6))
def test_a_name_gives_its_settings_back(cell):
    assert settings.from_cell_name(settings.cell_name(cell)) == cell


@given(st.dictionaries(AXIS, VALUE, max_size=6))
def test_a_name_stands_in_a_file_name(cell):
    assert "/" not in settings.cell_name(cell)
    assert " " not in settings.cell_name(cell)


@given(st.dictionaries(AXIS, VALUE, min_size=1, max_size=6), st.data())
def test_defaults_leave_no_trace(cell, data):
    moved = data.draw(st.sets(st.sampled_from(sorted(cell))))
    defaults = {axis: value for axis, value in cell.items() if axis not in moved}
    short = settings.cell_name(settings.against_defaults(cell, defaults))
    assert set(settings.from_cell_name(short)) == moved
    assert defaults | settings.from_cell_name(short) == cell


@given(st.dictionaries(AXIS, st.lists(VALUE, min_size=1, max_size=3), min_size=1, max_size=4))
def test_a_grid_gives_its_values_back(values):
    assert settings.grid_from_words(settings.grid_to_words(values)) == values


@pytest.mark.parametrize(("written", "canonical"), [(1, 1.0), ([0.02, 1], [0.02, 1.0]), (0.1 + 0.2, 0.30000000000000004)])
def test_equal_values_have_one_name(written, canonical):
    assert settings.to_word(written) == settings.to_word(canonical)


@pytest.mark.parametrize("word", ["0.005_1", "1_2_3"])
def test_a_list_is_not_read_as_one_number_with_separators(word):
    assert settings.from_word(word) == [float(part) for part in word.split("_")]


@pytest.mark.parametrize("words", [["dt_ms"], ["dt_ms=1", "dt_ms=2"]])
def test_words_that_are_not_settings_are_refused(words):
    with pytest.raises(ValueError, match="allowed is axis=value, each axis once"):
        settings.from_words(words)


def test_the_grid_keeps_its_order():
    cells = settings.grid({"dt_ms": [1, 2], "solref": ["default", [0.005, 1]]})
    names = [settings.cell_name(cell) for cell in cells]
    assert names == ["dt_ms=1", "dt_ms=1,solref=0.005_1", "dt_ms=2", "dt_ms=2,solref=0.005_1"]
