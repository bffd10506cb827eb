"""What is taken for a plain Python command; Bash is the referee."""

import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from snakemake_executor_plugin_prefork.command import Command, Redirect, parse

STUB = """#!/bin/sh
printf '%s\\0' "$@" > arguments
echo out
echo err >&2
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.py").touch()
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "python").write_text(STUB)
    (tmp_path / "python").chmod(0o755)


@pytest.mark.parametrize(
    ("line", "arguments", "redirects"),
    [
        ("python s.py", (), ()),
        ("  python3.11 s.py\n", (), ()),
        (".engines/3.17.0/bin/python s.py --out 'a b' x=[1,2]", None, None),
        (".engines/3.17.0/bin/python s.py --out 'a b' 'x=[1,2]'", ("--out", "a b", "x=[1,2]"), ()),
        ("python s.py a \\\n  b > l/x.log 2>&1", ("a", "b"), (Redirect(1, "l/x.log"), Redirect(2, 1))),
        ("python s.py 2>&1 >x", (), (Redirect(2, 1), Redirect(1, "x"))),
        ("python s.py 2>> x >&2", (), (Redirect(2, "x", append=True), Redirect(1, 2))),
        ("python s.py &> 'x y'", (), (Redirect(1, "x y"), Redirect(2, 1))),
        ("python s.py > /dev/null", (), (Redirect(1, "/dev/null"),)),
        ('python s.py \'\' "it\'s" a\\ b "$"', None, None),
        ("python s.py '' \"it's\" a\\ b '$'", ("", "it's", "a b", "$"), ()),
    ],
)
def test_plain_commands(line, arguments, redirects):
    expected = None if arguments is None else Command(line.split()[0], "s.py", arguments, redirects)
    assert parse(line) == expected


NOT_PLAIN = r"""
python s.py | cat
python s.py && true
python s.py; true
python s.py &
python s.py $HOME
python s.py "$X"
python s.py `x`
python s.py *.txt
python s.py ~/x
python s.py {a,b}
python s.py # note
python s.py !x
python s.py 'open
python s.py < x
python s.py 3> x
python s.py >| x
python s.py >&x
python s.py > a b
python s.py > /dev/stderr
python s.py > folder.py
(python s.py)
A=1 python s.py
cd x; python s.py
time python s.py
python -u s.py
python -m s.py
python - s.py
python
python s
python missing.py
python folder.py
pythonx s.py
bash s.py
"""


@pytest.mark.parametrize("line", [*NOT_PLAIN.splitlines(), "python s.py\npython s.py"])
def test_anything_else(line):
    assert parse(line) is None


def test_a_pipe_is_not_a_log(tmp_path):
    subprocess.run(["mkfifo", "pipe"], cwd=tmp_path, check=True)
    assert parse("python s.py > pipe") is None


PIECES = [
    "a",
    "b=1",
    "'a  b'",
    '"é"',
    "\\ ",
    "\\'",
    "''",
    " ",
    "\t",
    "\\\n",
    "1",
    "2",
    "^",
    "-%",
    ">",
    ">>",
    ">&1",
    ">&2",
    "2>&1",
    "&>",
]
TAILS = st.text(alphabet="ab1= \t\n'\"\\>&2$*?[]{}()~#;|!^%é,:-@`", max_size=14) | st.lists(
    st.sampled_from(PIECES), max_size=9
).map("".join)


@given(tail=TAILS)
@settings(max_examples=600, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_bash_agrees(tail, tmp_path):
    """Whatever is taken for plain gets from Bash the same arguments, and the same streams in the same files."""
    command = parse(f"./python s.py {tail}")
    if command is None:
        return
    for path in tmp_path.iterdir():
        if path.name not in ("s.py", "folder.py", "python"):
            path.unlink()
    done = subprocess.run(
        ["bash", "-c", f"set -euo pipefail; ./python s.py {tail}"], cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "arguments").read_text().split("\0")[:-1] == ["s.py", *command.arguments]
    streams = {1: "stdout", 2: "stderr"}
    for redirect in command.redirects:
        streams[redirect.stream] = streams.get(redirect.target, redirect.target)
    for stream, text in ((1, b"out\n"), (2, b"err\n")):
        captured = {"stdout": done.stdout, "stderr": done.stderr}
        target = streams[stream]
        assert text in (captured[target] if target in captured else (tmp_path / target).read_bytes())
