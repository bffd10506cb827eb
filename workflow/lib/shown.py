"""What the page of all results shows: what rules mark for the report, and what presets and comparisons have left there."""

import functools
import json
import os
import re
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from lib import provenance, questions
from lib.plan import Plan
from lib.snakemake_internals import Marked, marked
from records import files, settings

Result = dict  # of a file: its path and title, its caption and what that is filled with
ON_REQUEST = "Presets and comparisons"
LEFT = ("figures/[!.]*.png", "results/[!.]*.csv")  # where presets and comparisons leave what they make


class Page:
    """The page under a plan: `results` and then `machine` are the files that it asks for, `template` a folder.

    Titles and captions are those of the rules that make the files.
    """

    def __init__(self, plan: Plan, workflow, results: Iterable[str], machine: Iterable[str]) -> None:
        self._plan, self._workflow = plan, workflow
        self._results, self._machine = marked(workflow, results), marked(workflow, machine)
        self._template = Path(os.path.relpath(plan.project / "workflow/report/page"))
        self.template = str(self._template / "index.html")
        self._left = functools.cache(self._left_there)

    def inputs(self) -> list[str]:
        """The files that the page asks for."""
        return [result.path for result in self._results + self._machine]

    def words(self, wildcards) -> list[str]:
        """A params function: all that the page shows, as one word."""
        return [json.dumps(self._shown())]

    def contents(self, wildcards) -> str:
        """A params function: the template and captions, which people edit, and what is shown without being asked for."""
        results = [*map(_result, self._results + self._machine), *self._left()]
        captions = [result["caption"] for result in results if result["caption"]]
        return provenance.contents([*sorted(self._template.iterdir()), *captions, *(left["path"] for left in self._left())])

    def _shown(self) -> dict:
        return {
            "sections": [*_sections(self._results), *by_section(self._left()), *_sections(self._machine)],
            "documents": self._plan.documents(),
            "made_of": self._made_of(),
            "config": self._plan.config,
        }

    def _left_there(self) -> list[Result]:
        there = [path.as_posix() for pattern in LEFT for path in sorted(Path().glob(pattern))]
        known = marked(self._workflow, [path for path in there if path not in self.inputs()])
        of_rules = [placed(file) for file in sorted(known, key=_category)]
        presets = [result for path, added in questions.presets(self._plan) for result in self._preset(path, added)]
        found = {result["path"]: result for result in [*of_rules, *presets]}
        return [result for path, result in found.items() if self._is_ours(path)]

    def _preset(self, path: Path, added: questions.AddedSweep | questions.Gathered | None) -> list[Result]:
        """The figures and the tables of a preset under its question; no rule knows them where it is not configured."""
        question = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        stems, caption = (added.stems, added.caption) if added else ([path.stem], path.stem)
        written = self._plan.project / "workflow/report" / f"{caption}.rst"
        caption = os.path.relpath(written if written.exists() else written.with_name("preset.rst"))
        described = {
            "section": ON_REQUEST,
            "title": question,
            "caption": caption,
            "wildcards": {"sweep": path.stem},
            "params": {},
        }
        return [{"path": made} | described for stem in stems for made in (f"figures/{stem}.png", f"results/{stem}.csv")]

    def _is_ours(self, path: str) -> bool:
        """Whether a file is there, made by this code on this machine; that it is unaltered a run checks before its jobs."""
        made = files.made(path) if Path(path).exists() else None
        script = self._plan.script_path(made["by"]) if made else None
        if script is None or made["machine"] != provenance.machine():
            return False
        return made["code"] == self._plan.code.setdefault(made["by"], provenance.code(script).removeprefix("code "))

    def _made_of(self) -> dict[str, dict]:
        """The cells that each table of the ledger is made of: their paths, or their grids where it is made from sweeps."""
        measured = set(self._plan.measured_tables())
        return {result.path: self._cells(result) for result in self._results if result.path in measured}

    def _cells(self, table: Marked) -> dict:
        cells = [path for path in table.inputs() if path.endswith(".json")]
        words = table.param("settings")
        if not words or words[0] != "--sweep":
            return {"paths": cells}
        starts = [index for index, word in enumerate(words) if word == "--sweep"]
        grids = [words[start + 2 : end] for start, end in zip(starts, [*starts[1:], None], strict=True)]  # without their names
        folder = Path(cells[0]).parents[1]
        defaults = settings.to_words(self._plan.defaults[folder.name])
        return {"folder": folder.as_posix(), "grids": grids, "defaults": defaults}


def by_section(results: Iterable[Result]) -> list[dict]:
    """Results that are made on request: a section for each subcategory of the report, then one of all else."""
    sections: dict[str, list[Result]] = {}
    for result in sorted(results, key=lambda result: result["section"] == ON_REQUEST):
        sections.setdefault(result["section"], []).append(result)
    return [{"title": title, "results": results} for title, results in sections.items()]


def placed(file: Marked) -> Result:
    """A file as a result, with the section in which it stands on request."""
    return _result(file) | {"section": _section(file)}


def _result(file: Marked) -> Result:
    """A file with its caption, and of wildcards and params what that names."""
    text = Path(file.caption).read_text(encoding="utf-8") if file.caption else ""
    params = {name: file.param(name) for name in re.findall(r"snakemake\.params\.(\w+)", text)}
    title = file.title.replace("_", " ")
    return {"path": file.path, "title": title, "caption": file.caption, "wildcards": file.wildcards, "params": params}


def _category(file: Marked) -> str:
    return file.category


def _section(file: Marked) -> str:
    """Where a file that is shown on request stands: with all of its subcategory, or among all others."""
    return f"{_plain(file.category)}: {file.subcategory}" if file.subcategory else ON_REQUEST


def _plain(category: str) -> str:
    """A category without the number that sorts it in Snakemake's report."""
    return re.sub(r"^\d+ ", "", category)


def _sections(results: list[Marked]) -> list[dict]:
    """Files by category, as in Snakemake's report."""
    by_category = groupby(sorted(results, key=_category), key=_category)
    return [{"title": _plain(title), "results": [*map(_result, found)]} for title, found in by_category]
