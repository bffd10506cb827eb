"""Draw the ledger as a mosaic: one square for each claim, grouped by document and section, coloured by verdict.

A dot marks a claim that comes out on the emulated machine alone.
"""

import textwrap

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from records import files, headline, script, style

WIDTH = 42  # squares in a line
DOT = {"s": 9, "color": style.GREEN, "edgecolor": "white", "lw": 0.5}


def place(table: pd.DataFrame) -> pd.DataFrame:
    """Column and line of each claim's square; a section begins on a new line, a document leaves one free for its name."""
    placed, line = [], 0.0
    for _, rows in table.groupby("document", sort=False):
        line += 1.7
        for _, section in rows.groupby("section", sort=False):
            index = pd.RangeIndex(len(section))
            placed.append(section.assign(column=index % WIDTH, line=line + index // WIDTH))
            line = placed[-1]["line"].iloc[-1] + 1.25
    return pd.concat(placed)


def draw(axes: Axes, placed: pd.DataFrame) -> None:
    """The squares, with the names of sections at the left and of documents above."""
    for row in placed.itertuples():
        axes.add_patch(Rectangle((row.column, row.line), 0.86, 0.86, color=style.VERDICTS[row.verdict], lw=0))
    elsewhere = placed[placed["comes_out"] == "emulated"]
    if len(elsewhere):
        axes.scatter(
            elsewhere["column"] + 0.43, elsewhere["line"] + 0.43, label=f"comes out emulated ({len(elsewhere)})", **DOT
        )
    for (_, section), rows in placed.groupby(["document", "section"], sort=False):
        axes.text(-0.5, rows["line"].iloc[0] + 0.45, section, ha="right", va="center", fontsize="small")
    for document, rows in placed.groupby("document", sort=False):
        done = (~rows["verdict"].isin(["unmeasured"])).sum()
        title = f"{document}: {done} of {len(rows)} claims measured"
        axes.text(0, rows["line"].iloc[0] - 0.45, title, weight="bold", va="bottom", fontsize="small")
    axes.set(xlim=(-7, WIDTH + 0.2), ylim=(placed["line"].max() + 1.2, -0.2), aspect="equal")
    axes.set_axis_off()


def legend(counts: pd.Series) -> list[Rectangle]:
    """A square for each verdict that there is, with its number."""
    colours = {verdict: colour for verdict, colour in style.VERDICTS.items() if verdict in counts}
    return [
        Rectangle((0, 0), 1, 1, color=colour, label=f"{verdict} ({counts[verdict]})") for verdict, colour in colours.items()
    ]


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--ledger", required=True, help="results/ledger.csv")
    arguments = parser.parse_args()
    style.theme()
    placed = place(pd.read_csv(files.unaltered(arguments.ledger), keep_default_na=False))
    figure, axes = plt.subplots(
        figsize=(style.WIDTH_IN, style.WIDTH_IN * (placed["line"].max() + 4) / (WIDTH + 7)), layout="constrained"
    )
    draw(axes, placed)
    figure.suptitle(textwrap.fill(headline.sentence(placed["comes_out"]), 90), fontsize="medium")
    handles = legend(placed["verdict"].value_counts()) + axes.get_legend_handles_labels()[0]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
