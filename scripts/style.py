"""One look for every figure: theme, colours that the colour-blind can tell apart, and how a figure is saved."""

import os

import matplotlib
import matplotlib.pyplot as plt
import seaborn as sns
from matplotlib.figure import Figure

from contactlab import files

# Okabe and Ito's palette (jfly.uni-koeln.de/color).
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILION, PURPLE, YELLOW, GREY, PALE = "#0072B2", "#D55E00", "#CC79A7", "#F0E442", "#8C8C8C", "#DDDDDD"

# The same failure has the same colour, marker and words in every figure.
FAILURES = {
    "none": {"color": GREEN, "marker": "o", "label": "kept"},
    "too soft": {"color": ORANGE, "marker": "v", "label": "too soft: caught from above, sank through"},
    "wrong side": {"color": VERMILION, "marker": "s", "label": "wrong side: pushed out downward"},
    "missed contact": {"color": BLUE, "marker": "X", "label": "missed contact: never found"},
    "diverged": {"color": BLACK, "marker": "*", "label": "diverged: the engine met a bad state"},
}
OUTCOMES = {"held": GREEN, "dropped": VERMILION, "not closed": ORANGE}  # of a pick
VERDICTS = {"exact": GREEN, "within": SKY, "differs": VERMILION, "timing": GREY, "unmeasured": PALE}
AGREEMENT = {  # of two machines on a cell, from the same bits to what matters
    "same bits": BLUE,
    "same printed numbers": SKY,
    "within band": YELLOW,
    "other numbers": ORANGE,
    "different outcome": VERMILION,
    "only here": GREY,
    "only there": PALE,
}
STEPPERS = {"explicit_euler": VERMILION, "semi_implicit_euler": BLUE, "rk4": GREEN}


def swept_axis(rows) -> tuple[str, str]:
    """The axis of picks that takes most values in these rows, and its name on a figure."""
    names = {"mu": "friction mu", "cap_Nm": "torque cap (N m)", "mass_kg": "mass (kg)"}
    axis = max(names, key=lambda axis: rows[axis].nunique())
    return axis, names[axis]


def stacked_outcomes(axes, rows, labels: list[str], note: str = "{:.0f} flung") -> None:
    """Bars of a pick summary's counts stacked by outcome, the number of flung cubes noted above each that has any."""
    bottom = 0 * rows["n"].to_numpy()
    for outcome, color in OUTCOMES.items():
        count = rows[outcome.replace(" ", "_")].to_numpy()
        axes.bar(labels, count, bottom=bottom, color=color, width=0.8, label=outcome)
        bottom = bottom + count
    for label, flung, top in zip(labels, rows["flung"], bottom, strict=True):
        if flung > 0:
            axes.annotate(note.format(flung), (label, top), ha="center", va="bottom", fontsize="xx-small")
    axes.set_ylim(0, 1.12 * max(bottom))


def theme() -> None:
    """Set the theme of all figures, and draw them without a display."""
    matplotlib.use("Agg")
    sns.set_theme(context="paper", style="ticks", font="DejaVu Sans", font_scale=1.1)
    plt.rcParams.update({"svg.hashsalt": "contactlab", "figure.dpi": 160, "savefig.dpi": 160, "axes.titlesize": "medium"})


def save(figure: Figure, png: str | os.PathLike, svg: str | os.PathLike) -> None:
    """Write the figure as PNG and SVG. The same figure gives the same bytes: no date stands in either."""
    for path, kind in ((png, "png"), (svg, "svg")):
        with files.replacing(path) as part:
            figure.savefig(part, format=kind, bbox_inches="tight", metadata={"Date": None} if kind == "svg" else None)
    plt.close(figure)
