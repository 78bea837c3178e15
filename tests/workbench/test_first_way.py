"""The way of a first user, in Chromium: paste, tick, harvest, correct, download, and OmegaT fills from the download.

Nothing is typed but the address and the correction.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("selenium.webdriver")
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from diglot.results.run import open_run
from report import chromium
from report.chromium import READY, Browser, saved_file
from workbench.served_site import hotel, pages, served_site

CORRECTED = "Une phrase <corrigée> à la main."
TYPED_WORDS = 1
"""The address."""
LANG = "{http://www.w3.org/XML/1998/namespace}lang"
MEMORY = "127.0.0.1.en-fr.tmx"
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
    """Someone at the browser, whose clicks, keys and words are counted; words of corrections on their own."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.clicks = self.keys = self.words = self.corrected = 0

    def click(self, selector: str) -> None:
        self.browser.until("document.querySelector(arguments[0])?.checkVisibility()", selector)
        # Where Chromium would click, whatever lies there.
        self.browser.run("document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })", selector)
        self.browser.driver.find_element("css selector", selector).click()
        self.clicks += 1

    def type(self, text: str) -> None:
        self.browser.driver.switch_to.active_element.send_keys(text)
        self.words += len(text.split())

    def correct(self, text: str) -> None:
        """Type a text in the place of the one that stands in the field with the focus."""
        self.browser.until("document.activeElement?.tagName === 'TEXTAREA'")
        self.press_with(Keys.CONTROL, "a")
        ActionChains(self.browser.driver).send_keys(text).perform()
        self.corrected += len(text.split())

    def press_with(self, held: str, key: str) -> None:
        """Press a key while Control or Shift is held."""
        ActionChains(self.browser.driver).key_down(held).send_keys(key).key_up(held).perform()
        self.keys += 1

    def press(self, *keys: str) -> None:
        for key in keys:
            ActionChains(self.browser.driver).send_keys(key).perform()
            self.keys += 1

    def tab_back_to(self, selector: str) -> None:
        """Press Shift and Tab until an element has the focus."""
        self.browser.until("document.querySelector(arguments[0])?.checkVisibility()", selector)
        for _ in range(80):
            if self.browser.run("return document.activeElement.matches(arguments[0])", selector):
                return
            self.press_with(Keys.SHIFT, Keys.TAB)
        raise AssertionError(f"no Tab leads to {selector}")


def is_dark_and_narrow(browser: Browser) -> bool:
    """Whether the page is dark, and not wider than the window."""
    light = browser.run(
        "return getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).slice(0, 3).map(Number)"
    )
    width = browser.run("return document.documentElement.scrollWidth - innerWidth")
    return sum(light) < 150 and width <= 0


@contextmanager
def patience() -> Iterator[None]:
    """Long waits: the site is asked once a second, twenty times for a look and again for the harvest."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chromium, "WAIT_S", 600.0)
        yield


@pytest.fixture(scope="module")
def walked(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Person]:
    """The memory that a person with a mouse downloads, and what it took."""
    folder = tmp_path_factory.mktemp("walked")
    browser.save_to(folder)
    person = Person(browser)
    with patience(), served_site(pages(4)) as site, opened_workbench(folder / "home", site) as address:
        browser.driver.get(address)
        browser.until("document.activeElement?.id === 'address'")  # nothing to click before
        person.type(site)
        person.click("#address-form button")
        person.click("#begin")
        browser.until(READY)
        person.click("#segments .verdict.edit")
        person.correct(CORRECTED)
        person.click(".editor .keep")
        browser.until("document.getElementById('saving').textContent === 'Saved.'")
        person.click("[data-kind=tmx]")
        memory = saved_file(folder / MEMORY)
        assert browser.complaints() == []
        browser.driver.get("about:blank")
    return memory, person


def test_from_an_address_to_a_memory_with_a_correction(
    walked: tuple[Path, Person], capsys: pytest.CaptureFixture[str]
) -> None:
    memory, person = walked
    assert [unit["fr"] for unit in units_of(memory) if unit["fr"] == CORRECTED] == [CORRECTED]
    assert (person.clicks, person.words, person.corrected) == (5, TYPED_WORDS, len(CORRECTED.split()))
    with capsys.disabled():
        print(f"\nfrom an address to a memory: {person.clicks} clicks, {person.words} word typed, the address")


@pytest.mark.slow
def test_a_site_with_its_languages_on_each_page_can_be_made(browser: Browser, tmp_path: Path) -> None:
    person = Person(browser)
    with patience(), served_site(hotel()) as site, opened_workbench(tmp_path / "home", site) as address:
        browser.driver.get(address)
        browser.until("document.activeElement?.id === 'address'")
        person.type(site)
        person.click("#address-form button")
        person.click("#split")
        browser.until("byId('begin').checkVisibility()")
        assert browser.run("return document.querySelector('[name=split_pages]').checked")
        person.click("#begin")
        browser.until(READY)
        assert [len(open_run(run).pairs()) for run in (tmp_path / "home").glob("*.*.*")] == [3]
        assert browser.complaints() == []
        browser.driver.get("about:blank")


@pytest.mark.skipif(OMEGAT is None, reason="NOT FILLED BY OMEGAT: it is not installed (Debian: omegat)")
def test_omegat_fills_from_the_memory_that_was_downloaded(walked: tuple[Path, Person], tmp_path: Path) -> None:
    memory, _ = walked
    units = units_of(memory)
    filled = omegat_output(memory, [unit["en"] for unit in units], tmp_path)
    assert len(units) >= 4
    assert CORRECTED in filled
    assert filled == [unit["fr"] for unit in units]


def units_of(memory: Path) -> list[dict[str, str]]:
    """Texts of a memory by language, a table for each unit."""
    units = ElementTree.parse(memory).getroot().iter("tu")
    return [{each.attrib[LANG]: each.findtext("seg") or "" for each in unit.iter("tuv")} for unit in units]


def omegat_output(memory: Path, texts: Sequence[str], folder: Path) -> list[str]:
    """What OmegaT makes of a file of paragraphs, with a memory in the project."""
    project = folder / "project"
    for name in ("source", "target", "tm/auto", "glossary", "dictionary", "omegat"):
        (project / name).mkdir(parents=True)
    (project / "omegat.project").write_text(PROJECT)
    (project / "source" / "text.txt").write_text("".join(f"{text}\n\n" for text in texts), encoding="utf-8")
    shutil.copy(memory, project / "tm" / "auto")
    command = [str(OMEGAT), str(project), "--mode=console-translate", f"--config-dir={folder / 'config'}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return [line for line in (project / "target" / "text.txt").read_text(encoding="utf-8").split("\n") if line]


@pytest.mark.slow
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
        with patience(), served_site(pages(4)) as site, opened_workbench(tmp_path / "home", site) as address:
            _walk_by_keyboard(person, address, site)
            assert CORRECTED in [unit["fr"] for unit in units_of(saved_file(tmp_path / MEMORY))]
            assert browser.complaints() == []
            browser.driver.get("about:blank")
    finally:
        browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert (person.clicks, person.words, person.corrected) == (0, TYPED_WORDS, len(CORRECTED.split()))
    with capsys.disabled():
        print(f"\nby keyboard, on a phone, in the dark: {person.keys} keys, {person.words} word typed, the address")


def _walk_by_keyboard(person: Person, address: str, site: str) -> None:
    browser = person.browser
    browser.driver.get(address)
    browser.until("document.activeElement?.id === 'address'")
    assert is_dark_and_narrow(browser)
    person.type(site)
    person.press(Keys.ENTER)
    browser.until("document.activeElement?.id === 'begin'")  # the focus waits on the button
    assert is_dark_and_narrow(browser)
    person.press(Keys.ENTER)
    browser.until("document.querySelector('#stages li')")
    assert is_dark_and_narrow(browser)
    browser.until(READY)
    assert is_dark_and_narrow(browser)
    person.press("w")  # the first segment that is not judged
    person.press("e")
    person.correct(CORRECTED)
    person.press_with(Keys.CONTROL, Keys.ENTER)
    browser.until("document.getElementById('saving').textContent === 'Saved.'")
    # What lies below the note can be clicked, and the note goes away.
    at_note = "const { x, y } = document.getElementById('saving').getBoundingClientRect();"
    assert browser.run(f"{at_note} return document.elementFromPoint(x + 5, y + 5)?.id") != "saving"
    browser.until("document.getElementById('saving').textContent === ''")
    person.tab_back_to("[data-kind=tmx]")
    person.press(Keys.ENTER)
