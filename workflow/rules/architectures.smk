# The sweeps of drops and picks on an emulated machine of another architecture, beside the machine's own: run -> table -> figure.
ARCHITECTURES = config["architectures"]
EMULATED = ARCHITECTURES["engine"]
ARCHITECTURE_ENGINES = [EMULATED, engines.split(EMULATED)[0]]
ARCHITECTURE_DROPS = ARCHITECTURES.get("drop", list(SWEEPS))
ARCHITECTURE_PICKS = ARCHITECTURES.get("pick", list(PICK["sweeps"]))
ARCHITECTURE_GRIDS = {
    table: [(name, grid) for name, grid in grids if name in ARCHITECTURE_PICKS]
    for table, grids in {"summary": PICK_STOCK, "converged": PICK_CONVERGED}.items()
} | {"nominal": PICK_GRIDS["nominal"]}
# The ledger's tables with this engine. They join it once they are there, so that it never asks for an emulated run by itself.
EMULATED_TABLES = expand(
    "results/architectures/{engine}/{table}.csv",
    engine=EMULATED,
    table=["grasp_summary", "grasp_nominal", *ARCHITECTURE_DROPS],
)


def drops_on(wildcards):
    """The grid of a sweep of drops on the wildcard's engine."""
    return SWEEPS[wildcards.sweep] | {"engine": [wildcards.engine]}


def picks_on(wildcards):
    """The named grids of a table of picks on the wildcard's engine; if that is emulated, with perturbations of their own."""
    own = {"perturbations": [ARCHITECTURES["perturbations"]]} if wildcards.engine == EMULATED else {}
    stock = own if wildcards.table != "converged" else {}
    return variant(ARCHITECTURE_GRIDS[wildcards.table], {"engine": [wildcards.engine]} | stock)


use rule drop_table as architecture_drop_table with:
    input:
        lambda w: cells("drop", drops_on(w), "results/drop"),
    output:
        "results/architectures/{engine}/{sweep}.csv",
    log:
        "logs/architecture_drop_table/{engine}/{sweep}.log",
    params:
        **depends_on("drop_table.py"),
        settings=lambda w: settings.grid_to_words(moved("drop", drops_on(w))),


use rule pick_summary as architecture_pick_summary with:
    input:
        lambda w: cells_of_all("pick", picks_on(w), "results/pick"),
    output:
        "results/architectures/{engine}/grasp_{table}.csv",
    log:
        "logs/architecture_pick_summary/{engine}/{table}.log",
    wildcard_constraints:
        table="summary|converged",
    params:
        **depends_on("pick_summary.py"),
        settings=lambda w: grids_words("pick", picks_on(w), "--sweep"),


use rule pick_table as architecture_pick_table with:
    input:
        lambda w: cells_of_all("pick", picks_on(w), "results/pick"),
    output:
        "results/architectures/{engine}/grasp_{table}.csv",
    log:
        "logs/architecture_pick_table/{engine}/{table}.log",
    wildcard_constraints:
        table="nominal",
    params:
        **depends_on("pick_table.py"),
        settings=lambda w: grids_words("pick", picks_on(w), "--grid", named=False),


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
            category="Architectures",
            caption="../report/architectures_table.rst",
            labels={"table": "architectures", "kind": "table"},
        ),
    log:
        "logs/architectures_table.log",
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("architectures_table.py"),
        settings=settings.to_words(DEFAULTS["drop"]),
    shell:
        "python {params.script} --claims {input.claims} --columns {input.columns} --tables {input.tables:q} --out {output}"
        " --defaults {params.settings:q} > {log} 2>&1"


rule architectures_figure:
    input:
        "results/architectures.csv",
    output:
        png=report(
            "figures/architectures.png",
            category="Architectures",
            caption="../report/architectures_figure.rst",
            labels={"table": "architectures", "kind": "figure"},
        ),
        svg="figures/architectures.svg",
    log:
        "logs/architectures_figure.log",
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("architectures_figure.py"),
        settings=[],
    shell:
        "python {params.script} --table {input} --png {output.png} --svg {output.svg} > {log} 2>&1"
