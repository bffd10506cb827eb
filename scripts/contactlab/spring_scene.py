"""A mass of 1 kg on a spring without damping or gravity, as MJCF (lesson 02, step 1)."""

import math

from contactlab.mjcf import document, element


def spring_mjcf(frequency_Hz: float) -> str:
    """A mass of 1 kg on a slide joint whose stiffness in N/m is omega^2, so that a = -omega^2 x."""
    stiffness = (2 * math.pi * frequency_Hz) ** 2
    return document(
        element(
            "mujoco",
            element("option", gravity=[0, 0, 0]),
            element(
                "worldbody",
                element(
                    "body",
                    element("joint", name="slide", type="slide", axis=[1, 0, 0], stiffness=stiffness),
                    element("geom", name="mass", type="sphere", size=[0.05], mass=1),
                    name="mass",
                ),
            ),
            model="spring",
        )
    )
