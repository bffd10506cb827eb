# What the experiments share: the checked configuration, the names of cells, and what each job depends on.
import functools
import json
import os
import sys
from pathlib import Path

PROJECT = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parents[1]
ENVS = Path(os.path.relpath(PROJECT / "envs"))
PUBLISHED = os.path.relpath(PROJECT / "workflow" / "published")

sys.path[:0] = [str(PROJECT / "scripts"), str(PROJECT / "workflow" / "lib")]
import configuration
import integrity
import own_scene
import provenance
import run_folder
import timeouts
from records import current_run, engines, files, passport, settings
from snakemake.exceptions import WorkflowError

CONFIG = "config.yaml"
try:
    for path in dict.fromkeys([CONFIG, *workflow.configfiles]):
        configuration.check_readable(Path(path))
except configuration.ConfigError as error:
    sys.exit(str(error))


configfile: CONFIG


# An experiment of your own is found by the name of its file: its key in the configuration is checked when that is read.
ADDED = tuple(sorted(path.stem for path in (PROJECT / "workflow" / "experiments").glob("*.smk")))
SCHEMA = configuration.load_schema(PROJECT / "workflow" / "schemas" / "config.schema.yaml", ADDED)
try:
    config = configuration.checked(config, SCHEMA, ENVS)
    if workflow.is_main_process:  # a job on another node is one of many
        integrity.check(PROJECT)
        integrity.drop_dangling_links()
except (configuration.ConfigError, integrity.RottenError) as error:
    sys.exit(str(error))

# Jobs find the workflow's own interpreter as `python`, and use one thread each, so that eight cores run eight cells.
os.environ.update(
    {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR")},
    PATH=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
    PYTHONPATH=os.pathsep.join([str(PROJECT / "scripts"), *filter(None, [os.environ.get("PYTHONPATH")])]),
)

# A job on another node: what one processor measures must not pass for a result of another.
if not workflow.is_main_process and (planned_for := current_run.machine()) not in (None, provenance.machine()):
    sys.exit(f"this node is {provenance.machine()}, the run was planned for {planned_for}; plan and run on nodes of one kind")

TIMED_OUT = timeouts.timed_out(Path("results"))

# What simulations measured is kept by what it depends on, in a folder of the user's own unless the environment names another.
STORE = os.environ.get("SNAKEMAKE_OUTPUT_CACHE", ".store")
STORE_FOLDER = [Path(STORE)] if "://" not in STORE else []  # object storage has its own address and rights
WRITTEN = [*map(Path, ("results", "figures", "logs", ".engines", ".snakemake")), *STORE_FOLDER]
run_folder.check_writable(WRITTEN)
for folder in STORE_FOLDER:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.environ.update(SNAKEMAKE_OUTPUT_CACHE=os.path.abspath(folder))

DEFAULTS = {
    experiment: configuration.defaults(SCHEMA, experiment) | configuration.own_defaults(config, experiment)
    for experiment in configuration.experiments(SCHEMA)
}

# A scene or a robot of the user's own, by experiment. Drops of the generated scene are there beside those of an own one.
SOURCE = {experiment: configuration.source(config, experiment) for experiment in DEFAULTS}
OWN_SCENE = config["drop"].get("scene")
SCENE_DIGEST = {"scene_digest": f"sha256-{own_scene.digest(OWN_SCENE)}"} if OWN_SCENE else {}

# The tables and figures of the experiments, which `all` makes and the ledger reads; each rule file adds its own.
MADE = []

# The report sorts its categories by name: the ledger comes first, what it was made with last.
CATEGORIES = {
    "ledger": "1 Ledger",
    "stepping": "2 Steppers",
    "drop": "3 Drop onto a thin table",
    "pick": "4 Pick with the SO-101",
    "controls": "5 Control faults and runtime",
    "versions": "6 MuJoCo versions",
    "architectures": "7 Architectures",
    "machines": "8 Other machines",
    "settings": "9 Settings and machine",
}


wildcard_constraints:
    engine=rf"[0-9.]+(-({'|'.join(engines.DEBIAN)}))?",
    cell=r"[A-Za-z_]+=[^/,=]+(,[A-Za-z_]+=[^/,=]+)*",
    scene=r"default|[A-Za-z_]+=[^/,=]+(,[A-Za-z_]+=[^/,=]+)*",
    sweep="|".join(config["drop"]["sweeps"]),


def experiment(name, description, axes):
    """Make an experiment of your own known: its key in the configuration, and its `axes`, in YAML as those in the schema.

    Gives its sweeps by name, none where the configuration lacks the key. Stops with one line where that has a fault.
    """
    configuration.add_experiment(SCHEMA, name, description, axes)
    try:
        config.update(configuration.checked_experiment(config, name, SCHEMA, ENVS))
    except configuration.ConfigError as error:
        sys.exit(str(error))
    DEFAULTS[name], SOURCE[name] = configuration.defaults(SCHEMA, name), {}
    return config[name]["sweeps"]


CODE = {}  # of each script; records name the code that made them, and no job reads one of another code's


def script_path(script):
    """Where a script is; the name of its file is one of a kind in scripts/. None where there is no such script."""
    return next((PROJECT / "scripts").glob(f"*/{script}"), None)


def depends_on(script, words=(), engine=False):
    """Params that say all that a job depends on beside its files: `script` of scripts/, what it is made of, and its settings.

    `words` are the settings, or a function of the wildcards that gives them. With `engine`, the script runs on the interpreter
    of the wildcard `engine`, else on the workflow's own. What it writes then knows its own name, so that is a param as well.
    """
    path = script_path(script)
    CODE[script] = provenance.code(path).removeprefix("code ")
    return ({"name": lambda w, output: files.name_of(output[0])} if engine else {}) | {
        "script": os.path.relpath(path),
        "settings": lambda w: provenance.Settings(words(w) if callable(words) else words),
        "code": provenance.code(path),
        "software": lambda w: provenance.software(
            path, configuration.lock(ENVS, w.engine) if engine else ENVS / "workflow.txt"
        ),
        "machine": lambda w: provenance.machine(engines.split(w.engine)[1] if engine else ""),
    }


def contents_of(*paths):
    """A params function: what input files hold that people edit, whose dates need not show an edit. Paths may have wildcards."""
    return lambda w: provenance.contents(str(path).format(**dict(w.items())) for path in paths)


def emulated_lock(wildcards):
    """An input function: the lock of an emulated engine; it stops before any job where this machine cannot run that."""
    engine = f"{wildcards.version}-{wildcards.architecture}"
    if hindrance := engines.hindrance(engine):
        raise WorkflowError(f"engine {engine}, {hindrance}")
    return configuration.lock(ENVS, engine)


@functools.cache
def cell_settings(experiment, cell, stage=None):
    """The settings behind the name of a cell or a scene, of one stage or of all, in the schema's order."""
    try:
        named = configuration.named(SCHEMA, experiment, cell, configuration.own_defaults(config, experiment))
    except ValueError as error:
        raise WorkflowError(str(error)) from None
    axes = configuration.axes(SCHEMA, experiment)
    source = {axis: value for axis, value in named.items() if axes[axis]["stage"] == "source"}
    if source != SOURCE[experiment] and (source or experiment == "pick"):
        allowed = settings.cell_name(SOURCE[experiment])
        raise WorkflowError(f"{cell} belongs to {settings.cell_name(source)}; allowed by the configuration: {allowed}")
    return {axis: value for axis, value in named.items() if stage in (None, axes[axis]["stage"])}


def cell_words(experiment, stage=None, wildcard="cell"):
    """A params function: the settings of the wildcard's cell or scene as words, with the digest of a scene of the user's own."""

    def words(wildcards):
        found = cell_settings(experiment, getattr(wildcards, wildcard), stage)
        return settings.to_words(found | (SCENE_DIGEST if "scene" in found else {}))

    return words


def lacks(experiment, engine, cell):
    """The words of a cell's name that an engine does not have, each with the first version that has it."""
    missing = configuration.lacking(SCHEMA, experiment, engine)
    return {word: missing[word] for word in cell.split(",") if word in missing}


def sweeps_for(experiment, engine):
    """The names of the sweeps for which an engine has all that they ask for."""
    grids = {name: configuration.with_settings(config, experiment, grid) for name, grid in config[experiment]["sweeps"].items()}
    return [name for name, grid in grids.items() if not configuration.missing(grid, experiment, SCHEMA, engine)]


def lacking(engine):
    """The words of cells' names that an engine does not have, in drops or in picks."""
    return list(dict.fromkeys(word for kind in DEFAULTS for word in configuration.lacking(SCHEMA, kind, engine)))


def as_json(settings_of):
    """A params function: the wildcards' settings as one word."""
    return lambda w: [json.dumps(settings_of(w))]


def model_of(experiment, compiled=False):
    """An input function: the model that the wildcard's cell runs on, as MJCF or as its engine has compiled it."""

    def model(wildcards):
        workflow.dag.forcefiles.update(TIMED_OUT)  # of those only what the run needs is made again
        for word, since in lacks(experiment, wildcards.engine, wildcards.cell).items():
            raise WorkflowError(f"{wildcards.cell}: MuJoCo {wildcards.engine} lacks {word}; allowed: {since} or newer")
        cell = {stage: cell_settings(experiment, wildcards.cell, stage) for stage in ("source", "model")}
        if "scene" in cell["source"]:
            return OWN_SCENE
        scene = settings.against_defaults(cell["source"] | cell["model"], DEFAULTS[experiment])
        folder = f"results/models/{experiment}"
        name = settings.cell_name(scene)
        return f"{folder}/{wildcards.engine}/{name}.mjb" if compiled else f"{folder}/{name}.xml"

    return model


def moved(experiment, sweep):
    """A sweep's grid with only the axes it moves: what names its cells."""
    return configuration.moved(config, SCHEMA, experiment, sweep)


def cells(experiment, sweep, folder):
    """The cells of a sweep, in the order of its grid."""
    names = settings.grid(moved(experiment, sweep))
    return [f"{folder}/{cell.pop('engine')}/{settings.cell_name(cell)}.json" for cell in names]


def variant(grids, moves):
    """Named grids with some axes moved for every cell."""
    return [(name, grid | moves) for name, grid in grids]


def on_engine(grids, engine):
    """Named grids of picks on another engine; on an emulated one with the perturbations that the configuration has for it."""
    perturbations = {"perturbations": [config["architectures"]["perturbations"]]} if engines.split(engine)[1] else {}
    return variant(grids, {"engine": [engine]} | perturbations)


def cells_of_all(experiment, grids, folder):
    """The cells of several named grids; one that they share stands there once."""
    return list(dict.fromkeys(cell for _, grid in grids for cell in cells(experiment, grid, folder)))


def cells_on(engines, sweep):
    """The marked runs of a sweep (experiment, name, grid) on other engines than its own, but those that an engine lacks."""
    experiment, _, grid = sweep
    files = cells(experiment, grid | {"engine": engines}, f"results/marks/{experiment}")
    return [file for file in files if not lacks(experiment, Path(file).parent.name, Path(file).stem)]


def compared_words(option, sweeps, engines):
    """Sweeps as arguments: experiment, name, the engine that is the reference, and the grid on the engines compared."""
    return [
        word
        for experiment, name, grid in sweeps
        for word in (
            *(option, experiment, name, grid["engine"][0]),
            *settings.grid_to_words(moved(experiment, grid | {"engine": engines})),
        )
    ]


def grids_words(experiment, grids, option, named=True):
    """Several grids as arguments: the option before each, then its name, then its words."""
    return [
        word
        for name, grid in grids
        for word in (option, *([name] if named else []), *settings.grid_to_words(moved(experiment, grid)))
    ]


def pick_default(axis):
    """The value of an axis of a pick that a sweep does not name."""
    return configuration.with_settings(config, "pick", {}).get(axis, [DEFAULTS["pick"][axis]])[0]


def pick_plan(cell):
    """The name of what the plan of a pick depends on: its settings but those that only its simulation reads."""
    planned = {
        axis: value
        for axis, value in settings.from_cell_name(cell).items()
        if not configuration.axes(SCHEMA, "pick")[axis].get("simulated", False)
    }
    return settings.cell_name(planned)


def robot_parts(wildcards):
    """A params function: what the parts of the robot are called in its model."""
    return json.dumps({part: config["pick"]["robot"][part] for part in configuration.ROBOT_PARTS})
