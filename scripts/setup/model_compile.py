"""Compile a scene once for an engine, into MuJoCo's binary format: a run then loads it in milliseconds."""

import argparse

import mujoco
import numpy as np

from contactlab.compile import compile_scene
from records import files, script


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="MJCF of the scene")
    parser.add_argument("--out", required=True, help="the binary model to write, .mjb")
    arguments = parser.parse_args()
    model = compile_scene(files.unaltered(arguments.model))
    binary = np.empty(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, binary)  # given a path, MuJoCo only warns where a full disk cuts the file short
    with files.replacing(arguments.out) as part:
        part.write_bytes(binary)


if __name__ == "__main__":
    script.run(main)
