# What the experiments measured, measured again (verify), and beside what another machine measured (passports).
MEASURED_DROPS = [("drop", grid) for grid in SWEEPS.values()] + ([("trajectories/drop", IMPACT)] if IMPACT else [])
MEASURED_PICKS = [("pick", grid) for _, grid in PICK_GRIDS["cells"] + PICK_GRIDS["checks"]]
MEASURED_RECORDS = [STEPPING_RUN, *(path for scan in SCANS for path in RECORDS[f"controls_{scan}"])]
MEASURED = [
    *(path for folder, grid in MEASURED_DROPS for path in cells("drop", grid, f"results/{folder}")),
    *(path for folder, grid in MEASURED_PICKS for path in cells("pick", grid, f"results/{folder}")),
    *MEASURED_RECORDS,
]
MEASURED_WORDS = [
    *grids_words("drop", MEASURED_DROPS, "--grid"),
    *grids_words("pick", MEASURED_PICKS, "--grid"),
    "--records",
    *(os.path.relpath(path, "results") for path in MEASURED_RECORDS),
]
MEASURING = {"drop": "drop_run.py", "pick": "pick_run.py", "controls": "controls_run.py", "stepping": "stepping_run.py"}


# Measured again, not fetched: these rules keep away from the store.
use rule drop_run as drop_verify with:
    output:
        "results/verify/drop/{engine}/{cell}.json",
    log:
        "logs/verify/drop/{engine}/{cell}.log",
    cache: False


use rule drop_trajectory as drop_trajectory_verify with:
    output:
        "results/verify/trajectories/drop/{engine}/{cell}.json",
    log:
        "logs/verify/trajectories/drop/{engine}/{cell}.log",
    cache: False


use rule pick_run as pick_verify with:
    output:
        "results/verify/pick/{engine}/{cell}.json",
    log:
        "logs/verify/pick/{engine}/{cell}.log",
    cache: False


use rule controls_run as controls_verify with:
    output:
        "results/verify/controls/{engine}/{scan}.json",
    log:
        "logs/verify/controls/{engine}/{scan}.log",
    cache: False


use rule stepping_run as stepping_verify with:
    output:
        "results/verify/stepping/{engine}.json",
    log:
        "logs/verify/stepping/{engine}.log",
    cache: False


rule verify_table:
    input:
        results=sampled(MEASURED, "results"),
        again=sampled(MEASURED, "results/verify"),
    output:
        report(
            "results/verify.csv",
            category="Other machines",
            caption="../report/verify.rst",
            labels={"table": "verify", "kind": "table"},
        ),
    log:
        "logs/verify_table.log",
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("verify_table.py"),
        settings=MEASURED_WORDS,
        sample=config["verify"],
    shell:
        "python {params.script} --results results --again results/verify --fraction {params.sample[fraction]}"
        " --seed {params.sample[seed]} --out {output} {params.settings:q} > {log} 2>&1"


rule verify:
    input:
        "results/verify.csv",
    log:
        "logs/verify.log",
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("verify_check.py"),
        settings=[],
    shell:
        "python {params.script} --table {input} > {log} 2>&1"


rule passport:
    input:
        cells=MEASURED,
        engines=sorted({f".engines/{passport.cell_of(os.path.relpath(path, 'results'))[1]}/engine.json" for path in MEASURED}),
    output:
        "results/passport.json",
    log:
        "logs/passport.log",
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("passport_table.py"),
        settings=MEASURED_WORDS,
        measuring=[
            f"{name}={provenance.code(PROJECT / 'scripts' / script).removeprefix('code ')}"
            for name, script in MEASURING.items()
        ],
    shell:
        "python {params.script} --results results --machine {params.machine:q} --engines {input.engines}"
        " --code {params.measuring} --out {output} {params.settings:q} > {log} 2>&1"


rule passport_diff:
    input:
        here="results/passport.json",
        there=other_passport,
    output:
        report(
            "results/passport_diff.csv",
            category="Other machines",
            caption="../report/passport_diff.rst",
            labels={"table": "passport", "kind": "table"},
        ),
    log:
        "logs/passport_diff.log",
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("passport_diff.py"),
        settings=[],
    shell:
        "python {params.script} --here {input.here} --there {input.there:q} --out {output} > {log} 2>&1"


rule passport_figure:
    input:
        here="results/passport.json",
        there=other_passport,
        diff="results/passport_diff.csv",
    output:
        png=report(
            "figures/passport.png",
            category="Other machines",
            caption="../report/passport_figure.rst",
            labels={"table": "passport", "kind": "figure"},
        ),
        svg="figures/passport.svg",
    log:
        "logs/passport_figure.log",
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("passport_figure.py"),
        settings=grids_words("drop", SWEEPS.items(), "--drop") + grids_words("pick", PICK_STOCK, "--pick"),
    shell:
        "python {params.script} --diff {input.diff} --here {input.here} --there {input.there:q} --png {output.png}"
        " --svg {output.svg} {params.settings:q} > {log} 2>&1"
