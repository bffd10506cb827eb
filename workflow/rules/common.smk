# What every rule stands on: the checked configuration, the folders of the run, and `plan`, which answers what rules ask.
import json
import os
import sys
from pathlib import Path

PROJECT = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parents[1]
sys.path[:0] = [str(PROJECT / "scripts"), str(PROJECT / "workflow")]
from lib import (
    checks,
    comparing,
    experiments,
    implementations,
    integrity,
    locks,
    messages,
    provenance,
    questions,
    run_folder,
    snakemake_internals,
    syntax,
    yaml_files,
)
from lib import plan as planning
from lib import schema as schemas
from records import current_run, engines, files, settings
from snakemake.exceptions import WorkflowError

CONFIG = "config.yaml"
try:
    for path in dict.fromkeys([CONFIG, *snakemake_internals.named_files(workflow)]):
        yaml_files.check_readable(Path(path))
except messages.ConfigError as error:
    sys.exit(str(error))


configfile: CONFIG


try:
    SCHEMA = schemas.load(PROJECT)
    config = checks.checked(config, SCHEMA, Path(os.path.relpath(PROJECT / "envs")))
    if snakemake_internals.is_main(workflow):  # a job on another node is one of many
        integrity.check(PROJECT)
        integrity.drop_dangling_links()
except (experiments.DeclarationError, messages.ConfigError, integrity.RottenError) as error:
    sys.exit(str(error))

plan = planning.Plan(PROJECT, config, SCHEMA)
ENVS, PUBLISHED = plan.envs, plan.published

# Read by programs: jobs find the workflow's own interpreter as `python` and the project's modules in scripts/, and use one thread
# each, so that eight cores run eight cells.
os.environ.update(
    {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR")},
    PATH=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
    PYTHONPATH=os.pathsep.join([str(PROJECT / "scripts"), *filter(None, [os.environ.get("PYTHONPATH")])]),
)

# NumPy's OpenBLAS then computes with the kernels of the processor: others, which this variable asks for, give picks other last bits
# under the same machine's name.
os.environ.pop("OPENBLAS_CORETYPE", None)

# A job on another node: what one processor measures must not pass for a result of another.
if not snakemake_internals.is_main(workflow) and current_run.machine() not in (None, provenance.machine()):
    sys.exit(
        f"this node is {provenance.machine()}, the run was planned for {current_run.machine()}; plan and run on nodes of one kind"
    )

# What simulations measured is kept by what it depends on, in a folder of the user's own unless the environment names another.
STORE = os.environ.get("SNAKEMAKE_OUTPUT_CACHE", ".store")
STORE_FOLDER = [Path(STORE)] if "://" not in STORE else []  # object storage has its own address and rights
WRITTEN = [*map(Path, ("results", "figures", "logs", ".engines", ".snakemake")), *STORE_FOLDER]
run_folder.check_writable(WRITTEN)
for folder in STORE_FOLDER:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.environ.update(SNAKEMAKE_OUTPUT_CACHE=os.path.abspath(folder))

# A time-out is no measurement, as it depends on the machine's load: such a cell is incomplete, and is tried again where it is needed.
RUN_LOCK = Path(".snakemake/run.lock")
if snakemake_internals.is_main(workflow) and not run_folder.is_held(RUN_LOCK):
    snakemake_internals.mark_incomplete(planning.timed_out(Path("results")))


wildcard_constraints:
    engine=rf"[0-9.]+(-({'|'.join(engines.DEBIAN)}))?",
    cell=r"[A-Za-z_]+=[^/,=]+(,[A-Za-z_]+=[^/,=]+)*",
    scene=r"default|[A-Za-z_]+=[^/,=]+(,[A-Za-z_]+=[^/,=]+)*",
