"""What is kept of files of code from run to run is what they say now, or is not believed."""

import json
import sys

import pytest

from lib import syntax
from records import files

MODULE = "import numpy\nfrom package import helper\n\nx = helper.offset  # why\n"
SAID = (["numpy", "package", "package.helper"], "import numpy\nfrom package import helper\nx = helper.offset")


def forget() -> None:
    syntax.of.cache_clear()
    syntax._kept.cache_clear()
    syntax._found.clear()


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A file of code in a folder of its own, whose syntax has been kept."""
    monkeypatch.chdir(tmp_path)
    forget()
    path = tmp_path / "module.py"
    path.write_text(MODULE, encoding="utf-8")
    assert syntax.of(path) == SAID
    syntax.keep()
    forget()
    yield path
    forget()


def test_a_file_is_read_once_for_all_runs_until_it_changes(module, monkeypatch):
    read = []
    monkeypatch.setattr(syntax, "_read", lambda path: read.append(path) or syntax.Syntax([], ""))
    assert syntax.of(module) == SAID
    module.with_name("copy.py").write_text(MODULE, encoding="utf-8")
    assert syntax.of(module.with_name("copy.py")) == SAID
    assert read == []
    forget()
    module.write_text(MODULE.replace("offset", "other"), encoding="utf-8")
    syntax.of(module)
    assert read == [module]


@pytest.mark.parametrize(
    "damaged",
    [
        lambda text: text.replace("offset", "offsat"),
        lambda text: text[: len(text) // 2],
        lambda text: "",
        lambda text: "[]",
    ],
)
def test_what_is_not_as_it_was_written_is_not_believed(module, damaged):
    text = syntax.KEPT.read_text(encoding="utf-8")
    assert damaged(text) != text
    syntax.KEPT.write_text(damaged(text), encoding="utf-8")
    assert syntax.of(module) == SAID
    syntax.keep()
    assert json.loads(syntax.KEPT.read_text(encoding="utf-8")) == json.loads(text)


def test_what_another_python_wrote_is_not_believed(module):
    files.write_json(syntax.KEPT, {"python": f"{sys.version} of another kind", "files": {files.digest_of(module): [[], "x"]}})
    assert syntax.of(module) == SAID


def test_a_folder_that_cannot_be_written_stops_nothing(module):
    syntax.KEPT.unlink()
    syntax.KEPT.parent.rmdir()
    syntax.KEPT.parent.touch()
    assert syntax.of(module) == SAID
    syntax.keep()
