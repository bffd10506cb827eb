"""Verdicts, and the ledger's hold on the published claims."""

from decimal import Decimal

import pandas as pd
import pytest
from conftest import CLAIMS, published_table

from records.ledger import CLAIM, PLACE, as_printed, ledger, measure, select, verdict


@pytest.mark.parametrize(
    ("published", "measured", "note", "equal"),
    [
        ("29.60", 29.60352, "", True),
        ("29.60", 29.6052, "", False),
        ("0.1", 0.10006, "4 significant digits; x0=0.1 m", False),
        ("0.1", 0.10004, "4 significant digits; x0=0.1 m", True),
        ("4.123e+06", 4122572.7487, "", True),
        ("4.123e+06", 4123572.7487, "", False),
        ("-1.00", -1.0, "", True),
        ("0.00", -0.001, "", True),
        ("2000", 2000, "", True),
        ("2000", 1999, "", False),
    ],
)
def test_printed_digits(published, measured, note, equal):
    assert (as_printed(published, measured, note) == Decimal(published)) == equal


@pytest.mark.parametrize(
    ("kind", "published", "measured", "expected"),
    [
        ("exact", "0.999350", 0.99935025, "exact"),
        ("exact", "0.999350", 0.9993509, "differs"),
        ("exact", "29.60", None, "differs"),
        ("label", "none", None, "exact"),
        ("label", "none", 31.2, "differs"),
        ("label", "yes", True, "exact"),
        ("label", "no", True, "differs"),
        ("label", "kept", "kept", "exact"),
        ("below", "5.6e-17", 0.0, "within"),
        ("below", "5.6e-17", 5.551e-17, "exact"),
        ("below", "5.6e-17", 6.1e-17, "differs"),
        ("interval", "7..9", 8, "within"),
        ("interval", "7..9", 10, "differs"),
        ("count", "9", 9, "exact"),
        ("timing", "30", 12.5, "timing"),
    ],
)
def test_verdicts(kind, published, measured, expected):
    assert verdict(kind, published, measured) == expected


@pytest.mark.parametrize(
    ("band", "expected"),
    [((12.77, 13.91), "differs"), ((12.7351, 13.91), "within"), ((12.2, 12.7449), "within"), (None, "differs")],
)
def test_a_digit_may_be_asked_only_within_its_band(band, expected):
    assert verdict("exact", "12.74", 13.3, bands=(band,)) == expected


def test_each_end_of_an_interval_has_its_own_band():
    ends = ((12.0, 12.3), (14.8, 15.0))
    assert verdict("interval", "12.07..14.87", (12.2, 14.9), bands=ends) == "within"
    assert verdict("interval", "12.07..15.87", (12.2, 14.9), bands=ends) == "differs"
    assert verdict("interval", "12.2..14.9", (12.2, 14.9), bands=(None, None)) == "exact"


def test_an_axis_of_a_case_may_carry_its_unit_in_the_table():
    table = pd.DataFrame({"mass_kg": [0.03, 0.4], "cap_Nm": 0.5, "held": [10, 9]})
    assert list(select(table, "mass=0.40;cap=0.5", {})["held"]) == [9]


def test_a_table_in_long_form_is_asked_of_section_and_quantity():
    table = pd.DataFrame(
        [("3.17.0", "step1", "mid", "0.5"), ("3.17.0", "step1", "side", "above"), ("3.17.0", "step2", "mid", "7")],
        columns=["engine", "section", "quantity", "value"],
    )
    claim = {"document": "lesson", "section": "step1", "case": "", "engine": "3.17.0", "note": ""}
    mid = claim | {"quantity": "mid", "published": "0.500", "kind": "exact"}
    side = claim | {"quantity": "side", "published": "above", "kind": "label"}
    assert measure(pd.Series(mid), "value", table, {})["verdict"] == "exact"
    assert measure(pd.Series(side), "value", table, {})["verdict"] == "exact"


LONG = pd.DataFrame(
    [("memory=16K", "height_m", "0.5"), ("memory=32K", "height_m", "0.1"), ("memory=32K", "outcome", "ran")],
    columns=["case", "quantity", "value"],
).assign(engine="3.17.0")


@pytest.mark.parametrize(
    ("claimed", "told", "measured"),
    [("memory=32K", "", "0.1"), ("a roomy arena", "memory=32K", "0.1"), ("memory=16K", "{case}", "0.5"), ("memory=8K", "", "")],
)
def test_a_table_with_cases_is_asked_of_the_whole_case_or_of_the_one_that_columns_names(claimed, told, measured):
    claim = ("lesson", "drop", claimed, "height", "0.1", "m", "exact", "3.17.0", "")
    column = ("lesson", "drop", "height", "long", "value", told)
    made = ledger(
        pd.DataFrame([claim], columns=MADE_UP.columns),
        pd.DataFrame([column], columns=COLUMNS.columns),
        {"long": LONG},
        {},
    )
    assert list(made["measured"]) == [measured]


def test_nan_is_a_word_that_a_case_may_ask_for():
    table = pd.DataFrame({"value": ["5", "inf", "nan"], "height": [1, 2, 3]})
    assert [list(select(table, f"value={word}", {})["height"]) for word in ("5.0", "inf", "nan")] == [[1], [2], [3]]


TABLE = pd.DataFrame(
    {"engine": "3.17.0", "dt_ms": [1.0, 2.0], "solref": "0.02 1", "outcome": ["passed", "kept"], "height_cm": [None, 29.6]}
)
MADE_UP = pd.DataFrame(
    [
        ("lesson", "sweep", "dt_ms=1;solref=default", "outcome", "passed", "", "label", "3.17.0", ""),
        ("lesson", "sweep", "dt_ms=2;solref=default", "height", "29.61", "cm", "exact", "3.17.0", ""),
        ("lesson", "sweep", "dt_ms=4;solref=default", "outcome", "kept", "", "label", "3.17.0", ""),
        ("lesson", "other", "", "speed", "4.37", "m/s", "exact", "3.17.0", ""),
    ],
    columns=[*CLAIM, "published", "unit", "kind", "engine", "note"],
)
COLUMNS = pd.DataFrame(
    [("lesson", "sweep", "outcome", "drops", "outcome", ""), ("lesson", "sweep", "height", "drops", "height_cm", "")],
    columns=["document", "section", "quantity", "table", "column", "case"],
)


def make(table: pd.DataFrame = TABLE) -> pd.DataFrame:
    return ledger(MADE_UP, COLUMNS, {"drops": table}, {"solref": "0.02 1"})


def test_no_claim_is_left_out():
    assert list(make()["verdict"]) == ["exact", "differs", "unmeasured", "unmeasured"]


def test_a_claim_is_asked_of_the_engine_it_names():
    other = TABLE.assign(engine="4.0.0", outcome="kept")
    assert make(table=pd.concat([other, TABLE]))["measured"].iloc[0] == "passed"
    assert make(table=other)["engine"].iloc[0] == "4.0.0"
    two = pd.concat([other, other.assign(engine="3.11.0")])
    assert make(table=two)["verdict"].iloc[0] == "unmeasured"


def test_a_sum_is_over_all_rows_up_to_a_value_and_known_only_where_no_run_timed_out():
    """2 + 3 of the rows at 0.005 and 0.02; the row at 0.05 is left out."""
    table = pd.DataFrame({"engine": "3.17.0", "mu": [0.005, 0.02, 0.05], "open": [2, 3, 7], "n": 10, "timed_out": 0})
    claim = {"document": "lesson", "section": "A", "case": "mu<=0.02", "engine": "3.17.0", "published": "5", "kind": "count"}
    found = [measure(pd.Series(claim | {"note": ""}), column, table, {}) for column in ("sum of open", "sum of n - open")]
    assert [(told["measured"], told["verdict"], told["band"]) for told in found] == [("5", "exact", ""), ("15", "differs", "")]
    late = table.assign(timed_out=[0, 1, 0])
    assert measure(pd.Series(claim | {"note": ""}), "sum of open", late, {}) == {"verdict": "unmeasured"}


def test_the_band_of_a_sum_runs_over_those_of_its_rows():
    """1 to 3 and 2 to 2 are 3 to 5 together; of 20 less these, 15 to 17."""
    table = pd.DataFrame(
        {"engine": "3.17.0", "mu": [0.005, 0.02], "n": 10, "open": [2, 2], "open_low": [1, 2], "open_high": [3, 2]}
    )
    claim = {"document": "lesson", "section": "A", "case": "mu<=0.02", "engine": "3.17.0", "kind": "count", "note": ""}
    for column, published, band in (("sum of open", "5", "3..5"), ("sum of n - open", "15", "15..17")):
        found = measure(pd.Series(claim | {"published": published}), column, table, {})
        assert (found["band"], found["verdict"]) == (band, "within")
    assert measure(pd.Series(claim | {"published": "6"}), "sum of open", table, {})["verdict"] == "differs"
    some, none = table.assign(open_high=[3, None]), table.assign(open_low=None, open_high=None)
    assert measure(pd.Series(claim | {"published": "5"}), "sum of open", some, {})["band"] == "3..5"
    assert measure(pd.Series(claim | {"published": "5"}), "sum of open", none, {})["band"] == ""


def test_rows_that_disagree_are_refused():
    with pytest.raises(ValueError, match="outcome has several values"):
        make(table=pd.concat([TABLE, TABLE.assign(outcome="kept")]))


def test_a_case_of_an_unknown_axis_is_refused():
    with pytest.raises(ValueError, match="the table has no column mu"):
        select(TABLE, "mu=0.3", {})


def test_every_claim_has_a_column_and_every_column_a_claim():
    """But the wall time of all picks, which `make bench` measures on a quiet machine."""
    claimed = {tuple(claim[name] for name in PLACE) for claim in CLAIMS}
    [timed_elsewhere] = claimed - set(published_table("columns")[PLACE].itertuples(index=False, name=None))
    assert timed_elsewhere == ("grasp", "all", "wall_time")
    assert set(published_table("columns")[PLACE].itertuples(index=False, name=None)) == claimed - {timed_elsewhere}


def test_no_claim_stands_twice():
    assert len({tuple(claim[key] for key in CLAIM) for claim in CLAIMS}) == len(CLAIMS)
