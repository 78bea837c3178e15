"""Two dropped documents are aligned, and their memory is downloaded."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from diglot.workbench.bench import Bench
from diglot.workbench.shelf import DROPPED
from made_sites import SENTENCES
from report.chromium import Browser, saved_file
from test_document_pair import write
from workbench.made_bench import served_bench
from workbench.test_dropping import drop


def test_two_dropped_documents_become_a_memory(browser: Browser, bench: Bench, tmp_path: Path) -> None:
    paths = write(tmp_path / "report.docx", "en"), write(tmp_path / "rapport.odt", "fr")
    browser.save_to(tmp_path)
    with served_bench(bench) as address:
        browser.driver.get(address)
        drop(browser, *paths)
        browser.until("byId('choice')?.checkVisibility()")
        assert browser.run("return menus.map(({ value }) => value)") == ["fr", "en"]  # files by name
        browser.run("byId('align').click()")
        browser.until("byId('results').checkVisibility()")
        assert browser.run("return byId('counts').textContent").startswith("10 of 10 segments are in the memory.")
        browser.run("byId('get-tmx').click()")
        memory = saved_file(tmp_path / "rapport report.fr-en.tmx").read_text(encoding="utf-8")
        browser.run("document.querySelector('a[href=\"/\"]').click()")
        browser.until("byId('drop')")
        assert browser.complaints() == []
        browser.driver.get("about:blank")
    assert re.findall("<seg>(.*?)</seg>", memory)[::2] == list(SENTENCES["fr"])
    assert not any(bench.shelf.own(DROPPED).iterdir())


CHOOSE = """
const chosen = new DataTransfer();
for (const text of arguments[0]) chosen.items.add(new File([text], "guide.html"));
byId("files").files = chosen.files;
byId("files").dispatchEvent(new Event("change"));
"""


@pytest.mark.slow
def test_two_documents_of_the_same_name_are_both_kept(browser: Browser, bench: Bench, tmp_path: Path) -> None:
    # Chromium gives files of a simulated drop names of their own.
    texts = [write(tmp_path / "guide.html", lang).read_text(encoding="utf-8") for lang in ("en", "fr")]
    with served_bench(bench) as address:
        browser.driver.get(address)
        browser.until("typeof Dropping !== 'undefined' && document.readyState === 'complete'")
        browser.run(CHOOSE, texts)
        browser.until("byId('choice')?.checkVisibility()")
        shown = browser.run("return menus.map((menu) => [menu.labels[0].firstChild.textContent.trim(), menu.value])")
        browser.driver.get("about:blank")
    assert shown == [["guide-2.html", "fr"], ["guide.html", "en"]]


PAIR = "Drop two documents that translate each other, or all documents of a collection, at once."
BESIDE_ARCHIVE = "Drop archives by themselves, or with a zip file of the pages and documents."


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["a.docx"], PAIR),
        (["a.docx", "b.docx", "b.warc"], BESIDE_ARCHIVE),
        (["a.html", "b.warc"], BESIDE_ARCHIVE),
        (["a.tmx", "b.warc"], "Drop a TMX memory alone: it is only shown."),
    ],
)
def test_files_that_do_not_go_together_are_refused(
    browser: Browser, bench: Bench, tmp_path: Path, names: list[str], says: str
) -> None:
    for name in names:
        (tmp_path / name).write_bytes(b"x")
    with served_bench(bench) as address:
        browser.driver.get(address)
        drop(browser, *(tmp_path / name for name in names))
        browser.until("byId('said').checkVisibility()")
        said = browser.run("return byId('said').textContent")
        browser.driver.get("about:blank")
    assert said == says


def test_an_empty_document_is_told_at_once(client: TestClient) -> None:
    client.post("/drop", params={"file": "a.txt"}, content=b"x")
    client.post("/drop", params={"file": "b.docx", "name": "a"}, content=b"")
    answer = client.post("/documents/look", json={"files": "a"})
    assert (answer.status_code, answer.json()) == (400, {"error": "b.docx: holds no text."})


def test_what_is_asked_about_documents(client: TestClient, bench: Bench) -> None:
    for file in ("a.txt", "b.txt"):
        client.post("/drop", params={"file": file, **({"name": "a"} if file != "a.txt" else {})}, content=b"x")
    assert client.post("/documents/look", json={"files": "a"}).json()["found"] == ["", ""]  # plain texts
    for langs in (["en"], ["en", "en"], ["en", "--x"], None):
        assert client.post("/documents/align", json={"files": "a", "langs": langs}).status_code == 400
    for path in ("/documents?files=..", "/documents/a/tmx", "/documents/a/..", "/documents/none/tmx"):
        assert client.get(path).status_code in (400, 404)
