"""Run one cell of an audit of a scene, with its repetitions from moved starts, and write what was measured."""

from records import audit_cells, files, script


def main() -> None:
    arguments = audit_cells.parser(__doc__).parse_args()
    files.write_json(arguments.out, audit_cells.scene(*audit_cells.told(arguments)))


if __name__ == "__main__":
    script.run(main)
