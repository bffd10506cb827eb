# A ball in free fall: model -> run -> table -> figure.
FALLS = config["fall"]["sweeps"]
plan.makes("fall", expand("results/fall_{fall}.csv", fall=FALLS))
plan.makes("fall", expand("figures/fall_{fall}.{kind}", fall=FALLS, kind=["png", "svg"]))


wildcard_constraints:
    fall="|".join(FALLS) or "no sweep",


rule fall_model:
    output:
        "results/models/fall/{scene}.xml",
    log:
        "logs/fall_model/{scene}.log",
    localrule: True
    params:
        **plan.depends_on("fall_model.py", plan.cell_words("fall", "model", "scene")),
    shell:
        "python {params.script} --out {output} {params.settings:q} > {log} 2>&1"


rule fall_run:
    input:
        **plan.on_engine(),
        model=plan.model_of("fall"),
    output:
        "results/{way}fall/{engine}/{cell}.json",
    log:
        "logs/{way}fall_run/{engine}/{cell}.log",
    wildcard_constraints:
        way=plan.ways("fall"),
    cache: True
    params:
        **plan.runs("fall"),
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --model {input.model:q} --out {output} {params.options:q}"
        " {params.settings:q} > {log} 2>&1"


rule fall_table:
    input:
        lambda w: plan.cells("fall", FALLS[w.fall]),
    output:
        plan.table("results/fall_{fall}.csv", "preset", "fall", sweep="{fall}"),
    log:
        "logs/fall_table/{fall}.log",
    localrule: True
    params:
        **plan.depends_on("fall_table.py", lambda w: plan.sweep_words("fall", [(w.fall, FALLS[w.fall])])),
    shell:
        "python {params.script} --cells results/fall --out {output} {params.settings:q} > {log} 2>&1"


rule fall_figure:
    input:
        "results/fall_{fall}.csv",
    output:
        **plan.figure("fall_{fall}", "preset", "fall", sweep="{fall}"),
    log:
        "logs/fall_figure/{fall}.log",
    localrule: True
    params:
        **plan.depends_on("fall_figure.py"),
    shell:
        "python {params.script} --table {input} --png {output.png} --svg {output.svg} > {log} 2>&1"
