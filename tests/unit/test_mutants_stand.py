"""Each edit that falsifies the physics still has its line and its tests; tests/hard makes the edits and runs the tests."""

import pytest
import yaml
from conftest import PROJECT

MUTANTS = yaml.safe_load((PROJECT / "tests/hard/mutants.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant["what"])
def test_a_mutant_has_its_line_and_its_tests(mutant):
    assert (PROJECT / mutant["file"]).read_text(encoding="utf-8").count(mutant["old"]) == 1
    for node in mutant["tests"].split():
        file, _, name = node.partition("::")
        assert f"def {name or 'test_'}" in (PROJECT / "tests/unit" / file).read_text(encoding="utf-8")
