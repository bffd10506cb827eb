"""How long a cell may take, so that one that never ends does not hold up its sweep.

The limit counts processor time, which depends less on what else the machine does than the clock's. A cell that finishes does
not depend on it.
"""

import itertools
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

TIMED_OUT = "timed out"  # the outcome of a cell that was ended; nothing else is known of it
EVERY = 64  # calls of `check` to a look at the clock, which the system takes part of a step for

_end_s, _calls = math.inf, itertools.count()


@contextmanager
def limited(seconds: float = math.inf) -> Iterator[None]:
    """Let `check` end what runs in the block after so many seconds of processor time."""
    global _end_s, _calls
    _end_s, _calls = time.process_time() + seconds, itertools.count()
    try:
        yield
    finally:
        _end_s = math.inf


def check() -> None:
    """To be called once a step. Raises TimeoutError, in one line, when the time is over."""
    if next(_calls) % EVERY == 0 and time.process_time() > _end_s:
        raise TimeoutError(f"{TIMED_OUT}; cell_limit_s of the configuration allows more processor time")
