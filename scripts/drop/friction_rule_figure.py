"""Draw the friction and the time constant that a contact has against the table's, a line for each priority of the cube."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from records import script, style, tables

LOOKS = [(style.VERMILION, "v"), (style.BLUE, "o"), (style.GREEN, "^")]
PANELS = {"friction": "sliding friction", "solref": "time constant (s)"}


def draw(axes: Axes, table: pd.DataFrame, name: str, quantity: str) -> None:
    """What the contact has against what the table asks for, and what the average of cube and table would be."""
    columns = (name, f"table_{name}", f"effective_{name}")
    numbers = pd.DataFrame({column: table[column].str.split().str[0].astype(float) for column in columns})
    asked, had = numbers[columns[1]], numbers[columns[2]]
    numbers = numbers.assign(priority=table["priority"], rule=table[f"{name}_rule"]).drop_duplicates()
    own = numbers[name].iloc[0]
    ends = pd.Series([0, 1.1 * numbers[f"table_{name}"].max()])
    axes.plot(ends, (ends + own) / 2, color=style.GREY, ls=":", label="the average")
    for (priority, rows), (color, marker) in zip(numbers.groupby("priority"), LOOKS, strict=True):
        label = f"{priority:g}: {rows['rule'].iloc[0]}"
        axes.plot(rows[columns[1]], rows[columns[2]], color=color, marker=marker, ms=7, lw=1, label=label)
    style.mark_truncated(axes, asked, had, table["truncated"])
    axes.set(xlabel=f"{quantity} of the table", ylabel=f"{quantity} of the contact", xlim=ends, ylim=(0, 1.35 * ends[1]))
    axes.legend(title="priority of the cube", frameon=False, loc="upper left", fontsize="small", title_fontsize="small")


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--table", required=True, help="results/friction_rule.csv")
    arguments = parser.parse_args()
    style.theme()
    table = tables.read(arguments.table)
    figure, panels = plt.subplots(1, len(PANELS), figsize=(style.WIDTH_IN, 3.8), layout="constrained")
    for axes, (name, quantity) in zip(panels, PANELS.items(), strict=True):
        draw(axes, table, name, quantity)
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
