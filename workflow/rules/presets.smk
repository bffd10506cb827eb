# Questions that are asked by presets/NAME.yaml: each adds a sweep of an experiment, and is answered by the target NAME, a table and a
# figure. Where scripts/ has a NAME_run.py, NAME_table.py or NAME_figure.py, that takes the place of the experiment's own.
QUESTIONS = [questions.Question(plan, name) for name in config["presets"]]
if taken := {question.name for question in QUESTIONS} & {rule.name for rule in workflow.rules}:
    sys.exit(f"config.presets has {min(taken)}, which is a rule of the workflow; allowed: any other name")

for question in QUESTIONS:

    if question.runs_itself:

        rule:
            name:
                f"{question.name}_run"
            input:
                **plan.on_engine(),
                ready=plan.ready_for(question.experiment),
                model=plan.model_of(question.experiment),
            output:
                f"results/{question.name}/{{engine}}/{{cell}}.json",
            log:
                f"logs/{question.name}_run/{{engine}}/{{cell}}.log",
            cache: True
            params:
                **plan.depends_on(question.run, plan.cell_words(question.experiment), engine=True),
                options=question.options,
            shell:
                ".engines/{wildcards.engine}/bin/python {params.script} --model {input.model:q} --out {output}"
                " {params.options:q} {params.settings:q} > {log} 2>&1"

    rule:
        name:
            f"{question.name}_table"
        input:
            question.cells,
        output:
            plan.table(f"results/{question.name}.csv", question.caption, question.experiment, **question.label),
        log:
            f"logs/{question.name}_table.log",
        localrule: True
        params:
            **plan.depends_on(question.table, question.words),
            folder=question.folder,
        shell:
            "python {params.script} --cells {params.folder} --out {output} {params.settings:q} > {log} 2>&1"

    rule:
        name:
            f"{question.name}_figure"
        input:
            f"results/{question.name}.csv",
        output:
            **plan.figure(question.name, question.caption, question.experiment, **question.label),
        log:
            f"logs/{question.name}_figure.log",
        localrule: True
        params:
            **plan.depends_on(question.figure),
        shell:
            "python {params.script} --table {input} --png {output.png} --svg {output.svg} > {log} 2>&1"

    rule:
        name:
            question.name
        input:
            f"results/{question.name}.csv",
            f"figures/{question.name}.png",
            f"figures/{question.name}.svg",


for added in questions.made_of_others(plan):

    rule:
        name:
            added.name
        input:
            added.results if added.is_asked else questions.not_given(added.name),


for preset in questions.not_asked(plan):

    rule:
        name:
            preset
        input:
            questions.not_given(preset),
