"""Draw the storyboard of an audit: the reference above, a variation below it, around the moment where they part."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from records import audit_tables, files, script, style


def sentence(audit: dict, frames: dict[str, np.ndarray]) -> str:
    """When the two part, in which body, and how far apart that is then."""
    body, apart = frames["body"], f"{1000 * float(frames['apart_m']):.3g} mm"
    if np.isnan(frames["parted_s"]):
        return f"{audit['name']}: no body stands visibly elsewhere; the body {body} is at most {apart} away"
    return f"{audit['name']}: from {float(frames['parted_s']):.3g} s on the body {body} stands elsewhere, {apart} away then"


def figure_of(audit: dict, frames: dict[str, np.ndarray]) -> Figure:
    """A line of pictures for each of the two, one column for each moment; the first at which they are apart is framed."""
    pictures, times_s = frames["pictures"], frames["times_s"]
    height = 2 * style.WIDTH_IN / len(times_s) * pictures.shape[2] / pictures.shape[3] + 0.7
    figure, panels = plt.subplots(2, len(times_s), figsize=(style.WIDTH_IN, height), squeeze=False, layout="constrained")
    parted = next((place for place, time_s in enumerate(times_s) if time_s >= frames["parted_s"]), None)
    for line, name, shown in zip(panels, ("reference", audit["storyboard"]["variation"]), pictures, strict=True):
        for place, (axes, picture) in enumerate(zip(line, shown, strict=True)):
            axes.imshow(picture, interpolation="lanczos")
            axes.set(xticks=[], yticks=[])
            axes.spines[:].set(visible=True, color=style.VERMILION if place == parted else style.PALE)
        line[0].set_ylabel(name.replace("=", "\n", 1), fontsize="small")
    for axes, time_s in zip(panels[1], times_s, strict=True):
        axes.set_xlabel(f"{time_s:.3g} s", fontsize="small")
    figure.suptitle(sentence(audit, frames), fontsize="medium")
    return figure


def main() -> None:
    parser = style.parser(__doc__)
    audit_tables.add_audit(parser)
    parser.add_argument("--frames", required=True, help="frames of two runs, .npz")
    arguments = parser.parse_args()
    style.theme()
    style.save(figure_of(arguments.audit, dict(np.load(files.unaltered(arguments.frames)))), arguments)


if __name__ == "__main__":
    script.run(main)
