# The sweeps on an emulated machine of another architecture beside the machine's own: table -> figure. The experiments' own files
# make the tables that are compared.


rule architectures_table:
    input:
        claims=PUBLISHED / "claims.csv",
        columns=PUBLISHED / "columns.csv",
        ledger=plan.architecture_tables(compared=False),  # made with the others, so that the ledger finds all of them
        tables=lambda w: plan.needed(plan.architecture_tables(compared=True)),
    output:
        plan.table("results/architectures.csv", "architectures_table", "architectures", table="architectures"),
    log:
        "logs/architectures_table.log",
    localrule: True
    params:
        **plan.depends_on("architectures_table.py", [*comparing.declaration_words(plan), *plan.architecture_words()]),
        contents=plan.contents_of(PUBLISHED / "claims.csv", PUBLISHED / "columns.csv"),
    shell:
        "python {params.script} --claims {input.claims} --columns {input.columns} --out {output} {params.settings:q}"
        " > {log} 2>&1"


rule architectures_figure:
    input:
        "results/architectures.csv",
    output:
        **plan.figure("architectures", "architectures_figure", "architectures", table="architectures"),
    log:
        "logs/architectures_figure.log",
    localrule: True
    params:
        **plan.depends_on("architectures_figure.py"),
    shell:
        "python {params.script} --table {input} --png {output.png} --svg {output.svg} > {log} 2>&1"
