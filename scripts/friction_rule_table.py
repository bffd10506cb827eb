"""Collect drops whose cube and table differ in friction and solref, and name the rule that gives what the contact had."""

from collections.abc import Callable

import numpy as np
import pandas as pd

import drop_table
from contactlab import script

RULES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "the cube's": lambda cube, table: cube,
    "the table's": lambda cube, table: table,
    "the larger": np.maximum,
    "the smaller": np.minimum,
    "the average": lambda cube, table: (cube + table) / 2,
}


def rule_of(cube: np.ndarray, table: np.ndarray, contact: np.ndarray) -> str:
    """The rules that give the contact's parameters (n, parameters) in all of n rows, element by element."""
    return " / ".join(name for name, rule in RULES.items() if np.allclose(rule(cube, table), contact, rtol=1e-9)) or "none"


def numbers(column: pd.Series, chosen: slice | list[int]) -> np.ndarray:
    """(n, chosen) numbers of a column that holds them with blanks between."""
    return np.array([text.split() for text in column], float)[:, chosen]


def with_rules(table: pd.DataFrame) -> pd.DataFrame:
    """The table with two columns more, the same in all rows of a priority: what the contact's friction and solref follow."""
    one_each = [0, 2, 3]  # a contact has two sliding and two rolling coefficients

    def rules(rows: pd.DataFrame) -> pd.Series:
        rows = rows.dropna(subset="effective_friction")  # of those that touched
        pairs = {"friction": one_each, "solref": slice(None)}
        return pd.Series(
            {
                f"{name}_rule": rule_of(
                    numbers(rows[name], slice(None)),
                    numbers(rows[f"table_{name}"], slice(None)),
                    numbers(rows[f"effective_{name}"], chosen),
                )
                for name, chosen in pairs.items()
            }
        )

    found = table.groupby("priority")[[*table]].apply(rules)
    for name in reversed(found.columns):
        table.insert(table.columns.get_loc("dt_ms") + 1, name, table["priority"].map(found[name]))
    return table


if __name__ == "__main__":
    script.run(lambda: drop_table.main(with_rules))
