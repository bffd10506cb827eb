"""Draw the map of a sweep of drop heights, the timesteps whose outcome hangs on the height shaded."""

import drop_map
import pandas as pd
from matplotlib.axes import Axes

from records import script, style


def mark(axes: Axes, table: pd.DataFrame) -> None:
    """Shade the knife-edges, note the smallest move that flips each, and draw a line at the middle height."""
    steps = sorted(table["dt_ms"].unique())
    for dt_ms, flips_mm in table.dropna(subset="flips_from_mm").groupby("dt_ms")["flips_from_mm"].first().items():
        x = steps.index(dt_ms)
        axes.axvspan(x - 0.5, x + 0.5, color=style.YELLOW, alpha=0.35, lw=0)
        top = (x, axes.get_ylim()[1])
        axes.annotate(f"{flips_mm:+g}", top, (0, 3), textcoords="offset points", ha="center", fontsize="small")
    heights = sorted(table["drop_height_m"].unique())
    axes.axhline(len(heights) // 2, color=style.BLACK, lw=1, ls="--", zorder=1)
    axes.set_ylabel("drop height (m)")
    axes.set_title(
        "shaded: the outcome hangs on the height; above, the smallest move in mm that changes it", fontsize="small", pad=16
    )


if __name__ == "__main__":
    script.run(lambda: drop_map.main(mark))
