"""Run one drop cell: drop the cube of a scene with one timestep and integrator, and write what happened."""

import dataclasses

from contactlab import drop
from records import cells, files, script, settings


def main() -> None:
    parser = cells.parser(__doc__)
    parser.add_argument("--trajectory", action="store_true", help="add every sampled height and contact normal")
    arguments = parser.parse_args()
    model = drop.load(files.unaltered(arguments.model), settings.from_words(arguments.settings)["allowed_overlap_m"])

    def described(result: dict, trajectory: drop.Trajectory) -> dict:
        return {"result": result} | ({"trajectory": dataclasses.asdict(trajectory)} if arguments.trajectory else {})

    def measure(cell: dict) -> dict:
        trajectory = drop.Trajectory()
        motion = {axis: cell[axis] for axis in ("speed_m_per_s", "spin_rad_s")}
        recorded = trajectory if arguments.trajectory else None
        result = drop.run(model, cell["dt_ms"], cell["integrator"], cell["duration_s"], recorded, **motion)
        return described(result, trajectory)

    def timed_out(cell: dict) -> dict:
        return described(drop.timed_out(model, cell["dt_ms"]), drop.Trajectory())

    cells.write(arguments, measure, timed_out)


if __name__ == "__main__":
    script.run(main)
