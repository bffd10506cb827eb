"""Draw which picks are the simulator's artefact: the outcome of every pick at each timestep, framed where they disagree."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from records import script, style, tables

FRAMES = {"outcome": {"ec": style.BLACK, "lw": 1.4}, "pose": {"ec": style.BLACK, "lw": 0.7, "ls": ":"}}
TRUNCATED = style.TRUNCATED | {"s": 4, "linewidths": 0.4}  # a small one, as there are hundreds of cells
WIDTH, HEIGHT = 0.86, 0.8  # of a pick's cell, in units of its place


def draw_panel(axes: Axes, rows: pd.DataFrame, axis: str, outcomes: list[str]) -> None:
    """A cell for each pick, one bar for each timestep in it, framed in black where the outcome depends on the timestep; crossed
    where the solver stopped at a limit of its own.
    """
    values = sorted(rows[axis].unique())
    positions, crosses = list(dict.fromkeys(rows["position"])), []
    for _, row in rows.iterrows():
        x, y = values.index(row[axis]), positions.index(row["position"])
        for index, column in enumerate(outcomes):
            left, width = x + index * WIDTH / len(outcomes), WIDTH / len(outcomes)
            axes.add_patch(Rectangle((left, y), width, HEIGHT, color=style.ENDINGS[row[column]], lw=0))
            if row[column.replace("outcome", "flung")] is True:
                axes.text(left + width / 2, y + HEIGHT / 2, "*", ha="center", va="center", fontsize="x-small")
            if row[column.replace("outcome", "truncated")] is True:
                crosses.append((left + width / 2, y + HEIGHT / 8))
        if row["timestep_decides"] in FRAMES:
            axes.add_patch(Rectangle((x, y), WIDTH, HEIGHT, fill=False, **FRAMES[row["timestep_decides"]]))
    axes.scatter(*np.reshape(crosses, (-1, 2)).T, **TRUNCATED)
    axes.set(xlim=(-0.1, len(values)), ylim=(-0.2, len(positions)))
    axes.set_xticks(
        [index + WIDTH / 2 for index in range(len(values))], [f"{value:g}" for value in values], fontsize="small", rotation=45
    )
    axes.set_yticks([index + HEIGHT / 2 for index in range(len(positions))], positions)


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--table", required=True, help="results/grasp_timestep.csv")
    arguments = parser.parse_args()
    style.theme()
    table = tables.read(arguments.table)
    outcomes = [column for column in table if column.startswith("outcome_")]
    sweeps = list(table["sweep"].unique())
    figure, panels = plt.subplots(
        1, len(sweeps), figsize=(style.WIDTH_IN, 4.2), sharey=True, squeeze=False, layout="constrained"
    )
    for panel, sweep in zip(panels[0], sweeps, strict=True):
        axis, name = style.swept_axis(table[table["sweep"] == sweep])
        draw_panel(panel, table[table["sweep"] == sweep], axis, outcomes)
        panel.set_xlabel(name)
        decided = (table["timestep_decides"][table["sweep"] == sweep] == "outcome").sum()
        panel.set_title(f"the timestep decides {decided} of {(table['sweep'] == sweep).sum()}")
    panels[0][0].set_ylabel("position of the cube")
    found = {outcome: color for outcome, color in style.ENDINGS.items() if (table[outcomes] == outcome).any(axis=None)}
    shown = style.OUTCOMES | found
    handles = [Rectangle((0, 0), 1, 1, color=color) for color in shown.values()]
    handles += [Rectangle((0, 0), 1, 1, fill=False, **FRAMES[decided]) for decided in ("outcome", "pose")]
    handles.append(panels[0][0].scatter([], [], **TRUNCATED))
    labels = [*shown, "outcome depends on the timestep", "only the final pose does", style.TRUNCATED_LABEL]
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    steps = ", ".join(column.removeprefix("outcome_").removesuffix("_ms") for column in outcomes)
    figure.suptitle(f"bars of a cell, left to right: {steps} ms; * flung", fontsize="medium")
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
