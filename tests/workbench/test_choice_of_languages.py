"""Languages of a new site are chosen by ticks for pairs; of many languages, by ticks for languages first."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from diglot.workbench.bench import Bench
from diglot.workbench.planning import _languages
from report.chromium import Browser
from sentences import SENTENCES
from workbench.made_bench import served_bench

BOXES = "return document.querySelectorAll('#matrix input').length"


@pytest.fixture
def page(browser: Browser, bench: Bench) -> Iterator[Browser]:
    """The page of a new site, which waits for a plan."""
    with served_bench(bench) as address:
        browser.driver.get(address)
        browser.driver.get(f"{address.partition('/enter')[0]}/new?files=none")
        browser.until("byId('failed').checkVisibility()")
        yield browser
        browser.driver.get("about:blank")


def show(page: Browser, *pages: int) -> None:
    """Show the plan of a site with so many pages in each language."""
    counts = dict(zip(SENTENCES, pages, strict=False))
    plan = {"sources": ["a"], "is_site": False, "languages": _languages(counts), "size": "", "time": "", "robots": ""}
    plan |= {"notes": [], "scripts": False, "can_render": False, "looked_at": sum(pages)}
    page.run("showPlan(arguments[0], {})", plan)


def test_few_languages_have_a_tick_for_each_pair(page: Browser) -> None:
    show(page, 9, 8, 7)
    assert page.run("return byId('langs').hidden")
    assert page.run("return ticked()") == [["en", "de"], ["en", "fr"]]
    assert page.run(BOXES) == 3


def test_of_many_languages_two_are_chosen(page: Browser) -> None:
    show(page, *[10] * 30)
    assert page.run(BOXES) == 0
    assert page.run("return byId('pairs-note').textContent") == "Tick two languages or more."
    assert page.run("return byId('begin').disabled && document.activeElement.value") == "ar"
    for tag in ("sv", "ja"):
        page.run("document.querySelector(`#langs [value=${arguments[0]}]`).click()", tag)
    assert page.run(BOXES) == 1
    assert page.run("return ticked()") == [["ja", "sv"]]
    assert not page.run("return byId('begin').disabled")


def test_of_many_languages_the_common_ones_are_chosen_already(page: Browser) -> None:
    show(page, 100, 90, 80, *[1] * 10)
    assert page.run("return ticked()") == [["en", "de"], ["en", "fr"]]
    assert page.run(BOXES) == 3


def test_headings_of_a_wide_table_stay_in_sight(page: Browser) -> None:
    show(page, *[10] * 30)
    page.run(
        "document.querySelectorAll('#langs input').forEach(each => { each.checked = true }); byId('langs').onchange()"
    )
    page.run("byId('matrix').parentElement.scrollTo(400, 300)")
    left, top = page.run(
        "const box = byId('matrix').parentElement.getBoundingClientRect();"
        "const [row, head] = ['tbody tr:nth-child(12) th', 'thead th:nth-child(12)'].map(each =>"
        " document.querySelector(`#matrix ${each}`).getBoundingClientRect());"
        "return [row.left - box.left, head.top - box.top]"
    )
    assert abs(left) < 2
    assert abs(top) < 2


def test_a_source_language_can_be_chosen(page: Browser) -> None:
    choose = "byId('source-lang').value = arguments[0]; byId('source-lang').dispatchEvent(new Event('change'))"
    show(page, 9, 8, 7)
    page.run("document.querySelector('#matrix [data-tgt=fr]').click()")
    assert page.run("return ticked()") == [["en", "de"]]
    page.run(choose, "de")
    assert page.run("return ticked()") == [["de", "en"]]
    assert page.run("return languages.map(({ tag }) => tag)") == ["de", "en", "fr"]
    show(page, 100, 90, 80, *[1] * 10)
    page.run("document.querySelector('#langs [value=fr]').click()")
    rare = page.run("return languages.at(-1).tag")
    page.run(choose, rare)
    assert page.run("return ticked()") == [[rare, "en"], [rare, "de"]]
