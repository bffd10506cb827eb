"""Recordings of controls: a CSV with a column time_s and one for each actuator, or an npz with such arrays."""

import csv
import zipfile
from pathlib import Path

import numpy as np

from contactlab.samples import require_samples

TIME = "time_s"


def read(path: str) -> tuple[np.ndarray, list[str], np.ndarray]:
    """Times in s (n,), the actuators' names (m), and their controls (n, m), in the order of the file.

    Raises ValueError, in one line that begins with the path, for a file that cannot be read, a value that is no finite number,
    times that do not rise from 0 or below on, and a gap between two of them.
    """
    columns = _of_npz(path) if path.endswith(".npz") else _of_csv(path)
    if TIME not in columns or len(columns) < 2:
        raise ValueError(f"{path}, which has the columns {', '.join(columns)}; allowed: {TIME} and one for each actuator")
    times_s, names = columns.pop(TIME), list(columns)
    for name, values in columns.items():
        if values.shape != times_s.shape or times_s.ndim != 1:
            raise ValueError(
                f"{path}, where {name} has the shape {values.shape}; allowed: one number a sample, ({len(times_s)},)"
            )
    controls = np.column_stack([columns[name] for name in names])
    try:
        require_samples(times_s, names, controls)
    except ValueError as error:
        raise ValueError(f"{path}, {error}") from None
    return times_s, names, controls


def _of_csv(path: str) -> dict[str, np.ndarray]:
    try:
        with Path(path).open(newline="", encoding="utf-8-sig") as file:
            header, *rows = [row for row in csv.reader(file) if row]
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}; allowed: a recording, CSV or npz") from None
    except ValueError:
        raise ValueError(
            f"{path}, which is empty or no text; allowed: a CSV with {TIME} and a column for each actuator"
        ) from None
    header = [name.strip() for name in header]
    if len(set(header)) < len(header):
        raise ValueError(f"{path}, which has a column twice; allowed: each once")
    for line, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise ValueError(f"{path}, where line {line} has {len(row)} values; allowed: {len(header)}")
    return {name: np.array([_number(path, name, row[at]) for row in rows]) for at, name in enumerate(header)}


def _number(path: str, name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{path}, where {name} is {text!r}; allowed: a number") from None


def _of_npz(path: str) -> dict[str, np.ndarray]:
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {name: np.asarray(arrays[name], float) for name in arrays.files}
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or 'cannot be read'}; allowed: a recording, CSV or npz") from None
    except (ValueError, zipfile.BadZipFile):
        raise ValueError(f"{path}, which is no npz of numbers; allowed: an array {TIME} and one for each actuator") from None
