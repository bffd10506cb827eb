# Faults in the control path and facts of the runtime (chapter 5): run -> table -> figure. One job runs a scan on one engine.
SCANS = plan.parts("controls")
CURVES = [f"results/controls/{engine}/curves.json" for engine in config["controls"]["engine"][:1] if "mechanism" in SCANS]

# The records of each table, one an engine.
RECORDS = {f"controls_{scan}": expand(f"results/controls/{{engine}}/{scan}.json", **config["controls"]) for scan in SCANS} | {
    {"facts": "runtime", "timings": "runtime_timings", "health": "health"}[part]: expand(
        f"results/runtime/{{engine}}/{part}.json", **config["runtime"]
    )
    for part in plan.parts("runtime")
}
CHECKED = [f"results/controls_{scan}.csv" for scan in ("displaced", "scan") if scan in SCANS]

plan.makes("controls", [f"results/{table}.csv" for table in RECORDS])
plan.makes("controls", ["results/controls_checks.csv"] if CHECKED else [])
plan.makes("controls", ["figures/controls.png", "figures/controls.svg"] if CURVES else [])


rule controls_run:
    input:
        **plan.on_engine(),
    output:
        "results/{way}controls/{engine}/{cell}.json",
    log:
        "logs/{way}controls_run/{engine}/{cell}.log",
    wildcard_constraints:
        way=plan.ways("controls"),
        cell="|".join(SCANS) or "no scan",
    cache: True
    params:
        **plan.runs("controls"),
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --scan {wildcards.cell} --settings {params.settings:q}"
        " --out {output} {params.options:q} > {log} 2>&1"


use rule controls_run as controls_curves with:
    output:
        "results/controls/{engine}/{cell}.json",
    log:
        "logs/controls_curves/{engine}/{cell}.log",
    wildcard_constraints:
        cell="curves",
    cache: True  # not inherited
    params:
        **plan.depends_on("controls_run.py", lambda w: [json.dumps(config["controls"]["mechanism"])], engine=True),
        options=[],


rule runtime_run:
    input:
        **plan.on_engine(),
    output:
        "results/runtime/{engine}/{cell}.json",
    log:
        "logs/runtime_run/{engine}/{cell}.log",
    wildcard_constraints:
        cell="facts|timings",
    params:
        **plan.depends_on("runtime_run.py", plan.part_words("runtime"), engine=True),
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --what {wildcards.cell} --settings {params.settings:q}"
        " --out {output} > {log} 2>&1"


rule health_run:
    input:
        **plan.on_engine(),
    output:
        "results/runtime/{engine}/{cell}.json",
    log:
        "logs/health_run/{engine}/{cell}.log",
    wildcard_constraints:
        cell="health",
    threads: 1024  # scaled down to all cores, so that no other job runs beside what is timed
    params:
        **plan.depends_on("health_run.py", plan.part_words("runtime"), engine=True),
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --settings {params.settings:q} --out {output} > {log} 2>&1"


rule controls_table:
    input:
        lambda w: RECORDS[w.table],
    output:
        plan.table("results/{table}.csv", "controls_table", "controls", table="{table}"),
    log:
        "logs/controls_table/{table}.log",
    wildcard_constraints:
        table="|".join(RECORDS) or "no table",
    localrule: True
    params:
        **plan.depends_on("controls_table.py"),
    shell:
        "python {params.script} --records {input} --out {output} > {log} 2>&1"


rule controls_checks:
    input:
        lambda w: plan.needed(CHECKED),
    output:
        plan.table("results/controls_checks.csv", "controls_checks", "controls", table="controls_checks"),
    log:
        "logs/controls_checks.log",
    localrule: True
    params:
        **plan.depends_on("controls_checks.py"),
    shell:
        "python {params.script} --tables {input} --out {output} > {log} 2>&1"


rule controls_figure:
    input:
        lambda w: plan.needed(CURVES),
    output:
        **plan.figure("controls", "controls_figure", "controls", table="controls_mechanism"),
    log:
        "logs/controls_figure.log",
    localrule: True
    params:
        **plan.depends_on("controls_figure.py"),
    shell:
        "python {params.script} --curves {input} --png {output.png} --svg {output.svg} > {log} 2>&1"
