# All results on one page, with what presets and comparisons have left there: results/index.html.
import glob

import last_line
import shown

PAGE = "results/index.html"
PAGE_FOLDER = Path(os.path.relpath(PROJECT / "workflow" / "report" / "page"))
PAGE_RESULTS = shown.marked(workflow.rules, [*LEDGER, *MADE])
PAGE_MACHINE = shown.marked(workflow.rules, ["results/machine.csv"])

# The documents of the ledger, as readers know them.
DOCUMENTS = {"timestep": "lesson 02", "grasp": "lesson 16", "hygiene": "chapter 5"}


def grids_of(experiment, grids):
    """The cells of some grids of an experiment, as words."""
    return {
        "folder": f"results/{experiment}",
        "grids": [settings.grid_to_words(moved(experiment, grid)) for grid in grids],
        "defaults": settings.to_words(DEFAULTS[experiment]),
    }


# What the tables that the ledger reads are made of.
MADE_OF = {f"results/{table}.csv": {"paths": paths} for table, paths in RECORDS.items()}
MADE_OF |= {f"results/stepping_{table}.csv": {"paths": [STEPPING_RUN]} for table in STEPPING_TABLES}
MADE_OF |= {f"results/{name}.csv": grids_of("drop", [grid]) for name, grid in SWEEPS.items()}
MADE_OF |= {f"results/grasp_{name}.csv": grids_of("pick", [grid for _, grid in grids]) for name, grids in PICK_GRIDS.items()}
MADE_OF = {table: MADE_OF[table] for table in LEDGER_MADE if table in MADE_OF}


def is_ours(path):
    """Whether a result that the page does not ask for is there, made by this code on this machine; integrity has read it."""
    made = files.made(path) if os.path.exists(path) else None
    script = script_path(made["by"]) if made else None
    if script is None or made["machine"] != provenance.machine():
        return False
    return made["code"] == CODE.setdefault(made["by"], provenance.code(script).removeprefix("code "))


def left_by_preset(name):
    """The table and the figure of a preset, under its question; no rule knows them where it is not configured."""
    question = (PROJECT / "presets" / f"{name}.yaml").read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    stem, caption = ("grasp_gripper", "pick_sweep_figure.rst") if name == "gripper" else (name, Path(preset_caption(name)).name)
    caption = os.path.relpath(PROJECT / "workflow" / "report" / caption)
    described = {"title": question, "category": "", "caption": caption, "wildcards": {"sweep": name}, "params": {}}
    return [{"path": path} | described for path in (f"figures/{stem}.png", f"results/{stem}.csv")]


@functools.cache
def left_there():
    """What presets and comparisons have made: the page shows it, and asks for none of it."""
    asked = {result["path"] for result in PAGE_RESULTS + PAGE_MACHINE}
    there = [path for results in ("figures/*.png", "results/*.csv") for path in sorted(glob.glob(results))]
    known = shown.marked(workflow.rules, [path for path in there if path not in asked])
    presets = [result for path in sorted((PROJECT / "presets").glob("*.yaml")) for result in left_by_preset(path.stem)]
    found = {result["path"]: result for result in [*known, *presets]}.values()
    return sorted((result for result in found if is_ours(result["path"])), key=lambda result: result["category"])


def page_words(wildcards):
    """A params function: all that the page shows."""
    on_request = [{"title": "Presets and comparisons", "results": left_there()}] if left_there() else []
    sections = [*shown.sections(PAGE_RESULTS), *on_request, *shown.sections(PAGE_MACHINE)]
    return [json.dumps({"sections": sections, "documents": DOCUMENTS, "made_of": MADE_OF, "config": config})]


def page_contents(wildcards):
    """A params function: the template and the captions, which people edit, and what the page shows without asking for it."""
    captions = [result["caption"] for result in PAGE_RESULTS + PAGE_MACHINE + left_there() if result["caption"]]
    return provenance.contents([*sorted(PAGE_FOLDER.iterdir()), *captions, *(result["path"] for result in left_there())])


rule index_page:
    input:
        [result["path"] for result in PAGE_RESULTS + PAGE_MACHINE],
        ledger="results/ledger.csv",
        columns=f"{PUBLISHED}/columns.csv",
    output:
        PAGE,
    log:
        "logs/index_page.log",
    localrule: True
    params:
        **depends_on("index_page.py", page_words),
        template=str(PAGE_FOLDER / "index.html"),
        contents=page_contents,
    shell:
        "python {params.script} --template {params.template} --ledger {input.ledger} --columns {input.columns} --out {output}"
        " --shown {params.settings:q} > {log} 2>&1"


if workflow.is_main_process:
    last_line.promise(workflow, PAGE, "results/ledger.csv")
