"""The committed configuration is the published one: its values are the schema's defaults, its sweeps hold every case."""

import copy

import pandas as pd
import pytest
from conftest import CLAIMS, ENVS, PUBLISHED, SCHEMA

import configuration
from records import settings, tables
from records.ledger import select


def test_what_the_configuration_names_is_the_schemas_default():
    known = SCHEMA["properties"]
    assert PUBLISHED["pick"]["settings"].items() <= configuration.defaults(SCHEMA, "pick").items()
    named = {"stepping": (PUBLISHED["stepping"], known["stepping"])}
    scans = known["controls"]["properties"]
    named |= {key: (scan, scans[key]) for key, scan in PUBLISHED["controls"].items() if key != "engine"}
    for key, (part, schema) in named.items():
        assert part == {name: schema["properties"][name]["default"] for name in part}, key


def test_what_the_configuration_of_chapter_5_leaves_out_is_filled_in_as_it_stands_there():
    bare = copy.deepcopy(PUBLISHED)
    for experiment in ("controls", "runtime"):
        bare[experiment] = {part: {} for part in PUBLISHED[experiment]} | {"engine": PUBLISHED[experiment]["engine"]}
    filled = configuration.checked(bare, SCHEMA, ENVS)
    assert {name: filled[name] for name in ("controls", "runtime")} == {
        name: PUBLISHED[name] for name in ("controls", "runtime")
    }


@pytest.mark.parametrize(("experiment", "sections"), [("drop", ("experiment", "observe", "break")), ("pick", ("A", "B", "C"))])
def test_the_sweeps_hold_every_published_case(experiment, sections):
    defaults = configuration.defaults(SCHEMA, experiment)
    sweeps = [
        pd.DataFrame(settings.grid({axis: [value] for axis, value in defaults.items()} | grid)).map(tables.readable)
        for grid in PUBLISHED[experiment]["sweeps"].values()
    ]
    cases = {claim["case"] for claim in CLAIMS if claim["section"] in sections and "<=" not in claim["case"] != ""}
    assert len(cases) > 20
    for case in cases:
        assert any(len(select(sweep, case, {"solref": "0.02 1"})) for sweep in sweeps), case
