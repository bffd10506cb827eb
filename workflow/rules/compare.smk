# The same cells on several MuJoCo versions: what differs from the version they were published with, and from which step on.
COMPARED = config["engines"]["compare"]
VARIANT = config["engines"]["variant"]
COMPARED_SWEEPS = [("drop", name, grid) for name, grid in SWEEPS.items()]
COMPARED_SWEEPS += [("pick", name, grid) for name, grid in variant(PICK_STOCK, {"perturbations": [0]})]
MOVED = {axis: [value] for axis, value in VARIANT.items()}
VARIANT_SWEEPS = [("drop", name, grid) for name, grid in variant(SWEEPS.items(), MOVED)] if VARIANT else []

# The cells on every version, and what they are compared with on their sweep's own engine.
MARKED = [file for sweep in (*COMPARED_SWEEPS, *VARIANT_SWEEPS) for file in cells_on(COMPARED, sweep)]
MARKED += [file for sweep in COMPARED_SWEEPS for file in cells_on(sweep[2]["engine"][:1], sweep)]
MARKED += expand("results/marks/controls/{engine}/{scan}.json", engine=[*COMPARED, *CONTROLS_CONFIG["engine"][:1]], scan=SCANS)


use rule drop_run as drop_marks with:
    output:
        "results/marks/drop/{engine}/{cell}.json",
    log:
        "logs/drop_marks/{engine}/{cell}.log",
    cache: True  # not inherited
    params:
        **depends_on("drop_run.py", cell_words("drop"), engine=True),
        options="--marks",


use rule pick_run as pick_marks with:
    output:
        "results/marks/pick/{engine}/{cell}.json",
    log:
        "logs/pick_marks/{engine}/{cell}.log",
    cache: True  # not inherited
    params:
        **depends_on("pick_run.py", cell_words("pick"), engine=True),
        parts=robot_parts,
        options="--marks",


use rule controls_run as controls_marks with:
    output:
        "results/marks/controls/{engine}/{scan}.json",
    log:
        "logs/controls_marks/{engine}/{scan}.log",
    cache: True  # not inherited
    params:
        **depends_on("controls_run.py", as_json(lambda w: CONTROLS_CONFIG[w.scan]), engine=True),
        scan="{scan}",
        options="--marks",


rule engines_table:
    input:
        list(dict.fromkeys(MARKED)),
        claims=f"{PUBLISHED}/claims.csv",
    output:
        report(
            "results/engines.csv",
            category=CATEGORIES["versions"],
            caption="../report/engines_table.rst",
            labels={"kind": "table", "table": "engines"},
        ),
    log:
        "logs/engines_table.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("engines_table.py"),
        contents=contents_of(f"{PUBLISHED}/claims.csv"),
        sweeps=[
            *compared_words("--sweep", COMPARED_SWEEPS, COMPARED),
            *compared_words("--variant-sweep", VARIANT_SWEEPS, COMPARED),
        ],
        variant=settings.to_words(VARIANT),
        scans=[word for scan in SCANS for word in ("--scan", scan, CONTROLS_CONFIG["engine"][0])],
        lacking=[word for engine in COMPARED for word in ("--lacking", engine, *lacking(engine))],
        engines=COMPARED,
        defaults=settings.to_words(DEFAULTS["drop"]),
    shell:
        "python {params.script} --marks results/marks --claims {input.claims} --out {output} --engines {params.engines}"
        " --defaults {params.defaults:q} {params.sweeps:q} --variant {params.variant:q} {params.scans} {params.lacking:q}"
        " > {log} 2>&1"


rule engines_figure:
    input:
        "results/engines.csv",
    output:
        png=report(
            "figures/engines.png",
            category=CATEGORIES["versions"],
            caption="../report/engines_figure.rst",
            labels={"kind": "figure", "table": "engines"},
        ),
        svg="figures/engines.svg",
    log:
        "logs/engines_figure.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("engines_figure.py"),
    shell:
        "python {params.script} --table {input} --png {output.png} --svg {output.svg} > {log} 2>&1"
