"""How a script of the workflow is run: a wrong value or a full disk as one line, and the arguments that many scripts share."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from records import settings


def run(main: Callable[[], None]) -> None:
    """Call `main`; a ValueError or OSError, as of a full disk or a time-out, ends the script with the one line that it has."""
    try:
        main()
    except (ValueError, OSError) as error:
        sys.exit(f"{Path(sys.argv[0]).name}: {error}")


def table_parser(description: str) -> argparse.ArgumentParser:
    """The command line of a script that makes a table of cells; `sweeps` takes what was parsed."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--cells", required=True, type=Path, help="folder of the cells, one folder an engine in it")
    parser.add_argument("--out", required=True, help="the table to write, CSV")
    parser.add_argument(
        "--sweep", required=True, nargs="+", action="append",
        help='a name and axis=value,value, "default" where an axis is not moved; repeated',
    )  # fmt: skip
    return parser


def sweeps(arguments: argparse.Namespace) -> list[tuple[str, dict]]:
    """The name and the grid of each sweep on the command line."""
    return [(name, settings.grid_from_words(words)) for name, *words in arguments.sweep]
