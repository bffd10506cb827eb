"""How a script of the workflow is run: settings from words, and a wrong value as one line."""

import sys
from collections.abc import Callable
from pathlib import Path


def run(main: Callable[[], None]) -> None:
    """Call `main`; a ValueError, which says what is wrong in one line, ends the script with that line, as a time-out does."""
    try:
        main()
    except (ValueError, TimeoutError) as error:
        sys.exit(f"{Path(sys.argv[0]).name}: {error}")
