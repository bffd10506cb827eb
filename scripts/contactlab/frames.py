"""Pictures of a pick: the states that stand for it, a stage to render them on, and their outlines seen from the side."""

import mujoco
import numpy as np

from contactlab.task import SO_101, Robot

# One camera for all pictures, on the moving jaw's side and low, so that the jaws, the cube and its shadow stay apart.
LOOK_AT_M, DISTANCE_M, AZIMUTH_DEG, ELEVATION_DEG = (0.205, 0.0, 0.155), 0.52, 140.0, -9.0
HEIGHT_PX, WIDTH_PX = 480, 480
FINER = 2  # rendered as many times finer and averaged, because the engine smooths edges but not those of shadows
CUBE, TILES, SKY = (0.0, 0.447, 0.698), ((0.90, 0.91, 0.92), (0.84, 0.86, 0.88)), ((1.0, 1.0, 1.0), (0.92, 0.95, 0.98))
TILE_M = 0.1
SUN_POS_M, SUN_DIRECTION = (0.2, -0.2, 1.0), (-0.1, 0.25, -1.0)
OUTLINE_POINTS = 64


def key_rows(states: np.ndarray) -> np.ndarray:
    """The row of a trajectory that stands for each of its states (n,): the last of a state, but the first of all."""
    rows = np.append(np.flatnonzero(states[1:] != states[:-1]), len(states) - 1)
    rows[0] = 0
    return rows


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
    spec = mujoco.MjSpec.from_file(path)
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
