"""Documents in a crawl: fetched after the pages at hand, counted apart, and not fetched where they are too long."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from handed_pages import SITE
from made_crawls import MadeCrawl, MadeSite, made_page

sys.path.insert(0, str(Path(__file__).parents[1] / "documents"))

from made_office import made_docx

from diglot.crawl.crawling import CrawlResult
from diglot.crawl.options import CrawlOptions
from diglot.crawl.page_reading import ReadPage, read_page
from diglot.crawl.wire.download import Request, _announced_bytes, _limit_bytes
from diglot.disk.folder import RunFolder
from diglot.pages import open_source, read
from diglot.pages.media import MAX_DOCUMENT_BYTES
from diglot.progress import Silent
from diglot.reasons import Reason
from diglot.records import Drop, Page
from diglot.run import crawl as run_crawl

START = f"{SITE}/"
DOCX = made_docx([("h1", "The statute"), ("p", "Every member of the society has one vote in the meeting.")], "en")
TYPE = {"Content-Type": "application/vnd.openxmlformats-officedocument.wordprocessingml.document"}
FILES = ["a.docx", "b.docx", "c.DOCX"]


def site(pages: int = 4) -> MadeSite:
    """Pages that link documents before they link each other."""
    links = "".join(f'<a href="/{name}">x</a>' for name in [*FILES, *(f"{n}.html" for n in range(pages))])
    html = {f"{SITE}/{n}.html": made_page("en", n, links) for n in range(pages)}
    return MadeSite({START: made_page("en", 99, links), **html, **{f"{SITE}/{f}": (200, TYPE, DOCX) for f in FILES}})


def asked(crawl: MadeCrawl) -> list[str]:
    return [url.removeprefix(f"{SITE}/") for url in crawl.run()]


def test_documents_come_after_the_pages_and_into_the_archive(tmp_path: Path) -> None:
    crawl = MadeCrawl(site(), tmp_path, START)
    assert asked(crawl) == ["", "0.html", "1.html", "2.html", "3.html", *FILES]
    assert (crawl.frontier.count_stored_pages(), crawl.frontier.count_stored_documents()) == (5, 3)
    archives = sorted((tmp_path / "warc").glob("*.warc.gz"))
    found = [page for path in archives for page in read(open_source(str(path))) if isinstance(page, Page)]
    assert [page.body for page in found if page.url.lower().endswith(".docx")] == [DOCX] * 3


@pytest.mark.parametrize(
    ("options", "pages", "documents", "limit"),
    [
        ({"no_documents": True}, 5, 0, ""),
        ({"max_documents": 1}, 5, 1, "max-documents"),
        ({"max_documents": 2}, 5, 2, "max-documents"),
        ({"max_documents": 3}, 5, 3, ""),
        ({"max_pages": 2, "max_documents": 1}, 2, 1, "max-pages"),
        ({"max_pages": 5, "max_documents": 2}, 5, 2, "max-documents"),
        ({"max_pages": 2}, 2, 2, "max-pages"),
        ({"max_pages": 2, "max_documents": 9}, 2, 3, "max-pages"),
    ],
)
def test_documents_are_counted_apart(
    tmp_path: Path, options: dict[str, int], pages: int, documents: int, limit: str
) -> None:
    crawl = MadeCrawl(site(), tmp_path, START, **options)
    found = asked(crawl)
    assert len(found) == pages + documents
    assert sum(name in FILES for name in found) == documents
    assert crawl.frontier.count_documents() == 3
    assert crawl.scheduler.limit == limit


@pytest.mark.parametrize(("max_pages", "limit"), [(0, "no-documents"), (5, "no-documents"), (4, "max-pages")])
def test_documents_that_wait_from_before_are_no_work_of_a_crawl_without_documents(
    tmp_path: Path, max_pages: int, limit: str
) -> None:
    first = MadeCrawl(site(), tmp_path, START)
    first.run(5)  # robots.txt, reservations, the sitemap, the start and a page
    assert (first.frontier.count_queued(), first.frontier.count_queued_documents()) == (6, 3)
    first.frontier.close()
    second = MadeCrawl(site(), tmp_path, START, no_documents=True, max_pages=max_pages)
    assert not any(name in FILES for name in asked(second))
    assert second.frontier.count_queued_documents() == 3
    assert second.scheduler.limit == limit


def test_documents_of_an_earlier_process_count(tmp_path: Path) -> None:
    first = MadeCrawl(site(), tmp_path, START, max_documents=2)
    first.run()
    first.frontier.close()
    second = MadeCrawl(site(), tmp_path, START, max_documents=2)
    assert second.run() == []


@pytest.mark.parametrize(
    ("limit", "times"), [("max-documents", 1), ("no-documents", 1), ("max-pages", 1), ("max-time", 2), ("", 2)]
)
def test_a_crawl_with_all_documents_that_it_may_have_is_not_repeated(
    limit: str, times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawls = []

    def crawl_site(options: CrawlOptions, *_: object, **__: object) -> CrawlResult:
        crawls.append(options)
        return CrawlResult([], {"pages": 5, "queued": 2}, ["a notice"], limit)

    monkeypatch.setattr(run_crawl, "crawl_site", crawl_site)
    options = CrawlOptions(starts=(START,), max_documents=1)
    (tmp_path / "run").mkdir()
    for _ in range(2):
        with RunFolder(tmp_path / "run") as folder, folder.lock():
            found = run_crawl.crawl_stage(folder, options, Silent(), needs_pages=False)
            assert found.notices == ["a notice"]
    assert len(crawls) == times


def test_a_long_document_is_named_and_not_kept() -> None:
    answer = replace(site().answer(f"{SITE}/a.docx"), truncated="length")
    found = read_page(f"{SITE}/a.docx", answer, max_bytes=1_000, documents=True)
    assert isinstance(found, Drop)
    assert found.reason is Reason.TOO_LARGE
    whole = read_page(f"{SITE}/a.docx", replace(answer, truncated=""), max_bytes=1_000, documents=True)
    assert isinstance(whole, ReadPage)
    assert whole.contents is not None
    assert whole.contents.lang == "en"
    dropped = read_page(f"{SITE}/a.docx", answer, max_bytes=1_000)
    assert isinstance(dropped, Drop)
    assert dropped.reason is Reason.NOT_HTML


def test_only_documents_may_be_longer_than_pages() -> None:
    request = Request(START, [], max_bytes=1_000, pages_only=True, documents=True)
    assert _limit_bytes(request, "application/pdf; x=y") == MAX_DOCUMENT_BYTES
    assert _limit_bytes(request, "text/html") == 1_000
    assert _limit_bytes(replace(request, documents=False), "application/pdf") == 1_000
    assert _announced_bytes([(b"Content-Length", b"123")]) == 123
    assert _announced_bytes([(b"content-length", b"-1"), (b"x", b"y")]) == 0
