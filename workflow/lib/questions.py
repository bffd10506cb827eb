"""Questions under `presets` of the configuration: what each is run, tabulated and drawn with, and where its answer stands."""

from collections.abc import Callable

from snakemake.exceptions import WorkflowError

from lib.plan import Plan


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


def not_asked(plan: Plan) -> list[str]:
    """The questions of presets/ that the configuration does not ask; one that names its sweep itself has a rule of its own."""
    presets = {path.stem for path in (plan.project / "presets").glob("*.yaml")}
    return sorted(presets - plan.config["presets"].keys() - {"gripper"})


def not_given(name: str) -> Callable:
    """An input function of a question that is not in the configuration: it stops before any job and says how to give it."""

    def files_of(wildcards):
        raise WorkflowError(f"{name} needs its preset; allowed: snakemake {name} --configfile presets/{name}.yaml")

    return files_of
