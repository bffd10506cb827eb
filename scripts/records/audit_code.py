"""The cell of an audit of code: what the user's function returned, or why it did not."""

from importlib import metadata
from pathlib import Path

from records import current_run, own_code

RESERVED = frozenset(
    ("outcome", "why", "digest", "status", "variation", "engine", "verdict", "steps", "solved_steps", "warnings", "truncated")
)


def cell(told: dict) -> dict:
    """The record of a run: its settings, and as its result what `measure(**settings)` returned."""

    path = Path(told["code"]).absolute()  # the code works elsewhere

    def call() -> dict:
        measure = own_code.load(path, "measure")
        return own_code.checked(measure(**told["settings"]), RESERVED | told["settings"].keys())

    result = own_code.guarded(call, current_run.cell_limit_s())
    settings = {"audit": told["audit"]} | told["settings"]
    return {
        "settings": settings,
        "files": told["files"],
        "mujoco": metadata.version("mujoco"),
        "result": result,
        "perturbed": [],
    }
