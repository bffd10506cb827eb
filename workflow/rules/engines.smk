# One interpreter for each MuJoCo version and for each implementation of it, built from its lock, and for each architecture that is
# emulated.


rule engine:
    input:
        lock=lambda w: locks.of_engine(ENVS, w.engine),
    output:
        versions=".engines/{engine}/engine.json",
    log:
        "logs/engine/{engine}.log",
    wildcard_constraints:
        engine=rf"[0-9.]+|({'|'.join(engines.IMPLEMENTATIONS)})-[0-9.]+(-cuda)?",
    localrule: True
    params:
        **plan.depends_on("engine_build.py"),
        contents=lambda w: provenance.contents([locks.of_engine(ENVS, w.engine)]),
    shell:
        "python {params.script} --lock {input.lock} --out {output.versions} > {log} 2>&1"


rule emulated_engine:
    input:
        lock=plan.emulated_lock,
    output:
        versions=".engines/{version}-{architecture}/engine.json",
    log:
        "logs/engine/{version}-{architecture}.log",
    wildcard_constraints:
        version=r"[0-9.]+",
        architecture="|".join(engines.DEBIAN),
    localrule: True
    params:
        **plan.depends_on("engine_emulate.py", lambda w: [w.architecture]),
        contents=plan.contents_of(ENVS / "mujoco-{version}.txt"),
    shell:
        "python {params.script} --lock {input.lock} --architecture {params.settings} --out {output.versions} > {log} 2>&1"
