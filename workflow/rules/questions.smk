# What the questions under `presets` are made with; no rule. Each has a table and a figure of its own. Where scripts/ has a
# NAME_run.py, NAME_table.py or NAME_figure.py, that takes the place of what every other one of the experiment is made with.
PRESETS = {name: next(iter(preset.items())) for name, preset in config["presets"].items()}
PRESET_SCRIPTS = {
    "drop": {"run": "drop_run.py", "table": "drop_table.py", "figure": "drop_map.py"},
    "pick": {"run": "pick_run.py", "table": "pick_summary.py", "figure": "pick_bars.py"},
}
PRESET_LABELS = {"drop": "sweep", "pick": "table"}  # as those of the experiments' own tables and figures in the report


def not_given(name):
    """An input function of a preset whose file is not in the configuration: it stops before any job and says how to give it."""

    def files_of(wildcards):
        raise WorkflowError(f"{name} needs its preset; allowed: snakemake {name} --configfile presets/{name}.yaml")

    return files_of


def own_script(name, part):
    """The preset's own script for a part of its work, "run" for example; None where it has none."""
    return f"{name}_{part}.py" if script_path(f"{name}_{part}.py") else None


def preset_script(name, part):
    """The script for a part of a preset's work."""
    return own_script(name, part) or PRESET_SCRIPTS[PRESETS[name][0]][part]


def preset_folder(name):
    """The folder of a preset's cells; those that every sweep of the experiment has are shared with it."""
    return f"results/{name if own_script(name, 'run') else PRESETS[name][0]}"


def preset_caption(name):
    """The preset's answer, or, of one that has none yet, its settings."""
    return f"../report/{name if (PROJECT / 'workflow/report' / f'{name}.rst').exists() else 'preset'}.rst"


def parts_words(experiment):
    """A params function: the names of the robot's parts as arguments, where there is a robot."""
    return lambda w: ["--parts", robot_parts(w)] if experiment == "pick" else []


def preset_words(name):
    """The preset's grid as arguments of the script that makes its table."""
    experiment, grid = PRESETS[name]
    if experiment == "pick":
        return grids_words("pick", [(name, grid)], "--sweep")
    return settings.grid_to_words(moved(experiment, grid))
