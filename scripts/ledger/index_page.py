"""Write the page of all results: one file that needs nothing from elsewhere."""

import argparse
import json
from pathlib import Path

import pandas as pd

from records import files, headline, page, script
from records.ledger_page import headline_view, ledger_view


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--template", required=True, type=Path, help="the page, a jinja2 template")
    parser.add_argument("--ledger", required=True, help="results/ledger.csv")
    parser.add_argument("--columns", required=True, help="the table and column that measures each quantity, CSV")
    parser.add_argument("--shown", required=True, help="what the page shows, JSON: sections, documents, made_of, config")
    parser.add_argument("--out", required=True, type=Path)
    arguments = parser.parse_args()
    shown = json.loads(arguments.shown)
    ledger, columns = (
        pd.read_csv(files.unaltered(path), dtype=str, keep_default_na=False) for path in (arguments.ledger, arguments.columns)
    )
    html = page.render(
        arguments.template,
        arguments.out,
        headline=headline_view(ledger, shown["documents"]),
        ledger={"path": arguments.ledger, "rows": ledger_view(ledger, columns, shown["made_of"], shown["documents"])},
        sections=[page.section_view(section) for section in shown["sections"]],
        configuration=page.configuration_view(shown["config"]),
        verdicts=[name for name in headline.VERDICTS if name in set(ledger["verdict"])],
        datatables=page.datatables(),
    )
    files.write_text(arguments.out, html)


if __name__ == "__main__":
    script.run(main)
