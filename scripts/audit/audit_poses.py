"""Run one cell of an audit of a scene again, and write where everything is at evenly spaced times."""

import numpy as np

from records import audit_cells, files, script

MOMENTS = 301


def main() -> None:
    arguments = audit_cells.parser(__doc__).parse_args()
    poses = audit_cells.poses(*audit_cells.told(arguments), MOMENTS)
    with files.replacing(arguments.out) as part, part.open("wb") as stream:
        np.savez_compressed(stream, **poses)


if __name__ == "__main__":
    script.run(main)
