"""Run one fall, and write how far the ball fell."""

import mujoco

from contactlab import fall
from records import cells, files, script


def main() -> None:
    arguments = cells.parser(__doc__).parse_args()
    model = mujoco.MjModel.from_xml_path(files.unaltered(arguments.model))

    def measure(cell: dict) -> dict:
        return {"result": fall.run(model, cell["dt_ms"], cell["integrator"], cell["duration_s"])}

    cells.write(arguments, measure, lambda cell: {"result": fall.timed_out()})


if __name__ == "__main__":
    script.run(main)
