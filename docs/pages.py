"""Write into the pages what follows from the code: the axes of each experiment, the presets' questions and answers.

    make pages

What stands between `<!-- generated -->` and `<!-- end -->` is replaced; the rest of a page is written by hand.
tests/unit/test_docs.py fails, with a diff, where a page is not what this script would write.
"""

from pathlib import Path

import yaml

from lib import schema
from records import settings

PROJECT = Path(__file__).parents[1]
MANUAL = "https://mujoco.readthedocs.io/en/stable/"
UNITS = {
    "_rad_s": "rad/s", "_m_per_s": "m/s", "_m_s2": "m/s^2", "_rad": "rad", "_Nm": "N m", "_kg": "kg", "_hz": "Hz",
    "_ms": "ms", "_s": "s", "_m": "m",
}  # fmt: skip


def unit_of(axis: str) -> str:
    """The unit in which an axis is given, from the end of its name."""
    return next((unit for ending, unit in UNITS.items() if axis.endswith(ending)), "")


def axis_row(name: str, axis: dict) -> list[str]:
    """The cells of an axis in the table of its experiment."""
    link = f"[`{name}`]({MANUAL}{axis['page']})" if "page" in axis else f"`{name}`"
    default = settings.to_word(axis.get("default", "")).replace("_", " ")
    since = [f"`{settings.to_word(value)}` from MuJoCo {version} on." for value, version in axis.get("since", {}).items()]
    return [link, unit_of(name), default, " ".join([axis["description"], *since]), axis.get("origin", "")]


def axes_table(axes: dict[str, dict]) -> str:
    """What a sweep of an experiment may move, one line for each axis; the origins only where a default says its own."""
    rows = [axis_row(name, axis) for name, axis in axes.items() if axis["stage"] != "source"]
    columns = ["axis", "unit", "default", "what it is", "where the default is from"]
    shown = len(columns) if any(origin for *_, origin in rows) else len(columns) - 1
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line[:shown])} |" for line in lines)


def all_axes() -> str:
    """A section for each experiment whose cells are named by axes: its description and its axes."""
    known = schema.load(PROJECT)
    sections = [
        f"## `{name}`\n\n{known.experiments[name]['description']}\n\n{axes_table(schema.axes(known, name))}"
        for name in schema.grids(known)
    ]
    return "\n\n".join(sections)


def answer(preset: str) -> str:
    """What the preset's caption finds: its first paragraph, on one line."""
    caption = (PROJECT / f"workflow/report/{preset}.rst").read_text(encoding="utf-8")
    return " ".join(caption.split("\n\n")[0].split())


def questions() -> str:
    """A line for each file of presets/ that asks a question: its first comment, and the answer of its caption."""
    rows = []
    for path in sorted((PROJECT / "presets").glob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        if yaml.safe_load(text).keys() & {"presets", "audits"}:
            rows.append(f"| `{path.stem}` | {text.splitlines()[0].removeprefix('# ')} | {answer(path.stem)} |")
    return "\n".join(["| preset | question | answer |", "|---|---|---|", *rows])


PAGES = {"docs/axes.md": all_axes, "docs/presets.md": questions}
BEGIN, END = "<!-- generated -->\n", "<!-- end -->"


def written(page: str) -> str:
    """A page with its generated part as the code has it now.

    Raises ValueError where the page has no place for it.
    """
    text = (PROJECT / page).read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError(f"{page} lacks the lines {BEGIN.strip()} and {END}; allowed: one of each")
    return f"{before}{begin}\n{PAGES[page]()}\n\n{end}{after}"


if __name__ == "__main__":
    for page in PAGES:
        (PROJECT / page).write_text(written(page), encoding="utf-8")
