"""Run one cell of an audit of a scene, with its repetitions from moved starts, and write what was measured."""

import argparse
import json

from records import audit_cells, files, script


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="the compiled scene, .mjb")
    parser.add_argument("--ready", required=True, help="the record of its check on this engine, JSON")
    parser.add_argument("--out", required=True, help="the cell to write, JSON")
    parser.add_argument("--settings", required=True, help="what the run is told, JSON")
    arguments = parser.parse_args()
    why = files.read_json(arguments.ready)["why"]
    record = audit_cells.scene(files.unaltered(arguments.model), json.loads(arguments.settings), why)
    files.write_json(arguments.out, record)


if __name__ == "__main__":
    script.run(main)
