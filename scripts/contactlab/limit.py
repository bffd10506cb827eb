"""How long a cell may take, so that one that never ends does not hold up its sweep.

The limit counts processor time, which depends less on what else the machine does than the clock's. A cell that finishes does
not depend on it.
"""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

TIMED_OUT = "timed out"  # the outcome of a cell that was ended; nothing else is known of it

_end_s = math.inf


@contextmanager
def limited(seconds: float = math.inf) -> Iterator[None]:
    """Let `check` end what runs in the block after so many seconds of processor time."""
    global _end_s
    _end_s = time.process_time() + seconds
    try:
        yield
    finally:
        _end_s = math.inf


def check() -> None:
    """To be called once a step. Raises TimeoutError, in one line, when the time is over."""
    if time.process_time() > _end_s:
        raise TimeoutError(f"{TIMED_OUT}; cell_limit_s of the configuration allows more processor time")
