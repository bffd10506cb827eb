# contactlab: contact simulations re-measured. The map of the project is ARCHITECTURE.md, the experiments are in config.yaml.
import atexit
import gc

from snakemake.utils import min_version

min_version("9.27.1")  # what all of it is tested with


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/engines.smk"


for experiment in plan.rule_files():

    include: f"workflow/rules/{experiment}.smk"


include: "workflow/rules/architectures.smk"
include: "workflow/rules/implementations.smk"
include: "workflow/rules/presets.smk"
include: "workflow/rules/ledger.smk"
include: "workflow/rules/compare.smk"
include: "workflow/rules/passport.smk"
include: "workflow/rules/settings.smk"
include: "workflow/rules/page.smk"


# Jobs are many and stay: to look through them for garbage again and again takes a tenth of the planning.
gc.freeze()
gc.set_threshold(100_000)
snakemake_internals.keep_measurements(workflow)
snakemake_internals.know_parameters(workflow)
if snakemake_internals.is_main(workflow):
    syntax.keep()


onstart:
    for folder in STORE_FOLDER:
        run_folder.use_store(folder)
    if snakemake_internals.is_main(workflow):  # not a job's own Snakemake
        run_folder.hold(RUN_LOCK)
        current_run.tell(provenance.machine(), plan.code, config["cell_limit_s"])
        atexit.register(current_run.forget)
        run_folder.settle_dates(snakemake_internals.files_of(workflow))
        atexit.register(run_folder.report_shortages, WRITTEN)
    if snakemake_internals.runs_here(workflow):
        sys.exit("profiles/slurm is a workflow's profile; give it as --workflow-profile profiles/slurm")


rule all:
    default_target: True
    input:
        plan.made(),
        LEDGER,
        SETTINGS,
        PAGE,
