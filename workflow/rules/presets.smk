# Questions that are asked by presets/NAME.yaml: each adds drops or picks, and is answered by the target NAME.


rule gripper:
    input:
        ["results/grasp_gripper.csv", "figures/grasp_gripper.png"] if "gripper" in PICK["sweeps"] else not_given("gripper"),


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


if taken := PRESETS.keys() & {rule.name for rule in workflow.rules}:
    sys.exit(f"config.presets has {min(taken)}, which is a rule of the workflow; allowed: any other name")

# Every question under `presets`, from its cells to its table, its figure and its target.
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
                ".engines/{wildcards.engine}/bin/python {params.script} --model {input.model:q} --out {output} {params.parts:q}"
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


for preset in sorted({path.stem for path in (PROJECT / "presets").glob("*.yaml")} - PRESETS.keys() - {"gripper"}):

    rule:
        name:
            preset
        input:
            not_given(preset),
