"""Headless Chromium, by selenium, with its network off."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

CHROMIUM, DRIVER = (shutil.which(name) for name in ("chromium", "chromedriver"))
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--window-size=1500,1000", "--host-resolver-rules=MAP * ~NOTFOUND",
]  # fmt: skip
OFFLINE = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
# A script's value comes once the page has drawn what the script did.
DRAWN = """
const done = arguments[arguments.length - 1];
const value = (function () {{ {script} }}).apply(null, arguments);
requestAnimationFrame(() => requestAnimationFrame(() => done(value)));
"""


class Browser:
    """A browser in which nothing but files can be opened."""

    def __init__(self, profile: Path):
        from selenium import webdriver  # only tests that look at a page wait for it

        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for flag in [*FLAGS, f"--user-data-dir={profile}"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self._driver = webdriver.Chrome(options, webdriver.ChromeService(DRIVER))
        self.command("Network.enable")
        self.command("Network.emulateNetworkConditions", **OFFLINE)

    def command(self, name: str, **arguments) -> dict:
        """What a command of Chromium's own protocol answers."""
        return self._driver.execute_cdp_cmd(name, arguments)

    def open(self, page: Path) -> None:
        self._driver.get(page.as_uri())

    def run(self, script: str, *arguments):
        """The value that a piece of JavaScript returns."""
        return self._driver.execute_async_script(DRAWN.format(script=script), *arguments)

    def click(self, selector: str, index: int = 0) -> None:
        self.run("document.querySelectorAll(arguments[0])[arguments[1]].click();", selector, index)

    def press(self, selector: str, keys: str) -> None:
        """Keys on what has the focus there."""
        self._driver.find_element("css selector", selector).send_keys(keys)

    def texts(self, selector: str) -> list[str]:
        return self.run("return [...document.querySelectorAll(arguments[0])].map(e => e.innerText.trim());", selector)

    def show(self, width: int = 1500, dark: bool = False, media: str = "screen") -> None:
        """Look at the page in another width, in dark colours or as it is printed."""
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=1000, deviceScaleFactor=1, mobile=width < 500)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.command("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def assert_nothing_went_wrong(self) -> None:
        """No error on the console, and nothing asked for that the page does not hold."""
        assert [entry["message"] for entry in self._driver.get_log("browser") if entry["level"] == "SEVERE"] == []
        events = [json.loads(entry["message"])["message"] for entry in self._driver.get_log("performance")]
        asked = {
            event["params"]["requestId"]: event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent" and event["params"]["documentURL"].startswith("file:")
        }  # and not by the browser itself, for its empty tab
        failed = {event["params"]["requestId"] for event in events if event["method"] == "Network.loadingFailed"}
        assert asked
        inside = ("file:", "data:", "blob:")
        assert [url[:80] for request, url in asked.items() if request in failed or not url.startswith(inside)] == []

    def close(self) -> None:
        self._driver.quit()


def browsing(profile: Path) -> Iterator[Browser]:
    """A browser for a fixture to yield; the test is skipped where there is none."""
    if not (CHROMIUM and DRIVER):
        pytest.skip("needs chromium and chromedriver (Debian: chromium-driver)")
    browser = Browser(profile)
    yield browser
    browser.close()
