"""Write the MJCF of a drop scene: a floor, a thin table and a cube above it (lesson 02, experiment)."""

import argparse

from contactlab.drop_scene import drop_mjcf
from records import files, script, settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True, help="the MJCF file to write")
    parser.add_argument("settings", nargs="+", help="axis=value, every axis of the scene")
    arguments = parser.parse_args()
    files.write_text(arguments.out, drop_mjcf(**settings.from_words(arguments.settings)))


if __name__ == "__main__":
    script.run(main)
