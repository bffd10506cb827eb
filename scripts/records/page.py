"""What the page of all results shows, as its template needs it: figures, captions and tables, section by section."""

import math
import os
import re
import struct
from base64 import b64encode
from pathlib import Path

import jinja2
import pandas as pd
import yaml
from itables import options
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import YamlLexer

from records import audit_comparison, audit_convergence, audit_headline, captions, files, tables

DIGITS = 6  # of a number in a table; all of them stand in its file


def short(value) -> str:
    """A value as a table of the page shows it: a number to DIGITS digits, nothing for what is missing."""
    if isinstance(value, float):
        return "" if pd.isna(value) else f"{value:.{DIGITS}g}"
    return str(value)


def table_view(path: str) -> dict:
    """A table of results: the columns that tell its rows apart, their values as text, and what all of its rows share.

    A table of one row is `shared` as a whole.
    """
    table = tables.read(path)
    shared = [name for name in table if table[name].nunique(dropna=False) == 1]
    own = table.drop(columns=shared)
    return {
        "path": path,
        "lines": len(table),
        "width": len(table.columns),
        "columns": [{"name": name, "numeric": own[name].dtype.kind in "if"} for name in own],
        "rows": [[short(value) for value in row] for row in own.itertuples(index=False)] if len(own.columns) else [],
        "shared": [(name, short(table[name].iloc[0])) for name in shared],
        "said": said(path, set(table)),
    }


SENTENCES = {audit_comparison.COLUMNS: audit_headline.sentence, audit_convergence.COLUMNS: audit_headline.timestep_sentence}


def said(path: str, columns: set[str]) -> Markup | None:
    """The sentence that a table makes, of those that make one; what it names is code."""
    sentence = next((sentence for own, sentence in SENTENCES.items() if columns == {*own}), None)
    return sentence and Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(sentence(Path(path))))))


def figure_view(path: str) -> dict:
    """A figure, whole as a data URI, with its size in pixels."""
    png = Path(files.unaltered(path)).read_bytes()
    width, height = struct.unpack(">II", png[16:24])
    return {"path": path, "uri": f"data:image/png;base64,{b64encode(png).decode()}", "width": width, "height": height}


def result_view(result: dict) -> dict:
    """A result of a section as a `figure` or a `table`, by what its file is, with its caption."""
    caption = captions.to_html(Path(result["caption"]), result["wildcards"], result["params"]) if result["caption"] else ""
    if result["path"].endswith(".png"):
        said = {"caption": caption, "alt": captions.described(caption) or result["title"]}
        return {"figure": figure_view(result["path"]) | said}
    return {"table": table_view(result["path"]) | {"caption": caption}}


def section_view(section: dict) -> dict:
    """A section: what its tables say, and its results by title, a figure and a table of one together; figures come first."""
    found: list[dict] = []
    for result in section["results"]:
        view = result_view(result)
        place = next((other for other in found if other["title"] == result["title"] and other.keys().isdisjoint(view)), None)
        if place is None:
            found.append(place := {"title": result["title"]})
        place.update(view)
    said = [result["table"]["said"] for result in found if "table" in result and result["table"]["said"]]
    return {"title": section["title"], "said": said, "results": sorted(found, key=lambda result: "figure" not in result)}


def configuration_view(config: dict) -> dict:
    """The configuration as coloured YAML, and the colours on a light and on a dark ground."""
    text = yaml.safe_dump(config, sort_keys=False, width=100, default_flow_style=None)
    light, dark = (HtmlFormatter(style=style, cssclass="yaml") for style in ("default", "github-dark"))
    colours = {"light": light.get_style_defs(".yaml"), "dark": dark.get_style_defs(".yaml")}
    return {"html": highlight(text, YamlLexer(), light), "lines": text.count("\n")} | colours


def datatables() -> dict[str, str]:
    """The code and the style of DataTables, the bundle that itables brings along to be used without a network."""
    bundle = Path(options.dt_bundle)
    return {"js": bundle.read_text(encoding="utf-8"), "css": bundle.with_suffix(".css").read_text(encoding="utf-8")}


def number_or_nothing(text: str) -> str:
    """`text` where it is a finite number, else nothing: a column is sorted by value only where all of it is numbers."""
    try:
        return text if math.isfinite(float(text)) else ""
    except ValueError:
        return ""


def render(template: Path, out: Path, **views) -> str:
    """The page, from a template that may include files beside it; what it links to is found from where it is written."""
    loader = jinja2.FileSystemLoader(template.parent)
    environment = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {"beside": lambda path: os.path.relpath(path, out.parent), "number_or_nothing": number_or_nothing}
    return environment.get_template(template.name).render(**views)
