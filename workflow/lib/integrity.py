"""Stored files that are not what was written into them are refused by name before any job starts.

Records of runs and models are not among them: there are many, so whoever reads one checks it (`files.read_json`,
`files.unaltered`).
"""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

from records import files

SUMS = "SHA256SUMS"
FOLDERS = ("results", "figures")  # of tables, figures and pages
COMMITTED = ("envs/*.txt", "workflow/published/*.csv")


class RottenError(ValueError):
    """A file that cannot be believed; its text is one line."""


def check(project: Path) -> None:
    """Raises RottenError for a source of the project, or a file made in the current folder, that was altered."""
    for path in unlisted(project):
        raise RottenError(f"{path} is not the file that {SUMS} lists; restore it with git, or, if it is meant, run: make sums")
    for path in altered():
        raise RottenError(f"{path} is not what was written into it; remove it, and it is made again where it is needed")


def drop_dangling_links() -> None:
    """Remove links to entries that the store has no more; Snakemake would take each for a file, and stop at it."""
    for folder, _, names in os.walk("results"):
        for path in (Path(folder, name) for name in names):
            if path.is_symlink() and not path.exists():
                path.unlink(missing_ok=True)


def unlisted(project: Path) -> Iterator[str]:
    """Files of the project, locks and published numbers, with another content than they had when SHA256SUMS was written."""
    try:
        listed = set((project / SUMS).read_text(encoding="utf-8").splitlines())
    except (OSError, ValueError):
        listed = set()
    yield from (line.split("  ", 1)[1] for line in sums(project) if line not in listed)


def sums(project: Path) -> list[str]:
    """A line for each of them, as the program sha256sum writes and checks it."""
    paths = sorted(path for pattern in COMMITTED for path in project.glob(pattern))
    return [f"{files.digest_of(path)}  {path.relative_to(project).as_posix()}" for path in paths]


def altered() -> Iterator[str]:
    """What was made in the current folder and altered since."""
    yield from (str(path) for folder in FOLDERS for path in sorted(Path(folder).glob("*.*")) if files.is_altered(path))
    for record in (*Path(".engines").glob("*/engine.json"), *Path("results/models").glob(f"*/{files.PROVENANCE}")):
        try:
            known = files.sealed(record)[0]
        except ValueError:
            yield str(record)
        else:
            if record.name == files.PROVENANCE and files.folder_digest(record.parent) != known["digest"]:
                yield str(record.parent)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=f"Write {SUMS}, which the workflow believes its locks and claims by.")
    parser.parse_args()
    files.write_text(SUMS, "".join(f"{line}\n" for line in sums(Path.cwd())))
