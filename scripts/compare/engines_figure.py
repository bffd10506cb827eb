"""Draw what several MuJoCo versions make of the same cells: how each ends, or, of repeats, how many end so."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import SubFigure
from matplotlib.lines import Line2D

from records import measured, script, settings, style, tables
from records.printed import Declaration
from records.verdicts import NOT_HERE

PUBLISHED = {
    "kept": style.FAILURES["none"],
    "passed": {"color": style.GREY, "marker": "x", "label": "passed: how is not published"},
}
RING = {"marker": "o", "s": 150, "facecolor": "none", "edgecolor": style.BLACK, "lw": 1.2}
NOTES = [
    Line2D([], [], ls="", marker="o", ms=10, mfc="none", mec=style.BLACK, mew=1.2, label="not the published outcome"),
    Line2D([], [], ls="", marker="_", color=style.GREY, label="not in this version"),
]


def with_axes(rows: pd.DataFrame, declaration: Declaration) -> pd.DataFrame:
    """The rows of an experiment with the axes of their reference cells as columns.

    `across` is the axis from left to right, the timestep or else the one with most values, `panel` every other axis, `variant`
    the axes that a cell moves and its reference does not, both as words.
    """
    cells, plain = ([settings.from_words(cell.split()) for cell in rows[name]] for name in ("cell", "reference_cell"))
    axes = pd.DataFrame(plain, index=rows.index)
    across = declaration.get("timestep")
    across = across if across in axes else most_values(axes)
    panels = [
        words({axis: value for axis, value in cell.items() if axis != across}) or "all axes at their default" for cell in plain
    ]
    moved = [{axis: cell[axis] for axis in cell if axis not in before} for cell, before in zip(cells, plain, strict=True)]
    return axes.join(rows).assign(across=across, panel=panels, variant=list(map(words, moved)))


def most_values(axes: pd.DataFrame) -> str:
    """The axis that takes most values."""
    return max(axes, key=lambda axis: axes[axis].map(settings.to_word).nunique())


def words(cell: dict) -> str:
    """Axes and values as a figure writes them; of a flag that is up only its name."""
    return ", ".join(axis if value is True else f"{axis} {tables.readable(value)}" for axis, value in cell.items())


def lines_of(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The lines of a sweep's panels from the top: what is published, every version, and the variants that a version has."""
    published = rows[rows["variant"] == ""].drop_duplicates("cell")
    lines = [("published", published)] if rows["published_outcome"].notna().any() else []
    for (variant, engine), line in rows.groupby(["variant", "engine"], sort=False):
        if not variant or (line["change"] != NOT_HERE).any():
            lines.append((f"{engine} {variant}".strip(), line))
    return lines


def look_of(row, published: bool) -> dict | None:
    """How a cell is drawn: by its failure mode, where it has no outcome by its verdict; None where there is nothing to draw."""
    if published:
        return PUBLISHED.get(row.published_outcome)
    if row.change == NOT_HERE:
        return None
    return (
        {"color": style.AGREEMENT[row.change], "marker": "s"} if pd.isna(row.outcome) else style.FAILURES.get(row.failure_mode)
    )


def draw_cell(axes: Axes, place: tuple[int, int], row, published: bool) -> None:
    """One cell: a marker that says how it ended, a ring where the outcome is not the published one."""
    look = look_of(row, published)
    if look is None:  # not published, or not in this version
        axes.annotate("–", place, ha="center", va="center", color=style.GREY)
        return
    edge = {"lw": 1.5} if look["marker"] == "x" else {"edgecolor": "white", "lw": 0.5}
    axes.scatter(*place, s=48, zorder=3, **edge, **look)
    if not published and row.published_outcome in PUBLISHED and row.outcome != row.published_outcome:
        axes.scatter(*place, zorder=4, **RING)
    if not published and pd.notna(row.truncated) and row.truncated:
        axes.scatter(*place, **style.TRUNCATED)


def draw_sweep(figure: SubFigure, rows: pd.DataFrame) -> None:
    """One panel for each combination of the other axes, with a line for each version and a column for each value across."""
    lines, panels, across = lines_of(rows), list(rows.groupby("panel", sort=False)), rows["across"].iloc[0]
    widths = [panel[across].nunique() for _, panel in panels]
    row = figure.subplots(1, len(panels), squeeze=False, sharey=True, width_ratios=widths)[0]
    for axes, (title, panel) in zip(row, panels, strict=True):
        values = sorted(panel[across].unique().tolist())
        for height, (name, line) in enumerate(lines):
            for _, cell in line[line["panel"] == title].iterrows():
                draw_cell(axes, (values.index(cell[across]), -height), cell, name == "published")
        if lines[0][0] == "published":
            axes.axhline(-0.5, color=style.GREY, lw=0.6)
        axes.set(title=title, xlim=(-0.7, len(values) - 0.3), ylim=(0.4 - len(lines), 0.6))
        axes.set_xticks(range(len(values)), map(settings.to_word, values), fontsize="small", rotation=90)
        axes.tick_params(length=0)
    row[0].set_yticks([-height for height in range(len(lines))], [name for name, _ in lines], fontsize="small")
    experiment, sweep = rows.iloc[0][["experiment", "sweep"]]
    title = f"{experiment}s of the sweep {sweep}, over the {style.AXES.get(across, across)}"
    figure.suptitle(title, fontsize="medium", weight="bold")


def counts(rows: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Runs counted by outcome for each value of an axis, in the columns of a summary."""
    outcomes = {outcome.replace(" ", "_"): rows["outcome"] == outcome for outcome in style.ENDINGS}
    others = {"flung": rows["failure_mode"] == "flung", "truncated": rows["truncated"].eq(True), "n": 1}
    table = rows[[axis]].assign(**outcomes, **others)
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


def draw_counts(figure: SubFigure, rows: pd.DataFrame, repeats: str) -> None:
    """Stacked outcomes for each value of a sweep: one row of panels for each version, one column for each sweep."""
    sweeps, engines = list(rows.groupby("sweep", sort=False)), list(rows["engine"].unique())
    own = [axis for axis in rows.columns[: rows.columns.get_loc("experiment")] if axis != repeats]
    swept = [most_values(chosen[own]) for _, chosen in sweeps]
    widths = [chosen[axis].nunique() for axis, (_, chosen) in zip(swept, sweeps, strict=True)]
    grid = figure.subplots(len(engines), len(sweeps), squeeze=False, sharex="col", sharey=True, width_ratios=widths)
    for column, axis, (_, chosen) in zip(grid.T, swept, sweeps, strict=True):
        for axes, engine in zip(column, engines, strict=True):
            table = counts(chosen[chosen["engine"] == engine], axis)
            style.stacked_outcomes(axes, table, [f"{value:g}" for value in table[axis]])
            axes.tick_params(axis="x", labelsize="small", rotation=45)
        column[-1].set_xlabel(style.AXES.get(axis, axis))
    for axes, engine in zip(grid[:, 0], engines, strict=True):
        axes.set_ylabel(f"{rows['experiment'].iloc[0]}s")
        axes.set_title(f"{engine}: {parting(rows[rows['engine'] == engine])}", loc="left", fontsize="small")
    handles = style.legend_of(grid.flat)
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=3, frameon=False, title=style.FLUNG)
    figure.suptitle(f"{rows['experiment'].iloc[0]}s of every sweep", fontsize="medium", weight="bold")


def legend(cells: pd.DataFrame) -> list[Line2D]:
    """What the cells show: failure modes, and verdicts of those without an outcome."""
    ended = cells["outcome"].notna()
    looks = [look for mode, look in style.FAILURES.items() if (cells["failure_mode"] == mode).any()]
    looks += [PUBLISHED["passed"]] * bool((cells["published_outcome"] == "passed").any())
    verdicts = {verdict: color for verdict, color in style.AGREEMENT.items() if (cells["change"][~ended] == verdict).any()}
    looks += [{"color": verdicts[verdict], "marker": "s", "label": verdict} for verdict in verdicts if verdict != NOT_HERE]
    looks += [style.TRUNCATED | {"label": style.TRUNCATED_LABEL}] * bool(cells["truncated"].eq(True).any())
    return [Line2D([], [], ls="", label=look["label"], color=look["color"], marker=look["marker"]) for look in looks]


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--table", required=True, help="results/engines.csv")
    measured.add_declarations(parser)
    arguments = parser.parse_args()
    style.theme()
    table = tables.read(arguments.table)
    grids = {
        name: how for name, how in arguments.declarations.items() if how["cells"] == "grid" and name in set(table["experiment"])
    }
    found = {name: with_axes(table[table["experiment"] == name], how) for name, how in grids.items()}
    counted = {name: how["counted_over"] for name, how in grids.items() if "counted_over" in how}
    sweeps = [rows for name in found if name not in counted for _, rows in found[name].groupby("sweep", sort=False)]
    heights = [0.9 + 0.27 * len(lines_of(rows)) for rows in sweeps]
    heights += [0.9 + 1.2 * found[name]["engine"].nunique() for name in counted]
    figure = plt.figure(figsize=(style.WIDTH_IN, sum(heights) + 0.8), layout="constrained")
    parts = iter(figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0])
    for rows in sweeps:
        draw_sweep(next(parts), rows)
    for name, repeats in counted.items():
        draw_counts(next(parts), found[name], repeats)
    alone = table[table["experiment"].isin(grids.keys() - counted.keys())]
    figure.legend(handles=[*legend(alone), *NOTES], loc="outside upper center", ncols=3, frameon=False)
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
