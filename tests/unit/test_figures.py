"""What figures say: a title for each panel that tells it apart, and a number where all outcomes are one."""

import drop_map
import engines_figure
import impact_figure
import matplotlib.pyplot as plt
import pandas as pd
import pick_bars
import pick_figure
import pytest

from records import number_panels, style


def drop_record(**axes) -> dict:
    """A cell of a drop, as far as the title of its panel reads it."""
    cell = {"dt_ms": 2, "integrator": "Euler", "solref": [0.02, 1], "cube_mass_kg": 0.1} | axes
    return {"mujoco": "3.17.0", "settings": cell, "result": {"failure_mode": "none"}}


def titles(*records: dict) -> list[str]:
    moved = impact_figure.moved_axes(list(records))
    return [impact_figure.title(record, moved) for record in records]


def test_panels_over_the_timestep_are_titled_by_timestep_and_integrator():
    assert titles(drop_record(), drop_record(dt_ms=0.5)) == ["dt 2 ms, Euler\nkept", "dt 0.5 ms, Euler\nkept"]


def test_panels_over_any_axis_carry_what_it_moves():
    moved = [{"solref": [0.02, 1]}, {"solref": [0.005, 1]}, {"solref": [0.005, 1], "cube_mass_kg": 1}]
    found = titles(*(drop_record(**axes) for axes in moved), drop_record() | {"mujoco": "4.0.0"})
    assert len(set(found)) == 4
    assert found[1] == "dt 2 ms, Euler\nengine 3.17.0\nsolref 0.005 1\ncube_mass_kg 0.1\nkept"


@pytest.fixture(autouse=True)
def no_figure_stays_open():
    style.theme()
    yield
    plt.close("all")


def drops(**columns) -> pd.DataFrame:
    """A table of drops over two timesteps and two values of solref."""
    table = {"engine": "3.17.0", "dt_ms": [1, 1, 2, 2], "solref": ["0.02 1", "0.005 1"] * 2, "impact_speed_m_per_s": 4.4}
    return pd.DataFrame(table | {"failure_mode": "none", "outcome": "kept", "effective_solref": "0.02 1"} | columns)


def lines(figure: plt.Figure) -> list[dict[str, list[float]]]:
    """Of each panel that is drawn its y label, and the y values of each line by its label."""
    return [
        {panel.get_ylabel(): {line.get_label(): list(line.get_ydata()) for line in panel.get_lines()}}
        for panel in figure.axes
        if panel.axison
    ]


def test_drops_that_all_end_alike_are_drawn_by_their_numbers():
    figure = drop_map.numbers_of(drops(lowest_centre_cm=[31.0, 32.0, 30.5, 31.5], first_overlap_centre_cm=32.0))
    assert lines(figure) == [{"lowest centre (cm)": {"solref 0.02 1": [31.0, 30.5], "solref 0.005 1": [32.0, 31.5]}}]
    assert figure.get_suptitle() == "all 4 drops end alike, kept"


@pytest.mark.parametrize(
    "columns",
    [
        {"lowest_centre_cm": [31.0, 32.0, 30.5, None], "failure_mode": ["none", "none", "none", "too soft"]},
        {"lowest_centre_cm": [31.0, 31.0001, 31.0, 31.0]},
        {"lowest_centre_cm": [None] * 4},
    ],
)
def test_drops_that_differ_in_their_outcome_or_in_nothing_are_a_map(columns):
    assert drop_map.numbers_of(drops(**columns)) is None


def picks(**columns) -> pd.DataFrame:
    """A summary of picks over three frictions, all held."""
    swept = {"sweep": "ours", "engine": "3.17.0", "mu": [0.1, 0.3, 1.0], "mass_kg": 0.03, "cap_Nm": 0.5}
    return pd.DataFrame(swept | {"successes": 5, "n": 5, "outcome": "held"} | columns)


def test_picks_that_all_end_alike_are_drawn_by_their_numbers_with_their_bands():
    squeeze = {"squeeze_N": [20.0, 22.0, 21.0], "squeeze_N_low": [19.5, 21.5, 20.5], "squeeze_N_high": [20.5, 22.5, 21.5]}
    figure = pick_bars.numbers_of(picks(**squeeze))
    [line] = figure.axes[0].get_lines()
    assert (figure.axes[0].get_ylabel(), list(line.get_ydata())) == ("squeeze (N)", [20.0, 22.0, 21.0])
    [bars] = figure.axes[0].collections
    assert [[y for _, y in bar] for bar in bars.get_segments()] == [[19.5, 20.5], [21.5, 22.5], [20.5, 21.5]]


def crosses(panel) -> list[float]:
    """The heights at which a panel marks a solver that was cut short."""
    marks = [marked for marked in panel.collections if marked.get_label() == style.TRUNCATED_LABEL]
    return [float(y) for marked in marks for _, y in marked.get_offsets()]


@pytest.mark.parametrize(("truncated", "marked"), [([0, 1, 5], 2), ([0, 0, 0], 0), ([None, 2, None], 1)])
def test_bars_with_a_truncated_pick_have_a_cross_at_their_foot(truncated, marked):
    table = picks(held=5, not_closed=0, dropped=0, flung=0, timed_out=0, truncated=truncated)
    panel = plt.figure().add_subplot()
    style.stacked_outcomes(panel, table, ["0.1", "0.3", "1"])
    assert crosses(panel) == pytest.approx([5 * style.FOOT] * marked)


def test_numbers_of_truncated_picks_are_crossed():
    squeeze = {"squeeze_N": [20.0, 22.0, 21.0], "truncated": [3, 0, 1]}
    assert crosses(pick_bars.numbers_of(picks(**squeeze)).axes[0]) == [20.0, 21.0]


def test_versions_count_the_picks_whose_solver_was_cut_short():
    rows = {"mu": [0.1, 0.1, 0.3], "outcome": ["held", "dropped", "held"], "failure_mode": ["none", "flung", "none"]}
    found = engines_figure.counts(pd.DataFrame(rows | {"truncated": [True, None, False]}), "mu")
    assert found[["n", "held", "dropped", "flung", "truncated"]].to_numpy().tolist() == [[2, 1, 1, 1, 1], [1, 1, 0, 0, 0]]


def test_jaws_inside_have_a_bar_of_their_own():
    table = picks(held=3, not_closed=0, dropped=0, jaws_inside=2, flung=0, timed_out=0)
    panel = plt.figure().add_subplot()
    style.stacked_outcomes(panel, table, ["0.1", "0.3", "1"])
    assert "jaws inside" in panel.get_legend_handles_labels()[1]
    assert sum(bar.get_height() for bar in panel.patches) == 15


@pytest.mark.parametrize(
    ("lifts", "needed"), [([1.0, 1.0, 1.0], [1.0]), ([1.25, 1.25, None], [1.25]), ([1.5, 1.25, 1.5], [1.25, 1.5])]
)
def test_what_a_lift_asks_for_is_drawn_once_for_each_lift(lifts, needed):
    """1 + a / g is the ratio at rest over that of the lift; where nothing closed there is none."""
    ratios = {"cone_ratio": 3.0, "cone_ratio_lift": [lift and 3.0 / lift for lift in lifts]}
    assert list(pick_figure.lift_needs(picks(**ratios)).values()) == needed


def test_what_moves_within_its_band_does_not_move():
    squeeze = {"squeeze_N": [20.0, 20.2, 20.1], "squeeze_N_low": [19.5] * 3, "squeeze_N_high": [20.5] * 3}
    assert pick_bars.numbers_of(picks(**squeeze)) is None
    assert pick_bars.numbers_of(picks(squeeze_N=[20.0, 21.0, 22.0], outcome=["held", "held", "mixed"])) is None


def test_a_bar_is_told_from_every_other_by_its_label():
    """Two bars of one label would be drawn over each other."""
    assert pick_bars.bar_labels(picks(), "mu") == ["0.1", "0.3", "1"]
    both = pd.concat([picks(), picks()]).assign(condim=[3, 3, 3, 4, 4, 4])[["condim", *picks().columns]]
    assert pick_bars.bar_labels(both, "mu") == ["0.1\n3", "0.3\n3", "1\n3", "0.1\n4", "0.3\n4", "1\n4"]


@pytest.mark.parametrize(
    ("column", "label"),
    [
        ("hold_force_fixed_N", "hold force fixed (N)"),
        ("hold_mean_slip_m_per_s", "hold mean slip (m/s)"),
        ("restitution", "restitution"),
        ("close_time_s", "close time (s)"),
    ],
)
def test_a_columns_name_is_a_label_with_its_unit(column, label):
    assert number_panels.labelled(column) == label
