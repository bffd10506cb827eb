"""Write the MJCF of a drop scene: a floor, a thin table and a cube above it (lesson 02, experiment)."""

import argparse

from contactlab import files, script, settings
from contactlab.mjcf import document, element

FLOOR = {"type": "plane", "size": [2, 2, 0.1]}


def drop_mjcf(
    *,
    table_width_m: float,
    table_thickness_m: float,
    table_top_m: float,
    cube_size_m: float,
    cube_mass_kg: float,
    drop_height_m: float,
    solref: list[float],
    solimp: list[float],
    friction: list[float],
    condim: int,
    cone: str,
    speculative: bool,
) -> str:
    """The scene as MJCF. Table and cube share the contact parameters; the floor keeps MuJoCo's defaults.

    `drop_height_m` is the clearance between the table's top and the underside of the cube at the start. `speculative` raises
    MuJoCo's option flag of that name; where it is down nothing names it, as an engine before 4.0 would not read the scene.
    """
    flags = [element("flag", speculative="enable")] if speculative else []
    contact = {"solref": solref, "solimp": solimp, "friction": friction, "condim": condim}
    half_width, half_table, half_cube = table_width_m / 2, table_thickness_m / 2, cube_size_m / 2
    table = {"type": "box", "size": [half_width, half_width, half_table], "pos": [0, 0, table_top_m - half_table]}
    cube = {"type": "box", "size": [half_cube] * 3, "mass": cube_mass_kg}
    return document(
        element(
            "mujoco",
            element("option", *flags, cone=cone),
            element(
                "worldbody",
                element("geom", name="floor", **FLOOR),
                element("geom", name="table", **table, **contact),
                element(
                    "body",
                    element("freejoint", name="cube"),
                    element("geom", name="cube", **cube, **contact),
                    name="cube",
                    pos=[0, 0, table_top_m + half_cube + drop_height_m],
                ),
            ),
            model="drop",
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True, help="the MJCF file to write")
    parser.add_argument("settings", nargs="+", help="axis=value, every axis of the scene")
    arguments = parser.parse_args()
    files.write_text(arguments.out, drop_mjcf(**settings.from_words(arguments.settings)))


if __name__ == "__main__":
    script.run(main)
