"""What chapter 5 says of its scans of control faults: one number over many rows."""

import pandas as pd

from records import settings

# The scan's quantities over all settings, and the columns they are read from.
OVER_ALL = {
    "badqacc": "badqacc_peak",
    "badqpos": "badqpos_peak",
    "nonfinite_states": "nonfinite_states",
    "time_rewinds": "time_rewinds",
}


def spread(values: pd.Series) -> str:
    """The one value that all rows have as a word, or "lowest..highest"."""
    words = dict.fromkeys(settings.to_word(value) for value in values)
    return next(iter(words)) if len(words) == 1 else f"{settings.to_word(min(values))}..{settings.to_word(max(values))}"


def displaced_checks(table: pd.DataFrame) -> list[dict]:
    """Final position and control of each channel, over both settings of autoreset."""
    return [
        {"section": "displaced", "case": f"channel={channel}", "quantity": quantity, "value": spread(table[column])}
        for quantity in ("final_qpos", "final_ctrl")
        for channel, column in enumerate(column for column in table if column.startswith(f"{quantity}_"))
    ]


def scan_checks(table: pd.DataFrame) -> list[dict]:
    """The number of settings, entries into the band by gains, and what no setting shows."""
    measured = table[table["status"] == "measured"]
    found = [("", "settings", str(len(measured)))]
    for gains, rows in measured.groupby(["kp", "kv"], sort=False):
        case = "kp={};kv={}".format(*map(settings.to_word, gains))
        found.append((case, "reset_events", spread(rows["band_entries"])))
    found += [("all", quantity, spread(measured[column])) for quantity, column in OVER_ALL.items()]
    found.append(("all", "settings_where_autoreset_matters", str(measured["autoreset_matters"].astype(bool).sum())))
    found.append(("all", "settings_bitwise_zero_controls", str(measured["bitwise_zero_controls"].astype(bool).sum())))
    return [{"section": "scan", "case": case, "quantity": quantity, "value": value} for case, quantity, value in found]


CHECKS = {"controls_displaced": displaced_checks, "controls_scan": scan_checks}


def controls_checks(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """The checks of one table, engine by engine."""
    rows = [{"engine": engine} | row for engine, part in table.groupby("engine", sort=False) for row in CHECKS[name](part)]
    return pd.DataFrame(rows, dtype=object)
