# The sweeps of drops and picks on an emulated machine of another architecture, beside the machine's own: run -> table -> figure.
ARCHITECTURES = config["architectures"]
EMULATED = ARCHITECTURES["engine"]
ARCHITECTURE_ENGINES = [EMULATED, engines.split(EMULATED)[0]]
ARCHITECTURE_DROPS = ARCHITECTURES.get("drop", sweeps_for("drop", EMULATED))
ARCHITECTURE_PICKS = ARCHITECTURES.get("pick", sweeps_for("pick", EMULATED))
ARCHITECTURE_GRIDS = {
    "summary": [(name, grid) for name, grid in PICK_STOCK if name in ARCHITECTURE_PICKS],
    "converged": [(name, grid) for name, grid in PICK_CONVERGED if name in ARCHITECTURE_PICKS],
    "nominal": PICK_GRIDS["nominal"],
}
# The ledger's tables with this engine. They join it once they are there, so that it never asks for an emulated run by itself.
EMULATED_TABLES = expand(
    "results/architectures/{engine}/{table}.csv",
    engine=EMULATED,
    table=["grasp_summary", "grasp_nominal", *ARCHITECTURE_DROPS],
)


use rule drop_table as architecture_drop_table with:
    input:
        lambda w: cells("drop", SWEEPS[w.sweep] | {"engine": [w.engine]}, "results/drop"),
    output:
        "results/architectures/{engine}/{sweep}.csv",
    log:
        "logs/architecture_drop_table/{engine}/{sweep}.log",
    params:
        **depends_on("drop_table.py", lambda w: settings.grid_to_words(moved("drop", SWEEPS[w.sweep] | {"engine": [w.engine]}))),


use rule pick_summary as architecture_pick_summary with:
    input:
        lambda w: cells_of_all("pick", on_engine(ARCHITECTURE_GRIDS[w.table], w.engine), "results/pick"),
    output:
        "results/architectures/{engine}/grasp_{table}.csv",
    log:
        "logs/architecture_pick_summary/{engine}/{table}.log",
    wildcard_constraints:
        table="summary|converged",
    params:
        **depends_on(
            "pick_summary.py", lambda w: grids_words("pick", on_engine(ARCHITECTURE_GRIDS[w.table], w.engine), "--sweep")
        ),


use rule pick_table as architecture_pick_table with:
    input:
        lambda w: cells_of_all("pick", on_engine(ARCHITECTURE_GRIDS[w.table], w.engine), "results/pick"),
    output:
        "results/architectures/{engine}/grasp_{table}.csv",
    log:
        "logs/architecture_pick_table/{engine}/{table}.log",
    wildcard_constraints:
        table="nominal",
    params:
        **depends_on(
            "pick_table.py",
            lambda w: grids_words("pick", on_engine(ARCHITECTURE_GRIDS[w.table], w.engine), "--grid", named=False),
        ),


rule architectures_table:
    input:
        claims=f"{PUBLISHED}/claims.csv",
        columns=f"{PUBLISHED}/columns.csv",
        ledger=EMULATED_TABLES,  # made with the others, so that the ledger finds all of them
        tables=expand(
            "results/architectures/{engine}/{table}.csv",
            engine=ARCHITECTURE_ENGINES,
            table=["grasp_summary", "grasp_converged", *ARCHITECTURE_DROPS],
        ),
    output:
        report(
            "results/architectures.csv",
            category=CATEGORIES["architectures"],
            caption="../report/architectures_table.rst",
            labels={"kind": "table", "table": "architectures"},
        ),
    log:
        "logs/architectures_table.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("architectures_table.py", settings.to_words(DEFAULTS["drop"])),
        contents=contents_of(f"{PUBLISHED}/claims.csv", f"{PUBLISHED}/columns.csv"),
    shell:
        "python {params.script} --claims {input.claims} --columns {input.columns} --tables {input.tables:q} --out {output}"
        " --defaults {params.settings:q} > {log} 2>&1"


rule architectures_figure:
    input:
        "results/architectures.csv",
    output:
        png=report(
            "figures/architectures.png",
            category=CATEGORIES["architectures"],
            caption="../report/architectures_figure.rst",
            labels={"kind": "figure", "table": "architectures"},
        ),
        svg="figures/architectures.svg",
    log:
        "logs/architectures_figure.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("architectures_figure.py"),
    shell:
        "python {params.script} --table {input} --png {output.png} --svg {output.svg} > {log} 2>&1"
