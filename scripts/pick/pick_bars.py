"""Draw a sweep of picks: outcomes stacked over the axis that takes most values, one panel for each value of the others.

Of picks that all end alike, what was asked for is a number, and the numbers that move are drawn.
"""

import matplotlib.pyplot as plt
import pandas as pd

from contactlab.limit import TIMED_OUT
from records import number_panels, script, style, tables

NUMBERS = (  # in the order in which a reader asks for them
    "squeeze_N", "cone_ratio", "cone_ratio_lift", "lift_hold_friction_use", "hold_largest_cone_use", "hold_mean_slip_m_per_s",
    "lift_cm", "largest_depth_cm", "rotation_deg", "hold_force_fixed_N", "hold_force_moving_N", "close_time_s",
)  # fmt: skip


def other_axes(table: pd.DataFrame, swept: str) -> list[str]:
    """The axes that take several values beside the swept one."""
    axes = table.columns[: table.columns.get_loc("successes")]
    return [axis for axis in axes if axis != swept and table[axis].nunique() > 1]


def bar_labels(rows: pd.DataFrame, swept: str) -> list[str]:
    """What stands below the bars of one panel: the swept value and, in lines of their own, whatever else the rows move."""
    others = other_axes(rows, swept)
    return ["\n".join([f"{row[swept]:g}", *(str(row[axis]) for axis in others)]) for _, row in rows.iterrows()]


def numbers_of(table: pd.DataFrame) -> plt.Figure | None:
    """The numbers that move, of picks that all end alike; None where they do not, or nothing moves."""
    names, endings = number_panels.moving(table, NUMBERS), table["outcome"].unique()
    if len(endings) > 1 or endings[0] in ("mixed", TIMED_OUT) or not names:
        return None
    swept, _ = style.swept_axis(table)
    title = f"all {table['n'].sum()} picks end alike, {endings[0]}; bars: bands over starts moved by a hair"
    return number_panels.figure_of(table, [swept, *other_axes(table, swept)], names, title)


def figure_of(table: pd.DataFrame) -> plt.Figure:
    """The bars with their legend; the last axis makes the columns of panels."""
    if figure := numbers_of(table):
        return figure
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
    handles = style.legend_of(axes.flat)
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
