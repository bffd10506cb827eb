"""Draw one sweep of picks: their outcomes, and below them the cone ratio that should decide them."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from pick_bars import bar_labels
from pick_figure import lift_needs, outcomes_legend

from records import script, style, tables


def draw_ratio(axes: Axes, rows: pd.DataFrame, labels: list[str]) -> None:
    """Each value's cone ratio with its band, coloured by whether most cubes were held; none where no jaw closed."""
    for place, row in zip(labels, rows.itertuples(), strict=True):
        color = style.OUTCOMES["held" if row.successes > row.n / 2 else "dropped"]
        axes.plot([place] * 2, [row.cone_ratio_low, row.cone_ratio_high], color=color, lw=2)
        axes.plot([place], [row.cone_ratio], color=color, marker="o", ms=6, mec="white")
    style.mark_truncated(axes, pd.Series(labels, rows.index), rows["cone_ratio"], rows["truncated"])
    axes.axhline(1, color=style.BLACK, lw=1, ls="--", label="at rest: m g")
    for label, need in lift_needs(rows).items():
        axes.axhline(need, color=style.PURPLE, lw=1, ls=":", label=label)
    axes.set(yscale="log", ylabel="cone ratio\nmu (N1 + N2) / (m g)")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.legend(loc="upper left", fontsize="small", frameon=False)


def title(rows: pd.DataFrame, swept: str) -> str:
    """The robot, and the axes that the sweep holds still."""
    fixed = {"mu": "mu {:g}", "mass_kg": "{:g} kg", "cap_Nm": "jaw cap {:g}"}
    robot = rows["robot"].iloc[0] if "robot" in rows else "SO-101"
    return ", ".join([robot, *(text.format(rows[axis].iloc[0]) for axis, text in fixed.items() if axis != swept)])


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--summary", required=True, help="results/grasp_NAME.csv")
    arguments = parser.parse_args()
    style.theme()
    summary = tables.read(arguments.summary)
    axis, name = style.swept_axis(summary)
    rows = summary.sort_values(axis)
    labels = bar_labels(rows, axis)
    figure, (above, below) = plt.subplots(
        2, 1, figsize=(style.WIDTH_IN, 5.2), sharex=True, height_ratios=[1, 1.2], layout="constrained"
    )
    style.stacked_outcomes(above, rows, labels)
    above.set(ylabel="picks", title=title(rows, axis), ylim=(0, 1.35 * (rows["n"] + rows["timed_out"]).max()))
    outcomes_legend(above)
    draw_ratio(below, rows, labels)
    below.set_xlabel(name)
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
