"""Write the MJCF of a fall: a ball on a vertical slide joint."""

import argparse

from contactlab.fall_scene import fall_mjcf
from records import files, script, settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True, help="the MJCF file to write")
    parser.add_argument("settings", nargs="+", help="axis=value, every axis of the scene")
    arguments = parser.parse_args()
    files.write_text(arguments.out, fall_mjcf(**settings.from_words(arguments.settings)))


if __name__ == "__main__":
    script.run(main)
