"""What the page says of what is dropped on it, in Chromium."""

from __future__ import annotations

from pathlib import Path
from time import monotonic, sleep

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


LEFT_OUT = "slides.pptx is left out: it is a PowerPoint file, which Diglot does not read; save it as DOCX"


@pytest.mark.parametrize(
    ("names", "place", "lines"),
    [
        (["a.docx", "b.docx", "slides.pptx"], "/documents", 1),
        (["a.docx", "b.docx", "c.odt", "slides.pptx"], "/new", 1),
        (["a.docx", "b.docx", "c.zip", "slides.pptx"], "/new", 1),
        (["a.docx", "b.docx", *(f"{n:02}.exe" for n in range(9)), "slides.pptx"], "/documents", 10),
        (["a.docx", "b.docx", *(f"{n:02}.exe" for n in range(11)), "slides.pptx"], "/documents", 11),
    ],
)
def test_documents_are_taken_without_a_file_that_cannot_be_read(
    browser: Browser, bench: Bench, tmp_path: Path, names: list[str], place: str, lines: int
) -> None:
    for name in names:
        (tmp_path / name).write_bytes(b"x")
    with served_bench(bench) as address:
        browser.driver.get(address)
        drop(browser, *(tmp_path / name for name in reversed(names)))
        # The page looks at the files by a program of its own, which would outlive the workbench of this test.
        browser.until(f"location.pathname === '{place}' && byId('looking')?.hidden")
        said = browser.run("return [...document.querySelectorAll('ul:not([id]) > li')].map((line) => line.textContent)")
        browser.driver.get("about:blank")
        waited = monotonic() + 30
        while not bench.left and monotonic() < waited:
            sleep(0.05)
        assert bench.left == {path.name for path in bench.shelf.own(DROPPED).iterdir()}
    assert len(said) == lines
    assert said[0].startswith(LEFT_OUT)
    assert (said[-1] == "2 more files are left out.") == (len(names) == 14)


def test_beside_a_single_document_the_file_that_cannot_be_read_is_named(
    browser: Browser, bench: Bench, tmp_path: Path
) -> None:
    for name in ("a.docx", "slides.pptx"):
        (tmp_path / name).write_bytes(b"x")
    with served_bench(bench) as address:
        browser.driver.get(address)
        drop(browser, tmp_path / "a.docx", tmp_path / "slides.pptx")
        browser.until("byId('said').checkVisibility()")
        said = browser.run("return byId('said').textContent")
        browser.driver.get("about:blank")
    assert said.startswith("slides.pptx is a PowerPoint file, which Diglot does not read; save it as DOCX")
    assert not any(bench.shelf.own(DROPPED).glob("*"))


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
