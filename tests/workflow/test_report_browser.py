"""The report in headless Chromium without a network: every link of it is followed, every figure looked at."""

import base64
import io
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from browser import Browser
from conftest import PROJECT, SMALL, SMALL_TARGETS
from PIL import Image

HOME, LINKS = "ol a", "ul > li a"
PICTURE = """
const picture = [...document.images].at(-1), room = picture.parentElement.parentElement;
const seen = picture.getBoundingClientRect();
const inside = seen.top >= 0 && seen.bottom <= innerHeight && seen.left >= room.offsetLeft && seen.right <= innerWidth;
return [picture.src, picture.naturalWidth, inside];
"""


def look_at_picture(browser: Browser) -> None:
    """The figure on the page is loaded, fits the window and shows something."""
    source, width, inside = browser.run(PICTURE)
    assert width > 800
    assert inside
    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(source.partition(",")[2]))).convert("L"))
    assert pixels.shape[1] == width
    assert pixels.std() > 5, "a blank picture"


def look_at_description(browser: Browser) -> None:
    """The report opens with the ledger as a drawing, whole and above the words, and docutils could read all of these."""
    assert not re.search("system-message|problematic", browser.run("return workflow_desc;"))
    browser.click(HOME)
    top, bottom, width = browser.run(
        "const seen = document.querySelector('.prose svg').getBoundingClientRect(); return [seen.top, seen.bottom, seen.width];"
    )
    assert 0 <= top < bottom < 1000
    assert 400 < width <= browser.run("return document.querySelector('.prose').clientWidth;")


def look_at_row(browser: Browser, category: int, row: int) -> str:
    """Follow the links of one row of a category: what it shows, its caption, its rule. Returns the result's path."""
    browser.click(HOME)
    browser.click(LINKS, category)
    link = browser.run("return document.querySelectorAll('tbody tr')[arguments[0]].querySelector('a').href;", row)
    if not link.startswith("data:"):  # a table is a download, which headless Chromium would leave in a folder
        browser.click(f"tbody tr:nth-child({row + 1}) a", 0)
    browser.click(f"tbody tr:nth-child({row + 1}) a", 1)
    path = browser.run("return app.state.resultPath;")
    if path.endswith(".png"):
        look_at_picture(browser)
    elif path.endswith(".html"):
        assert browser.run("return document.querySelector('iframe').src;").startswith("data:text/html")
    else:
        assert base64.b64decode(link.partition(",")[2]).count(b"\n") > 1
    [caption] = browser.texts("li.prose")
    assert len(caption) > 60
    assert not re.search(r"\{\{|\}\}|\{%|``|\*\w|`_|System Message|Undefined", caption), caption
    browser.click(LINKS, len(browser.texts(LINKS)) - 1)
    assert browser.run("return app.state.navbarMode;") == "ruleinfo"
    return path


def look_through(browser: Browser, page: Path) -> list[str]:
    """Follow every link of a report; the paths of what it shows, in its order."""
    browser.open(page)
    general = browser.texts(LINKS)
    names = [name for name in general if name not in ("Workflow", "Statistics", "About")]
    assert names == browser.run("return Object.keys(categories).sort();")
    assert names[0].endswith("Ledger") or "Ledger" not in " ".join(names)
    assert names[-1].endswith("Settings and machine") or "Settings" not in " ".join(names)
    for name in ("Workflow", "Statistics"):
        browser.click(LINKS, general.index(name))
        assert browser.run("return document.querySelectorAll('svg, canvas').length;") > 0
    if "1 Ledger" in names:
        look_at_description(browser)
    seen = []
    for name in names:
        browser.click(HOME)
        browser.click(LINKS, general.index(name))
        rows = browser.run("return document.querySelectorAll('tbody tr').length;")
        assert rows == len(browser.run("return Object.values(categories[arguments[0]]).flat();", name))
        seen += [look_at_row(browser, general.index(name), row) for row in range(rows)]
    assert sorted(seen) == sorted(browser.run("return Object.keys(results);"))
    return seen


def test_a_small_report_is_whole_without_a_network(workflow, browser):
    workflow.configure(SMALL)
    targets = [*SMALL_TARGETS, "results/settings.html"]
    workflow.executed(*targets)
    done = workflow.run("--report", "report.html", *targets)
    assert done.returncode == 0, done.stdout
    assert set(targets) <= set(look_through(browser, workflow.folder / "report.html"))
    browser.assert_nothing_went_wrong()


def test_the_published_report_is_whole_without_a_network(browser):
    report = PROJECT / "report.html"
    if not report.is_file():
        pytest.skip("report.html is not there: `make report` makes it")
    shown = look_through(browser, report)
    listed = subprocess.run(
        [sys.executable, "-m", "snakemake", "--summary"], cwd=PROJECT, stdout=subprocess.PIPE, text=True, check=True
    )
    made = re.findall(r"^(?:figures/[^/]+[.]png|results/[^/]+[.]csv)(?=\t)", listed.stdout, re.MULTILINE)
    assert set(made) <= set(shown)
    assert shown[0] == "figures/ledger.png"
    browser.assert_nothing_went_wrong()
