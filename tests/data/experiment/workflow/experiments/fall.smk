# A ball in free fall: model -> run -> table -> figure.
FALLS = experiment(
    "fall",
    description="A ball in free fall, whose fallen distance has a closed form for each integrator.",
    axes="""
        dt_ms: {$ref: "#/$defs/timestep", stage: run, description: "Timestep in ms."}
        integrator: {stage: run, default: Euler}
        duration_s: {$ref: "#/$defs/duration", stage: run, default: 0.5, description: "Simulated time in s."}
        height_m: {$ref: "#/$defs/length", stage: model, default: 10, description: "Height of the ball at the start in m."}
    """,
)
MADE += expand("results/fall_{fall}.csv", fall=FALLS) + expand("figures/fall_{fall}.{kind}", fall=FALLS, kind=["png", "svg"])


wildcard_constraints:
    fall="|".join(FALLS) or "no sweep",


rule fall_model:
    output:
        "results/models/fall/{scene}.xml",
    log:
        "logs/fall_model/{scene}.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("fall_model.py", cell_words("fall", "model", "scene")),
    shell:
        "python {params.script} --out {output} {params.settings:q} > {log} 2>&1"


rule fall_run:
    input:
        engine=".engines/{engine}/engine.json",
        model=model_of("fall"),
    output:
        "results/fall/{engine}/{cell}.json",
    log:
        "logs/fall_run/{engine}/{cell}.log",
    cache: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("fall_run.py", cell_words("fall"), engine=True),
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --model {input.model} --out {output}"
        " {params.settings:q} > {log} 2>&1"


rule fall_table:
    input:
        lambda w: cells("fall", FALLS[w.fall], "results/fall"),
    output:
        "results/fall_{fall}.csv",
    log:
        "logs/fall_table/{fall}.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("fall_table.py", lambda w: settings.grid_to_words(moved("fall", FALLS[w.fall]))),
    shell:
        "python {params.script} --cells results/fall --out {output} {params.settings:q} > {log} 2>&1"


rule fall_figure:
    input:
        "results/fall_{fall}.csv",
    output:
        png="figures/fall_{fall}.png",
        svg="figures/fall_{fall}.svg",
    log:
        "logs/fall_figure/{fall}.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("fall_figure.py"),
    shell:
        "python {params.script} --table {input} --png {output.png} --svg {output.svg} > {log} 2>&1"
