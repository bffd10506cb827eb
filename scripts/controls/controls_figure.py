"""Draw what a NaN control does to each kind of actuator over what three explanations of it predict."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from records import files, script, style

# The dashes come last, so that they show on a path that they share.
PREDICTIONS = {
    "zero_controls": {"color": style.VERMILION, "ls": "-", "label": "if every control is taken as 0"},
    "reset": {"color": style.GREEN, "ls": (0, (1, 1.2)), "label": "if the pose is reset to qpos0"},
    "no_force": {"color": style.BLUE, "ls": (0, (4, 3)), "label": "if the faulty actuator gives no force"},
}
CHANNELS = {"faulty": "faulty channel,\nits control is NaN", "healthy": "healthy channel,\nits control is kept"}


def draw_panel(axes: Axes, paths: dict[str, pd.Series], limits: tuple[float, float]) -> None:
    """One channel of one robot: the measured path, wide and pale, below the predicted ones."""
    axes.plot(paths["measured"], color=style.PALE, lw=7, solid_capstyle="round", label="measured")
    for name, look in PREDICTIONS.items():
        axes.plot(paths[name], lw=1.5, **look)
    axes.set_ylim(limits)
    axes.yaxis.set_major_locator(MaxNLocator(4))


def limits_of(rows: pd.DataFrame) -> tuple[float, float]:
    """Room for what was measured and for qpos0; a prediction that runs away leaves the panel."""
    kept = rows.loc[rows["curve"].isin(["measured", "reset"]), "qpos_m"]
    margin = 0.25 * (kept.max() - kept.min())
    return kept.min() - margin, kept.max() + margin


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--curves", required=True, help="the record of the paths, JSON")
    arguments = parser.parse_args()
    style.theme()
    record = files.read_json(arguments.curves)
    table = pd.DataFrame(record["rows"])
    robots = list(record["settings"]["actuator"])
    figure, axes = plt.subplots(
        len(CHANNELS),
        len(robots),
        figsize=(style.WIDTH_IN, 4.2),
        sharex=True,
        sharey="col",
        squeeze=False,
        layout="constrained",
    )
    for robot, column in zip(robots, axes.T, strict=True):
        rows = table[table["actuator"] == robot]
        for channel, panel in zip(CHANNELS, column, strict=True):
            here = rows[rows["channel"] == channel]
            paths = {name: curve.set_index("time_s")["qpos_m"] for name, curve in here.groupby("curve")}
            draw_panel(panel, paths, limits_of(rows))
        column[0].set_title(robot)
        column[-1].set_xlabel("time after\nthe fault (s)")
    for label, panel in zip(CHANNELS.values(), axes[:, 0], strict=True):
        panel.set_ylabel(f"{label}\n\nposition (m)")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
