"""contactlab as a module of another workflow, in another folder."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from conftest import PROJECT, TWO_DROPS, rows

SNAKEFILE = """
configfile: "settings.yaml"

module contactlab:
    snakefile: {snakefile!r}
    config: config["contact"]

use rule * from contactlab{naming}

rule kept:
    input: "results/mine.csv"
    output: "kept.txt"
    shell: "grep -c ,kept, {{input}} > {{output}}"
"""


def snakemake(folder: Path, naming: str, config: dict, *arguments: str) -> subprocess.CompletedProcess:
    """Run a workflow of its own in `folder`, which takes contactlab's rules under names made by `naming`."""
    text = SNAKEFILE.format(snakefile=str(PROJECT / "Snakefile"), naming=naming)
    (folder / "Snakefile").write_text(text, encoding="utf-8")
    (folder / "settings.yaml").write_text(yaml.safe_dump({"contact": config}), encoding="utf-8")
    command = [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("naming", ["", " as contact_*"])
def test_another_workflow_makes_a_figure_and_goes_on_from_a_table(tmp_path, naming):
    done = snakemake(tmp_path, naming, TWO_DROPS, "figures/mine.png", "kept.txt", "--cache")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "figures/mine.png").read_bytes().startswith(b"\x89PNG")
    assert [row["outcome"] for row in rows(tmp_path / "results/mine.csv")] == ["kept", "passed"]
    assert (tmp_path / "kept.txt").read_text() == "1\n"
    for cell in (tmp_path / "results/drop/3.17.0").iterdir():
        assert cell.resolve().is_relative_to(tmp_path / ".store")
    again = snakemake(tmp_path, naming, TWO_DROPS, "--dry-run", "figures/mine.png", "kept.txt")
    assert "Nothing to be done" in again.stdout + again.stderr


def test_a_wrong_configuration_of_the_module_is_one_line(tmp_path):
    wrong = TWO_DROPS | {"drop": {"sweeps": {"mine": {"engine": ["3.17.0"], "dt_ms": [0]}}}}
    done = snakemake(tmp_path, "", wrong, "--dry-run", "figures/mine.png")
    assert done.returncode != 0
    assert "config.drop.sweeps.mine.dt_ms[0] is 0; allowed: above 0" in done.stderr.splitlines()
    assert "Traceback" not in done.stderr
