"""The experiments, each declared once in workflow/experiments/: NAME.yaml says what it is, NAME.py, where there is one, what is
its own in checking a configuration. All that is general follows from these: nothing else names an experiment.

workflow/experiments/README.md explains every key of a declaration.
"""

import importlib.util
from pathlib import Path
from types import ModuleType

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

Declarations = dict[str, dict]  # by name, in the order of the report

TEXT, FLAG, TEXTS = {"type": "string"}, {"type": "boolean"}, {"type": "array", "items": {"type": "string"}}
TEXT_BY_NAME = {"type": "object", "additionalProperties": TEXT}


def _object(properties: dict, required: tuple[str, ...] = ()) -> dict:
    return {"type": "object", "additionalProperties": False, "properties": properties, "required": list(required)}


MEASURES = {
    "type": "object",
    "additionalProperties": _object({"digits": TEXT, "band": FLAG, "follows": TEXT, "counts": TEXT}),
}
WORDS = {"type": "array", "items": _object({"where": {"type": "object"}, "is": TEXT, "column": TEXT})}
DECLARATION = _object(
    {
        "title": TEXT,
        "order": {"type": "number"},
        "description": TEXT,
        "names": TEXTS,
        "cells": {"enum": ["grid", "parts", "whole", "named"]},
        "run": TEXT,
        "compiled": FLAG,
        "marks": FLAG,
        "ways": {"type": "object", "additionalProperties": _object({"option": TEXT, "key": TEXT}, ("option", "key"))},
        "published": _object({"document": TEXT, "quantity": TEXT}, ("document", "quantity")),
        "preset": _object({"table": TEXT, "figure": TEXT, "label": TEXT}, ("table", "figure", "label")),
        "sweep": _object({"results": TEXT, "caption": TEXT}, ("results", "caption")),
        "config": {"type": "object"},
        "axes": {"type": "object", "additionalProperties": {"type": "object"}},
        "parts": TEXTS,
        "rows": TEXTS,
        "measures": MEASURES,
        "timestep": TEXT,
        "counted_over": TEXT,
        "batched": TEXTS,
        "collisions": TEXTS,
        "indifferent": TEXTS,
        "versions": _object(
            {"all_but": TEXTS, "digits": TEXT_BY_NAME, "absent": TEXT_BY_NAME, "outcome": WORDS, "failure_mode": WORDS}
        ),
        "summary": _object(
            {"tries": {"type": "integer"}, "converged": TEXT_BY_NAME, "measures": MEASURES}, ("tries", "measures")
        ),
    },
    ("title", "order", "description", "cells"),
)


class DeclarationError(ValueError):
    """An experiment that is not declared as it must be; its text is one line."""


def load(folder: Path) -> Declarations:
    """The declarations in a folder by the name of their file, in the order in which the report has them.

    Raises DeclarationError, naming the file and the key, for one that is not as it must be.
    """
    found = {path.stem: _read(path) for path in sorted(folder.glob("*.yaml"))}
    return dict(sorted(found.items(), key=lambda item: (item[1]["order"], item[0])))


def _read(path: Path) -> dict:
    declared = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    if error := best_match(Draft202012Validator(DECLARATION).iter_errors(declared)):
        place = ".".join(map(str, error.absolute_path))
        raise DeclarationError(
            f"{path}: {place or 'the declaration'}: {error.message}; allowed: workflow/experiments/README.md"
        )
    if (declared["cells"] == "grid") != ("axes" in declared):
        raise DeclarationError(
            f"{path}: cells is {declared['cells']}; allowed: axes where the cells are a grid, and only there"
        )
    return declared


def own_checks(folder: Path, name: str) -> ModuleType | None:
    """What an experiment has of its own in checking a configuration, NAME.py beside its declaration; None without it."""
    path = folder / f"{name}.py"
    if not path.is_file():
        return None
    spec = importlib.util.spec_from_file_location(f"experiment_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
