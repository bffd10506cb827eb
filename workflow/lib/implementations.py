"""The same cells in other programs that have MuJoCo's physics: which, in which batches, and what their comparison is told.

A batch is all cells of an experiment that share what a program is compiled for. What differs within one is the axes that the
experiment declares as `batched`.
"""

from collections.abc import Callable
from types import SimpleNamespace

from snakemake.exceptions import WorkflowError

from lib import checks, comparing
from lib.plan import Plan
from lib.schema import batched, grids
from records import engines, settings
from records.implementations import hindrance

FOLDER = "results/implementations"


def variants(plan: Plan, experiment: str) -> list[tuple[str, str]]:
    """Each engine with each value of its own axes, as the name of a folder.

    Of an axis to which an experiment declares itself `indifferent` it is the first value; where an experiment declares what its
    collisions may be reduced to, these are an axis as well.
    """
    part, declared = plan.config["implementations"], plan.schema.experiments[experiment]
    found = []
    for engine, axes in part["engines"].items():
        axes = {axis: values[:1] if axis in declared.get("indifferent", []) else values for axis, values in axes.items()}
        if "collisions" in declared:
            axes = axes | {"collisions": part["collisions"][engines.implementation(engine)]}
        found += [(engine, settings.cell_name(option)) for option in settings.grid(axes)]
    return found


def sweeps(plan: Plan) -> list[tuple[str, str, dict]]:
    """Experiment, name and grid of each sweep that is compared, without an engine."""
    return [
        (name, sweep, checks.grid_elsewhere(plan.config, name, sweep))
        for name in batched(plan.schema)
        if name in grids(plan.schema)
        for sweep in plan.config["implementations"][name]
    ]


def scans(plan: Plan) -> list[tuple[str, str]]:
    """Experiment and name of each scan that is compared, all of whose rows are one record."""
    names = [name for name in batched(plan.schema) if name not in grids(plan.schema)]
    return [(name, scan) for name in names for scan in plan.config["implementations"][name]]


def batches(plan: Plan, experiment: str) -> list[list[str]]:
    """The names of an experiment's cells, those of one batch together, each once."""
    found: dict[str, dict[str, None]] = {}
    moving = batched(plan.schema).get(experiment, [])
    for name, _, grid in sweeps(plan):
        for cell in _cells(plan, name, grid) if name == experiment else ():
            whole = plan.settings_of(experiment, cell)
            static = settings.cell_name({axis: value for axis, value in whole.items() if axis not in moving})
            found.setdefault(static, {})[cell] = None
    return [list(cells) for cells in found.values()]


def _cells(plan: Plan, experiment: str, grid: dict) -> list[str]:
    """The names of a grid's cells, which are the same on every engine."""
    moved = plan.moved(experiment, grid)
    return [settings.cell_name(cell) for cell in settings.grid(moved)]


def outputs(experiment: str, cells: list[str]) -> list[str]:
    """The files of a batch, for any engine and any values of its axes."""
    return [f"{FOLDER}/{experiment}/{{engine}}/{{option}}/{cell}.json" for cell in cells]


def models(plan: Plan, experiment: str, cells: list[str]) -> Callable:
    """An input function: the model of each cell of a batch, in their order.

    It stops before any job where the implementation lacks what a cell needs.
    """
    scene = plan.model_of(experiment)

    def of_all(wildcards):
        for cell in cells:
            if hindered := hindrance(wildcards.engine, plan.settings_of(experiment, cell)):
                raise WorkflowError(f"{cell}: {hindered}")
        version = engines.split(wildcards.engine)[0]
        return [scene(SimpleNamespace(engine=version, cell=cell)) for cell in cells]

    return of_all


def batch_words(plan: Plan, experiment: str, cells: list[str]) -> list[str]:
    """The settings of a batch's job: its cells, as it is another batch with one more, and all that their names leave out."""
    return [*cells, *settings.to_words(plan.defaults[experiment])]


def compared_cells(plan: Plan) -> list[str]:
    """The cells of every sweep in every variant that can run them, and those of the experiments themselves."""
    found = []
    for name, _, grid in sweeps(plan):
        for engine, option in variants(plan, name):
            folder = f"{FOLDER}/{name}/{engine}/{option}"
            cells = {cell: plan.settings_of(name, cell) for cell in _cells(plan, name, grid)}
            able = [cell for cell, whole in cells.items() if not hindrance(engine, whole)]
            found += [f"{folder}/{cell}.json" for cell in able]
            found += [f"results/{name}/{engines.split(engine)[0]}/{cell}.json" for cell in cells]
    for name, scan in scans(plan):
        for engine, option in variants(plan, name):
            own = plan.records(name, [engines.split(engine)[0]])
            found += [f"{FOLDER}/{name}/{engine}/{option}/{scan}.json"]
            found += [f"results/{path}" for path in own if path.endswith(f"/{scan}.json")]
    return plan.needed(list(dict.fromkeys(found)))


def compared_words(plan: Plan) -> list[str]:
    """All of it as arguments of the script that compares."""
    words = comparing.declaration_words(plan)
    for name in batched(plan.schema):
        for variant in variants(plan, name):
            words += ["--variant", name, *variant]
    for name, sweep, grid in sweeps(plan):
        words += ["--sweep", name, sweep, *settings.grid_to_words(plan.moved(name, grid))]
    for scan in scans(plan):
        words += ["--scan", *scan]
    return words
