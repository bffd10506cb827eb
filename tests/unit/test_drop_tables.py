"""The tables of drops, what questions about drops add to them, and the marks in them and their figures."""

import functools

import drop_figure
import drop_map
import engines_figure
import friction_rule_figure
import impact_figure
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import softest_solref_figure
from conftest import DECLARATIONS, SCHEMA, drop_scene

from contactlab import drop
from contactlab.softest import timed_out
from lib import schema
from records import files, style, tables, versions
from records.drop_tables import drop_table, rule_of, softest_table, with_knife_edges, with_rules


def test_knife_edges_are_the_rows_that_flip():
    outcomes = {1: ["passed", "kept", "kept"], 2: ["kept"] * 3, 3: ["kept", "kept", "passed"]}
    rows = [
        {"dt_ms": dt, "drop_height_m": height, "outcome": outcome}
        for dt, three in outcomes.items()
        for height, outcome in zip((0.9, 1.0, 1.2), three, strict=True)
    ]
    table = with_knife_edges(pd.DataFrame(rows)).groupby("dt_ms").first()
    assert table["knife_edge"].tolist() == ["yes", "no", "yes"]
    assert table["flips_from_mm"].fillna(0).tolist() == [-100, 0, 200]


def test_a_rule_is_one_that_holds_in_every_row():
    cube, table = np.array([[1.0, 2.0], [1.0, 2.0]]), np.array([[3.0, 1.0], [0.5, 1.0]])
    assert rule_of(cube, table, np.maximum(cube, table)) == "the larger"
    assert rule_of(cube, table, (cube + table) / 2) == "the average"
    assert rule_of(cube, table, cube) == "the cube's"
    assert rule_of(cube[1:], table[1:], cube[1:]) == "the cube's / the larger"
    assert rule_of(cube, table, cube * table) == "none"


# Where the solver stopped at a limit of its own

GRID = {"engine": ["3.17.0"], "dt_ms": [2, 8], "priority": [-1, 0, 1]}
CUT = {"at_iterations": 3, "at_line_search": 0}
DEFAULTS = schema.defaults(SCHEMA, "drop")
OWN = {"table_friction": DEFAULTS["friction"], "table_solref": DEFAULTS["solref"]}  # the same, spelt out


@functools.cache
def fallen(dt_ms: float, priority: int) -> dict:
    return drop.run(drop_scene(drop_height_m=0, priority=priority), dt_ms, "Euler", 0.5)


def write_cells(folder, cut: bool) -> None:
    """Six cells, of which the one at 8 ms and priority 1 was cut short or not."""
    for dt_ms in GRID["dt_ms"]:
        for priority in GRID["priority"]:
            told = CUT if cut and (dt_ms, priority) == (8, 1) else {}
            cell = {"dt_ms": dt_ms, "priority": priority}
            record = {"settings": DEFAULTS | OWN | cell, "result": fallen(dt_ms, priority) | told}
            files.write_json(folder / f"3.17.0/dt_ms={dt_ms},priority={priority}.json", record)


def softest_cells(folder) -> None:
    known = dict.fromkeys(("softest_s", "reliable_s"), 0.02) | {"monotone": True, "kept": 9, "tried": 9, "solved_steps": 7}
    for dt_ms, told in ((2, CUT), (8, {"at_iterations": 0, "at_line_search": 0})):
        record = {"settings": {"dt_ms": dt_ms}, "result": timed_out(dt_ms) | known | told}
        files.write_json(folder / f"3.17.0/dt_ms={dt_ms}.json", record)


def shown(script, table: pd.DataFrame, folder, monkeypatch) -> plt.Figure:
    """The figure that a script draws of a table."""
    tables.write(table, folder / "table.csv")
    figures = []
    monkeypatch.setattr(style, "save", lambda figure, arguments: figures.append(figure))
    monkeypatch.setattr("sys.argv", ["figure", "--table", str(folder / "table.csv"), "--png", "a", "--svg", "b"])
    script.main()
    return figures[0]


def crosses(figure: plt.Figure) -> list[list[float]]:
    """The places of the crosses in all panels of a figure, whose legend names them where there are any."""
    found = [drawn for axes in figure.axes for drawn in axes.collections if drawn.get_label() == style.TRUNCATED_LABEL]
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes if axes.get_legend())]
    named = style.TRUNCATED_LABEL in [text.get_text() for legend in legends for text in legend.get_texts()]
    assert named == bool(found)
    return [place for drawn in found for place in np.asarray(drawn.get_offsets()).tolist()]


@pytest.mark.parametrize("cut", [True, False])
def test_a_table_and_its_figures_mark_the_cells_whose_solver_was_cut_short(tmp_path, monkeypatch, cut):
    write_cells(tmp_path, cut)
    table = drop_table(tmp_path, GRID)
    assert table["truncated"].tolist() == [False] * 5 + [cut]
    assert table["at_iterations"].tolist() == [0] * 5 + [3 * cut]
    height_cm = table["first_overlap_centre_cm"].iloc[-1]
    assert crosses(shown(drop_figure, table, tmp_path, monkeypatch)) == [[8, height_cm]] * cut
    assert crosses(drop_map.figure_of(table)[0]) == [[1, 2]] * cut
    numbers = shown(drop_map, table, tmp_path, monkeypatch)  # of drops that all end alike
    assert len(crosses(numbers)) == cut * sum(axes.has_data() for axes in numbers.axes)
    assert len(crosses(shown(friction_rule_figure, with_rules(table), tmp_path, monkeypatch))) == 2 * cut


def test_the_search_for_the_softest_solref_marks_its_timesteps(tmp_path, monkeypatch):
    softest_cells(tmp_path)
    table = softest_table(tmp_path, {"engine": ["3.17.0"], "dt_ms": [2, 8]})
    assert table["truncated"].tolist() == [True, False]
    assert crosses(shown(softest_solref_figure, table, tmp_path, monkeypatch)) == [[0, 20]]


@pytest.mark.parametrize("told", [CUT, {}])
def test_the_impact_says_so_in_its_panel(told):
    trajectory = {"time_s": [0.002], "centre_m": [0.325], "half_m": [0.025], "normal_z": [1.0]}
    axes = plt.figure().add_subplot()
    settings = DEFAULTS | {"dt_ms": 2, "drop_height_m": 0}
    impact_figure.draw_panel(
        axes, {"settings": settings, "mujoco": "3.17.0", "result": fallen(2, 0) | told, "trajectory": trajectory}, []
    )
    assert any("solver stopped" in text.get_text() for text in axes.texts) == bool(told)


def test_of_a_cell_that_timed_out_nobody_knows_whether_it_was_cut_short():
    assert tables.truncated(timed_out(2)) is None
    assert tables.truncated({"at_iterations": 0, "at_line_search": 1})


@pytest.mark.parametrize("told", [CUT, {}])
def test_the_comparison_of_versions_marks_it_too(told):
    """And takes the counts themselves for no measure of the drop."""
    records = [{"settings": DEFAULTS | {"dt_ms": 2}, "result": fallen(2, 0) | counts} for counts in (told, {})]
    row = versions.told(*(versions.of_result(record, DECLARATIONS["drop"]) for record in records), {})
    assert (row["change"], row["truncated"]) == ("same bits", bool(told))
    axes, (drawn,) = plt.figure().add_subplot(), pd.DataFrame([row | {"published_outcome": None}]).itertuples()
    engines_figure.draw_cell(axes, (1, 2), drawn, published=False)
    assert len(axes.collections) == 1 + bool(told)
