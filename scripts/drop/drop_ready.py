"""Load a drop scene of the user's own before any drop is run in it: that it compiles and is one is checked here."""

import argparse

import mujoco

from contactlab import drop
from records import files, script, settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="the scene, MJCF")
    parser.add_argument("--out", required=True, help="the record to write, JSON")
    parser.add_argument("settings", nargs="+", help="the scene and its digest as axis=value, and how far its geoms may overlap")
    arguments = parser.parse_args()
    scene = settings.from_words(arguments.settings)
    dimensions = drop.dimensions(drop.load(arguments.model, scene["allowed_overlap_m"]))
    record = {"settings": scene, "mujoco": mujoco.__version__, "dimensions": dimensions}
    files.write_json(arguments.out, record)


if __name__ == "__main__":
    script.run(main)
