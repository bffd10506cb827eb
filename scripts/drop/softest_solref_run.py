"""Find the softest solref that keeps the cube of a drop scene at one timestep, and write it with what makes others fail."""

from contactlab import drop, softest
from records import cells, files, script, settings


def main() -> None:
    arguments = cells.parser(__doc__).parse_args()
    model = drop.load(files.unaltered(arguments.model), settings.from_words(arguments.settings)["allowed_overlap_m"])

    def measure(cell: dict) -> dict:
        motion = {axis: cell[axis] for axis in ("speed_m_per_s", "spin_rad_s")}
        return {"result": softest.softest(model, cell["dt_ms"], cell["integrator"], cell["duration_s"], **motion)}

    cells.write(arguments, measure, lambda cell: {"result": softest.timed_out(cell["dt_ms"])})


if __name__ == "__main__":
    script.run(main)
