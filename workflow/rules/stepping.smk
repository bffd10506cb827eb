# Steppers beside MuJoCo's integrators: model -> run -> table -> figure. One record an engine.
STEPPING_RUN = [f"results/{path}" for path in plan.records("stepping")]
STEPPING_TABLES = ["steppers", "energy", "growth", "overlap", "split"] if STEPPING_RUN else []
plan.makes("stepping", expand("results/stepping_{table}.csv", table=STEPPING_TABLES))
plan.makes("stepping", ["figures/stepping.png", "figures/stepping.svg"] if STEPPING_RUN else [])


rule stepping_model:
    output:
        "results/models/stepping/spring.xml",
    log:
        "logs/stepping_model.log",
    localrule: True
    params:
        **plan.depends_on("stepping_model.py", settings.to_words({"frequency_Hz": config["stepping"]["frequency_Hz"]})),
    shell:
        "python {params.script} --out {output} {params.settings:q} > {log} 2>&1"


rule stepping_run:
    input:
        engine=".engines/{engine}/engine.json",
        spring="results/models/stepping/spring.xml",
        scene="results/models/drop/default.xml",
    output:
        "results/{way}stepping/{engine}/all.json",
    log:
        "logs/{way}stepping_run/{engine}.log",
    wildcard_constraints:
        way=plan.ways("stepping"),
    cache: True
    params:
        **plan.runs("stepping"),
        duration_s=plan.defaults["drop"]["duration_s"],
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --spring {input.spring} --scene {input.scene} --out {output}"
        " {params.settings:q} duration_s={params.duration_s} > {log} 2>&1"


rule stepping_table:
    input:
        STEPPING_RUN,
    output:
        plan.table("results/stepping_{table}.csv", "stepping_table", "stepping", table="{table}"),
    log:
        "logs/stepping_table/{table}.log",
    wildcard_constraints:
        table="|".join(STEPPING_TABLES) or "no table",
    localrule: True
    params:
        **plan.depends_on("stepping_table.py", lambda w: [f"table={w.table}"]),
    shell:
        "python {params.script} --run {input} --table {wildcards.table} --out {output} > {log} 2>&1"


rule stepping_figure:
    input:
        lambda w: plan.needed(STEPPING_RUN),
    output:
        **plan.figure("stepping", "stepping_figure", "stepping", table="energy and growth"),
    log:
        "logs/stepping_figure.log",
    localrule: True
    params:
        **plan.depends_on("stepping_figure.py"),
    shell:
        "python {params.script} --run {input} --png {output.png} --svg {output.svg} > {log} 2>&1"
