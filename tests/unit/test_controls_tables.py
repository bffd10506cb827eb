"""Tables of control faults, on rows made up here."""

import pandas as pd
import pytest

from records import files
from records.controls_chapter import spread
from records.controls_tables import controls_table


def test_rows_of_engines_with_other_warnings_stand_in_one_table(tmp_path):
    old = {"mujoco": "3.11.0", "rows": [{"badqpos_peak": 2, "badqpos_first_step": None}]}
    new = {"mujoco": "9.0.0", "rows": [{"badqpos_peak": 1, "badqpos_first_step": 3, "other_peak": 0}]}
    files.write_csv(tmp_path / "table.csv", controls_table({"3.11.0": old, "9.0.0-aarch64": new}))
    assert (tmp_path / "table.csv").read_text(encoding="utf-8").splitlines() == [
        "engine,badqpos_peak,badqpos_first_step,other_peak",
        "3.11.0,2,,",
        "9.0.0-aarch64,1,3,0",
    ]


@pytest.mark.parametrize(
    ("values", "expected"),
    [([0.5, 0.5], "0.5"), ([3.0, 3], "3"), ([8, 7, 9], "7..9"), (["nan", "nan"], "nan"), ([1e-23, -2.5], "-2.5..1e-23")],
)
def test_the_spread_of_rows(values, expected):
    assert spread(pd.Series(values)) == expected
