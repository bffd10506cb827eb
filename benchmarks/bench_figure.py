"""Draw results/bench.csv, a bar for each way of running the same cells, and below it what is wanted, now and before."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from records import script, style

COLORS = {"contactlab": style.GREEN, "multiprocessing pool": style.ORANGE, "bare mj_step": style.BLACK}


def draw_ways(axes: Axes, table: pd.DataFrame) -> None:
    """Seconds of each way, the first on top."""
    table = table.iloc[::-1]
    bars = axes.barh(table["run"], table["wall_time_s"], color=[COLORS.get(run, style.SKY) for run in table["run"]])
    axes.bar_label(bars, [f" {seconds:.1f} s" for seconds in table["wall_time_s"]], fontsize="small")
    limit = table.set_index("run")["wall_time_s"]["bare mj_step"]
    axes.axvline(limit, color=style.BLACK, lw=0.8, ls="--")
    axes.set(
        xscale="log", xlabel="seconds on two cores (dashed: bare mj_step)", xlim=(limit / 8, 3 * table["wall_time_s"].max())
    )


def excess(aims: pd.DataFrame) -> pd.Series:
    """How many times each row is beyond what is wanted, 1 where it is met to the point."""
    share = aims["measured"] / aims["wanted"]
    return share.where(aims["is"] == "most", 1 / share)


def draw_aims(axes: Axes, now: pd.DataFrame, before: pd.DataFrame) -> None:
    """What is wanted, the first on top: the run before, and this one with its number."""
    now, before = now.iloc[::-1], before.set_index("row").loc[now["row"][::-1]].reset_index()
    known = now.rename(columns={"is": "limit"})
    labels = [f"{row.what}\n(at {row.limit} {row.wanted:g} {row.unit})" for row in known.itertuples()]
    axes.hlines(labels, excess(before), excess(now).to_numpy(), color=style.PALE, lw=2, zorder=1)
    axes.scatter(excess(before), labels, color=style.GREY, label="the run before", zorder=2)
    axes.scatter(excess(now), labels, color=style.GREEN, label="this run", zorder=3)
    for share, label, measured in zip(excess(now), labels, now["measured"], strict=True):
        axes.annotate(f"{measured:g}", (share, label), xytext=(0, 6), textcoords="offset points", ha="center", fontsize="small")
    axes.axvline(1, color=style.BLACK, lw=0.8, ls="--")
    axes.set(xlabel="times what is wanted (dashed: met)", xlim=(0.4, None))
    axes.margins(y=0.1)
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, fontsize="small")


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--table", required=True, help="results/bench.csv")
    parser.add_argument("--aims", required=True, help="results/bench_aims.csv")
    parser.add_argument("--before", required=True, help="the same of the run before")
    arguments = parser.parse_args()
    style.theme()
    figure, (ways, wanted) = plt.subplots(2, figsize=(style.WIDTH_IN, 7.6), layout="constrained")
    draw_ways(ways, pd.read_csv(arguments.table))
    draw_aims(wanted, pd.read_csv(arguments.aims), pd.read_csv(arguments.before))
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
