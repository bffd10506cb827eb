# The same cells in other programs with MuJoCo's physics, a batch of them as one job, beside C: batch -> table -> figure.
for experiment in schemas.grids(SCHEMA):
    for program in engines.IMPLEMENTATIONS:
        for number, batch in enumerate(implementations.batches(plan, experiment)):

            rule:
                name:
                    f"{experiment}_{program}_batch_{number}"
                input:
                    **plan.on_engine(),
                    models=implementations.models(plan, experiment, batch),
                output:
                    implementations.outputs(experiment, batch),
                log:
                    f"logs/implementations/{experiment}/{{engine}}/{{option}}/{number}.log",
                wildcard_constraints:
                    engine=rf"{program}-[0-9.]+(-cuda)?",
                    option=r"\w+=\w+(,\w+=\w+)*",
                params:
                    **plan.depends_on(
                        f"{program}_{experiment}.py", implementations.batch_words(plan, experiment, batch), engine=True
                    ),
                    lock=lambda w: provenance.contents([locks.of_engine(ENVS, w.engine)]),
                    defaults=settings.to_words(plan.defaults[experiment]),
                shell:
                    ".engines/{wildcards.engine}/bin/python {params.script} --option {wildcards.option}"
                    " --settings {params.defaults:q} --models {input.models:q} --out {output:q} > {log} 2>&1"


for experiment, scan in implementations.scans(plan):
    for program in engines.IMPLEMENTATIONS:

        rule:
            name:
                f"{experiment}_{program}_{scan}"
            input:
                **plan.on_engine(),
            output:
                f"{implementations.FOLDER}/{experiment}/{{engine}}/{{option}}/{scan}.json",
            log:
                f"logs/implementations/{experiment}/{{engine}}/{{option}}/{scan}.log",
            wildcard_constraints:
                engine=rf"{program}-[0-9.]+(-cuda)?",
                option=r"\w+=\w+(,\w+=\w+)*",
            params:
                **plan.depends_on(f"{program}_{experiment}.py", [json.dumps(config[experiment][scan])], engine=True),
                lock=lambda w: provenance.contents([locks.of_engine(ENVS, w.engine)]),
            shell:
                ".engines/{wildcards.engine}/bin/python {params.script} --option {wildcards.option}"
                " --settings {params.settings:q} --out {output:q} > {log} 2>&1"


rule implementations_table:
    input:
        lambda w: implementations.compared_cells(plan),
    output:
        plan.table("results/implementations.csv", "implementations_table", "implementations", table="implementations"),
    log:
        "logs/implementations_table.log",
    localrule: True
    params:
        **plan.depends_on("implementations_table.py", lambda w: implementations.compared_words(plan)),
    shell:
        "python {params.script} --results results --out {output} {params.settings:q} > {log} 2>&1"


rule implementations_figure:
    input:
        "results/implementations.csv",
    output:
        **plan.figure("implementations", "implementations_figure", "implementations", table="implementations"),
    log:
        "logs/implementations_figure.log",
    localrule: True
    params:
        **plan.depends_on("implementations_figure.py"),
    shell:
        "python {params.script} --table {input} --png {output.png} --svg {output.svg} > {log} 2>&1"
