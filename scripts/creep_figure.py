"""Draw how far a held cube has crept against the time it is held, one panel for each setting of the line search."""

import argparse

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

import style
import tables
from contactlab import script

COLORS = [style.VERMILION, style.ORANGE, style.BLUE]
LINES = ["-", "--", ":"]
HIDDEN_MM = 1e-5  # what the logarithm cannot show


def draw(axes: Axes, table) -> None:
    """A line a pick: impratio by colour, noslip_iterations by dashes."""
    colors, lines = (
        dict(zip(sorted(table[axis].unique()), looks, strict=False))
        for axis, looks in (("impratio", COLORS), ("noslip_iterations", LINES))
    )
    for (impratio, noslip), rows in table.groupby(["impratio", "noslip_iterations"]):
        later = rows[rows["held_s"] > 0]
        label = f"impratio {impratio:g}, noslip_iterations {noslip}"
        axes.plot(
            later["held_s"], later["slip_mm"].clip(lower=HIDDEN_MM), color=colors[impratio], ls=lines[noslip], label=label
        )
        if rows["outcome"].iloc[0] != "held":
            axes.annotate(
                rows["outcome"].iloc[0],
                (later["held_s"].iloc[-1], later["slip_mm"].iloc[-1]),
                (-4, -10),
                textcoords="offset points",
                ha="right",
                color=colors[impratio],
                fontsize="small",
            )
    axes.set(yscale="log", xlabel="time held (s)", title=f"ls_iterations {table['ls_iterations'].iloc[0]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", required=True, help="results/creep.csv")
    parser.add_argument("--png", required=True)
    parser.add_argument("--svg", required=True)
    arguments = parser.parse_args()
    style.theme()
    groups = list(tables.read(arguments.table).groupby("ls_iterations"))
    figure, panels = plt.subplots(
        1, len(groups), figsize=(4.4 * len(groups), 3.8), sharey=True, squeeze=False, layout="constrained"
    )
    for axes, (_, rows) in zip(panels.flat, groups, strict=True):
        draw(axes, rows)
    panels[0, 0].set_ylabel("slip of the cube (mm)")
    figure.legend(
        *panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False, fontsize="small"
    )
    style.save(figure, arguments.png, arguments.svg)


if __name__ == "__main__":
    script.run(main)
