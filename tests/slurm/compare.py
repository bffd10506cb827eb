"""Run a sweep of picks and one of drops on a Slurm of one node and without it, and compare all cells: `make test-slurm`.

Both runs go through the project's own rules, in one temporary folder, each with a store of its own. The Slurm is started for
the test and stopped after it, whatever happens. A cell carries the digest of its final state, and so two equal cells ended in
the same state to the last bit.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cluster
import yaml

PROJECT = Path(__file__).parents[2]
PICK = {"engine": ["3.17.0"], "mass_kg": [0.03], "cap_Nm": [0.5]}
CONFIG = {
    "stepping": {},
    "drop": {"sweeps": {"timestep": {"engine": ["3.17.0"], "dt_ms": [2, 10, 25], "solref": [[0.02, 1], [0.005, 1]]}}},
    "pick": {
        "settings": {"perturbations": 0},
        "sweeps": {"friction": PICK | {"mu": [0.02, 0.05, 0.3], "position": [0, 1, 2, 3, 4]}},
        "nominal": PICK | {"mu": [1.0], "position": ["nominal"]},
        "checks": [],
    },
}
TARGETS = ["results/grasp_summary.csv", "results/timestep.csv"]
CELLS = 15 + 6
SLURM = ["--workflow-profile", "profiles/slurm", "--cores", str(cluster.CPUS), "--group-components", "pick=8", "drop=8"]
SLURM += ["--slurm-prefork-status-command", "squeue", "--slurm-prefork-init-seconds-before-status-checks", "5"]


def snakemake(folder: Path, name: str, *arguments: str, environment=os.environ) -> dict[str, bytes]:
    """Make the targets and return the cells by their path, which are moved out of the next run's way, the store `name` too.

    Raises SystemExit, after Snakemake's own messages, where it fails.
    """
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(PROJECT / "Snakefile"), "--directory", str(folder)]
    command += ["--configfile", str(folder / "config.yaml"), *arguments, "--", *TARGETS]
    store = {"SNAKEMAKE_OUTPUT_CACHE": str(folder / f"store of {name}")}
    started = time.monotonic()
    process = subprocess.Popen(command, cwd=PROJECT, env=environment | store)
    try:
        if process.wait():
            sys.exit(f"test-slurm: the run with {name} failed")
    finally:
        stop(process)
    print(f"test-slurm: the run with {name} took {time.monotonic() - started:.0f} s", flush=True)
    cells = {}
    for part in ("pick", "drop"):
        source = folder / "results" / part
        cells |= {str(path.relative_to(folder)): path.read_bytes() for path in source.rglob("*.json")}
        source.rename(folder / f"{part} of {name}")
    for target in TARGETS:
        (folder / target).unlink()
    return cells


def stop(process: subprocess.Popen) -> None:
    """End a Snakemake that still runs as Ctrl-C does, which takes its Slurm jobs back; SIGTERM would wait for them."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()


def main() -> None:
    # A terminated test stops its daemons as an interrupted one does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("test-slurm: terminated"))
    cluster.refuse_beside_another()
    cluster.install()
    with tempfile.TemporaryDirectory(prefix="slurm") as parent:
        folder, private = (Path(parent) / name for name in ("run", "cluster"))
        folder.mkdir()
        private.mkdir()
        (folder / "config.yaml").write_text(yaml.safe_dump(CONFIG), encoding="utf-8")
        local = snakemake(folder, "the local executor", "--executor", "local", "--cores", "all")
        with cluster.one_node(private) as environment:
            slurm = snakemake(folder, "Slurm", *SLURM, environment=environment)
            jobs = cluster.output(["squeue", "--states=COMPLETED", "--noheader"], environment).splitlines()
    if len(local) != CELLS or local.keys() != slurm.keys():
        sys.exit(f"test-slurm: {CELLS} cells were asked for, {len(local)} made without Slurm and {len(slurm)} with it")
    differ = [cell for cell in local if local[cell] != slurm[cell]]
    if differ or not jobs:
        sys.exit(f"test-slurm: {len(differ)} of {CELLS} cells differ, {differ[:1]}; Slurm ran {len(jobs)} jobs")
    print(f"test-slurm: {CELLS} cells in {len(jobs)} Slurm jobs, each with the bytes and digest that it has without Slurm")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("test-slurm: interrupted")
