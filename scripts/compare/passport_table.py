"""Write the passport of a machine: the digest and the printed numbers of every cell that the configuration asks for."""

import argparse
from pathlib import Path

from records import files, measured, passport, script


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    measured.add_arguments(parser)
    parser.add_argument(
        "--machine", required=True, help="operating system, architecture and processor, and what is emulated on them"
    )
    parser.add_argument("--engines", required=True, nargs="+", type=Path, help="engine.json of each engine")
    parser.add_argument("--code", required=True, nargs="+", help="experiment=digest of the code that measures it")
    parser.add_argument("--out", required=True, help="the passport to write, JSON")
    arguments = parser.parse_args()
    cells = {}
    for path in measured.paths(arguments):
        cells |= passport.entries(path, files.read_json(arguments.results / path), arguments.declarations)
    record = {
        "machine": arguments.machine.removeprefix("machine "),
        "engines": {path.parent.name: files.read_json(path) for path in sorted(arguments.engines)},
        "code": dict(word.split("=") for word in arguments.code),
        "cells": {name: passport.to_line(run) for name, run in sorted(cells.items())},
    }
    files.write_json(arguments.out, record)


if __name__ == "__main__":
    script.run(main)
