"""Draw the story of one pick: a picture of each state, rendered or, where that did not work, drawn from the side."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection

from records import files, script, style

COLUMNS = 3
MARGIN_M = 0.02
COLORS = {"cube": style.BLUE, "gripper": style.ORANGE, "moving_jaw_so101_v1": style.ORANGE}  # all other bodies are pale


def draw_side_view(axes: Axes, frames: dict[str, np.ndarray], index: int) -> None:
    """The outlines of one state on the floor, the nearest last, in a window that holds the robot in all states."""
    order = np.argsort(-frames["depth_m"][index])
    colors = [COLORS.get(body, style.PALE) for body in frames["body"][order]]
    outlines = PolyCollection(frames["outline_m"][index][order], facecolors=colors, edgecolors=style.BLACK, linewidths=0.5)
    axes.add_collection(outlines)
    robot = frames["outline_m"][:, frames["body"] != "cube"]  # a flung cube would shrink it to a dot
    left, _ = robot.min(axis=(0, 1, 2)) - MARGIN_M
    right, top = robot.max(axis=(0, 1, 2)) + MARGIN_M
    axes.axhspan(-MARGIN_M, 0, color=style.GREY, lw=0)
    axes.set(xlim=(left, right), ylim=(-MARGIN_M, top), aspect="equal")


def draw_panel(axes: Axes, frames: dict[str, np.ndarray], index: int) -> None:
    """One state: its picture, and below it the name and the time."""
    if len(frames["pictures"]):
        axes.imshow(frames["pictures"][index], interpolation="lanczos")
    else:
        draw_side_view(axes, frames, index)
    axes.set(xticks=[], yticks=[], xlabel=f"{frames['state'][index]}, {frames['time_s'][index]:.2f} s")
    axes.spines[:].set(visible=True, color=style.PALE)


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--frames", required=True, help="frames of a pick, .npz")
    arguments = parser.parse_args()
    style.theme()
    frames = dict(np.load(files.unaltered(arguments.frames)))
    count = len(frames["state"])
    lines = -(-count // COLUMNS)
    figure, axes = plt.subplots(lines, COLUMNS, figsize=(style.WIDTH_IN, 2.9 * lines), squeeze=False, layout="constrained")
    for index, panel in enumerate(axes.flat[:count]):
        draw_panel(panel, frames, index)
    for panel in axes.flat[count:]:
        panel.set_axis_off()
    rendered = f"rendered by MuJoCo, floor tiles {100 * frames['tile_m']:g} cm"
    how = rendered if len(frames["pictures"]) else "drawn from the recorded poses, as nothing could be rendered"
    end = f"{frames['outcome']}: the cube ends {100 * frames['lift_m']:z.2f} cm above its start"
    cut = f"\n{style.TRUNCATED_LABEL}" if frames["truncated"] else ""
    figure.supxlabel(f"{end}; {how}{cut}", fontsize="small")
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
