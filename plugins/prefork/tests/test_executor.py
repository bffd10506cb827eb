"""Workflows run with the executor: what the local executor makes of them, made by forks."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import snakemake_executor_plugin_prefork

# Whether a script was forked: then it is not the outermost frame. Written beside the results, since there executors differ.
MARK = """
import pathlib, sys
def mark(name):
    pathlib.Path("marks").mkdir(exist_ok=True)
    pathlib.Path("marks", name).write_text(str(sys._getframe(1).f_back is not None))
mark(sys.argv[1].replace("/", "-"))
"""

STATE = """
import atexit, json, os, sys, threading, time
state = {
    "argv": sys.argv, "original argv": sys.orig_argv[1:], "path": sys.path, "executable": sys.executable, "folder": os.getcwd(),
    "file": __file__, "names": sorted(globals()), "spec": str(__spec__), "loader": type(__loader__).__name__, "doc": __doc__,
    "main": sys.modules["__main__"].__dict__ is globals(), "flags": str(sys.flags),
    "hook": sys.excepthook is sys.__excepthook__,
    "signals": [str(signal) for signal in map(__import__("signal").getsignal, (1, 2, 13, 15, 17))],
    "streams": [(str(s), type(s.buffer).__name__, s.line_buffering) for s in (sys.stdin, sys.stdout, sys.stderr)],
    "threads": threading.active_count(), "descriptors": len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc") else 0,
    "environment": {key: value for key, value in os.environ.items() if key != "SHLVL"},
}
for n in range(400):  # more than a buffer, so that the order of the two streams in the log shows how they are buffered
    print("out", n, state["argv"])
    if n % 50 == 0:
        print("err", n, file=sys.stderr)
atexit.register(print, "a hook ran")
threading.Thread(target=lambda: (time.sleep(0.2), print("a thread ended"))).start()
never_closed = open(sys.argv[1], "w")
json.dump(state, never_closed, indent=1)
class Last:
    def __del__(self):
        os.write(1, b"deleted\\n")
last = Last()
print("last words", end="")
"""

SAME = """
import os
os.environ["ASKED"] = "ä b"
rule all:
    input: expand("results/{n}.json", n=[1, 2]), "results/benchmarked.json", "results/piped.json", "results/quoted.json"
rule state:
    output: "results/{n}.json"
    log: "results/logs/{n}.log"
    threads: lambda w: int(w.n)
    shell: "python state.py {output} {wildcards.n} > {log} 2>&1"
rule quoted:
    output: "results/quoted.json"
    log: out="results/logs/quoted.out", err="results/logs/quoted.err"
    params: ["a b", "it's", "", "$HOME"]
    shell: "python ./state.py {output} {params:q} \\\\\\n  é 2> {log.err} > {log.out}"
rule benchmarked:
    output: "results/benchmarked.json"
    benchmark: "benchmark.tsv"
    log: "results/logs/benchmarked.log"
    shell: "python state.py {output} >> {log} 2>&1"
rule piped:
    output: "results/piped.json"
    shell: "python state.py {output} 2>&1 | cat > results/logs/piped.log"
"""


def test_files_and_logs_are_those_of_the_local_executor(project):
    made = project(Snakefile=SAME, state=MARK + STATE)
    found = {}
    for executor in ("local", "prefork"):
        done = made.run(executor, "--prefork-preload", "json", "there_is_none", "fractions")
        assert done.returncode == 0, done.stdout
        found[executor] = made.files("results"), made.files("marks")
        benchmark = made.read("benchmark.tsv").splitlines()
        assert benchmark[0].startswith("s\th:m:s\tmax_rss")
        assert 0.2 <= float(benchmark[1].split("\t")[0]) < 60  # the thread sleeps for 0.2 s
        subprocess.run(["rm", "-r", "results", "marks"], cwd=made.folder, check=True)
    assert found["local"][0] == found["prefork"][0]
    assert set(found["local"][1].values()) == {b"False"}
    forked = {name for name, mark in found["prefork"][1].items() if mark == b"True"}
    assert forked == {f"results-{name}.json" for name in ("1", "2", "quoted", "benchmarked")}
    log = found["prefork"][0]["logs/1.log"].decode()
    assert log.endswith("last wordsa thread ended\na hook ran\ndeleted\n")


ENDINGS = {
    "error": "def f():\n    raise KeyError('x')\nf()",
    "chained": "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    raise ValueError('ä') from error",
    "syntax": "x = = 1",
    "message": "import sys; sys.exit('one line')",
    "code": "import sys; sys.exit(7)",
    "fine": "import sys; sys.exit(None)",
    "abrupt": "import os; os._exit(9)",
    "hook": "import sys\nsys.excepthook = lambda *a: print('hooked', a[0].__name__)\nraise OSError",
    "exiting": "import atexit, os; atexit.register(os._exit, 5)",
    "encoding": "# -*- coding: latin-1 -*-\nprint('é')\nraise SystemExit(3)",
    "killed": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "segfault": "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
    "interrupt": "raise KeyboardInterrupt",
}
ENDING_RULES = """
rule all:
    input: expand("results/{{name}}.txt", name={names})
rule one:
    output: "results/{{name}}.txt"
    log: "logs/{{name}}.log"
    shell: "python {{wildcards.name}}.py {{output}} > {{log}} 2>&1"
"""


def test_jobs_end_as_with_the_local_executor(project):
    """Exit codes, messages and tracebacks; a job that a signal ended fails with its name; the rest go on."""
    header = "import sys\nopen(sys.argv[1], 'w').write('begun')\n"
    scripts = {name: (header if name != "encoding" else "") + text for name, text in ENDINGS.items()}
    made = project(Snakefile=ENDING_RULES.format(names=list(ENDINGS)), **scripts)
    found = {}
    for executor in ("local", "prefork"):
        done = made.run(executor, "--keep-going")
        assert done.returncode == 1
        ends = re.findall(r"python (\w+)\.py [^']*?' (returned non-zero exit status \d+|died with <[^>]*>)", done.stdout)
        found[executor] = dict(ends), made.files("logs"), made.files("results")
        subprocess.run(["rm", "-r", "results", "logs"], cwd=made.folder, check=True)
    (local, *local_files), (prefork, *prefork_files) = found["local"], found["prefork"]
    signals = {"killed": signal.SIGKILL, "segfault": signal.SIGSEGV, "interrupt": signal.SIGINT}
    for name, number in signals.items():
        assert prefork.pop(name) == f"died with <Signals.{number.name}: {number.value}>"
        local.pop(name)  # Bash, which waits for a job with a log, makes 128 + number of it
        assert (name in local_files[0]) == (name in prefork_files[0])
        local_files[0].pop(f"{name}.log")
        prefork_files[0].pop(f"{name}.log")
    assert prefork == local
    for name, code in {"error": 1, "syntax": 1, "message": 1, "code": 7, "abrupt": 9, "exiting": 5}.items():
        assert prefork[name] == f"returned non-zero exit status {code}"
    assert prefork_files[0] == local_files[0]
    assert prefork_files[1] == local_files[1]
    assert set(prefork_files[1]) == {"fine.txt"}  # the outputs of failed jobs are removed
    assert prefork_files[0]["error.log"].decode().count('File "') == 2


ONE_RULE = """
rule all:
    input: expand("results/{n}.txt", n=range(int(config.get("count", 1))))
rule one:
    output: "results/{n}.txt"
    log: "logs/{n}.log"
    retries: int(config.get("retries", 0))
    shell: "python job.py {output} > {log} 2>&1"
"""
WRITE = "\nopen(sys.argv[1], 'w').write('done')\n"


def test_retries(project):
    job = "\nimport os\nif not os.path.exists('tried'):\n    open('tried', 'w')\n    sys.exit(1)"
    made = project(Snakefile=ONE_RULE, job=MARK + job + WRITE)
    assert made.run("prefork").returncode == 1
    (made.folder / "tried").unlink()
    done = made.run("prefork", "--config", "retries=1")
    assert done.returncode == 0, done.stdout
    assert "Trying to restart job" in done.stdout
    assert set(made.files("marks").values()) == {b"True"}


DIE = """
import os, signal, time
if sys._getframe().f_back is not None:
    pathlib.Path(f"died-{os.getpid()}").touch()
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)
"""


def test_a_warm_interpreter_that_dies_is_started_again_once(project):
    made = project(Snakefile=ONE_RULE, job=MARK + DIE + WRITE)
    done = made.run("prefork", "--config", "retries=2", "count=3", "--cores", "1")
    assert done.returncode == 0, done.stdout
    died = [int(path.name.removeprefix("died-")) for path in made.folder.glob("died-*")]
    assert len(died) == 2
    eventually(lambda: not any(is_running(pid) for pid in died))
    assert done.stdout.count("died, and died again after it was started anew") == 1
    assert done.stdout.count("died with <Signals.SIGKILL: 9>") == 2
    assert set(made.files("marks").values()) == {b"False"}  # in the end


def is_running(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


DIE_UNTOLD = """
import os, signal, sys
import warm

class Channel:
    def sendall(self, message):
        os.kill(os.getpid(), signal.SIGKILL)

    def close(self):
        pass

forks = warm.Forks(Channel(), warm.Preload([]))
if forks.fork({"job": 0, "script": __file__, "arguments": [], "redirects": []}):
    print("ran", flush=True)
"""


def test_a_fork_that_nobody_was_told_of_does_not_run(tmp_path):
    """Another job is started in its place, which writes the same files."""
    (tmp_path / "die.py").write_text(DIE_UNTOLD)
    environment = os.environ | {"PYTHONPATH": str(Path(snakemake_executor_plugin_prefork.__file__).parent)}
    done = subprocess.run([sys.executable, tmp_path / "die.py"], env=environment, stdout=subprocess.PIPE, check=False)
    assert done.returncode == -signal.SIGKILL
    assert done.stdout == b""  # read to its end, when the fork has ended too


WAIT = """
import os, time
pathlib.Path(f"pid-{os.getpid()}").touch()
time.sleep(60)
"""


@pytest.mark.parametrize(("number", "whole_group"), [(signal.SIGINT, True), (signal.SIGTERM, True), (signal.SIGKILL, False)])
def test_nothing_is_left_when_snakemake_is_ended(project, number, whole_group):
    """Ctrl-C and a supervisor's SIGTERM go to all processes; SIGKILL to Snakemake alone."""
    made = project(Snakefile=ONE_RULE, job=MARK + WAIT)
    running = subprocess.Popen(
        made.command("prefork", "--config", "count=2"), cwd=made.folder, env=made.environment(), start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background ignores Ctrl-C
    )  # fmt: skip
    eventually(lambda: len(list(made.folder.glob("pid-*"))) == 2)
    (os.killpg if whole_group else os.kill)(running.pid, number)
    running.wait(timeout=30)
    assert set(made.files("marks").values()) == {b"True"}
    eventually(lambda: not is_running(-running.pid))
    assert not list(made.folder.glob("results/*"))


def eventually(condition) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


UNCHANGED = """
rule all:
    input: "results/run.txt", "results/script.txt", "results/shadow.txt", "results/consumer.txt", "results/plain.txt"
rule run:
    output: "results/run.txt"
    run: shell("python job.py {output}")
rule script:
    output: "results/script.txt"
    script: "script.py"
rule shadow:
    output: "results/shadow.txt"
    shadow: "minimal"
    shell: "python {workflow.basedir:q}/job.py {output}"
rule producer:
    output: pipe("pipe.txt")
    shell: "python job.py {output}"
rule consumer:
    input: "pipe.txt"
    output: "results/consumer.txt"
    shell: "cat {input} > {output}"
rule plain:
    output: "results/plain.txt"
    shell: "python job.py {output}"
"""


def test_other_jobs_go_the_local_executors_way(project):
    job = "\nopen(sys.argv[1], 'w').write(str(sys._getframe().f_back is not None))"
    script = "open(snakemake.output[0], 'w').write('from a script')"
    made = project(Snakefile=UNCHANGED, job="import sys" + job, script=script)
    done = made.run("prefork", "--cores", "3")
    assert done.returncode == 0, done.stdout
    assert {name: text.decode() for name, text in made.files("results").items()} == {
        "run.txt": "False", "script.txt": "from a script", "shadow.txt": "False", "consumer.txt": "False", "plain.txt": "True",
    }  # fmt: skip


CACHED = """
rule one:
    output: "results/one.txt"
    cache: True
    shell: "python job.py {output}"
"""


def test_the_cache_between_workflows(project):
    made = project(Snakefile=CACHED, job=MARK + WRITE)
    (made.folder / "store").mkdir()
    for _ in range(2):
        done = made.run("prefork", "--cache", SNAKEMAKE_OUTPUT_CACHE=str(made.folder / "store"))
        assert done.returncode == 0, done.stdout
        assert made.read("results/one.txt") == "done"
        subprocess.run(["rm", "-r", "results"], cwd=made.folder, check=True)
        subprocess.run(["rm", "-rf", "before"], cwd=made.folder, check=True)
        if (made.folder / "marks").exists():
            (made.folder / "marks").rename(made.folder / "before")
            assert made.files("before") == {"results-one.txt": b"True"}
    assert not (made.folder / "before").exists()  # the second time nothing ran


NO_PROC = """
import os
is_folder = os.path.isdir
os.path.isdir = lambda path: not str(path).startswith("/proc") and is_folder(path)
"""


@pytest.mark.parametrize("system", ["", NO_PROC], ids=["as it is", "without proc"])
def test_a_module_that_starts_threads_is_said_and_not_forked(project, system):
    made = project(Snakefile=ONE_RULE, job=MARK + WRITE)
    (made.folder / "lib/sitecustomize.py").write_text(system)
    (made.folder / "lib/threaded.py").write_text(
        "import threading, time\nthreading.Thread(target=time.sleep, args=[60], daemon=True).start()"
    )
    done = made.run("prefork", "--prefork-preload", "threaded", "--config", "count=3")
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("a preloaded module starts threads") == 1
    assert set(made.files("marks").values()) == {b"False"}


@pytest.mark.parametrize(
    ("system", "said"),
    [
        ("del os.fork", "this system cannot fork"),
        ("import snakemake_executor_plugin_prefork.executor as e\ne.sys = type(e)('sys')\ne.sys.platform = 'darwin'", "macOS"),
    ],
)
def test_without_fork_it_says_so_and_runs_locally(project, system, said):
    made = project(Snakefile=ONE_RULE, job=MARK + WRITE)
    (made.folder / "lib/sitecustomize.py").write_text(f"import os\n{system}")
    done = made.run("prefork", "--config", "count=3")
    assert done.returncode == 0, done.stdout
    assert done.stdout.count(said) == 1
    assert set(made.files("marks").values()) == {b"False"}


def test_a_module_beside_the_script_wins_as_ever(project):
    job = "\nimport calendar\nassert calendar.MINE"
    made = project(Snakefile=ONE_RULE, job=MARK + job + WRITE, calendar="MINE = True")
    for preload, forked in (("calendar", b"False"), ("decimal", b"True")):
        done = made.run("prefork", "--forceall", "--prefork-preload", preload)
        assert done.returncode == 0, done.stdout
        assert made.files("marks") == {"results-0.txt": forked}
        assert done.stdout.count("calendar.py beside job.py has the name of a module") == (forked == b"False")


PRELOADED = """
import pathlib, os
print("imported", file=open("imported", "a"))
READ = os.getpid()
"""
TWO_FOLDERS = """
rule all:
    input: expand("results/{n}.txt", n=range(4)), "results/other.txt"
rule one:
    output: "results/{n}.txt"
    shell: "python job.py {output}"
rule other:
    input: expand("results/{n}.txt", n=range(4))
    output: "results/other.txt"
    shell: "python other/job.py {output}"
"""


def test_a_module_beside_the_scripts_of_a_folder_is_preloaded_for_them_alone(project):
    job = "import beside, sys\nopen(sys.argv[1], 'w').write(beside.__file__ + ' ' + str(beside.READ))"
    made = project(Snakefile=TWO_FOLDERS, job=job, beside=PRELOADED)
    other = made.folder / "other"
    other.mkdir()
    (other / "job.py").write_text(job)
    (other / "beside.py").write_text("READ = 'another'")
    done = made.run("prefork", "--prefork-preload", ".:beside", "--cores", "1")
    assert done.returncode == 0, done.stdout
    text = {name: content.decode().rsplit(" ", 1) for name, content in made.files("results").items()}
    assert text.pop("other.txt") == [str(other / "beside.py"), "another"]
    assert {path for path, _ in text.values()} == {str(made.folder / "beside.py")}
    assert len({process for _, process in text.values()}) == 1
    assert made.read("imported") == "imported\n"


@pytest.mark.parametrize(("limit", "lifted"), [([], True), (["--max-jobs-per-timespan", "3/1s"], False)])
def test_jobs_are_not_held_back_unless_it_is_asked_for(project, limit, lifted):
    made = project(Snakefile=ONE_RULE, job=MARK + WRITE)
    done = made.run("prefork", "--config", "count=5", *limit, "--verbose")
    assert done.returncode == 0, done.stdout
    assert len(made.files("results")) == 5
    before = re.findall(r"before job selection: .*'_job_count': (\d+)", done.stdout)
    assert (set(before[1:]) == {str(sys.maxsize)}) == lifted


def test_forks_draw_different_random_numbers_as_plain_starts_do(project):
    pytest.importorskip("numpy")
    job = "\nimport random, numpy\nopen(sys.argv[1], 'w').write(f'{random.random()} {numpy.random.rand()}')"
    made = project(Snakefile=ONE_RULE, job=MARK + job)
    done = made.run("prefork", "--prefork-preload", "random", "numpy.random", "--config", "count=4")
    assert done.returncode == 0, done.stdout
    assert set(made.files("marks").values()) == {b"True"}
    drawn = [number for text in made.files("results").values() for number in text.split()]
    assert len(set(drawn)) == 8


def test_no_more_interpreters_than_allowed(project):
    rules = ONE_RULE.replace('retries: int(config.get("retries", 0))', "resources: tmpdir=lambda w: w.n")
    made = project(Snakefile=rules, job=MARK + WRITE)
    done = made.run("prefork", "--prefork-interpreters", "2", "--config", "count=4")
    assert done.returncode == 0, done.stdout
    assert sorted(made.files("marks").values()) == [b"False"] * 2 + [b"True"] * 2
    assert done.stdout.count("more than 2 warm interpreters (--prefork-interpreters)") == 1


def test_a_log_that_cannot_be_opened_fails_in_bashs_words(project):
    made = project(Snakefile=ONE_RULE.replace("> {log}", "> nowhere/x.log"), job=MARK + WRITE)
    done = made.run("prefork")
    assert done.returncode == 1
    assert "nowhere/x.log: No such file or directory" in done.stdout
    assert not (made.folder / "marks").exists()
