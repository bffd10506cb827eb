"""The captions of results: reStructuredText in jinja2, filled in as by Snakemake's report with wildcards and params."""

import re
from html import unescape
from pathlib import Path

import jinja2
from docutils.core import publish_parts
from docutils.utils import SystemMessage

FILLED = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)  # as Snakemake's report fills captions in
READ = {
    "halt_level": 2,  # a warning is an error: what docutils cannot read would stand in the page
    "report_level": 5,  # which says so itself, once
    "file_insertion_enabled": False,
    "raw_enabled": False,
}


def to_html(caption: Path, wildcards: dict, params: dict) -> str:
    """The caption in the file as paragraphs of HTML. Raises ValueError for one that is not reStructuredText."""
    text = FILLED.from_string(caption.read_text(encoding="utf-8")).render(snakemake={"wildcards": wildcards, "params": params})
    try:
        return publish_parts(text.strip(), writer="html5", settings_overrides=READ)["body"].strip()
    except SystemMessage as error:
        raise ValueError(f"{caption} is not reStructuredText: {error}") from None


def described(html: str) -> str:
    """What a caption says that is shown, as text: its last paragraph, as those before it say what was found."""
    paragraphs = re.findall(r"<p[^>]*>(.*?)</p>", html, re.DOTALL) or [""]
    return " ".join(unescape(re.sub(r"<[^>]+>", "", paragraphs[-1])).split())
