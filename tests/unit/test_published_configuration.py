"""The committed configuration is the published one: its values are the schema's defaults, its sweeps hold every case."""

import copy
from dataclasses import asdict

import pandas as pd
import pytest
from conftest import CLAIMS, ENVS, FILLED, PUBLISHED, SCHEMA

from contactlab.task import Task
from lib import checks, schema
from records import settings, tables
from records.ledger import select


def test_what_the_configuration_names_is_what_is_used_where_it_names_nothing():
    """Sweeps aside, each part of the committed configuration is what the declarations have for it."""
    bare = copy.deepcopy(PUBLISHED)
    bare["stepping"], bare["pick"]["settings"] = {}, {}
    for experiment in ("controls", "runtime"):
        bare[experiment] = {part: {} for part in PUBLISHED[experiment]} | {"engine": PUBLISHED[experiment]["engine"]}
    assert checks.checked(bare, SCHEMA, ENVS) == FILLED


def test_a_task_without_settings_is_the_published_one():
    """The physics can be used without the workflow, and has its own defaults for that."""
    published = schema.defaults(SCHEMA, "pick")
    task = asdict(Task())
    assert {name: tuple(published[name]) if isinstance(published[name], list) else published[name] for name in task} == task


@pytest.mark.parametrize(("experiment", "sections"), [("drop", ("experiment", "observe", "break")), ("pick", ("A", "B", "C"))])
def test_the_sweeps_hold_every_published_case(experiment, sections):
    defaults = schema.defaults(SCHEMA, experiment)
    sweeps = [
        pd.DataFrame(settings.grid({axis: [value] for axis, value in defaults.items()} | grid)).map(tables.readable)
        for grid in PUBLISHED[experiment]["sweeps"].values()
    ]
    cases = {claim["case"] for claim in CLAIMS if claim["section"] in sections and "<=" not in claim["case"] != ""}
    assert len(cases) > 20
    for case in cases:
        assert any(len(select(sweep, case, {"solref": "0.02 1"})) for sweep in sweeps), case
