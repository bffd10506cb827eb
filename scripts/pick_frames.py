"""Picture the states of one pick: rendered where OpenGL works without a display, and as outlines seen from the side."""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import mujoco
import numpy as np

from contactlab import files, script, settings
from contactlab.scene import load_scene
from contactlab.task import SO_101, Robot
from pick_run import TimedStep, run_cell

# One camera for all pictures, on the moving jaw's side and low, so that the jaws, the cube and its shadow stay apart.
LOOK_AT_M, DISTANCE_M, AZIMUTH_DEG, ELEVATION_DEG = (0.205, 0.0, 0.155), 0.52, 140.0, -9.0
HEIGHT_PX, WIDTH_PX = 480, 480
FINER = 2  # rendered as many times finer and averaged, because the engine smooths edges but not those of shadows
CUBE, TILES, SKY = (0.0, 0.447, 0.698), ((0.90, 0.91, 0.92), (0.84, 0.86, 0.88)), ((1.0, 1.0, 1.0), (0.92, 0.95, 0.98))
TILE_M = 0.1
SUN_POS_M, SUN_DIRECTION = (0.2, -0.2, 1.0), (-0.1, 0.25, -1.0)
BACKENDS = ("egl", "osmesa", "")  # values of MUJOCO_GL; the last leaves the choice to the engine, which macOS needs
RENDER_LIMIT_S = 120
OUTLINE_POINTS = 64


def key_rows(states: np.ndarray) -> np.ndarray:
    """The row of a trajectory that stands for each of its states (n,): the last of a state, but the first of all."""
    rows = np.append(np.flatnonzero(states[1:] != states[:-1]), len(states) - 1)
    rows[0] = 0
    return rows


def render(model: Path, qpos: np.ndarray) -> np.ndarray:
    """Pictures (n, height, width, 3) of the poses `qpos` (n, nq) in a scene; none where no backend of OpenGL works.

    Where the environment sets MUJOCO_GL, as to "disabled", only that is tried.
    """
    asked = os.environ.get("MUJOCO_GL")
    for backend in BACKENDS if asked is None else (asked,):
        with tempfile.TemporaryDirectory() as scratch:
            poses, pictures = Path(scratch, "poses.npy"), Path(scratch, "pictures.npy")
            np.save(poses, qpos)
            problem = problem_of_rendering(backend, model.resolve(), poses, pictures)
            print(f"MUJOCO_GL={backend}: {problem or 'rendered'}")
            if not problem:
                return np.load(pictures)
    return np.zeros((0, HEIGHT_PX, WIDTH_PX, 3), dtype=np.uint8)


def problem_of_rendering(backend: str, model: Path, poses: Path, pictures: Path) -> str | None:
    """Have `draw` called with a backend, and say in one line why that failed, or None.

    MuJoCo takes its backend from MUJOCO_GL when it is imported, and a broken driver can crash or hang, so this happens in
    a process of its own.
    """
    command = [sys.executable, "-c", "import sys, pick_frames; pick_frames.draw(*sys.argv[1:])", model, poses, pictures]
    environment = os.environ | {"MUJOCO_GL": backend, "PYTHONPATH": os.pathsep.join(sys.path)}
    options = {"capture_output": True, "text": True, "errors": "replace", "check": False, "timeout": RENDER_LIMIT_S}
    try:
        done = subprocess.run(command, env=environment, cwd=poses.parent, **options)
    except (OSError, subprocess.TimeoutExpired) as failure:
        return str(failure)
    last_words = " ".join(done.stderr.strip().splitlines()[-1:])
    return f"exit status {done.returncode}, {last_words}" if done.returncode else None


def draw(model: str, poses: str, pictures: str) -> None:
    """Render the poses in one .npy file into another, with the backend that this process has."""
    staged = stage(model)
    data, camera, drawn = mujoco.MjData(staged), mujoco.MjvCamera(), []
    camera.lookat, camera.distance, camera.azimuth, camera.elevation = LOOK_AT_M, DISTANCE_M, AZIMUTH_DEG, ELEVATION_DEG
    with mujoco.Renderer(staged, HEIGHT_PX * FINER, WIDTH_PX * FINER) as renderer:
        for pose in np.load(poses):
            data.qpos = pose
            mujoco.mj_forward(staged, data)
            renderer.update_scene(data, camera)
            fine = renderer.render().reshape(HEIGHT_PX, FINER, WIDTH_PX, FINER, 3)
            drawn.append(fine.mean(axis=(1, 3)).round().astype(np.uint8))
    np.save(pictures, drawn)


def stage(path: str, robot: Robot = SO_101) -> mujoco.MjModel:
    """A pick scene with a sky, a tiled floor, a light and a coloured cube, for pictures only."""
    spec = mujoco.MjSpec.from_file(files.unaltered(path))
    kind, builtin, size = mujoco.mjtTexture, mujoco.mjtBuiltin, {"width": 256, "height": 256}
    top, bottom = SKY
    spec.add_texture(name="sky", type=kind.mjTEXTURE_SKYBOX, builtin=builtin.mjBUILTIN_GRADIENT, rgb1=top, rgb2=bottom, **size)
    light, dark = TILES
    spec.add_texture(name="tiles", type=kind.mjTEXTURE_2D, builtin=builtin.mjBUILTIN_CHECKER, rgb1=light, rgb2=dark, **size)
    # The checker has two tiles a side, and on a plane a uniform texture repeats every two metres.
    tiles = spec.add_material(name="tiles", texuniform=True, texrepeat=[1 / TILE_M] * 2)
    tiles.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "tiles"
    spec.geom("floor").material = "tiles"
    spec.geom(robot.cube_geom).rgba = [*CUBE, 1]
    sun, directional = spec.worldbody.add_light(pos=SUN_POS_M, dir=SUN_DIRECTION), mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    sun.type, sun.diffuse = directional, [0.45] * 3
    head, screen = spec.visual.headlight, spec.visual.global_
    head.ambient, head.diffuse, head.specular = [0.5] * 3, [0.35] * 3, [0.05] * 3
    screen.offheight, screen.offwidth = HEIGHT_PX * FINER, WIDTH_PX * FINER
    return spec.compile()


def outlined_geoms(model: mujoco.MjModel, robot: Robot = SO_101) -> np.ndarray:
    """Ids (m,) of the boxes and meshes that the outlines show.

    Of the arm that is what one sees. The jaws show their colliders, which are convex, as their visual meshes are not.
    Raises ValueError for a model without visual meshes.
    """
    solid = [model.body(name).id for name in (robot.fixed_jaw_body, robot.moving_jaw_body, robot.cube_body)]
    drawable = np.isin(model.geom_type, [mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_MESH])
    collides = model.geom_contype > 0
    if collides[drawable].all():
        raise ValueError("scene: found no visual meshes of the robot, allowed is a scene with discardvisual=false")
    return np.flatnonzero(drawable & (np.isin(model.geom_bodyid, solid) == collides))


def outlines(model: mujoco.MjModel, qpos: np.ndarray, geoms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Convex outlines of the geoms (m,) in each pose (n, nq), seen horizontally along the camera's azimuth.

    Returns points (n, m, OUTLINE_POINTS, 2), in metres to the right and up from the origin, and the depth (n, m) of the
    geoms' centres. A point is the farthest one of the geom in one of evenly spaced directions.
    """
    azimuth, angles = np.deg2rad(AZIMUTH_DEG), np.linspace(0, 2 * np.pi, OUTLINE_POINTS, endpoint=False)
    plane = np.array([[np.sin(azimuth), -np.cos(azimuth), 0], [0, 0, 1]])
    forward = np.array([np.cos(azimuth), np.sin(azimuth), 0])
    directions = np.stack([np.cos(angles), np.sin(angles)])
    data, solids = mujoco.MjData(model), [vertices(model, geom) for geom in geoms]
    points, depth = np.empty((len(qpos), len(geoms), OUTLINE_POINTS, 2)), np.empty((len(qpos), len(geoms)))
    for row, pose in enumerate(qpos):
        data.qpos = pose
        mujoco.mj_kinematics(model, data)
        depth[row] = data.geom_xpos[geoms] @ forward
        for column, (geom, solid) in enumerate(zip(geoms, solids, strict=True)):
            seen = (solid @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom]) @ plane.T
            points[row, column] = seen[np.argmax(seen @ directions, axis=0)]
    return points, depth


def vertices(model: mujoco.MjModel, geom: int) -> np.ndarray:
    """Vertices (n, 3) of a mesh's or a box's geom, in its own frame."""
    if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_BOX:
        return model.geom_size[geom] * np.stack(np.meshgrid(*[[-1, 1]] * 3), axis=-1).reshape(-1, 3)
    mesh = model.mesh(model.geom_dataid[geom])
    return model.mesh_vert[mesh.vertadr[0] :][: mesh.vertnum[0]]


def picture(path: Path, cell: dict, robot: Robot = SO_101) -> dict[str, np.ndarray]:
    """The arrays of a file of frames: n states, and m outlined geoms.

    state, time_s: (n,); qpos: (n, nq), metres, radians, quaternions wxyz; outcome, lift_m: of the whole pick
    pictures: (n, height, width, 3), or (0, ...) where nothing could be rendered; tile_m: edge of the floor's tiles in them
    body: (m,) the geoms' bodies; outline_m: (n, m, points, 2); depth_m: (n, m), greater is further away

    `cell` is what `pick_run.run_cell` takes; its perturbed starts are left out.
    """
    model = load_scene(str(path), robot)
    record, trajectory = run_cell(model, cell | {"perturbations": 0}, TimedStep(), record=True, robot=robot)
    shown = {name: trajectory[name][key_rows(trajectory["state"])] for name in ("state", "time_s", "qpos")}
    geoms = outlined_geoms(model, robot)
    outline_m, depth_m = outlines(model, shown["qpos"], geoms)
    return shown | {
        "outcome": np.array(record["result"]["outcome"]),
        "lift_m": np.array(record["result"]["lift_m"]),
        "tile_m": np.array(TILE_M),
        "pictures": render(path, shown["qpos"]),
        "body": np.array([model.body(body).name for body in model.geom_bodyid[geoms]]),
        "outline_m": outline_m,
        "depth_m": depth_m,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, type=Path, help="MJCF of the scene, with discardvisual=false")
    parser.add_argument("--out", required=True, help="the frames to write, compressed .npz")
    parser.add_argument(
        "--parts", type=Robot.from_json, default=SO_101, help="names of the robot's parts, JSON; the SO-101's by default"
    )
    parser.add_argument("settings", nargs="+", help="axis=value, every axis of the cell")
    arguments = parser.parse_args()
    frames = picture(arguments.model, settings.from_words(arguments.settings), arguments.parts)
    with files.replacing(arguments.out) as part, part.open("wb") as stream:
        np.savez_compressed(stream, **frames)


if __name__ == "__main__":
    script.run(main)
