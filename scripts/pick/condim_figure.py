"""Draw how far the held cube has turned against friction, one line for each condim, one panel for each line search."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from records import script, style, tables

# Colour, marker and its size: lines that coincide are seen through one another.
LOOKS = {1: (style.GREY, "x", 6), 3: (style.BLUE, "o", 11), 4: (style.VERMILION, "s", 6), 6: (style.GREEN, "^", 6)}
DEGREES = (0.5, 1, 2, 5, 10, 20, 50, 100)  # ticks


def draw(axes: Axes, rows: pd.DataFrame) -> None:
    """One line for each contact dimension; where not all picks are held, the number of those that are."""
    for condim, line in rows.groupby("condim"):
        color, marker, size = LOOKS[condim]
        axes.plot(line["mu"], line["rotation_deg"], color=color, marker=marker, ms=size, label=f"condim {condim}")
        style.mark_truncated(axes, line["mu"], line["rotation_deg"], line["truncated"])
        for row in line[line["held"] < line["n"]].itertuples():
            place = (row.mu, row.rotation_deg)
            axes.annotate(
                f"{row.held} of {row.n} held", place, (6, 6), textcoords="offset points", fontsize="small", color=color
            )
    axes.set(xscale="log", yscale="log", xlabel="friction mu", title=f"ls_iterations {rows['ls_iterations'].iloc[0]}")
    ticks = sorted(rows["mu"].unique())
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_ylim(rows["rotation_deg"].min() / 2, 300)  # leaves room for the notes


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--table", required=True, help="results/condim.csv")
    arguments = parser.parse_args()
    style.theme()
    groups = list(tables.read(arguments.table).groupby("ls_iterations"))
    figure, panels = plt.subplots(
        1, len(groups), figsize=(style.WIDTH_IN, 3.6), sharey=True, squeeze=False, layout="constrained"
    )
    for axes, (_, rows) in zip(panels.flat, groups, strict=True):
        draw(axes, rows)
    panels[0, 0].set_ylabel("turn of the held cube (degrees)")
    panels[0, 0].set_yticks(DEGREES, [f"{tick:g}" for tick in DEGREES])
    handles = style.legend_of(panels.flat)
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=3, frameon=False)
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
