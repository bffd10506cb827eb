"""The captions of the report, as text."""

from types import SimpleNamespace

import jinja2
from conftest import PROJECT


def caption(name: str, **wildcards: str) -> str:
    """A caption as Snakemake fills it in, in one line; the settings that it would name are left out."""
    text = (PROJECT / f"workflow/report/{name}.rst").read_text(encoding="utf-8")
    job = SimpleNamespace(wildcards=wildcards, params=SimpleNamespace(settings=[], machine="", tolerance=""))
    return " ".join(jinja2.Environment().from_string(text).render(snakemake=job).split())
