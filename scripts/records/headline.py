"""What a ledger says in one sentence: how many of the published numbers come out, and where."""

import csv
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

WITHIN_PLACEMENT = "within placement"
VERDICTS = ("exact", "within", WITHIN_PLACEMENT, "differs", "timing", "unmeasured")
COME_OUT = ("exact", "within")
MORE = {  # where a number comes out that does not here
    "emulated": "more on the emulated machine of publication",
    "placement": "more within the placement that is printed",
}


def sentence(comes_out: Iterable[str]) -> str:
    """How many published numbers come out, of where each of them does."""
    counts = Counter(comes_out)
    more = "".join(f", {counts[where]} {words}" for where, words in MORE.items() if counts[where])
    left = f"; {counts['no']} are left" if more else ""
    return f"{counts['here']} of {counts.total()} published numbers come out here{more}{left}"


def of_file(ledger: Path) -> str:
    """The same of a ledger's CSV; without pandas, which takes longer to import than all else that a finished run says."""
    with ledger.open(newline="", encoding="utf-8") as file:
        return sentence(row["comes_out"] for row in csv.DictReader(file))
