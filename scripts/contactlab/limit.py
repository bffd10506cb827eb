"""How long a cell may take, so that one that never ends does not hold up its sweep.

The limit is of the processor's time, which depends less than the clock's on what else the machine does. It comes with the
environment: it is nothing that a finished cell depends on, so it is no part of what cells are known by.
"""

import math
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

VARIABLE = "CONTACTLAB_CELL_LIMIT_S"
TIMED_OUT = "timed out"  # the outcome of a cell that was ended; nothing else is known of it

_end_s = math.inf


@contextmanager
def limited() -> Iterator[None]:
    """Let `check` end what runs in the block when it has used the seconds that the environment allows; by hand it has all."""
    global _end_s
    _end_s = time.process_time() + float(os.environ.get(VARIABLE, math.inf))
    try:
        yield
    finally:
        _end_s = math.inf


def check() -> None:
    """To be called once a step. Raises TimeoutError, in one line, when the time is over."""
    if time.process_time() > _end_s:
        raise TimeoutError(f"{TIMED_OUT}; cell_limit_s of the configuration allows more processor time")
