# One interpreter for each MuJoCo version, built from its lock.


rule engine:
    input:
        lock=ENVS / "mujoco-{engine}.txt",
    output:
        versions=".engines/{engine}/engine.json",
    log:
        "logs/engine/{engine}.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("engine_build.py"),
    shell:
        "python {params.script} --lock {input.lock} --out {output.versions} > {log} 2>&1"
