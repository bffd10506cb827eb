"""A Snakemake logger: one line with what is done, running and failed and the time left; all else as Snakemake prints it.

On a terminal the line is painted over and over below the messages; elsewhere it is printed for every 5 % of the jobs. A run
that fails ends with what went wrong: the last line that each failed job has logged, below all that Snakemake says of the job.
"""

import logging
import os
import re
import sys
import time
from collections import Counter
from pathlib import Path

from snakemake.logging import ColorizingTextHandler
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

LINES = 20  # of a whole run where there is no terminal, one for every 5 % of the jobs
BAR = 24  # characters at most, where the terminal has room for them
ERASE = "\r\x1b[2K"
LAST = 10  # what went wrong, at most, at the end of a run
# What an input function raised, which Snakemake shows between the rule and a traceback.
RAISED = re.compile(r"^Error:\n +\w+:\s+(.+)\n", re.MULTILINE)


class Progress:
    """What a run's events say about its jobs; `seconds` is a clock."""

    def __init__(self, seconds=time.monotonic) -> None:
        self._seconds = seconds
        self._started = seconds()
        self.done = self.total = 0
        self.running: set[int] = set()
        self.failed: dict[int, str] = {}  # what each has said last
        self.raised: list[str] = []

    def follow(self, event: LogEvent | None, record: logging.LogRecord) -> None:
        """Take one event in; those that say nothing about the number of jobs change nothing."""
        if event == LogEvent.RUN_INFO:
            self.total, self._started = record.stats["total"], self._seconds()
        elif event == LogEvent.JOB_INFO:
            self.running.add(record.jobid)
            self.failed.pop(record.jobid, None)  # a retry
        elif event == LogEvent.JOB_FINISHED:
            self.running.discard(record.job_id)
        elif event == LogEvent.JOB_ERROR:
            self.running.discard(record.jobid)
            self.failed[record.jobid] = last_line(record)
        elif event == LogEvent.PROGRESS:
            self.done, self.total = record.done, record.total
        elif event == LogEvent.ERROR:
            self.raised += RAISED.findall(record.getMessage())

    def went_wrong(self) -> list[str]:
        """A line for each thing that went wrong, those of most recent jobs where there are very many."""
        counted = Counter([*self.raised, *self.failed.values()]).items()
        lines = [line if count == 1 else f"{line} ({count} jobs)" for line, count in counted]
        more = len(lines) - LAST
        return [f"{more} more errors stand above", *lines[-LAST:]] if more > 0 else lines

    def seconds_left(self) -> float | None:
        """At the mean pace of this run so far; None before the first job is done."""
        return (self._seconds() - self._started) / self.done * (self.total - self.done) if self.done else None

    def __str__(self) -> str:
        left = self.seconds_left()
        estimate = "" if left is None else ", about {}:{:02} left".format(*divmod(round(left), 60))
        share = self.done / self.total if self.total else 0
        return f"{self.done} of {self.total} ({share:.0%}), {len(self.running)} running, {len(self.failed)} failed{estimate}"


def last_line(record: logging.LogRecord) -> str:
    """What a failed job has said last in its log; where it has said nothing, that."""
    for path in map(Path, record.log):
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n") if path.is_file() else []
        if said := [line.strip() for line in lines if line.strip()]:
            return said[-1]
    return f"{record.rule_name}: {', '.join(record.output)}: the job failed and has logged nothing"


class LogHandler(LogHandlerBase, ColorizingTextHandler):
    """Messages go through Snakemake's own filter and formatter; the events of single jobs become the line."""

    writes_to_stream = True
    writes_to_file = has_filter = has_formatter = needs_rulegraph = False

    # Said of every job or pass of the scheduler, and kept in Snakemake's log file. An error is not among them: it is
    # shown in full.
    EVENTS = (LogEvent.JOB_INFO, LogEvent.JOB_STARTED, LogEvent.JOB_FINISHED, LogEvent.PROGRESS)
    MESSAGES = (
        "Select jobs to execute",
        "Job rate limit reached",
        "Symlinking output file",
        "Copying output file",
        "Moving output file",
    )

    def __post_init__(self) -> None:
        stream = sys.stdout if self.common_settings.stdout else sys.stderr
        ColorizingTextHandler.__init__(self, nocolor=self.common_settings.nocolor, stream=stream)
        self._terminal = self.can_color_tty()
        self._progress = Progress()
        self._printed = 0  # lines
        self._open = True

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._show(record)
        except Exception:  # which would end the thread that all records go through
            self.handleError(record)

    def _show(self, record: logging.LogRecord) -> None:
        event = getattr(record, "event", None)
        self._progress.follow(event, record)
        if self.common_settings.dryrun:  # which is asked for the sake of the jobs
            ColorizingTextHandler.emit(self, record)
            return
        if self._terminal:
            self.stream.write(ERASE)
        if event not in self.EVENTS and not record.getMessage().startswith(self.MESSAGES):
            ColorizingTextHandler.emit(self, record)
        if self._terminal:
            self._paint()
        elif event == LogEvent.PROGRESS and self._due():
            self.stream.write(f"{self._progress}\n")
        self.flush()

    def _paint(self) -> None:
        if self._progress.total <= self._progress.done:
            return
        text, columns = str(self._progress), os.get_terminal_size(self.stream.fileno()).columns or 80
        room = min(BAR, columns - len(text) - 4)  # a line that wraps could not be erased
        full = room * self._progress.done // self._progress.total
        bar = f"[{'#' * full}{'.' * (room - full)}] " if room > 0 else ""
        self.stream.write(f"{bar}{text}"[: columns - 1])

    def _due(self) -> bool:
        """Whether the jobs done have passed another line's share since the last line."""
        before, self._printed = self._printed, LINES * self._progress.done // self._progress.total
        return self._printed > before

    def close(self) -> None:
        """Say what went wrong, once; Snakemake closes its handlers, and Python closes all at its end."""
        if self._open:
            self._end()
        self._open = False
        super().close()

    def _end(self) -> None:
        if self._terminal:
            self.stream.write(ERASE)
        for line in self._progress.went_wrong():
            said = logging.LogRecord(__name__, logging.ERROR, __file__, 0, line, None, None)
            ColorizingTextHandler.emit(self, said)
        self.flush()
