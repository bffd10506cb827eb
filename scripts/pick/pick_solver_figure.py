"""Draw the outcomes of the picks with the stock solver above those with the converged one: what is truncation?"""

import matplotlib.pyplot as plt

from records import script, style, tables


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--solver", required=True, help="results/grasp_solver.csv")
    arguments = parser.parse_args()
    style.theme()
    table = tables.read(arguments.solver)
    solvers = list(table.groupby(["iterations", "ls_iterations"], sort=False))
    sweeps = list(table["sweep"].unique())
    figure, panels = plt.subplots(
        len(solvers),
        len(sweeps),
        figsize=(style.WIDTH_IN, 2.5 * len(solvers)),
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for line, ((iterations, ls_iterations), rows) in zip(panels, solvers, strict=True):
        for panel, sweep in zip(line, sweeps, strict=True):
            axis, name = style.swept_axis(rows[rows["sweep"] == sweep])
            chosen = rows[rows["sweep"] == sweep].sort_values(axis)
            style.stacked_outcomes(panel, chosen, [f"{value:g}" for value in chosen[axis]])
            panel.set_xlabel(name)
            panel.tick_params(axis="x", labelsize="small", rotation=45)
        flung = rows["flung"].sum()
        line[0].set_ylabel("picks")
        line[0].set_title(f"{iterations} iterations, {ls_iterations} of line search: {flung} flung", loc="left")
    handles = style.legend_of(panels.flat)
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=3, frameon=False, title=style.FLUNG)
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
