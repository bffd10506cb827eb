"""Pictures of two runs of any scene at the same times, around the moment from which a body stands elsewhere in the one.

Poses are those of `contactlab.audit.Audit.poses`. Both runs are drawn with one model, as qpos has one meaning in both.
"""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

HEIGHT_PX, WIDTH_PX = 300, 400
FINER = 2  # rendered as many times finer and averaged, as the engine does not smooth the edges of shadows
AZIMUTH_DEG, ELEVATION_DEG = 120.0, -18.0
AROUND = 0.9  # the picture is so many times as high as a ball around all that moves in it
GREY = (0.5, 0.5, 0.5, 1.0)  # MuJoCo's colour of a geom that has none
MOVES, STANDS = (0.0, 0.447, 0.698, 1.0), (0.88, 0.89, 0.9, 1.0)  # what such a geom is drawn in
VISIBLE = 0.01  # of the size of what moves: the part by which a body must stand elsewhere to be seen there
Poses = Mapping[str, np.ndarray]


def visible_m(poses: Poses) -> float:
    """How far in m a body must stand from its place to be seen elsewhere: a part of what the moving bodies span and cross."""
    moves = np.ptp(poses["body_m"], axis=0).max(axis=1) > 0
    places = poses["body_m"][:, moves].reshape(-1, 3)
    return VISIBLE * float(np.linalg.norm(np.ptp(places, axis=0))) if len(places) else 0.0


def parting(one: Poses, other: Poses, least_m: float) -> tuple[int | None, float, int]:
    """The first moment at which a body of the two is more than `least_m` apart, None where none ever is; the largest distance
    in m at that moment, or of all, and the body that is so far apart.
    """
    apart_m = np.linalg.norm(one["body_m"] - other["body_m"], axis=2)
    parted = np.flatnonzero(apart_m.max(axis=1) > least_m)
    moment = int(parted[0]) if parted.size else int(apart_m.max(axis=1).argmax())
    return (moment if parted.size else None), float(apart_m[moment].max()), int(apart_m[moment].argmax())


def shown(moments: int, parted: int | None, count: int) -> list[int]:
    """Which of the moments are drawn: two before they part, that one, and some after; without one, from start to end."""
    if parted is None:
        return np.linspace(0, moments - 1, count).round().astype(int).tolist()
    apart = max(1, min(moments // (2 * count), (moments - 1 - parted) // max(1, count - 3)))
    first = min(max(0, parted - 2 * apart), max(0, moments - 1 - (count - 1) * apart))
    return [min(moments - 1, first + number * apart) for number in range(count)]


def draw(model: str, poses: str, pictures: str) -> None:
    """Render the poses (n, nq), (n, nmocap, 3), (n, nmocap, 4) of an .npz into an .npy (n, HEIGHT_PX, WIDTH_PX, 3)."""
    staged, drawn = stage(mujoco.MjModel.from_binary_path(model)), []
    with np.load(poses) as arrays:
        states = [
            make(staged, *state) for state in zip(*(arrays[name] for name in ("qpos", "mocap_pos", "mocap_quat")), strict=True)
        ]
    camera = view(staged, states)
    with mujoco.Renderer(staged, HEIGHT_PX * FINER, WIDTH_PX * FINER) as renderer:
        for data in states:
            renderer.update_scene(data, camera)
            drawn.append(_averaged(_on_white(renderer)))
    np.save(pictures, drawn)


def make(model: mujoco.MjModel, qpos: np.ndarray, mocap_pos: np.ndarray, mocap_quat: np.ndarray) -> mujoco.MjData:
    """A data in one of the poses."""
    data = mujoco.MjData(model)
    data.qpos, data.mocap_pos, data.mocap_quat = qpos, mocap_pos, mocap_quat
    mujoco.mj_forward(model, data)
    return data


def stage(model: mujoco.MjModel) -> mujoco.MjModel:
    """The model in even light, where what moves and has no colour of its own stands out."""
    head, screen = model.vis.headlight, model.vis.global_
    head.ambient, head.diffuse, head.specular = [0.6] * 3, [0.4] * 3, [0.0] * 3
    screen.offheight, screen.offwidth = HEIGHT_PX * FINER, WIDTH_PX * FINER
    plain = (model.geom_matid < 0) & (model.geom_rgba == np.float32(GREY)).all(axis=1)
    model.geom_rgba[plain] = np.where(moving_geoms(model)[plain, None], MOVES, STANDS)
    return model


def moving_geoms(model: mujoco.MjModel) -> np.ndarray:
    """(ngeom,) whether a geom is of a body that can move."""
    return model.body_weldid[model.geom_bodyid] != 0


def view(model: mujoco.MjModel, states: list[mujoco.MjData]) -> mujoco.MjvCamera:
    """The scene's own first camera that stands still, else one that sees all that moves in the states."""
    camera, still = mujoco.MjvCamera(), np.flatnonzero(model.cam_mode == mujoco.mjtCamLight.mjCAMLIGHT_FIXED)
    if still.size:
        camera.type, camera.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, int(still[0])
        return camera
    geoms = moving_geoms(model) if moving_geoms(model).any() else model.geom_rbound > 0
    places_m, reach_m = np.array([data.geom_xpos[geoms] for data in states]), model.geom_rbound[geoms][:, None]
    low, high = (places_m - reach_m).min(axis=(0, 1)), (places_m + reach_m).max(axis=(0, 1))
    half_fov_rad = np.deg2rad(model.vis.global_.fovy) / 2
    camera.lookat, camera.azimuth, camera.elevation = (low + high) / 2, AZIMUTH_DEG, ELEVATION_DEG
    camera.distance = AROUND * float(np.linalg.norm(high - low)) / 2 / np.tan(half_fov_rad)
    return camera


def _on_white(renderer: mujoco.Renderer) -> np.ndarray:
    """What is rendered, white where nothing is: a scene without a sky has black there."""
    picture = renderer.render().copy()
    renderer.enable_segmentation_rendering()
    picture[renderer.render()[:, :, 0] < 0] = 255
    renderer.disable_segmentation_rendering()
    return picture


def _averaged(picture: np.ndarray) -> np.ndarray:
    fine = picture.reshape(HEIGHT_PX, FINER, WIDTH_PX, FINER, 3)
    return fine.mean(axis=(1, 3)).round().astype(np.uint8)
