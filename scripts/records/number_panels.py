"""What numbers do over a sweep whose runs all end alike, where a picture of outcomes would be of one colour: a panel for each.

A number is drawn where it moves: by more than its own bands, and by more than a thousandth of itself.
"""

from collections.abc import Iterable

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from records import style

LEAST = 1e-3
PANELS = 6  # at most, the first that move
COLORS = (style.BLUE, style.VERMILION, style.GREEN, style.ORANGE, style.PURPLE, style.SKY, style.BLACK, style.GREY)
MARKERS = "osv^DPX*"


def moving(table: pd.DataFrame, names: Iterable[str]) -> list[str]:
    """Which of the named columns are there and move."""
    return [name for name in names if name in table and _moves(table, name)][:PANELS]


def _moves(table: pd.DataFrame, name: str) -> bool:
    values = pd.to_numeric(table[name])
    travel = values.max() - values.min()
    low, high = _ends(table, name)
    return bool(travel > LEAST * values.abs().max() and travel > (high - low).max())


def _ends(table: pd.DataFrame, name: str) -> tuple[pd.Series, pd.Series]:
    """The ends of a number's band; the number itself where it has none."""
    values = pd.to_numeric(table[name])
    low, high = (pd.to_numeric(table.get(f"{name}_{end}", values)).fillna(values) for end in ("low", "high"))
    return low, high


def labelled(name: str) -> str:
    """A column's name as words, "hold_force_fixed_N" as "hold force fixed (N)"."""
    units = ("_m_per_s", "_mm_per_s", "_rad_per_s", "_m", "_J", "_cm", "_mm", "_deg", "_rad", "_kg", "_N", "_s")
    unit = next((unit for unit in units if name.endswith(unit)), "")
    words = name.removesuffix(unit).replace("_", " ")
    return f"{words} ({unit[1:].replace('_per_', '/')})" if unit else words


def figure_of(table: pd.DataFrame, axes: list[str], names: list[str], title: str) -> Figure:
    """A panel for each named number over the one of `axes` that takes most values, a line for each value of the others."""
    across = max(axes, key=lambda axis: table[axis].nunique())
    others = [axis for axis in axes if axis != across and table[axis].nunique() > 1]
    columns = min(2, len(names))
    lines = -(-len(names) // columns)
    size = (style.WIDTH_IN, 2.6 * lines + 0.9)
    figure, panels = plt.subplots(lines, columns, figsize=size, squeeze=False, layout="constrained")
    for panel, name in zip(panels.flat, names, strict=False):
        _draw(panel, table, across, others, name)
    for panel in panels.flat[len(names) :]:
        panel.set_axis_off()
    handles, labels = panels[0, 0].get_legend_handles_labels()
    if any(labels):
        figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize="small")
    figure.suptitle(title, fontsize="medium")
    return figure


def _draw(panel: Axes, table: pd.DataFrame, across: str, others: list[str], name: str) -> None:
    """One number: its values as lines, its bands as bars."""
    numeric = pd.api.types.is_numeric_dtype(table[across])
    values = sorted(table[across].unique()) if numeric else list(dict.fromkeys(table[across]))
    low, high = _ends(table, name)
    groups = table.groupby(others, sort=False) if others else [((), table)]
    for index, (key, rows) in enumerate(groups):
        rows = rows.sort_values(across) if numeric else rows
        x, look = rows[across].map(values.index), {"color": COLORS[index % 8], "marker": MARKERS[index % 8], "ms": 4, "lw": 1}
        label = ", ".join(f"{axis} {value}" for axis, value in zip(others, key, strict=True))
        panel.plot(x, pd.to_numeric(rows[name]), label=label, **look)
        panel.vlines(x, low[rows.index], high[rows.index], color=look["color"], lw=2, alpha=0.5)
        if "truncated" in rows:
            style.mark_truncated(panel, x, pd.to_numeric(rows[name]), rows["truncated"])
    ticks = [f"{value:g}" if numeric else str(value) for value in values]
    panel.set_xticks(range(len(values)), ticks, fontsize="small", rotation=90 if max(map(len, ticks)) > 4 else 0)
    panel.set(xlabel=style.AXES.get(across, across), ylabel=labelled(name))
