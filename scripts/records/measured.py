"""The records that the configuration asks for, from the arguments that name them, and what their experiments declare."""

import argparse
import json
from pathlib import Path

from records import settings, tables


def add_declarations(parser: argparse.ArgumentParser, required: bool = True) -> None:
    parser.add_argument(
        "--declarations",
        required=required,
        type=json.loads,
        help="what each experiment declares of its measures, by name, JSON",
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--results", required=True, type=Path, help="folder of the records")
    parser.add_argument(
        "--grid", nargs="+", action="append", default=[], help="a folder in it and axis=value,value of its cells; repeated"
    )
    parser.add_argument("--records", nargs="*", default=[], help="further records in it")
    add_declarations(parser)


def paths(arguments: argparse.Namespace) -> list[str]:
    """The path of every record below the folder of the results, each once."""
    found = [
        path.relative_to(arguments.results).as_posix()
        for folder, *words in arguments.grid
        for _, _, path in tables.cell_files(arguments.results / folder, settings.grid_from_words(words), ".json")
    ]
    return list(dict.fromkeys([*found, *arguments.records]))
