"""What axe-core finds in the pages of the workbench: nothing. The test needs its file, as that of the report does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from diglot.workbench.jobs import Jobs
from diglot.workbench.shelf import Shelf
from report.chromium import Browser
from report.test_accessible import AXE, findings
from workbench.made_bench import made_bench, put_run, served_bench

PAGES = (
    *("/", "/new?address=", "/sites/waits", "/search?q=harbour", "/sites/none", "/sites/town"),
    *(f"/sites/town#{section}" for section in ("pairs", "terms", "threshold", "funnel")),
)


@pytest.fixture
def address(with_indexes: None, base: Path, tmp_path: Path) -> Iterator[str]:
    """The first address of a workbench in this process, with a finished run and one that waits."""
    put_run(base, tmp_path / "home", "town")
    bench = made_bench(tmp_path / "home", jobs=Jobs(Shelf(tmp_path / "home"), at_most=0))
    bench.jobs.add("waits", "harvest", ["recipes"], "https://waits.example/")
    with served_bench(bench) as address:
        yield address


@pytest.mark.skipif(not AXE.is_file(), reason=f"NOT CHECKED FOR ACCESSIBILITY: no axe-core at {AXE}; run `make axe`")
def test_axe_finds_nothing(browser: Browser, address: str) -> None:
    browser.driver.get(address)
    browser.until("document.getElementById('address')")
    found = {}
    for scheme in ("light", "dark"):
        feature = {"name": "prefers-color-scheme", "value": scheme}
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        for size in ((390, 800), (1280, 900)):
            browser.driver.set_window_size(*size)
            for page in PAGES:
                browser.driver.get(address.partition("/enter")[0] + page)
                browser.until("document.readyState === 'complete'")
                browser.run("document.getElementById('pick')?.click()")
                browser.run("document.querySelectorAll('details').forEach(each => { each.open = true })")
                browser.run(AXE.read_text(encoding="utf-8"))
                found[scheme, size, page] = findings(browser)
    assert {place: each for place, each in found.items() if each} == {}
    browser.driver.get("about:blank")
