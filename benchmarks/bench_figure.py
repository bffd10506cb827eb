"""Draw results/bench.csv: a bar for each way of running the same picks and drops."""

import matplotlib.pyplot as plt
import pandas as pd

from records import script, style

COLORS = {"contactlab": style.GREEN, "multiprocessing pool": style.ORANGE, "bare mj_step": style.BLACK}


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--table", required=True, help="results/bench.csv")
    arguments = parser.parse_args()
    style.theme()
    table = pd.read_csv(arguments.table).iloc[::-1]
    figure, axes = plt.subplots(figsize=(style.WIDTH_IN, 4.2), layout="constrained")
    bars = axes.barh(table["run"], table["wall_time_s"], color=[COLORS.get(run, style.SKY) for run in table["run"]])
    axes.bar_label(bars, [f" {seconds:.1f} s" for seconds in table["wall_time_s"]], fontsize="small")
    limit = table.set_index("run")["wall_time_s"]["bare mj_step"]
    axes.axvline(limit, color=style.BLACK, lw=0.8, ls="--")
    axes.set(
        xscale="log", xlabel="seconds on two cores (dashed: bare mj_step)", xlim=(limit / 8, 3 * table["wall_time_s"].max())
    )
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
