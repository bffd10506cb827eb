"""The captions of results as HTML."""

import re

import pytest
from conftest import PROJECT

from records import captions

WRITTEN = sorted(path for path in (PROJECT / "workflow/report").glob("*.rst") if path.stem != "workflow")


@pytest.mark.parametrize("caption", WRITTEN, ids=lambda path: path.stem)
@pytest.mark.parametrize("name", ["timestep", "summary", "controls_nan", "energy", "gripper", "a name of one's own"])
def test_every_caption_becomes_paragraphs_under_any_name(caption, name):
    params = {"settings": ["dt_ms=1,2"], "machine": "machine x", "tolerance": 0.001, "engines": ["3.17.0"], "variant": []}
    html = captions.to_html(caption, {"table": name, "sweep": name}, params)
    assert html.startswith("<p>")
    assert not re.search(r"\{\{|\}\}|\{%|``|\*\w|system-message", html)
    assert len(captions.described(html)) > 40


def test_a_caption_is_filled_with_wildcards_and_params_and_marked_up(tmp_path):
    caption = tmp_path / "caption.rst"
    caption.write_text(
        '{% set found = {"a": "It *falls*."} %}\n{{ found[snakemake.wildcards.sweep] }}\n\n'
        "``z`` < 1 for {{ snakemake.params.settings | join('; ') }}.\n",
        encoding="utf-8",
    )
    params = {"settings": ["dt_ms=1", "mu=1"]}
    html = captions.to_html(caption, {"sweep": "a"}, params)
    assert "<em>falls</em>" in html
    assert "&lt; 1 for dt_ms=1; mu=1." in html
    assert captions.described(html) == "z < 1 for dt_ms=1; mu=1."
    assert "falls" not in captions.to_html(caption, {"sweep": "another"}, params)


@pytest.mark.parametrize("text", ["*open", "``open", ".. nothing::", ".. include:: caption.rst", ".. raw:: html\n\n   <b>"])
def test_what_docutils_cannot_read_or_may_not_is_refused_by_the_captions_name(tmp_path, text):
    caption = tmp_path / "caption.rst"
    caption.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"caption\.rst is not reStructuredText"):
        captions.to_html(caption, {}, {})
