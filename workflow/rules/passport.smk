# What the experiments measured, measured again (verify), and beside what another machine measured (passports).


rule verify_table:
    input:
        results=comparing.sampled(plan, "results"),
        again=comparing.sampled(plan, "results/verify"),
    output:
        plan.table("results/verify.csv", "verify", "machines", table="verify"),
    log:
        "logs/verify_table.log",
    localrule: True
    params:
        **plan.depends_on("verify_table.py", lambda w: comparing.measured_words(plan)),
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
    params:
        **plan.depends_on("verify_check.py"),
    shell:
        "python {params.script} --table {input} > {log} 2>&1"


rule passport:
    input:
        cells=lambda w: [f"results/{path}" for path in comparing.measured(plan, w.emulated)],
        engines=lambda w: comparing.measured_engines(plan, w.emulated),
    output:
        "results/passport{emulated}.json",
    log:
        "logs/passport{emulated}.log",
    wildcard_constraints:
        emulated=f"|-({'|'.join(engines.DEBIAN)})",
    localrule: True
    params:
        **plan.depends_on("passport_table.py", lambda w: comparing.measured_words(plan, w.emulated)),
        measured_on=lambda w: provenance.machine(w.emulated[1:]),
        measuring=lambda w: comparing.measuring(plan),
    shell:
        "python {params.script} --results results --machine {params.measured_on:q}"
        " --engines {input.engines} --code {params.measuring} --out {output} {params.settings:q} > {log} 2>&1"


rule passport_diff:
    input:
        here="results/passport.json",
        there=comparing.other_passport(plan),
    output:
        plan.table("results/passport_diff.csv", "passport_diff", "machines", table="passport"),
    log:
        "logs/passport_diff.log",
    localrule: True
    params:
        **plan.depends_on("passport_diff.py", lambda w: comparing.declaration_words(plan)),
    shell:
        "python {params.script} --here {input.here} --there {input.there:q} --out {output} {params.settings:q} > {log} 2>&1"


rule passport_figure:
    input:
        here="results/passport.json",
        there=comparing.other_passport(plan),
        diff="results/passport_diff.csv",
    output:
        **plan.figure("passport", "passport_figure", "machines", table="passport"),
    log:
        "logs/passport_figure.log",
    localrule: True
    params:
        **plan.depends_on("passport_figure.py", lambda w: comparing.swept_words(plan)),
    shell:
        "python {params.script} --diff {input.diff} --here {input.here} --there {input.there:q} --png {output.png}"
        " --svg {output.svg} {params.settings:q} > {log} 2>&1"
