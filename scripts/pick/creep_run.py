"""Run one pick with a long hold, and write how far the cube creeps out of the jaws."""

from contactlab import creep
from contactlab.pick_cell import task_of
from contactlab.runs import physics_digest
from records import cells, pick_cells, script


def main() -> None:
    arguments = pick_cells.parser(__doc__).parse_args()
    robot, model = arguments.parts, pick_cells.model_of(arguments)

    def measure(cell: dict) -> dict:
        position_m, _, task = task_of(model, cell, robot)
        return {"model_digest": physics_digest(model), "result": creep.held_slip(model, position_m, task, robot)}

    cells.write(arguments, measure, lambda cell: {"model_digest": physics_digest(model), "result": creep.timed_out()})


if __name__ == "__main__":
    script.run(main)
