"""What the documents promise is there."""

import csv
import importlib
import math
import re
import tomllib
from pathlib import Path

import pandas as pd
import pytest
import yaml
from conftest import PROJECT, SCHEMA, drop_scene

import pages
import paths_of_project
from contactlab import drop
from lib import provenance, schema
from records import tables


def read(page: str) -> str:
    return (PROJECT / page).read_text(encoding="utf-8")


PAGES = [
    path.relative_to(PROJECT).as_posix()
    for pattern in paths_of_project.PAGES
    for path in sorted(PROJECT.glob(pattern))
    if path.name != "CHANGELOG.md" and path.parent.name != "results"  # what was there once, what is there once it is made
]
MADE = re.compile(r"(results|figures|logs|[.]engines|[.]store|[.]snakemake|[.]venv)(/|$)")


def named_paths(page: str) -> list[str]:
    """The paths that a page names and nothing makes; NAME and the like in them stand for any name."""
    spans = re.findall(r"`([\w.*-]+(?:/[\w.*-]+)*/?)`", read(page))
    paths = [span for span in spans if "/" in span or re.fullmatch(r"[\w-]+[.](yaml|yml|md|toml)", span)]
    return [re.sub(r"[A-Z]{4,}(?![\w.]*md)", "*", path) for path in paths if not MADE.match(path)]


@pytest.mark.parametrize("page", PAGES)
def test_every_path_that_a_page_names_exists(page):
    roots = (PROJECT, (PROJECT / page).parent)
    assert [path for path in named_paths(page) if not any(list(root.glob(path.rstrip("/"))) for root in roots)] == []


def test_the_readme_is_one_screen_and_a_half():
    assert len(read("README.md").splitlines()) <= 120


@pytest.mark.parametrize("page", pages.PAGES)
def test_a_generated_page_is_what_the_code_says(page):
    """`make pages` writes it anew."""
    assert read(page).splitlines() == pages.written(page).splitlines()


def test_the_architecture_names_every_folder_rule_file_and_module():
    """So that a newcomer finds each of them."""
    patterns = ("workflow/rules/*.smk", "workflow/lib/*.py", "scripts/records/*.py", "scripts/contactlab/*.py", "scripts/*/")
    found = [path for pattern in patterns for path in PROJECT.glob(pattern) if not path.name.startswith("__")]
    names = [path.relative_to(PROJECT).as_posix() + "/" * path.is_dir() for path in found]
    assert len(names) > 50
    assert [name for name in sorted(names) if f"`{name}`" not in read("ARCHITECTURE.md")] == []


def test_no_file_names_a_package_registry():
    for lock in (PROJECT / "envs").iterdir():
        assert "://" not in lock.read_text(encoding="utf-8"), lock.name


@pytest.mark.parametrize("lock", sorted((PROJECT / "envs").glob("*.txt")), ids=lambda path: path.name)
def test_every_locked_version_carries_hashes(lock):
    text = re.sub(r"^#.*\n", "", lock.read_text(encoding="utf-8"), flags=re.MULTILINE)  # what a lock of an audit begins with
    blocks = re.split(r"\n(?=\S)", text.strip())
    assert blocks
    assert all("--hash=sha256:" in block for block in blocks)


def test_the_test_environment_holds_the_workflows_versions():
    workflow, tests = (provenance.locked_versions(PROJECT / f"envs/{name}.txt") for name in ("workflow", "tests"))
    assert workflow.items() <= tests.items()
    engine = provenance.locked_versions(PROJECT / "envs/mujoco-3.17.0.txt")
    assert (tests["mujoco"], tests["numpy"]) == (engine["mujoco"], engine["numpy"])


def test_the_published_table_of_the_findings_is_the_published_one():
    """The page shows the table of lesson 02; its published half is that of claims.csv."""
    with (PROJECT / "workflow/published/claims.csv").open(newline="", encoding="utf-8") as file:
        claims = {
            (row["case"], row["quantity"]): row["published"] for row in csv.DictReader(file) if row["section"] == "experiment"
        }
    lines = [line.split("|")[1:-1] for line in read("docs/findings.md").splitlines() if re.match(r"\| *[\d.]+ *\|", line)]
    assert len(lines) == 15
    for dt, *cells in ([cell.strip() for cell in line] for line in lines):
        default, stiff = (f"dt_ms={dt};integrator=Euler;solref={solref}" for solref in ("default", "0.005 1"))
        assert cells[0] == claims[default, "first_overlap_centre"]
        assert cells[2] == claims.get((default, "lowest_centre"), "")
        assert cells[4] == f"{claims[default, 'outcome']} / {claims[stiff, 'outcome']}"


def test_every_option_of_mujoco_names_its_page():
    """What the model or the engine reads is explained by MuJoCo's documentation; sizes, poses and the task are ours."""
    ours = re.compile(r"(table|cube|position|drop)_\w*(size|width|thickness|top|height|centre)\w*_m|tilt_rad|cube_yaw_rad")
    for experiment in ("drop", "pick"):
        for name, axis in schema.axes(SCHEMA, experiment).items():
            assert ("page" in axis) or axis["stage"] != "model" or ours.fullmatch(name), name


def test_the_results_page_explains_every_column_of_a_drop():
    page = read("results/README.md")
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


def hard_tests(path: Path) -> dict[str, int]:
    """How many tests `make test-hard` makes of each function of a file: one for each seed and each row of its parameters."""
    module = importlib.import_module(path.stem)
    marks = {name: getattr(function, "pytestmark", []) for name, function in vars(module).items() if name.startswith("test_")}
    many = {"seeds": lambda mark: mark.kwargs["hard"], "parametrize": lambda mark: len(mark.args[1])}
    return {name: math.prod(many[mark.name](mark) for mark in given if mark.name in many) for name, given in marks.items()}


def test_the_guarantees_count_what_the_hard_tests_do(monkeypatch):
    """There are as many tests as its table says; how much each does is the module's own number."""
    files = sorted((PROJECT / "tests/hard").glob("test_*.py"))
    monkeypatch.syspath_prepend(PROJECT / "tests/hard")
    collected = {name: count for path in files for name, count in hard_tests(path).items()}
    lines = [line.split("|") for line in read("docs/guarantees.md").splitlines() if "::" in line]
    assert len(lines) == 11
    each = {
        path.stem: int(number)
        for path in files
        for number in re.findall(r"^(?:KILLS|CONFIGS|CELLS) = (\d+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    for *_, names, told, _ in lines:
        tests = re.findall(r"`(\w+)\.py::(\w+)`", names)
        count, *rest = map(int, re.findall(r"\d+", told))
        assert count == sum(collected[name] for _, name in tests), names
        assert rest == ([each[tests[0][0]]] if "times" in told else []), names
