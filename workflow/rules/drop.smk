# A cube dropped onto a thin table: model -> run -> table -> figure.
SWEEPS = config["drop"]["sweeps"]
IMPACT = config["drop"].get("impact")
MADE += expand("results/{sweep}.csv", sweep=SWEEPS) + expand("figures/{sweep}.{kind}", sweep=SWEEPS, kind=["png", "svg"])
MADE += ["figures/impact.png", "figures/impact.svg"] if IMPACT else []


rule drop_model:
    output:
        "results/models/drop/{scene}.xml",
    log:
        "logs/drop_model/{scene}.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("drop_model.py", cell_words("drop", "model", "scene")),
    shell:
        "python {params.script} --out {output} {params.settings:q} > {log} 2>&1"


rule drop_run:
    input:
        engine=".engines/{engine}/engine.json",
        model=model_of("drop"),
    output:
        "results/drop/{engine}/{cell}.json",
    log:
        "logs/drop_run/{engine}/{cell}.log",
    cache: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("drop_run.py", cell_words("drop"), engine=True),
        options="",
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --model {input.model:q} --out {output} {params.options}"
        " {params.settings:q} > {log} 2>&1"


use rule drop_run as drop_trajectory with:
    output:
        "results/trajectories/drop/{engine}/{cell}.json",
    log:
        "logs/drop_trajectory/{engine}/{cell}.log",
    cache: True  # not inherited
    params:
        **depends_on("drop_run.py", cell_words("drop"), engine=True),
        options="--trajectory",


rule drop_table:
    input:
        lambda w: cells("drop", SWEEPS[w.sweep], "results/drop"),
    output:
        report(
            "results/{sweep}.csv",
            category=CATEGORIES["drop"],
            caption="../report/drop_table.rst",
            labels={"kind": "table", "sweep": "{sweep}"},
        ),
    log:
        "logs/drop_table/{sweep}.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("drop_table.py", lambda w: settings.grid_to_words(moved("drop", SWEEPS[w.sweep]))),
    shell:
        "python {params.script} --cells results/drop --out {output} {params.settings:q} > {log} 2>&1"


rule drop_figure:
    input:
        "results/{sweep}.csv",
    output:
        png=report(
            "figures/{sweep}.png",
            category=CATEGORIES["drop"],
            caption="../report/drop_figure.rst",
            labels={"kind": "figure", "sweep": "{sweep}"},
        ),
        svg="figures/{sweep}.svg",
    log:
        "logs/drop_figure/{sweep}.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("drop_figure.py", lambda w: settings.grid_to_words(moved("drop", SWEEPS[w.sweep]))),
    shell:
        "python {params.script} --table {input} --png {output.png} --svg {output.svg} > {log} 2>&1"


if IMPACT:

    rule impact_figure:
        input:
            lambda w: cells("drop", IMPACT, "results/trajectories/drop"),
        output:
            png=report(
                "figures/impact.png",
                category=CATEGORIES["drop"],
                caption="../report/impact_figure.rst",
                labels={"kind": "figure", "sweep": "impact"},
            ),
            svg="figures/impact.svg",
        log:
            "logs/impact_figure.log",
        localrule: True
        conda:
            "../../envs/workflow.yaml"
        params:
            **depends_on("impact_figure.py", lambda w: settings.grid_to_words(moved("drop", IMPACT))),
        shell:
            "python {params.script} --trajectories {input:q} --png {output.png} --svg {output.svg} > {log} 2>&1"
