"""Locks: files NAME.txt in envs/ that say which packages an interpreter holds, with their hashes.

A folder of the user's own, in which a run works, may have an envs/ too; what lies there goes before the project's own.
"""

from pathlib import Path

from packaging.version import Version

from records import engines

OWN = Path("envs")  # of the folder that a run works in


def named(envs: Path, name: str) -> Path:
    """The lock of a name: the user's own where there is one, else that of the project, whose folder is `envs`."""
    own = OWN / f"{name}.txt"
    return own if own.is_file() else envs / f"{name}.txt"


def of_engine(envs: Path, engine: str) -> Path:
    """The lock of an engine, the same for every architecture; an implementation has one of its own."""
    if engines.implementation(engine):
        return named(envs, engine)
    return named(envs, f"mujoco-{engines.split(engine)[0]}")


def implementations(envs: Path) -> list[str]:
    """The implementations that have a lock."""
    found = {path.stem for folder in (OWN, envs) for name in engines.IMPLEMENTATIONS for path in folder.glob(f"{name}-*.txt")}
    return sorted(found)


def versions(envs: Path) -> list[str]:
    """The MuJoCo versions that have a lock, the oldest first."""
    found = {path.stem.removeprefix("mujoco-") for folder in (OWN, envs) for path in folder.glob("mujoco-*.txt")}
    return sorted(found, key=Version)
