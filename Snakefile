# contactlab: contact simulations re-measured. The map of the project is in README.md, the experiments in config.yaml.
import atexit

from snakemake.utils import min_version

min_version("9.0")


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/engines.smk"
include: "workflow/rules/stepping.smk"
include: "workflow/rules/drop.smk"
include: "workflow/rules/pick.smk"
include: "workflow/rules/controls.smk"
include: "workflow/rules/architectures.smk"
include: "workflow/rules/questions.smk"
include: "workflow/rules/presets.smk"


for name in ADDED:

    include: f"workflow/experiments/{name}.smk"


include: "workflow/rules/ledger.smk"
include: "workflow/rules/compare.smk"
include: "workflow/rules/measured.smk"
include: "workflow/rules/passport.smk"
include: "workflow/rules/settings.smk"


for rule_of_workflow in workflow.rules:
    rule_of_workflow.cache = timeouts.Measurements(rule_of_workflow, rule_of_workflow.cache.flag)


onstart:
    for folder in STORE_FOLDER:
        run_folder.use_store(folder)
    if workflow.is_main_process:  # not a job's own Snakemake
        run_folder.hold(Path(".snakemake/run.lock"))
        current_run.tell(provenance.machine(), CODE, config["cell_limit_s"])
        atexit.register(current_run.forget)
        run_folder.settle_dates({file for job in workflow.dag.jobs for file in (*job.input, *job.output)})
        atexit.register(run_folder.report_shortages, WRITTEN)
    # Snakemake lets profiles/default win over --profile: all jobs would run here, on what may be a login node.
    if workflow.local_exec and workflow.group_settings.overwrite_groups:
        sys.exit("profiles/slurm is a workflow's profile; give it as --workflow-profile profiles/slurm")


rule all:
    default_target: True
    input:
        MADE,
        LEDGER,
        SETTINGS,
