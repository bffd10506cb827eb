"""Write the MJCF of a fall: a ball on a vertical slide joint."""

import argparse

from contactlab.mjcf import document, element
from records import files, script, settings


def fall_mjcf(*, height_m: float) -> str:
    """The scene as MJCF; the ball's centre starts at `height_m`."""
    ball = element(
        "body",
        element("joint", name="ball", type="slide", axis=[0, 0, 1]),
        element("geom", type="sphere", size=[0.01], mass=0.1),
        pos=[0, 0, height_m],
    )
    return document(element("mujoco", element("worldbody", ball), model="fall"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True, help="the MJCF file to write")
    parser.add_argument("settings", nargs="+", help="axis=value, every axis of the scene")
    arguments = parser.parse_args()
    files.write_text(arguments.out, fall_mjcf(**settings.from_words(arguments.settings)))


if __name__ == "__main__":
    script.run(main)
