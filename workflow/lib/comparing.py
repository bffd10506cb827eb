"""The same cells with one thing changed: measured again, on other versions, on other machines; which cells, and how named."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from snakemake.exceptions import WorkflowError

from lib import checks, naming
from lib.plan import Grid, NamedGrids, Plan, against, variant
from lib.schema import axes, declarations, grids, lacking
from records import engines, passport, settings


def comparable(plan: Plan) -> list[str]:
    """The experiments that declare what of their cells is compared."""
    return list(declarations(plan.schema))


def declaration_words(plan: Plan) -> list[str]:
    """What they declare of it as an argument of the scripts that compare."""
    return ["--declarations", json.dumps(declarations(plan.schema))]


# Measured again, and in passports


def measured(plan: Plan, emulated: str = "") -> list[str]:
    """The path below results/ of every cell that is compared, each once.

    `emulated` is what the names of an emulated architecture's engines end in, "-aarch64" for example, or "".
    """
    return plan.needed(list(dict.fromkeys(path for name in comparable(plan) for path in _measured(plan, name, emulated))))


def _measured(plan: Plan, experiment: str, emulated: str) -> Iterator[str]:
    if experiment not in grids(plan.schema):
        yield from plan.records(experiment, _on(checks.engines_of(plan.config[experiment]), emulated))
        return
    for folder, grid in _grids(plan, experiment, emulated):
        yield from plan.cells(experiment, grid, folder)


def _on(named: list[str], emulated: str) -> list[str]:
    """Engines on one architecture, so that a cell is there once whatever architectures a sweep compares."""
    return list(dict.fromkeys(engines.split(engine)[0] + emulated for engine in named))


def _grids(plan: Plan, experiment: str, emulated: str) -> NamedGrids:
    """All grids of an experiment but its questions, each with the folder of its cells below results/.

    Emulated runs are repeated as often as results/architectures.csv repeats them.
    """
    ways = {way["key"]: f"{name}/" for name, way in plan.schema.experiments[experiment].get("ways", {}).items()}
    again = plan.repeated(experiment) if emulated else {}
    found = []
    for key, grid in naming.sweeps(plan.config, plan.schema, experiment).items():
        name = key.removeprefix(f"config.{experiment}.")
        if name != key:
            found.append((f"{ways.get(name, '')}{experiment}", grid | {"engine": _on(grid["engine"], emulated)} | again))
    return found


def measured_words(plan: Plan, emulated: str = "") -> list[str]:
    """All of it as arguments: every grid with its folder, and further records."""
    swept = [name for name in comparable(plan) if name in grids(plan.schema)]
    words = [word for name in swept for word in plan.sweep_words(name, _grids(plan, name, emulated), "--grid")]
    others = [path for name in comparable(plan) if name not in swept for path in _measured(plan, name, emulated)]
    return [*words, "--records", *others, *declaration_words(plan)]


def measured_engines(plan: Plan, emulated: str) -> list[str]:
    """The engines that measure it."""
    return sorted({f".engines/{passport.cell_of(path)[1]}/engine.json" for path in measured(plan, emulated)})


def measuring(plan: Plan) -> list[str]:
    """The code that measures each experiment, as words NAME=DIGEST."""
    return [f"{name}={plan.code[plan.schema.experiments[name]['run']]}" for name in comparable(plan)]


def sampled(plan: Plan, folder: str) -> Callable:
    """An input function: the part of the cells that `snakemake verify` compares, as it lies in a folder."""
    chosen = lambda: passport.sample(measured(plan), declarations(plan.schema), **plan.config["verify"])  # noqa: E731
    return lambda w: [f"{folder}/{path}" for path in chosen()]


def other_passport(plan: Plan) -> Callable:
    """An input function: the passport to compare with, which the command line names."""

    def named(wildcards):
        if "passport" not in plan.config:
            raise WorkflowError("passport: which one to compare with is not given; add --config passport=passports/NAME.json")
        return plan.config["passport"]

    return named


def swept_words(plan: Plan) -> list[str]:
    """The sweeps of every experiment as arguments: its name, the sweep's, its words."""
    words = declaration_words(plan)
    for name in comparable(plan):
        for sweep, grid in plan.config[name].get("sweeps", {}).items() if name in grids(plan.schema) else ():
            words += ["--sweep", name, sweep, *settings.grid_to_words(plan.moved(name, grid))]
    return words


# On several versions


def _marked(plan: Plan) -> list[str]:
    """The experiments whose runs can mark their steps."""
    return [name for name, declared in plan.schema.experiments.items() if declared.get("marks")]


def _compared(plan: Plan) -> list[tuple[str, str, Grid, Grid]]:
    """Experiment, name and grid of each sweep that is compared, and the grid it is compared with, on its own engine.

    No run is repeated from moved starts. Each sweep whose experiment has the variant's axes comes once more with these moved.
    """
    moves = {axis: [value] for axis, value in plan.config["engines"]["variant"].items()}
    swept = [name for name in _marked(plan) if name in grids(plan.schema)]
    plain = {name: variant(list(plan.config[name]["sweeps"].items()), plan.repeated(name, 0)) for name in swept}
    moving = [name for name in swept if moves and moves.keys() <= axes(plan.schema, name).keys()]
    found = [(name, *sweep) for name in swept for sweep in against(plain[name], {})]
    found += [(name, *sweep) for name in moving for sweep in against(plain[name], moves)]
    return [(name, sweep, grid, own | {"engine": own["engine"][:1]}) for name, sweep, grid, own in found]


def compared_cells(plan: Plan) -> list[str]:
    """The marked runs on every version and on the engine they are compared with, but those that an engine lacks."""
    versions = plan.config["engines"]["compare"]
    found = []
    for name, _, grid, reference in _compared(plan):
        for engine, sweep in [*((version, grid) for version in versions), (reference["engine"][0], reference)]:
            cells = plan.cells(name, sweep | {"engine": [engine]}, f"results/marks/{name}")
            found += [cell for cell in cells if not plan.lacks(name, engine, Path(cell).stem)]
    for name in _marked(plan):
        if name not in grids(plan.schema):
            own = checks.engines_of(plan.config[name])[:1]
            found += [f"results/marks/{path}" for path in plan.records(name, [*versions, *own])]
    return plan.needed(list(dict.fromkeys(found)))


def compared_words(plan: Plan) -> list[str]:
    """All of it as arguments of the script that compares."""
    versions, config = plan.config["engines"]["compare"], plan.config
    words = ["--engines", *versions, *declaration_words(plan)]
    for name, sweep, grid, reference in _compared(plan):
        on_all = settings.grid_to_words(plan.moved(name, grid | {"engine": versions}))
        words += ["--sweep", name, sweep, *on_all, *plan.against(name, reference)]
    for name in _marked(plan):
        if name not in grids(plan.schema):
            words += [word for part in plan.parts(name) for word in ("--part", name, part, checks.engines_of(config[name])[0])]
    for engine in versions:
        missing = [word for name in grids(plan.schema) for word in lacking(plan.schema, name, engine)]
        words += ["--lacking", engine, *dict.fromkeys(missing)]
    return words
