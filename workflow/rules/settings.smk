# What everything was made with: the machine and its versions, and the configuration with its defaults filled in.
import platform

LOCKED = provenance.locked_versions(ENVS / "workflow.txt")
LIBRARIES = ["snakemake", "pandas", "matplotlib", "scipy"]
SETTINGS = ["results/machine.csv", "results/settings.html"]


rule settings_page:
    input:
        engines=expand(".engines/{engine}/engine.json", engine=plan.engines_used()),
    output:
        machine=plan.table(SETTINGS[0], "settings", "settings", table="settings and machine"),
        page=plan.page(SETTINGS[1], "settings", "settings", table="settings and machine"),
    log:
        "logs/settings_page.log",
    localrule: True
    params:
        **plan.depends_on("settings_page.py", lambda w: [json.dumps(config)]),
        versions=[f"Python={platform.python_version()}", *(f"{library}={LOCKED[library]}" for library in LIBRARIES)],
    shell:
        "python {params.script} --engines {input.engines} --machine {params.machine:q} --versions {params.versions}"
        " --config {params.settings:q} --csv {output.machine} --html {output.page} > {log} 2>&1"
