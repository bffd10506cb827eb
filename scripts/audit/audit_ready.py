"""Compile the scene of an audit for an engine, and check on the model all that its runs ask of it by name."""

import argparse
import json

import mujoco

from records import audit_cells, files, script


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scene", required=True, help="the scene, MJCF or a compiled model (.mjb)")
    parser.add_argument("--model", required=True, help="the compiled model to write, .mjb; empty where there is none")
    parser.add_argument("--out", required=True, help="the record to write, JSON: why the scene cannot run here, if it cannot")
    parser.add_argument("--settings", required=True, help="what the audit asks of the scene, JSON; must: a fault is an error")
    arguments = parser.parse_args()
    told = json.loads(arguments.settings)
    binary, why = audit_cells.ready(arguments.scene, told)
    if why and told["must"]:
        raise ValueError(f"{told['audit']}: {why}")
    with files.replacing(arguments.model) as part:
        part.write_bytes(binary)
    files.write_json(arguments.out, {"settings": told, "mujoco": mujoco.__version__, "why": why})


if __name__ == "__main__":
    script.run(main)
