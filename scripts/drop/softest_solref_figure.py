"""Draw the softest solref that keeps the cube against the timestep, over the engine's floor of two timesteps."""

import matplotlib.pyplot as plt

from contactlab.limit import TIMED_OUT
from records import script, style, tables

DEFAULT_MS = 20  # MuJoCo's solref


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--table", required=True, help="results/softest_solref.csv")
    arguments = parser.parse_args()
    style.theme()
    table = tables.read(arguments.table)
    found, none = table.dropna(subset="softest_ms"), table[table["softest_ms"].isna()]
    figure, axes = plt.subplots(figsize=(style.WIDTH_IN, 4), layout="constrained")
    positions = dict(zip(table["dt_ms"], range(len(table)), strict=True))
    at = found["dt_ms"].map(positions)
    axes.vlines(at, found["floor_ms"], found["softest_ms"], color=style.GREEN, alpha=0.35, lw=9, label="keeps the cube")
    axes.plot(at, found["softest_ms"], "o", color=style.GREEN, label="softest that keeps it")
    for x, value in zip(at, found["softest_ms"], strict=True):
        axes.annotate(f"{value:.1f}", (x, value), (0, 8), textcoords="offset points", ha="center", fontsize="small")
    axes.plot(table["dt_ms"].map(positions), table["floor_ms"], "_", color=style.BLACK, ms=14, label="floor: two timesteps")
    axes.axhline(DEFAULT_MS, color=style.GREY, ls="--", lw=1, zorder=0)
    axes.text(len(table) - 0.45, DEFAULT_MS, "MuJoCo's default", ha="right", va="top", fontsize="small", color=style.GREY)
    for mode, rows in none.groupby("stiffest_failure_mode"):
        look = style.FAILURES[mode]
        x = rows["dt_ms"].map(positions)
        label = look["label"] if mode == TIMED_OUT else f"none does, {look['label']}"
        axes.scatter(x, [DEFAULT_MS] * len(x), s=70, zorder=3, **look | {"label": label})
    shown = table["softest_ms"].fillna(DEFAULT_MS)
    style.mark_truncated(axes, table["dt_ms"].map(positions), shown, table["truncated"])
    axes.set_xticks(range(len(table)), [f"{step:g}" for step in table["dt_ms"]])
    axes.set(xlabel="timestep dt (ms)", ylabel="time constant of solref (ms)")
    axes.set(yscale="log", ylim=(0.8, 80), xlim=(-0.6, len(table) - 0.4))
    axes.set_yticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
    axes.minorticks_off()
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
