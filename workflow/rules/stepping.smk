# Steppers beside MuJoCo's integrators: model -> run -> table -> figure.
STEPPING_CONFIG = {axis: value for axis, value in config["stepping"].items() if axis != "engine"}
STEPPING_RUN = f"results/stepping/{config['stepping']['engine']}.json"
STEPPING_TABLES = ["steppers", "energy", "growth", "overlap", "split"]
MADE += expand("results/stepping_{table}.csv", table=STEPPING_TABLES) + ["figures/stepping.png", "figures/stepping.svg"]


rule stepping_model:
    output:
        "results/models/stepping/spring.xml",
    log:
        "logs/stepping_model.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("stepping_model.py", settings.to_words({"frequency_Hz": STEPPING_CONFIG["frequency_Hz"]})),
    shell:
        "python {params.script} --out {output} {params.settings:q} > {log} 2>&1"


rule stepping_run:
    input:
        engine=".engines/{engine}/engine.json",
        spring="results/models/stepping/spring.xml",
        scene="results/models/drop/default.xml",
    output:
        "results/stepping/{engine}.json",
    log:
        "logs/stepping_run/{engine}.log",
    cache: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on(
            "stepping_run.py",
            settings.to_words({**STEPPING_CONFIG, "duration_s": DEFAULTS["drop"]["duration_s"]}),
            engine=True,
        ),
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --spring {input.spring} --scene {input.scene} --out {output}"
        " {params.settings:q} > {log} 2>&1"


rule stepping_table:
    input:
        STEPPING_RUN,
    output:
        report(
            "results/stepping_{table}.csv",
            category=CATEGORIES["stepping"],
            caption="../report/stepping_table.rst",
            labels={"kind": "table", "table": "{table}"},
        ),
    log:
        "logs/stepping_table/{table}.log",
    wildcard_constraints:
        table="|".join(STEPPING_TABLES),
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("stepping_table.py", lambda w: [f"table={w.table}"]),
    shell:
        "python {params.script} --run {input} --table {wildcards.table} --out {output} > {log} 2>&1"


rule stepping_figure:
    input:
        STEPPING_RUN,
    output:
        png=report(
            "figures/stepping.png",
            category=CATEGORIES["stepping"],
            caption="../report/stepping_figure.rst",
            labels={"kind": "figure", "table": "energy and growth"},
        ),
        svg="figures/stepping.svg",
    log:
        "logs/stepping_figure.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("stepping_figure.py"),
    shell:
        "python {params.script} --run {input} --png {output.png} --svg {output.svg} > {log} 2>&1"
