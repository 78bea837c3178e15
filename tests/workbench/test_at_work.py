"""The page of a job at work: what it says to a screen reader, and where the keyboard is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from diglot.workbench.jobs import Jobs
from diglot.workbench.shelf import Shelf
from report.chromium import Browser
from workbench.made_bench import made_bench, served_bench

OBSERVE = """
window.said = [];
const says = document.getElementById("says");
new MutationObserver(() => { window.said.push(says.textContent) }).observe(says, {childList: true});
"""


@pytest.fixture
def address(with_indexes: None, tmp_path: Path) -> Iterator[str]:
    """The first address of a workbench with a run that waits."""
    bench = made_bench(tmp_path / "home", jobs=Jobs(Shelf(tmp_path / "home"), at_most=0))
    bench.jobs.add("waits", "harvest", ["recipes"], "https://waits.example/")
    with served_bench(bench) as address:
        yield address


def test_the_focus_goes_from_a_button_to_the_one_in_its_place(browser: Browser, address: str) -> None:
    browser.driver.get(address)
    browser.until("document.getElementById('address')")
    browser.driver.get(address.partition("/enter")[0] + "/sites/waits")
    browser.until("document.getElementById('says')?.textContent")
    browser.run(OBSERVE)
    for button, next_one in (("pause", "go-on"), ("go-on", "pause")):
        browser.until(f"!document.getElementById('{button}').hidden")
        browser.run(f"const button = document.getElementById('{button}'); button.focus(); button.click()")
        browser.until(f"document.activeElement.id === '{next_one}'")
    browser.until("window.said.length > 1")
    said = browser.run("return window.said")
    assert all(one != other for one, other in pairwise(said))
    browser.driver.get("about:blank")
