"""What the rules ask of the configuration and of each other: the cells of a sweep, what a job depends on, where it is reported.

One `Plan` stands for a run. Rule files say by `makes` and `on_architectures` what they make, and ask for what others do.
"""

import csv
import functools
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from snakemake.exceptions import WorkflowError

from lib import checks, locks, naming, provenance
from lib.schema import Schema, axes, defaults, grids, lacking, repeats, with_engines
from lib.snakemake_internals import asked_for, is_timed_out, report
from records import engines, files, settings

Grid = dict[str, list]
NamedGrids = list[tuple[str, Grid] | tuple[str, Grid, Grid]]  # the last is what the grid is compared with


class Plan:
    """The checked configuration of one run of a project, and what follows from it.

    defaults: of each experiment whose cells are named by axes, its defaults and those that its source brings
    source: of each of them, the axis of its source, empty for what was published
    code: the digest of each script's code by the name of its file; records name the code that made them
    """

    def __init__(self, project: Path, config: dict, schema: Schema) -> None:
        self.project, self.config, self.schema = project, config, schema
        self.envs, self.published = (Path(os.path.relpath(project / name)) for name in ("envs", "workflow/published"))
        self.source = {name: naming.source(config, schema, name) for name in grids(schema)}
        own = {name: naming.own_defaults(config, schema, name) for name in grids(schema)}
        self.defaults = {name: defaults(schema, name) | own[name] for name in grids(schema)}
        self.code: dict[str, str] = {}
        self._own, self._made, self._emulated, self._options, self._ready = own, {}, {}, {}, {}
        self._on_request: dict[str, list[str]] = {}
        self._settings = functools.cache(self._settings_of)
        self._lacking = functools.cache(lambda experiment, engine: lacking(schema, experiment, engine))
        self._default_words = {name: _words(",".join(settings.to_words(found))) for name, found in self.defaults.items()}

    # What is made

    def makes(self, experiment: str, made: Iterable[str]) -> None:
        """Tables and figures that belong to an experiment: `all` makes them, and the ledger reads the tables."""
        self._made.setdefault(experiment, []).extend(made)

    def made(self) -> list[str]:
        """All that the experiments make."""
        return [path for made in self._made.values() for path in made]

    def documents(self) -> dict[str, str]:
        """The published documents by the word that stands for each, as readers know them."""
        with (self.published / "documents.csv").open(newline="", encoding="utf-8") as documents:
            return {row["document"]: row["title"] for row in csv.DictReader(documents)}

    def measured_tables(self) -> list[str]:
        """The tables that measure published numbers; one of a robot of the user's own measures something else."""
        with (self.published / "columns.csv").open(newline="", encoding="utf-8") as columns:
            named = {f"results/{row['table']}.csv" for row in csv.DictReader(columns)}
        return sorted(
            path for experiment, made in self._made.items() if not self.source.get(experiment) for path in made if path in named
        )

    def makes_on_request(self, experiment: str, made: Iterable[str]) -> None:
        """Tables of an experiment that only those get who ask for them."""
        self._on_request.setdefault(experiment, []).extend(made)

    def tables_of_causes(self, workflow) -> list[str]:
        """The tables that show why published numbers differ and measure none of them, as `at_hand`."""
        with (self.published / "known_differences.csv").open(newline="", encoding="utf-8") as causes:
            targets = {row["target"] for row in csv.DictReader(causes)} - set(self.measured_tables())
        tables = [
            path
            for named in (self._made, self._on_request)
            for experiment, paths in named.items()
            if not self.source.get(experiment)
            for path in paths
        ]
        return at_hand(workflow, sorted(targets.intersection(tables)))

    def on_architectures(self, experiment: str, ledger: Iterable[str], compared: Iterable[str]) -> None:
        """Tables in results/architectures/ENGINE/ that an experiment makes: those like the ledger's, and those to compare."""
        self._emulated[experiment] = (list(ledger), list(compared))

    def emulated_tables(self, workflow) -> list[str]:
        """The ledger's tables of the emulated engine, as `at_hand`: the ledger never asks for an emulated run by itself."""
        return [] if any(self.source.values()) else at_hand(workflow, self.architecture_tables(compared=False))

    def case_words(self) -> list[str]:
        """What the cases of published numbers call default, as words."""
        declared = self.schema.experiments.items()
        return [
            word for name, part in declared if "published" in part for word in settings.to_words(defaults(self.schema, name))
        ]

    def architecture_tables(self, compared: bool) -> list[str]:
        """The paths of these tables, on the emulated engine or, where they are compared, also on the machine's own."""
        engine = self.config["architectures"]["engine"]
        found = [engine, engines.split(engine)[0]] if compared else [engine]
        names = [name for tables in self._emulated.values() for name in tables[compared]]
        return [f"results/architectures/{engine}/{name}.csv" for engine in found for name in names]

    def architecture_words(self) -> list[str]:
        """Those that are compared as arguments, those of an experiment behind its name."""
        paths = self.architecture_tables(compared=True)
        own = {name: [path for path in paths if Path(path).stem in tables] for name, (_, tables) in self._emulated.items()}
        return [word for name, found in own.items() for word in ("--tables", name, *found)]

    # Cells

    def moved(self, experiment: str, sweep: Grid) -> Grid:
        """A sweep's grid with only the axes it moves: what names its cells."""
        return naming.moved(self.config, self.schema, experiment, sweep)

    def cells(self, experiment: str, sweep: Grid, folder: str | None = None) -> list[str]:
        """The cells of a sweep, in the order of its grid; `folder` is that of the experiment if absent."""
        names = settings.grid(self.moved(experiment, sweep))
        folder = folder or f"results/{experiment}"
        return [f"{folder}/{cell.pop('engine')}/{settings.cell_name(cell)}.json" for cell in names]

    def cells_of_all(self, experiment: str, named: NamedGrids, folder: str | None = None) -> list[str]:
        """The cells of several named grids; one that they share stands there once. Raises what `needed` raises."""
        found = dict.fromkeys(cell for _, *grids in named for grid in grids for cell in self.cells(experiment, grid, folder))
        return self.needed(list(found))

    def needed(self, made_of: list[str]) -> list[str]:
        """What something is made of that is asked for. Raises WorkflowError where the configuration has taken it all away."""
        if not made_of:
            raise WorkflowError("the configuration has nothing left that this is made of; allowed: fewer keys that are null")
        return made_of

    def setting(self, experiment: str, axis: str):
        """The value of an axis that a sweep does not name."""
        common = naming.with_settings(self.config, self.schema, experiment, {})
        return common.get(axis, [self.defaults[experiment][axis]])[0]

    def settings_of(self, experiment: str, cell: str, stage: str | None = None) -> dict:
        """The settings behind the name of a cell or a scene, of one stage or of all, in the schema's order."""
        known = axes(self.schema, experiment)
        found = self._settings(experiment, cell)
        return {axis: value for axis, value in found.items() if stage in (None, known[axis]["stage"])}

    def words_of(self, experiment: str, cell: str, stage: str | None = None) -> list[str]:
        """The same as words: those of the name, which has one way to write a value, and those of the defaults."""
        words = self._default_words[experiment] | _words(cell)
        return [words[axis] for axis in self.settings_of(experiment, cell, stage)]

    def scene_of(self, experiment: str, cell: str) -> str:
        """The name of the scene that a cell runs on: what of the cell's own name the scene is made from."""
        scene = self.settings_of(experiment, cell, "source") | self.settings_of(experiment, cell, "model")
        return ",".join(word for axis, word in _words(cell).items() if axis in scene) or settings.DEFAULT

    def _settings_of(self, experiment: str, cell: str) -> dict:
        try:
            named = naming.named(self.schema, experiment, cell, self._own[experiment])
        except ValueError as error:
            raise WorkflowError(str(error)) from None
        known = axes(self.schema, experiment)
        source = {axis: value for axis, value in named.items() if known[axis]["stage"] == "source"}
        if source != self.source[experiment]:
            allowed = settings.cell_name(self.source[experiment])
            raise WorkflowError(f"{cell} belongs to {settings.cell_name(source)}; allowed by the configuration: {allowed}")
        return named

    def lacks(self, experiment: str, engine: str, cell: str) -> dict[str, str]:
        """The words of a cell's name that an engine does not have, each with the first version that has it."""
        missing = self._lacking(experiment, engine)
        return {word: missing[word] for word in cell.split(",") if word in missing}

    def sweeps_elsewhere(self, experiment: str) -> list[str]:
        """The sweeps that run on the emulated architecture: those the configuration names, or all that its version can run."""
        part = self.config["architectures"]
        sweeps = self.config[experiment]["sweeps"].items()
        grids = {name: naming.with_settings(self.config, self.schema, experiment, grid) for name, grid in sweeps}
        able = [name for name, grid in grids.items() if not checks.missing(grid, experiment, self.schema, part["engine"])]
        return part.get(experiment, able)

    def elsewhere(self, experiment: str, named: NamedGrids, engine: str) -> NamedGrids:
        """Named grids on another engine, without sweeps that do not run there; emulated runs are repeated as the configuration
        has it for them, those of marginal values as often as here.
        """
        left_out = self.config[experiment]["sweeps"].keys() - self.sweeps_elsewhere(experiment)
        kept = variant([(name, grid) for name, grid in named if name not in left_out], {"engine": [engine]})
        if not engines.split(engine)[1]:
            return kept
        parts = [(name, part) for name, grid in kept for part in self._by_value(experiment, grid)]
        repeated = self.repeated(experiment)
        return [(name, part if self._is_marginal(experiment, part) else part | repeated) for name, part in parts]

    def _by_value(self, experiment: str, grid: Grid) -> list[Grid]:
        """A grid in parts of one value each, over the axis whose values are repeats of it, where some values are marginal."""
        if experiment not in self.config["architectures"].get("marginal", {}):
            return [grid]
        over = self.schema.experiments[experiment]["counted_over"]
        values = settings.grid({axis: values for axis, values in grid.items() if axis != over})
        return [{axis: [value[axis]] if axis in value else grid[axis] for axis in grid} for value in values]

    def _is_marginal(self, experiment: str, part: Grid) -> bool:
        """Whether the configuration calls what a part of a grid has marginal."""
        marginal = self.config["architectures"].get("marginal", {}).get(experiment, [])
        return any(all(axis in part and _all_in(part[axis], values) for axis, values in among.items()) for among in marginal)

    def planned(self, experiment: str, cell: str) -> str:
        """The name of what the plan of a cell depends on: its settings but those that only its simulation reads."""
        known, named = axes(self.schema, experiment), settings.from_cell_name(cell).items()
        return settings.cell_name({axis: value for axis, value in named if not known[axis].get("simulated", False)})

    def rule_files(self) -> list[str]:
        """The experiments that have a file of rules of their own, which are all but those that share another's."""
        return [name for name in self.schema.experiments if (self.project / f"workflow/rules/{name}.smk").is_file()]

    def model_of(self, experiment: str, compiled: bool | None = None) -> Callable:
        """An input function: the model that the wildcard's cell runs on, as MJCF or as its engine has compiled it.

        `compiled` is what the experiment declares if absent.
        """
        compiled = self.schema.experiments[experiment].get("compiled", False) if compiled is None else compiled

        def model(wildcards):
            for word, since in self.lacks(experiment, wildcards.engine, wildcards.cell).items():
                raise WorkflowError(f"{wildcards.cell}: MuJoCo {wildcards.engine} lacks {word}; allowed: {since} or newer")
            folder, name = f"results/models/{experiment}", self.scene_of(experiment, wildcards.cell)
            return f"{folder}/{wildcards.engine}/{name}.mjb" if compiled else f"{folder}/{name}.xml"

        return model

    # What a job depends on

    def script_path(self, script: str) -> Path | None:
        """Where a script is; the name of its file is one of a kind in scripts/. None where there is no such script."""
        return next((self.project / "scripts").glob(f"*/{script}"), None)

    def depends_on(self, script: str, words=(), engine: bool = False, lock: Callable | None = None) -> dict:
        """Params that say all that a job depends on beside its files: `script`, what it is made of, and its settings.

        `words` are the settings, or a function of the wildcards that gives them. With `engine`, the script runs on the
        interpreter of the wildcard `engine`, which is built of the file that `lock` gives of the wildcards where it is another
        than the engine's; else on the workflow's own. What it writes then knows its own name, so that is a param as well.
        """
        path = self.script_path(script)
        self.code[script] = provenance.code(path).removeprefix("code ")
        name = {"name": lambda w, output: files.name_of(output[0])} if engine else {}
        lock = lock or (lambda w: locks.of_engine(self.envs, w.engine) if engine else self.envs / "workflow.txt")
        return name | {
            "script": os.path.relpath(path),
            "settings": lambda w: provenance.Settings(words(w) if callable(words) else words),
            "code": provenance.code(path),
            "software": lambda w: provenance.software(path, lock(w)),
            "machine": lambda w: provenance.machine(engines.split(w.engine)[1] if engine else ""),
        }

    def on_engine(self, *others: str) -> dict:
        """Inputs of a rule whose script runs on the engine of its wildcard; `others` are files that have to be there too."""
        return {"engine": ".engines/{engine}/engine.json"} | ({"beside": others} if others else {})

    def runs(self, experiment: str) -> dict:
        """Params of the rule that runs an experiment's cells: what one depends on, and the options of the way it is run in."""
        declared = self.schema.experiments[experiment]
        words = {"grid": self.cell_words, "parts": self.part_words, "whole": self.whole_words}[declared["cells"]]
        ways = {"marks": ["--marks"]} | {name: [way["option"]] for name, way in declared.get("ways", {}).items()}

        def options(wildcards):
            return ways.get(wildcards.way.rstrip("/").removeprefix("verify/"), []) + self.run_options(experiment)

        return self.depends_on(declared["run"], words(experiment), engine=True) | {"options": options}

    def runs_with(self, experiment: str, options: list[str]) -> None:
        """Options that every run of an experiment's cells gets, its questions' own included."""
        self._options[experiment] = options

    def run_options(self, experiment: str) -> list[str]:
        """These options; none where the experiment's rules name none."""
        return self._options.get(experiment, [])

    def ready_by(self, experiment: str, named: Callable[[str], str]) -> None:
        """What is checked once for many cells of an experiment before any of them is run: `named` gives the name of a cell's
        check, results/EXPERIMENT_ready/ENGINE/NAME.json, or "" where none is needed.
        """
        self._ready[experiment] = named

    def ready_for(self, experiment: str) -> Callable:
        """An input function: that check of the wildcard's cell; none where the experiment's rules name none."""

        def checked(wildcards):
            name = self._ready[experiment](wildcards.cell) if experiment in self._ready else ""
            return [f"results/{experiment}_ready/{wildcards.engine}/{name}.json"] if name else []

        return checked

    def ways(self, experiment: str) -> str:
        """The ways in which an experiment's cells are run, a pattern of the wildcard before its name in results/."""
        declared = self.schema.experiments[experiment]
        plain = ["", *(f"{name}/" for name in declared.get("ways", {}))]
        marks = ["marks/"] if declared.get("marks") else []
        return "|".join([*plain, *marks, *(f"verify/{way}" for way in plain)])

    def cell_words(self, experiment: str, stage: str | None = None, wildcard: str = "cell") -> Callable:
        """A params function: the settings of the wildcard's cell or scene."""
        return lambda w: self.words_of(experiment, getattr(w, wildcard), stage)

    def part_words(self, experiment: str) -> Callable:
        """A params function: the settings of one part of an experiment, whose name is the wildcard's cell, as one word."""
        return lambda w: [json.dumps(self.config[experiment][w.cell])]

    def whole_words(self, experiment: str) -> list[str]:
        """The settings of an experiment that is one cell."""
        return settings.to_words({name: value for name, value in self.config[experiment].items() if name != "engine"})

    def contents_of(self, *paths: str | Path) -> Callable:
        """A params function: what input files hold that people edit, as dates need not tell; paths may have wildcards."""
        return lambda w: provenance.contents(str(path).format(**dict(w.items())) for path in paths)

    def emulated_lock(self, wildcards) -> Path:
        """An input function: the lock of an emulated engine; it stops before any job where this machine cannot run that."""
        engine = f"{wildcards.version}-{wildcards.architecture}"
        if hindrance := engines.hindrance(engine):
            raise WorkflowError(f"engine {engine}, {hindrance}")
        return locks.of_engine(self.envs, engine)

    # Sweeps as the arguments of scripts

    def sweep_words(self, experiment: str, named: NamedGrids, option: str = "--sweep") -> list[str]:
        """Named grids as arguments: the option before each, then its name, then its words, and what it is compared with."""
        words = []
        for name, grid, *reference in named:
            words += [option, name, *settings.grid_to_words(self.moved(experiment, grid))]
            words += [word for other in reference for word in self.against(experiment, other)]
        return words

    def against(self, experiment: str, reference: Grid) -> list[str]:
        """The words behind those of a grid that say with which other one it is compared."""
        return [settings.AGAINST, *settings.grid_to_words(self.moved(experiment, reference))]

    def repeated(self, experiment: str, count: int | None = None) -> Grid:
        """How often the runs of an experiment are repeated from moved starts, where it has an axis for that: as often as the
        configuration has it for emulated ones unless `count` says otherwise.
        """
        count = self.config["architectures"]["perturbations"] if count is None else count
        return {axis: [count] for axis in repeats(self.schema, experiment)}

    def parts(self, experiment: str) -> list[str]:
        """The parts of an experiment that the configuration has, each a cell."""
        return [name for name in self.config[experiment] if name != "engine"]

    def records(self, experiment: str, named: list[str] | None = None) -> list[str]:
        """The records of an experiment that is one cell, or one for each of its parts, below results/; on the engines that the
        configuration names, or on others.
        """
        cells = self.parts(experiment) if self.schema.experiments[experiment]["cells"] == "parts" else ["all"]
        named = checks.engines_of(self.config[experiment]) if named is None else named
        return [f"{experiment}/{engine}/{cell}.json" for cell in cells for engine in named]

    def engines_used(self) -> list[str]:
        """Every engine that the configuration names for an experiment."""
        grids = [grid for name in self.source for grid in naming.sweeps(self.config, self.schema, name).values()]
        others = [engine for name in with_engines(self.schema) for engine in checks.engines_of(self.config[name])]
        return sorted({*others, *(engine for grid in grids for engine in grid["engine"])})

    # The report

    def category(self, name: str) -> str:
        """The category of the report for an experiment or one of the general ones; categories are sorted by name."""
        titles = dict.fromkeys(declared["title"] for declared in self.schema.experiments.values())
        order = ["Ledger", *titles, *GENERAL.values()]
        title = self.schema.experiments[name]["title"] if name in self.schema.experiments else GENERAL.get(name, "Ledger")
        return f"{order.index(title) + 1:0{len(str(len(order)))}} {title}"

    def table(self, path: str, caption: str, category: str, **labels: str):
        """A table, as an output with its place in the report: a category, in that a `subcategory` or none, and labels."""
        return self._reported(path, caption, category, {"kind": "table"} | labels)

    def figure(self, name: str, caption: str, category: str, **labels: str) -> dict:
        """The outputs of a figure, the picture with its place in the report and the drawing."""
        picture = self._reported(f"figures/{name}.png", caption, category, {"kind": "figure"} | labels)
        return {"png": picture, "svg": f"figures/{name}.svg"}

    def page(self, path: str, caption: str, category: str, **labels: str):
        """A page, as an output with its place in the report."""
        return self._reported(path, caption, category, {"kind": "page"} | labels)

    def _reported(self, path: str, caption: str, category: str, labels: dict):
        within = {"category": self.category(category), "subcategory": labels.pop("subcategory", None)}
        return report(path, **within, caption=f"../report/{caption}.rst", labels=labels)


GENERAL = {
    "versions": "MuJoCo versions",
    "architectures": "Architectures",
    "implementations": "Other implementations",
    "machines": "Other machines",
    "settings": "Settings and machine",
}


def _words(cell: str) -> dict[str, str]:
    """The words of a cell's name by their axes."""
    return {word.partition("=")[0]: word for word in cell.split(",") if cell != settings.DEFAULT}


def variant(named: NamedGrids, moves: Grid) -> NamedGrids:
    """Named grids with some axes moved for every cell."""
    return [(name, grid | moves) for name, grid in named]


def against(named: NamedGrids, moves: Grid) -> NamedGrids:
    """The same, to be compared with the grids in which they are not moved."""
    return [(name, grid | moves, grid) for name, grid in named]


def _all_in(values: list, others: list) -> bool:
    """Whether all of some values of an axis are among others, as cells are named by them."""
    return set(map(settings.to_word, values)) <= set(map(settings.to_word, others))


def at_hand(workflow, paths: Iterable[str]) -> list[str]:
    """Those of some tables that are there or that this run is asked for: the ledger reads them, and never asks for them."""
    asked = asked_for(workflow)
    return [path for path in paths if path in asked or Path(path).exists()]


def timed_out(folder: Path) -> list[Path]:
    """The cells in a folder that timed out; those that are links are in the store, hence measured."""
    return [path for path in folder.rglob("*.json") if not path.is_symlink() and is_timed_out(path)]
