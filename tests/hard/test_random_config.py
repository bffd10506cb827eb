"""A configuration, whatever it holds, gives a plan or one line that names the key; no shell ever sees a value."""

import copy
import datetime
import functools
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NoReturn

import generate
import pytest
import yaml
from conftest import SCENE, SCHEMA, Workflow, rows
from snakemake.cli import main

from contactlab.drop_scene import drop_mjcf
from lib import provenance, schema

CONFIGS = 20  # that one seed makes
STRIDE = 7  # so that the few configurations of one seed lie far apart in the schema
PICK = {"engine": ["3.17.0"], "mu": [0.3], "mass_kg": [0.03], "cap_Nm": [0.5], "position": [0]}
SMALL = {
    "stepping": {"engine": "3.17.0"},
    "drop": {"sweeps": {"timestep": {"engine": ["3.17.0"], "dt_ms": [2]}}},
    "pick": {"sweeps": {"friction": PICK}, "nominal": PICK | {"position": ["nominal"]}, "checks": []},
}
DEEP = functools.reduce(lambda inner, _: [inner], range(60), 1)
WRONG = [
    None, True, False, 0, -1, 1, 0.1, 1e308, -1e308, 10**40, float("nan"), float("inf"), float("-inf"), [], {}, [[]], [{}],
    [None], [1, 1], ["x", "x"], DEEP, list(range(100_000)), {"a": {"b": {"c": []}}}, {1: 2}, {None: 1}, b"bytes",
    datetime.date(2001, 1, 1), *generate.NASTY, *([word] for word in generate.NASTY),
]  # fmt: skip
ODD = {  # as text behind a valid configuration, and whether Snakemake itself cannot read it
    "a key twice": "drop: {sweeps: {}}\n",
    "a tab": "\tdrop: 1\n",
    "a tag": "max_cells: !!python/object/apply:os.system [touch PWNED]\n",
    "an unknown tag": "max_cells: !thing 5\n",
    "a second document": "---\nmax_cells: 1\n",
    "an alias of nothing": "max_cells: *nothing\n",
    "an alias of itself": "presets: &itself {x: *itself}\n",
    "a list as a key": "? [1, 2]\n: 3\n",
    "a key that is a number": "5: 5\n",
    "an octal number": "max_cells: 0o17\n",
    "an unclosed bracket": "presets: {x: [1\n",
    "a byte that is no text": "max_cells: \x07\n",
    "a set": "presets: !!set {a, b}\n",
    "a date": "presets: 2001-01-01\n",
    "a deep list": f"presets: {'[' * 2000}{']' * 2000}\n",
    "a deeper list": f"presets: {'[' * 50000}{']' * 50000}\n",
}
PLACES = generate.places(SCHEMA, SCHEMA)


@pytest.fixture(scope="module")
def warm(tmp_path_factory) -> Iterator[Workflow]:
    """A copy of the project of which this process knows what no configuration changes, so that its forks need not find out."""
    workflow = Workflow(tmp_path_factory.mktemp("config") / "a $(touch PWNED) project")
    for script in (workflow.folder / "scripts").glob("*/*.py"):
        provenance.code(script)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "load", functools.cache(schema.load))
        schema.load(workflow.folder)
        yield workflow


def planned(folder: Path) -> tuple[int, str]:
    """The exit code and all that a dry run in a folder says, by a fork of this process."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        dry_run(folder, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        said = stream.read().decode(errors="replace")
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said


def dry_run(folder: Path, writer: int) -> NoReturn:
    """In a fork: what `snakemake --dry-run` does, then the end of the process."""
    sys.stdout = sys.stderr = os.fdopen(writer, "w", encoding="utf-8", errors="replace", buffering=1)
    os.dup2(writer, 1)
    os.dup2(writer, 2)
    os.chdir(folder)
    code = 70
    try:
        main(["--dry-run", "--cores", "1"])
    except SystemExit as end:
        code = end.code
        if isinstance(code, str):
            print(code)
    finally:
        sys.stdout.flush()
        os._exit(code if isinstance(code, int) else int(code is not None))


def broken(random: Random, config: dict, path: tuple[str, ...]) -> dict:
    """The configuration with one fault on the way to a path."""
    path = path[: random.randint(1, len(path))]
    holder = config
    for name in path[:-1]:
        holder = holder[name]
    value = holder[path[-1]]
    match random.choice(["wrong", "wrong", "wrong", "gone", "unknown", "within"]):
        case "wrong":
            holder[path[-1]] = random.choice(WRONG)
        case "gone":
            del holder[path[-1]]
        case "unknown":
            target = value if isinstance(value, dict) else holder
            target[random.choice([*generate.NASTY, 1, None, True, "dt_mss"])] = copy.deepcopy(value)
        case "within":
            holder[path[-1]] = [*value, random.choice(WRONG)] if isinstance(value, list) else [value]
    return config


def judged(workflow: Workflow, text: str) -> tuple[bool, str]:
    """Whether a configuration is planned, and what the run then says in one line; anything else fails the test."""
    (workflow.folder / "config.yaml").write_text(text, encoding="utf-8")
    code, said = planned(workflow.folder)
    assert not list(workflow.folder.rglob("PWNED")), text
    if code == 0:
        assert "Building DAG" in said
        return True, ""
    lines = [line for line in said.splitlines() if line and "workflow specific profile" not in line]
    assert len(lines) == 1, (lines, text)
    assert lines[0].startswith("config"), (lines, text)
    assert len(lines[0]) < 600, (lines, text)
    return False, lines[0]


@pytest.mark.seeds(short=1, hard=50)
def test_a_random_configuration_gives_a_plan_or_one_line_that_names_the_key(warm, seed):
    """Every second one is broken at or above a key; the seeds together come to every key of the schema."""
    random = Random(seed)
    for index in range(CONFIGS):
        path = PLACES[(seed * CONFIGS + index) * STRIDE % len(PLACES)]
        config = generate.put(random, copy.deepcopy(SMALL), path, SCHEMA)
        if index % 2:
            config = broken(random, config, path)
        fine, line = judged(warm, yaml.safe_dump(config, allow_unicode=True))
        assert fine or path[0] in line, (line, config)


@pytest.mark.parametrize("name", ODD)
def test_a_file_that_is_odd_is_refused_in_one_line(warm, name):
    fine, _ = judged(warm, yaml.safe_dump(SMALL) + ODD[name])
    assert not fine


FOLDER = "a $(touch PWNED); touch PWNED & 'quoted' \"twice\" `touch PWNED` été"


@pytest.mark.seeds(short=0, hard=1)
def test_words_for_a_shell_reach_none_when_a_configuration_is_run(workflow, robot_folder, seed):
    """A scene and a robot in a folder whose name is a command, and names of parts that are commands too."""
    place = workflow.folder / FOLDER
    place.mkdir()
    (place / "own.xml").write_text(drop_mjcf(**SCENE), encoding="utf-8")
    shutil.copytree(robot_folder, place / "robot", ignore=shutil.ignore_patterns("provenance.json"))
    (place / "robot/so101.xml").rename(place / "robot/$(touch PWNED) arm.xml")
    parts = {"jaw_joint": "$(touch PWNED)", "tool_body": ";touch PWNED"}
    robot = {"name": "mine", "source": f"{FOLDER}/robot", "file": "$(touch PWNED) arm.xml", **parts}
    (place / "own.py").write_text("def measure(way):\n    return {'way_back': way}\n", encoding="utf-8")
    run = {"duration_s": 0.1, "measures": {"height_m": {"body": "cube", "quantity": "z_m"}}, "reference": {"engine": "3.17.0"}}
    scene = run | {"scene": f"{FOLDER}/own.xml", "vary": {"option.timestep": [0.004]}}
    code = {"code": f"{FOLDER}/own.py", "reference": {"engine": "3.17.0", "way": "a"}, "vary": {"way": [FOLDER]}}
    audits = {"audits": {"own": scene, "words": code}}
    workflow.configure(SMALL | {"pick": SMALL["pick"] | {"robot": robot}} | audits)
    done = workflow.run("own", "words")
    assert done.returncode == 0, done.stdout
    assert [row["status"] for row in rows(workflow.folder / "results/own.csv")] == ["ran", "ran"]
    assert [row["way_back"] for row in rows(workflow.folder / "results/words.csv")] == ["a", FOLDER]
    done = workflow.run("results/grasp_cells.csv")
    assert done.returncode != 0
    assert "the model has no joint of this name" in done.stdout
    assert "$(touch PWNED)" in done.stdout
    assert not list(workflow.folder.rglob("PWNED"))
