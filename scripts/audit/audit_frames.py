"""Render two runs of an audit at the same times, around the moment from which a body stands elsewhere in the one."""

import argparse
import tempfile
from pathlib import Path

import mujoco
import numpy as np

from contactlab import scene_frames
from records import files, rendering, script

COUNT = 5  # pictures of each run


def frames(model: Path, reference: dict[str, np.ndarray], variation: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays of a file of frames, of n moments.

    times_s: (n,); pictures: (2, n, height, width, 3), of the reference and of the variation; parted_s: when they part visibly,
    nan where they never do; apart_m, body: how far which body is then apart, or at most

    Raises ValueError where nothing can be rendered.
    """
    least_m = scene_frames.visible_m(reference)
    parted, apart_m, body = scene_frames.parting(reference, variation, least_m)
    moments = scene_frames.shown(len(reference["times_s"]), parted, COUNT)
    chosen = {name: np.concatenate([poses[name][moments] for poses in (reference, variation)]) for name in reference}
    with tempfile.TemporaryDirectory() as scratch:
        np.savez(Path(scratch, "poses.npz"), **chosen)
        pictures = rendering.rendered("scene_frames", model, Path(scratch, "poses.npz"))
    if pictures is None:
        raise ValueError("nothing can be rendered here; allowed: a machine with EGL or OSMesa, as Debian's libosmesa6 brings")
    return {
        "times_s": reference["times_s"][moments],
        "pictures": pictures.reshape(2, len(moments), *pictures.shape[1:]),
        "parted_s": np.array(np.nan if parted is None else reference["times_s"][parted]),
        "apart_m": np.array(apart_m),
        "body": np.array(mujoco.MjModel.from_binary_path(str(model)).body(body).name or f"body {body}"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, type=Path, help="the scene as the reference's engine has compiled it, .mjb")
    parser.add_argument("--reference", required=True, help="poses of the reference, .npz")
    parser.add_argument("--variation", required=True, help="poses of the variation, .npz")
    parser.add_argument("--out", required=True, help="the frames to write, compressed .npz")
    arguments = parser.parse_args()
    files.unaltered(str(arguments.model))
    poses = [dict(np.load(files.unaltered(path))) for path in (arguments.reference, arguments.variation)]
    found = frames(arguments.model, *poses)
    with files.replacing(arguments.out) as part, part.open("wb") as stream:
        np.savez_compressed(stream, **found)


if __name__ == "__main__":
    script.run(main)
