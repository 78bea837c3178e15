"""The process of a crawl and the program that follows it: what either says, by hand, without a crawl."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from diglot.crawl import child, crawling
from diglot.crawl.crawl_state import Pacing
from diglot.crawl.crawling import MAX_DEATHS, CrawlResult, crawl_site
from diglot.crawl.options import CrawlOptions
from diglot.errors import DiglotError, RunFolderError, SourceError, Stopped, UsageError
from diglot.progress import SHORT_REST_S, Silent

COUNTS = {"pages": 1200, "redirects": 2, "failed": 3, "refused": 4, "queued": 5000, "left": 0}
REASONS = {"failed": {"404": 2, "timeout": 1}, "refused": {"a": 5, "b": 4, "c": 3, "d": 2, "e": 1}}
END: dict[str, Any] = {"end": {"requests": 9}, "limit": "", "notices": [], "trouble": ""}


class Heard(Silent):
    """What the listener of a crawl is told."""

    def __init__(self) -> None:
        self.said: list[object] = []

    def start(self, stage: str, total: int | None, unit: str) -> None:
        self.said.append((stage, total, unit))

    def advance(self, done: int) -> None:
        self.said.append(done)

    def show_state(self, text: str, total: int | None = None, *, at_once: bool = False) -> None:
        self.said.append((text, total))

    def finish(self, text: str) -> None:
        self.said.append(text)


@pytest.fixture
def crawled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """A crawl whose processes say these events, a list a process, with these counts in the journal."""

    def run(
        *lives: Sequence[dict[str, Any]], counts: dict[str, int] = COUNTS, heard: Heard | None = None, **options: Any
    ) -> CrawlResult:
        left = list(lives)

        @contextmanager
        def process(*_: object) -> Iterator[SimpleNamespace]:
            yield SimpleNamespace(stdout=[json.dumps(event) for event in left.pop(0)], wait=lambda: 0)

        journal = SimpleNamespace(
            outcome_counts=lambda: counts,
            archives=lambda: ["crawl-00000.warc.gz"],
            reason_counts=REASONS.__getitem__,
        )
        monkeypatch.setattr(crawling, "_child", process)
        monkeypatch.setattr(crawling, "Frontier", lambda _: nullcontext(journal))
        found = crawl_site(
            CrawlOptions(starts=("https://a.example/",), **options), tmp_path / "j", tmp_path, heard or Heard()
        )
        assert left == []
        return found

    return run


def test_pages_are_counted_as_they_come_and_outcomes_at_the_end(crawled: Any, tmp_path: Path) -> None:
    heard = Heard()
    found = crawled([{"pages": 2}, {"pages": 1}, {**END, "trouble": "slow"}], heard=heard, max_pages=7)
    assert heard.said[:3] == [("crawl", 7, "pages"), 2, 1]
    assert heard.said[3] == (
        "1,200 pages, 2 redirects, 3 errors (2 x 404, 1 x timeout), "
        "4 not asked for or not kept (5 x a, 4 x b, 3 x c, 2 x d, others)"
    )
    assert found == CrawlResult([tmp_path / "crawl-00000.warc.gz"], COUNTS, [], "", "slow", {"requests": 9}, REASONS)


def test_the_total_is_never_below_what_is_done_and_pages_left_are_told(crawled: Any) -> None:
    seen: list[tuple[str, int | None]] = []

    class Seen(Heard):
        def show_state(self, text: str, total: int | None = None, *, at_once: bool = False) -> None:
            seen.append((text, total))

    queue = {"queued": 4, "failed": 1, "refused": 0}
    state = {"queue": queue, "known": 3, "url": "https://a.example/x", "rests": False}
    limited = {**END, "limit": "max-pages"}
    found = crawled([{"pages": 5}, state, limited], heard=Seen(), counts={**COUNTS, "queued": 4}, max_pages=7)
    assert seen == [("4 waiting, 1 error, 0 left out; https://a.example/x", 7)]
    assert found.notices == ["stopped at --max-pages 7, with 4 addresses waiting; give more to fetch them"]
    assert crawled([limited], counts={**COUNTS, "queued": 0}, max_pages=7).notices == []
    spent = {**END, "limit": "max-requests"}  # not at 7 pages: the requests for errors were too many
    assert crawled([spent], counts={**COUNTS, "queued": 4}, max_pages=7).notices == [
        "stopped with 4 addresses waiting: too few of the addresses asked for were pages; run the same command to go "
        "on, or leave addresses out with --exclude"
    ]


def test_a_crawl_with_its_documents_names_that_limit(crawled: Any) -> None:
    end, counts = {**END, "limit": "max-documents"}, {**COUNTS, "queued": 2}
    waiting = "with 2 addresses waiting; give more with --max-documents to fetch them"
    for options, limit in (
        ({"max_documents": 1}, "--max-documents 1"),
        ({"max_pages": 7}, "7 documents"),
        ({}, "500 documents"),
    ):
        assert crawled([end], counts=counts, **options).notices == [f"stopped at {limit}, {waiting}"]
    assert crawled([{**END, "limit": "no-documents"}], counts=counts, no_documents=True).notices == []


def test_a_crawl_of_one_page_says_where_to_look(crawled: Any) -> None:
    one = {**COUNTS, "pages": 1, "queued": 0}
    hosts = {"elsewhere": ["www.b.example", "c.example"], "end": {"start_links": 2, "start_chars": 10}}
    assert crawled([END | hosts], counts=one).notices == [
        "one page found: its links lead to www.b.example and c.example; to crawl that site, start there"
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(REASONS, "refused", {"not_included": 20, "excluded": 1})
        assert crawled([END | hosts], counts=one).notices == [
            "one page found: --include or --exclude leaves out 21 addresses that it leads to; check the patterns"
        ]
    bare = "one page found: it has no links and hardly any text; if scripts make the page, try --browser '*'"
    for links, chars, is_bare in ((0, 199, True), (0, 200, False), (1, 199, False)):
        end = {"end": {"start_links": links, "start_chars": chars}}
        assert (crawled([END | end], counts=one).notices == [bare]) is is_bare
    assert crawled([END], counts={**one, "pages": 2}).notices == []
    assert crawled([END], counts={**one, "queued": 1}).notices == []


def test_the_state_of_a_crawl_is_shown_with_the_pages_known(crawled: Any) -> None:
    queue = {"queued": 1636, "failed": 12, "refused": 3}
    event = {"queue": queue, "url": "https://a.example/x", "known": 1640, "rests": False}
    for limit, total in ((0, 500), (2000, 1640), (7, 7)):
        heard = Heard()
        crawled([event, END], heard=heard, max_pages=limit)
        assert heard.said[1] == ("1,636 waiting, 12 errors, 3 left out; https://a.example/x", total)


@pytest.mark.parametrize(
    ("limit", "options", "told"),
    [
        ("max-pages", {}, True),
        ("max-pages", {"max_pages": 7}, False),
        ("max-requests", {}, False),
        ("", {}, False),
    ],
)
def test_who_is_stopped_for_want_of_a_contact_is_told_how_to_go_on(
    limit: str, options: dict[str, Any], told: bool, crawled: Any
) -> None:
    found = crawled([{**END, "limit": limit}], **options)
    assert found.limit == limit
    assert any("whom to write to" in notice for notice in found.notices) == told
    if told:
        assert found.notices[0].startswith("stopped at 500 pages, with 5,000 addresses waiting; to fetch more")


@pytest.mark.parametrize(("queued", "told"), [(1, ["--max-pages 0: left out 1 address"]), (0, [])])
def test_an_update_without_new_pages_says_what_waits_and_no_limit(queued: int, told: list[str], crawled: Any) -> None:
    found = crawled([{**END, "limit": "max-pages"}], counts={**COUNTS, "pages": 2, "queued": queued}, only_known=True)
    assert [notice.partition(" that the run has no page of")[0] for notice in found.notices] == told


@pytest.mark.parametrize("left", [0, 1, 1234])
def test_addresses_of_abandoned_hosts_are_told_after_what_the_process_says(left: int, crawled: Any) -> None:
    found = crawled([{**END, "notices": ["a word"]}], counts={**COUNTS, "left": left})
    assert found.notices[0] == "a word"
    assert [notice.partition(";")[0] for notice in found.notices[1:]] == (
        [f"{left:,} addresses wait for abandoned hosts"] if left else []
    )


def test_a_process_that_dies_without_a_word_is_begun_again_nine_times(crawled: Any) -> None:
    heard = Heard()
    died = [[{"pages": 1}]] * (MAX_DEATHS - 1)
    assert crawled(*died, [END], heard=heard).counts == COUNTS
    assert heard.said.count(1) == MAX_DEATHS - 1 == 9
    with pytest.raises(DiglotError, match="the crawler died 10 times; the same command goes on from"):
        crawled(*died, [])


@pytest.mark.parametrize(
    ("kind", "raised"),
    [("UsageError", UsageError), ("SourceError", SourceError), ("DiglotError", DiglotError), ("NoSuch", DiglotError)],
)
def test_an_error_of_the_process_is_raised_here(kind: str, raised: type[DiglotError], crawled: Any) -> None:
    with pytest.raises(DiglotError, match="gone; try again") as told:
        crawled([{"pages": 1}, {"error": "gone; try again", "kind": kind}])
    assert type(told.value) is raised


def test_an_interrupt_ends_the_process_and_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ended: list[object] = []

    def lines() -> Iterator[str]:
        yield '{"pages": 1}'
        raise KeyboardInterrupt

    @contextmanager
    def process(*_: object) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(stdout=lines(), wait=ended.append, terminate=lambda: ended.append("end"))

    monkeypatch.setattr(crawling, "_child", process)
    with pytest.raises(Stopped, match="stopped; the same command goes on from what is in"):
        crawl_site(CrawlOptions(starts=("https://a.example/",)), tmp_path / "j", tmp_path, Silent())
    assert ended == ["end", 15.0]


def test_a_process_that_does_not_end_is_killed() -> None:
    def wait(_seconds: float) -> None:
        raise subprocess.TimeoutExpired("child", 15.0)

    killed: list[bool] = []
    process: Any = SimpleNamespace(wait=wait, terminate=lambda: None, kill=lambda: killed.append(True))
    crawling._wait_for_end(process)
    assert killed == [True]


def test_a_crawl_without_its_package_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(crawling, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install 'diglot\[crawl\]'"):
        crawl_site(CrawlOptions(starts=("https://a.example/",)), tmp_path / "j", tmp_path, Silent())


# -- the process ---------------------------------------------------------------------------------


def test_stored_pages_are_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[dict[str, Any]] = []
    monkeypatch.setattr(child, "report", lambda **event: said.append(event))
    monkeypatch.setattr(child, "STATE_EVERY_S", 1e9)
    queue = SimpleNamespace(queue_counts=lambda: {"queued": 5})
    state = SimpleNamespace(counts={"stored": 0}, frontier=queue, troubled=("", 0), left={}, pacing=Pacing(0.0, float))
    scheduler: Any = SimpleNamespace(state=state, stored_pages=40)
    tell = child._PageReporter(scheduler)
    tell._counted_at = -1e9  # the machine may have started just now
    for stored in (0, 2, 2, 3):
        state.counts["stored"] = stored
        tell("a")
    assert said == [{"queue": {"queued": 5}, "url": "a", "known": 45, "rests": False}, {"pages": 2}, {"pages": 1}]


def test_a_long_rest_after_an_error_is_told() -> None:
    state: Any = SimpleNamespace(
        troubled=("https://a.example/robots.txt", 503), left={}, pacing=Pacing(1.0, lambda: 100.0)
    )
    assert child._with_rest(state, "https://a.example/robots.txt") == "https://a.example/robots.txt"
    state.pacing.rest("a.example", SHORT_REST_S)
    said = "status 503, next request in 5 s: https://a.example/robots.txt"
    assert child._with_rest(state, "https://a.example/robots.txt") == said
    assert child._with_rest(state, "https://a.example/") == "https://a.example/"
    state.left["a.example"] = "answered 3 requests for its robots.txt with 503"
    assert child._with_rest(state, "https://a.example/robots.txt") == "https://a.example/robots.txt"


def test_a_long_rest_is_told_at_once(monkeypatch: pytest.MonkeyPatch, crawled: Any) -> None:
    told: list[dict[str, Any]] = []
    monkeypatch.setattr(child, "report", lambda **event: told.append(event))
    queue = SimpleNamespace(queue_counts=lambda: {"queued": 1, "failed": 0, "refused": 0})
    pacing = Pacing(0.0, lambda: 100.0)
    state = SimpleNamespace(counts={"stored": 0}, frontier=queue, troubled=("", 0), left={}, pacing=pacing)
    scheduler: Any = SimpleNamespace(state=state, stored_pages=0)
    tell = child._PageReporter(scheduler)
    tell("https://a.example/robots.txt")
    state.troubled = "https://a.example/", 503
    pacing.rest("a.example", 30)
    tell("https://a.example/")  # within STATE_EVERY_S of the last count
    assert [event["rests"] for event in told] == [False, True]
    shown: list[tuple[str, bool]] = []

    class Shown(Heard):
        def show_state(self, text: str, total: int | None = None, *, at_once: bool = False) -> None:
            shown.append((text, at_once))

    crawled([*told, END], heard=Shown())
    assert [at_once for _, at_once in shown] == [False, True]
    assert shown[1][0].endswith("status 503, next request in 30 s: https://a.example/")


def test_only_events_stand_on_standard_output() -> None:
    """Whatever else writes there, such as a library in C, is moved to standard error."""
    code = (
        "import os; from diglot.crawl.child import _reserve_stdout, report; _reserve_stdout(); "
        "report(pages=3); os.write(1, b'noise')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ))
    assert (done.stdout, done.stderr) == ('{"pages": 3}\n', "noise")


def test_one_crawl_at_a_time_writes_an_archive(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(child, "LOCK_WAIT_S", 0.0)
    folder = tmp_path / "warc"
    refused = pytest.raises(RunFolderError, match="another crawl is at work here")
    with child._lock_archive(folder), refused, child._lock_archive(folder):
        raise AssertionError("two crawls write one archive")
    with child._lock_archive(folder):
        assert (folder / ".lock").exists()
