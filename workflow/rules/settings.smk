# What everything was made with: the machine and its versions, and the configuration with its defaults filled in.
import platform

ENGINES = sorted(
    {
        engine
        for experiment in ("drop", "pick")
        for grid in configuration.sweeps(config, experiment).values()
        for engine in grid["engine"]
    }
    | {config["stepping"]["engine"], *CONTROLS_CONFIG["engine"], *RUNTIME_CONFIG["engine"]}
)
LOCKED = provenance.locked_versions(ENVS / "workflow.txt")  # with --sdm conda, Snakemake's own environment lacks most of them
LIBRARIES = ["snakemake", "pandas", "matplotlib", "scipy"]
SETTINGS = ["results/machine.csv", "results/settings.html"]


rule settings_page:
    input:
        engines=expand(".engines/{engine}/engine.json", engine=ENGINES),
    output:
        machine=report(
            "results/machine.csv",
            category=CATEGORIES["settings"],
            caption="../report/settings.rst",
            labels={"kind": "table", "table": "settings and machine"},
        ),
        page=report(
            "results/settings.html",
            category=CATEGORIES["settings"],
            caption="../report/settings.rst",
            labels={"kind": "page", "table": "settings and machine"},
        ),
    log:
        "logs/settings_page.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("settings_page.py", as_json(lambda w: config)),
        versions=[f"Python={platform.python_version()}", *(f"{library}={LOCKED[library]}" for library in LIBRARIES)],
    shell:
        "python {params.script} --engines {input.engines} --machine {params.machine:q} --versions {params.versions}"
        " --config {params.settings:q} --csv {output.machine} --html {output.page} > {log} 2>&1"
