"""The scene of a drop as MJCF: a floor, a thin table and a cube above it (lesson 02, experiment)."""

from math import cos, sin

from contactlab.mjcf import document, element

SAME = "same"
FLOOR = {"type": "plane", "size": [2, 2, 0.1]}


def drop_mjcf(
    *,
    table_width_m: float,
    table_thickness_m: float,
    table_top_m: float,
    cube_size_m: float,
    cube_mass_kg: float,
    drop_height_m: float,
    tilt_rad: float,
    cube_yaw_rad: float,
    solref: list[float],
    solimp: list[float],
    friction: list[float],
    condim: int,
    margin_m: float,
    priority: int,
    table_solref: list[float] | str,
    table_solimp: list[float] | str,
    table_friction: list[float] | str,
    table_condim: int | str,
    speculative: bool,
    **option,
) -> str:
    """The scene as MJCF. The floor keeps MuJoCo's defaults, and so does the table in margin and priority.

    `drop_height_m` is the clearance between the table's top and the lowest point of the cube at the start, which is tilted
    about x and then turned about the vertical. `table_...`: the table's own contact parameter, or SAME for the cube's.
    `option`: the attributes of MJCF's option. `speculative` raises its flag of that name; where it is down nothing names it,
    as an engine before 4.0 would not read the scene.
    """
    flags = [element("flag", speculative="enable")] if speculative else []
    contact = {"solref": solref, "solimp": solimp, "friction": friction, "condim": condim}
    own = {"solref": table_solref, "solimp": table_solimp, "friction": table_friction, "condim": table_condim}
    table_contact = contact | {name: value for name, value in own.items() if value != SAME}
    quat = [cos(cube_yaw_rad / 2) * cos(tilt_rad / 2), cos(cube_yaw_rad / 2) * sin(tilt_rad / 2)]
    quat += [sin(cube_yaw_rad / 2) * sin(tilt_rad / 2), sin(cube_yaw_rad / 2) * cos(tilt_rad / 2)]
    half_width, half_table, half_cube = table_width_m / 2, table_thickness_m / 2, cube_size_m / 2
    table = {"type": "box", "size": [half_width, half_width, half_table], "pos": [0, 0, table_top_m - half_table]}
    cube = {"type": "box", "size": [half_cube] * 3, "mass": cube_mass_kg, "margin": margin_m, "priority": priority}
    half_height = half_cube * (abs(cos(tilt_rad)) + abs(sin(tilt_rad)))
    return document(
        element(
            "mujoco",
            element("option", *flags, **option),
            element(
                "worldbody",
                element("geom", name="floor", **FLOOR),
                element("geom", name="table", **table, **table_contact),
                element(
                    "body",
                    element("freejoint", name="cube"),
                    element("geom", name="cube", **cube, **contact),
                    name="cube",
                    pos=[0, 0, table_top_m + half_height + drop_height_m],
                    quat=quat,
                ),
            ),
            model="drop",
        )
    )
