# Faults in the control path and facts of the runtime (chapter 5): run -> table -> figure. One job runs a scan on one engine.
CONTROLS_CONFIG, RUNTIME_CONFIG = (config.get(experiment, {"engine": []}) for experiment in ("controls", "runtime"))
SCANS = [scan for scan in CONTROLS_CONFIG if scan != "engine"]
CURVES = [f"results/controls/{engine}/curves.json" for engine in CONTROLS_CONFIG["engine"][:1] if "mechanism" in SCANS]

# The records of each table, one an engine.
RECORDS = {f"controls_{scan}": expand(f"results/controls/{{engine}}/{scan}.json", **CONTROLS_CONFIG) for scan in SCANS} | {
    table: expand(f"results/runtime/{{engine}}/{part}.json", **RUNTIME_CONFIG)
    for part, table in {"facts": "runtime", "timings": "runtime_timings", "health": "health"}.items()
    if part in RUNTIME_CONFIG
}
CHECKED = [f"results/controls_{scan}.csv" for scan in ("displaced", "scan") if scan in SCANS]

MADE += [f"results/{table}.csv" for table in RECORDS]
MADE += ["results/controls_checks.csv"] if CHECKED else []
MADE += ["figures/controls.png", "figures/controls.svg"] if CURVES else []


rule controls_run:
    input:
        engine=".engines/{engine}/engine.json",
    output:
        "results/controls/{engine}/{scan}.json",
    log:
        "logs/controls_run/{engine}/{scan}.log",
    wildcard_constraints:
        scan="|".join([*SCANS, "curves"]),
    cache: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on(
            "controls_run.py", as_json(lambda w: CONTROLS_CONFIG["mechanism" if w.scan == "curves" else w.scan]), engine=True
        ),
        scan="{scan}",
        options="",
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --scan {params.scan} --settings {params.settings:q}"
        " --out {output} {params.options} > {log} 2>&1"


rule runtime_run:
    input:
        engine=".engines/{engine}/engine.json",
    output:
        "results/runtime/{engine}/{what}.json",
    log:
        "logs/runtime_run/{engine}/{what}.log",
    wildcard_constraints:
        what="facts|timings",
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("runtime_run.py", as_json(lambda w: RUNTIME_CONFIG[w.what]), engine=True),
        what="{what}",
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --what {params.what} --settings {params.settings:q}"
        " --out {output} > {log} 2>&1"


rule health_run:
    input:
        engine=".engines/{engine}/engine.json",
    output:
        "results/runtime/{engine}/health.json",
    log:
        "logs/health_run/{engine}.log",
    conda:
        "../../envs/workflow.yaml"
    threads: 1024  # scaled down to all cores, so that no other job runs beside what is timed
    params:
        **depends_on("health_run.py", as_json(lambda w: RUNTIME_CONFIG["health"]), engine=True),
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --settings {params.settings:q} --out {output} > {log} 2>&1"


rule controls_table:
    input:
        lambda w: RECORDS[w.table],
    output:
        report(
            "results/{table}.csv",
            category=CATEGORIES["controls"],
            caption="../report/controls_table.rst",
            labels={"kind": "table", "table": "{table}"},
        ),
    log:
        "logs/controls_table/{table}.log",
    wildcard_constraints:
        table="|".join(RECORDS) or "no table",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("controls_table.py"),
    shell:
        "python {params.script} --records {input} --out {output} > {log} 2>&1"


rule controls_checks:
    input:
        CHECKED,
    output:
        report(
            "results/controls_checks.csv",
            category=CATEGORIES["controls"],
            caption="../report/controls_checks.rst",
            labels={"kind": "table", "table": "controls_checks"},
        ),
    log:
        "logs/controls_checks.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("controls_checks.py"),
    shell:
        "python {params.script} --tables {input} --out {output} > {log} 2>&1"


rule controls_figure:
    input:
        CURVES,
    output:
        png=report(
            "figures/controls.png",
            category=CATEGORIES["controls"],
            caption="../report/controls_figure.rst",
            labels={"kind": "figure", "table": "controls_mechanism"},
        ),
        svg="figures/controls.svg",
    log:
        "logs/controls_figure.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("controls_figure.py"),
    shell:
        "python {params.script} --curves {input} --png {output.png} --svg {output.svg} > {log} 2>&1"
