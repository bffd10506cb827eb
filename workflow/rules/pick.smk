# A scripted pick, with the SO-101 or a robot of the user's own: robot -> model -> run -> table -> figure.

PICK = config["pick"]
LIFT = ("lift_s", "lift_height_m", "down_height_m")  # the axes that set the lift's acceleration
ROBOT = PICK["robot"]
ROBOT_FOLDER = f"results/models/{ROBOT['name']}"
PICK_ROBOT, ROBOT_PROVENANCE = f"{ROBOT_FOLDER}/{ROBOT['file']}", f"{ROBOT_FOLDER}/provenance.json"
# What a folder under a name of its own holds is part of what its picks depend on; any other model must be the one asked for.
ROBOT_IS_OWN_FOLDER = ROBOT["source"] not in ("wheel", "menagerie") and SOURCE["pick"]
ROBOT_LOCK = ENVS / ("so101-menagerie.txt" if ROBOT["source"] == "menagerie" else f"{ROBOT['lock']}.txt")
ROBOT_DIGEST = files.folder_digest(Path(ROBOT["source"])) if ROBOT_IS_OWN_FOLDER else ROBOT["digest"]
PICK_TABLES = ["cells", "summary", "nominal", "checks", "timing", "solver", "timestep"]
PICK_FIGURES = ["grasp", "grasp_solver", "grasp_timestep", "pick"]
MADE += expand("results/grasp_{table}.csv", table=PICK_TABLES) + expand(
    "figures/{figure}.{kind}", figure=PICK_FIGURES, kind=["png", "svg"]
)

# Named grids: the sweeps, and the same sweeps with some axes moved for every pick. The stock timestep's picks have their bands.
PICK_STOCK = list(PICK["sweeps"].items())
PICK_CONVERGED = variant(PICK_STOCK, {axis: [value] for axis, value in PICK["converged"].items()})
PICK_STEPS = [step for step in PICK["timesteps_s"] if step != pick_default("timestep_s")]
PICK_GRIDS = {
    "summary": PICK_STOCK,
    "solver": PICK_STOCK + PICK_CONVERGED,
    "timestep": PICK_STOCK + variant(PICK_STOCK, {"timestep_s": PICK_STEPS, "perturbations": [0]}),
    "placement": variant(
        PICK_STOCK + [("checks", grid) for grid in PICK["checks"]], {"perturbation_size_m": [PICK["placement_m"]]}
    ),
    "cells": [*PICK_STOCK, ("nominal", PICK["nominal"])],
    "nominal": [("nominal", PICK["nominal"])],
    **{name: [(name, grid)] for name, grid in PICK_STOCK},
    "checks": [("nominal", PICK["nominal"]), *((f"check {index}", grid) for index, grid in enumerate(PICK["checks"]))],
}


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
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("robot_fetch.py", settings.to_words({key: ROBOT[key] for key in ("source", "folder", "file")})),
        digest=ROBOT_DIGEST,
        contents=contents_of(ROBOT_LOCK),
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
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("pick_model.py", cell_words("pick", "model", "scene")),
    shell:
        "python {params.script} --robot {input.robot:q} --out {output} {params.settings:q} > {log} 2>&1"


rule pick_compile:
    input:
        engine=".engines/{engine}/engine.json",
        robot=ROBOT_PROVENANCE,
        model="results/models/pick/{scene}.xml",
    output:
        "results/models/pick/{engine}/{scene}.mjb",
    log:
        "logs/pick_compile/{engine}/{scene}.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("model_compile.py", engine=True),
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --model {input.model:q} --out {output} > {log} 2>&1"


rule pick_ready:
    input:
        engine=".engines/{engine}/engine.json",
        robot=ROBOT_PROVENANCE,
        xml=PICK_ROBOT,
    output:
        "results/pick_ready/{engine}/{scene}.json",
    log:
        "logs/pick_ready/{engine}/{scene}.log",
    priority: 100
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("pick_ready.py", cell_words("pick", wildcard="scene"), engine=True),
        parts=robot_parts,
        scene=[axis for axis, schema in configuration.axes(SCHEMA, "pick").items() if schema["stage"] == "model"],
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --robot {input.xml:q} --out {output}"
        " --parts {params.parts:q} --scene {params.scene} --settings {params.settings:q} > {log} 2>&1"


rule pick_run:
    input:
        engine=".engines/{engine}/engine.json",
        ready=lambda w: f"results/pick_ready/{w.engine}/{pick_plan(w.cell)}.json",
        robot=ROBOT_PROVENANCE,
        model=model_of("pick", compiled=True),
    output:
        "results/pick/{engine}/{cell}.json",
    log:
        "logs/pick_run/{engine}/{cell}.log",
    cache: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("pick_run.py", cell_words("pick"), engine=True),
        parts=robot_parts,
        options="",
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --model {input.model:q} --out {output} {params.options}"
        " --parts {params.parts:q} {params.settings:q} > {log} 2>&1"


rule pick_demonstration:
    input:
        engine=".engines/{engine}/engine.json",
        robot=ROBOT_PROVENANCE,
        model=model_of("pick", compiled=True),
    output:
        cell="results/demonstrations/{engine}/{cell}.json",
        trajectory="results/demonstrations/{engine}/{cell}.npz",
    log:
        "logs/pick_demonstration/{engine}/{cell}.log",
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("pick_run.py", cell_words("pick"), engine=True),
        parts=robot_parts,
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --model {input.model:q} --out {output.cell}"
        " --trajectory {output.trajectory} --parts {params.parts:q} {params.settings:q} > {log} 2>&1"


rule demonstrations:
    input:
        [path.replace(".json", ".npz") for path in cells_of_all("pick", PICK_STOCK, "results/demonstrations")],


rule pick_machine:
    input:
        engine=".engines/{engine}/engine.json",
        robot=ROBOT_PROVENANCE,
        model=model_of("pick", compiled=True),
    output:
        "results/pick_machine/{engine}/{cell}.json",
    log:
        "logs/pick_machine/{engine}/{cell}.log",
    cache: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("pick_machine.py", cell_words("pick"), engine=True),
        parts=robot_parts,
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --model {input.model:q} --out {output}"
        " --parts {params.parts:q} {params.settings:q} > {log} 2>&1"


rule pick_frames:
    input:
        engine=".engines/{engine}/engine.json",
        robot=ROBOT_PROVENANCE,
        model=model_of("pick"),
    output:
        "results/pick_frames/{engine}/{cell}.npz",
    log:
        "logs/pick_frames/{engine}/{cell}.log",
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("pick_frames.py", cell_words("pick"), engine=True),
        parts=robot_parts,
    shell:
        ".engines/{wildcards.engine}/bin/python {params.script} --model {input.model:q} --out {output}"
        " --parts {params.parts:q} {params.settings:q} > {log} 2>&1"


rule pick_table:
    input:
        lambda w: cells_of_all("pick", PICK_GRIDS[w.table], "results/pick"),
    output:
        report(
            "results/grasp_{table}.csv",
            category=CATEGORIES["pick"],
            caption="../report/pick_table.rst",
            labels={"kind": "table", "table": "{table}"},
        ),
    log:
        "logs/pick_table/{table}.log",
    wildcard_constraints:
        table="cells|nominal",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("pick_table.py", lambda w: grids_words("pick", PICK_GRIDS[w.table], "--grid", named=False)),
    shell:
        "python {params.script} --cells results/pick --out {output} {params.settings:q} > {log} 2>&1"


rule pick_summary:
    input:
        lambda w: cells_of_all("pick", PICK_GRIDS[w.table], "results/pick"),
    output:
        report(
            "results/grasp_{table}.csv",
            category=CATEGORIES["pick"],
            caption="../report/pick_summary.rst",
            labels={"kind": "table", "table": "{table}"},
        ),
    log:
        "logs/pick_summary/{table}.log",
    wildcard_constraints:
        table="|".join(["summary", "solver", "placement", *PICK["sweeps"]]),
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("pick_summary.py", lambda w: grids_words("pick", PICK_GRIDS[w.table], "--sweep")),
    shell:
        "python {params.script} --cells results/pick --out {output} {params.settings:q} > {log} 2>&1"


rule pick_timestep:
    input:
        cells_of_all("pick", PICK_GRIDS["timestep"], "results/pick"),
    output:
        report(
            "results/grasp_timestep.csv",
            category=CATEGORIES["pick"],
            caption="../report/pick_timestep.rst",
            labels={"kind": "table", "table": "timestep"},
        ),
    log:
        "logs/pick_timestep.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("pick_timestep.py", grids_words("pick", PICK_GRIDS["timestep"], "--sweep")),
        tolerance=PICK["same_pose_m"],
    shell:
        "python {params.script} --cells results/pick --tolerance {params.tolerance} --out {output} {params.settings:q} > {log} 2>&1"


rule pick_timing:
    input:
        cells_of_all("pick", PICK_STOCK, "results/pick"),
    output:
        "results/grasp_timing.csv",
    log:
        "logs/pick_timing.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("pick_timing.py", grids_words("pick", PICK_STOCK, "--grid", named=False)),
        logs="logs/pick_run",
    shell:
        "python {params.script} --logs {params.logs} --out {output} {params.settings:q} > {log} 2>&1"


rule pick_checks:
    input:
        cells=cells_of_all("pick", PICK_GRIDS["checks"], "results/pick"),
        machine=cells_of_all("pick", PICK_GRIDS["nominal"], "results/pick_machine")[0],
        summary="results/grasp_summary.csv",
        claims=f"{PUBLISHED}/claims.csv",
    output:
        report(
            "results/grasp_checks.csv",
            category=CATEGORIES["pick"],
            caption="../report/pick_checks.rst",
            labels={"kind": "table", "table": "checks"},
        ),
    log:
        "logs/pick_checks.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("pick_checks.py"),
        contents=contents_of(f"{PUBLISHED}/claims.csv"),
    shell:
        "python {params.script} --cells {input.cells:q} --machine {input.machine:q} --summary {input.summary}"
        " --claims {input.claims} --out {output} > {log} 2>&1"


rule pick_figure:
    input:
        "results/grasp_summary.csv",
    output:
        png=report(
            "figures/grasp.png",
            category=CATEGORIES["pick"],
            caption="../report/pick_figure.rst",
            labels={"kind": "figure", "table": "summary"},
        ),
        svg="figures/grasp.svg",
    log:
        "logs/pick_figure.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on(
            "pick_figure.py",
            settings.to_words({axis: pick_default(axis) for axis in LIFT}),
        ),
    shell:
        "python {params.script} --summary {input} --png {output.png} --svg {output.svg} {params.settings:q} > {log} 2>&1"


rule pick_solver_figure:
    input:
        "results/grasp_solver.csv",
    output:
        png=report(
            "figures/grasp_solver.png",
            category=CATEGORIES["pick"],
            caption="../report/pick_solver_figure.rst",
            labels={"kind": "figure", "table": "solver"},
        ),
        svg="figures/grasp_solver.svg",
    log:
        "logs/pick_solver_figure.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("pick_solver_figure.py"),
    shell:
        "python {params.script} --solver {input} --png {output.png} --svg {output.svg} > {log} 2>&1"


rule pick_timestep_figure:
    input:
        "results/grasp_timestep.csv",
    output:
        png=report(
            "figures/grasp_timestep.png",
            category=CATEGORIES["pick"],
            caption="../report/pick_timestep_figure.rst",
            labels={"kind": "figure", "table": "timestep"},
        ),
        svg="figures/grasp_timestep.svg",
    log:
        "logs/pick_timestep_figure.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("pick_timestep_figure.py"),
    shell:
        "python {params.script} --table {input} --png {output.png} --svg {output.svg} > {log} 2>&1"


rule pick_story:
    input:
        # The visual meshes, which the physics does without, are what a picture shows.
        cells_of_all("pick", variant(PICK_GRIDS["nominal"], {"discardvisual": [False]}), "results/pick_frames")[0].replace(
            ".json", ".npz"
        ),
    output:
        png=report(
            "figures/pick.png",
            category=CATEGORIES["pick"],
            caption="../report/pick_story.rst",
            labels={"kind": "figure", "table": "nominal"},
        ),
        svg="figures/pick.svg",
    log:
        "logs/pick_story.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        **depends_on("pick_story.py"),
    shell:
        "python {params.script} --frames {input:q} --png {output.png} --svg {output.svg} > {log} 2>&1"
