"""Draw what several MuJoCo versions make of the same cells: outcomes of drops over the timestep, and outcomes of picks."""

import argparse

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import SubFigure
from matplotlib.lines import Line2D

import style
import tables
from contactlab import script, settings

UNKNOWN = {"color": style.GREY, "marker": "x", "label": "passed: how is not printed"}
RING = {"s": 130, "facecolor": "none", "edgecolor": style.BLACK, "lw": 1.3}


def cell_table(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with their cells' axes as columns, as words; an axis at its default is empty."""
    axes = [settings.from_words(cell.split()) for cell in rows["cell"]]
    words = [{axis: settings.to_word(value).replace("_", " ") for axis, value in cell.items()} for cell in axes]
    return rows.reset_index(drop=True).join(pd.DataFrame(words).fillna(""))
