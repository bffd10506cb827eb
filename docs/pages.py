"""Write into the pages what follows from the code: the axes of each experiment, the presets' questions and answers.

    make pages

What stands between `<!-- generated -->` and `<!-- end -->` is replaced; the rest of a page is written by hand.
tests/unit/test_docs.py fails, with a diff, where a page is not what this script would write.
"""

from pathlib import Path

import yaml

import configuration
from records import settings

PROJECT = Path(__file__).parents[1]
MANUAL = "https://mujoco.readthedocs.io/en/stable/"
UNITS = {
    "_rad_s": "rad/s", "_m_per_s": "m/s", "_rad": "rad", "_Nm": "N m", "_kg": "kg", "_ms": "ms", "_s": "s", "_m": "m",
}  # fmt: skip


def unit_of(axis: str) -> str:
    """The unit in which an axis is given, from the end of its name."""
    return next((unit for ending, unit in UNITS.items() if axis.endswith(ending)), "")


def axis_row(name: str, axis: dict) -> str:
    """The line of an axis in the table of its experiment."""
    link = f"[`{name}`]({MANUAL}{axis['page']})" if "page" in axis else f"`{name}`"
    default = settings.to_word(axis.get("default", "")).replace("_", " ")
    since = [f"`{settings.to_word(value)}` from MuJoCo {version} on." for value, version in axis.get("since", {}).items()]
    return f"| {link} | {unit_of(name)} | {default} | {' '.join([axis['description'], *since])} |"


def axes_table(schema: dict, experiment: str) -> str:
    """What a sweep of the experiment may move, one line for each axis."""
    axes = configuration.axes(schema, experiment)
    rows = [axis_row(name, axis) for name, axis in axes.items() if axis["stage"] != "source"]
    return "\n".join(["| axis | unit | default | what it is |", "|---|---|---|---|", *rows])


def all_axes() -> str:
    """A section for each experiment: its description and its axes."""
    schema = configuration.load_schema(PROJECT / "workflow/schemas/config.schema.yaml")
    sections = [
        f"## `{name}`\n\n{schema['properties'][name]['description']}\n\n{axes_table(schema, name)}"
        for name in configuration.experiments(schema)
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
        if "presets" in yaml.safe_load(text):
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
