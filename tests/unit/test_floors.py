"""Nothing below imports what is above: the physics, the records, then scripts and the workflow's own modules.

`make lint` holds the packages to it too, by import-linter, which does not see the scripts, as they are no packages.
"""

import ast
import re
import sys
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from conftest import PROJECT

PHYSICS, RECORDS, WORKFLOW = (PROJECT / name for name in ("scripts/contactlab", "scripts/records", "workflow/lib"))
EXPERIMENTS = sorted({path.parent for path in PROJECT.glob("scripts/*/*.py")} - {PHYSICS, RECORDS})
BELOW = {PHYSICS: [], RECORDS: [PHYSICS]} | {folder: [PHYSICS, RECORDS] for folder in (WORKFLOW, *EXPERIMENTS)}
BELOW[PROJECT / "workflow/experiments"] = [PHYSICS, RECORDS, WORKFLOW]
PLACES = re.compile(r"(results|figures|logs|envs|workflow|\.engines|\.store|\.snakemake)(/|$)|config\.yaml")


def modules(*folders: Path):
    """Test parameters: every module of some folders."""
    paths = sorted(path for folder in folders for path in folder.glob("*.py"))
    return pytest.mark.parametrize("path", paths, ids=lambda path: f"{path.parent.name}/{path.stem}")


def nodes(path: Path) -> list[ast.AST]:
    """All of a module's syntax tree."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def imported(path: Path) -> set[str]:
    """The first part of each name that a module imports, wherever that stands in it."""
    found = {alias.name for node in nodes(path) if isinstance(node, ast.Import) for alias in node.names}
    found |= {node.module for node in nodes(path) if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in found}


def names_of(folder: Path) -> set[str]:
    """What the modules of a folder are imported by: the name of a package, else each by its own."""
    return {folder.name} if (folder / "__init__.py").exists() else {path.stem for path in folder.glob("*.py")}


@modules(*BELOW)
def test_a_module_imports_from_its_own_folder_and_from_below(path):
    allowed = set().union(*(names_of(folder) for folder in (path.parent, *BELOW[path.parent])))
    assert imported(path) & set().union(*map(names_of, BELOW)) <= allowed


@modules(PHYSICS)
def test_the_physics_imports_numpy_and_mujoco_only(path):
    """And SciPy in a module that says it is the referee."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    allowed = {"contactlab", "numpy", "mujoco"} | ({"scipy"} if "referee" in docstring else set())
    assert imported(path) - sys.stdlib_module_names <= allowed


@modules(PHYSICS)
def test_the_physics_knows_neither_the_environment_nor_a_place_of_the_workflow(path):
    names = {getattr(node, "attr", getattr(node, "id", getattr(node, "name", None))) for node in nodes(path)}
    assert not names & {"environ", "environb", "getenv", "putenv", "unsetenv"}
    texts = [node.value for node in nodes(path) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    assert [text for text in texts if PLACES.match(text)] == []


def test_the_modules_of_the_workflow_have_an_order():
    """None imports itself, directly or not; CycleError names those that do."""
    own = names_of(WORKFLOW)
    TopologicalSorter({path.stem: imported(path) & own for path in WORKFLOW.glob("*.py")}).prepare()


def test_every_script_has_a_name_of_its_own():
    """Provenance and warm interpreters know it by that."""
    counts = Counter(path.stem for folder in (WORKFLOW, *EXPERIMENTS) for path in folder.glob("*.py"))
    assert [name for name, count in counts.items() if count > 1] == []
