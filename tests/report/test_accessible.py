"""What axe-core finds in the report: nothing. axe-core (MPL-2.0) is no part of Diglot; the test needs its file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from diglot.report.run_page import write_report
from report.made_run import made_run, segment
from report.made_terms import TERMS

pytest.importorskip("selenium.webdriver")
from report.chromium import READY, Browser, fill, found

BUILD = Path(__file__).parents[2] / "build"
AXE = Path(os.environ.get("AXE_CORE", BUILD / "axe/node_modules/axe-core/axe.min.js"))
"""Where `make axe` puts it."""
ROWS = [
    segment("The first sentence. And a second one.", "Une seule phrase.", bead="2-1", score=0.42),
    segment("Chapter 2", "Chapitre 2", position=1, score=0.97),
    segment("Menu", "Menu", position=2, flags=["identical"], score=1.0),
    segment("Home", "Accueil", position=3, score=0.9),
    segment("Home", "Maison", position=4, score=0.6, flags=["conflict"]),
    segment("Greetings", "مرحبا " * 120, page=1, tgt_lang="ar", tgt_url="https://example.org/ar/1", score=0.8),
    *[segment(f"number {n}", f"nombre {n}", page=2, position=n) for n in range(40)],
]


@pytest.mark.skipif(not AXE.is_file(), reason=f"NOT CHECKED FOR ACCESSIBILITY: no axe-core at {AXE}; run `make axe`")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(390, 800), (1280, 900)])
def test_axe_finds_nothing(browser: Browser, tmp_path: Path, scheme: str, size: tuple[int, int]) -> None:
    write_report(made_run(ROWS, lang_pairs=(("en", "fr"), ("en", "ar"))), tmp_path / "report.html", terms=TERMS)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    browser.driver.set_window_size(*size)
    browser.open(tmp_path / "report.html")
    browser.until(READY)
    fill(browser, "which", "all")
    found(browser, "46 segments")
    fill(browser, "query", "e")
    browser.run("report.search()")
    browser.run("document.querySelectorAll('details').forEach(d => { d.open = true })")
    for button in (".right", ".wrong", ".edit"):
        browser.run("document.querySelector(`#segments ${arguments[0]}`).click()", button)
    browser.run(AXE.read_text(encoding="utf-8"))
    assert findings(browser) == []
    fill(browser, "query", "(")
    browser.run("location.hash = '#search?q=%28&regex=1'")  # the note on a link of an earlier report
    browser.run("report.openPair(0, 2)")
    assert findings(browser) == []
    browser.run("report.judging.judgements.unsaved = false")


def findings(browser: Browser) -> list[str]:
    """Rules that are broken, and by what."""
    return browser.driver.execute_async_script(
        "const done = arguments[0]; axe.run().then(({ violations }) => done(violations.flatMap(({ id, nodes }) =>"
        " nodes.map(({ html, any }) => `${id}: ${html.slice(0, 120)} ${any[0]?.message ?? ''}`))))"
    )
