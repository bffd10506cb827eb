"""Write a page of results, with the ledger or without it: one file that needs nothing from elsewhere."""

import argparse
import json
from pathlib import Path

import pandas as pd

from records import files, headline, page, script
from records.ledger_page import headline_view, ledger_view


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--template", required=True, type=Path, help="the page, a jinja2 template")
    parser.add_argument("--ledger", help="results/ledger.csv, where the page begins with it")
    parser.add_argument("--columns", help="with it: the table and column that measures each quantity, CSV")
    parser.add_argument("--shown", required=True, help="what the page shows, JSON: see lib/shown.py")
    parser.add_argument("--out", required=True, type=Path)
    arguments = parser.parse_args()
    shown = json.loads(arguments.shown)
    views = {"headline": shown.get("headline"), "ledger": None}
    if arguments.ledger:
        views = published(arguments.ledger, arguments.columns, shown)
    html = page.render(
        arguments.template,
        arguments.out,
        sections=[page.section_view(section) for section in shown["sections"]],
        configuration=page.configuration_view(shown["config"]),
        datatables=page.datatables(),
        **views,
    )
    files.write_text(arguments.out, html)


def published(ledger: str, columns: str, shown: dict) -> dict:
    """What the page of all results shows beside its sections: the headline and the ledger."""
    rows, places = (pd.read_csv(files.unaltered(path), dtype=str, keep_default_na=False) for path in (ledger, columns))
    return {
        "headline": headline_view(rows, shown["documents"]),
        "ledger": {"path": ledger, "rows": ledger_view(rows, places, shown["made_of"], shown["documents"])},
        "verdicts": [name for name in headline.VERDICTS if name in set(rows["verdict"])],
    }


if __name__ == "__main__":
    script.run(main)
