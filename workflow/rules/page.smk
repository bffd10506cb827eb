# All results on one page, with what presets and comparisons have left there.
from lib import last_line, shown
from records import headline

PAGE = "results/index.html"
SHOWN = shown.Page(plan, workflow, [*LEDGER, *plan.made()], SETTINGS[:1])


rule index_page:
    input:
        SHOWN.inputs(),
        ledger=LEDGER[0],
        columns=PUBLISHED / "columns.csv",
    output:
        PAGE,
    log:
        "logs/index_page.log",
    localrule: True
    params:
        **plan.depends_on("index_page.py", SHOWN.words),
        template=SHOWN.template,
        contents=SHOWN.contents,
    shell:
        "python {params.script} --template {params.template} --ledger {input.ledger} --columns {input.columns} --out {output}"
        " --shown {params.settings:q} > {log} 2>&1"


if snakemake_internals.is_main(workflow):
    last_line.promise(workflow, headline.of_file, PAGE, LEDGER[0])
