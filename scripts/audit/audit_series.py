"""Draw measures of an audit over time: the reference and its variations in one plot, a panel for each measure."""

import itertools
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from records import audit_tables, audits, files, script, settings, style
from records.audits import REFERENCE, Run
from records.number_panels import COLORS, labelled

Series = dict[str, list]  # times_s, and the values of each measure at them

LOOKS = [{"color": color, "ls": line} for line, color in itertools.product("-:", [c for c in COLORS if c != style.BLACK])]
BELOW = {"color": style.BLACK, "lw": 2.6}  # the reference, wider than what lies over it, so that both are seen
PANEL_IN = 2.4


def asked(audit: dict) -> tuple[list[str], list[str]]:
    """The measures to draw, and the variations beside the reference: all of them where the audit names none."""
    series = audit["series"]
    told = series if isinstance(series, dict) else {"measures": series}
    return told["measures"], told.get("variations", [])


def drawn(folder: Path, audit: dict) -> dict[str, Series]:
    """The series of the reference and of the variations that are asked for, at the first place of the grid.

    A run that ended before it had any is left out. Raises ValueError for a variation that the audit does not have, and where
    no run has a series.
    """
    runs = [run for run in audits.runs(audit) if run.place == settings.grid(audit["grid"])[0]]
    names, variations = [run.variation for run in runs], asked(audit)[1]
    for name in variations:
        if name not in names:
            raise ValueError(f"{audit['name']}: series names {name}; allowed: {', '.join(names[1:])}")
    chosen = [run for run in runs if not variations or run.variation in (REFERENCE, *variations)]
    found = {run.variation: _series(run, folder) for run in chosen}
    if not any(found.values()):
        raise ValueError(f"{audit['name']}: no run has a series to draw; results/{audit['name']}.csv says why")
    return {name: series for name, series in found.items() if series}


def _series(run: Run, folder: Path) -> Series:
    return files.read_json(run.path(folder)).get("series", {})


def draw_panel(axes: Axes, measure: str, found: dict[str, Series]) -> None:
    """One measure over time; what never happened leaves a gap."""
    for place, (name, series) in enumerate(found.items()):
        look = BELOW if name == REFERENCE else LOOKS[place % len(LOOKS)] | {"lw": 1.1}
        values = np.array(series[measure], dtype=float)
        lines = axes.plot(series["times_s"], values, **look)
        lines[0].set_label(name)
    axes.set_ylabel(labelled(measure))
    axes.margins(x=0)


def figure_of(audit: dict, found: dict[str, Series]) -> Figure:
    """A panel for each measure, one below the other, over one time."""
    measures, _ = asked(audit)
    lines = -(-len(found) // 3)
    size = (style.WIDTH_IN, PANEL_IN * len(measures) + 0.8 + 0.18 * lines)
    figure, panels = plt.subplots(len(measures), 1, figsize=size, sharex=True, squeeze=False, layout="constrained")
    for axes, measure in zip(panels[:, 0], measures, strict=True):
        draw_panel(axes, measure, found)
    panels[-1, 0].set_xlabel("time (s)")
    place = " ".join(settings.to_words(settings.grid(audit["grid"])[0]))
    figure.suptitle(f"{audit['name']} over time" + (f", at {place}" if place else ""), fontsize="medium")
    figure.legend(
        *panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False, fontsize="small"
    )
    return figure


def main() -> None:
    parser = style.parser(__doc__)
    audit_tables.add_arguments(parser)
    arguments = parser.parse_args()
    style.theme()
    style.save(figure_of(arguments.audit, drawn(arguments.cells, arguments.audit)), arguments)


if __name__ == "__main__":
    script.run(main)
