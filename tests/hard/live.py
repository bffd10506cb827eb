"""Runs that are looked at, stopped and killed while they are at work."""

import math
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from conftest import Workflow

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

    def unfinished(self) -> list[Path]:
        """Snakemake's marks of the jobs that are at work."""
        return [path for path in self.folder.glob(".snakemake/incomplete/**/*") if path.is_file()]

    def has_done(self, jobs: int | float) -> bool:
        """Whether so many jobs have ended well; a number below 1 is a share of the run's, but for the last two."""
        log = self.log()
        total = re.search(r"^total +(\d+)$", log, re.MULTILINE)
        enough = jobs if jobs >= 1 else jobs * (int(total[1]) - 2) if total else math.inf
        return self.process.poll() is not None or log.count("Finished jobid") >= enough

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to all processes of the run."""
        os.killpg(self.process.pid, number)

    def stop_at_work(self) -> None:
        """Stop all processes of the run in the middle of a job."""
        while self.process.poll() is None:
            self.signal(signal.SIGSTOP)
            if self.unfinished():
                return
            self.signal(signal.SIGCONT)
            time.sleep(0.002)

    def wait(self) -> int:
        return self.process.wait(PATIENCE_S)

    def printed(self) -> str:
        """What the run has shown so far."""
        self._printed.seek(0)
        return self._printed.read()

    def processes(self) -> dict[int, str]:
        """The command lines of the processes of the run's group, by process id, in its order; none of what has ended and is
        not waited for. Not every system has /proc, hence `ps`.
        """
        command = ["ps", "-A", "-ww", "-o", "pid=", "-o", "pgid=", "-o", "stat=", "-o", "command="]
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        found = ((*row.split(None, 3), "")[:4] for row in listed)
        own = [(int(pid), state, line) for pid, group, state, line in found if int(group) == self.process.pid]
        return {pid: "" if state.startswith("Z") else line for pid, state, line in sorted(own)}


def assert_same(workflow: Workflow, undisturbed: Workflow, *targets: str) -> None:
    """All that is there, the targets included, has the bytes of a run that nothing disturbed, and nothing is half-written."""
    made, expected = workflow.made(), undisturbed.made()
    assert made.keys() >= set(targets)
    assert made == {name: expected[name] for name in made}
    assert workflow.half_written() == []
