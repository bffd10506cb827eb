"""How long a cell may take, so that one that never ends does not hold up its sweep.

The limit is of the processor's time, which depends less than the clock's on what else the machine does. A finished cell does
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
    """Let `check` end what runs in the block once it has used so many seconds of the processor."""
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
