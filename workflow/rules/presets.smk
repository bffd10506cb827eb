# Questions that are asked by presets/NAME.yaml: each adds drops or picks, and is answered by the target NAME.


rule gripper:
    input:
        answer("gripper", "pick", "results/grasp_gripper.csv", "figures/grasp_gripper.png"),


rule pick_sweep_figure:
    input:
        "results/grasp_{sweep}.csv",
    output:
        png=report(
            "figures/grasp_{sweep}.png",
            category=CATEGORIES["pick"],
            caption="../report/pick_sweep_figure.rst",
            labels={"kind": "figure", "table": "{sweep}"},
        ),
        svg="figures/grasp_{sweep}.svg",
    log:
        "logs/pick_sweep_figure/{sweep}.log",
    wildcard_constraints:
        sweep="|".join(PICK["sweeps"]),
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("pick_sweep_figure.py", settings.to_words({axis: pick_default(axis) for axis in LIFT})),
    shell:
        "python {params.script} --summary {input} --png {output.png} --svg {output.svg} {params.settings:q} > {log} 2>&1"


# A question under `presets` has a table and a figure of its own. Where scripts/ has a NAME_run.py, NAME_table.py or
# NAME_figure.py, that takes the place of what every other one of the experiment is made with.
PRESETS = {name: next(iter(preset.items())) for name, preset in config["presets"].items()}
PRESET_SCRIPTS = {
    "drop": {"run": "drop_run.py", "table": "drop_table.py", "figure": "drop_map.py"},
    "pick": {"run": "pick_run.py", "table": "pick_summary.py", "figure": "pick_bars.py"},
}
PRESET_LABELS = {"drop": "sweep", "pick": "table"}  # as those of the experiments' own tables and figures in the report
RULES = {rule.name for rule in workflow.rules}
if taken := PRESETS.keys() & RULES:
    sys.exit(f"config.presets has {min(taken)}, which is a rule of the workflow; allowed: any other name")


def not_given(name):
    """An input function of a preset whose file is not in the configuration: it stops before any job and says how to give it."""

    def files_of(wildcards):
        raise WorkflowError(f"{name} needs its preset; allowed: snakemake {name} --configfile presets/{name}.yaml")

    return files_of


def own_script(name, part):
    """The preset's own script for a part of its work, "run" for example; None where it has none."""
    return f"{name}_{part}.py" if (PROJECT / "scripts" / f"{name}_{part}.py").exists() else None


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


for preset, (experiment, grid) in PRESETS.items():

    if own_script(preset, "run"):

        rule:
            name:
                f"{preset}_run"
            input:
                engine=".engines/{engine}/engine.json",
                model=model_of(experiment, compiled=experiment == "pick"),
            output:
                f"results/{preset}/{{engine}}/{{cell}}.json",
            log:
                f"logs/{preset}_run/{{engine}}/{{cell}}.log",
            cache: True
            conda:
                "../../envs/workflow.yaml"
            params:
                **depends_on(own_script(preset, "run"), cell_words(experiment), engine=True),
                parts=parts_words(experiment),
            shell:
                ".engines/{wildcards.engine}/bin/python {params.script} --model {input.model} --out {output} {params.parts:q}"
                " {params.settings:q} > {log} 2>&1"

    rule:
        name:
            f"{preset}_table"
        input:
            cells(experiment, grid, preset_folder(preset)),
        output:
            report(
                f"results/{preset}.csv",
                category=CATEGORIES[experiment],
                caption=preset_caption(preset),
                labels={"kind": "table", PRESET_LABELS[experiment]: preset},
            ),
        log:
            f"logs/{preset}_table.log",
        localrule: True
        conda:
            "../../envs/workflow.yaml"
        params:
            **depends_on(preset_script(preset, "table"), preset_words(preset)),
            folder=preset_folder(preset),
        shell:
            "python {params.script} --cells {params.folder} --out {output} {params.settings:q} > {log} 2>&1"

    rule:
        name:
            f"{preset}_figure"
        input:
            f"results/{preset}.csv",
        output:
            png=report(
                f"figures/{preset}.png",
                category=CATEGORIES[experiment],
                caption=preset_caption(preset),
                labels={"kind": "figure", PRESET_LABELS[experiment]: preset},
            ),
            svg=f"figures/{preset}.svg",
        log:
            f"logs/{preset}_figure.log",
        localrule: True
        conda:
            "../../envs/workflow.yaml"
        params:
            **depends_on(preset_script(preset, "figure")),
        shell:
            "python {params.script} --table {input} --png {output.png} --svg {output.svg} > {log} 2>&1"

    rule:
        name:
            preset
        input:
            f"results/{preset}.csv",
            f"figures/{preset}.png",
            f"figures/{preset}.svg",


for preset in sorted({path.stem for path in (PROJECT / "presets").glob("*.yaml")} - PRESETS.keys() - RULES):

    rule:
        name:
            preset
        input:
            not_given(preset),
