# A cube dropped onto a thin table: model -> run -> table -> figure.
SWEEPS = config["drop"]["sweeps"]
IMPACT = config["drop"].get("impact")
plan.makes(
    "drop", expand("results/{sweep}.csv", sweep=SWEEPS) + expand("figures/{sweep}.{kind}", sweep=SWEEPS, kind=["png", "svg"])
)
plan.makes("drop", ["figures/impact.png", "figures/impact.svg"] if IMPACT else [])
plan.on_architectures("drop", plan.sweeps_elsewhere("drop"), plan.sweeps_elsewhere("drop"))


wildcard_constraints:
    sweep="|".join(SWEEPS) or "no sweep",


rule drop_model:
    output:
        "results/models/drop/{scene}.xml",
    log:
        "logs/drop_model/{scene}.log",
    localrule: True
    params:
        **plan.depends_on("drop_model.py", plan.cell_words("drop", "model", "scene")),
    shell:
        "python {params.script} --out {output} {params.settings:q} > {log} 2>&1"


rule drop_run:
    input:
        **plan.on_engine(),
        model=plan.model_of("drop"),
    output:
        "results/{way}drop/{engine}/{cell}.json",
    log:
        "logs/{way}drop_run/{engine}/{cell}.log",
    wildcard_constraints:
        way=plan.ways("drop"),
    cache: True
    params:
        **plan.runs("drop"),
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --model {input.model:q} --out {output} {params.options:q}"
        " {params.settings:q} > {log} 2>&1"


rule drop_table:
    input:
        lambda w: plan.cells("drop", SWEEPS[w.sweep]),
    output:
        plan.table("results/{sweep}.csv", "drop_table", "drop", sweep="{sweep}"),
    log:
        "logs/drop_table/{sweep}.log",
    localrule: True
    params:
        **plan.depends_on("drop_table.py", lambda w: plan.sweep_words("drop", [(w.sweep, SWEEPS[w.sweep])])),
    shell:
        "python {params.script} --cells results/drop --out {output} {params.settings:q} > {log} 2>&1"


use rule drop_table as architecture_drop_table with:
    input:
        lambda w: plan.cells_of_all("drop", plan.elsewhere("drop", [(w.sweep, SWEEPS[w.sweep])], w.engine)),
    output:
        "results/architectures/{engine}/{sweep}.csv",
    log:
        "logs/architecture_drop_table/{engine}/{sweep}.log",
    params:
        **plan.depends_on(
            "drop_table.py",
            lambda w: plan.sweep_words("drop", plan.elsewhere("drop", [(w.sweep, SWEEPS[w.sweep])], w.engine)),
        ),


rule drop_figure:
    input:
        "results/{sweep}.csv",
    output:
        **plan.figure("{sweep}", "drop_figure", "drop", sweep="{sweep}"),
    log:
        "logs/drop_figure/{sweep}.log",
    localrule: True
    params:
        **plan.depends_on("drop_figure.py", lambda w: plan.sweep_words("drop", [(w.sweep, SWEEPS[w.sweep])])),
    shell:
        "python {params.script} --table {input} --png {output.png} --svg {output.svg} > {log} 2>&1"


if IMPACT:

    rule impact_figure:
        input:
            plan.cells("drop", IMPACT, "results/trajectories/drop"),
        output:
            **plan.figure("impact", "impact_figure", "drop", sweep="impact"),
        log:
            "logs/impact_figure.log",
        localrule: True
        params:
            **plan.depends_on("impact_figure.py", plan.sweep_words("drop", [("impact", IMPACT)])),
        shell:
            "python {params.script} --trajectories {input:q} --png {output.png} --svg {output.svg} > {log} 2>&1"
