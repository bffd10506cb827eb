"""What the documents promise is there."""

import csv
import re
import subprocess
import sys
import tomllib
from collections import Counter

import pandas as pd
import pytest
import yaml
from conftest import PROJECT, SCHEMA, drop_scene
from packaging.requirements import Requirement

import provenance
import schema
from contactlab import drop
from records import settings, tables

README = (PROJECT / "README.md").read_text(encoding="utf-8")


def test_every_path_that_the_readme_names_exists():
    made = re.compile(r"^(results|figures|\.engines|\.venv|logs|docs/.*\.html|report\.html)")
    paths = [path for path in re.findall(r"`([\w./*-]+/[\w./*-]*|[\w-]+\.(?:yaml|md|toml))`", README) if not made.match(path)]
    assert len(paths) > 10
    missing = [path for path in paths if not list(PROJECT.glob(path.rstrip("/")))]
    assert not missing


@pytest.mark.parametrize("picture", re.findall(r"!\[[^]]*\]\(([^)]+)\)", README))
def test_every_picture_of_the_readme_exists(picture):
    assert (PROJECT / picture).read_bytes().startswith(b"\x89PNG")


def test_no_file_names_a_package_registry():
    for lock in (PROJECT / "envs").iterdir():
        assert "://" not in lock.read_text(encoding="utf-8"), lock.name


@pytest.mark.parametrize("lock", sorted((PROJECT / "envs").glob("*.txt")), ids=lambda path: path.name)
def test_every_locked_version_carries_hashes(lock):
    blocks = re.split(r"\n(?=\S)", lock.read_text(encoding="utf-8").strip())
    assert blocks
    assert all("--hash=sha256:" in block for block in blocks)


def test_the_conda_file_holds_the_locked_versions():
    conda = yaml.safe_load((PROJECT / "envs/workflow.yaml").read_text(encoding="utf-8"))
    listed = dict(line.split("==") for line in conda["dependencies"][-1]["pip"])
    wanted = {
        re.match(r"[\w-]+", line)[0]
        for line in (PROJECT / "envs/workflow.in").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    }
    assert "python =3.11" in conda["dependencies"]
    assert listed == {name: version for name, version in locked_for("3.11.0") if name in wanted}


def locked_for(python: str) -> list[tuple[str, str]]:
    """Names and versions that the workflow's lock has for a Python version."""
    text = (PROJECT / "envs/workflow.txt").read_text(encoding="utf-8")
    requirements = [Requirement(line.rstrip("\\ ")) for line in text.splitlines() if line[:1].isalnum()]
    applies = [item for item in requirements if not item.marker or item.marker.evaluate({"python_full_version": python})]
    return [(item.name, next(iter(item.specifier)).version) for item in applies]


def test_the_test_environment_holds_the_workflows_versions():
    workflow, tests = (provenance.locked_versions(PROJECT / f"envs/{name}.txt") for name in ("workflow", "tests"))
    assert workflow.items() <= tests.items()
    engine = provenance.locked_versions(PROJECT / "envs/mujoco-3.17.0.txt")
    assert (tests["mujoco"], tests["numpy"]) == (engine["mujoco"], engine["numpy"])


def test_the_published_table_of_the_readme_is_the_published_one():
    """The README shows the table of lesson 02; its published half is that of claims.csv."""
    with (PROJECT / "workflow/published/claims.csv").open(newline="", encoding="utf-8") as file:
        claims = {
            (row["case"], row["quantity"]): row["published"] for row in csv.DictReader(file) if row["section"] == "experiment"
        }
    lines = [line.split("|")[1:-1] for line in README.splitlines() if re.match(r"\| *[\d.]+ *\|", line)]
    assert len(lines) == 15
    for dt, *cells in ([cell.strip() for cell in line] for line in lines):
        default, stiff = (f"dt_ms={dt};integrator=Euler;solref={solref}" for solref in ("default", "0.005 1"))
        assert cells[0] == claims[default, "first_overlap_centre"]
        assert cells[2] == claims.get((default, "lowest_centre"), "")
        assert cells[4] == f"{claims[default, 'outcome']} / {claims[stiff, 'outcome']}"


UNITS = {
    "_rad_s": "rad/s", "_m_per_s": "m/s", "_rad": "rad", "_Nm": "N m", "_kg": "kg", "_ms": "ms", "_s": "s", "_m": "m",
}  # fmt: skip


def axis_line(name: str) -> str:
    """The line of an axis in README's table, from the schema."""
    both = {experiment: schema.axes(SCHEMA, experiment).get(name) for experiment in ("drop", "pick")}
    having = {experiment: axis for experiment, axis in both.items() if axis}
    words = [settings.to_word(axis.get("default", "")).replace("_", " ") for axis in having.values()]
    [what] = {axis["description"] for axis in having.values()}
    [page] = {axis.get("page") for axis in having.values()}
    unit = next((unit for ending, unit in UNITS.items() if name.endswith(ending)), "")
    place = page and re.fullmatch(r"(\w+)\.html#([a-z-]+)", page)
    link = f"[{place[1]}, {place[2].replace('-', ' ')}](https://mujoco.readthedocs.io/en/stable/{page})" if place else ""
    defaults = " / ".join(dict.fromkeys(words))
    return f"| `{name}` | {unit} | {', '.join(having)} | {defaults} | {what} | {link} |"


def test_the_readme_lists_every_axis_as_the_schema_has_it():
    axes = schema.axes(SCHEMA, "drop") | schema.axes(SCHEMA, "pick")
    names = [name for name, axis in axes.items() if axis["stage"] != "source"]
    table = [line for line in README.splitlines() if re.match(r"\| `\w+` \| [^|]*\| (drop|pick)", line)]
    assert table == [axis_line(name) for name in names]


def test_every_option_of_mujoco_names_its_page():
    """What the model or the engine reads is explained by MuJoCo's documentation; sizes, poses and the task are ours."""
    ours = re.compile(r"(table|cube|position|drop)_\w*(size|width|thickness|top|height|centre)\w*_m|tilt_rad|cube_yaw_rad")
    for experiment in ("drop", "pick"):
        for name, axis in schema.axes(SCHEMA, experiment).items():
            assert ("page" in axis) or axis["stage"] != "model" or ours.fullmatch(name), name


def test_the_results_page_explains_every_column_of_a_drop():
    page = (PROJECT / "results/README.md").read_text(encoding="utf-8")
    result = drop.run(drop_scene(), 10, "Euler", 0.5)
    del result["warning_texts"]
    result |= tables.effective(result.pop("effective"))
    columns = tables.to_centimetres(pd.DataFrame([result]), list(result)).columns
    assert [column for column in columns if f"`{column}`" not in page] == []


def test_the_citation_names_the_version_of_the_project():
    citation = yaml.safe_load((PROJECT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (citation["version"], citation["license"]) == (project["version"], project["license"])
    assert f"## {citation['version']}" in (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_readme_counts_what_the_hard_tests_do():
    """As many tests are collected as its table says; how much each does is the module's own number."""
    command = [sys.executable, "-m", "pytest", "--hard", "--collect-only", "-o", "addopts=", "tests/hard"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True)
    collected = Counter(re.findall(r"<Function (\w+)", done.stdout))
    section = README.partition("## What it promises")[2].partition("\n## ")[0]
    lines = [line.split("|") for line in section.splitlines() if "::" in line]
    assert len(lines) == 11
    each = {
        path.stem: int(number)
        for path in (PROJECT / "tests/hard").glob("test_*.py")
        for number in re.findall(r"^(?:KILLS|CONFIGS|CELLS) = (\d+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    for *_, names, told, _ in lines:
        tests = re.findall(r"`(\w+)\.py::(\w+)`", names)
        count, *rest = map(int, re.findall(r"\d+", told))
        assert count == sum(collected[name] for _, name in tests), names
        assert rest == ([each[tests[0][0]]] if "times" in told else []), names
