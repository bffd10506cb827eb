"""Compare the steppers with MuJoCo's integrators on a spring and on the first overlap of a drop; all rows in one file."""

import argparse

import mujoco

from contactlab import stepping
from records import files, script, settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spring", required=True, help="MJCF of the spring")
    parser.add_argument("--scene", required=True, help="MJCF of the drop scene")
    parser.add_argument("--out", required=True, help="the record to write, JSON")
    parser.add_argument("settings", nargs="+", help="axis=value, every setting of the experiment")
    arguments = parser.parse_args()
    cell = settings.from_words(arguments.settings)
    spring, scene = (mujoco.MjModel.from_xml_path(files.unaltered(path)) for path in (arguments.spring, arguments.scene))
    record = {"settings": cell, "mujoco": mujoco.__version__} | stepping.experiment(spring, scene, cell)
    files.write_json(arguments.out, record)


if __name__ == "__main__":
    script.run(main)
