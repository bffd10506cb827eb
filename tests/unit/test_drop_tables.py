"""What the questions about drops add to their tables, on rows made up here."""

import numpy as np
import pandas as pd

from records.drop_tables import rule_of, with_knife_edges


def test_knife_edges_are_the_rows_that_flip():
    outcomes = {1: ["passed", "kept", "kept"], 2: ["kept"] * 3, 3: ["kept", "kept", "passed"]}
    rows = [
        {"dt_ms": dt, "drop_height_m": height, "outcome": outcome}
        for dt, three in outcomes.items()
        for height, outcome in zip((0.9, 1.0, 1.2), three, strict=True)
    ]
    table = with_knife_edges(pd.DataFrame(rows)).groupby("dt_ms").first()
    assert table["knife_edge"].tolist() == ["yes", "no", "yes"]
    assert table["flips_from_mm"].fillna(0).tolist() == [-100, 0, 200]


def test_a_rule_is_one_that_holds_in_every_row():
    cube, table = np.array([[1.0, 2.0], [1.0, 2.0]]), np.array([[3.0, 1.0], [0.5, 1.0]])
    assert rule_of(cube, table, np.maximum(cube, table)) == "the larger"
    assert rule_of(cube, table, (cube + table) / 2) == "the average"
    assert rule_of(cube, table, cube) == "the cube's"
    assert rule_of(cube[1:], table[1:], cube[1:]) == "the cube's / the larger"
    assert rule_of(cube, table, cube * table) == "none"
