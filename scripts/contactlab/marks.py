"""A mark of the state after every step: two runs are compared bit by bit without keeping their trajectories.

A mark is the CRC-32 of a state's bytes. Two states that differ in one run of up to 32 bits, one flipped bit for example, never
have the same mark; of any other two, one pair in four thousand million has.
"""

import base64
import zlib

import numpy as np


def mark(*state: bytes | memoryview) -> bytes:
    """The mark of a state, four bytes; of a state in parts, that of their bytes in a row."""
    found = 0
    for part in state:
        found = zlib.crc32(part, found)
    return found.to_bytes(4, "little")


def to_text(marks: bytes) -> str:
    """Marks in a row as a record holds them."""
    return base64.b64encode(marks).decode()


def first_difference(marks: str, others: str) -> int | None:
    """The first place at which two rows of marks differ, None where they are the same.

    Place 0 is the initial state, place n the state after n steps. Where one row is the beginning of the other, they differ
    where it ends.
    """
    first, second = (np.frombuffer(base64.b64decode(text), dtype="<u4") for text in (marks, others))
    shared = min(len(first), len(second))
    different = np.flatnonzero(first[:shared] != second[:shared])
    if different.size:
        return int(different[0])
    return None if len(first) == len(second) else shared
