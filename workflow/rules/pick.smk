# A scripted pick, with the SO-101 or a robot of the user's own: robot -> model -> run -> table -> figure.
PICK = config["pick"]
ROBOT = PICK["robot"]
ROBOT_FOLDER = f"results/models/{ROBOT['name']}"
PICK_ROBOT, ROBOT_PROVENANCE = f"{ROBOT_FOLDER}/{ROBOT['file']}", f"{ROBOT_FOLDER}/{files.PROVENANCE}"
# What a folder under a name of its own holds is part of what its picks depend on; any other model must be the one asked for.
ROBOT_IS_OWN_FOLDER = ROBOT["source"] not in ("wheel", "menagerie") and plan.source["pick"]
ROBOT_LOCK = ENVS / ("so101-menagerie.txt" if ROBOT["source"] == "menagerie" else f"{ROBOT['lock']}.txt")
ROBOT_DIGEST = files.folder_digest(Path(ROBOT["source"])) if ROBOT_IS_OWN_FOLDER else ROBOT["digest"]
ROBOT_PARTS = json.dumps({part: ROBOT[part] for part in SCHEMA.own["pick"].ROBOT_PARTS})  # what they are called in its model
plan.runs_with("pick", ["--parts", ROBOT_PARTS])
plan.ready_by("pick", lambda cell: plan.planned("pick", cell))

# Named grids: the sweeps, and the same sweeps with some axes moved for every pick. The stock timestep's picks have their bands.
PICK_STOCK = list(PICK["sweeps"].items())
CONVERGED = {axis: [value] for axis, value in PICK["converged"].items()}
PICK_STEPS = [step for step in PICK["timesteps_s"] if step != plan.setting("pick", "timestep_s")]
PICK_CHECKS = [(f"check {index}", grid) for index, grid in enumerate(PICK["checks"])]
PICK_NOMINAL = [("nominal", PICK["nominal"])] if "nominal" in PICK else []
PICK_PLACED = PICK_STOCK + [("checks", grid) for grid in PICK["checks"]]
PLACED = {"perturbation_size_m": [PICK["placement_m"]]}
PICK_GRIDS = {
    "summary": PICK_STOCK,
    "solver": PICK_STOCK + planning.against(PICK_STOCK, CONVERGED),
    "timestep": PICK_STOCK + planning.variant(PICK_STOCK, {"timestep_s": PICK_STEPS, "perturbations": [0]}),
    "placement": planning.against(PICK_PLACED, PLACED),
    "placed": planning.variant(PICK_PLACED, PLACED),
    "cells": PICK_STOCK + PICK_NOMINAL,
    "nominal": PICK_NOMINAL,
    "checks": PICK_NOMINAL + PICK_CHECKS,
    "converged": planning.variant(PICK_STOCK, CONVERGED),
    **{name: [(name, grid)] for name, grid in PICK_STOCK},
}
PICK_COMPARED = {  # what a table that compares is told beside its grids
    "solver": comparing.declaration_words(plan),
    "placement": ["--moved-starts", *comparing.declaration_words(plan)],
}

# What is made of them, each with the grids that it cannot do without.
PICK_TABLES = {"cells": PICK_GRIDS["cells"], "nominal": PICK_NOMINAL, "checks": PICK_NOMINAL and PICK_STOCK}
PICK_TABLES |= dict.fromkeys(["summary", "solver", "timestep"], PICK_STOCK)
PICK_FIGURES = {"pick": PICK_NOMINAL} | dict.fromkeys(["grasp", "grasp_solver", "grasp_timestep"], PICK_STOCK)
plan.makes("pick", expand("results/grasp_{table}.csv", table=filter(PICK_TABLES.get, PICK_TABLES)))
plan.makes("pick", expand("figures/{figure}.{kind}", figure=filter(PICK_FIGURES.get, PICK_FIGURES), kind=["png", "svg"]))
plan.makes_on_request("pick", ["results/pick_placement.csv"] if PICK_STOCK else [])
plan.on_architectures(
    "pick",
    [f"grasp_{table}" for table in ("summary", "nominal") if PICK_GRIDS[table]],
    [f"grasp_{table}" for table in ("summary", "converged") if PICK_GRIDS[table]],
)


wildcard_constraints:
    figure="|".join(PICK_FIGURES),


rule robot:
    input:
        lock=ROBOT_LOCK,
    output:
        xml=PICK_ROBOT,
        provenance=ROBOT_PROVENANCE,
    log:
        "logs/robot.log",
    localrule: True
    params:
        **plan.depends_on("robot_fetch.py", settings.to_words({key: ROBOT[key] for key in ("source", "folder", "file")})),
        digest=ROBOT_DIGEST,
        contents=plan.contents_of(ROBOT_LOCK),
    shell:
        "python {params.script} --requirements {input.lock} --digest {params.digest} --out {output.provenance}"
        " {params.settings:q} > {log} 2>&1"


rule pick_model:
    input:
        robot=PICK_ROBOT,
    output:
        "results/models/pick/{scene}.xml",
    log:
        "logs/pick_model/{scene}.log",
    localrule: True
    params:
        **plan.depends_on("pick_model.py", plan.cell_words("pick", "model", "scene")),
    shell:
        "python {params.script} --robot {input.robot:q} --out {output} {params.settings:q} > {log} 2>&1"


rule pick_compile:
    input:
        **plan.on_engine(ROBOT_PROVENANCE),
        model="results/models/pick/{scene}.xml",
    output:
        "results/models/pick/{engine}/{scene}.mjb",
    log:
        "logs/pick_compile/{engine}/{scene}.log",
    localrule: True
    params:
        **plan.depends_on("model_compile.py", engine=True),
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --model {input.model:q} --out {output} > {log} 2>&1"


rule pick_ready:
    input:
        **plan.on_engine(ROBOT_PROVENANCE),
        xml=PICK_ROBOT,
    output:
        "results/pick_ready/{engine}/{scene}.json",
    log:
        "logs/pick_ready/{engine}/{scene}.log",
    priority: 100
    localrule: True
    params:
        **plan.depends_on("pick_ready.py", plan.cell_words("pick", wildcard="scene"), engine=True),
        parts=ROBOT_PARTS,
        scene=[axis for axis, schema in schemas.axes(SCHEMA, "pick").items() if schema["stage"] == "model"],
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --robot {input.xml:q} --out {output}"
        " --parts {params.parts:q} --scene {params.scene} --settings {params.settings:q} > {log} 2>&1"


rule pick_run:
    input:
        **plan.on_engine(ROBOT_PROVENANCE),
        ready=plan.ready_for("pick"),
        model=plan.model_of("pick"),
    output:
        "results/{way}pick/{engine}/{cell}.json",
    log:
        "logs/{way}pick_run/{engine}/{cell}.log",
    wildcard_constraints:
        way=plan.ways("pick"),
    cache: True
    params:
        **plan.runs("pick"),
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --model {input.model:q} --out {output} {params.options:q}"
        " {params.settings:q} > {log} 2>&1"


rule pick_demonstration:
    input:
        **plan.on_engine(ROBOT_PROVENANCE),
        model=plan.model_of("pick"),
    output:
        cell="results/demonstrations/{engine}/{cell}.json",
        trajectory="results/demonstrations/{engine}/{cell}.npz",
    log:
        "logs/pick_demonstration/{engine}/{cell}.log",
    params:
        **plan.depends_on("pick_run.py", plan.cell_words("pick"), engine=True),
        parts=ROBOT_PARTS,
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --model {input.model:q} --out {output.cell}"
        " --trajectory {output.trajectory} --parts {params.parts:q} {params.settings:q} > {log} 2>&1"


rule demonstrations:
    input:
        lambda w: [path.replace(".json", ".npz") for path in plan.cells_of_all("pick", PICK_STOCK, "results/demonstrations")],


rule pick_machine:
    input:
        **plan.on_engine(ROBOT_PROVENANCE),
        model=plan.model_of("pick"),
    output:
        "results/pick_machine/{engine}/{cell}.json",
    log:
        "logs/pick_machine/{engine}/{cell}.log",
    cache: True
    params:
        **plan.depends_on("pick_machine.py", plan.cell_words("pick"), engine=True),
        parts=ROBOT_PARTS,
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --model {input.model:q} --out {output}"
        " --parts {params.parts:q} {params.settings:q} > {log} 2>&1"


use rule pick_machine as pick_frames with:
    input:
        **plan.on_engine(ROBOT_PROVENANCE),
        model=plan.model_of("pick", compiled=False),
    output:
        "results/pick_frames/{engine}/{cell}.npz",
    log:
        "logs/pick_frames/{engine}/{cell}.log",
    params:
        **plan.depends_on("pick_frames.py", plan.cell_words("pick"), engine=True),
        parts=ROBOT_PARTS,


rule pick_table:
    input:
        lambda w: plan.cells_of_all("pick", PICK_GRIDS[w.table]),
    output:
        plan.table("results/grasp_{table}.csv", "pick_table", "pick", table="{table}"),
    log:
        "logs/pick_table/{table}.log",
    wildcard_constraints:
        table="cells|nominal",
    localrule: True
    params:
        **plan.depends_on("pick_table.py", lambda w: plan.sweep_words("pick", PICK_GRIDS[w.table])),
    shell:
        "python {params.script} --cells results/pick --out {output} {params.settings:q} > {log} 2>&1"


rule pick_summary:
    input:
        lambda w: plan.cells_of_all("pick", PICK_GRIDS[w.table]),
    output:
        plan.table("results/grasp_{table}.csv", "pick_summary", "pick", table="{table}"),
    log:
        "logs/pick_summary/{table}.log",
    wildcard_constraints:
        table="|".join(["summary", "solver", "placement", *PICK["sweeps"]]),
    localrule: True
    params:
        **plan.depends_on(
            "pick_summary.py", lambda w: plan.sweep_words("pick", PICK_GRIDS[w.table]) + PICK_COMPARED.get(w.table, [])
        ),
    shell:
        "python {params.script} --cells results/pick --out {output} {params.settings:q} > {log} 2>&1"


rule pick_placement:
    input:
        lambda w: plan.cells_of_all("pick", PICK_GRIDS["placed"]),
    output:
        plan.table("results/pick_placement.csv", "pick_placement", "pick", table="each placement"),
    log:
        "logs/pick_placement.log",
    localrule: True
    params:
        **plan.depends_on("staircase_table.py", plan.sweep_words("pick", PICK_GRIDS["placed"])),
    shell:
        "python {params.script} --cells results/pick --out {output} {params.settings:q} > {log} 2>&1"


use rule pick_table as architecture_pick_table with:
    input:
        lambda w: plan.cells_of_all("pick", plan.elsewhere("pick", PICK_GRIDS[w.table], w.engine)),
    output:
        "results/architectures/{engine}/grasp_{table}.csv",
    log:
        "logs/architecture_pick_table/{engine}/{table}.log",
    wildcard_constraints:
        table="nominal",
    params:
        **plan.depends_on(
            "pick_table.py", lambda w: plan.sweep_words("pick", plan.elsewhere("pick", PICK_GRIDS[w.table], w.engine))
        ),


use rule pick_summary as architecture_pick_summary with:
    input:
        lambda w: plan.cells_of_all("pick", plan.elsewhere("pick", PICK_GRIDS[w.table], w.engine)),
    output:
        "results/architectures/{engine}/grasp_{table}.csv",
    log:
        "logs/architecture_pick_summary/{engine}/{table}.log",
    wildcard_constraints:
        table="summary|converged",
    params:
        **plan.depends_on(
            "pick_summary.py", lambda w: plan.sweep_words("pick", plan.elsewhere("pick", PICK_GRIDS[w.table], w.engine))
        ),


rule pick_timestep:
    input:
        lambda w: plan.cells_of_all("pick", PICK_GRIDS["timestep"]),
    output:
        plan.table("results/grasp_timestep.csv", "pick_timestep", "pick", table="timestep"),
    log:
        "logs/pick_timestep.log",
    localrule: True
    params:
        **plan.depends_on("pick_timestep.py", plan.sweep_words("pick", PICK_GRIDS["timestep"])),
        tolerance=PICK["same_pose_m"],
    shell:
        "python {params.script} --cells results/pick --tolerance {params.tolerance} --out {output} {params.settings:q} > {log} 2>&1"


rule pick_checks:
    input:
        cells=lambda w: plan.cells_of_all("pick", PICK_GRIDS["checks"]),
        machine=lambda w: plan.cells_of_all("pick", PICK_NOMINAL, "results/pick_machine")[0],
        claims=PUBLISHED / "claims.csv",
    output:
        plan.table("results/grasp_checks.csv", "pick_checks", "pick", table="checks"),
    log:
        "logs/pick_checks.log",
    localrule: True
    params:
        **plan.depends_on("pick_checks.py"),
        contents=plan.contents_of(PUBLISHED / "claims.csv"),
    shell:
        "python {params.script} --cells {input.cells:q} --machine {input.machine:q}"
        " --claims {input.claims} --out {output} > {log} 2>&1"


rule pick_figure:
    input:
        "results/grasp_summary.csv",
    output:
        **plan.figure("grasp", "pick_figure", "pick", table="summary"),
    log:
        "logs/pick_figure.log",
    localrule: True
    params:
        **plan.depends_on("pick_figure.py"),
    shell:
        "python {params.script} --summary {input} --png {output.png} --svg {output.svg} > {log} 2>&1"


use rule pick_figure as pick_sweep_figure with:
    input:
        "results/grasp_{sweep}.csv",
    output:
        **plan.figure("grasp_{sweep}", "pick_sweep_figure", "pick", table="{sweep}"),
    log:
        "logs/pick_sweep_figure/{sweep}.log",
    wildcard_constraints:
        sweep="|".join(PICK["sweeps"]),
    params:
        **plan.depends_on("pick_sweep_figure.py"),


rule pick_solver_figure:
    input:
        "results/grasp_solver.csv",
    output:
        **plan.figure("grasp_solver", "pick_solver_figure", "pick", table="solver"),
    log:
        "logs/pick_solver_figure.log",
    localrule: True
    params:
        **plan.depends_on("pick_solver_figure.py"),
    shell:
        "python {params.script} --solver {input} --png {output.png} --svg {output.svg} > {log} 2>&1"


rule pick_timestep_figure:
    input:
        "results/grasp_timestep.csv",
    output:
        **plan.figure("grasp_timestep", "pick_timestep_figure", "pick", table="timestep"),
    log:
        "logs/pick_timestep_figure.log",
    localrule: True
    params:
        **plan.depends_on("pick_timestep_figure.py"),
    shell:
        "python {params.script} --table {input} --png {output.png} --svg {output.svg} > {log} 2>&1"


rule pick_story:
    input:
        # The visual meshes, which the physics does without, are what a picture shows.
        lambda w: plan.cells_of_all("pick", planning.variant(PICK_NOMINAL, {"discardvisual": [False]}), "results/pick_frames")[
            0
        ].replace(".json", ".npz"),
    output:
        **plan.figure("pick", "pick_story", "pick", table="nominal"),
    log:
        "logs/pick_story.log",
    localrule: True
    params:
        **plan.depends_on("pick_story.py"),
    shell:
        "python {params.script} --frames {input:q} --png {output.png} --svg {output.svg} > {log} 2>&1"
