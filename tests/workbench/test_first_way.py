"""The way of a first user, in Chromium: paste, tick, harvest, correct, download. Nothing is typed but the address."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from report import chromium
from report.chromium import READY, Browser, saved_file
from workbench.served_site import served_site

CORRECTED = "Une phrase <corrigée> à la main."


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


def click(browser: Browser, selector: str) -> None:
    browser.until("document.querySelector(arguments[0])?.checkVisibility()", selector)
    browser.run("document.querySelector(arguments[0]).click()", selector)


def test_from_an_address_to_a_memory_with_a_correction(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The site is asked once a second, twenty times for a look and again for the harvest.
    monkeypatch.setattr(chromium, "WAIT_S", 600.0)
    browser.save_to(tmp_path)
    with served_site() as site, opened_workbench(tmp_path / "home", site) as address:
        browser.driver.get(address)
        browser.until("document.querySelector('#address')")
        browser.driver.find_element("id", "address").send_keys(site)
        click(browser, "#address-form button")
        click(browser, "#begin")
        browser.until(READY)
        click(browser, "#segments .verdict.edit")
        browser.run("document.querySelectorAll('.editor textarea')[1].value = arguments[0]", CORRECTED)
        click(browser, ".editor .keep")
        browser.until("document.getElementById('saving').textContent === 'Saved.'")
        click(browser, "[data-kind=tmx]")
        memory = saved_file(tmp_path / "127.0.0.1.en-fr.tmx").read_text(encoding="utf-8")
        assert "Une phrase &lt;corrigée&gt; à la main." in memory
        assert browser.complaints() == []
        browser.driver.get("about:blank")
