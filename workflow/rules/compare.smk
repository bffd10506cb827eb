# The same cells on several MuJoCo versions: what differs from the version they were published with, and from which step on.
COMPARED = config["engines"]["compare"]
VARIANT = config["engines"]["variant"]
COMPARED_SWEEPS = [("drop", name, grid) for name, grid in SWEEPS.items()]
COMPARED_SWEEPS += [("pick", name, grid) for name, grid in variant(PICK_STOCK, {"perturbations": [0]})]
VARIANT_SWEEPS = [
    ("drop", name, grid) for name, grid in variant(SWEEPS.items(), {axis: [value] for axis, value in VARIANT.items()}) if VARIANT
]


def marked_cells(experiment, grid, engines):
    """Marked runs of a sweep's cells on several engines, but those that an engine lacks."""
    files = cells(experiment, grid | {"engine": engines}, f"results/marks/{experiment}")
    return [file for file in files if not lacks(experiment, Path(file).parent.name, Path(file).stem)]


def marked_files():
    """Everything that is compared: the cells on every engine, and what they are compared with on their sweep's own."""
    found = [file for sweep in (*COMPARED_SWEEPS, *VARIANT_SWEEPS) for file in marked_cells(sweep[0], sweep[2], COMPARED)]
    found += [file for experiment, _, grid in COMPARED_SWEEPS for file in marked_cells(experiment, grid, grid["engine"][:1])]
    engines = [*COMPARED, *CONTROLS_CONFIG["engine"][:1]]
    return list(dict.fromkeys(found + expand("results/marks/controls/{engine}/{scan}.json", engine=engines, scan=SCANS)))


def sweep_words(option, sweeps):
    """Sweeps as arguments: experiment, name, the engine that is the reference, and the grid on every engine compared."""
    return [
        word
        for experiment, name, grid in sweeps
        for word in (option, experiment, name, grid["engine"][0])
        + tuple(settings.grid_to_words(moved(experiment, grid | {"engine": COMPARED})))
    ]


def lacking(engine):
    """The words of cells' names that an engine does not have, in drops and in picks."""
    return list(dict.fromkeys(word for kind in ("drop", "pick") for word in configuration.lacking(SCHEMA, kind, engine)))


use rule drop_run as drop_marks with:
    output:
        "results/marks/drop/{engine}/{cell}.json",
    log:
        "logs/drop_marks/{engine}/{cell}.log",
    params:
        **depends_on("drop_run.py", engine=True),
        options="--marks",
        settings=cell_words("drop"),


use rule pick_run as pick_marks with:
    output:
        "results/marks/pick/{engine}/{cell}.json",
    log:
        "logs/pick_marks/{engine}/{cell}.log",
    params:
        **depends_on("pick_run.py", engine=True),
        options="--marks",
        settings=cell_words("pick"),


use rule controls_run as controls_marks with:
    output:
        "results/marks/controls/{engine}/{scan}.json",
    log:
        "logs/controls_marks/{engine}/{scan}.log",
    params:
        **depends_on("controls_run.py", engine=True),
        scan="{scan}",
        options="--marks",
        settings=as_json(lambda w: CONTROLS_CONFIG[w.scan]),


rule engines_table:
    input:
        marked_files(),
        claims=f"{PUBLISHED}/claims.csv",
    output:
        report(
            "results/engines.csv",
            category="MuJoCo versions",
            caption="../report/engines_table.rst",
            labels={"table": "engines", "kind": "table"},
        ),
    log:
        "logs/engines_table.log",
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("engines_table.py"),
        sweeps=sweep_words("--sweep", COMPARED_SWEEPS) + sweep_words("--variant-sweep", VARIANT_SWEEPS),
        variant=settings.to_words(VARIANT),
        scans=[word for scan in SCANS for word in ("--scan", scan, CONTROLS_CONFIG["engine"][0])],
        lacking=[word for engine in COMPARED for word in ("--lacking", engine, *lacking(engine))],
        engines=COMPARED,
        defaults=settings.to_words(DEFAULTS["drop"]),
    shell:
        "python {params.script} --marks results/marks --claims {input.claims} --out {output} --engines {params.engines}"
        " --defaults {params.defaults:q} {params.sweeps:q} --variant {params.variant:q} {params.scans} {params.lacking:q}"
        " > {log} 2>&1"
