"""Draw where two machines agree: one square for each cell, by experiment and swept axes, coloured by what is the same."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from records import measured, passport, script, settings, style, tables, verdicts
from records.printed import Declarations

Verdicts = dict[str, str]  # of each cell, by its name in a passport
WORDS = {
    "same digits": "same printed numbers",
    "within band": "other numbers, as from a start moved by a hair",
    "moved": "other numbers, same outcome",
    "changed": "different outcome",
    "not there": "only here",
    "not here": "only there",
}


def layout(grid: dict[str, list], repeats: str | None) -> tuple[str, list[str]]:
    """The axis that goes from left to right, the one with most values, and those from bottom to top: those that also move."""
    across = max((axis for axis in grid if axis not in ("engine", repeats)), key=lambda axis: len(grid[axis]))
    return across, [axis for axis, values in grid.items() if len(values) > 1 and axis != across]


def draw_sweep(axes: Axes, experiment: str, grid: dict[str, list], found: Verdicts, declarations: Declarations) -> None:
    """One panel: the cells of a sweep."""
    across, upward = layout(grid, declarations[experiment].get("counted_over"))
    columns, rows, squares = {}, {}, {}
    for cell in settings.grid(grid):
        column = columns.setdefault(settings.to_word(cell[across]), len(columns))
        row = rows.setdefault(" ".join(settings.to_word(cell[axis]).replace("_", " ") for axis in upward), len(rows))
        path = f"{experiment}/{cell.pop('engine')}/{settings.cell_name(cell)}.json"
        squares[row, column] = verdicts.rank(found.get(passport.name_of(path, declarations), verdicts.NOT_HERE))
    shown = [[squares[row, column] for column in columns.values()] for row in rows.values()]
    colors = ListedColormap([style.AGREEMENT[verdict] for verdict in verdicts.VERDICTS])
    axes.pcolormesh(shown, cmap=colors, vmin=-0.5, vmax=len(verdicts.VERDICTS) - 0.5, edgecolors="white", lw=1)
    axes.set_xticks(np.arange(len(columns)) + 0.5, columns, fontsize="x-small", rotation=45 if len(columns) > 10 else 0)
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows, fontsize="x-small")
    axes.set(xlabel=style.AXES.get(across, across), ylabel=", ".join(upward))
    axes.tick_params(length=0)


def draw_rows(axes: Axes, rows: pd.DataFrame) -> None:
    """The rows of experiments whose records hold rows: one bar for each part of one, its rows counted by verdict."""
    scans = rows["experiment"] + ": " + rows["cell"].str.partition(",")[0]
    counts = pd.crosstab(scans, rows["verdict"], normalize="index")
    left = np.zeros(len(counts))
    for verdict in verdicts.VERDICTS:
        if verdict in counts:
            axes.barh(counts.index, counts[verdict], left=left, color=style.AGREEMENT[verdict])
            left += counts[verdict].to_numpy()
    axes.set_yticks(range(len(counts)), [f"{scan} ({n})" for scan, n in scans.value_counts().reindex(counts.index).items()])
    axes.set(title="rows of scans", xlabel="part of the rows", xlim=(0, 1))
    axes.invert_yaxis()
    axes.tick_params(axis="y", labelsize="x-small", length=0)


def title(here: dict, there: dict) -> str:
    """The two machines, and which experiments they measured with other code, which then may be why cells differ."""
    lines = [f"here: {here['machine']}", f"there: {there['machine']}"]
    if differing := passport.other_code(here, there):
        lines.append(f"by other code there, which may be why cells differ: {', '.join(differing)}")
    return "\n".join(lines)


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--diff", required=True, help="results/passport_diff.csv")
    parser.add_argument("--here", required=True, help="this machine's passport")
    parser.add_argument("--there", required=True, help="the other machine's passport")
    parser.add_argument(
        "--sweep", nargs="+", action="append", default=[], help="experiment, name and axis=value,value of a sweep; repeated"
    )
    measured.add_declarations(parser)
    arguments = parser.parse_args()
    style.theme()
    diff, declarations = tables.read(arguments.diff), arguments.declarations
    names = diff["experiment"] + "/" + diff["mujoco"] + "/" + diff["cell"]
    known = dict(zip(names, diff["verdict"], strict=True))
    lines = -(-(len(arguments.sweep) + 1) // 2)
    figure, axes = plt.subplots(lines, 2, figsize=(style.WIDTH_IN, 2.8 * lines), squeeze=False, layout="constrained")
    for panel, (experiment, name, *words) in zip(axes.flat, arguments.sweep, strict=False):
        draw_sweep(panel, experiment, settings.grid_from_words(words), known, declarations)
        panel.set_title(f"{experiment}: {name.replace('_', ' ')}")
    of_rows = [name for name, declaration in declarations.items() if "rows" in declaration]
    draw_rows(axes.flat[len(arguments.sweep)], diff[diff["experiment"].isin(of_rows)])
    for panel in axes.flat[len(arguments.sweep) + 1 :]:
        panel.set_axis_off()
    found = diff["verdict"].value_counts()
    patches = [
        Patch(color=style.AGREEMENT[verdict], label=f"{WORDS.get(verdict, verdict)} ({found[verdict]})")
        for verdict in verdicts.VERDICTS
        if verdict in found
    ]
    figure.legend(handles=patches, loc="outside lower center", ncols=2, frameon=False)
    figure.suptitle(title(*map(passport.load, (arguments.here, arguments.there))), fontsize="medium")
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
