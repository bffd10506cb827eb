"""Drive the state machine of a pick by hand, and write how far it ends from `scripted_pick` (lesson 16, step 4)."""

from contactlab.limit import TIMED_OUT
from contactlab.pick_by_hand import largest_difference
from contactlab.pick_cell import task_of
from records import cells, pick_cells, script


def main() -> None:
    arguments = pick_cells.parser(__doc__).parse_args()
    model = pick_cells.model_of(arguments)

    def measure(cell: dict) -> dict:
        position_m, _, task = task_of(model, cell, arguments.parts)
        difference, steps = largest_difference(model, position_m, task, arguments.parts)
        return {"max_qpos_difference_rad": difference, "steps": steps}

    cells.write(arguments, measure, lambda cell: {"outcome": TIMED_OUT})


if __name__ == "__main__":
    script.run(main)
