"""Draw the picks' outcomes as published, on two architectures, and with the solver converged, one above the other."""

import argparse

import matplotlib.pyplot as plt
import pandas as pd

import style
from contactlab import engines, script


def title(solver: str, architecture: str, engine: str) -> str:
    """What a line of panels is called."""
    if architecture == "published":
        return "published"
    emulated = ", emulated" if engines.split(engine)[1] else ""
    return f"{architecture}{emulated}" + ("\nconverged" if solver == "converged" else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", required=True, help="results/architectures.csv")
    parser.add_argument("--png", required=True)
    parser.add_argument("--svg", required=True)
    arguments = parser.parse_args()
    style.theme()
    table = pd.read_csv(arguments.table, dtype={"engine": str})
    picks = table[table["held"].notna()]
    lines = list(picks.groupby(["solver", "architecture", "engine"], sort=False))
    lines.sort(key=lambda line: line[0][0] == "converged")
    sweeps = picks["sweep"].unique()
    figure, panels = plt.subplots(
        len(lines),
        len(sweeps),
        figsize=(3.2 * len(sweeps), 1.15 * len(lines) + 0.9),
        sharex="col",
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for line, (names, rows) in zip(panels, lines, strict=True):
        line[0].set_ylabel(title(*names), rotation=0, ha="right", va="center")
        for panel, sweep in zip(line, sweeps, strict=True):
            axis, label = style.swept_axis(picks[picks["sweep"] == sweep])
            chosen = rows[rows["sweep"] == sweep].sort_values(axis)
            style.stacked_outcomes(panel, chosen, [f"{value:g}" for value in chosen[axis]])
            panel.tick_params(axis="x", labelsize="x-small")
            if line is panels[-1]:
                panel.set_xlabel(label)
    figure.legend(*panels[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    style.save(figure, arguments.png, arguments.svg)


if __name__ == "__main__":
    script.run(main)
