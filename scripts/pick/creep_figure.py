"""Draw how far a held cube has crept against the time it is held, one panel for each setting of the line search."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from records import script, style, tables

COLORS = (style.VERMILION, style.ORANGE, style.BLUE)
DASHES = ("-", "--", ":")


def draw(axes: Axes, table: pd.DataFrame) -> None:
    """One line for each pick: impratio by colour, noslip_iterations by dashes; its outcome if it was not held to the end."""
    color = dict(zip(sorted(table["impratio"].unique()), COLORS, strict=True))
    dashes = dict(zip(sorted(table["noslip_iterations"].unique()), DASHES, strict=True))
    for (impratio, noslip), rows in table[table["held_s"] > 0].groupby(["impratio", "noslip_iterations"]):
        label = f"impratio {impratio:g}, noslip_iterations {noslip}"
        axes.plot(rows["held_s"], rows["slip_mm"], color=color[impratio], ls=dashes[noslip], label=label)
        style.mark_truncated(axes, *(rows[name].tail(1) for name in ("held_s", "slip_mm", "truncated")))
        last = rows.iloc[-1]
        if last["outcome"] != "held":
            beside = {"xytext": (-4, -10), "textcoords": "offset points", "ha": "right", "fontsize": "small"}
            axes.annotate(last["outcome"], (last["held_s"], last["slip_mm"]), color=color[impratio], **beside)
    axes.set(yscale="log", xlabel="time held (s)", title=f"ls_iterations {table['ls_iterations'].iloc[0]}")
    axes.yaxis.set_major_formatter("{x:g}")


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--table", required=True, help="results/creep.csv")
    arguments = parser.parse_args()
    style.theme()
    groups = list(tables.read(arguments.table).groupby("ls_iterations"))
    shape = {"figsize": (style.WIDTH_IN, 3.8), "sharey": True, "squeeze": False, "layout": "constrained"}
    figure, panels = plt.subplots(1, len(groups), **shape)
    for axes, (_, rows) in zip(panels.flat, groups, strict=True):
        draw(axes, rows)
    panels[0, 0].set_ylabel("slip of the cube (mm)")
    lines = style.legend_of(panels.flat)
    figure.legend(lines.values(), lines.keys(), loc="outside lower center", ncols=3, frameon=False, fontsize="small")
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
