"""Measures of an audit over time."""

import audit_series
import matplotlib.pyplot as plt
import pytest
from audit_records import bowl, ended, record, write

from records import style

TIMES_S = {"reference": [0.0, 0.002, 0.004], "option.timestep=0.004": [0.0, 0.004]}


def with_series(variation: str, first: float | None = None) -> dict:
    times_s = TIMES_S.get(variation, TIMES_S["reference"])
    return record() | {"series": {"times_s": times_s, "height_m": [first, *times_s[1:]]}}


@pytest.fixture
def lines(tmp_path):
    """A function: the lines of an audit's figure by their labels."""
    style.theme()

    def draw(**changed) -> dict[str, list[list[float]]]:
        audit = bowl(**{"series": ["height_m"]} | changed)
        records = {name: with_series(name) for name in ("reference", "option.timestep=0.004")}
        folder = write(tmp_path, audit, records | {"engine=4.0.0": ended("cannot run", "no wheel")})
        figure = audit_series.figure_of(audit, audit_series.drawn(folder, audit))
        return {line.get_label(): [*line.get_data()] for axes in figure.axes for line in axes.get_lines()}

    yield draw
    plt.close("all")


def test_each_run_is_drawn_at_its_own_times_and_what_did_not_run_is_left_out(lines):
    found = lines()
    assert list(found) == ["reference", "engine=3.3.0", "engine=3.4.0", "option.timestep=0.004"]
    assert {name: list(times_s) for name, (times_s, _) in found.items() if name in TIMES_S} == TIMES_S
    assert list(found["option.timestep=0.004"][1][1:]) == [0.004]


def test_chosen_variations_stand_beside_the_reference(lines):
    assert list(lines(series={"measures": ["height_m"], "variations": ["engine=3.4.0"]})) == ["reference", "engine=3.4.0"]


def test_a_variation_that_the_audit_does_not_have_is_refused(lines):
    with pytest.raises(ValueError, match=r"series names engine=3.9.0; allowed: engine=3.3.0, engine=3.4.0, engine=4.0.0"):
        lines(series={"measures": ["height_m"], "variations": ["engine=3.9.0"]})


def test_where_no_run_has_a_series_one_line_says_so(tmp_path):
    audit = bowl(series=["height_m"])
    with pytest.raises(ValueError, match="no run has a series"):
        audit_series.drawn(write(tmp_path, audit, {"reference": ended("failed", "it raised")}), audit)
