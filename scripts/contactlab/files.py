"""Files that are there whole or not at all."""

import csv
import hashlib
import json
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike) -> Iterator[Path]:
    """A temporary path beside `path` that becomes `path` when the block ends without an error, and goes when it ends with one.

    The temporary name follows from `path` alone, so what a killed job left is overwritten by the next one. An OSError, as of a
    full disk, names `path` where it names no file.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".part.{path.name}")
    try:
        yield part
        os.replace(part, path)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            error.filename = error.filename or str(path)
        raise


def write_text(path: str | os.PathLike, text: str) -> None:
    """Write `text` to `path` in UTF-8 with Unix line ends, whole or not at all."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: str | os.PathLike, record: dict) -> None:
    """Write `record` as JSON, sealed with the digest of its content, floats with `repr` so that reading gives the same bits.

    Raises ValueError for nan and infinity: what did not happen is None.
    """
    write_text(path, _text(record | {"sha256": _seal(record)}))


def read_json(path: str | os.PathLike) -> dict:
    """The record in the JSON file at `path`.

    Raises ValueError, with the command that makes it again, where the file does not hold what was written into it.
    """
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"))
        whole = record.pop("sha256") == _seal(record)
    except (ValueError, KeyError, AttributeError, TypeError):  # not JSON, or not a sealed record
        whole = False
    if not whole:
        raise ValueError(f"{path} is not what was measured; make it again with: {_again(path)}")
    return record


def write_csv(path: str | os.PathLike, rows: list[dict]) -> None:
    """Write `rows` as CSV, floats with `repr`; a column that a row lacks, or has as None, is empty there.

    For rows that need no more than writing: importing pandas takes longer than the run of most scans.
    """
    columns = dict.fromkeys(name for row in rows for name in row)
    with replacing(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _again(path: str | os.PathLike) -> str:
    """The command that makes a cell again; one that the store keeps must go, or it would be fetched as it is."""
    path = Path(path)
    kept = f"rm {shlex.quote(str(path.resolve()))} && " if path.is_symlink() else ""
    return f"{kept}snakemake --cores 1 --force {path}"


def _text(record: dict) -> str:
    return json.dumps(record, indent=1, allow_nan=False) + "\n"


def _seal(record: dict) -> str:
    return hashlib.sha256(_text(record).encode()).hexdigest()
