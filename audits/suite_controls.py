"""Write the recordings of controls of the audits in presets/suite.yaml: smooth, drawn with a seed, the same for each task.

    python audits/suite_controls.py SCENE.xml audits/suite/TASK.csv

The scenes are MJCF of dm_control's wheel, whose actuators all take controls from -1 to 1.
"""

import csv
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

SEED, DURATION_S, SAMPLE_S = 0, 4.0, 0.02
WAVES, SLOWEST_HZ, FASTEST_HZ = 3, 0.5, 2.5  # that are added up, and their frequencies


def controls(actuators: int) -> tuple[np.ndarray, np.ndarray]:
    """Times in s (n,) and controls (n, actuators) from -1 to 1: half the sum of sine waves of random frequency and phase."""
    rng = np.random.default_rng(SEED)
    times_s = np.arange(round(DURATION_S / SAMPLE_S)) * SAMPLE_S
    frequency_hz = rng.uniform(SLOWEST_HZ, FASTEST_HZ, (WAVES, 1, actuators))
    phase_rad = rng.uniform(0, 2 * np.pi, (WAVES, 1, actuators))
    waves = np.sin(2 * np.pi * frequency_hz * times_s[:, None] + phase_rad)
    return times_s, np.clip(waves.sum(axis=0) / 2, -1, 1)


def actuators(scene: Path) -> list[str]:
    """Their names, in the order of the scene."""
    return [actuator.get("name") for actuator in ElementTree.parse(scene).getroot().iterfind("actuator/*")]


def write(names: list[str], out: Path) -> None:
    """A column for each actuator, with two digits behind the point."""
    times_s, values = controls(len(names))
    with out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["time_s", *names])
        writer.writerows(
            [f"{now_s:.2f}", *(f"{value:.2f}" for value in row)] for now_s, row in zip(times_s, values, strict=True)
        )


if __name__ == "__main__":
    write(actuators(Path(sys.argv[1])), Path(sys.argv[2]))
