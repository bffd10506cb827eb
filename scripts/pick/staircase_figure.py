"""Draw how far placements move a mean squeeze, against how far the starts are moved."""

import matplotlib.pyplot as plt

from records import script, style, tables


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--table", required=True, help="results/staircase.csv")
    arguments = parser.parse_args()
    style.theme()
    figure, axes = plt.subplots(figsize=(style.WIDTH_IN, 3.4), layout="constrained")
    groups = tables.read(arguments.table).groupby(["mu", "mass_kg", "cap_Nm"])
    for ((mu, mass_kg, cap_Nm), rows), color in zip(groups, (style.BLUE, style.VERMILION, style.GREEN), strict=False):
        rows = rows.sort_values("perturbation_size_m")
        moved_m, squeeze_N = rows["perturbation_size_m"], rows["squeeze_N"]
        axes.fill_between(
            moved_m, rows["squeeze_N_low"] - squeeze_N, rows["squeeze_N_high"] - squeeze_N, color=color, alpha=0.25
        )
        label = f"mu {mu:g}, {mass_kg:g} kg, {cap_Nm:g} N m: {squeeze_N.iloc[0]:.2f} N"
        for end in ("low", "high"):
            axes.plot(
                moved_m, rows[f"squeeze_N_{end}"] - squeeze_N, color=color, marker="o", label=label if end == "low" else None
            )
    axes.set(xscale="log", xlabel="distance of the moved starts (m)", ylabel="mean squeeze less the unmoved one (N)")
    axes.legend(frameon=False)
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
