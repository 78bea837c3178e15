"""What the menu of a site does, in Chromium."""

from __future__ import annotations

from pathlib import Path

import pytest

from diglot.workbench.bench import Bench
from report.chromium import READY, Browser
from workbench.made_bench import served_bench

NAMES = "[...document.querySelectorAll('.site')].map(({ dataset }) => dataset.name).join()"


def test_a_site_is_renamed_and_is_not_deleted_while_at_work(browser: Browser, bench: Bench, run: Path) -> None:
    with served_bench(bench) as address:
        browser.driver.get(address)
        browser.until(f"document.readyState === 'complete' && {NAMES} === 'town'")
        browser.run("document.querySelector('.rename').click()")
        browser.until("byId('rename').open")
        assert browser.run("return byId('rename-to').value") == "town"
        browser.run("byId('rename-to').value = ' my town '; document.querySelector('#rename .first').click()")
        browser.until(f"{NAMES} === 'my town'")
        browser.until("document.readyState === 'complete'")
        browser.run("document.querySelector('.site').dataset.state = 'working'")
        browser.run("document.querySelector('.delete').click()")
        assert browser.run("return byId('said').textContent") == "my town is being worked on; pause it first."
        assert not browser.run("return byId('ask').open")
        browser.driver.get("about:blank")
    assert bench.shelf.names() == ["my town"]


def test_a_name_of_blanks_is_refused_in_words(browser: Browser, bench: Bench, run: Path) -> None:
    with served_bench(bench) as address:
        browser.driver.get(address)
        browser.until(f"document.readyState === 'complete' && {NAMES} === 'town'")
        browser.run("document.querySelector('.rename').click()")
        browser.run("byId('rename-to').value = '  '; document.querySelector('#rename .first').click()")
        browser.until("byId('said').checkVisibility()")
        said = browser.run("return byId('said').textContent")
        browser.driver.get("about:blank")
    assert said.startswith("An empty name cannot be the name of a site.")
    assert bench.shelf.names() == ["town"]


CHANGES = {
    "rename": (
        "document.querySelector('.rename').click(); byId('rename-to').value = 'my town';"
        "document.querySelector('#rename .first').click()",
        "The name of this site is now my town. Open it",
        "/sites/my%20town",
    ),
    "update": (
        "document.querySelector('.update').click(); document.querySelector('#update .first').click()",
        "This site was changed in another tab, and this page shows it as it was. Load it again",
        "/sites/town",
    ),
    "delete": (
        "document.querySelector('.delete').click(); byId('ask-yes').click()",
        "This site was deleted. Back to my sites",
        "/",
    ),
}
"""Changes to a site from the list: the script, and notice and link in another tab that shows the site."""


@pytest.mark.parametrize("change", CHANGES)
def test_an_open_tab_says_that_its_site_is_another_now(change: str, browser: Browser, bench: Bench, run: Path) -> None:
    script, notice, link = CHANGES[change]
    bench.jobs.at_most = 0
    (run / "warc").mkdir()
    with served_bench(bench) as address:
        browser.driver.get(address)
        browser.driver.get(f"{address.partition('/enter')[0]}/sites/town")
        browser.until("document.documentElement.dataset.ready")
        assert not browser.run("return byId('old-page').checkVisibility()")
        browser.run("showTab('funnel')")  # seen from every part of the page
        first = browser.driver.current_window_handle
        browser.driver.switch_to.new_window("tab")
        try:
            browser.driver.get(address.partition("/enter")[0])
            browser.until(f"document.readyState === 'complete' && {NAMES} === 'town'")
            browser.run(script)
            browser.until(f"document.getElementById('at-work') || {NAMES} !== 'town'")
        finally:
            browser.driver.close()
            browser.driver.switch_to.window(first)
        browser.until("byId('old-page').checkVisibility()")
        said = browser.run("const old = byId('old-page'); return [old.textContent, old.lastChild.getAttribute('href')]")
        browser.driver.get("about:blank")
    assert said == [notice, link]


def test_an_update_asks_for_a_limit_and_a_contact(browser: Browser, bench: Bench, run: Path) -> None:
    bench.jobs.at_most = 0
    (run / "warc").mkdir()
    with served_bench(bench) as address:
        browser.driver.get(address)
        browser.until(f"document.readyState === 'complete' && {NAMES} === 'town'")
        browser.run("document.querySelector('.update').click()")
        browser.until("byId('update').open")
        assert browser.run("return byId('update-head').textContent") == "Update town"
        # The page hears of the end of a dialog a moment after it is shut. A second dialog within that moment, which no
        # hand is quick enough for, would be taken for cancelled, too.
        browser.run("byId('update').addEventListener('close', ({ target }) => { target.dataset.heard = 'yes' })")
        browser.run("document.querySelector('#update [value=\"\"]').click()")
        browser.until("byId('update').dataset.heard && !byId('update').open")
        assert bench.jobs.of("town") is None
        browser.run("document.querySelector('.update').click()")
        browser.run("document.querySelector('#update [name=agent]').value = 'Ann (mailto:a@example.org)'")
        browser.run("document.querySelector('#update .first').click()")
        browser.until("document.getElementById('at-work')")
        browser.driver.get("about:blank")
    job = bench.jobs.of("town")
    assert job is not None
    assert job.words == ("update", str(run), "--json", "--agent=Ann (mailto:a@example.org)")


def test_a_paused_update_can_be_given_up(browser: Browser, bench: Bench, run: Path) -> None:
    bench.jobs.at_most = 0
    bench.jobs.add("town", "update", ["update", str(run)])
    bench.jobs.events_of("town").write_text('{"stage": "crawl", "total": 9, "at": 3}\n')
    shown = "return ['pause', 'go-on', 'give-up'].filter((id) => !byId(id).hidden).join()"
    with served_bench(bench) as address:
        browser.driver.get(address)
        browser.until(f"document.readyState === 'complete' && {NAMES} === 'town'")
        browser.driver.get(f"{address.partition('/enter')[0]}/sites/town")
        browser.until("!byId('pause').hidden")
        assert browser.run(shown) == "pause"
        browser.run("byId('pause').click()")
        browser.until("!byId('go-on').hidden")
        assert browser.run(shown) == "go-on,give-up"
        assert "Fetch pages, not at its end" in browser.run("return byId('stages').textContent")
        browser.run("byId('give-up').click()")
        browser.until("document.getElementById('downloads')")
        browser.driver.get("about:blank")
    assert bench.jobs.of("town") is None


@pytest.mark.parametrize(("path", "place"), [("/", "said"), ("/sites/town", "problem")])
def test_a_page_that_stands_still_says_so(browser: Browser, bench: Bench, run: Path, path: str, place: str) -> None:
    bench.jobs.at_most = 0
    bench.jobs.add("town", "update", ["update", str(run)])
    with served_bench(bench) as address:
        browser.driver.get(address)
        browser.until(f"document.readyState === 'complete' && {NAMES} === 'town'")
        browser.driver.get(f"{address.partition('/enter')[0]}{path}")
        browser.until("document.readyState === 'complete'")
        assert browser.run(f"return byId('{place}').hidden")
    browser.until(f"byId('{place}').textContent.includes('stands still')")
    assert not browser.run(f"return byId('{place}').hidden")


def test_a_download_without_the_workbench_says_what_to_start(browser: Browser, bench: Bench, run: Path) -> None:
    with served_bench(bench) as address:
        browser.driver.get(address)
        browser.until(f"document.readyState === 'complete' && {NAMES} === 'town'")
        browser.driver.get(f"{address.partition('/enter')[0]}/sites/town")
        browser.until(READY)
    assert "downloads hold all" in browser.run("return byId('sampled').dataset.all")  # a person here knows no folder
    browser.run("document.querySelector('[data-kind=tmx]').click()")
    browser.until("byId('get-said').textContent === 'The workbench does not answer. Start `diglot ui` again.'")
