"""Causes of differences: what a table shows for them and against them, and that the published ones can be asked."""

import pandas as pd
import pytest
from conftest import CLAIMS, PROJECT, published_table

from records import tables
from records.causes import KINDS, REFUTED, comes_out, explained
from records.headline import sentence
from records.ledger import ledger

CASE = "mu=0.3;mass=0.2"
CLAIM = ("lesson", "C", CASE)
MADE_UP = pd.DataFrame(
    [
        (*CLAIM, "squeeze", "15.52", "N", "exact", "3.17.0", ""),
        (*CLAIM, "flung", "5", "1", "count", "3.17.0", ""),
        (*CLAIM, "outcome", "held", "", "label", "3.17.0", ""),
        ("lesson", "nominal", CASE, "ik_error", "0.18", "mm", "exact", "3.17.0", ""),
        ("lesson", "message", "", "used", "16222", "bytes", "count", "3.17.0", ""),
        ("lesson", "message", "", "left", "162", "bytes", "count", "3.17.0", ""),
    ],
    columns=["document", "section", "case", "quantity", "published", "unit", "kind", "engine", "note"],
)
COLUMNS = pd.DataFrame(
    [
        ("lesson", "C", "squeeze", "picks", "squeeze_N", ""),
        ("lesson", "C", "flung", "picks", "flung", ""),
        ("lesson", "C", "outcome", "picks", "outcome", ""),
        ("lesson", "nominal", "ik_error", "picks", "ik_error_mm", ""),
        ("lesson", "message", "used", "facts", "value", ""),
        ("lesson", "message", "left", "facts", "value", ""),
    ],
    columns=["document", "section", "quantity", "table", "column", "case"],
)
AXES = {"engine": "3.17.0", "sweep": "mass", "mu": 0.3, "mass_kg": 0.2}
PICKS = pd.DataFrame([AXES | {"squeeze_N": 15.40, "flung": 3, "outcome": "held", "ik_error_mm": 0.18}])
PICKS = PICKS.assign(squeeze_N_low=15.40, squeeze_N_high=15.41)
FACTS = pd.DataFrame({"engine": "3.17.0", "quantity": ["used_bytes", "left_bytes"], "value": ["160", "16224"]})
PLACED = pd.DataFrame([AXES | {"perturbation_size_m": 1.8e-4, "squeeze_N_low": 15.2, "squeeze_N_high": 15.6}])
SOLVER = pd.DataFrame([AXES | {"iterations": count, "ls_iterations": 2 * count} for count in (10, 50)])
SOLVER = SOLVER.assign(flung=[3, 0], verdict=[None, "changed"])
CAUSES = pd.DataFrame(
    [
        (*CLAIM, "squeeze", "placement", "results/placed.csv", "", "sweep=mass;{case}", "ik_error"),
        (*CLAIM, "flung", "truncation", "results/solver.csv", "", "", ""),
        (*CLAIM, "outcome", "truncation", "results/solver.csv", "", "", ""),
        ("lesson", "message", "", "used", "exchanged", "results/facts.csv", "left", "", ""),
    ],
    columns=["document", "section", "case", "quantity", "kind", "target", "column", "rows", "limit"],
)


def told(causes: pd.DataFrame = CAUSES, emulated: dict | None = None, **shown: pd.DataFrame) -> dict[str, dict]:
    """The rows of a small ledger by quantity; `shown` are the tables of the causes."""
    found = {"picks": PICKS, "facts": FACTS} | shown
    table = explained(ledger(MADE_UP, COLUMNS, found, {}, emulated), causes, COLUMNS, found, {})
    assert list(table["quantity"]) == list(MADE_UP["quantity"])
    return {row["quantity"]: row for row in table.to_dict("records")}


def test_a_cause_explains_only_what_differs_and_says_its_kind_and_target():
    found = told(solver=SOLVER)
    assert [found["outcome"][name] for name in ("verdict", "cause", "cause_kind", "target")] == ["exact", "", "", ""]
    flung = found["flung"]
    assert [flung[name] for name in ("verdict", "cause_kind", "target")] == ["differs", "truncation", "results/solver.csv"]
    assert "3 with 10 iterations and 20 ls_iterations, 0 with 50 iterations and 100 ls_iterations" in flung["cause"]
    assert found["left"]["cause"] == ""  # differs as well, and nobody knows why


def test_without_its_table_or_its_rows_a_cause_has_no_number():
    for shown in ({}, {"placed": PLACED.assign(mu=0.5)}, {"placed": PLACED.assign(timed_out=1)}):
        squeeze = told(**shown)["squeeze"]
        assert (squeeze["verdict"], squeeze["comes_out"]) == ("differs", "no")
        assert not any(sign.isdigit() for sign in squeeze["cause"])
        assert "results/placed.csv" in squeeze["cause"]


def test_digits_inside_the_band_over_printed_placements_are_within_placement_and_never_within():
    squeeze = told(placed=PLACED)["squeeze"]
    assert (squeeze["verdict"], squeeze["comes_out"]) == ("within placement", "placement")
    for number in ("15.4..15.41", "15.2..15.6", "0.00018"):
        assert number in squeeze["cause"]


@pytest.mark.parametrize(
    "against",
    [{"squeeze_N_high": 15.514}, {"squeeze_N_low": 15.526}, {"perturbation_size_m": 1.9e-4}],
    ids=["below", "above", "further than printed"],
)
def test_placements_that_do_not_give_the_digits_or_were_not_printed_refute_the_cause(against):
    squeeze = told(placed=PLACED.assign(**against))["squeeze"]
    assert squeeze["verdict"] == "differs"
    assert squeeze["cause"].startswith(REFUTED)
    assert "15.2" in squeeze["cause"] or "15.526" in squeeze["cause"]


@pytest.mark.parametrize("same", ["same bits", "same digits"])
def test_a_solver_run_to_its_end_that_changes_nothing_refutes_truncation(same):
    cause = told(solver=SOLVER.assign(flung=3, verdict=[None, same]))["flung"]["cause"]
    assert cause.startswith(REFUTED)
    assert same in cause


def test_numbers_of_a_message_that_are_no_nearer_the_other_way_round_refute_their_exchange():
    """Printed 16222 beside 160: the other number, 16224, is 2 away; were it 40000, it would be further."""
    assert "16224 bytes here, 2 from what is printed" in told()["used"]["cause"]
    assert told(facts=FACTS.assign(value=["160", "40000"]))["used"]["cause"].startswith(REFUTED)


@pytest.mark.parametrize(("flung", "verdict", "words"), [(5, "exact", "gives 5, as published"), (4, "differs", "gives 4.")])
def test_a_truncated_number_is_told_with_what_an_emulated_machine_gives(flung, verdict, words):
    found = told(solver=SOLVER, emulated={"picks": PICKS.assign(engine="3.17.0-aarch64", flung=flung)})["flung"]
    assert (found["verdict"], found["emulated_verdict"]) == ("differs", verdict)
    assert f"3.17.0-aarch64 {words}" in found["cause"]
    assert found["comes_out"] == ("emulated" if verdict == "exact" else "no")


def test_an_emulated_number_has_its_band():
    banded = PICKS.assign(engine="3.17.0-aarch64", flung=4, flung_low=4, flung_high=6)
    found = told(solver=SOLVER, emulated={"picks": banded})["flung"]
    assert (found["emulated_band"], found["emulated_verdict"], found["comes_out"]) == ("4..6", "within", "emulated")


def test_where_a_number_comes_out():
    pairs = [("exact", ""), ("within", "differs"), ("differs", "exact"), ("differs", "differs"), ("differs", "")]
    pairs += [("within placement", "within"), ("within placement", "differs"), ("timing", "timing"), ("unmeasured", "exact")]
    where = [comes_out(*pair) for pair in pairs]
    assert where == ["here", "here", "emulated", "no", "no", "emulated", "placement", "", ""]
    assert sentence(where).startswith("2 of 9 ")


def test_a_cause_of_nothing_and_one_of_no_kind_are_refused():
    with pytest.raises(ValueError, match="no such claim: lesson, C, mu=9, squeeze"):
        told(CAUSES.replace(CASE, "mu=9"))
    with pytest.raises(ValueError, match="the kind 'weather'; allowed: exchanged, placement, truncation"):
        told(CAUSES.replace("exchanged", "weather"))


def test_no_cause_carries_a_number_of_its_own():
    causes = published_table("known_differences")
    assert set(causes["kind"]) == set(KINDS)
    assert not any(sign.isdigit() for kind in KINDS.values() for sign in kind.says)
    assert {*causes["target"]} == {f"results/{name}.csv" for name in ("runtime", "pick_placement", "grasp_solver")}


def test_what_limits_a_cause_is_printed_once_in_its_document():
    causes = published_table("known_differences").query("kind == 'placement'")
    for document, limit in set(causes[["document", "limit"]].itertuples(index=False, name=None)):
        [claim] = [claim for claim in CLAIMS if (claim["document"], claim["quantity"]) == (document, limit)]
        assert claim["unit"] == "mm"


def test_no_cause_is_refuted_by_the_tables_that_are_here():
    path = PROJECT / "results/ledger.csv"
    if not path.is_file():
        pytest.skip("results/ledger.csv is not there: `make` makes it")
    causes = tables.read(path)["cause"].dropna()
    assert list(causes[causes.str.startswith(REFUTED)]) == []
