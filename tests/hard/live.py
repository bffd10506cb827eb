"""Runs that are looked at, stopped and killed while they are at work, and what they leave behind."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from conftest import Workflow

TARGETS = ["results/timestep.csv", "figures/timestep.png", "results/grasp_summary.csv", "results/ledger.csv"]
PATIENCE_S = 120


def until(condition: Callable, what: str):
    """The first true value of `condition`."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.002)
    raise TimeoutError(what)


class Live:
    """A run at work in a process group of its own."""

    def __init__(self, workflow: Workflow, *arguments: str, env: dict | None = None):
        self.folder = workflow.folder
        self._logs = set(self._all_logs())
        self._printed = (self.folder / "printed.txt").open("w+", encoding="utf-8")
        command = [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]
        self.process = subprocess.Popen(
            command, cwd=self.folder, env=env, stdout=self._printed, stderr=subprocess.STDOUT, start_new_session=True
        )

    def _all_logs(self) -> list[Path]:
        return list(self.folder.glob(".snakemake/log/*.log"))

    def log(self) -> str:
        """This run's log so far."""
        return "".join(path.read_text(encoding="utf-8") for path in self._all_logs() if path not in self._logs)

    def done(self) -> int:
        """The number of jobs that have ended well."""
        return len(re.findall(r"^Finished jobid", self.log(), re.MULTILINE))

    def unfinished(self) -> list[Path]:
        """Snakemake's marks of the jobs that are at work."""
        return [path for path in self.folder.glob(".snakemake/incomplete/**/*") if path.is_file()]

    def working(self, jobs: int) -> bool:
        """Whether so many jobs have ended and others are at work."""
        return self.process.poll() is not None or (self.done() >= jobs and bool(self.unfinished()))

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to all processes of the run."""
        os.killpg(self.process.pid, number)

    def kill(self, jobs: int, later_s: float) -> int:
        """Kill all processes `later_s` after `jobs` jobs have ended, with others at work; how many were."""
        until(lambda: self.working(jobs), f"job {jobs}")
        time.sleep(later_s)
        while self.process.poll() is None:
            self.signal(signal.SIGSTOP)
            at_work = len(self.unfinished())
            if at_work:
                break
            self.signal(signal.SIGCONT)
            time.sleep(0.002)
        self.signal(signal.SIGKILL)
        assert self.process.wait() == -signal.SIGKILL, self.printed()
        return at_work

    def wait(self) -> int:
        return self.process.wait(PATIENCE_S)

    def printed(self) -> str:
        """What the run has shown so far."""
        self._printed.seek(0)
        return self._printed.read()

    def children(self) -> dict[int, str]:
        """The command lines of the processes of the run's group, by process id."""
        found = {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
                if int(fields[2]) == self.process.pid:
                    found[int(stat.parent.name)] = (stat.parent / "cmdline").read_text().replace("\0", " ").strip()
            except OSError:
                continue  # has ended
        return found


def made(workflow: Workflow) -> dict[str, bytes]:
    """All that was made, by name; what is linked from the store is read through the link. Without what a clock said."""
    files = [path for folder in ("results", "figures") for path in (workflow.folder / folder).rglob("*") if path.is_file()]
    found = {str(path.relative_to(workflow.folder)): path.read_bytes() for path in files}
    found.pop("results/grasp_timing.csv", None)
    if ledger := found.get("results/ledger.csv"):
        found["results/ledger.csv"] = b"\n".join(line for line in ledger.splitlines() if b",timing," not in line)
    return found


def half_written(workflow: Workflow) -> list[Path]:
    """Temporary files of jobs and of the store."""
    return [*workflow.folder.rglob(".part.*"), *workflow.folder.glob(".store/tmp*")]
