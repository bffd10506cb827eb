"""Draw a drop sweep: the cube's centre at the first overlapping step against the timestep, marked by how the contact failed."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator

from contactlab.limit import TIMED_OUT
from records import script, style, tables


def moved_axes(table: pd.DataFrame) -> list[str]:
    """The axes but the timestep that take several values; they stand before the results."""
    before_results = table.columns[: table.columns.get_loc("impact_speed_m_per_s")]
    return [axis for axis in before_results if axis != "dt_ms" and table[axis].nunique() > 1]


def panels(table: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The table split by every axis but the timestep that takes several values; a title and the rows of each panel."""
    axes = moved_axes(table)
    if not axes:
        return [("", table)]
    groups = table.groupby(axes, sort=False)
    return [(", ".join(f"{axis} {value}" for axis, value in zip(axes, key, strict=True)), rows) for key, rows in groups]


def levels(rows: pd.DataFrame) -> tuple[float, float, float, float, float]:
    """Heights in cm of a panel: its upper end, the table's top and underside, the lowest centre that overlaps, and below it
    where the cells stand of which no step overlaps.

    The lowest centre is that of the cube as it starts, or lower where a spinning one overlapped there.
    """
    top, half = 100 * rows["table_top_m"].iloc[0], rows["half_height_cm"].max()
    bottom = top - 100 * rows["table_thickness_m"].iloc[0]
    seen = rows["first_overlap_centre_cm"].fillna(bottom - half)
    highest, floor = max(top + half, seen.max()), min(bottom - half, seen.min())
    return highest + 0.4, top, bottom, floor, floor - 0.12 * (highest - floor)


def draw_panel(axes: Axes, rows: pd.DataFrame, title: str) -> None:
    """One panel: the table's slab and mid-plane, and a marker for each cell."""
    _, top, bottom, floor, missed = levels(rows)
    axes.axhspan(bottom, top, color=style.PALE, lw=0)
    axes.axhline(rows["middle_cm"].iloc[0], color=style.BLACK, lw=1, ls="--")
    heights = rows["first_overlap_centre_cm"].fillna(missed)
    style.scatter_failures(axes, rows["dt_ms"], heights, rows["failure_mode"])
    style.mark_truncated(axes, rows["dt_ms"], heights, rows["truncated"])
    axes.axhline(floor, color=style.GREY, lw=0.6)
    axes.set(xscale="log", title=title, xlabel="timestep dt (ms)")
    axes.set_xlim(rows["dt_ms"].min() / 1.25, rows["dt_ms"].max() * 1.25)
    ticks = sorted(rows["dt_ms"].unique())
    axes.xaxis.set(major_locator=FixedLocator(ticks), minor_locator=NullLocator())
    axes.set_xticklabels([f"{tick:g}" for tick in ticks], fontsize="small", rotation=90)
    label = {"transform": axes.get_yaxis_transform(), "fontsize": "small", "va": "center"}
    axes.text(0.015, rows["middle_cm"].iloc[0], "mid-plane", **{**label, "va": "bottom"})
    axes.text(0.985, top, "table", **{**label, "va": "top", "ha": "right"}, color=style.GREY)
    if (rows["failure_mode"] == TIMED_OUT).any():  # mostly at the shortest timesteps, where the words would stand
        axes.text(0.5, missed, "no step overlaps, or timed out", **label, ha="center")
    else:
        axes.text(0.015, missed, "no step overlaps", **label)


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--table", required=True, help="results/NAME.csv")
    arguments = parser.parse_args()
    style.theme()
    parts = panels(tables.read(arguments.table))
    columns = min(2, len(parts))
    lines = -(-len(parts) // columns)
    figure, axes = plt.subplots(
        lines, columns, figsize=(style.WIDTH_IN, 2.6 * lines + 0.5), sharey=True, squeeze=False, layout="constrained"
    )
    for panel, (title, rows) in zip(axes.flat, parts, strict=False):
        draw_panel(panel, rows, title)
    ends, _, _, floors, missed = zip(*(levels(rows) for _, rows in parts), strict=True)
    axes[0, 0].set_ylim(2 * min(missed) - min(floors), max(ends))
    for panel in axes.flat[len(parts) :]:
        panel.set_axis_off()
    for panel in axes[:, 0]:
        panel.set_ylabel("centre at the first\noverlapping step (cm)")
    handles = style.legend_of(axes.flat)
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=2, frameon=False)
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
