"""Compile a scene once for an engine, into MuJoCo's binary format: a run then loads it in milliseconds."""

import argparse

import mujoco

from contactlab import files, script


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="MJCF of the scene")
    parser.add_argument("--out", required=True, help="the binary model to write, .mjb")
    arguments = parser.parse_args()
    model = mujoco.MjModel.from_xml_path(files.unaltered(arguments.model))
    with files.replacing(arguments.out) as part:
        mujoco.mj_saveModel(model, str(part), None)


if __name__ == "__main__":
    script.run(main)
