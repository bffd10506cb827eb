# What the experiments measured, measured again (verify), and beside what another machine measured (passports).
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
        results=sampled("results"),
        again=sampled("results/verify"),
    output:
        report(
            "results/verify.csv",
            category=CATEGORIES["machines"],
            caption="../report/verify.rst",
            labels={"kind": "table", "table": "verify"},
        ),
    log:
        "logs/verify_table.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("verify_table.py", measured_words()),
        sample=config["verify"],
    shell:
        "python {params.script} --results results --again results/verify --fraction {params.sample[fraction]}"
        " --seed {params.sample[seed]} --out {output} {params.settings:q} > {log} 2>&1"


rule verify:
    input:
        "results/verify.csv",
    log:
        "logs/verify.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("verify_check.py"),
    shell:
        "python {params.script} --table {input} > {log} 2>&1"


rule passport:
    input:
        cells=lambda w: [f"results/{path}" for path in measured(w.emulated)],
        engines=lambda w: measured_engines(w.emulated),
    output:
        "results/passport{emulated}.json",
    log:
        "logs/passport{emulated}.log",
    wildcard_constraints:
        emulated=f"|-({'|'.join(engines.DEBIAN)})",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("passport_table.py", lambda w: measured_words(w.emulated)),
        measured_on=lambda w: provenance.machine(w.emulated[1:]),
        measuring=[f"{name}={CODE[script]}" for name, script in MEASURING.items()],
    shell:
        "python {params.script} --results results --machine {params.measured_on:q}"
        " --engines {input.engines} --code {params.measuring} --out {output} {params.settings:q} > {log} 2>&1"


rule passport_diff:
    input:
        here="results/passport.json",
        there=other_passport,
    output:
        report(
            "results/passport_diff.csv",
            category=CATEGORIES["machines"],
            caption="../report/passport_diff.rst",
            labels={"kind": "table", "table": "passport"},
        ),
    log:
        "logs/passport_diff.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("passport_diff.py"),
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
            category=CATEGORIES["machines"],
            caption="../report/passport_figure.rst",
            labels={"kind": "figure", "table": "passport"},
        ),
        svg="figures/passport.svg",
    log:
        "logs/passport_figure.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on(
            "passport_figure.py",
            grids_words("drop", SWEEPS.items(), "--drop") + grids_words("pick", PICK_STOCK, "--pick"),
        ),
    shell:
        "python {params.script} --diff {input.diff} --here {input.here} --there {input.there:q} --png {output.png}"
        " --svg {output.svg} {params.settings:q} > {log} 2>&1"
