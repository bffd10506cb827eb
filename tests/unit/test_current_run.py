"""What a run tells its jobs, and what a script that is run by hand finds."""

import math

from records import current_run, files


def told() -> tuple:
    return current_run.machine(), current_run.code_of("drop_run.py"), current_run.cell_limit_s()


def test_a_job_knows_its_run_and_a_script_run_by_hand_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    current_run.PATH.parent.mkdir()
    assert told() == (None, None, math.inf)
    current_run.tell("a machine", {"drop_run.py": "abc"}, cell_limit_s=60)
    assert told() == ("a machine", "abc", 60)
    assert current_run.code_of("another.py") == "unknown"
    assert files.origin("results/drop/3.17.0/dt_ms=2.json", "drop_run.py") == {
        "name": "drop/3.17.0/dt_ms=2.json", "by": "drop_run.py", "code": "abc", "machine": "a machine"
    }  # fmt: skip
    current_run.tell("a machine", {"drop_run.py": "def"}, cell_limit_s=1)
    assert told() == ("a machine", "def", 1)
    current_run.forget()
    assert told() == (None, None, math.inf)
