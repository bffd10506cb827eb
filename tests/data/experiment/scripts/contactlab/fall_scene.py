"""The scene of a fall as MJCF: a ball on a vertical slide joint."""

from contactlab.mjcf import document, element


def fall_mjcf(*, height_m: float) -> str:
    """The scene; the ball's centre starts at `height_m`."""
    ball = element(
        "body",
        element("joint", name="ball", type="slide", axis=[0, 0, 1]),
        element("geom", type="sphere", size=[0.01], mass=0.1),
        pos=[0, 0, height_m],
    )
    return document(element("mujoco", element("worldbody", ball), model="fall"))
