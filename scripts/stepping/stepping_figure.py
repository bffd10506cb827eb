"""Draw the energy of each stepper over time and its growth per step against h omega."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from records import files, script, style

NAMES = {"explicit_euler": "explicit Euler", "semi_implicit_euler": "semi-implicit Euler", "rk4": "RK4"}
TWINS = {"Euler": "semi_implicit_euler", "RK4": "rk4"}


def draw_energy(axes: Axes, run: dict) -> None:
    """Energy relative to the start against the step; MuJoCo's integrators as dashes over our steppers."""
    for name, history in run["energy_history"].items():
        if name in NAMES:
            axes.plot(history, color=style.STEPPERS[name], lw=1.6, label=NAMES[name])
        else:
            axes.plot(history, color=style.BLACK, lw=0.9, ls=(0, (1, 4)), label=None)
    axes.set(yscale="log", xlabel="step", ylabel="energy / energy at the start")
    axes.set_title(f"energy of the spring at dt {run['settings']['timestep_ms']:g} ms")


def draw_growth(axes: Axes, run: dict) -> None:
    """Growth per step against h omega: curves of our steppers, points of MuJoCo's integrators."""
    curve, points = pd.DataFrame(run["growth_curve"]), pd.DataFrame(run["growth"])
    for name, label in NAMES.items():
        rows = curve[curve["stepper"] == name]
        axes.plot(rows["h_omega"], rows["growth_per_step"], color=style.STEPPERS[name], lw=1.6, label=label)
    for integrator, stepper in TWINS.items():
        rows = points[points["integrator"] == integrator]
        look = {"color": style.STEPPERS[stepper], "edgecolor": "black", "zorder": 3, "s": 36}
        axes.scatter(rows["h_omega"], rows["growth_per_step"], label=f"MuJoCo {integrator}", **look)
    axes.axhline(1, color=style.GREY, lw=0.8)
    axes.axvline(2, color=style.GREY, lw=0.8, ls="--")
    axes.annotate("semi-implicit Euler's\nlimit, $h\\omega = 2$", (2, 3.2), (1.93, 3.2), ha="right", fontsize="small")
    axes.set(xlabel=r"$h\omega$", ylabel="growth per step, largest |eigenvalue|", ylim=(0.4, 6.6))
    axes.set_title("above 1 every step amplifies the motion")
    axes.legend(frameon=False, fontsize="small", loc="upper left")


def main() -> None:
    parser = style.parser(__doc__)
    parser.add_argument("--run", required=True, help="the record of the run, JSON")
    arguments = parser.parse_args()
    style.theme()
    run = files.read_json(arguments.run)
    figure, (left, right) = plt.subplots(1, 2, figsize=(style.WIDTH_IN, 3.4), layout="constrained")
    draw_energy(left, run)
    draw_growth(right, run)
    left.plot([], [], color=style.BLACK, lw=0.9, ls=(0, (1, 4)), label="MuJoCo Euler, RK4")
    left.legend(frameon=False, fontsize="small")
    style.save(figure, arguments)


if __name__ == "__main__":
    script.run(main)
