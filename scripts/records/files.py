"""Files that are there whole or not at all."""

import csv
import hashlib
import json
import os
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from records import current_run

PART, SEAL = ".part.", ".seal."  # what the name of a file begins with while it is written, and the name of its seal
PROVENANCE = "provenance.json"  # in a folder that was fetched: where it came from


@contextmanager
def replacing(path: str | os.PathLike) -> Iterator[Path]:
    """A temporary path beside `path` that becomes `path` when the block ends without an error, and goes when it ends with one.

    The temporary name follows from `path` alone, so what a killed job left is overwritten by the next one. A JSON record is
    sealed in itself; any other file gets a seal beside it, see `unaltered`. An OSError that names no file, as that of a full
    disk may, is made to name `path`.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{PART}{path.name}")
    try:
        yield part
        _put(part, path)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            error.filename = error.filename or str(path)
        raise


def _put(part: Path, path: Path) -> None:
    """Put a file that was written in its place, and its seal beside it."""
    if path.suffix == ".json":
        os.replace(part, path)
        return
    seal, text = _seal_of(path), json.dumps({"sha256": digest_of(part)} | origin(path, Path(sys.argv[0]).name))
    seal.unlink(missing_ok=True)  # a job killed before the next seal leaves a file without one, which Snakemake makes again
    os.replace(part, path)
    part.write_text(text, encoding="utf-8")
    os.replace(part, seal)


def digest_of(path: str | os.PathLike) -> str:
    """SHA-256, in hex, of a file."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def folder_digest(folder: Path) -> str:
    """SHA-256, in hex, over the names and contents of all files below `folder` but its PROVENANCE, sorted by name."""
    sha = hashlib.sha256()
    for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name != PROVENANCE:
            content = path.read_bytes()
            sha.update(f"{name}\n{len(content)}\n".encode() + content)
    return sha.hexdigest()


def is_altered(path: str | os.PathLike) -> bool:
    """Whether a file does not hold what was written into it; one that is gone, or never had a seal, is not altered."""
    try:  # twice, as another run may be writing it
        return all(digest_of(path) != json.loads(_seal_of(path).read_text(encoding="utf-8"))["sha256"] for _ in range(2))
    except FileNotFoundError:
        return False
    except (ValueError, TypeError, KeyError):  # the seal itself is damaged
        return True


def made(path: str | os.PathLike) -> dict | None:
    """What the seal of a file says of its origin, see `origin`; None of a file without a seal that can be read."""
    try:
        return {key: json.loads(_seal_of(path).read_text(encoding="utf-8"))[key] for key in origin(path, "")}
    except (OSError, ValueError, TypeError, KeyError):
        return None


def unaltered(path: str) -> str:
    """`path`, for a reader of it.

    Raises ValueError, with the command that makes it again, for an altered file, and for one below results/ that was made
    under another name, by other code, on another machine or by something that the workflow does not know.
    """
    seal = _seal_of(path)
    if is_altered(path):
        raise ValueError(f"{path} is not what was written into it; make it again with: {_again(path)}")
    if seal.exists() or (name_of(path) and not Path(path).name.startswith(PART)):  # a part is this process's own
        _require_own(path, json.loads(seal.read_text(encoding="utf-8")) if seal.exists() else {})
    return path


def write_text(path: str | os.PathLike, text: str) -> None:
    """Write `text` to `path` in UTF-8 with Unix line ends, whole or not at all."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: str | os.PathLike, record: dict) -> None:
    """Write `record` as JSON, sealed with the digest of its content, floats with `repr` so that reading gives the same bits.

    Beside the content stands what the record is and what made it, see `origin`.
    Raises ValueError for nan and infinity: what did not happen is None.
    """
    record = record | {"made": origin(path, Path(sys.argv[0]).name)}
    write_text(path, _text(record | {"sha256": _seal(record)}))


def read_json(path: str | os.PathLike) -> dict:
    """The record in the JSON file at `path`.

    Raises ValueError, with the command that makes it again, where the file does not hold what was written into it, and where
    that is another record than this or was made by other code or on another machine.
    """
    try:
        record, made = sealed(path)
    except ValueError:
        raise ValueError(f"{path} is not what was measured; make it again with: {_again(path)}") from None
    _require_own(path, made)
    return record


def sealed(path: str | os.PathLike) -> tuple[dict, dict]:
    """The record in the JSON file at `path`, and its origin, of whatever machine.

    Raises ValueError where it was changed, or is another record.
    """
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"))
        whole, made = record.pop("sha256") == _seal(record), record.pop("made", {})
        if whole and (not made or name_of(path) in (None, made["name"])):
            return record, made
    except (ValueError, KeyError, AttributeError, TypeError):  # not JSON, or not a sealed record
        pass
    raise ValueError(f"{path} is not what was written into it")


def origin(path: str | os.PathLike, by: str) -> dict[str, str | None]:
    """What a record is, and what made it: its name below results/ or .engines/, the script, the script's code and the machine.

    A record elsewhere has no name. Code and machine are what the run says to its jobs, and None outside of one.
    """
    return {"name": name_of(path), "by": by, "code": current_run.code_of(by), "machine": current_run.machine()}


def name_of(path: str | os.PathLike) -> str | None:
    """A record's name, its path below results/ or .engines/, also where `verify` measures it again; None elsewhere."""
    named = re.match(r".*(?:results/(?:verify/)?|[.]engines/)(.+)", Path(path).as_posix())
    return named and named[1]


def _require_own(path: str | os.PathLike, made: dict) -> None:
    for key, ours in origin(path, made.get("by", "")).items():
        if ours is not None and made.get(key) != ours:
            raise ValueError(f"{path} is of the {key} {made.get(key)}, this is {ours}; make it again with: {_again(path)}")


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


def _seal_of(path: str | os.PathLike) -> Path:
    return Path(path).with_name(f"{SEAL}{Path(path).name}")


def _text(record: dict) -> str:
    return json.dumps(record, indent=1, allow_nan=False) + "\n"


def _seal(record: dict) -> str:
    return hashlib.sha256(_text(record).encode()).hexdigest()
