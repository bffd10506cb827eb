"""Draw what several MuJoCo versions make of the same cells: outcomes of drops over the timestep, and of picks."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import SubFigure
from matplotlib.lines import Line2D

from records import script, settings, style, tables

PUBLISHED = {
    "kept": style.FAILURES["none"],
    "passed": {"color": style.GREY, "marker": "x", "label": "passed: how is not published"},
}
RING = {"marker": "o", "s": 150, "facecolor": "none", "edgecolor": style.BLACK, "lw": 1.2}
NOTES = [
    Line2D([], [], ls="", marker="o", ms=10, mfc="none", mec=style.BLACK, mew=1.2, label="not the published outcome"),
    Line2D([], [], ls="", marker="_", color=style.GREY, label="not in this version"),
]


def with_axes(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with the axes of their reference cells as columns.

    `panel` is every axis of a drop but the timestep, `variant` the axes that a cell moves and its reference does not, as words.
    """
    cells, plain = ([settings.from_words(cell.split()) for cell in rows[name]] for name in ("cell", "reference_cell"))
    panels = [
        words({axis: value for axis, value in cell.items() if axis != "dt_ms"}) or "all axes at their default" for cell in plain
    ]
    moved = [{axis: cell[axis] for axis in cell if axis not in before} for cell, before in zip(cells, plain, strict=True)]
    return pd.DataFrame(plain, index=rows.index).join(rows).assign(panel=panels, variant=list(map(words, moved)))


def words(cell: dict) -> str:
    """Axes and values as a figure writes them; of a flag that is up only its name."""
    return ", ".join(axis if value is True else f"{axis} {tables.readable(value)}" for axis, value in cell.items())


def lines_of(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The lines of a sweep's panels from the top: what is published, every version, and the variants that a version has."""
    lines = [("published", rows[rows["variant"] == ""].drop_duplicates("cell"))]
    for (variant, engine), line in rows.groupby(["variant", "engine"], sort=False):
        if not variant or line["outcome"].notna().any():
            lines.append((f"{engine} {variant}".strip(), line))
    return lines


def draw_drop(axes: Axes, place: tuple[int, int], row, published: bool) -> None:
    """One drop: a marker that says how the contact failed, a ring where the outcome is not the published one."""
    look = PUBLISHED.get(row.published_outcome) if published else style.FAILURES.get(row.failure_mode)
    if look is None:  # not published, or not in this version
        axes.annotate("–", place, ha="center", va="center", color=style.GREY)
        return
    edge = {"lw": 1.5} if look["marker"] == "x" else {"edgecolor": "white", "lw": 0.5}
    axes.scatter(*place, s=48, zorder=3, **edge, **look)
    if not published and row.published_outcome in PUBLISHED and row.outcome != row.published_outcome:
        axes.scatter(*place, zorder=4, **RING)


def draw_sweep(figure: SubFigure, rows: pd.DataFrame, sweep: str) -> None:
    """One panel for each combination of the other axes, with a line for each version and a column for each timestep."""
    lines, panels = lines_of(rows), list(rows.groupby("panel", sort=False))
    widths = [panel["dt_ms"].nunique() for _, panel in panels]
    row = figure.subplots(1, len(panels), squeeze=False, sharey=True, width_ratios=widths)[0]
    for axes, (title, panel) in zip(row, panels, strict=True):
        steps = sorted(panel["dt_ms"].unique())
        for height, (name, line) in enumerate(lines):
            for cell in line[line["panel"] == title].itertuples():
                draw_drop(axes, (steps.index(cell.dt_ms), -height), cell, name == "published")
        axes.axhline(-0.5, color=style.GREY, lw=0.6)
        axes.set(title=title, xlim=(-0.7, len(steps) - 0.3), ylim=(0.4 - len(lines), 0.6))
        axes.set_xticks(range(len(steps)), [f"{step:g}" for step in steps], fontsize="small", rotation=90)
        axes.tick_params(length=0)
    row[0].set_yticks([-height for height in range(len(lines))], [name for name, _ in lines], fontsize="small")
    figure.suptitle(f"drops of the sweep {sweep}, over the timestep dt (ms)", fontsize="medium", weight="bold")


def counts(picks: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Picks counted by outcome for each value of an axis, in the columns of a pick summary."""
    outcomes = {outcome.replace(" ", "_"): picks["outcome"] == outcome for outcome in style.ENDINGS}
    table = picks[[axis]].assign(**outcomes, flung=picks["failure_mode"] == "flung", n=1)
    return table.groupby(axis).sum().reset_index()


def parting(rows: pd.DataFrame) -> str:
    """The steps at which one version's runs first differ from those of their reference."""
    steps, reference = rows["first_different_step"].dropna().astype(int), rows["reference"].iloc[0]
    if steps.empty:
        return (
            f"the same bits as {reference}" if rows["engine"].iloc[0] != reference else "the version they were published with"
        )
    first, last = steps.min(), steps.max()
    return f"other bits than {reference} from step {first if first == last else f'{first} to {last}'} on"


def draw_picks(figure: SubFigure, rows: pd.DataFrame) -> None:
    """Stacked outcomes for each value of a sweep: one row of panels for each version, one column for each sweep."""
    sweeps, engines = list(rows.groupby("sweep", sort=False)), list(rows["engine"].unique())
    swept = [style.swept_axis(chosen) for _, chosen in sweeps]
    widths = [chosen[axis].nunique() for (axis, _), (_, chosen) in zip(swept, sweeps, strict=True)]
    grid = figure.subplots(len(engines), len(sweeps), squeeze=False, sharex="col", sharey=True, width_ratios=widths)
    for column, (axis, name), (_, chosen) in zip(grid.T, swept, sweeps, strict=True):
        for axes, engine in zip(column, engines, strict=True):
            table = counts(chosen[chosen["engine"] == engine], axis)
            style.stacked_outcomes(axes, table, [f"{value:g}" for value in table[axis]])
            axes.tick_params(axis="x", labelsize="small", rotation=45)
        column[-1].set_xlabel(name)
    for axes, engine in zip(grid[:, 0], engines, strict=True):
        axes.set_ylabel("picks")
        axes.set_title(f"{engine}: {parting(rows[rows['engine'] == engine])}", loc="left", fontsize="small")
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, title=style.FLUNG)
    figure.suptitle("picks of every sweep", fontsize="medium", weight="bold")


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--table", required=True, help="results/engines.csv")
    arguments = parser.parse_args()
    style.theme()
    table = with_axes(tables.read(arguments.table).query("experiment != 'controls'"))
    drops, picks = (table[table["experiment"] == experiment] for experiment in ("drop", "pick"))
    sweeps = list(drops.groupby("sweep", sort=False))
    heights = [0.9 + 0.27 * len(lines_of(rows)) for _, rows in sweeps] + [0.9 + 1.2 * picks["engine"].nunique()]
    figure = plt.figure(figsize=(style.WIDTH_IN, sum(heights) + 0.8), layout="constrained")
    *parts, last = figure.subfigures(len(heights), 1, height_ratios=heights)
    for part, (sweep, rows) in zip(parts, sweeps, strict=True):
        draw_sweep(part, rows, sweep)
    draw_picks(last, picks)
    handles = [Line2D([], [], ls="", label=look["label"], color=look["color"], marker=look["marker"]) for look in legend(drops)]
    figure.legend(handles=[*handles, *NOTES], loc="outside upper center", ncols=3, frameon=False)
    style.save(figure, arguments)


def legend(drops: pd.DataFrame) -> list[dict]:
    """The failure modes that the drops show."""
    modes = [look for mode, look in style.FAILURES.items() if (drops["failure_mode"] == mode).any()]
    return modes + [PUBLISHED["passed"]] * bool((drops["published_outcome"] == "passed").any())


if __name__ == "__main__":
    script.run(main)
