"""Draw a sweep of falls: the distance fallen against the timestep."""

import matplotlib.pyplot as plt

from records import script, style, tables


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--table", required=True, help="results/fall_NAME.csv")
    arguments = parser.parse_args()
    style.theme()
    table = tables.read(arguments.table)
    figure, axes = plt.subplots(figsize=(style.WIDTH_IN, 3), layout="constrained")
    groups = table.groupby("integrator") if "integrator" in table else [("Euler", table)]
    for integrator, rows in groups:
        axes.plot(rows["dt_ms"], rows["fallen_m"], "o-", label=integrator)
    axes.set(xlabel="timestep dt (ms)", ylabel="distance fallen (m)")
    axes.legend(frameon=False)
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
