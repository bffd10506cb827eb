# Every published number beside the one measured here.
import csv

LEDGER = ["results/ledger.csv", "figures/ledger.png", "figures/ledger.svg"]
with open(f"{PUBLISHED}/columns.csv", newline="") as columns:
    LEDGER_TABLES = sorted({row["table"] for row in csv.DictReader(columns)})
# A table that the configuration leaves out leaves its claims unmeasured, and so does one of another scene or robot.
LEDGER_OTHERS = {*(SWEEPS if SOURCE["drop"] else []), *(f"grasp_{table}" for table in PICK_TABLES if SOURCE["pick"])}
LEDGER_MADE = [
    f"results/{table}.csv" for table in LEDGER_TABLES if f"results/{table}.csv" in MADE and table not in LEDGER_OTHERS
]


rule ledger_table:
    input:
        claims=f"{PUBLISHED}/claims.csv",
        columns=f"{PUBLISHED}/columns.csv",
        causes=f"{PUBLISHED}/known_differences.csv",
        tables=LEDGER_MADE,
        emulated=[table for table in EMULATED_TABLES if os.path.exists(table) and not any(SOURCE.values())],
    output:
        report(
            "results/ledger.csv",
            category=CATEGORIES["ledger"],
            caption="../report/ledger_table.rst",
            labels={"kind": "table", "table": "ledger"},
        ),
    log:
        "logs/ledger_table.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("ledger_table.py", settings.to_words(DEFAULTS["drop"])),
        contents=contents_of(*(f"{PUBLISHED}/{name}.csv" for name in ("claims", "columns", "known_differences"))),
    shell:
        "python {params.script} --claims {input.claims} --columns {input.columns} --causes {input.causes}"
        " --tables {input.tables:q} --emulated {input.emulated:q} --machine {params.machine:q} --out {output}"
        " --defaults {params.settings:q} > {log} 2>&1"


rule ledger_figure:
    input:
        "results/ledger.csv",
    output:
        png=report(
            "figures/ledger.png",
            category=CATEGORIES["ledger"],
            caption="../report/ledger_figure.rst",
            labels={"kind": "figure", "table": "ledger"},
        ),
        svg="figures/ledger.svg",
    log:
        "logs/ledger_figure.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("ledger_figure.py"),
    shell:
        "python {params.script} --ledger {input} --png {output.png} --svg {output.svg} > {log} 2>&1"
