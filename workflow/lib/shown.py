"""What the page of all results shows: the files that rules mark with `report(...)`, and what fills in their captions."""

import os
import re
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace


def marked(rules: Iterable, paths: Iterable[str]) -> list[dict]:
    """Those of `paths` that a rule marks for Snakemake's report, in their order, each with its title, category and caption."""
    outputs = [(rule, output) for rule in rules for output in rule.output if "report" in output.flags]
    return [
        _described(rule, output.flags["report"], path, match.groupdict())
        for path in paths
        for rule, output in outputs
        if (match := output.match(path))
    ]


def sections(results: list[dict]) -> list[dict]:
    """Results by category, sorted as in Snakemake's report, without the numbers that sort them there."""
    by_category = groupby(sorted(results, key=_category), key=_category)
    return [{"title": re.sub(r"^\d+ ", "", title), "results": list(found)} for title, found in by_category]


def _category(result: dict) -> str:
    return result["category"]


def _described(rule, mark, path: str, wildcards: dict[str, str]) -> dict:
    """What a rule's `report(...)` says of one of its outputs; a caption comes with the wildcards and params that it names."""
    labels = [value for name, value in (_filled(mark.labels, wildcards) or {}).items() if name != "kind"]
    title = _filled(labels[0], wildcards) if labels else Path(path).stem
    caption = mark.caption and os.path.relpath(mark.caption.get_path_or_uri(secret_free=True))
    named = re.findall(r"snakemake\.params\.(\w+)", Path(caption).read_text(encoding="utf-8")) if caption else []
    return {
        "path": path,
        "title": title.replace("_", " "),
        "category": _filled(mark.category, wildcards) or "Other",
        "caption": caption,
        "wildcards": wildcards,
        "params": {name: _filled(rule.params.get(name), wildcards) for name in named},
    }


def _filled(value, wildcards: dict[str, str]):
    """A value of a rule, which may be a function of the wildcards or a text with some in it."""
    if callable(value):
        return value(SimpleNamespace(**wildcards))
    return value.format(**wildcards) if isinstance(value, str) else value
