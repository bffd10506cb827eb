"""The rule files say nothing twice, general code names no experiment, and no state of ours travels in the environment."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest
from conftest import PROJECT, SCHEMA

BLOCK = 3  # lines
RULES = sorted((PROJECT / "workflow").rglob("*.smk"))
# Files of one experiment, which may name it: its rules, its declaration, its tables and its folder of scripts.
OWN = re.compile(rf"({'|'.join(SCHEMA.experiments)}|grasp|creep|softest|audits?)(_\w+)?[.](smk|py)")
OWN_FOLDERS = {*SCHEMA.experiments}


def repeated_share(files: list[list[str]]) -> float:
    """The part of all lines that belongs to a block of BLOCK or more lines that stands in another place too."""
    blocks = Counter(tuple(lines[at : at + BLOCK]) for lines in files for at in range(len(lines) - BLOCK + 1))
    repeated = sum(
        any(blocks[tuple(lines[at : at + BLOCK])] > 1 for at in range(max(0, number - BLOCK + 1), number + 1))
        for lines in files
        for number in range(len(lines))
    )
    return repeated / sum(map(len, files))


def lines_of(path: Path) -> list[str]:
    return [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def test_the_share_of_repeated_lines_is_counted_as_it_is_meant():
    assert repeated_share([["a", "b", "c", "d"], ["e", "a", "b", "c"]]) == 6 / 8
    assert repeated_share([["a", "b", "x"], ["a", "b", "y"]]) == 0


def test_at_most_a_tenth_of_the_rules_stands_twice():
    assert repeated_share([lines_of(path) for path in RULES]) <= 0.1


def general_code() -> list[Path]:
    """The code that every experiment goes through."""
    folders = ("workflow/lib", "workflow/rules", "scripts/records", "scripts/setup", "scripts/compare", "scripts/ledger")
    paths = [path for folder in folders for path in (PROJECT / folder).glob("*") if path.suffix in (".py", ".smk")]
    return sorted(path for path in [*paths, PROJECT / "Snakefile"] if not OWN.fullmatch(path.name))


@pytest.mark.parametrize("path", general_code(), ids=lambda path: path.name)
def test_general_code_names_no_experiment(path):
    """Neither as a word of its own nor as the beginning of a script's or a table's name; comments and docstrings may."""
    text = re.sub(r'"""(?:.|\n)*?"""|^\s*#.*$', "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    words = re.findall(r"""["']([^"'\n]*)["']""", text)
    names = re.compile(rf"(?<![a-z])({'|'.join([*SCHEMA.experiments, 'grasp', 'impact'])})(?![a-z])")
    assert [word for word in words if names.search(word)] == []


def test_base_names_of_scripts_are_unique():
    """Provenance and warm interpreters know scripts by them."""
    names = Counter(path.name for path in (PROJECT / "scripts").rglob("*.py") if path.name != "__init__.py")
    assert [name for name, count in names.items() if count > 1] == []


def environment_names(path: Path) -> set[str]:
    """The variables that a file of ours reads or sets, by the strings that stand with os.environ or os.getenv."""
    text = path.read_text(encoding="utf-8")
    return set(re.findall(r"environ(?:\.get\(|\.pop\(|\[)\s*[\"'](\w+)", text))


def test_the_environment_carries_what_programs_read_and_nothing_of_ours():
    """What a library or Snakemake reads is allowed; a variable of our own would be a hidden way."""
    code = [*RULES, *(PROJECT / "scripts").rglob("*.py"), *(PROJECT / "workflow/lib").glob("*.py"), PROJECT / "Snakefile"]
    found = set().union(*map(environment_names, code))
    assert found == {"PATH", "PYTHONPATH", "SNAKEMAKE_OUTPUT_CACHE", "OPENBLAS_CORETYPE", "MUJOCO_GL", "WARP_CACHE_PATH"}
    assert not any("CONTACTLAB" in path.read_text(encoding="utf-8") for path in code)


def test_the_physics_touches_no_environment():
    for path in (PROJECT / "scripts/contactlab").glob("*.py"):
        imported = [
            name.name
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Import)
            for name in node.names
        ]
        assert "os" not in imported, path.name
