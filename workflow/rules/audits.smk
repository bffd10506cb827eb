# Results of the user's own, a scene or code, varied one thing at a time: model -> runs -> tables -> card. Each audit is a target.
from lib import audits, audits_page, last_line
from records import audit_headline

AUDITS = audits.of_plan(plan)
SCENES, CODES = ({name: audit for name, audit in AUDITS.items() if audit.is_scene == kind} for kind in (True, False))
WHEELS = audits.wheels(AUDITS.values())
if taken := AUDITS.keys() & {"all", "index_page", *(rule.name for rule in workflow.rules)}:
    sys.exit(f"config.audits has {min(taken)}, which is a rule of the workflow; allowed: any other name")


wildcard_constraints:
    audit="|".join(AUDITS) or "no audit",


for folder, scene in WHEELS.items():

    rule:
        name:
            f"audit_wheel_{Path(folder).name}"
        input:
            lock=locks.named(ENVS, scene["lock"]),
        output:
            provenance=f"{folder}/{files.PROVENANCE}",
        log:
            f"logs/audit_wheel/{Path(folder).name}.log",
        localrule: True
        params:
            **plan.depends_on("robot_fetch.py", audits.wheel_words(scene)),
            contents=plan.contents_of(locks.named(ENVS, scene["lock"])),
        shell:
            "python {params.script} --requirements {input.lock} --out {output.provenance} {params.settings:q} > {log} 2>&1"


rule audit_engine:
    input:
        lock=lambda w: AUDITS[w.audit].lock(w.version),
    output:
        versions=".engines/{version}+{audit}/engine.json",
    log:
        "logs/engine/{version}+{audit}.log",
    wildcard_constraints:
        version=r"[0-9.]+",
    localrule: True
    params:
        **plan.depends_on("engine_build.py"),
        contents=lambda w: provenance.contents([AUDITS[w.audit].lock(w.version)]),
    shell:
        "python {params.script} --lock {input.lock} --out {output.versions} > {log} 2>&1"


rule audit_ready:
    input:
        **plan.on_engine(),
        wheel=lambda w: AUDITS[w.audit].wheel,
    output:
        ready="results/audits_ready/{engine}/{audit}.json",
        model="results/models/audits/{engine}/{audit}.mjb",
    log:
        "logs/audit_ready/{engine}/{audit}.log",
    wildcard_constraints:
        audit="|".join(SCENES) or "no audit",
    priority: 100
    localrule: True
    params:
        **plan.depends_on("audit_ready.py", lambda w: AUDITS[w.audit].ready_words(w.engine), engine=True),
        scene=lambda w: AUDITS[w.audit].scene,
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --scene {params.scene:q} --model {output.model} --out {output.ready}"
        " --settings {params.settings:q} > {log} 2>&1"


rule audit_run:
    input:
        **plan.on_engine(),
        ready="results/audits_ready/{engine}/{audit}.json",
        model="results/models/audits/{engine}/{audit}.mjb",
    output:
        "results/audits/{engine}/{audit}/{cell}.json",
    log:
        "logs/audit_run/{engine}/{audit}/{cell}.log",
    wildcard_constraints:
        audit="|".join(SCENES) or "no audit",
        cell="[^/]+",
    cache: True
    params:
        **plan.depends_on("audit_run.py", lambda w: AUDITS[w.audit].run_words(w.engine, w.cell), engine=True),
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --model {input.model} --ready {input.ready} --out {output:q}"
        " --settings {params.settings:q} > {log:q} 2>&1"


use rule audit_run as audit_poses with:
    output:
        "results/audits_poses/{engine}/{audit}/{cell}.npz",
    log:
        "logs/audit_poses/{engine}/{audit}/{cell}.log",
    params:
        **plan.depends_on("audit_poses.py", lambda w: AUDITS[w.audit].run_words(w.engine, w.cell), engine=True),


rule audit_frames:
    input:
        **plan.on_engine(),
        model="results/models/audits/{engine}/{audit}.mjb",
        poses=lambda w: AUDITS[w.audit].poses,
    output:
        "results/audits_frames/{engine}/{audit}.npz",
    log:
        "logs/audit_frames/{engine}/{audit}.log",
    wildcard_constraints:
        audit="|".join(SCENES) or "no audit",
    params:
        **plan.depends_on("audit_frames.py", engine=True),
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --model {input.model} --reference {input.poses[0]:q}"
        " --variation {input.poses[1]:q} --out {output} > {log} 2>&1"


rule audit_code_run:
    input:
        engine=lambda w: f".engines/{AUDITS[w.audit].engine(w.engine)}/engine.json",
    output:
        "results/audits/{engine}/{audit}/{cell}.json",
    log:
        "logs/audit_code_run/{engine}/{audit}/{cell}.log",
    wildcard_constraints:
        audit="|".join(CODES) or "no audit",
        cell="[^/]+",
    cache: True
    params:
        **plan.depends_on(
            "audit_code_run.py",
            lambda w: AUDITS[w.audit].run_words(w.engine, w.cell),
            engine=True,
            lock=lambda w: AUDITS[w.audit].lock(w.engine),
        ),
        contents=lambda w: provenance.contents([AUDITS[w.audit].lock(w.engine)]),
        python=lambda w: f".engines/{AUDITS[w.audit].engine(w.engine)}/bin/python",
    shell:
        "{params.python} {params.script} --out {output:q} --settings {params.settings:q} > {log:q} 2>&1"


for audit in AUDITS.values():
    for script, table in audit.tables.items():

        rule:
            name:
                Path(table).stem if table != audit.table else f"{audit.name}_table"
            input:
                audit.cells,
            output:
                plan.table(table, audit.caption_of(script), "audits", subcategory=audit.name, result=audit.title(table)),
            log:
                f"logs/audit_table/{Path(table).stem}.log",
            localrule: True
            params:
                **plan.depends_on(script, audit.words),
            shell:
                "python {params.script} --audit {params.settings:q} --cells results/audits --out {output} > {log} 2>&1"

    rule:
        name:
            f"{audit.name}_card"
        input:
            table=audit.table,
            verdicts=audit.verdicts,
        output:
            **plan.figure(audit.name, audit.caption, "audits", subcategory=audit.name, result=audit.title(audit.table)),
        log:
            f"logs/audit_card/{audit.name}.log",
        localrule: True
        params:
            **plan.depends_on("audit_card.py", audit.words),
        shell:
            "python {params.script} --audit {params.settings:q} --table {input.table} --verdicts {input.verdicts}"
            " --png {output.png} --svg {output.svg} > {log} 2>&1"

    if audit.draws_series:

        rule:
            name:
                f"{audit.name}_series"
            input:
                audit.cells,
            output:
                **plan.figure(f"{audit.name}_series", "audit_series", "audits", subcategory=audit.name, result="over time"),
            log:
                f"logs/audit_series/{audit.name}.log",
            localrule: True
            params:
                **plan.depends_on("audit_series.py", audit.words),
            shell:
                "python {params.script} --audit {params.settings:q} --cells results/audits --png {output.png}"
                " --svg {output.svg} > {log} 2>&1"

    if audit.poses:

        rule:
            name:
                f"{audit.name}_storyboard"
            input:
                f"results/audits_frames/{audit.audit['reference']['engine']}/{audit.name}.npz",
            output:
                **plan.figure(
                    f"{audit.name}_storyboard", "audit_storyboard", "audits", subcategory=audit.name, result="storyboard"
                ),
            log:
                f"logs/audit_storyboard/{audit.name}.log",
            localrule: True
            params:
                **plan.depends_on("audit_storyboard.py", audit.words),
            shell:
                "python {params.script} --audit {params.settings:q} --frames {input} --png {output.png} --svg {output.svg}"
                " > {log} 2>&1"

    rule:
        name:
            audit.name
        input:
            audit.results,
            verdicts=audit.verdicts,
        log:
            f"logs/audit_required/{audit.name}.log",
        localrule: True
        params:
            **plan.depends_on("audit_required.py"),
        shell:
            "python {params.script} --verdicts {input.verdicts} > {log} 2>&1"

    if snakemake_internals.is_main(workflow):
        last_line.promise(workflow, audit_headline.sentence, f"figures/{audit.name}.png", audit.verdicts)
        if timesteps := audit.tables.get("audit_timestep.py"):
            last_line.promise(workflow, audit_headline.timestep_sentence, timesteps)


AUDITS_SHOWN = audits_page.AuditsPage(plan, workflow, [path for audit in AUDITS.values() for path in audit.results])


# The audits alone: a folder of the user's own has no published numbers for results/index.html.
rule audits_page:
    input:
        AUDITS_SHOWN.inputs(),
    output:
        "results/audits.html",
    log:
        "logs/audits_page.log",
    localrule: True
    params:
        **plan.depends_on("index_page.py", AUDITS_SHOWN.words),
        template=AUDITS_SHOWN.template,
        contents=AUDITS_SHOWN.contents,
    shell:
        "python {params.script} --template {params.template} --out {output} --shown {params.settings:q} > {log} 2>&1"
