"""Draw a sweep of picks: outcomes stacked over the axis that takes most values, one panel for each value of the others."""

import matplotlib.pyplot as plt
import pandas as pd

from records import script, style, tables


def other_axes(table: pd.DataFrame, swept: str) -> list[str]:
    """The axes that take several values beside the swept one."""
    axes = table.columns[: table.columns.get_loc("successes")]
    return [axis for axis in axes if axis != swept and table[axis].nunique() > 1]


def figure_of(table: pd.DataFrame) -> plt.Figure:
    """The bars with their legend; the last axis makes the columns of panels."""
    swept, name = style.swept_axis(table)
    others = other_axes(table, swept)
    groups = list(table.groupby(others, sort=False)) if others else [((), table)]
    columns = table[others[-1]].nunique() if others else 1
    lines = -(-len(groups) // columns)
    shape = {"sharex": True, "sharey": True, "squeeze": False, "layout": "constrained"}
    figure, axes = plt.subplots(lines, columns, figsize=(style.WIDTH_IN, 2.2 * lines + 1.1), **shape)
    for panel, (key, rows) in zip(axes.flat, groups, strict=True):
        style.stacked_outcomes(panel, rows, [f"{value:g}" for value in rows[swept]])
        panel.set_title(", ".join(f"{axis} {value}" for axis, value in zip(others, key, strict=True)), fontsize="small")
    for panel in axes[-1]:
        panel.set_xlabel(name)
    for panel in axes[:, 0]:
        panel.set_ylabel("picks")
    handles = dict(zip(*reversed(axes[0, 0].get_legend_handles_labels()), strict=True))
    title = style.FLUNG if table["flung"].any() else None
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=3, frameon=False, title=title)
    return figure


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--table", required=True, help="results/NAME.csv")
    arguments = parser.parse_args()
    style.theme()
    style.save(figure_of(tables.read(arguments.table)), arguments)


if __name__ == "__main__":
    script.run(main)
