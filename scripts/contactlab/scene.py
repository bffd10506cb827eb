"""A pick scene as MuJoCo compiles it: loaded with its torque cap, compared with settings."""

import mujoco

from contactlab.compile import compile_scene
from contactlab.task import SO_101, Robot, require_name


def load_scene(path: str, robot: Robot = SO_101) -> mujoco.MjModel:
    """Load a pick scene, MJCF or compiled (.mjb), and give the jaw's actuator the torque cap that the scene states.

    The cap stands in the scene as a custom number because the actuator belongs to the robot's own file, which is
    included as it is, and MJCF has no way to override it.

    Raises ValueError for a name of `robot` that the scene lacks.
    """
    load = mujoco.MjModel.from_binary_path if path.endswith(".mjb") else compile_scene
    model = load(path)
    robot.require_in(model)
    cap_Nm = require_name(model.numeric, robot.cap_numeric).data[0]
    jaw = model.actuator(robot.jaw_actuator).id
    model.actuator_forcerange[jaw], model.actuator_forcelimited[jaw] = [-cap_Nm, cap_Nm], True
    return model


def require_scene(model: mujoco.MjModel, settings: dict, robot: Robot = SO_101) -> dict:
    """`settings` without those of the scene, each of which must be what the compiled `model` has.

    Raises ValueError for the first that is not: a result must not be filed under another scene than it comes from.
    """
    cube, option = model.geom(robot.cube_geom), model.opt
    scene = {
        "mu": cube.friction[0],
        "mass_kg": model.body(robot.cube_body).mass[0],
        "cap_Nm": model.actuator(robot.jaw_actuator).forcerange[1],
        "timestep_s": option.timestep,
        "integrator": mujoco.mjtIntegrator(option.integrator).name.removeprefix("mjINT_").lower(),
        "solver": mujoco.mjtSolver(option.solver).name.removeprefix("mjSOL_").lower(),
        "iterations": option.iterations,
        "ls_iterations": option.ls_iterations,
        "noslip_iterations": option.noslip_iterations,
        "impratio": option.impratio,
        "cone": mujoco.mjtCone(option.cone).name.removeprefix("mjCONE_").lower(),
        "cube_half_size_m": cube.size[0],
        "torsional_friction_m": cube.friction[1],
        "rolling_friction_m": cube.friction[2],
        "condim": cube.condim[0],
        "priority": cube.priority[0],
        "solref": cube.solref.tolist(),
        "solimp": cube.solimp.tolist(),
        "margin_m": cube.margin[0],
    }
    for name in settings.keys() & scene.keys():
        asked = settings[name].lower() if isinstance(settings[name], str) else settings[name]
        if asked != scene[name]:
            raise ValueError(f"{name}: the model has {scene[name]}, the cell asks for {asked}; both must be the same")
    return {name: value for name, value in settings.items() if name not in scene}
