"""Compare the steppers with MuJoCo's integrators on a spring and on the first overlap of a drop; all rows in one file."""

import argparse

import mujoco
import numpy as np

from contactlab import files, script, settings, stepping


def experiment(spring: mujoco.MjModel, scene: mujoco.MjModel, cell: dict) -> dict:
    """The tables' rows and the figure's curves, by name."""
    bench = {"timestep_ms": cell["timestep_ms"], "amplitude_m": cell["amplitude_m"]}
    omega = stepping.omega_of(spring)
    histories = stepping.energy_histories(spring, steps=cell["energy_steps"], **bench)
    curve = np.linspace(0, cell["curve_h_omega"], cell["curve_points"])[1:].tolist()
    return {
        "steppers": stepping.stepper_rows(spring, steps=cell["steps"], **bench),
        "energy": stepping.energy_rows(histories, omega * cell["timestep_ms"] / 1000),
        "growth": stepping.growth_rows(spring, cell["h_omega"], cell["growth_steps"], cell["amplitude_m"]),
        "overlap": stepping.first_overlap_rows(scene, cell["dt_ms"], cell["duration_s"]),
        "split": stepping.split_rows(spring, steps=cell["steps"], tolerance_m=cell["match_tolerance_m"], **bench),
        "energy_history": {name: history.tolist() for name, history in histories.items()},
        "growth_curve": stepping.growth_rows(spring, curve, cell["growth_steps"], cell["amplitude_m"]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spring", required=True, help="MJCF of the spring")
    parser.add_argument("--scene", required=True, help="MJCF of the drop scene")
    parser.add_argument("--out", required=True, help="the record to write, JSON")
    parser.add_argument("settings", nargs="+", help="axis=value, every setting of the experiment")
    arguments = parser.parse_args()
    cell = settings.from_words(arguments.settings)
    spring, scene = (mujoco.MjModel.from_xml_path(files.unaltered(path)) for path in (arguments.spring, arguments.scene))
    record = {"settings": cell, "mujoco": mujoco.__version__} | experiment(spring, scene, cell)
    files.write_json(arguments.out, record)


if __name__ == "__main__":
    script.run(main)
