"""A run of a hostile site as a page of the workbench: its texts, titles, addresses and notes are text, in every tab."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from diglot.report.run_page import write_report
from diglot.version import __version__
from report.chromium import HARMLESS, READY, Browser
from report.made_run import HOSTILE, made_run, segment
from workbench.test_workbench_accessible import address as address

OWN_LINKS = ("/", "/search")


@pytest.mark.slow
def test_a_hostile_run_does_nothing_in_any_tab(browser: Browser, address: str, tmp_path: Path) -> None:
    made = made_run(
        [segment(text, text, page=n, src_url=f"https://x.example/{text}") for n, text in enumerate(HOSTILE)]
    )
    settings = {**made.settings, "diglot": __version__}
    summary = {**made.summary, "notes": list(HOSTILE[:20])}
    write_report(replace(made, settings=settings, summary=summary), tmp_path / "home" / "town" / "report.html")
    browser.driver.get(address)
    browser.until("document.getElementById('address')")
    browser.driver.get("about:blank")
    browser.complaints()
    for section in ("search", "pairs", "threshold", "funnel"):
        browser.driver.get("about:blank")
        browser.driver.get(f"{address.partition('/enter')[0]}/sites/town#{section}")
        browser.until(READY)
        browser.run("document.querySelectorAll('details').forEach(each => { each.open = true })")
        assert [each for each in browser.run(HARMLESS) if each not in OWN_LINKS] == []
        assert browser.run("return document.body.innerText.includes('<script')")
    browser.run("document.querySelector('#pair-list button').click()")
    assert [each for each in browser.run(HARMLESS) if each not in OWN_LINKS] == []
    assert browser.complaints() == []
    browser.driver.get("about:blank")
