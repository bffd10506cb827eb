"""How a script of the workflow is run: settings from words, and a wrong value or a full disk as one line."""

import sys
from collections.abc import Callable
from pathlib import Path


def run(main: Callable[[], None]) -> None:
    """Call `main`; a ValueError or OSError, as of a full disk or a time-out, ends the script with the one line that it has."""
    try:
        main()
    except (ValueError, OSError) as error:
        sys.exit(f"{Path(sys.argv[0]).name}: {error}")
