"""Write what everything was made with: a table of the machine and its versions, and a page of it with the configuration."""

import argparse
import html
import json
from pathlib import Path

import yaml
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import YamlLexer

from records import files, script
from records.tables import readable

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Settings and machine</title>
<style>body {{ font-family: sans-serif; margin: 2em }} td {{ padding: 0.2em 1.5em 0.2em 0 }} {css}</style></head>
<body><h1>Machine and versions</h1><table>{machine}</table>
<h1>Configuration</h1>{config}</body></html>
"""


def machine_rows(machine: str, versions: list[str], engines: dict[str, dict]) -> list[dict]:
    """The machine, the workflow's own `NAME=VERSION`, and the versions of each engine, rows of `item` and `value`."""
    rows = {"machine": machine.removeprefix("machine ")} | dict(item.split("=", 1) for item in versions)
    for name, engine in engines.items():
        versions = ", ".join(f"{package} {readable(version)}" for package, version in engine.items() if package != "mujoco")
        rows[f"MuJoCo {name}"] = f"with {versions}"
    return [{"item": item, "value": value} for item, value in rows.items()]


def page(rows: list[dict], config: dict) -> str:
    """One HTML page that needs no other file."""
    look = HtmlFormatter()
    cells = (f"<tr><td>{html.escape(row['item'])}</td><td>{html.escape(row['value'])}</td></tr>" for row in rows)
    text = yaml.safe_dump(config, sort_keys=False, width=120, default_flow_style=None)
    return PAGE.format(css=look.get_style_defs(), machine="".join(cells), config=highlight(text, YamlLexer(), look))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engines", required=True, nargs="*", type=Path, help="engine.json of each engine")
    parser.add_argument("--machine", required=True, help="operating system, architecture and processor")
    parser.add_argument("--versions", required=True, nargs="+", help="NAME=VERSION of what the workflow itself runs on")
    parser.add_argument("--config", required=True, help="the configuration, JSON")
    parser.add_argument("--csv", required=True)
    parser.add_argument("--html", required=True)
    arguments = parser.parse_args()
    rows = machine_rows(
        arguments.machine, arguments.versions, {path.parent.name: files.read_json(path) for path in arguments.engines}
    )
    files.write_csv(arguments.csv, rows)
    files.write_text(arguments.html, page(rows, json.loads(arguments.config)))


if __name__ == "__main__":
    script.run(main)
