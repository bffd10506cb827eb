# All that the experiments measure, to be measured again or compared with another machine; no rule.
import re


def measured_grids(emulated):
    """The grids of all drops and of all picks, each with the folder of its cells in results/.

    `emulated` is what the names of an emulated architecture's engines end in, "-aarch64" for example, or "". Picks are repeated
    there as often as results/architectures.csv repeats them.
    """
    repeated = {"perturbations": [config["architectures"]["perturbations"]]} if emulated else {}
    drops = [("drop", grid) for grid in SWEEPS.values()] + [("trajectories/drop", grid) for grid in [IMPACT] if grid]
    picks = [("pick", grid) for _, grid in PICK_GRIDS["cells"] + PICK_GRIDS["checks"]]
    return {
        "drop": [(folder, grid | on_emulated(grid, emulated)) for folder, grid in drops],
        "pick": [(folder, grid | on_emulated(grid, emulated) | repeated) for folder, grid in picks],
    }


def on_emulated(grid, emulated):
    """The engines of a grid on one architecture, so that a cell is there once whatever architectures the grid compares."""
    return {"engine": list(dict.fromkeys(engines.split(engine)[0] + emulated for engine in grid["engine"]))}


def measured_records(emulated):
    """The records of the steppers and of the control scans, below results/."""
    records = [STEPPING_RUN, *(path for scan in SCANS for path in RECORDS[f"controls_{scan}"])]
    return [
        re.sub(r"([0-9]+[.][0-9]+[.][0-9]+)(-[a-z0-9_]+)?", rf"\g<1>{emulated}", os.path.relpath(path, "results"))
        for path in records
    ]


def measured(emulated=""):
    """The path of every cell below results/."""
    grids = [(experiment, *named) for experiment, all_named in measured_grids(emulated).items() for named in all_named]
    found = [path for experiment, folder, grid in grids for path in cells(experiment, grid, folder)]
    return list(dict.fromkeys([*found, *measured_records(emulated)]))


def measured_words(emulated=""):
    """All of it as arguments."""
    grids = measured_grids(emulated).items()
    words = [word for experiment, named in grids for word in grids_words(experiment, named, "--grid")]
    return [*words, "--records", *measured_records(emulated)]


def measured_engines(emulated):
    """The engines that measure it."""
    return sorted({f".engines/{passport.cell_of(path)[1]}/engine.json" for path in measured(emulated)})


def sampled(folder):
    """An input function: the part of the cells that `snakemake verify` compares, as it lies in a folder."""
    return lambda w: [f"{folder}/{path}" for path in passport.sample(measured(), **config["verify"])]


def other_passport(wildcards):
    """The passport to compare with, which the command line names."""
    if "passport" not in config:
        raise WorkflowError("passport: which one to compare with is not given; add --config passport=passports/NAME.json")
    return config["passport"]
