"""Time a workflow of many small jobs that import a module, with the local executor and with forks, back to back."""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SNAKEFILE = """
rule all:
    input: expand("results/{{n}}.txt", n=range({jobs}))
rule one:
    output: "results/{{n}}.txt"
    log: "logs/{{n}}.log"
    shell: "python job.py {{output}} > {{log}} 2>&1"
"""


def seconds(executor: str, jobs: int, cores: int, module: str) -> float:
    """The wall time of a run from nothing, that of Snakemake's own start included."""
    command = [sys.executable, "-m", "snakemake", "--cores", str(cores), "--executor", executor]
    command += ["--scheduler", "greedy", "--quiet", "all", "--prefork-preload", module]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "Snakefile").write_text(SNAKEFILE.format(jobs=jobs), encoding="utf-8")
        Path(folder, "job.py").write_text(f"import sys\nimport {module}\nopen(sys.argv[1], 'w').close()\n", encoding="utf-8")
        started = time.perf_counter()
        subprocess.run(command, cwd=folder, env=os.environ | {"PATH": path}, check=True)
        return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--module", default="numpy", help="what each job imports")
    arguments = parser.parse_args()
    print(f"{arguments.jobs} jobs that import {arguments.module}, {arguments.cores} cores; seconds with each executor")
    for _ in range(arguments.repeats):
        local, prefork = (
            seconds(executor, arguments.jobs, arguments.cores, arguments.module) for executor in ("local", "prefork")
        )
        print(f"local {local:6.2f}   prefork {prefork:6.2f}   ratio {local / prefork:.1f}", flush=True)


if __name__ == "__main__":
    main()
