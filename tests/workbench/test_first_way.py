"""The way of a first user, in Chromium: paste, tick, harvest, correct, download. Nothing is typed but the address."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("selenium.webdriver")
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from report import chromium
from report.chromium import READY, Browser, saved_file
from workbench.served_site import served_site

CORRECTED = "Une phrase <corrigée> à la main."
OMEGAT = shutil.which("omegat")
PROJECT = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<omegat><project version="1.0">
<source_dir>__DEFAULT__</source_dir><target_dir>__DEFAULT__</target_dir><tm_dir>__DEFAULT__</tm_dir>
<glossary_dir>__DEFAULT__</glossary_dir><dictionary_dir>__DEFAULT__</dictionary_dir>
<source_lang>en</source_lang><target_lang>fr</target_lang><sentence_seg>true</sentence_seg>
</project></omegat>
"""


@contextmanager
def opened_workbench(home: Path, site: str) -> Iterator[str]:
    """The first address of a workbench that may crawl a site on loopback."""
    command = [sys.executable, "-m", "diglot", "ui", str(home), "--no-browser", "--allow-host", site]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().split()[1]
        finally:
            server.terminate()


class Person:
    """Someone at the browser, whose clicks, keys and words are counted."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.clicks = self.keys = self.words = 0

    def click(self, selector: str) -> None:
        self.browser.until("document.querySelector(arguments[0])?.checkVisibility()", selector)
        # Where Chromium would click, whatever lies there.
        self.browser.run("document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })", selector)
        self.browser.driver.find_element("css selector", selector).click()
        self.clicks += 1

    def type(self, text: str) -> None:
        self.browser.driver.switch_to.active_element.send_keys(text)
        self.words += len(text.split())

    def press(self, *keys: str) -> None:
        for key in keys:
            ActionChains(self.browser.driver).send_keys(key).perform()
            self.keys += 1

    def tab_to(self, selector: str) -> None:
        """Press Tab until an element has the focus."""
        self.browser.until("document.querySelector(arguments[0])?.checkVisibility()", selector)
        for _ in range(80):
            if self.browser.run("return document.activeElement.matches(arguments[0])", selector):
                return
            self.press(Keys.TAB)
        raise AssertionError(f"no Tab leads to {selector}")


def is_dark_and_narrow(browser: Browser) -> bool:
    """Whether the page is dark, and not wider than the window."""
    light = browser.run(
        "return getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).slice(0, 3).map(Number)"
    )
    width = browser.run("return document.documentElement.scrollWidth - innerWidth")
    return sum(light) < 150 and width <= 0


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    # The site is asked once a second, twenty times for a look and again for the harvest.
    monkeypatch.setattr(chromium, "WAIT_S", 600.0)


def test_from_an_address_to_a_memory_with_a_correction(
    browser: Browser, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    browser.save_to(tmp_path)
    person = Person(browser)
    with served_site() as site, opened_workbench(tmp_path / "home", site) as address:
        browser.driver.get(address)
        browser.until("document.activeElement.id === 'address'")  # nothing to click before
        person.type(site)
        person.click("#address-form button")
        person.click("#begin")
        browser.until(READY)
        person.click("#segments .verdict.edit")
        browser.run("document.querySelectorAll('.editor textarea')[1].value = arguments[0]", CORRECTED)
        person.click(".editor .keep")
        browser.until("document.getElementById('saving').textContent === 'Saved.'")
        person.click("[data-kind=tmx]")
        memory = saved_file(tmp_path / "127.0.0.1.en-fr.tmx").read_text(encoding="utf-8")
        assert "Une phrase &lt;corrigée&gt; à la main." in memory
        assert browser.complaints() == []
        browser.driver.get("about:blank")
    assert (person.clicks, person.words) == (5, 1)
    with capsys.disabled():
        print(f"\nfrom an address to a memory: {person.clicks} clicks, {person.words} word typed, the address")


def test_the_same_by_keyboard_on_a_phone_in_the_dark(
    browser: Browser, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    browser.save_to(tmp_path)
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    phone = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    person = Person(browser)
    try:
        with served_site() as site, opened_workbench(tmp_path / "home", site) as address:
            _walk_by_keyboard(person, address, site)
            memory = saved_file(tmp_path / "127.0.0.1.en-fr.tmx")
            assert "Une phrase &lt;corrigée&gt; à la main." in memory.read_text(encoding="utf-8")
            assert browser.complaints() == []
            browser.driver.get("about:blank")
    finally:
        browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert (person.clicks, person.words) == (0, 1)
    with capsys.disabled():
        print(f"\nby keyboard, on a phone, in the dark: {person.keys} keys, {person.words} word typed, the address")


def _walk_by_keyboard(person: Person, address: str, site: str) -> None:
    browser = person.browser
    browser.driver.get(address)
    browser.until("document.activeElement.id === 'address'")
    assert is_dark_and_narrow(browser)
    person.type(site)
    person.press(Keys.ENTER)
    browser.until("document.activeElement.id === 'begin'")  # the focus waits on the button
    assert is_dark_and_narrow(browser)
    person.press(Keys.ENTER)
    browser.until("document.querySelector('#stages li')")
    assert is_dark_and_narrow(browser)
    browser.until(READY)
    assert is_dark_and_narrow(browser)
    person.press("w")  # the first segment that is not judged
    person.press("e")
    browser.until("document.activeElement.tagName === 'TEXTAREA'")
    browser.run("document.activeElement.value = arguments[0]", CORRECTED)
    ActionChains(browser.driver).key_down(Keys.CONTROL).send_keys(Keys.ENTER).key_up(Keys.CONTROL).perform()
    person.keys += 1
    browser.until("document.getElementById('saving').textContent === 'Saved.'")
    browser.run("document.activeElement.blur(); scrollTo(0, 0)")  # as after Ctrl-Home
    person.tab_to("[data-kind=tmx]")
    person.press(Keys.ENTER)


@pytest.mark.skipif(OMEGAT is None, reason="NOT FILLED BY OMEGAT: it is not installed (Debian: omegat)")
def test_omegat_fills_from_the_memory(tmp_path: Path) -> None:
    from diglot.harvesting import harvest
    from made_sites import lett_site

    (tmp_path / "site.lett").write_bytes(lett_site("omegat.example", range(4)))
    harvest(tmp_path / "site.lett", "en,fr", tmp_path / "run", jobs=1)
    memory = tmp_path / "run" / "out" / "en-fr.tmx"
    rows = [line.split("\t") for line in (tmp_path / "run" / "out" / "segments.en-fr.tsv").read_text().splitlines()]
    place = {name: rows[0].index(name) for name in ("src", "tgt", "flags", "bead")}
    kept = [row for row in rows[1:] if not row[place["flags"]] and row[place["bead"]] == "1-1"]
    project = tmp_path / "project"
    for folder in ("source", "target", "tm/auto", "glossary", "dictionary", "omegat"):
        (project / folder).mkdir(parents=True)
    (project / "omegat.project").write_text(PROJECT)
    (project / "source" / "text.txt").write_text("".join(f"{row[place['src']]}\n\n" for row in kept), encoding="utf-8")
    shutil.copy(memory, project / "tm" / "auto")
    command = [str(OMEGAT), str(project), "--mode=console-translate", f"--config-dir={tmp_path / 'config'}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    filled = (project / "target" / "text.txt").read_text(encoding="utf-8").split("\n")
    wanted = [row[place["tgt"]] for row in kept]
    assert len(wanted) >= 4
    assert [line for line in filled if line] == wanted
