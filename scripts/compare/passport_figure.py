"""Draw where two machines agree: one square for each cell, by experiment and swept axes, coloured by what is the same."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from records import passport, script, settings, style, tables

Verdicts = dict[str, str]  # of each cell, by its name in a passport
WORDS = {
    "within band": "other numbers, as from a start moved by a hair",
    "other numbers": "other numbers, same outcome",
}
NAMES = {"dt_ms": "timestep dt (ms)", "mu": "friction mu", "cap_Nm": "torque cap (N m)", "mass_kg": "mass (kg)"}


def layout(grid: dict[str, list]) -> tuple[str, list[str]]:
    """The axis that goes from left to right, the one with most values, and those from bottom to top: those that also move."""
    across = max((axis for axis in grid if axis not in ("engine", "position")), key=lambda axis: len(grid[axis]))
    return across, [axis for axis, values in grid.items() if len(values) > 1 and axis != across]


def draw_sweep(axes: Axes, title: str, experiment: str, grid: dict[str, list], verdicts: Verdicts) -> None:
    """One panel: the cells of a sweep."""
    across, upward = layout(grid)
    columns, rows, squares = {}, {}, {}
    for cell in settings.grid(grid):
        column = columns.setdefault(settings.to_word(cell[across]), len(columns))
        row = rows.setdefault(" ".join(settings.to_word(cell[axis]).replace("_", " ") for axis in upward), len(rows))
        path = f"{experiment}/{cell.pop('engine')}/{settings.cell_name(cell)}.json"
        squares[row, column] = passport.VERDICTS.index(verdicts[passport.name_of(path)])
    shown = [[squares[row, column] for column in columns.values()] for row in rows.values()]
    colors = ListedColormap([style.AGREEMENT[verdict] for verdict in passport.VERDICTS])
    axes.pcolormesh(shown, cmap=colors, vmin=-0.5, vmax=len(passport.VERDICTS) - 0.5, edgecolors="white", lw=1)
    axes.set_xticks(np.arange(len(columns)) + 0.5, columns, fontsize="x-small", rotation=45 if len(columns) > 10 else 0)
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows, fontsize="x-small")
    axes.set(title=title, xlabel=NAMES.get(across, across), ylabel=", ".join(upward))
    axes.tick_params(length=0)


def draw_rows(axes: Axes, diff: pd.DataFrame) -> None:
    """The rows of scans and of the steppers: one bar for each scan, its rows counted by verdict."""
    rows = diff[diff["experiment"].isin(["controls", "stepping"])]
    scans = rows["experiment"] + ": " + rows["cell"].str.partition(",")[0]
    counts = pd.crosstab(scans, rows["verdict"], normalize="index")
    left = np.zeros(len(counts))
    for verdict in passport.VERDICTS:
        if verdict in counts:
            axes.barh(counts.index, counts[verdict], left=left, color=style.AGREEMENT[verdict])
            left += counts[verdict].to_numpy()
    axes.set_yticks(range(len(counts)), [f"{scan} ({n})" for scan, n in scans.value_counts().reindex(counts.index).items()])
    axes.set(title="rows of scans", xlabel="part of the rows", xlim=(0, 1))
    axes.invert_yaxis()
    axes.tick_params(axis="y", labelsize="x-small", length=0)


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--diff", required=True, help="results/passport_diff.csv")
    parser.add_argument("--here", required=True, help="this machine's passport")
    parser.add_argument("--there", required=True, help="the other machine's passport")
    parser.add_argument(
        "--sweep", nargs="+", action="append", default=[], help="an experiment, a sweep's name and axis=value,value; repeated"
    )
    arguments = parser.parse_args()
    style.theme()
    diff = tables.read(arguments.diff)
    names = diff["experiment"] + "/" + diff["mujoco"] + "/" + diff["cell"]
    verdicts = dict(zip(names, diff["verdict"], strict=True))
    sweeps = arguments.sweep
    lines = -(-(len(sweeps) + 1) // 2)
    figure, axes = plt.subplots(lines, 2, figsize=(style.WIDTH_IN, 2.8 * lines), squeeze=False, layout="constrained")
    for panel, (experiment, name, *words) in zip(axes.flat, sweeps, strict=False):
        draw_sweep(panel, f"{experiment}: {name.replace('_', ' ')}", experiment, settings.grid_from_words(words), verdicts)
    draw_rows(axes.flat[len(sweeps)], diff)
    for panel in axes.flat[len(sweeps) + 1 :]:
        panel.set_axis_off()
    found = diff["verdict"].value_counts()
    patches = [
        Patch(color=style.AGREEMENT[verdict], label=f"{WORDS.get(verdict, verdict)} ({found[verdict]})")
        for verdict in passport.VERDICTS
        if verdict in found
    ]
    figure.legend(handles=patches, loc="outside lower center", ncols=2, frameon=False)
    here, there = (passport.load(path)["machine"] for path in (arguments.here, arguments.there))
    figure.suptitle(f"here: {here}\nthere: {there}", fontsize="medium")
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
