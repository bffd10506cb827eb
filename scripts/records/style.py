"""One look for every figure: theme, colours that the colour-blind can tell apart, and how a figure is saved."""

import argparse

import matplotlib
import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from contactlab.limit import TIMED_OUT
from records import files
from records.headline import WITHIN_PLACEMENT

# Okabe and Ito's palette (jfly.uni-koeln.de/color).
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILION, PURPLE, YELLOW = "#0072B2", "#D55E00", "#CC79A7", "#F0E442"
DARK, GREY, PALE, WHITE = "#595959", "#8C8C8C", "#DDDDDD", "#FFFFFF"

WIDTH_IN = 8.0  # of every figure, so that letters have one size; a page shows it about 800 pixels wide

# The same failure has the same colour, marker and words in every figure.
FAILURES = {
    "none": {"color": GREEN, "marker": "o", "label": "kept"},
    "too soft": {"color": ORANGE, "marker": "v", "label": "too soft: caught from above, sank through"},
    "wrong side": {"color": VERMILION, "marker": "s", "label": "wrong side: pushed out downward"},
    "missed contact": {"color": BLUE, "marker": "X", "label": "missed contact: never found"},
    "pushed aside": {"color": SKY, "marker": "P", "label": "pushed aside: pushed out sideways at the edge"},
    "off the table": {"color": PURPLE, "marker": "D", "label": "off the table: left it over the edge"},
    "in the air": {"color": YELLOW, "marker": "^", "label": "in the air: thrown up, or not yet down"},
    "diverged": {"color": BLACK, "marker": "*", "label": "diverged: the engine met a bad state"},
    TIMED_OUT: {"color": DARK, "marker": "h", "label": "timed out: not known"},
}
OUTCOMES = {"held": GREEN, "dropped": VERMILION, "not closed": ORANGE}  # of a pick
ENDINGS = OUTCOMES | {"jaws inside": PURPLE, "diverged": BLACK, TIMED_OUT: DARK}  # drawn only where there are any
# GREY is confused with it by those who see no green.
VERDICTS = {
    "exact": GREEN, "within": SKY, WITHIN_PLACEMENT: PURPLE, "differs": VERMILION, "timing": DARK, "unmeasured": PALE
}  # fmt: skip
AGREEMENT = {  # the verdicts of `records.verdicts`
    "same bits": BLUE,
    "same digits": SKY,
    "within band": YELLOW,
    "moved": ORANGE,
    "changed": VERMILION,
    TIMED_OUT: DARK,
    "failed": BLACK,
    "cannot run": WHITE,
    "not there": GREY,
    "not here": PALE,
}
AXES = {"dt_ms": "timestep dt (ms)", "mu": "friction mu", "cap_Nm": "torque cap (N m)", "mass_kg": "mass (kg)"}
STEPPERS = {"explicit_euler": VERMILION, "semi_implicit_euler": BLUE, "rk4": GREEN}


def scatter_failures(axes, x, y, modes) -> None:
    """One marker for each drop at `x` and `y`, series of one index, in the look of its failure mode."""
    for mode in [mode for mode in FAILURES if (modes == mode).any()]:
        chosen = modes == mode
        axes.scatter(x[chosen], y[chosen], s=55, zorder=3, edgecolor="white", lw=0.6, **FAILURES[mode])


TRUNCATED = {"marker": "x", "color": BLACK, "linewidths": 0.9, "s": 13, "zorder": 5}
TRUNCATED_LABEL = "solver stopped at a limit of its own"


def mark_truncated(axes, x, y, truncated) -> None:
    """A cross over each run, at `x` and `y`, in which the solver did; all are series of one index.

    A row that stands for several runs says in how many of them.
    """
    chosen = truncated.fillna(0).astype(float) > 0  # a run that timed out says nothing
    if chosen.any():
        axes.scatter(x[chosen], y[chosen], label=TRUNCATED_LABEL, **TRUNCATED)


def legend_of(panels) -> dict[str, object]:
    """The handle of each label that stands in any of the panels, the cross of a truncated run last."""
    found = {label: handle for panel in panels for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)}
    return dict(sorted(found.items(), key=lambda entry: entry[0] == TRUNCATED_LABEL))


def swept_axis(rows) -> tuple[str, str]:
    """The axis of picks that takes most values in these rows, and its name on a figure."""
    axis = max(("mu", "cap_Nm", "mass_kg"), key=lambda axis: rows[axis].nunique())
    return axis, AXES[axis]


FLUNG = "number above a bar: cubes flung"
FOOT = 0.04  # where the cross of truncated picks stands in a bar, in heights of the highest


def stacked_outcomes(axes, rows, labels: list[str]) -> None:
    """Bars of a pick summary's counts stacked by outcome, the number of flung cubes written above each that has any, and a
    cross at its foot where the solver stopped at a limit of its own in any of its picks.
    """
    bottom = 0 * rows["n"].to_numpy()
    for outcome, color in ENDINGS.items():
        count = rows.get(outcome.replace(" ", "_"), 0 * rows["n"]).to_numpy()
        if outcome not in OUTCOMES and not count.any():
            continue
        axes.bar(labels, count, bottom=bottom, color=color, width=0.8, label=outcome)
        bottom = bottom + count
    if "truncated" in rows:
        places, foot = pd.Series(labels, rows.index), pd.Series(FOOT * max(bottom), rows.index)
        mark_truncated(axes, places, foot, rows["truncated"])
    for label, flung, top in zip(labels, rows["flung"], bottom, strict=True):
        if flung > 0:
            place = {"xytext": (0, 1), "textcoords": "offset points", "ha": "center", "va": "bottom", "fontsize": "small"}
            axes.annotate(f"{flung:.0f}", (label, top), **place)
    axes.set_ylim(0, max(1.3 * max(bottom), axes.get_ylim()[1]))  # panels may share it
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))


def theme() -> None:
    """Set the theme of all figures, and draw them without a display."""
    matplotlib.use("Agg")
    sns.set_theme(context="paper", style="ticks", font="DejaVu Sans")
    plt.rcParams.update({"svg.hashsalt": "contactlab", "figure.dpi": 200, "savefig.dpi": 200, "axes.titlesize": "medium"})


def parser(description: str) -> argparse.ArgumentParser:
    """The command line of a figure's script, to which it adds what the figure is made from; `save` takes what was parsed."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--png", required=True, help="the figure to write")
    parser.add_argument("--svg", required=True, help="the same as a drawing")
    return parser


def save(figure: Figure, arguments: argparse.Namespace) -> None:
    """Write a figure where the command line says. The same figure gives the same bytes: no date stands in either."""
    for path, kind in ((arguments.png, "png"), (arguments.svg, "svg")):
        with files.replacing(path) as part:
            figure.savefig(part, format=kind, bbox_inches="tight", metadata={"Date": None} if kind == "svg" else None)
    plt.close(figure)
