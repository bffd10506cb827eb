"""How far placements move a mean: each pick by itself, never less than all together, and nothing of what did not close."""

from contactlab.grasp import cone_ratio
from contactlab.limit import TIMED_OUT
from records.placed_picks import placement_row

SETTINGS = {"mu": 0.3, "mass_kg": 0.2, "lift_height_m": 0.07, "down_height_m": 0.0, "lift_s": 1.0}


def pick(squeeze_N: float | None) -> dict:
    outcome = "not closed" if squeeze_N is None else "held"
    return {"outcome": outcome, "squeeze_N": squeeze_N, "close_time_s": None, "flung": False}


def record(squeeze_N: float | None, *moved_N: float | None) -> dict:
    return {"settings": SETTINGS, "result": pick(squeeze_N), "perturbed": [pick(each) for each in moved_N]}


def test_each_pick_is_at_its_own_end():
    """Two picks that move against each other: together their mean stays at 15, each by itself allows 14 to 16."""
    row = placement_row([record(15.0, 14.0, 16.0), record(15.0, 16.0, 14.0)])
    assert (row["n"], row["moved_starts"]) == (2, 2)
    assert [row[f"squeeze_N{end}"] for end in ("_low", "", "_high")] == [14.0, 15.0, 16.0]
    assert [row[f"cone_ratio{end}"] for end in ("_low", "", "_high")] == [
        cone_ratio(0.3, [squeeze_N], 0.2) for squeeze_N in (14.0, 15.0, 16.0)
    ]


def test_the_own_start_is_one_of_those_allowed():
    row = placement_row([record(15.0, 15.5, 15.2)])
    assert (row["squeeze_N_low"], row["squeeze_N_high"]) == (15.0, 15.5)


def test_only_starts_from_which_the_jaw_closes_count():
    row = placement_row([record(15.0, None, 16.0), record(None, None)])
    assert (row["squeeze_N"], row["squeeze_N_low"], row["squeeze_N_high"]) == (15.0, 15.0, 16.0)
    none = placement_row([record(None, None)])
    assert (none["squeeze_N"], none["squeeze_N_low"], none["cone_ratio_high"]) == (None, None, None)


def test_of_a_pick_that_timed_out_nothing_is_known():
    late = record(0.0) | {"result": {"outcome": TIMED_OUT}, "perturbed": []}
    row = placement_row([record(15.0, 14.0), late])
    assert (row["n"], row["timed_out"], row["moved_starts"], row["squeeze_N"]) == (1, 1, 1, 15.0)
    assert placement_row([late])["squeeze_N"] is None
