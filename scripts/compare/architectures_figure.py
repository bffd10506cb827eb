"""Draw the picks' outcomes as published, on two architectures, and with the solver converged, one above the other."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from records import engines, script, style, tables


def name_of(solver: str, architecture: str, engine: str) -> str:
    """What a line of panels is called."""
    emulated = ", emulated" if engines.split(engine)[1] else ""
    return f"{architecture}{emulated}" + (",\nsolver converged" if solver == "converged" else "")


def draw_line(panels: list[Axes], rows: pd.DataFrame, sweeps: dict[str, tuple[str, str]]) -> None:
    """One line of panels, one for each sweep: its picks by outcome, and above each bar how many were flung."""
    for panel, (sweep, (axis, _)) in zip(panels, sweeps.items(), strict=True):
        chosen = rows[rows["sweep"] == sweep].sort_values(axis)
        style.stacked_outcomes(panel, chosen, [f"{value:g}" for value in chosen[axis]])
        panel.set_yticks([0, chosen["n"].max()])
        panel.tick_params(axis="x", labelsize="small", rotation=90)


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--table", required=True, help="results/architectures.csv")
    arguments = parser.parse_args()
    style.theme()
    table = tables.read(arguments.table)
    picks = table[table["n"].notna()]
    lines = sorted(picks.groupby(["solver", "architecture", "engine"], sort=False), key=lambda line: line[0][0] == "converged")
    sweeps = {sweep: style.swept_axis(rows) for sweep, rows in picks.groupby("sweep", sort=False)}
    widths = [picks.loc[picks["sweep"] == sweep, axis].nunique() for sweep, (axis, _) in sweeps.items()]
    figure, panels = plt.subplots(
        len(lines), len(sweeps), figsize=(style.WIDTH_IN, 1.05 * len(lines) + 1.2), sharex="col", sharey=True, squeeze=False,
        width_ratios=widths, layout="constrained",
    )  # fmt: skip
    for line, (names, rows) in zip(panels, lines, strict=True):
        draw_line(line, rows, sweeps)
        line[0].set_ylabel(name_of(*names), rotation=0, ha="right", va="center")
    for panel, (_, label) in zip(panels[-1], sweeps.values(), strict=True):
        panel.set_xlabel(label)
    handles = style.legend_of(panels.flat)
    handles["above a bar: cubes flung"] = Line2D([], [], lw=0)
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=4, frameon=False)
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
