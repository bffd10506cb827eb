"""Audits: what became of runs, the verdicts on them, and from which version on a measure moves."""

import pytest
from audit_records import STEP_S, bowl, ended, record, write

from contactlab.audit import RESERVED
from contactlab.limit import TIMED_OUT
from contactlab.statistics import mcnemar, wilson
from records import audit_comparison, audit_tables, files

REFERENCE = record()
SUNK = {"height_m": 0.02, "digest": "b"}
FALLEN = SUNK | {"through": "too soft"}


def rows_of(folder, audit: dict, records: dict) -> list[dict]:
    return audit_comparison.rows(audit, audit_tables.read(write(folder, audit, records), audit))


def verdicts_of(folder, audit: dict, records: dict) -> dict[tuple[str, str], str]:
    """The verdicts by measure and variation."""
    return {(row["measure"], row["variation"]): row["verdict"] for row in rows_of(folder, audit, records)}


def table_of(folder, audit: dict) -> list[dict]:
    """The rows of the runs in a folder."""
    return audit_tables.rows(audit, audit_tables.read(folder, audit))


def one(rows: list[dict], measure: str, variation: str) -> dict:
    [row] = [row for row in rows if (row["measure"], row["variation"]) == (measure, variation)]
    return row


def test_each_verdict_from_its_definition(tmp_path):
    records = {
        "reference": record(again=({"height_m": 0.0399}, {"height_m": 0.0402})),
        "engine=3.3.0": record(digest="b"),
        "engine=3.4.0": record(height_m=0.0401, digest="b"),  # inside the reference's band
        "engine=4.0.0": record(again=(FALLEN, FALLEN), **FALLEN),
        "option.timestep=0.004": record(height_m=0.0408, digest="b"),
    }
    found = verdicts_of(tmp_path, bowl(), records)
    variations = ["engine=3.3.0", "engine=3.4.0", "engine=4.0.0", "option.timestep=0.004"]
    assert [found["height_m", name] for name in variations] == ["same digits", "within band", "moved", "moved"]
    assert [found["through", name] for name in variations] == ["same digits", "same digits", "changed", "same digits"]
    assert [found["seated", name] for name in variations] == ["same digits", "same digits", "changed", "same digits"]
    moved = one(rows_of(tmp_path, bowl(), records), "height_m", "option.timestep=0.004")
    assert (moved["reference_value"], moved["value_here"]) == (0.04, 0.0408)
    assert moved["apart"] == pytest.approx(0.0008)
    assert moved["widths"] == pytest.approx(0.0008 / 0.0003)


def test_a_number_that_is_printed_as_one_of_a_moved_start_is_within_the_band(tmp_path):
    """It lies 1e-13 beside that, as the fallen bowl's own last digits do."""
    pair = {"reference": record(again=({"height_m": 0.0097},)), "engine=4.0.0": record(height_m=0.0097 - 1e-13, digest="b")}
    assert verdicts_of(tmp_path, bowl(), pair)["height_m", "engine=4.0.0"] == "within band"


def test_a_distance_is_that_of_the_numbers_and_not_of_their_printed_digits(tmp_path):
    """Printed 1.00001 and 1.00002, a hundred times as far apart as they are."""
    pair = {"reference": record(height_m=1.0000149999), "engine=4.0.0": record(height_m=1.0000150999, digest="b")}
    row = one(rows_of(tmp_path, bowl(), pair), "height_m", "engine=4.0.0")
    assert (row["verdict"], row["apart"]) == ("moved", pytest.approx(1e-7, rel=1e-6))


def test_a_list_of_numbers_has_a_band_for_each(tmp_path):
    """Moved within the one and past the other it has moved; its distance is that of two places."""
    there = record(pos_m=[0.0, 0.0], again=({"pos_m": [0.3, 0.4]}, {"pos_m": [0.0, 0.1]}))
    for place, verdict, widths in (([0.3, 0.0], "within band", 0.6), ([0.31, 0.0], "moved", 0.62)):
        records = {"reference": there, "engine=4.0.0": record(pos_m=place, digest="b")}
        audit, folder = bowl(measures={"pos_m": {"body": "bowl", "quantity": "pos_m"}}, outcomes={}), tmp_path / verdict
        row = one(rows_of(folder, audit, records), "pos_m", "engine=4.0.0")
        assert (row["verdict"], row["widths"]) == (verdict, pytest.approx(widths))
        first = table_of(folder, audit)[0]
        assert (first["pos_m"], first["pos_m_low"], first["pos_m_high"]) == ("0.0 0.0", "0.0 0.0", "0.3 0.4")


def test_the_digits_of_a_measure_say_what_is_printed_alike(tmp_path):
    records = {"reference": REFERENCE, "engine=4.0.0": record(height_m=0.04004, digest="b")}
    for digits, verdict in ((".4f", "same digits"), (".5f", "moved")):
        audit = bowl(measures={"height_m": {"body": "bowl", "quantity": "z_m", "digits": digits}})
        assert verdicts_of(tmp_path / digits, audit, records)["height_m", "engine=4.0.0"] == verdict


def test_the_same_bits_are_told_from_the_same_digits(tmp_path):
    found = verdicts_of(tmp_path, bowl(), {"reference": REFERENCE, "engine=4.0.0": record(digest="b")})
    assert (found["height_m", "engine=3.4.0"], found["height_m", "engine=4.0.0"]) == ("same bits", "same digits")


@pytest.mark.parametrize(("ended_here", "why"), [(TIMED_OUT, None), ("failed", "it raised"), ("cannot run", "no wheel")])
def test_a_run_that_ended_is_a_verdict_of_its_own_and_the_others_stand(tmp_path, ended_here, why):
    rows = rows_of(tmp_path, bowl(), {"reference": REFERENCE, "engine=4.0.0": ended(ended_here, why)})
    there = [row for row in rows if row["variation"] == "engine=4.0.0"]
    assert [(row["measure"], row["verdict"], row["why"]) for row in there] == [
        (measure, ended_here, why) for measure in ("height_m", "through", "seated")
    ]
    assert {row["verdict"] for row in rows if row not in there} == {"same bits"}


def test_where_the_reference_ended_nothing_is_known_and_it_says_so(tmp_path):
    rows = rows_of(tmp_path, bowl(), {"reference": ended("failed", "it raised"), "engine=4.0.0": REFERENCE})
    assert {row["verdict"] for row in rows} == {"failed"}
    assert one(rows, "seated", "engine=4.0.0")["why"] == "the reference: it raised"


def test_code_that_raises_everywhere_on_a_version_cannot_run_there(tmp_path):
    """Not where one of its runs went on, not under another axis, and not where the reference raised everywhere too."""
    audit = bowl(code="mine.py", grid={"seed": [0, 1]}, vary={"engine": ["3.4.0", "4.0.0"], "gain": [2]})
    raised = ended("failed", "it raised")
    lost = {"reference": REFERENCE, "engine=3.4.0": raised, "engine=4.0.0 seed=1": raised, "gain=2": raised}
    verdict = {row["variation"]: row["verdict"] for row in rows_of(tmp_path / "a", audit, lost)}
    assert verdict == {"engine=3.4.0": "cannot run", "engine=4.0.0": "failed", "gain=2": "failed"}
    rows = rows_of(tmp_path / "b", audit, {"reference": raised})
    assert {row["verdict"] for row in rows} == {"failed"}


def test_a_run_that_diverged_is_compared_and_has_no_outcome(tmp_path):
    lost = record(outcome="diverged", height_m=None, through=None, digest="b")
    audit = bowl(outcomes={"seated": {"height_m": "> 0.03"}, "low": {"height_m": "< 1", "through": "!= missed"}})
    found = verdicts_of(tmp_path, audit, {"reference": REFERENCE, "engine=4.0.0": lost})
    assert {found[name, "engine=4.0.0"] for name in ("height_m", "through", "seated", "low")} == {"changed"}
    [row] = [row for row in table_of(tmp_path, audit) if row["variation"] == "engine=4.0.0"]
    assert (row["status"], row["height_m"], row["seated"], row["low"]) == ("diverged", None, False, False)


def test_what_a_run_of_a_scene_counts_is_no_measure():
    assert set(RESERVED) <= set(audit_tables.NOT_MEASURES)


# Outcomes over moved starts and grids


def with_rate(successes: int, of: int = 8, **result) -> dict:
    """A run whose bowl is seated in so many of its moved starts."""
    return record(again=tuple({"height_m": 0.04 if i < successes else 0.02} for i in range(of)), **result)


@pytest.mark.parametrize(
    ("there", "here", "verdict"),
    [
        (with_rate(8), with_rate(8, digest="b"), "same digits"),
        (with_rate(8), with_rate(7, digest="b"), "within band"),  # alike, but for one start that a hair moves
        (with_rate(8), with_rate(2, digest="b"), "changed"),  # p = 2 / 2^6
        (with_rate(7), with_rate(7, **SUNK), "within band"),  # not seated, as one of the reference's moved starts
        (with_rate(8), with_rate(8, **SUNK), "within band"),  # seated from every moved start, as the reference
        (with_rate(8, of=8), with_rate(0, of=2, **SUNK), "changed"),  # no start of the one ends as any of the other
        (with_rate(7), with_rate(0, **SUNK), "changed"),  # p = 2 / 2^8, though one of the reference's is
    ],
)
def test_an_outcome_is_judged_with_its_moved_starts(tmp_path, there, here, verdict):
    row = one(rows_of(tmp_path, bowl(), {"reference": there, "engine=4.0.0": here}), "seated", "engine=4.0.0")
    assert row["verdict"] == verdict
    pairs = 1 + min(len(side["perturbed"]) for side in (here, there))
    counts = [sum(one["height_m"] > 0.03 for one in (side["result"], *side["perturbed"])[:pairs]) for side in (here, there)]
    assert [row["here_successes"], row["there_successes"], row["pairs"]] == [*counts, pairs]
    assert (row["here_wilson_low"], row["here_wilson_high"]) == wilson(counts[0], pairs)


def test_over_a_grid_the_worst_place_is_told_and_successes_are_counted(tmp_path):
    audit = bowl(grid={"seed": [0, 1, 2, 3]})
    records = {"reference": REFERENCE} | {f"engine=4.0.0 seed={seed}": record(**SUNK) for seed in (1, 2, 3)}
    records["engine=4.0.0 seed=2"] = record(height_m=0.01, digest="c")
    rows = rows_of(tmp_path, audit, records)
    height, seated = (one(rows, name, "engine=4.0.0") for name in ("height_m", "seated"))
    assert (height["place"], height["value_here"], height["compared"]) == ("seed=2", 0.01, 4)
    assert (seated["verdict"], seated["here_successes"], seated["there_successes"]) == ("changed", 1, 4)
    assert (seated["discordant"], seated["paired_p"]) == (3, mcnemar(0, 3))


def test_a_run_that_ended_is_not_hidden_by_the_others_of_its_grid(tmp_path):
    """Unless one of them changed, which is known."""
    audit, lost = bowl(grid={"seed": [0, 1, 2]}), {"reference": REFERENCE, "engine=4.0.0 seed=2": ended("failed", "it raised")}
    row = one(rows_of(tmp_path / "a", audit, lost), "seated", "engine=4.0.0")
    assert (row["verdict"], row["compared"], row["not_compared"], row["why"]) == ("failed", 2, 1, "it raised")
    row = one(rows_of(tmp_path / "b", audit, lost | {"engine=4.0.0 seed=0": record(**SUNK)}), "seated", "engine=4.0.0")
    assert (row["verdict"], row["not_compared"]) == ("changed", 1)


def test_axes_of_the_grid_may_tell_rows_apart(tmp_path):
    audit = bowl(grid={"task": ["reach", "push"], "seed": [0, 1]}, by=["task"])
    rows = rows_of(tmp_path, audit, {"reference": REFERENCE, "engine=4.0.0 task=push seed=1": record(**SUNK)})
    seated = {row["case"]: row["verdict"] for row in rows if (row["measure"], row["variation"]) == ("seated", "engine=4.0.0")}
    assert seated == {"task=reach": "same bits", "task=push": "changed"}


# Where states part


def log(*events: tuple[int, str]) -> dict:
    return {"contact_log": [[step, step * STEP_S, sign, "bowl", "ring"] for step, sign in events]}


def test_the_step_the_time_and_the_contact_at_which_two_runs_part(tmp_path):
    there = record(states=(1, 2, 3, 4)) | log((1, "+"), (3, "-"))
    here = record(states=(1, 2, 9, 9), digest="b") | log((1, "+"), (2, "-"))
    row = one(rows_of(tmp_path, bowl(), {"reference": there, "engine=4.0.0": here}), "height_m", "engine=4.0.0")
    assert (row["first_different_step"], row["first_different_time_s"]) == (2, pytest.approx(2 * STEP_S))
    assert row["contact_there"] == "lost bowl/ring only here"
    assert row["first_different_contact"] == "lost bowl/ring only here at 0.004 s"


def test_a_contact_that_both_find_is_told_where_they_part_in_it(tmp_path):
    there = record(states=(1, 2, 3)) | log((2, "+"))
    here = record(states=(1, 2, 9), digest="b") | log((2, "+"))
    row = one(rows_of(tmp_path, bowl(), {"reference": there, "engine=4.0.0": here}), "height_m", "engine=4.0.0")
    assert (row["contact_there"], row["first_different_contact"]) == ("found bowl/ring", None)


def test_steps_of_other_lengths_are_not_compared(tmp_path):
    there, here = record(states=(1, 2, 3)), record(states=(1, 9, 9), digest="b") | {"timestep_s": 0.004}
    rows = rows_of(tmp_path, bowl(), {"reference": there, "option.timestep=0.004": here})
    assert one(rows, "height_m", "option.timestep=0.004")["first_different_step"] is None


# Versions


@pytest.mark.parametrize(
    ("moved", "told", "first"),
    [
        (["3.4.0", "3.10.0", "4.0.0"], "from 3.4.0 on", "3.4.0"),
        (["4.0.0"], "from 4.0.0 on", "4.0.0"),
        (["3.4.0"], "in 3.4.0 only", "3.4.0"),
        (["3.4.0", "3.10.0"], "from 3.4.0 to 3.10.0", "3.4.0"),  # and back in 4.0.0
        (["3.4.0", "4.0.0"], "in 3.4.0 and from 4.0.0 on", "3.4.0"),
        (["3.2.0", "3.3.0"], "until 3.3.0", None),
        (["3.2.0"], "until 3.2.0", None),
        (["3.3.0"], "in 3.3.0 only", None),
        (["3.2.0", "3.3.0", "3.4.0", "3.10.0", "4.0.0"], "until 3.3.0 and from 3.4.0 on", "3.4.0"),
        (["3.2.0", "3.4.0", "4.0.0"], "in 3 of 6 versions from 3.2.0 to 4.0.0", "3.4.0"),
        ([], None, None),
    ],
)
def test_versions_in_which_a_measure_moves_are_told_in_their_order(moved, told, first):
    """3.10.0 comes after 3.4.0, and what comes back is not said to stay."""
    known = {version: version in moved for version in ("4.0.0", "3.10.0", "3.4.0", "3.3.0", "3.2.0")}
    assert audit_comparison.versions_told("3.3.7", known) == {"moved_in": told, "first_version": first}


def test_a_version_of_which_nothing_is_known_neither_moves_nor_stands(tmp_path):
    records = {"reference": REFERENCE, "engine=3.4.0": record(**SUNK), "engine=4.0.0": ended("cannot run", "no wheel")}
    rows = rows_of(tmp_path, bowl(), records)
    assert one(rows, "seated", "engine=3.4.0")["moved_in"] == "from 3.4.0 on"
    assert one(rows, "seated", "option.timestep=0.004")["moved_in"] is None


# The table of runs


def test_a_row_has_measures_with_their_bands_outcomes_and_what_became_of_the_run(tmp_path):
    audit = bowl()
    records = {
        "reference": record(again=({"height_m": 0.05}, {"height_m": 0.02})),
        "engine=4.0.0": ended("failed", "it raised"),
    }
    rows = audit_tables.rows(audit, audit_tables.read(write(tmp_path, audit, records), audit))
    assert [row["variation"] for row in rows][:2] == ["reference", "engine=3.3.0"]
    first, last = rows[0], next(row for row in rows if row["variation"] == "engine=4.0.0")
    assert (first["height_m"], first["height_m_low"], first["height_m_high"]) == (0.04, 0.02, 0.05)
    assert (first["seated"], first["through"], first["status"], first["truncated"]) == (True, "kept", "ran", False)
    assert (last["height_m"], last["seated"], last["status"], last["why"]) == (None, None, "failed", "it raised")
    assert len({tuple(row) for row in rows}) == 1
    assert "through_low" not in first
    files.write_csv(tmp_path / "bowl.csv", rows)
    assert "\nreference,3.3.7,,ran,,0.04,0.02,0.05,kept,True,False" in (tmp_path / "bowl.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        (
            {"outcomes": {"seated": {"heigt_m": "> 0"}}},
            "outcome seated names heigt_m, which no run has; allowed: height_m, through",
        ),
        ({"required": ["sated"]}, "required names sated, which no run has"),
        ({"outcomes": {"seated": {"through": "> 0"}}}, "outcome seated: 'kept' > 0: allowed of what is no number"),
        ({"outcomes": {"seated": {"height_m": "high"}}}, "condition 'high'"),
    ],
)
def test_an_outcome_that_cannot_be_is_one_line(tmp_path, changed, says):
    audit = bowl(**changed)
    with pytest.raises(ValueError, match=f"^[^\n]*{says}[^\n]*$"):
        audit_tables.read(write(tmp_path, audit, {"reference": REFERENCE}), audit)


def test_a_measure_that_is_called_like_an_axis_is_refused(tmp_path):
    audit = bowl(grid={"seed": [0, 1]})
    found = audit_tables.read(write(tmp_path, audit, {"reference": record(seed=3)}), audit)
    with pytest.raises(ValueError, match="seed is an axis and a measure"):
        audit_tables.rows(audit, found)
