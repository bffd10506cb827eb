"""What the workflow uses of Snakemake without Snakemake promising it: each test fails when Snakemake changes it."""

import asyncio
import inspect
import re
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE, STDOUT
from types import SimpleNamespace
from unittest import mock

import pytest
import snakemake
import snakemake.api
from conftest import PROJECT
from packaging.version import Version
from snakemake.caching.rule import RuleCache
from snakemake.common import get_function_params, get_input_function_aux_params
from snakemake.dag import DAG
from snakemake.exceptions import CacheMissException
from snakemake.executors import local
from snakemake.io import AnnotatedString, IOFile, report
from snakemake.persistence.file import FilePersistence

from lib import provenance, snakemake_internals


def test_the_snakemake_that_is_asked_for_is_the_one_that_is_tested():
    asked = re.search(r'min_version\("([^"]+)"\)', (PROJECT / "Snakefile").read_text(encoding="utf-8"))[1]
    locked = provenance.locked_versions(PROJECT / "envs/workflow.txt")["snakemake"]
    wanted = re.search(r"^snakemake>=(\S+)", (PROJECT / "envs/workflow.in").read_text(encoding="utf-8"), re.MULTILINE)[1]
    assert asked == locked == wanted == snakemake.__version__
    for plugin in ("prefork", "progress", "slurm-prefork"):
        text = (PROJECT / "plugins" / plugin / "pyproject.toml").read_text(encoding="utf-8")
        for least in re.findall(r'"snakemake>=([\d.]+)"', text):
            assert Version(least) == Version(locked), plugin


@pytest.mark.parametrize(
    "name",
    [
        "is_main_process",
        "local_exec",
        "rules",
        "current_basedir",
        "configfiles",
        "group_settings",
        "scheduler",
        "dryrun",
        "dag",
        "dag_settings",
        "default_target",
    ],
)
def test_a_workflow_still_tells(name):
    source = inspect.getsource(snakemake.workflow.Workflow)
    assert hasattr(snakemake.workflow.Workflow, name) or re.search(rf"\b{name}\b", source), name


def test_the_store_is_asked_job_by_job_in_the_three_ways_that_measurements_override():
    """The executors call exists, fetch and store of a rule's cache, and a miss is an exception."""
    assert {"exists", "fetch", "store"} <= set(vars(RuleCache))
    source = inspect.getsource(local)
    for call in ("rule.cache.fetch(job)", "rule.cache.store(job)", "except CacheMissException"):
        assert call in source
    assert {"exists", "fetch", "store"} <= set(vars(snakemake_internals.Measurements))


class Job:
    def __init__(self, *output: str) -> None:
        self.output = output


def test_what_is_marked_incomplete_is_so_to_snakemake_and_made_again_on_demand(tmp_path, monkeypatch):
    """The graph of jobs forces what is incomplete where it is in the graph; the mark is found before any job is looked at."""
    monkeypatch.chdir(tmp_path)
    cells = [f"results/drop/dt_ms={dt_ms}.json" for dt_ms in (1, 2)]
    snakemake_internals.mark_incomplete([Path(cells[0])])
    assert FilePersistence(nolock=True)._filter_incomplete_keys(cells) == {cells[0]}
    assert "self.forcefiles.update(incomplete_files)" in inspect.getsource(DAG.check_incomplete)
    profiles = [PROJECT / "profiles" / name / "config.yaml" for name in ("default", "slurm")]
    assert all(re.search("^rerun-incomplete: true", profile.read_text(encoding="utf-8"), re.MULTILINE) for profile in profiles)


def test_what_is_measured_again_is_never_fetched():
    cache = snakemake_internals.Measurements(rule=None, flag=None)
    job = Job("results/verify/drop/3.17.0/dt_ms=2.json")
    assert asyncio.run(cache.exists(job)) is False
    with pytest.raises(CacheMissException):
        asyncio.run(cache.fetch(job))
    asyncio.run(cache.store(job))  # nothing is stored: without a store this would raise


def test_snakemake_asks_for_the_parameters_that_it_was_told():
    """Those of functions among inputs and params; what takes all that there is says so."""

    def one(wildcards): ...

    def all_of_them(wildcards, **others): ...

    marked = AnnotatedString(one)
    rule = SimpleNamespace(input=["a.csv", marked, all_of_them], params=["word", lambda w, output: output, marked])
    before = [get_function_params(function) for function in (one, all_of_them, rule.params[1])]
    snakemake_internals.know_parameters(SimpleNamespace(rules=[rule]))
    with mock.patch("inspect.signature", side_effect=AssertionError("asked again")):
        assert [get_function_params(function) for function in (one, all_of_them, rule.params[1])] == before
        assert get_input_function_aux_params(all_of_them, {"output": 1}) == {"output": 1}
        assert get_input_function_aux_params(one, {"output": 1}) == {}


def test_a_fork_of_this_process_says_and_does_what_a_start_of_its_own_does(workflow):
    """Of a project that differs from this one, and of one that is refused."""
    workflow.edit("workflow/lib/checks.py", "import math\n", "import math\n\nprint('edited')\n")
    for arguments in (["--dry-run", "results/timestep.csv"], ["--dry-run", "results/nothing.csv"], ["--no-such-option"]):
        command = [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]
        alone = subprocess.run(command, cwd=workflow.folder, stdout=PIPE, stderr=STDOUT, text=True, check=False)
        forked = workflow.run(*arguments)
        assert forked.returncode == alone.returncode
        said, expected = (sorted(re.findall(r"[^\W\d]+", done.stdout)) for done in (forked, alone))
        assert said == expected  # word for word, but for dates and the order of sets


def a_rule(**output) -> SimpleNamespace:
    """A rule with one output, which it marks for the report."""
    marked = IOFile(report("results/{sweep}.csv", **output))
    params = {"settings": lambda w: [f"sweep={w.sweep}"], "machine": "this"}
    return SimpleNamespace(output=[marked], input=["a.csv", lambda w: [f"{w.sweep}.json"]], params=params)


def test_a_marked_file_knows_its_place_in_the_report_and_what_its_caption_is_filled_with():
    rule = a_rule(category="2 Drops", labels={"kind": "table", "sweep": "the {sweep}"})
    [file] = snakemake_internals.marked(SimpleNamespace(rules=[rule]), ["results/x.csv", "figures/x.png"])
    assert (file.path, file.wildcards) == ("results/x.csv", {"sweep": "x"})
    assert (file.category, file.title, file.caption) == ("2 Drops", "the x", None)
    assert (file.param("settings"), file.param("machine")) == (["sweep=x"], "this")
    assert file.inputs() == ["a.csv", "x.json"]


def test_a_marked_file_needs_neither_category_nor_labels():
    [file] = snakemake_internals.marked(SimpleNamespace(rules=[a_rule()]), ["results/x.csv"])
    assert (file.category, file.title) == ("Other", "x")


def test_what_a_run_is_asked_for_has_what_rules_name_as_its_inputs_and_asks_no_function():
    """Targets by name, by rule, by wildcards, and the default one where none is named."""

    def never(wildcards):
        raise AssertionError("an input function was asked")

    rules = [
        SimpleNamespace(name="drawn", output=[IOFile("figures/{name}.png")], input=["results/{name}.csv", never]),
        SimpleNamespace(name="tabled", output=[IOFile("results/both.csv")], input=["results/a/x.csv"]),
        SimpleNamespace(name="all", output=[], input=["figures/other.png"]),
    ]

    def asked(*targets: str) -> set[str]:
        settings = SimpleNamespace(targets=set(targets))
        return snakemake_internals.asked_for(SimpleNamespace(rules=rules, dag_settings=settings, default_target="all"))

    assert asked("figures/both.png") == {"figures/both.png", "results/both.csv", "results/a/x.csv"}
    assert asked("tabled") == {"tabled", "results/a/x.csv"}
    assert asked() == {"all", "figures/other.png", "results/other.csv"}


@pytest.mark.parametrize(
    ("planned", "dryrun", "left"), [(True, False, []), (False, False, []), (True, True, []), (True, False, [1])]
)
def test_only_a_run_that_has_made_all_has_made_anything(planned, dryrun, left):
    dag = SimpleNamespace(jobs=[Job("a", "b"), Job("c")], needrun_jobs=lambda: left)
    workflow = SimpleNamespace(scheduler=object() if planned else None, dryrun=dryrun, dag=dag)
    assert snakemake_internals.completed(workflow) == ({"a", "b", "c"} if planned and not dryrun and not left else set())


def test_a_graph_of_jobs_still_tells_what_is_left_to_do():
    assert {"needrun_jobs", "jobs"} <= set(dir(DAG))
