"""Draw a map of a drop sweep: how each cell ended, the timestep along x and every other axis that it moves along y.

Of drops that all end alike, what was asked for is a number, and the numbers that move are drawn.
"""

from collections.abc import Callable

import matplotlib.pyplot as plt
import pandas as pd
from drop_figure import moved_axes, panels
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from records import number_panels, script, style, tables

NUMBERS = (  # in the order in which a reader asks for them
    "restitution", "rebound_height_cm", "largest_depth_cm", "rest_depth_cm", "largest_force_N", "rest_force_N",
    "lowest_centre_cm", "first_overlap_centre_cm",
)  # fmt: skip
RAISED = {"marker": "o", "s": 150, "facecolors": "none", "edgecolors": style.BLACK, "linewidths": 0.9}


def labels(titles: list[str]) -> tuple[str, list[str]]:
    """A name of the y axis and of each line on it, from "axis value" or "axis value, axis value" of each."""
    if any("," in title for title in titles):
        return "", titles
    axes, values = zip(*(title.split(" ", 1) if title else ("", "") for title in titles), strict=True)
    return axes[0], list(values)


def raised(rows: pd.DataFrame) -> pd.Series:
    """Of a sweep that moves solref, whether the engine worked with a longer time constant than the one that it was given.

    A scene of the user's own moves none, and its table has no such column.
    """
    if "solref" not in rows or rows["solref"].nunique() == 1:
        return pd.Series(False, rows.index)
    asked, had = (pd.to_numeric(rows[name].astype(str).str.split().str[0]) for name in ("solref", "effective_solref"))
    return (asked > 0) & (had > 1.000001 * asked)


def draw(axes: Axes, table: pd.DataFrame) -> None:
    """A marker for each cell, in the colour and shape of its failure mode, ringed where the engine raised the time constant."""
    lines = panels(table)
    steps, longer = sorted(table["dt_ms"].unique()), raised(table)
    for y, (_, rows) in enumerate(lines):
        x, line, floor = rows["dt_ms"].map(steps.index), pd.Series(y, rows.index), longer[rows.index]
        style.scatter_failures(axes, x, line, rows["failure_mode"])
        style.mark_truncated(axes, x, line, rows["truncated"])
        axes.scatter(x[floor], line[floor], zorder=4, **RAISED)
    axis, values = labels([title for title, _ in lines])
    axes.set_yticks(range(len(lines)), values)
    axes.set_xticks(range(len(steps)), [f"{step:g}" for step in steps])
    axes.set(xlabel="timestep dt (ms)", ylabel=axis, ylim=(-0.6, len(lines) - 0.4), xlim=(-0.6, len(steps) - 0.4))
    axes.grid(color=style.PALE, lw=0.5)
    axes.set_axisbelow(True)


def figure_of(table: pd.DataFrame) -> tuple[plt.Figure, Axes]:
    """The map as a figure with its legend."""
    figure, axes = plt.subplots(figsize=(style.WIDTH_IN, 1.6 + 0.34 * len(panels(table))), layout="constrained")
    draw(axes, table)
    handles, labels = axes.get_legend_handles_labels()
    entries = dict(zip(labels, handles, strict=True))
    if raised(table).any():
        look = {"mfc": "none", "mec": style.BLACK, "ms": 11, "mew": 0.9, "ls": ""}
        entries["time constant raised by the engine"] = Line2D([], [], marker="o", **look)
    figure.legend(entries.values(), entries.keys(), loc="outside lower center", ncols=2, frameon=False)
    return figure, axes


def numbers_of(table: pd.DataFrame) -> plt.Figure | None:
    """The numbers that move, of drops that all end alike; None where they do not, or nothing moves."""
    names, endings = number_panels.moving(table, NUMBERS), table["failure_mode"].unique()
    if len(endings) > 1 or not names:
        return None
    title = f"all {len(table)} drops end alike, {style.FAILURES[endings[0]]['label']}"
    return number_panels.figure_of(table, ["dt_ms", *moved_axes(table)], names, title)


def main(complete: Callable[[Axes, pd.DataFrame], None] | None = None) -> None:
    """Draw the map, or the numbers of drops that all end alike; what `complete` adds needs the map."""
    parser = style.parser(__doc__)
    parser.add_argument("--table", required=True, help="results/NAME.csv")
    arguments = parser.parse_args()
    style.theme()
    table = tables.read(arguments.table)
    figure = None if complete else numbers_of(table)
    if figure is None:
        figure, axes = figure_of(table)
    if complete:
        complete(axes, table)
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
