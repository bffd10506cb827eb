"""What a file of code imports, and its code without comments, docstrings and formatting; kept by its content from run to run.

Reading all scripts anew takes longer than much of what a start does beside.
"""

import ast
import functools
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from records import files

KEPT = Path(".snakemake/contactlab-syntax.json")
BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")  # where statements hold others


class Syntax(NamedTuple):
    """The dotted names that a file imports, sorted, and its syntax tree without docstrings, written out again."""

    imports: list[str]
    code: str


_found: dict[str, Syntax] = {}  # what this process has asked for, by the digest of the file's content


@functools.cache
def of(path: Path) -> Syntax:
    """The syntax of a file. Raises SyntaxError where it is no Python."""
    digest = files.digest_of(path)
    _found[digest] = Syntax(*_kept()[digest]) if digest in _kept() else _read(path)
    return _found[digest]


def keep() -> None:
    """Write down what this process has asked for; where that cannot be written, the next one reads it anew."""
    if _found.keys() != _kept().keys():
        with suppress(OSError):
            files.write_json(KEPT, {"python": sys.version, "files": _found})


@functools.cache
def _kept() -> dict[str, list]:
    """What a process before this one has written down; nothing of another Python, which writes trees out in its own way."""
    with suppress(OSError, ValueError):  # not there, or not as it was written
        record, _ = files.sealed(KEPT)
        return record["files"] if record["python"] == sys.version else {}
    return {}


def _read(path: Path) -> Syntax:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return Syntax(sorted(_imported_names(tree)), _normal_form(tree))


def _imported_names(tree: ast.Module) -> set[str]:
    """The dotted names that a file imports when it runs; what stands under `if TYPE_CHECKING` is for readers only."""
    names = set()
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def _normal_form(tree: ast.Module) -> str:
    """The file's code written out again, its docstrings removed from `tree`."""
    for node in _statements(tree, for_readers=True):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def _statements(tree: ast.Module, for_readers: bool = False) -> Iterator[ast.AST]:
    """The tree and its statements, as expressions hold none; what stands under `if TYPE_CHECKING` only `for_readers`."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        skipped = not for_readers and isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for block in ("orelse",) if skipped else BLOCKS:
            waiting.extend(getattr(node, block, ()))
