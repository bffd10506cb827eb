"""Picture the states of one pick: rendered where OpenGL works without a display, and as outlines seen from the side."""

import argparse
import tempfile
from pathlib import Path

import numpy as np

from contactlab import frames
from contactlab.pick_cell import TimedStep, run_cell
from contactlab.scene import load_scene
from contactlab.task import SO_101, Robot
from records import files, pick_cells, rendering, script, settings


def render(model: Path, qpos: np.ndarray) -> np.ndarray:
    """Pictures (n, height, width, 3) of the poses `qpos` (n, nq) in a scene; none where nothing can be rendered."""
    with tempfile.TemporaryDirectory() as scratch:
        poses = Path(scratch, "poses.npy")
        np.save(poses, qpos)
        pictures = rendering.rendered("frames", model, poses)
    return np.zeros((0, frames.HEIGHT_PX, frames.WIDTH_PX, 3), dtype=np.uint8) if pictures is None else pictures


def picture(path: Path, cell: dict, robot: Robot = SO_101) -> dict[str, np.ndarray]:
    """The arrays of a file of frames: n states, and m outlined geoms.

    state, time_s: (n,); qpos: (n, nq), metres, radians, quaternions wxyz; outcome, lift_m, truncated: of the whole pick
    pictures: (n, height, width, 3), or (0, ...) where nothing could be rendered; tile_m: edge of the floor's tiles in them
    body: (m,) the geoms' bodies; outline_m: (n, m, points, 2); depth_m: (n, m), greater is further away

    `cell` is what `pick_run.run_cell` takes; its perturbed starts are left out.
    """
    model = load_scene(files.unaltered(str(path)), robot)
    record, trajectory = run_cell(model, cell | {"perturbations": 0}, TimedStep(), record=True, robot=robot)
    shown = {name: trajectory[name][frames.key_rows(trajectory["state"])] for name in ("state", "time_s", "qpos")}
    geoms = frames.outlined_geoms(model, robot)
    outline_m, depth_m = frames.outlines(model, shown["qpos"], geoms)
    return shown | {
        "outcome": np.array(record["result"]["outcome"]),
        "lift_m": np.array(record["result"]["lift_m"]),
        "truncated": np.array(bool(record["result"]["at_iterations"] or record["result"]["at_line_search"])),
        "tile_m": np.array(frames.TILE_M),
        "pictures": render(path, shown["qpos"]),
        "body": np.array([model.body(body).name for body in model.geom_bodyid[geoms]]),
        "outline_m": outline_m,
        "depth_m": depth_m,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, type=Path, help="MJCF of the scene, with discardvisual=false")
    parser.add_argument("--out", required=True, help="the frames to write, compressed .npz")
    pick_cells.with_parts(parser)
    parser.add_argument("settings", nargs="+", help="axis=value, every axis of the cell")
    arguments = parser.parse_args()
    pictured = picture(arguments.model, settings.from_words(arguments.settings), arguments.parts)
    with files.replacing(arguments.out) as part, part.open("wb") as stream:
        np.savez_compressed(stream, **pictured)


if __name__ == "__main__":
    script.run(main)
