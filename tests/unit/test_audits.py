"""Audits: which runs one has, what they are called, what is refused before any job, and what code of the user's own may do."""

import copy
from pathlib import Path

import numpy as np
import pytest
import yaml
from conftest import ENVS, SCHEMA, refusal

import lib.audits
from lib import audit_command, audit_locks, checks, locks, messages, own_scene, provenance, syntax
from records import audit_code, audits, own_code, recordings

BOWL = {
    "name": "bowl",
    "grid": {},
    "reference": {"engine": "3.17.0", "option.timestep": 0.002},
    "vary": {"engine": ["3.11.0", "3.17.0"], "option.timestep": [0.001, 0.002], "geom.*.friction": [[0.5, 0.005, 0.0001]]},
}


def test_each_variation_moves_one_thing_from_the_reference_and_none_is_the_reference():
    found = audits.runs(BOWL)
    friction = "geom.*.friction=0.5_0.005_0.0001"
    assert [run.variation for run in found] == ["reference", "engine=3.11.0", "option.timestep=0.001", friction]
    assert [run.engine for run in found] == ["3.17.0", "3.11.0", "3.17.0", "3.17.0"]
    assert found[2].settings == {"option.timestep": 0.001}
    assert found[3].settings == {"option.timestep": 0.002, "geom.*.friction": [0.5, 0.005, 0.0001]}


def test_each_variation_runs_over_the_whole_grid():
    found = audits.runs(BOWL | {"grid": {"task": ["reach", "push"], "seed": [0, 1]}, "vary": {"engine": ["3.11.0"]}})
    places = [{"task": task, "seed": seed} for task in ("reach", "push") for seed in (0, 1)]
    assert [(run.variation, run.place) for run in found] == [
        (variation, place) for variation in ("reference", "engine=3.11.0") for place in places
    ]
    assert len({run.path(Path()) for run in found}) == 8


def test_a_cell_is_named_by_what_it_moves_and_by_nothing_that_a_file_cannot_be_called():
    names = {run.variation: run.path(Path("results/audits")).as_posix() for run in audits.runs(BOWL)}
    assert names["reference"] == "results/audits/3.17.0/bowl/default.json"
    assert names["engine=3.11.0"] == "results/audits/3.11.0/bowl/default.json"
    assert names["geom.*.friction=0.5_0.005_0.0001"].endswith("/bowl/geom.%2A.friction=0.5_0.005_0.0001.json")
    assert audits.cell_name({"way": "a/b, c=d"}, {}) == "way=a%2Fb%2C%20c%3Dd"
    assert audits.cell_name({"b": 1, "a": 2}, {"a": 2.0}) == audits.cell_name({"a": 2, "b": 1}, {"a": 2}) == "b=1"


def test_a_long_name_is_cut_and_stays_one_of_its_own():
    names = [audits.cell_name({"word": 300 * "é" + end}, {}) for end in "ab"]
    assert all(len(name) <= audits.NAME_LIMIT and name.isascii() for name in names)
    assert names[0] != names[1]


SCENE = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="box"><freejoint name="free"/><geom name="box" size=".1"/></body>
<body name="arm"><joint name="elbow"/><geom size=".1"/></body></worldbody>
<actuator><motor name="motor" joint="elbow"/></actuator>
<keyframe><key name="seated" qpos="0 0 .1 1 0 0 0 0"/></keyframe></mujoco>"""
CODE = "def measure(**settings):\n    return settings\n"
OF_CODE = {"code": "mine.py", "grid": {"seed": [0, 1]}, "reference": {"engine": "3.17.0"}, "vary": {"engine": ["3.11.0"]}}
OF_SCENE = {
    "scene": "box.xml",
    "duration_s": 1,
    "measures": {"height_m": {"body": "box", "quantity": "z_m"}},
    "outcomes": {"up": {"height_m": "> 0.03"}},
    "reference": {"engine": "3.17.0"},
    "vary": {"engine": ["3.11.0"], "option.timestep": [0.001]},
}


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A folder of the user's own with a scene, code and a recording."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "box.xml").write_text(SCENE, encoding="utf-8")
    (tmp_path / "mine.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "push.csv").write_text("time_s,motor\n0,0\n0.1,1\n0.2,0\n", encoding="utf-8")
    return tmp_path


def audit(of: dict, changes: dict) -> dict:
    """A configuration with one audit, some of whose keys are others; None takes one away."""
    changed = {key: value for key, value in (copy.deepcopy(of) | changes).items() if value is not None}
    return {"audits": {"mine": changed}}


@pytest.mark.parametrize(
    ("of", "changes", "said"),
    [
        (OF_SCENE, {"scene": "none.xml"}, "config.audits.mine.scene is none.xml; none.xml: No such file or directory; allowed"),
        (OF_SCENE, {"scene": "push.csv"}, "config.audits.mine.scene is push.csv, which is not XML: "),
        (OF_SCENE, {"code": "mine.py"}, "config.audits.mine has both scene and code; allowed: one of them"),
        (OF_SCENE, {"scene": None}, "config.audits.mine has neither scene and code; allowed: one of them"),
        (OF_SCENE, {"duration_s": None}, "config.audits.mine lacks duration_s; it must be there"),
        (OF_SCENE, {"reference": {}}, "config.audits.mine.reference lacks engine; it must be there"),
        (OF_SCENE, {"reference": None}, "config.audits.mine lacks reference; it must be there"),
        (OF_SCENE, {"vary": {}}, "config.audits.mine.vary is {}; allowed: axes with their values: engine, option.FIELD"),
        (OF_SCENE, {"vary": {"option.timestep": []}}, "config.audits.mine.vary.option.timestep is []; allowed: a list of valu"),
        (OF_SCENE, {"durations_s": 1}, "config.audits.mine has the unknown key 'durations_s'; allowed: duration_s, "),
        (OF_SCENE, {"vary": {"engine": ["3.99.0"]}}, "config.audits.mine.vary.engine is 3.99.0, which has no lock in envs/; "),
        (OF_SCENE, {"vary": {"engine": {"from": "3.2.0", "to": "4.0.0"}}}, "vary.engine.from is 3.2.0, which has no lock in "),
        (OF_SCENE, {"vary": {"engine": {"from": "4.0.0", "to": "3.3.7"}}}, "vary.engine.from is 4.0.0, which is newer than 3."),
        (OF_SCENE, {"vary": {"engine": "every"}}, "vary.engine is 'every'; allowed: a list of versions such as 3.17.0, as tex"),
        (OF_SCENE, {"vary": {"timestep": [1]}}, "config.audits.mine.vary has timestep; allowed: engine, option.FIELD, geom.NA"),
        (OF_SCENE, {"vary": {"geom.friction": [1]}}, "config.audits.mine.vary has geom.friction; allowed: engine, option.FIEL"),
        (OF_SCENE, {"vary": {"geom.bowl.friction": [1]}}, "geom.bowl.friction: the scene has no geom bowl; allowed: floor, bo"),
        (OF_SCENE, {"grid": {"option.timestep": [1, 2]}}, "config.audits.mine.grid has option.timestep; allowed: what vary do"),
        (OF_SCENE, {"outcomes": {"up": {"hight_m": "> 0"}}}, "outcomes.up names hight_m, which is no measure; allowed: height"),
        (OF_SCENE, {"outcomes": {"up": {"height_m": "high"}}}, "outcomes.up.height_m: condition 'high': allowed is one of "),
        (OF_SCENE, {"outcomes": {"up": {"height_m": 1}}}, "outcomes.up.height_m is 1; allowed: text such as "),
        (OF_SCENE, {"measures": {"a": {"passage": ["box", "floor"]}}, "outcomes": {"b": {"a": "> 1"}}}, "b.a is '> 1', of a "),
        (OF_SCENE, {"outcomes": {"height_m": {"height_m": "> 0"}}}, "outcomes has height_m, which measures has too; allowed: "),
        (OF_SCENE, {"required": ["upp"]}, "required names upp, which is no outcome or measure; allowed: up, height_m"),
        (OF_SCENE, {"series": ["up"]}, "series names up, which is no measure; allowed: height_m"),
        (OF_SCENE, {"storyboard": {"variation": "engine=3.99.0"}}, "storyboard.variation names engine=3.99.0, which is no var"),
        (OF_SCENE, {"series": {"measures": ["height_m"], "variations": ["x"]}}, "series.variations names x, which is no"),
        (OF_CODE, {"storyboard": {"variation": "engine=3.11.0"}}, "mine has code and storyboard; allowed: storyboard where t"),
        (OF_SCENE, {"by": ["seed"]}, "by names seed, which is no axis of the grid; allowed: none"),
        (OF_SCENE, {"measures": {"engine": {}}}, "config.audits.mine.measures has the name 'engine'; allowed: letters, digits"),
        (OF_SCENE, {"measures": {"a": {"body": "box"}}, "outcomes": {}}, "measures.a: quantity of a body is None; allo"),
        (OF_SCENE, {"measures": {"a": {"body": "box", "quantity": "zm"}}, "outcomes": {}}, "a: quantity of a body is 'zm'; al"),
        (OF_SCENE, {"measures": {"a": {"quantity": "z_m"}}, "outcomes": {}}, "measures.a: nothing is measured; allowed: "),
        (OF_SCENE, {"measures": {"a": {"body": "b", "joint": "j"}}, "outcomes": {}}, "a: body and joint is measured; allowed"),
        (OF_SCENE, {"measures": {"a": {"passage": ["bax", "floor"]}}, "outcomes": {}}, "passage: the scene has no body bax; a"),
        (OF_SCENE, {"measures": {"a": {"sensor": "s"}}, "outcomes": {}}, "sensor: the scene has no sensor s; allowed: a scene"),
        (OF_SCENE, {"start": {"keyframe": "stood"}}, "start.keyframe: the scene has no keyframe stood; allowed: seated"),
        (OF_SCENE, {"start": {"qpos": {"elbo": 1}}}, "start.qpos: the scene has no joint elbo; allowed: elbow, free"),
        (OF_SCENE, {"start": {"qpos": {"elbow": float("nan")}}}, "start.qpos.elbow is nan; allowed: a finite number"),
        (OF_SCENE, {"control": {"constant": {"moter": 1}}}, "control.constant: the scene has no actuator moter; allowed: moto"),
        (OF_SCENE, {"control": {"recording": "none.csv"}}, "control.recording is none.csv: No such file or directory; allowed"),
        (OF_SCENE, {"control": {"code": "mine.py", "every_s": 0.1}}, "control.code is mine.py, which has no function control;"),
        (OF_SCENE, {"control": {"code": "mine.py"}}, "config.audits.mine.control is {'code': 'mine.py'}; allowed: {constant: "),
        (OF_SCENE, {"requirements": "mine.in"}, "config.audits.mine.requirements is mine.in; allowed: the path of a requireme"),
        (OF_CODE, {"code": "none.py"}, "config.audits.mine.code is none.py: No such file or directory; allowed: the path of a"),
        (OF_CODE, {"code": "box.xml"}, "config.audits.mine.code is box.xml, which is not Python: "),
        (OF_CODE, {"duration_s": 1}, "config.audits.mine has code and duration_s; allowed: duration_s where there is a scene"),
        (OF_CODE, {"vary": {"option.timestep": [1]}}, "config.audits.mine.vary has option.timestep; allowed: engine, and word"),
        (OF_CODE, {"measures": {"a": {"body": "b"}}}, "measures.a has body; allowed of what code returns: digits, tolerance"),
        (OF_CODE, {"requirements": "box.xml"}, "is 3.17.0, for which box.xml has no lock envs/audit-mine-3.17.0.txt; allowed:"),
        (OF_CODE, {"requirements": "box.xml", "reference": {"engine": "3.17.0-aarch64"}}, "has requirements and the engine 3"),
        (OF_SCENE, {"scene": {"wheel": "so101-nexus==9", "file": "a/b.xml", "lock": "so101"}}, "scene.wheel is so101-nexus=="),
        (OF_SCENE, {"scene": {"wheel": "a==1", "file": "a/b.xml", "lock": "none"}}, "scene.lock is none; allowed: the NAME o"),
        (OF_SCENE, {"scene": {"wheel": "a==1", "file": "../b.xml", "lock": "so101"}}, "scene is {'wheel': 'a==1', 'file': '."),
        (OF_CODE, {"vary": {"way": ["1", 1]}}, "config.audits.mine has two runs that are called seed=0,way=1; allowed: "),
    ],
)  # fmt: skip
def test_what_cannot_be_audited_is_refused_in_one_line(folder, of, changes, said):
    assert said in refusal(audit(of, changes))


def test_what_is_right_is_taken_as_it_stands(folder):
    both = {"audits": {"scene": OF_SCENE | {"control": {"recording": "push.csv"}}, "code": OF_CODE}}
    found = checks.checked(copy.deepcopy(both), SCHEMA, ENVS)["audits"]
    assert {name: {key: part[key] for key in both["audits"][name]} for name, part in found.items()} == both["audits"]


def test_two_results_have_one_name_only_where_they_are_one(folder):
    twice = audit(OF_SCENE, {}) | {"drop": {"sweeps": {"mine": {"engine": ["3.17.0"], "dt_ms": [2]}}}}
    assert refusal(twice) == "config.audits has mine, which config.drop.sweeps has too; allowed: any other name"


def test_more_runs_than_cells_are_allowed_are_refused(folder):
    many = audit(OF_CODE, {"grid": {"seed": list(range(100))}}) | {"max_cells": 199}
    assert refusal(many) == "config.audits.mine has 200 cells, 200 with the other sweeps; allowed: max_cells, 199"


def test_all_engines_are_those_with_a_lock_and_a_lock_of_the_users_own_is_one(folder):
    vary = {"engine": {"from": "3.11.0", "to": "4.0.0"}}
    locked = lib.audits.resolved("mine", OF_SCENE | {"vary": vary}, "", ENVS)["vary"]["engine"]
    assert locked == [
        version for version in locks.versions(ENVS) if (3, 11) <= tuple(map(int, version.split(".")[:2])) <= (4, 0)
    ]
    (folder / "envs").mkdir()
    (folder / "envs/mujoco-3.12.1.txt").touch()
    found = lib.audits.resolved("mine", OF_SCENE | {"vary": {"engine": "all"}}, "", ENVS)["vary"]["engine"]
    assert "3.12.1" in found
    assert found == locks.versions(ENVS)
    assert locks.of_engine(ENVS, "3.12.1") == Path("envs/mujoco-3.12.1.txt")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("time_s,motor\n0,0\n0.1,nan\n", "push.csv, where motor is nan in sample 1; allowed: a finite number"),
        (
            "time_s,motor\n0,0\n0.1,1\n0.2,1\n0.5,0\n",
            "push.csv, which has a gap from 0.2 s to 0.5 s; allowed: a sample about every",
        ),
        ("time_s,motor\n0,0\n0.2,1\n0.1,1\n", "push.csv, where 0.1 s follows 0.2 s; allowed: times that rise"),
        ("time_s,motor\n0.1,0\n0.2,1\n", "push.csv, which begins at 0.1 s; allowed: a first sample at 0 s"),
        ("time_s,moter\n0,0\n0.1,1\n", "control.recording: the scene has no actuator moter; allowed: motor"),
        ("time_s,motor\n0,0\n0.1\n", "push.csv, where line 3 has 1 values; allowed: 2"),
        ("time_s,motor\n0,0\n0.1,high\n", "push.csv, where motor is 'high'; allowed: a number"),
        ("motor\n0\n", "push.csv, which has the columns motor; allowed: time_s and one for each actuator"),
        ("", "push.csv, which is empty or no text; allowed: a CSV with time_s and a column for each actuator"),
    ],
)
def test_a_recording_that_does_not_drive_every_actuator_at_every_time_is_refused(folder, text, said):
    (folder / "push.csv").write_text(text, encoding="utf-8")
    assert said in refusal(audit(OF_SCENE, {"control": {"recording": "push.csv"}}))


def test_a_recording_is_the_same_from_csv_and_npz(folder):
    times_s, names, values = recordings.read("push.csv")
    np.savez("push.npz", time_s=times_s, motor=values[:, 0])
    again = recordings.read("push.npz")
    assert (names, again[1]) == (["motor"], ["motor"])
    assert np.array_equal(again[0], times_s)
    assert np.array_equal(again[2], values)


def test_names_of_parts_that_the_engine_makes_are_left_to_the_compiled_scene(folder):
    (folder / "box.xml").write_text(SCENE.replace("<worldbody>", '<worldbody><replicate count="2"><geom/></replicate>'))
    checks.checked(audit(OF_SCENE, {"vary": {"geom.bowl.friction": [[1]]}}), SCHEMA, ENVS)


@pytest.mark.parametrize("name", ["box.xml", "mesh.xml"])
def test_a_scene_counts_with_all_that_it_includes_and_code_with_all_that_it_imports(folder, name):
    (folder / "box.xml").write_text('<mujoco><include file="mesh.xml"/></mujoco>', encoding="utf-8")
    (folder / "mesh.xml").write_text("<mujoco/>", encoding="utf-8")
    before = own_scene.digest("box.xml")
    (folder / name).write_text((folder / name).read_text() + "<!-- -->")
    assert own_scene.digest("box.xml") != before


@pytest.mark.parametrize(
    ("name", "counts"), [("mine.py", True), ("beside.py", True), ("package/inner.py", True), ("other.py", False)]
)
def test_code_counts_with_what_it_imports_beside_itself(folder, name, counts):
    (folder / "package").mkdir()
    written = {"mine.py": "import beside, package\n", "beside.py": "", "package/__init__.py": "from . import inner\n"}
    for path, text in (written | {"package/inner.py": "", "other.py": ""}).items():
        (folder / path).write_text(text, encoding="utf-8")

    def digest() -> str:
        for kept in (provenance.code, provenance._imports, provenance._imported, provenance._module_files, syntax.of):
            kept.cache_clear()
        return provenance.own_code(Path("mine.py"))

    before = digest()
    (folder / name).write_text((folder / name).read_text() + "a = 1\n")
    assert (digest() != before) == counts


# Code of the user's own


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "def measure():\n    return 1",
            "TypeError: it returned a int; allowed: a mapping of numbers, texts and yes/no by name",
        ),
        ("def measure():\n    return {'a': [1]}", "TypeError: a is a list; allowed: a number, a text, or True or False"),
        ("def measure():\n    return {'a': float('nan')}", "ValueError: a is nan; allowed: a finite number"),
        (
            "def measure():\n    return {'engine': 1}",
            "ValueError: it returned the name 'engine'; allowed: letters, digits and _",
        ),
        ("def measure():\n    raise KeyError('x')", "KeyError: 'x' (mine.py, line 2)"),
        ("def measure():\n    raise SystemExit(3)", "SystemExit: 3 (mine.py, line 2)"),
        ("import os\ndef measure():\n    os._exit(4)", "the code ended its process, exit code 4"),
        ("import os\ndef measure():\n    os.kill(os.getpid(), 9)", "the code ended its process, signal 9"),
    ],
)
def test_code_that_does_not_return_numbers_texts_or_yes_and_no_has_failed_in_one_line(folder, body, said):
    (folder / "mine.py").write_text(body, encoding="utf-8")
    found = audit_code.cell({"audit": "mine", "code": "mine.py", "files": {}, "settings": {}})["result"]
    assert found["outcome"] == "failed"
    assert found["why"].startswith(said)
    assert "\n" not in found["why"]


def test_code_that_cannot_be_imported_cannot_run(folder):
    (folder / "mine.py").write_text("import nothing_of_this_name\ndef measure(): ...", encoding="utf-8")
    found = audit_code.cell({"audit": "mine", "code": "mine.py", "files": {}, "settings": {}})["result"]
    said = "ModuleNotFoundError: No module named 'nothing_of_this_name' (mine.py, line 1)"
    assert found == {"outcome": "cannot run", "why": said}


@pytest.mark.parametrize("body", ["while True: pass", "import time; time.sleep(1000)"])
def test_code_that_never_ends_is_ended(in_run, folder, monkeypatch, body):
    monkeypatch.setattr(own_code, "CLOCK", 2)
    in_run(1)
    (folder / "mine.py").write_text(f"def measure():\n    {body}", encoding="utf-8")
    assert audit_code.cell({"audit": "mine", "code": "mine.py", "files": {}, "settings": {}})["result"] == {
        "outcome": "timed out"
    }


def test_what_code_returns_is_kept_and_what_it_writes_is_gone(folder):
    body = """import numpy as np, os
import beside
def measure(seed, way):
    open("left.txt", "w").write("x"); print("said")
    return {"number": np.float64(0.1) * seed, "count": np.int64(2), "good": np.bool_(True), "text": way + beside.END}
"""
    (folder / "mine.py").write_text(body, encoding="utf-8")
    (folder / "beside.py").write_text("END = '!'", encoding="utf-8")
    record = audit_code.cell({"audit": "mine", "code": "mine.py", "files": {}, "settings": {"seed": 3, "way": "a"}})
    assert record["result"] == {"number": 0.1 * 3, "count": 2, "good": True, "text": "a!"}
    assert record["settings"] == {"audit": "mine", "seed": 3, "way": "a"}
    assert not list(folder.rglob("left.txt"))


def test_locks_are_written_for_every_release_between_and_for_every_engine_of_code_with_requirements(folder, monkeypatch):
    """What uv and pip say is put in their place: the releases, and a lock that is what they were asked."""
    asked = []

    def run(*command: str, given: str = "") -> str:
        asked.append((command, given))
        return "mujoco (4.0.0)\nAvailable versions: 4.0.0, 3.12.1, 3.12.0, 3.11.0, 3.3.7" if "index" in command else given

    monkeypatch.setattr(audit_locks, "_run", run)
    assert audit_locks.releases("3.11.0", "3.12.1") == ["3.11.0", "3.12.0", "3.12.1"]
    with pytest.raises(audit_locks.LockError, match="the package index has no release of mujoco from "):
        audit_locks.releases("3.12.2", "3.12.9")
    (folder / "mine.yaml").write_text(yaml.safe_dump(audit(OF_CODE, {"requirements": "mine.in"})), encoding="utf-8")
    assert audit_locks.needed(folder / "mine.yaml", ENVS) == [("mine", "mine.in", "3.11.0"), ("mine", "mine.in", "3.17.0")]
    path = audit_locks.of_audit("mine", "mine.in", "3.11.0", Path("envs"))
    first, *others = path.read_text(encoding="utf-8").splitlines()
    assert (path, others) == (Path("envs/audit-mine-3.11.0.txt"), ["mujoco==3.11.0"])
    assert first == "# mine.in with mujoco==3.11.0, whatever it and what it needs say of mujoco"
    assert "mine.in" in asked[-1][0]
    assert provenance.locked_versions(path) == {"mujoco": "3.11.0"}


@pytest.mark.parametrize(
    ("text", "said"),
    [("a: 1\n", "mine.yaml has no audits; allowed: a file with audits: NAME: ..."), ("a: [", "mine.yaml, line")],
)
def test_a_file_without_audits_is_refused_by_the_command(folder, text, said):
    (folder / "mine.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(messages.ConfigError) as caught:
        audit_command.names(folder / "mine.yaml")
    assert said in str(caught.value)
