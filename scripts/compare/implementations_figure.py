"""Draw how each cell ends in C and in every other implementation, and how far each came apart from C."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from records import script, settings, style, tables
from records.ended import CANNOT_RUN

C = "C"
RING = {"marker": "o", "s": 62, "facecolor": "none", "edgecolor": style.BLACK, "lw": 0.9, "zorder": 4}
NOTES = [
    Line2D([], [], ls="", marker="o", ms=8, mfc="none", mec=style.BLACK, mew=0.9, label="another end than in C"),
    Line2D([], [], ls="", marker="_", color=style.GREY, label="not in this implementation"),
]
COLORS = (style.BLUE, style.SKY, style.VERMILION, style.ORANGE, style.GREEN, style.PURPLE)


def with_axes(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of a sweep with `across`, the axis with most values, `line`, the words of all others, and `variant`."""
    cells = [settings.from_words(cell.split()) for cell in table["cell"]]
    axes = pd.DataFrame(cells, index=table.index)
    across = max(axes, key=lambda axis: axes[axis].map(settings.to_word, na_action="ignore").nunique())
    others = [{axis: value for axis, value in cell.items() if axis != across} for cell in cells]
    lines = [", ".join(f"{axis} {tables.readable(value)}" for axis, value in cell.items()) or "default" for cell in others]
    names = table["engine"] + "\n" + table["option"].str.replace("=", " ").str.replace(",", "\n")
    return table.assign(across=axes[across], axis=across, line=lines, variant=names)


def draw_panel(axes: Axes, rows: pd.DataFrame, mode: str, values: list, lines: list[str]) -> None:
    """One variant's panel: a marker for each cell; `mode` is the column of how it ended."""
    for _, cell in rows.iterrows():
        place = values.index(cell["across"]), -lines.index(cell["line"])
        if mode == "failure_mode" and cell["verdict"] == CANNOT_RUN:
            axes.annotate("–", place, ha="center", va="center", color=style.GREY)
            continue
        axes.scatter(*place, s=22, zorder=3, edgecolor="white", lw=0.3, **style.FAILURES[cell[mode]])
        if cell[mode] != cell["c_failure_mode"]:
            axes.scatter(*place, **RING)
    axes.set(xlim=(-0.8, len(values) - 0.2), ylim=(0.4 - len(lines), 0.6))
    axes.set_xticks(range(len(values)), map(settings.to_word, values), fontsize="xx-small", rotation=90)
    axes.tick_params(length=0)


def draw_sweep(row: list[Axes], rows: pd.DataFrame, title: str) -> None:
    """C's panel, then one for each variant."""
    values, lines = sorted(rows["across"].unique().tolist()), list(dict.fromkeys(rows["line"]))
    draw_panel(row[0], rows.drop_duplicates("cell"), "c_failure_mode", values, lines)
    for axes, (_, chosen) in zip(row[1:], rows.groupby("variant", sort=False), strict=False):
        draw_panel(axes, chosen, "failure_mode", values, lines)
    row[0].set_yticks([-height for height in range(len(lines))], lines, fontsize="x-small")
    row[0].set_ylabel(title, weight="bold")
    row[len(row) // 2].set_xlabel(style.AXES.get(rows["axis"].iloc[0], rows["axis"].iloc[0]), fontsize="small")


def draw_apart(axes: Axes, table: pd.DataFrame) -> None:
    """How far each variant's cells came apart from C, all cells of the table in order of that."""
    for color, (name, rows) in zip(COLORS, table.groupby("variant", sort=False), strict=False):
        apart = rows.drop_duplicates("cell")["largest_apart_m"].dropna().sort_values()
        part = [(place + 1) / len(apart) for place in range(len(apart))]
        axes.plot(apart, part, color=color, label=name.replace("\n", ", "), drawstyle="steps-post")
    axes.set(
        xscale="log",
        xlabel="largest distance of the cube from where it is in C (m)",
        ylabel="part of the cells",
        ylim=(0, 1.02),
    )
    axes.legend(frameon=False, fontsize="small", loc="upper left")
    axes.grid(color=style.PALE, lw=0.5)


def draw_lifts(axes: Axes, rows: pd.DataFrame) -> None:
    """The lift of each pick in C and in each variant, in the colour of how it ended."""
    cells = list(dict.fromkeys(rows["cell"]))
    lines = [(C, rows.drop_duplicates("cell"), "c_"), *((name, own, "") for name, own in rows.groupby("variant", sort=False))]
    for height, (_, own, side) in enumerate(lines):
        for _, cell in own.iterrows():
            place = cells.index(cell["cell"]), -height
            flung = ", flung" if cell[f"{side}flung"] else ""
            told = f"{1000 * cell[f'{side}lift_m']:.2f} mm{flung}"
            box = {"boxstyle": "round", "facecolor": style.ENDINGS[cell[f"{side}outcome"]], "alpha": 0.5, "edgecolor": "none"}
            axes.annotate(told, place, ha="center", va="center", fontsize="small", bbox=box)
    axes.set(xlim=(-0.6, len(cells) - 0.4), ylim=(0.6 - len(lines), 0.6), title="picks, open loop: outcome and lift")
    axes.set_yticks([-height for height in range(len(lines))], [name for name, _, _ in lines], fontsize="x-small")
    axes.set_xticks(
        range(len(cells)),
        [cell.replace("=", " ").replace(" m", "\nm").replace(" p", "\np") for cell in cells],
        fontsize="x-small",
    )
    axes.tick_params(length=0)
    used = {*rows["outcome"], *rows["c_outcome"]}
    handles = [
        Line2D([], [], ls="", marker="s", color=color, label=ended) for ended, color in style.ENDINGS.items() if ended in used
    ]
    axes.legend(handles=handles, frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--table", required=True, help="results/implementations.csv")
    arguments = parser.parse_args()
    style.theme()
    table = tables.read(arguments.table)
    groups = [with_axes(rows) for _, rows in table.groupby(["experiment", "sweep"], sort=False)]
    found = [rows for rows in groups if rows["c_failure_mode"].notna().all()]
    lifted = [rows for rows in groups if rows["c_lift_m"].notna().any()]
    ended = pd.concat(found)
    variants = list(dict.fromkeys(ended["variant"]))
    heights = [0.55 + 0.2 * rows["line"].nunique() for rows in found]
    others = [2.2, *([0.7 + 0.5 * (1 + pd.concat(lifted)["variant"].nunique())] if lifted else [])]
    figure = plt.figure(figsize=(style.WIDTH_IN, sum(heights) + sum(others) + 1.2), layout="constrained")
    parts = figure.subfigures(1 + len(others), 1, height_ratios=[sum(heights) + 0.6, *others])
    grid = parts[0].subplots(len(found), 1 + len(variants), squeeze=False, sharey="row", height_ratios=heights)
    for row, rows in zip(grid, found, strict=True):
        draw_sweep(list(row), rows, rows["sweep"].iloc[0])
    for axes, name in zip(grid[0], [C, *variants], strict=True):
        axes.set_title(name, fontsize="small")
    draw_apart(parts[1].subplots(), ended)
    if lifted:
        draw_lifts(parts[2].subplots(), pd.concat(lifted))
    modes = {*ended["failure_mode"].dropna(), *ended["c_failure_mode"].dropna()}
    looks = [look for mode, look in style.FAILURES.items() if mode in modes]
    handles = [Line2D([], [], ls="", label=look["label"], color=look["color"], marker=look["marker"]) for look in looks]
    figure.legend(handles=[*handles, *NOTES], loc="outside upper center", ncols=2, frameon=False)
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
