"""The runs of an audit: what each is called, what it moves from the reference, and where its cell lies."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from records import settings

REFERENCE = "reference"  # the variation that moves nothing
NAME_LIMIT = 150  # characters of a cell's name; file systems end at 255 bytes, and a prefix and a suffix stand around it
DIGEST = 16  # digits of the digest that ends a name cut there


@dataclass(frozen=True)
class Run:
    """One run of an audit, of one variation at one place of its grid.

    audit: the audit's name
    variation: REFERENCE, or what is moved, as "engine=3.4.0"
    axis, value: the same apart; None for the reference
    engine: a MuJoCo version, and behind it the architecture of an emulated machine
    place: the values of the grid's axes
    settings: all that the run is told but its engine, the values of the reference and of the grid included
    cell: its name, in which what the reference has is left out
    """

    audit: str
    variation: str
    axis: str | None
    value: settings.Value | None
    engine: str
    place: dict[str, settings.Value]
    settings: dict[str, settings.Value]
    cell: str

    def path(self, folder: Path) -> Path:
        """The file of its record; `folder` holds a folder for each engine."""
        return folder / self.engine / self.audit / f"{self.cell}.json"


def runs(audit: dict) -> list[Run]:
    """The runs of an audit: the reference over the whole grid, then each variation over it, in the order of `vary`.

    `audit` is its mapping of the configuration with its `name`, and with a list of versions under `vary.engine`. A value that
    is the reference's own is no variation.
    """
    own = audit["reference"]
    moved = [(axis, value) for axis, values in audit["vary"].items() for value in values if not _is_own(own, axis, value)]
    places = settings.grid(audit["grid"])
    return [_run(audit, axis, value, place) for axis, value in [(None, None), *moved] for place in places]


def variation(axis: str | None, value: settings.Value | None) -> str:
    """What a variation is called."""
    return REFERENCE if axis is None else f"{axis}={settings.to_word(value)}"


def _is_own(reference: dict, axis: str, value: settings.Value) -> bool:
    return axis in reference and settings.to_word(reference[axis]) == settings.to_word(value)


def _run(audit: dict, axis: str | None, value: settings.Value | None, place: dict) -> Run:
    own = audit["reference"]
    told = own | place | ({} if axis is None else {axis: value})
    engine = told.pop("engine")
    return Run(audit["name"], variation(axis, value), axis, value, engine, place, told, cell_name(told, own))


def cell_name(told: dict[str, settings.Value], reference: dict[str, settings.Value]) -> str:
    """The canonical name of a run's cell. What a file's name cannot hold is percent-encoded; a long name ends in a digest."""
    moved = {axis: value for axis, value in told.items() if not _is_own(reference, axis, value)}
    words = (f"{quote(axis, safe='')}={quote(settings.to_word(value), safe='')}" for axis, value in sorted(moved.items()))
    name = ",".join(words) or settings.DEFAULT
    if len(name) <= NAME_LIMIT:
        return name
    digest = hashlib.sha256(json.dumps(moved, sort_keys=True).encode()).hexdigest()
    return f"{name[: NAME_LIMIT - DIGEST - 1]}~{digest[:DIGEST]}"
