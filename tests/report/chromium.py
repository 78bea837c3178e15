"""Chromium opening our own files: what they ask of the network, say in the console, and whether a text did anything."""

from __future__ import annotations

import json
import os
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.common.exceptions import JavascriptException, TimeoutException

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
NO_CHROMIUM = "" if CHROMIUM and DRIVER else "chromium and chromedriver are not installed"
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --force-prefers-reduced-motion --window-size=1200,500"
)
WAIT_S = 60.0
READY = "document.documentElement.dataset.ready"
"""What a report says when it can be used."""


class Browser:
    """Chromium with what its pages asked of the network and said in the console."""

    def __init__(self, folder: Path) -> None:
        self.empty = folder / "empty.html"
        self.empty.touch()
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for flag in [*FLAGS.split(), f"--user-data-dir={folder / 'profile'}"]:
            options.add_argument(flag)
        options.add_experimental_option("prefs", {"download.default_directory": str(folder)})
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        service = webdriver.ChromeService(DRIVER, env={**os.environ, "HOME": str(folder)})
        self.driver = webdriver.Chrome(options=options, service=service)
        self.driver.set_page_load_timeout(WAIT_S)

    def open(self, path: Path) -> None:
        """Open a file, and forget what was before."""
        self._load("about:blank")
        for log in ("performance", "browser"):
            self.driver.get_log(log)
        self._load(path.as_uri())

    def forget(self) -> None:
        """Delete what files have kept in the browser: all files share it, and an empty file is opened soonest."""
        self._load(self.empty.as_uri())
        self.run("localStorage.clear()")

    def _load(self, address: str) -> None:
        # Chromium was seen not to end a load, on an idle machine; the same file loads at once when it is asked again.
        try:
            self.driver.get(address)
        except TimeoutException:
            self.driver.get(address)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def until(self, script: str, *arguments: Any) -> Any:
        """The first value of a script that is something."""
        end, pause_s = time.monotonic() + WAIT_S, 0.02
        while time.monotonic() < end:
            with suppress(JavascriptException):  # between two pages, names of the next one are not defined
                if found := self.run(f"return {script}", *arguments):
                    return found
            time.sleep(pause_s)
            pause_s = min(1.2 * pause_s, 1.0)  # each question costs three processes some work
        raise AssertionError(f"never came: {script}")

    def save_to(self, folder: Path) -> None:
        """Where what pages save is put from now on."""
        self.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})

    def requests(self) -> list[str]:
        """Addresses asked for since :meth:`open`."""
        messages = (json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance"))
        asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        return [url for url in asked if not url.startswith(("chrome:", "about:"))]  # of the empty tab before

    def complaints(self) -> list[str]:
        """Lines of the console: errors of scripts, and what the policy refused."""
        return [entry["message"] for entry in self.driver.get_log("browser")]


HARMLESS = """
const wrong = [];
if (window.hit) wrong.push('a script ran');
const known = new Set(['A', 'BUTTON', 'INPUT', 'FORM', 'STYLE', 'SCRIPT', 'META', 'NOSCRIPT', 'DETAILS']);
for (const element of document.querySelectorAll('img, iframe, object, embed, video, audio, link, base, math, template,'
    + ' textarea, marquee, x, isindex, source, svg script, svg a, body *[style*=url]')) wrong.push(element.outerHTML);
for (const element of document.querySelectorAll('*')) for (const { name, value } of element.attributes) {
  if (name.startsWith('on') || name === 'srcdoc' || name === 'action') wrong.push(name);
  if (name === 'href' && !/^(https?:|#)/.test(value)) wrong.push(value);
}
return wrong;
"""
"""What of a page, which holds hostile texts, is more than text: a script that ran, an element, a handler, a link."""


def fill(report: Browser, field: str, value: str | bool) -> None:
    """Type, choose or tick something in a field of the report."""
    script = "const [id, v] = arguments, f = document.getElementById(id); f[v === !!v ? 'checked' : 'value'] = v;"
    report.run(f"{script} f.dispatchEvent(new Event('input')); f.dispatchEvent(new Event('change'));", field, value)


def found(report: Browser, count: str) -> None:
    """Wait until the search says so."""
    report.until("document.getElementById('search-count').textContent === arguments[0]", count)


def saved_file(path: Path) -> Path:
    """The file that a page saves, when it is whole."""
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end and not path.is_file():
        time.sleep(0.05)
    return path
