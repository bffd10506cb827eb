"""The one sentence that an audit says, and the one line in which its `required` fails."""

import pytest
from audit_records import bowl, ended, record, write

from records import audit_comparison, audit_headline, audit_tables, files

SUNK = {"height_m": 0.02, "digest": "b"}


def table_of(folder, records: dict, **changed):
    """The file of an audit's verdicts."""
    audit = bowl(**changed)
    rows = audit_comparison.rows(audit, audit_tables.read(write(folder, audit, {"reference": record()} | records), audit))
    files.write_csv(folder / "bowl_verdicts.csv", rows)
    return folder / "bowl_verdicts.csv"


BANDED = {"reference": record(again=({"height_m": 0.0399}, {"height_m": 0.0401}))}
HIGH = {"option.timestep=0.004": record(height_m=0.04062, digest="b")}


@pytest.mark.parametrize(
    ("records", "says"),
    [
        ({}, "All 3 measures stand under 4 variations"),
        (
            BANDED | HIGH | {"engine=3.4.0": record(**SUNK), "engine=4.0.0": record(**SUNK)},
            "2 of 3 measures move: `seated` changes from 3.4.0 on; "
            "`height_m` moves by up to 100 bands from 3.4.0 on and under option.timestep=0.004",
        ),
        (BANDED | HIGH, "1 of 3 measures moves: `height_m` moves by 3.1 bands under option.timestep=0.004"),
        (
            {"reference": record(again=({"height_m": 0.04 + 1e-15},))} | HIGH,
            "1 of 3 measures moves: `height_m` moves by 0.00062 under option.timestep=0.004",
        ),
        ({"engine=3.4.0": record(through="missed")}, "1 of 3 measures moves: `through` changes in 3.4.0 only"),
        (
            {"engine=4.0.0": ended("cannot run", "no wheel")},
            "All 3 measures stand under 3 of 4 variations; engine=4.0.0 cannot run",
        ),
        (
            {"engine=4.0.0": ended("failed", "it raised"), "engine=3.4.0": record(through="missed")},
            "1 of 3 measures moves: `through` changes from 3.4.0 on; engine=4.0.0 failed",
        ),
        (
            {"reference": ended("timed out")},
            "No measure could be compared; 3 values of engine and option.timestep=0.004 timed out",
        ),
    ],
)
def test_the_sentence(tmp_path, records, says):
    assert audit_headline.sentence(table_of(tmp_path, records)) == says


def test_what_ended_at_some_places_of_a_grid_ended_in_part(tmp_path):
    audit = {"grid": {"seed": [0, 1]}, "by": ["seed"]}
    told = table_of(
        tmp_path, {"engine=4.0.0 seed=1": ended("failed", "it raised"), "engine=3.4.0": ended("timed out")}, **audit
    )
    assert audit_headline.sentence(told) == (
        "All 6 measures stand under 3 of 4 variations; engine=3.4.0 timed out; engine=4.0.0 failed in part"
    )


def test_a_long_sentence_counts_what_it_does_not_name(tmp_path):
    names = [f"m{i}" for i in range(9)]
    audit = {"measures": {name: {"sensor": name} for name in names}, "outcomes": {}}
    moved = record(**{name: 1.0 + (name < "m5") for name in names}, digest="b")
    told = table_of(tmp_path, {"reference": record(**dict.fromkeys(names, 1.0)), "option.timestep=0.004": moved}, **audit)
    under = "under option.timestep=0.004"
    assert audit_headline.sentence(told) == (
        f"5 of 11 measures move: `m0` moves by 1 {under}; `m1` moves by 1 {under}; `m2` moves by 1 {under}; and 2 more"
    )


@pytest.mark.parametrize(
    ("records", "says"),
    [
        ({}, None),
        ({"engine=4.0.0": record(height_m=0.0401, digest="b")}, None),  # height_m is not required
        (
            {"engine=3.4.0": record(**SUNK), "engine=4.0.0": record(**SUNK)},
            "required `seated` does not hold under engine=3.4.0: changed, True -> False; and 1 more, in ",
        ),
        (
            {"engine=4.0.0": ended("cannot run", "no wheel")},
            "required `seated` does not hold under engine=4.0.0: cannot run, no wheel, in ",
        ),
        (
            {
                "reference": record(again=({}, {}, {}, {}, {}, {})),
                "engine=4.0.0": record(again=(SUNK, SUNK, SUNK, SUNK, SUNK, SUNK), **SUNK),
            },
            "required `seated` does not hold under engine=4.0.0: changed, True -> False, true in 7 -> 0 of 7 runs, in ",
        ),
    ],
)
def test_what_is_required_fails_in_one_line(tmp_path, records, says):
    path = table_of(tmp_path, records, required=["seated"])
    assert audit_headline.broken(path) == (says and f"{says}{path}")
