"""Write the MJCF of a 1 kg mass on a spring without damping or gravity (lesson 02, step 1)."""

import argparse

from contactlab.spring_scene import spring_mjcf
from records import files, script, settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True, help="the MJCF file to write")
    parser.add_argument("settings", nargs="+", help="frequency_Hz=1")
    arguments = parser.parse_args()
    files.write_text(arguments.out, spring_mjcf(**settings.from_words(arguments.settings)))


if __name__ == "__main__":
    script.run(main)
