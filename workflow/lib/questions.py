"""Questions under `presets` of the configuration: what each is run, tabulated and drawn with, and where its answer stands."""

from collections.abc import Callable
from pathlib import Path

import yaml
from snakemake.exceptions import WorkflowError

from lib.plan import Plan
from lib.schema import Schema, named


class Question:
    """One question: a sweep of an experiment with a table, a figure and a target of its own, all called `name`.

    Where scripts/ has a NAME_run.py, NAME_table.py or NAME_figure.py, that takes the place of the experiment's own, and its
    cells lie in a folder of their own.
    """

    def __init__(self, plan: Plan, name: str) -> None:
        self.name = name
        [(self.experiment, grid)] = plan.config["presets"][name].items()
        preset = plan.schema.experiments[self.experiment]["preset"]
        own = {part: script for part in ("run", "table", "figure") if plan.script_path(script := f"{name}_{part}.py")}
        self.run, self.runs_itself = own.get("run"), "run" in own
        self.table, self.figure = own.get("table", preset["table"]), own.get("figure", preset["figure"])
        self.options = plan.run_options(self.experiment)
        self.folder = f"results/{name if self.runs_itself else self.experiment}"
        self.cells = plan.cells(self.experiment, grid, self.folder)
        self.words = plan.sweep_words(self.experiment, [(name, grid)])
        self.label = {preset["label"]: name}
        answered = (plan.project / "workflow/report" / f"{name}.rst").exists()
        self.caption = name if answered else "preset"  # the answer, or of one that has none yet its settings


class AddedSweep:
    """A preset that adds a sweep to an experiment, and is answered by the table and the figure of that sweep."""

    def __init__(self, plan: Plan, name: str, experiment: str, sweep: str) -> None:
        self.name = name
        declared = plan.schema.experiments[experiment]["sweep"]
        stem, self.caption = declared["results"].format(sweep=sweep), declared["caption"]
        self.stems, self.is_asked, self.results = [stem], sweep in plan.config[experiment]["sweeps"], made_of([stem])


class Gathered:
    """A preset that asks several questions under names of their own, and is answered by the table and the figure of each."""

    def __init__(self, plan: Plan, name: str, asked: set[str]) -> None:
        self.name = self.caption = name
        self.stems, self.is_asked = sorted(asked), asked <= names_asked(plan.schema, plan.config)
        self.results = made_of(self.stems)


def made_of(stems: list[str]) -> list[str]:
    """The table and the figure of each."""
    return [path for stem in stems for path in (f"results/{stem}.csv", f"figures/{stem}.png", f"figures/{stem}.svg")]


def names_asked(schema: Schema, asks: dict) -> set[str]:
    """The questions with a name of their own that a configuration asks."""
    return {name for part in ("presets", *named(schema)) for name in asks.get(part, {})}


def presets(plan: Plan) -> list[tuple[Path, AddedSweep | Gathered | None]]:
    """The files of presets/, each with what its target makes that has other names; None where it asks what it is called."""
    found = []
    for path in sorted((plan.project / "presets").glob("*.yaml")):
        asks = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
        sweeps = [(name, sweep) for name in plan.source for sweep in asks.get(name, {}).get("sweeps", {})]
        asked, added = names_asked(plan.schema, asks), None
        if sweeps and not asked:
            added = AddedSweep(plan, path.stem, *sweeps[0])
        elif path.stem not in asked:
            added = Gathered(plan, path.stem, asked)
        found.append((path, added))
    return found


def made_of_others(plan: Plan) -> list[AddedSweep | Gathered]:
    """The presets whose target makes what has names of its own."""
    return [added for _, added in presets(plan) if added]


def not_asked(plan: Plan) -> list[str]:
    """The questions of presets/ that the configuration does not ask."""
    asked = names_asked(plan.schema, plan.config)
    return [path.stem for path, added in presets(plan) if not added and path.stem not in asked]


def not_given(name: str) -> Callable:
    """An input function of a question that is not in the configuration: it stops before any job and says how to give it."""

    def files_of(wildcards):
        raise WorkflowError(f"{name} needs its preset; allowed: snakemake {name} --configfile presets/{name}.yaml")

    return files_of
