"""What a ledger says in one sentence: how many of the published numbers come out."""

import csv
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

VERDICTS = ("exact", "within", "differs", "timing", "unmeasured")
COME_OUT = ("exact", "within")


def sentence(verdicts: Iterable[str]) -> str:
    """How many published numbers come out, of the verdicts on all of them."""
    counts = Counter(verdicts)
    return f"{sum(counts[verdict] for verdict in COME_OUT)} of {counts.total()} published numbers come out here"


def of_file(ledger: Path) -> str:
    """The same of a ledger's CSV; without pandas, which takes longer to import than all else that a finished run says."""
    with ledger.open(newline="", encoding="utf-8") as file:
        return sentence(row["verdict"] for row in csv.DictReader(file))
