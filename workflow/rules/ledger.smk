# Every published number beside the one measured here.
LEDGER = ["results/ledger.csv", "figures/ledger.png", "figures/ledger.svg"]
PUBLISHED_TABLES = [PUBLISHED / f"{name}.csv" for name in ("claims", "columns", "known_differences")]


rule ledger_table:
    input:
        published=PUBLISHED_TABLES,
        tables=plan.measured_tables(),
        causes=lambda w: plan.tables_of_causes(workflow),
        emulated=lambda w: plan.emulated_tables(workflow),
    output:
        plan.table("results/ledger.csv", "ledger_table", "ledger", table="ledger"),
    log:
        "logs/ledger_table.log",
    localrule: True
    params:
        **plan.depends_on("ledger_table.py", plan.case_words()),
        contents=plan.contents_of(*PUBLISHED_TABLES),
    shell:
        "python {params.script} --published {input.published} --tables {input.tables:q} {input.causes:q} --emulated {input.emulated:q}"
        " --machine {params.machine:q} --out {output} --defaults {params.settings:q} > {log} 2>&1"


rule ledger_figure:
    input:
        "results/ledger.csv",
    output:
        **plan.figure("ledger", "ledger_figure", "ledger", table="ledger"),
    log:
        "logs/ledger_figure.log",
    localrule: True
    params:
        **plan.depends_on("ledger_figure.py"),
    shell:
        "python {params.script} --ledger {input} --png {output.png} --svg {output.svg} > {log} 2>&1"
