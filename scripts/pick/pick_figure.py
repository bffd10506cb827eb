"""Draw the picks: outcomes over friction, and success against the cone ratio over mass."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from pick_bars import bar_labels

from records import script, style, tables


def lift_needs(rows: pd.DataFrame) -> dict[str, float]:
    """The cone ratios that the rows' lifts ask for, 1 + a / g with the largest acceleration a, by what they are called."""
    needed = (rows["cone_ratio"] / rows["cone_ratio_lift"]).dropna().round(6).unique()
    return {f"lifting: m (g + a), {ratio:.2f}": ratio for ratio in sorted(needed)}


def widest_sweep(summary: pd.DataFrame, axis: str) -> pd.DataFrame:
    """The rows of the sweep in which an axis takes most values."""
    values = summary.groupby("sweep", sort=False)[axis].nunique()
    return summary[summary["sweep"] == values.idxmax()].sort_values(axis)


def outcomes_legend(axes: Axes, **words) -> None:
    """The colours of the outcomes above their bars; what the cross is, the legend of the other panel says."""
    handles = style.legend_of([axes])
    handles.pop(style.TRUNCATED_LABEL, None)
    axes.legend(handles.values(), handles.keys(), loc="upper center", ncols=3, fontsize="small", frameon=False, **words)


def draw_outcomes(axes: Axes, rows: pd.DataFrame) -> None:
    """Stacked outcomes, one bar for each friction."""
    style.stacked_outcomes(axes, rows, bar_labels(rows, "mu"))
    axes.set(xlabel="friction mu", ylabel="picks")
    axes.set_title(f"{1000 * rows['mass_kg'].iloc[0]:g} g, torque cap {rows['cap_Nm'].iloc[0]:g} N m")
    axes.set_ylim(0, 1.4 * (rows["n"] + rows["timed_out"]).max())
    outcomes_legend(axes, title=style.FLUNG, title_fontsize="small")


def draw_ratio(axes: Axes, rows: pd.DataFrame) -> None:
    """Success rate with its Wilson interval against the cone ratio, and what holding and lifting ask for."""
    rate = rows["successes"] / rows["n"]
    needed = rows["cone_ratio"] / rows["cone_ratio_lift"]
    interval = [rate - rows["wilson_low"], rows["wilson_high"] - rate]
    axes.errorbar(rows["cone_ratio"], rate, yerr=np.clip(interval, 0, None), fmt="none", ecolor=style.GREY, lw=1, capsize=2)
    for held, color in ((True, style.OUTCOMES["held"]), (False, style.OUTCOMES["dropped"])):
        chosen = (rate > 0.5) == held
        axes.scatter(rows["cone_ratio"][chosen], rate[chosen], color=color, s=45, zorder=3, edgecolor="white")
    style.mark_truncated(axes, rows["cone_ratio"], rate, rows["truncated"])
    for ratio, need, mass_kg, success in zip(rows["cone_ratio"], needed, rows["mass_kg"], rate, strict=True):
        inward, aside = 10 if success < 0.5 else -10, -7 if ratio < need else 8
        axes.annotate(
            f"{mass_kg:g} kg", (ratio, success), xytext=(aside, inward), textcoords="offset points",
            rotation=90, ha="center", va="bottom" if inward > 0 else "top", fontsize="small",
        )  # fmt: skip
    axes.axvline(1, color=style.BLACK, lw=1, ls="--", label="at rest: m g")
    for label, need in lift_needs(rows).items():
        axes.axvline(need, color=style.PURPLE, lw=1, ls=":", label=label)
    axes.margins(x=0.1)
    axes.set(xscale="log", ylim=(-0.06, 1.06), xlabel="cone ratio mu (N1 + N2) / (m g)", ylabel="success rate")
    ticks = [0.7, 1, 1.5, 2, 3, 5, 10, 15]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks], minor=False)
    axes.set_xticks([], minor=True)
    axes.set_title(f"mu {rows['mu'].iloc[0]:g}, torque cap {rows['cap_Nm'].iloc[0]:g} N m, by mass")
    axes.legend(loc="center right", fontsize="small", frameon=False)


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--summary", required=True, help="results/grasp_summary.csv")
    arguments = parser.parse_args()
    style.theme()
    summary = tables.read(arguments.summary)
    figure, (left, right) = plt.subplots(1, 2, figsize=(style.WIDTH_IN, 3.5), layout="constrained")
    draw_outcomes(left, widest_sweep(summary, "mu"))
    draw_ratio(right, widest_sweep(summary, "mass_kg"))
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
