"""The report in headless Chromium without a network: every link of it is followed, every figure looked at."""

import base64
import io
import json
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from conftest import PROJECT, SMALL, SMALL_TARGETS
from PIL import Image

CHROMIUM, DRIVER = (shutil.which(name) for name in ("chromium", "chromedriver"))
pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver (Debian: chromium-driver)")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--window-size=1500,1000", "--host-resolver-rules=MAP * ~NOTFOUND",
]  # fmt: skip


class Browser:
    """Chromium by the WebDriver protocol, with the network off."""

    def __init__(self, profile: Path):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._url = f"http://127.0.0.1:{free.getsockname()[1]}"
        self._driver = subprocess.Popen([DRIVER, f"--port={self._url.rpartition(':')[2]}"], stdout=subprocess.DEVNULL)
        try:
            self._wait_for_driver()
            options = {"binary": CHROMIUM, "args": [*FLAGS, f"--user-data-dir={profile}"]}
            asked = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
            self._url += f"/session/{self._ask('/session', capabilities={'alwaysMatch': asked})['sessionId']}"
        except BaseException:
            self._driver.kill()
            raise
        offline = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
        self._ask("/goog/cdp/execute", cmd="Network.enable", params={})
        self._ask("/goog/cdp/execute", cmd="Network.emulateNetworkConditions", params=offline)

    def _ask(self, path: str, **body):
        request = urllib.request.Request(self._url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def _wait_for_driver(self) -> None:
        for _ in range(100):
            try:
                urllib.request.urlopen(f"{self._url}/status", timeout=10).close()
                return
            except OSError:
                time.sleep(0.1)
        raise TimeoutError("chromedriver does not answer")

    def open(self, page: Path) -> None:
        self._ask("/url", url=page.as_uri())

    def run(self, script: str, *arguments):
        """The value that a piece of JavaScript returns; it waits until the page has drawn what it did."""
        drawn = "const done = arguments[arguments.length - 1];" + (
            f"const value = (function () {{ {script} }}).apply(null, arguments);"
            "requestAnimationFrame(() => requestAnimationFrame(() => done(value)));"
        )
        return self._ask("/execute/async", script=drawn, args=list(arguments))

    def click(self, selector: str, index: int) -> None:
        self.run("document.querySelectorAll(arguments[0])[arguments[1]].click();", selector, index)

    def texts(self, selector: str) -> list[str]:
        return self.run("return [...document.querySelectorAll(arguments[0])].map(e => e.innerText.trim());", selector)

    def log(self, kind: str) -> list[dict]:
        return self._ask("/se/log", type=kind)

    def close(self) -> None:
        urllib.request.urlopen(urllib.request.Request(self._url, method="DELETE"), timeout=60).close()
        self._driver.terminate()
        self._driver.wait(timeout=30)


@pytest.fixture
def browser(tmp_path):
    browser = Browser(tmp_path / "profile")
    yield browser
    browser.close()


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


def look_at_row(browser: Browser, category: int, row: int) -> str:
    """Follow the links of one row of a category: what it shows, its caption, its rule. Returns the result's path."""
    browser.click(HOME, 0)
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
    assert not re.search("system-message|problematic", browser.run("return workflow_desc;"))  # what docutils could not read
    seen = []
    for name in names:
        browser.click(HOME, 0)
        browser.click(LINKS, general.index(name))
        rows = browser.run("return document.querySelectorAll('tbody tr').length;")
        assert rows == len(browser.run("return Object.values(categories[arguments[0]]).flat();", name))
        seen += [look_at_row(browser, general.index(name), row) for row in range(rows)]
    assert sorted(seen) == sorted(browser.run("return Object.keys(results);"))
    return seen


def assert_nothing_went_wrong(browser: Browser) -> None:
    """No error on the console, and nothing asked for that the page does not hold."""
    assert [entry["message"] for entry in browser.log("browser") if entry["level"] == "SEVERE"] == []
    events = [json.loads(entry["message"])["message"] for entry in browser.log("performance")]
    asked = {
        event["params"]["requestId"]: event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent" and event["params"]["documentURL"].startswith("file:")
    }  # and not by the browser itself, for its empty tab
    failed = {event["params"]["requestId"] for event in events if event["method"] == "Network.loadingFailed"}
    assert asked
    assert [url[:80] for request, url in asked.items() if request in failed or not url.startswith(("file:", "data:"))] == []


def test_a_small_report_is_whole_without_a_network(workflow, browser):
    workflow.configure(SMALL)
    targets = [*SMALL_TARGETS, "results/settings.html"]
    workflow.executed(*targets)
    done = workflow.run("--report", "report.html", *targets)
    assert done.returncode == 0, done.stdout
    assert set(targets) <= set(look_through(browser, workflow.folder / "report.html"))
    assert_nothing_went_wrong(browser)


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
    assert_nothing_went_wrong(browser)
