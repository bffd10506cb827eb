"""What a run shows on a terminal and off one, and that a failure is shown in full."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from logging import LogRecord, makeLogRecord
from pathlib import Path

import pytest
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_logger_plugin_progress import Progress

SOURCE = Path(__file__).parents[1] / "src"
JOBS = 120
SNAKEFILE = f"""
rule all:
    input: expand("out/{{n}}.txt", n=range({JOBS}))

rule one:
    output: "out/{{n}}.txt"
    log: "logs/{{n}}.log"
    shell: "(test {{wildcards.n}} != bad || {{{{ seq 300; exit 1; }}}}) > {{log}}; touch {{output}}"
"""
FAILED = {"rule_name": "one", "output": ["1.txt"], "log": []}  # what is said of a failed job
LINE = re.compile(r"(\d+) of (\d+) \((\d+)%\), (\d+) running, (\d+) failed(?:, about (\d+):(\d\d) left)?")


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "snakemake", "--quiet", "host", "--logger", "progress", "--cores", "2", *arguments]


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "Snakefile").write_text(SNAKEFILE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(SOURCE))
    monkeypatch.setenv("TERM", "xterm")
    return tmp_path


def piped(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=120
    )


def event(kind: LogEvent, **attributes) -> tuple[LogEvent, LogRecord]:
    return kind, makeLogRecord({"event": kind, **attributes})


def test_the_line_counts_jobs_and_extrapolates_their_mean_pace():
    clock = iter([0.0, 10.0, 40.0])  # made, announced, asked
    progress = Progress(lambda: next(clock))
    progress.follow(*event(LogEvent.RUN_INFO, stats={"one": 7, "total": 8}))
    for jobid in (1, 2, 3):
        progress.follow(*event(LogEvent.JOB_INFO, jobid=jobid))
    progress.follow(*event(LogEvent.JOB_FINISHED, job_id=1))
    progress.follow(*event(LogEvent.JOB_ERROR, jobid=2, **FAILED))
    progress.follow(*event(LogEvent.PROGRESS, done=2, total=8))
    assert str(progress) == "2 of 8 (25%), 1 running, 1 failed, about 1:30 left"  # 6 jobs of 15 s each


def test_a_job_that_is_tried_again_has_not_failed():
    progress = Progress()
    for kind in (LogEvent.JOB_INFO, LogEvent.JOB_ERROR, LogEvent.JOB_INFO):
        progress.follow(*event(kind, jobid=1, **FAILED))
    assert (progress.running, progress.failed, progress.went_wrong()) == ({1}, {}, [])


def test_what_went_wrong_is_the_last_line_of_each_failed_job_once(tmp_path):
    progress = Progress()
    logs = {1: "a\nrun.py: no room\n\n", 2: "run.py: no room", 3: "", 4: None}
    for jobid, text in logs.items():
        log = tmp_path / f"{jobid}.log"
        if text is not None:
            log.write_text(text, encoding="utf-8")
        progress.follow(*event(LogEvent.JOB_ERROR, jobid=jobid, rule_name="one", output=[f"{jobid}.txt"], log=[str(log)]))
    silent = "the job failed and has logged nothing"
    assert progress.went_wrong() == ["run.py: no room (2 jobs)", f"one: 3.txt: {silent}", f"one: 4.txt: {silent}"]


def test_of_very_many_errors_the_last_are_named():
    progress = Progress()
    for jobid in range(15):
        progress.follow(*event(LogEvent.JOB_ERROR, jobid=jobid, **FAILED | {"output": [f"{jobid}.txt"]}))
    first, *last = progress.went_wrong()
    assert (first, len(last)) == ("5 more errors stand above", 10)
    assert last[-1].startswith("one: 14.txt: ")


def test_off_a_terminal_a_line_is_printed_for_every_five_percent(project):
    done = piped()
    assert done.returncode == 0, done.stdout
    lines = [tuple(map(int, match.groups("0"))) for match in LINE.finditer(done.stdout)]
    assert [line[0] for line in lines] == [-(-(JOBS + 1) * step // 20) for step in range(1, 21)]
    assert lines[-1] == (JOBS + 1, JOBS + 1, 100, 0, 0, 0, 0)
    assert len(done.stdout.splitlines()) < 20 + 25
    assert "\x1b" not in done.stdout
    [log] = project.glob(".snakemake/log/*.log")
    assert log.read_text(encoding="utf-8").count("Finished jobid") == JOBS + 1


def test_what_the_scheduler_says_in_each_of_its_passes_is_kept_for_the_log_file(project):
    done = piped("--max-jobs-per-timespan", "1/1s", "out/1.txt", "out/2.txt")
    assert done.returncode == 0, done.stdout
    [log] = project.glob(".snakemake/log/*.log")
    for message in ("Select jobs to execute", "Job rate limit reached"):
        assert message in log.read_text(encoding="utf-8")
        assert message not in done.stdout


def test_a_failure_is_shown_in_full(project):
    first = ("--cores", "1", "--prioritize", "out/bad.txt")  # a line counts what failed before it
    done = piped("--show-failed-logs", "--keep-going", *(f"out/{n}.txt" for n in range(40)), *first)
    assert done.returncode != 0
    assert "Error in rule one:" in done.stdout
    assert "\n".join(map(str, range(1, 301))) in done.stdout
    assert LINE.findall(done.stdout)[-1][4] == "1"


def test_the_last_thing_is_what_the_failed_job_said_last(project):
    done = piped("out/bad.txt")
    assert done.returncode != 0
    assert done.stdout.splitlines()[-2:] == ["At least one job did not complete successfully.", "300"]
    code, shown = on_terminal(80, "out/bad.txt")
    assert code != 0
    assert re.sub(r"\x1b\[[0-9;]*[mK]", "", shown).split()[-1] == "300"
    assert "\x1b[31m300\x1b[0m" in shown  # as red as any other error


@pytest.mark.parametrize("arguments", [[], ["--dry-run"]])
def test_so_is_what_an_input_function_raises(project, arguments):
    text = 'def refuse(wildcards):\n    raise ValueError("out/0.txt needs a preset")\n\n\nrule two:\n    input: refuse\n'
    (project / "Snakefile").write_text(text, encoding="utf-8")
    done = piped("two", *arguments)
    assert done.returncode != 0
    assert "Traceback" in done.stdout
    assert done.stdout.splitlines()[-1] == "out/0.txt needs a preset"


def on_terminal(columns: int, *arguments: str) -> tuple[int, str]:
    """The exit code of a run on a terminal so many columns wide, and all that it has written there."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    run = subprocess.Popen(command(*arguments), stdout=child, stderr=child)
    os.close(child)
    shown = b""
    try:
        while part := os.read(parent, 65536):
            shown += part
    except OSError:  # how Linux says that the last writer has gone
        pass
    os.close(parent)
    return run.wait(timeout=120), shown.decode()


@pytest.mark.parametrize(("columns", "bar"), [(120, 24), (80, 16), (40, 0)])
def test_on_a_terminal_the_line_is_painted_in_place(project, columns, bar):
    code, text = on_terminal(columns)
    assert code == 0
    painted = re.findall(r"\x1b\[2K((?:\[([#.]*)\] )?(\d+) of 121 [^\r\n]*)", text)
    assert len(painted) > JOBS
    assert max(len(line) for line, *_ in painted) < columns
    assert bar - 3 <= max(len(shown) for _, shown, _ in painted) <= 24
    assert all(shown.count("#") == len(shown) * int(done) // 121 for _, shown, done in painted)
    assert {line.partition(" running")[0][-1] for line, *_ in painted} == {"0", "1", "2"}
    assert text.count("\n") < 30
    assert "121 of 121" not in text  # a run that is over leaves no line behind


def test_a_dry_run_names_every_job_and_its_reason(project):
    done = piped("--dry-run")
    assert done.stdout.count("reason: Missing output files") == JOBS
