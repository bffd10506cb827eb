"""Draw height against time through the impact, one panel for each drop, with the slab and the contact normal."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MultipleLocator

from records import files, script, style, tables

WINDOW_MS = (-25, 60)  # shown around the moment a free fall reaches the table
ARROW_CM = 1.1
NAMED = ("dt_ms", "integrator")  # in every title


def samples(record: dict) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The window's samples: time in ms after a free fall would touch the table, the cube's centre and half its vertical extent
    in cm, and z of the contact's normal, nan without contact.
    """
    cell, run = record["settings"], record["trajectory"]
    speed_m_per_s = record["result"]["impact_speed_m_per_s"]
    touch_s = 2 * cell["drop_height_m"] / speed_m_per_s if speed_m_per_s else 0.0
    time = 1000 * (np.array(run["time_s"]) - touch_s)
    shown = (time >= WINDOW_MS[0]) & (time <= WINDOW_MS[1])
    centre, half = 100 * np.array(run["centre_m"]), 100 * np.array(run["half_m"])
    normal = np.array([np.nan if value is None else value for value in run["normal_z"]])
    return time[shown], centre[shown], half[shown], normal[shown]


def moved_axes(records: list[dict]) -> list[str]:
    """What else differs between the cells than the timestep and the integrator, which every title says."""
    cells = [{"engine": record["mujoco"]} | record["settings"] for record in records]
    return [axis for axis in cells[0] if axis not in NAMED and any(cell[axis] != cells[0][axis] for cell in cells)]


def title(record: dict, moved: list[str]) -> str:
    """The timestep and the integrator of a cell, a line for each other axis that is moved, and how its contact failed."""
    cell = {"engine": record["mujoco"]} | record["settings"]
    named = [f"dt {cell['dt_ms']:g} ms, {cell['integrator']}", *(f"{axis} {tables.readable(cell[axis])}" for axis in moved)]
    failure = style.FAILURES[record["result"]["failure_mode"]]["label"].replace(": ", ":\n").replace(", ", ",\n")
    return "\n".join([*named, failure])


def draw_panel(axes: Axes, record: dict, moved: list[str]) -> None:
    """One cell: the slab, the cube's centre at each sampled state, and an arrow along the normal of each step's contact."""
    cell, result = record["settings"], record["result"]
    top, edge = 100 * cell["table_top_m"], 100 * cell["cube_size_m"]
    bottom = top - 100 * cell["table_thickness_m"]
    time, centre, half, normal = samples(record)
    look = style.FAILURES[result["failure_mode"]]
    axes.axhspan(bottom, top, color=style.PALE, lw=0)
    axes.axhline(100 * result["middle_m"], color=style.BLACK, lw=1, ls="--")
    axes.vlines(time, centre - half, centre + half, color=look["color"], alpha=0.15, lw=1.5)
    axes.plot(time, centre, color=look["color"], lw=0.7, alpha=0.5)
    axes.scatter(time, centre, s=10, color=look["color"], marker=look["marker"], zorder=3)
    # A contact found at one state acts until the next: it is drawn from the state before its sample.
    found = np.flatnonzero(~np.isnan(normal[1:]))
    thin = found[:: max(1, len(found) // 25)]
    axes.quiver(
        time[thin], centre[thin], 0 * thin, ARROW_CM * normal[thin + 1],
        angles="xy", scale_units="xy", scale=1, width=0.006, color=style.BLACK, zorder=4,
    )  # fmt: skip
    axes.set(xlim=WINDOW_MS, ylim=(bottom - 2.5 * edge, top + 2 * edge), xlabel="time after touching (ms)")
    axes.yaxis.set_major_locator(MultipleLocator(5))
    axes.set_title(title(record, moved))
    if not len(found):
        axes.text(0.96, 0.94, "no contact\nin any step", transform=axes.transAxes, ha="right", va="top", fontsize="small")
    if tables.truncated(result):
        label = style.TRUNCATED_LABEL.replace(" at ", "\nat ")
        axes.text(0.04, 0.06, f"× {label}", transform=axes.transAxes, ha="left", va="bottom", fontsize="small")


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--trajectories", required=True, nargs="+", help="cells with their trajectory, JSON")
    arguments = parser.parse_args()
    style.theme()
    records = [files.read_json(path) for path in arguments.trajectories]
    columns = min(4, len(records))
    lines = -(-len(records) // columns)
    figure, axes = plt.subplots(
        lines, columns, figsize=(style.WIDTH_IN, 3.4 * lines), sharey=True, squeeze=False, layout="constrained"
    )
    moved = moved_axes(records)
    for panel, record in zip(axes.flat, records, strict=False):
        draw_panel(panel, record, moved)
    for panel in axes.flat[len(records) :]:
        panel.set_axis_off()
    for panel in axes[:, 0]:
        panel.set_ylabel("height (cm)")
    figure.supxlabel(
        "markers: the cube's centre at each step, bars: its extent; grey: the table, dashed: its mid-plane;\n"
        "arrows: contact normal acting on the cube",
        fontsize="small",
    )
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
