"""What becomes of a page that a browser showed: archived beside its answer, read in its place, followed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from journal_rows import journal_rows
from made_crawls import TEXT, MadeCrawl, MadeSite, made_page
from warcio.archiveiterator import ArchiveIterator

from diglot.crawl.page_reading import ReadPage, Rendering, read_answer, read_rendered
from diglot.crawl.queue.frontier import PAGE
from diglot.pages import open_sources, read
from diglot.reasons import Reason
from diglot.records import Drop, Page

START = "https://docs.example.org/"
SHELL = b'<html lang="en"><head></head><body><div id="app"></div><script src="/app.js"></script></body></html>'
SHOWN = f'<html lang="en"><body><p>{TEXT["en"]}</p><a href="/fr">Français</a></body></html>'.encode()
RENDERED = Rendering(SHOWN, made="2026-01-01T00:00:09Z", by="Chromium/1")


def crawled(
    folder: Path, rendering: Rendering, *, body: bytes = SHELL, fields: dict[str, str] | None = None, globs: str = "*"
) -> tuple[MadeCrawl, list[str]]:
    """A crawl whose pages are all rendered so; what was shown to the browser."""
    site = MadeSite({START: body, f"{START}fr": made_page("fr", 1), f"{START}en2": made_page("en", 2)})
    crawl = MadeCrawl(site, folder, START)
    object.__setattr__(crawl.scheduler.options, "browser", (globs,))
    shown = []
    while job := crawl.scheduler.next_job():
        answer = site.answer(job.url)
        named = [(name.encode(), value.encode()) for name, value in (fields or {}).items() if job.kind == PAGE]
        answer = replace(answer, fields=[*answer.fields, *named])
        sent = read_answer(job, answer, max_bytes=1 << 20)
        if isinstance(sent, ReadPage) and crawl.scheduler.wants_rendered(job, answer, sent):
            shown.append(job.url)
            answer = replace(answer, rendering=rendering)
            sent = read_rendered(job, answer, sent)
        crawl.scheduler.handle_response(job, answer, sent)
    return crawl, shown


def archived(folder: Path) -> list[Page]:
    """The pages in the archive as they are read, the later record of an address last."""
    sources = open_sources([str(path) for path in sorted((folder / "warc").glob("*.gz"))])
    return [record for source in sources for record in read(source) if isinstance(record, Page)]


def test_a_rendering_stands_beside_its_answer_and_is_the_later_page(tmp_path: Path) -> None:
    crawl, _ = crawled(tmp_path, RENDERED, globs="/")
    sent, shown = (page for page in archived(tmp_path) if page.url == START)
    assert (sent.body, shown.body) == (SHELL, SHOWN)
    assert shown.fetched == RENDERED.made > sent.fetched
    assert crawl.states()[f"{START}fr"] == ("done", "")
    (path,) = (tmp_path / "warc").glob("*.gz")
    with path.open("rb") as file:
        records = [(record.rec_type, record.rec_headers, record.digest_checker) for record in
                   ArchiveIterator(file, check_digests="raise")]  # fmt: skip
    kinds = [kind for kind, *_ in records]
    assert kinds[:4] == ["warcinfo", "response", "request", "conversion"]
    answer, conversion = records[1][1], records[3][1]
    assert conversion["WARC-Refers-To"] == answer["WARC-Record-ID"]
    assert conversion["Diglot-Rendered-By"] == "Chromium/1"
    assert conversion["Content-Type"] == "text/html; charset=utf-8"


def test_only_pages_of_the_pattern_are_shown(tmp_path: Path) -> None:
    assert crawled(tmp_path, RENDERED, globs="/f*")[1] == []
    (tmp_path / "all").mkdir()
    assert crawled(tmp_path / "all", RENDERED)[1] == [START, f"{START}fr"]


def test_a_page_that_could_not_be_shown_stands_as_it_was_sent(tmp_path: Path) -> None:
    crawl, _ = crawled(tmp_path, Rendering(problem="its scripts do not end"), body=made_page("en", 1))
    assert [page.url for page in archived(tmp_path)] == [START]
    assert journal_rows(crawl.frontier, "state, reason, detail", "url=?", (START,)) == [
        ("done", "not_rendered", "its scripts do not end")
    ]
    assert crawl.scheduler.state.counts["not_rendered"] == 1


@pytest.mark.parametrize(
    ("fields", "head"),
    [({"tdm-reservation": "1"}, ""), ({}, '<meta name="tdm-reservation" content="1">')],
)
def test_a_page_that_is_reserved_is_not_shown(tmp_path: Path, fields: dict[str, str], head: str) -> None:
    crawl, shown = crawled(tmp_path, RENDERED, body=made_page("en", 1, head=head), fields=fields)
    assert shown == []
    assert crawl.states()[START] == ("refused", "tdm_reserved")


def test_scripts_do_not_take_back_what_the_page_asks_of_robots(tmp_path: Path) -> None:
    body = made_page("en", 1, head='<meta name="robots" content="noindex">')
    crawl, shown = crawled(tmp_path, RENDERED, body=body)
    assert shown[0] == START
    assert crawl.states()[START] == ("refused", "noindex")


def test_where_a_script_goes_is_followed_though_the_page_has_no_text(tmp_path: Path) -> None:
    crawl, _ = crawled(tmp_path, replace(RENDERED, html=SHELL, moved_to=f"{START}en2"), globs="/")
    assert crawl.states()[f"{START}en2"] == ("done", "")


@pytest.mark.parametrize(
    "body",
    [
        b'<html><head><meta http-equiv="refresh" content="0; url=/fr"></head><body></body></html>',
        b'<html><body><a href="/fr"><img src="fr.png"></a><map><area href=/en2></map></body></html>',
    ],
    ids=["refresh", "flags"],
)
def test_a_start_without_text_is_left_by_its_links(tmp_path: Path, body: bytes) -> None:
    crawl, shown = crawled(tmp_path, RENDERED, body=body, globs="/none")
    assert shown == []
    assert crawl.states()[f"{START}fr"] == ("done", "")
    assert crawl.states()[START] == ("done", "no_text")


def test_a_page_that_scripts_fill_is_asked_for_whole_each_time(tmp_path: Path) -> None:
    crawl, _ = crawled(tmp_path, RENDERED, fields={"ETag": '"1"'})
    crawl.frontier.ask_again()
    scheduler = MadeCrawl(crawl.site, tmp_path, START).scheduler
    object.__setattr__(scheduler.options, "browser", ("/",))
    asked = {}
    while job := scheduler.next_job():
        if job.kind == PAGE:
            asked[job.url] = job.conditions
        scheduler.handle_response(job, crawl.site.answer(job.url), Drop(job.url, Reason.NOT_HTML, ""))
    assert asked[START] == ()
    assert asked[f"{START}fr"] == (("If-None-Match", '"1"'),)
