"""The one comparison: verdicts, their order and what follows from it, and what each kind of record is compared by."""

import dataclasses
import itertools

import pandas as pd
import pytest
import verify_table
from conftest import DECLARATIONS, PROJECT
from hypothesis import given
from hypothesis import strategies as st

from contactlab import controls
from contactlab.limit import TIMED_OUT
from contactlab.marks import mark, to_text
from contactlab.statistics import mcnemar, wilson
from lib import experiments
from records import architectures, files, passport, printed, settings, style, tables, verdicts, versions
from records.pick_tables import changed_row
from records.printed import Run

PICK = DECLARATIONS["pick"]["measures"]
HELD = Run(
    {"outcome": "held", "flung": "false", "lift_cm": "7.37", "squeeze_N": "13.30", "close_time_s": "0.474", "steps": "2287"},
    "a" * 16,
    {"lift_cm": ("7.36", "7.37"), "squeeze_N": ("12.77", "13.91"), "close_time_s": ("0.470", "0.474")},
)
OPPOSITE = {verdicts.NOT_HERE: verdicts.NOT_THERE, verdicts.NOT_THERE: verdicts.NOT_HERE}


def other(digest: str = "b" * 16, bands: dict | None = None, **words: str) -> Run:
    """HELD as another machine has it: other words, its own digest, no bands unless there are some."""
    return Run(HELD.words | words, digest, bands or {})


def marks(states: list[int]) -> str:
    return to_text(b"".join(mark(bytes([state])) for state in states))


# A pair


@pytest.mark.parametrize(
    ("there", "verdict", "differing"),
    [
        (other(digest="a" * 16), "same bits", []),
        (other(), "same digits", []),
        (other(squeeze_N="13.31"), "within band", ["squeeze_N"]),
        (other(squeeze_N="12.77"), "within band", ["squeeze_N"]),  # an end of the band belongs to it
        (other(squeeze_N="12.76"), "moved", ["squeeze_N"]),
        (other(squeeze_N="12.76", bands={"squeeze_N": ("12.70", "13.30")}), "within band", ["squeeze_N"]),  # its own band
        (other(squeeze_N="13.31", lift_cm="7.38"), "moved", ["lift_cm", "squeeze_N"]),
        (other(close_time_s="0.472", steps="2286"), "within band", ["close_time_s", "steps"]),
        (other(close_time_s="0.475", steps="2288"), "moved", ["close_time_s", "steps"]),
        (other(steps="2286"), "moved", ["steps"]),  # not explained by the close, and without a band
        (other(outcome="dropped"), "changed", ["outcome"]),
        (other(flung="true"), "changed", ["flung"]),
        (other(close_time_s="none", squeeze_N="13.31"), "changed", ["squeeze_N", "close_time_s"]),
        (other(outcome=TIMED_OUT, squeeze_N="none"), TIMED_OUT, []),
        (Run({"outcome": "cannot run"}), "cannot run", []),
        (Run({"outcome": "failed"}), "failed", []),
        (None, "not there", []),
    ],
)
def test_each_verdict(there, verdict, differing):
    """From the definitions in results/README.md; the comparison has no direction, though the bands belong to one side."""
    found, reverse = verdicts.compare(HELD, there, PICK), verdicts.compare(there, HELD, PICK)
    assert (found.verdict, list(found.printed_otherwise())) == (verdict, differing)
    assert (reverse.verdict, list(reverse.printed_otherwise())) == (OPPOSITE.get(verdict, verdict), differing)


WORDS = st.one_of(st.sampled_from(["held", "dropped", "true", "none", "nan"]), st.floats(-1e3, 1e3).map("{:.3f}".format))
NAMES = st.sampled_from(["outcome", "lift_cm", "squeeze_N", "close_time_s", "steps", "x"])
BANDS = st.dictionaries(NAMES, st.tuples(st.integers(-9, 0).map(str), st.integers(0, 9).map(str)))
RUNS = st.builds(Run, st.dictionaries(NAMES, WORDS), st.sampled_from(["a", "b", None]), BANDS)


@given(RUNS, RUNS)
def test_sides_may_change_places_and_the_pair_is_as_bad_as_its_worst_measure(here, there):
    found, reverse = verdicts.compare(here, there, PICK), verdicts.compare(there, here, PICK)
    assert found.verdict == reverse.verdict
    assert found.measures.keys() == reverse.measures.keys() == here.words.keys() | there.words.keys()
    for name, one in found.measures.items():
        back = reverse.measures[name]
        assert (one.verdict, one.here, one.there, one.widths) == (back.verdict, back.there, back.here, back.widths)
        assert verdicts.rank(one.verdict) <= verdicts.rank(found.verdict)
    if found.measures:
        assert found.verdict in {one.verdict for one in found.measures.values()}
    assert all(one.here != one.there for one in found.printed_otherwise().values())


@given(RUNS)
def test_a_run_is_like_itself_to_the_last_bit_if_its_bits_are_known(run):
    assert verdicts.compare(run, run, PICK).verdict == ("same bits" if run.digest else "same digits")


@given(st.floats(1e-3, 1e3), st.floats(-1e3, 1e3), st.floats(-3, 3))
def test_a_number_has_moved_by_its_distance_in_widths_of_the_wider_band(width, low, place):
    """And lies inside exactly where that distance does not take it past an end."""
    number = low + place * width
    here = Run({"x": repr(low)}, None, {"x": (repr(low), repr(low + width))})
    there = Run({"x": repr(number)}, None, {"x": (repr(number), repr(number + width / 2))})
    for pair in ((here, there), (there, here)):
        found = verdicts.compare(*pair, {}).measures["x"]
        if found.here != found.there:
            assert found.widths == pytest.approx(abs(place), rel=1e-6, abs=1e-9)
            inside = low <= number <= low + width or number <= low <= number + width / 2
            assert found.verdict == ("within band" if inside else "moved")


def test_a_band_without_width_measures_nothing():
    flat = dataclasses.replace(HELD, bands={"squeeze_N": ("13.30", "13.30")})
    assert verdicts.compare(flat, other(squeeze_N="13.31"), PICK).measures["squeeze_N"].widths is None


def test_a_place_is_the_same_up_to_its_tolerance_and_no_further():
    measures = {"place_m": {"within": 5.0}}
    runs = [Run({"place_m": word}) for word in ("0_0_0", "3_4_0", "3_4_0.1", "None_None_None")]
    found = [verdicts.compare(runs[0], run, measures).measures["place_m"] for run in runs]
    assert [one.verdict for one in found] == ["same digits", "within band", "moved", "changed"]
    assert [one.apart for one in found[:2]] == [0, 5]
    assert found[1].widths == 1


def test_a_word_that_a_moved_start_ends_with_as_well_is_within_the_band():
    """On either side; what only a third way of ending has seen is not."""
    held = dataclasses.replace(HELD, seen={"outcome": {"held", "dropped"}})
    assert verdicts.compare(held, other(outcome="dropped"), PICK).verdict == "within band"
    assert verdicts.compare(other(outcome="dropped"), held, PICK).verdict == "within band"
    assert verdicts.compare(held, other(outcome="not closed"), PICK).verdict == "changed"


@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3))
def test_the_numbers_behind_the_words_are_compared_where_they_are_known(first, second):
    """A word with numbers in it that is none of these is a word."""
    here, there = (
        Run({"x": f"{value:.1f}", "task": f"{place}_1"}, numbers={"x": [value]}) for place, value in enumerate((first, second))
    )
    found = verdicts.compare(here, there, {}).measures
    assert found["x"].apart == abs(first - second)
    assert (found["task"].verdict, found["task"].apart) == ("changed", None)


@given(st.lists(st.integers(0, 200), min_size=2, max_size=30), st.data())
def test_states_part_at_the_step_after_which_a_bit_differs(states, data):
    place = data.draw(st.integers(0, len(states) - 1))
    parted = [state + (index >= place) for index, state in enumerate(states)]
    here, there = (dataclasses.replace(HELD, marks=marks(row), timestep_s=0.002) for row in (states, parted))
    found = verdicts.compare(here, there, PICK)
    assert (found.verdict, found.first_different_step) == ("same digits", place)
    assert found.first_different_time_s == pytest.approx(0.002 * place)
    same = verdicts.compare(here, here, PICK)
    assert (same.verdict, same.first_different_step, same.first_different_time_s) == ("same bits", None, None)


def test_only_what_both_have_is_compared_where_versions_differ_in_what_they_count():
    more = other(digest="a" * 16, another_warning_peak="0")
    assert verdicts.compare(HELD, more, PICK).verdict == "changed"
    assert verdicts.compare(HELD, more, PICK, shared=True).verdict == "same bits"


def test_every_verdict_has_a_colour_and_a_place_in_the_order():
    assert list(style.AGREEMENT) == list(verdicts.VERDICTS)
    assert [verdicts.rank(verdict) for verdict in verdicts.VERDICTS] == list(range(len(verdicts.VERDICTS)))
    page = (PROJECT / "results/README.md").read_text(encoding="utf-8")
    assert [verdict for verdict in verdicts.VERDICTS if f"`{verdict}`" not in page] == []


@given(st.lists(st.sampled_from(verdicts.VERDICTS)))
def test_the_worst_of_some_verdicts_is_none_better_than_any(found):
    assert verdicts.worst(found) == max([verdicts.SAME_BITS, *found], key=verdicts.VERDICTS.index)


# Several pairs


@given(st.lists(st.tuples(RUNS, RUNS), min_size=1, max_size=5))
def test_together_each_measure_is_its_worst(runs):
    found = [verdicts.compare(*pair, PICK) for pair in runs]
    together = verdicts.together(found)
    assert together.verdict == verdicts.worst(one.verdict for one in found)
    for name, one in together.measures.items():
        assert one.verdict == verdicts.worst(single.measures[name].verdict for single in found if name in single.measures)
    assert verdicts.together(reversed(found)).verdict == together.verdict


def test_of_several_numbers_that_moved_the_furthest_is_told():
    found = verdicts.together(verdicts.compare(HELD, other(squeeze_N=word), PICK) for word in ("14.01", "16.72", "13.31"))
    assert found.changed_measures() == "squeeze_N moved 3 widths"  # 3.42 / 1.14


AXES = st.dictionaries(st.sampled_from("abcd"), st.lists(st.integers(0, 9), min_size=1, max_size=3, unique=True), min_size=1)


@given(AXES, st.dictionaries(st.sampled_from("cdef"), st.integers(10, 19).map(lambda value: [value])))
def test_each_cell_is_paired_with_the_one_from_which_nothing_but_the_change_tells_it(grid, moves):
    moved = grid | moves
    found = verdicts.pairs(moved, grid)
    assert [cell for cell, _ in found] == settings.grid(moved)
    for cell, reference in found:
        assert reference in settings.grid(grid)
        assert {axis: cell[axis] for axis in grid.keys() - moves.keys()} == {
            axis: reference[axis] for axis in grid.keys() - moves.keys()
        }


def test_a_grid_and_what_it_is_compared_with_are_words():
    grid, reference = {"engine": ["3.17.0"], "mu": [0.1, 1], "iterations": [100]}, {"engine": ["3.17.0"], "mu": [0.1, 1]}
    words = [*settings.grid_to_words(grid), settings.AGAINST, *settings.grid_to_words(reference)]
    assert settings.grids_from_words(words) == (grid, reference)
    assert settings.grids_from_words(settings.grid_to_words(grid)) == (grid, {})


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_rates_are_counts_with_their_intervals_and_the_paired_test(pairs):
    told = verdicts.rates(pairs)
    here, there = ([pair[side] for pair in pairs] for side in (0, 1))
    assert (told["pairs"], told["here_successes"], told["there_successes"]) == (len(pairs), sum(here), sum(there))
    assert (told["here_wilson_low"], told["here_wilson_high"]) == wilson(sum(here), len(pairs))
    assert (told["there_wilson_low"], told["there_wilson_high"]) == wilson(sum(there), len(pairs))
    gained, lost = (sum(one and not two for one, two in zip(*sides, strict=True)) for sides in ((here, there), (there, here)))
    assert told["discordant"] == gained + lost
    assert told["paired_p"] == mcnemar(gained, lost)
    reverse = verdicts.rates([pair[::-1] for pair in pairs])
    assert (reverse["discordant"], reverse["paired_p"]) == (told["discordant"], told["paired_p"])
    assert set(verdicts.COUNTS) <= told.keys()


# Picks with another solver, and from moved starts


def picks(*outcomes: str, squeeze_N: float = 13.3, moved: tuple[str, ...] = ()) -> list[dict]:
    """Records of picks that end so; their squeezes are as wide a band as 1 N on either side, where any start is moved."""
    numbers = {"flung": False, "lift_m": 0.07, "close_time_s": 1.5, "digest": "a"}
    found = []
    for outcome in outcomes:
        result = numbers | {"outcome": outcome, "squeeze_N": squeeze_N, "steps": 2287}
        again = [
            numbers | {"outcome": ended, "squeeze_N": squeeze_N + shift}
            for ended, shift in zip(moved, itertools.cycle((-1.0, 1.0)), strict=False)
        ]
        found.append({"result": result, "perturbed": again})
    return found


def test_a_solver_row_tells_the_worst_pick_and_tests_the_pairs():
    stock = picks("held", "dropped", "dropped", moved=("held", "held"))
    converged = picks("held", "held", "held", squeeze_N=15.3)
    row = changed_row(list(zip(converged, stock, strict=True)), DECLARATIONS["pick"], moved_starts=False)
    assert row["verdict"] == "changed"
    assert row["changed_measures"] == "outcome changed; squeeze_N moved 1 widths"  # 2 N, in a band of 2 N
    assert (row["pairs"], row["here_successes"], row["there_successes"], row["discordant"]) == (3, 3, 1, 2)
    assert row["paired_p"] == pytest.approx(2 * 0.5**2)


def test_a_placement_row_compares_every_moved_start_and_counts_one_of_each_pick():
    stock, moved = picks("held", "held"), picks("held", "held", moved=("dropped", "held", "held"))
    row = changed_row(list(zip(moved, stock, strict=True)), DECLARATIONS["pick"], moved_starts=True)
    assert row["changed_measures"] == "outcome changed; squeeze_N moved"
    assert (row["here_successes"], row["there_successes"], row["pairs"]) == (0, 2, 2)


def test_of_a_pair_in_which_one_timed_out_nothing_is_known():
    ended = {"result": {"outcome": TIMED_OUT}, "perturbed": []}
    [held] = picks("held")
    for pair in ((ended, held), (held, ended)):
        assert changed_row([pair], DECLARATIONS["pick"], False) == {"verdict": TIMED_OUT}
        assert changed_row([pair, (held, held)], DECLARATIONS["pick"], False)["pairs"] == 1


# Between versions


def fault(**row) -> dict:
    """A record of one case of a scan."""
    case = {"case": {"autoreset": "enable"}, "rows": [{"autoreset": "enable"} | row], "marks": marks([1, 2])}
    return {"settings": {"plant": {"timestep_ms": 2}}, "cases": [case]}


def one_case(record: dict) -> Run | None:
    [run] = versions.of_cases(record, DECLARATIONS["controls"]).values()
    return run


@pytest.mark.parametrize(
    ("row", "outcome"),
    [
        ({"time_rewinds": 0, "final_finite": True}, "finite"),
        ({"time_rewinds": 0, "final_finite": False}, "not finite"),
        ({"time_rewinds": 2, "final_finite": True}, "reset"),
        ({"bitwise": "zero_controls"}, "zero_controls"),
    ],
)
def test_what_became_of_a_fault_is_one_declared_word(row, outcome):
    assert one_case(fault(**row)).words["outcome"] == outcome


def test_metres_of_chapter_5_have_seven_decimals():
    ended = {"time_rewinds": 0, "final_finite": True}
    before, after = (one_case(fault(final_qpos_0_m=place, **ended)) for place in (-0.00886906, -0.00886916))
    told = versions.told(after, before, {})
    assert told["changed_numbers"] == "final_qpos_0_m -0.0088691 -> -0.0088692"
    assert (told["change"], told["outcome"], before.timestep_s) == ("moved", "finite", 0.002)


def test_rows_of_one_case_stand_behind_what_tells_them_apart():
    rows = [{"actuator": "motor", "channel": name, "measured_end_m": 0.1, "bitwise": name[0]} for name in ("faulty", "healthy")]
    record = fault() | {"cases": [{"case": {"actuator": "motor"}, "rows": rows, "marks": ""}]}
    [(name, run)] = versions.of_cases(record, DECLARATIONS["controls"]).items()
    assert name == "actuator=motor"
    assert run.words["outcome"] == "f / h"
    assert run.words["faulty_measured_end_m"] == run.words["healthy_measured_end_m"] == "0.1000000"


def test_a_setting_that_a_version_lacks_is_a_row_that_says_so():
    """A scan may name an integrator that its own engine lacks."""
    lacking, there = one_case(fault(status=controls.NOT_IN_THIS_ENGINE)), one_case(fault(time_rewinds=0, final_finite=True))
    assert lacking is None
    found = [versions.told(*pair, {}) for pair in ((None, there), (there, None), (None, None))]
    assert [told["change"] for told in found] == ["not here", "not there", "not here"]
    assert [told.get("outcome") for told in found] == [None, "finite", None]
    assert [told.get("reference_outcome") for told in found] == ["finite", None, None]


def test_a_flung_cube_is_a_failure_mode_of_its_own():
    result = {"outcome": "dropped", "flung": False, "lift_m": 0.0, "squeeze_N": 3.0, "close_time_s": 0.5, "digest": "a"}
    modes = {}
    for far, outcome in ((False, "dropped"), (True, "dropped"), (True, "held")):
        record = {"result": result | {"flung": far, "outcome": outcome}, "settings": {"timestep_s": 0.002}}
        modes[far, outcome] = versions.of_result(record, DECLARATIONS["pick"]).words["failure_mode"]
    assert modes == {(False, "dropped"): "dropped", (True, "dropped"): "flung", (True, "held"): "none"}


def test_of_a_drop_every_number_is_compared_at_the_digits_of_its_unit():
    result = {"outcome": "kept", "failure_mode": "none", "lowest_centre_m": 0.296, "first_contact_time_s": 0.448, "digest": "a"}
    result |= {"normal_flip_time_s": None, "contact_seen": True, "first_contact_normal_z": 1.0, "warning_texts": ["a"]}
    record = {"result": result, "settings": {"dt_ms": 8}, "marks": marks([1, 2, 3])}

    def told(states: list[int] = (1, 2, 3), **other) -> dict:
        changed = record | {"result": result | {"digest": str(states)} | other, "marks": marks(states)}
        return versions.told(*(versions.of_result(each, DECLARATIONS["drop"]) for each in (changed, record)), {})

    assert told(digest="a")["change"] == "same bits"
    parted = told(states=[1, 9, 9])
    assert (parted["change"], parted["first_different_step"], parted["first_different_time_s"]) == ("same digits", 1, 0.008)
    assert told(states=[1, 9, 9], lowest_centre_m=0.29603)["change"] == "same digits"
    assert told(lowest_centre_m=0.2961)["changed_numbers"] == "lowest_centre_m 0.2960 -> 0.2961"
    assert told(first_contact_normal_z=0.9999994)["change"] == "moved"
    assert told(normal_flip_time_s=0.5)["changed_measures"] == "normal_flip_time_s changed"
    assert told(digest="a", warning_texts=["b"], another_warning=0)["change"] == "same bits"
    assert told(outcome="passed", failure_mode="too soft")["changed_measures"] == "outcome changed; failure_mode changed"
    assert told(outcome="passed", failure_mode="too soft")["changed_numbers"] == ""


# An experiment of a user's own: a declaration with measures, and records with a result and a digest

OWN = {
    "fall": {
        "cells": "grid",
        "measures": {"fallen_m": {"digits": ".6f"}},
        "timestep": "dt_ms",
        "axes": ["dt_ms"],
        "defaults": {},
    }
}


def fall(folder, engine: str, dt_ms: float, fallen_m: float, digest: str, **more) -> None:
    record = {"settings": {"dt_ms": dt_ms}, "result": {"fallen_m": fallen_m, "warnings": {}, "digest": digest}}
    files.write_json(folder / f"fall/{engine}/dt_ms={dt_ms}.json", record | more)


def test_an_experiment_of_ones_own_is_verified(tmp_path):
    for folder, moved, digest, more in (("results", 0.0, "a", {}), ("results/verify", 1e-3, "b", {"note": "made twice"})):
        fall(tmp_path / folder, "3.17.0", 2, 1.2, "a")
        fall(tmp_path / folder, "3.17.0", 4, 1.2 + moved, digest)
        fall(tmp_path / folder, "3.17.0", 8, 1.2, "a", **more)
    places = [f"fall/3.17.0/dt_ms={dt_ms}.json" for dt_ms in (2, 4, 8)]
    found = [verify_table.verify_row(path, tmp_path / "results", tmp_path / "results/verify", OWN) for path in places]
    assert [row["verdict"] for row in found] == ["same bits", "moved", "same digits"]  # no bit of a file escapes
    assert [row["same_file"] for row in found] == [True, False, False]
    assert found[1]["changed_measures"] == "fallen_m moved"
    assert (found[0]["experiment"], found[0]["engine"], found[0]["cell"]) == ("fall", "3.17.0", "dt_ms=2")
    assert passport.sample(places, OWN, 1, 0) == places


def test_it_has_a_passport(tmp_path):
    record = {"settings": {"dt_ms": 2}, "result": {"fallen_m": 1.25, "digest": "a" * 64}}
    [(name, run)] = passport.entries("fall/3.17.0/dt_ms=2.json", record, OWN).items()
    assert name == "fall/3.17.0/dt_ms=2"
    assert passport.to_line(run) == f"digest={'a' * 16},fallen_m=1.250000"


def test_its_versions_are_compared_step_by_step_where_it_marks_them(tmp_path):
    fall(tmp_path, "3.11.0", 2, 1.2, "b", marks=marks([1, 2, 3]))
    fall(tmp_path, "3.17.0", 2, 1.2, "a", marks=marks([1, 5, 6]))
    fall(tmp_path, "3.11.0", 4, 1.3, "b")
    fall(tmp_path, "3.17.0", 4, 1.2, "a")
    grid = {"engine": ["3.11.0", "3.17.0"], "dt_ms": [2, 4]}
    pairs = verdicts.pairs(grid, grid | {"engine": ["3.17.0"]})
    found = list(versions.sweep_rows(tmp_path / "fall", pairs, {"3.11.0": {"dt_ms=8"}}, OWN["fall"], {"dt_ms=2": "fell"}))
    assert [row["change"] for row in found] == ["same digits", "moved", "same bits", "same bits"]
    assert [row["first_different_step"] for row in found] == [1, None, None, None]
    assert found[0]["first_different_time_s"] == 0.002
    assert [row["published_outcome"] for row in found] == ["fell", None, "fell", None]
    lacking = list(versions.sweep_rows(tmp_path / "fall", pairs[:2], {"3.11.0": {"dt_ms=4"}}, OWN["fall"], {}))
    assert [row["change"] for row in lacking] == ["same digits", "not here"]


def test_its_tables_stand_beside_each_other_on_two_architectures():
    own, emulated = (
        pd.DataFrame({"engine": engine, "dt_ms": [2, 4], "fallen_m": fallen_m, "digest": ["a", "b"]})
        for engine, fallen_m in (("3.17.0", [1.2, 1.3]), ("3.17.0-aarch64", [1.2, 1.4]))
    )
    found = {"3.17.0-aarch64": {"fall_x": emulated}, "3.17.0": {"fall_x": own}}
    claims = pd.DataFrame(columns=["table", "column", "case", "published", "engine"])
    table = architectures.architectures(found, {"fall_x": OWN["fall"]}, claims)
    assert list(table["verdict"].fillna("")) == ["same bits", "", "moved", ""]
    assert list(table["fallen_m"]) == [1.2, 1.2, 1.4, 1.3]


def test_every_key_of_a_declaration_is_explained():
    page = (PROJECT / "workflow/experiments/README.md").read_text(encoding="utf-8")
    keys = [*experiments.DECLARATION["properties"], *experiments.DECLARATION["properties"]["versions"]["properties"]]
    assert [key for key in keys if f"`{key}`" not in page and f"`... {key}`" not in page] == []


def test_rows_of_a_table_carry_their_bands_and_bits():
    row = {"outcome": "held", "squeeze_N": 13.3, "squeeze_N_low": 12.77, "squeeze_N_high": 13.91, "digest": "a", "n": 10.0}
    run = printed.row_of(row, {"outcome": {}, "n": {}, "squeeze_N": {"digits": ".2f", "band": True}, "held": {"band": True}})
    assert run == Run({"outcome": "held", "n": "10", "squeeze_N": "13.30"}, "a", {"squeeze_N": ("12.77", "13.91")})
    assert tables.cell_file(PROJECT, {"engine": "3.17.0", "mu": 1}).relative_to(PROJECT).as_posix() == "3.17.0/mu=1.json"
