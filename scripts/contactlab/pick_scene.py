"""The scene of a pick as MJCF: the robot's file, included as it is, a floor and a cube (lesson 16, experiment)."""

import math
import xml.etree.ElementTree as ElementTree
from pathlib import Path, PurePosixPath

from contactlab.mjcf import document, element


def pick_mjcf(
    *,
    robot: PurePosixPath,
    meshes: str = "assets",
    mu: float,
    mass_kg: float,
    cap_Nm: float,
    timestep_s: float,
    cube_half_size_m: float,
    position_centre_m: list[float],
    torsional_friction_m: float,
    rolling_friction_m: float,
    condim: int,
    priority: int,
    solref: list[float],
    solimp: list[float],
    margin_m: float,
    discardvisual: bool,
    **option,
) -> str:
    """The scene as MJCF. `robot` is the path of the robot's file, relative to the place of the scene; `meshes` the folder of
    its meshes, relative to that file.

    Sections that stand twice are merged and the later value holds, so the included file stays untouched while timestep and
    `option`, further attributes of MJCF's option, are the scene's (MuJoCo documentation, Modeling). Its mesh folder is given
    again because MuJoCo resolves it against the including file. An actuator of an included file cannot be overridden, so the
    torque cap stands as a custom number, which `contactlab.scene.load_scene` applies to the compiled model.

    Raises ValueError for a friction, mass, torque cap, timestep or size that is not a finite number above 0.
    """
    positive = {"mu": mu, "mass_kg": mass_kg, "cap_Nm": cap_Nm, "timestep_s": timestep_s}
    positive["cube_half_size_m"] = cube_half_size_m
    for name, value in positive.items():
        if not 0 < value < math.inf:
            raise ValueError(f"pick scene, {name} of {value}: allowed is a finite number above 0")
    cube = element(
        "body",
        element("freejoint", name="cube"),
        element(
            "geom",
            name="cube",
            type="box",
            size=[cube_half_size_m] * 3,
            mass=mass_kg,
            friction=[mu, torsional_friction_m, rolling_friction_m],
            condim=condim,
            priority=priority,
            solref=solref,
            solimp=solimp,
            margin=margin_m,
        ),
        name="cube",
        pos=[*position_centre_m, cube_half_size_m],
    )
    return document(
        element(
            "mujoco",
            element("include", file=str(robot)),
            element("compiler", meshdir=str(robot.parent / meshes), discardvisual=discardvisual),
            element("option", timestep=timestep_s, **option),
            element("custom", element("numeric", name="jaw_torque_cap", data=cap_Nm)),
            element("worldbody", element("geom", name="floor", type="plane", size=[0, 0, 0.05]), cube),
            model="pick",
        )
    )


def mesh_folder(robot: Path) -> str:
    """The folder of the meshes that a robot's file names, relative to that file.

    Raises ValueError for a file that is not XML.
    """
    try:
        compilers = ElementTree.parse(robot).findall("compiler")
    except ElementTree.ParseError as error:
        raise ValueError(f"{robot} is not XML: {error}; allowed: the MJCF of a robot") from None
    folders = [compiler.get("meshdir", compiler.get("assetdir")) for compiler in compilers]
    return next((folder for folder in reversed(folders) if folder is not None), ".")
