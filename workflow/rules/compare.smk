# The same cells on several MuJoCo versions: what differs from the version they were published with, and from which step on.


rule engines_table:
    input:
        lambda w: comparing.compared_cells(plan),
        claims=PUBLISHED / "claims.csv",
    output:
        plan.table("results/engines.csv", "engines_table", "versions", table="engines"),
    log:
        "logs/engines_table.log",
    localrule: True
    params:
        **plan.depends_on("engines_table.py", lambda w: comparing.compared_words(plan)),
        contents=plan.contents_of(PUBLISHED / "claims.csv"),
        engines=config["engines"]["compare"],
        variant=settings.to_words(config["engines"]["variant"]),
    shell:
        "python {params.script} --marks results/marks --claims {input.claims} --out {output} {params.settings:q} > {log} 2>&1"


rule engines_figure:
    input:
        "results/engines.csv",
    output:
        **plan.figure("engines", "engines_figure", "versions", table="engines"),
    log:
        "logs/engines_figure.log",
    localrule: True
    params:
        **plan.depends_on("engines_figure.py", lambda w: comparing.declaration_words(plan)),
    shell:
        "python {params.script} --table {input} --png {output.png} --svg {output.svg} {params.settings:q} > {log} 2>&1"
