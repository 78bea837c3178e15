"""What the page says of what is dropped on it, in Chromium."""

from __future__ import annotations

from pathlib import Path

import pytest

from diglot.workbench.bench import Bench
from diglot.workbench.shelf import DROPPED
from report.chromium import Browser
from workbench.made_bench import served_bench


@pytest.mark.slow
def test_files_before_one_that_is_refused_are_put_back(browser: Browser, bench: Bench, tmp_path: Path) -> None:
    for name in ("a.warc", "b.exe"):
        (tmp_path / name).write_bytes(b"x")
    with served_bench(bench) as address:
        browser.driver.get(address)
        drop(browser, tmp_path / "a.warc", tmp_path / "b.exe")
        browser.until("byId('said').checkVisibility()")
        assert browser.run("return byId('said').textContent").startswith("b.exe is of another kind.")
        browser.driver.get("about:blank")
    assert not any(bench.shelf.own(DROPPED).iterdir())


def drop(browser: Browser, *paths: Path) -> None:
    """Drag files from the desktop onto the page, and let go."""
    browser.until("typeof Dropping !== 'undefined' && document.readyState === 'complete'")
    data = {"items": [], "files": list(map(str, paths)), "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        event = {"type": kind, "x": 200, "y": 200, "data": data}
        browser.driver.execute_cdp_cmd("Input.dispatchDragEvent", event)


@pytest.mark.parametrize("name", ["mirror", "empty"])
def test_a_folder_is_to_be_zipped(browser: Browser, bench: Bench, tmp_path: Path, name: str) -> None:
    for path in ("mirror/en", "empty"):
        (tmp_path / path).mkdir(parents=True)
    (tmp_path / "mirror" / "index.html").write_text("<p>")
    with served_bench(bench) as address:
        browser.driver.get(address)
        drop(browser, tmp_path / name)
        browser.until("byId('said').checkVisibility()")
        said = browser.run("return byId('said').textContent")
        browser.driver.get("about:blank")
    assert said == f"{name} cannot be read. If it is a folder, make a zip file of it and drop that."


@pytest.mark.slow
def test_a_sheet_is_taken_back_on_the_page_of_its_site(
    browser: Browser, bench: Bench, run: Path, tmp_path: Path
) -> None:
    head, row = (run / "out" / "segments.en-fr.tsv").read_text(encoding="utf-8").split("\n")[:2]
    (tmp_path / "judged.tsv").write_text(f"{head}\tverdict\n{row}\twrong\n", encoding="utf-8")
    with served_bench(bench) as address:
        browser.driver.get(address)
        drop(browser, tmp_path / "judged.tsv")
        browser.until("byId('said').checkVisibility()")
        assert browser.run("return byId('said').textContent").startswith("judged.tsv is a sheet. Open its site:")
        browser.driver.get(f"{address.partition('/enter')[0]}/sites/town")
        browser.until("document.documentElement.dataset.ready")
        browser.driver.find_element("id", "sheet").send_keys(str(tmp_path / "judged.tsv"))
        browser.until("byId('get-said').textContent.includes('taken')")
        said = browser.run("return byId('get-said').textContent")
        browser.driver.get("about:blank")
    assert said == "1 verdict taken."
