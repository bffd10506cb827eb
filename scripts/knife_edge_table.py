"""Collect a sweep of drop heights and mark the timesteps whose outcome hangs on the height: a knife-edge."""

import pandas as pd

import drop_table
from contactlab import script
from contactlab.limit import TIMED_OUT


def with_knife_edges(table: pd.DataFrame) -> pd.DataFrame:
    """The table with two columns more, each the same in all rows of a timestep.

    knife_edge: "yes" where any height ends otherwise than the middle one, else "no"
    flips_from_mm: the smallest move of the height that does, with its sign; missing where none does
    """
    middle_m = table["drop_height_m"].median()

    def flips_from_mm(rows: pd.DataFrame) -> float:
        at_middle = rows.loc[rows["drop_height_m"] == middle_m, "outcome"].item()
        flips = (rows["outcome"] != at_middle) & (rows["outcome"] != TIMED_OUT) & (at_middle != TIMED_OUT)
        moves_mm = ((rows["drop_height_m"] - middle_m) * 1000).round(6)[flips]
        return moves_mm.loc[moves_mm.abs().idxmin()] if len(moves_mm) else float("nan")

    smallest = table.groupby("dt_ms")[["drop_height_m", "outcome"]].apply(flips_from_mm)
    flips = table["dt_ms"].map(smallest)
    place = table.columns.get_loc("outcome") + 1
    table.insert(place, "knife_edge", flips.notna().map({True: "yes", False: "no"}))
    table.insert(place + 1, "flips_from_mm", flips)
    return table


if __name__ == "__main__":
    script.run(lambda: drop_table.main(with_knife_edges))
