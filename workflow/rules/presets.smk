# Questions that are asked by presets/NAME.yaml: each adds a sweep NAME to drops or picks, and is answered by the target NAME.


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
