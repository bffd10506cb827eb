"""Draw a sweep of picks: outcomes stacked over the axis that takes most values, one panel for each value of the others."""

import argparse

import matplotlib.pyplot as plt
import pandas as pd

import style
import tables
from contactlab import script


def panels(table: pd.DataFrame, swept: str) -> list[tuple[str, pd.DataFrame]]:
    """A title and the rows of each combination of the axes that take several values beside the swept one."""
    axes = [name for name in table.columns[: table.columns.get_loc("successes")] if name != swept and table[name].nunique() > 1]
    groups = table.groupby(axes, sort=False) if axes else [((), table)]
    return [(", ".join(f"{axis} {value}" for axis, value in zip(axes, key, strict=True)), rows) for key, rows in groups]


def figure_of(table: pd.DataFrame) -> plt.Figure:
    """The bars with their legend."""
    swept, name = style.swept_axis(table)
    parts = panels(table, swept)
    figure, axes = plt.subplots(1, len(parts), figsize=(style.WIDTH_IN, 3.4), sharey=True, squeeze=False, layout="constrained")
    for panel, (title, rows) in zip(axes.flat, parts, strict=True):
        style.stacked_outcomes(panel, rows, [f"{value:g}" for value in rows[swept]])
        panel.set(xlabel=name, title=title)
        panel.tick_params(axis="x", labelsize="small", rotation=90)
    axes[0, 0].set_ylabel("picks")
    handles = dict(zip(*reversed(axes[0, 0].get_legend_handles_labels()), strict=True))
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=3, frameon=False, title=style.FLUNG)
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", required=True, help="results/NAME.csv")
    parser.add_argument("--png", required=True)
    parser.add_argument("--svg", required=True)
    arguments = parser.parse_args()
    style.theme()
    style.save(figure_of(tables.read(arguments.table)), arguments.png, arguments.svg)


if __name__ == "__main__":
    script.run(main)
