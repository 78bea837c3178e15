"""Where a crawl ends, what it tries again and what it gives up, and what it says of that."""

from __future__ import annotations

from pathlib import Path

import pytest
from handed_pages import HOST, SITE, found_at, made_answer
from journal_rows import journal_rows
from made_crawls import MadeCrawl, MadeSite, made_page

from diglot.crawl.page_reading import Job, ReadPage
from diglot.crawl.queue.frontier import FAILED, NewAddress
from diglot.crawl.queue.traps import TrapStop
from frozen_records import records_that_may_change

START = f"{SITE}/"
AGENT = "me/1.0 (+https://me.example/)"


def _site(links: int, pages: int = 0) -> MadeSite:
    """A start page that leads to pages of which only the first few are there."""
    anchors = "".join(f'<a href="/{n}.html">{n}</a>' for n in range(links))
    there = {f"{SITE}/{n}.html": made_page("en", n) for n in range(pages)}
    return MadeSite({START: made_page("en", 400, anchors), **there})


def _job(crawl: MadeCrawl, url: str) -> Job:
    """The first request for a page, those before it answered."""
    while (job := crawl.scheduler.next_job()) is not None and job.url != url:
        crawl.scheduler.handle_response(job, crawl.site.answer(job.url), None)
    assert job is not None
    return job


@pytest.mark.parametrize(("limits", "requests"), [({"max_pages": 2}, 210), ({"max_requests": 7}, 7), ({}, 304)])
def test_a_crawl_of_n_pages_makes_at_most_5_n_and_200_requests_or_as_many_as_are_allowed(
    tmp_path: Path, limits: dict[str, int], requests: int
) -> None:
    crawl = MadeCrawl(_site(300), tmp_path, START, agent=AGENT, **limits)
    crawl.run()
    assert len(crawl.site.asked) == requests
    assert crawl.scheduler.limit == ("max-requests" if limits else "")
    assert crawl.scheduler.next_job() is None


def test_pages_of_earlier_processes_count_towards_the_limit(tmp_path: Path) -> None:
    site = _site(9, pages=9)
    first = MadeCrawl(site, tmp_path, START, max_pages=5)
    first.run(5)
    first.frontier.close()
    second = MadeCrawl(site, tmp_path, START, max_pages=5)
    assert len(second.run()) == 5
    assert second.scheduler.limit == "max-pages"


def test_an_update_with_0_further_pages_asks_for_the_known_ones_alone(tmp_path: Path) -> None:
    site = _site(20, pages=20)
    site.answers[START] += b'<a href="/1.pdf">1</a>'  # type: ignore[operator]
    crawl = MadeCrawl(site, tmp_path, START, max_pages=5)
    known = {*crawl.run()}
    assert len(known) == 5 + 1  # and one try of the document, which is not there
    crawl.frontier.ask_again()
    crawl.frontier.close()
    site.asked.clear()
    crawl = MadeCrawl(site, tmp_path, START, max_pages=5, only_known=True)
    assert {*crawl.run()} == known - {f"{SITE}/1.pdf"}
    assert crawl.scheduler.limit == "max-pages"


@pytest.mark.parametrize("is_changed", [False, True])
def test_an_update_fetches_as_many_further_pages_whether_the_known_ones_have_changed_or_not(
    tmp_path: Path, is_changed: bool
) -> None:
    site = _site(20, pages=20)
    for count in (5, 10, 15):
        crawl = MadeCrawl(site, tmp_path, START, max_pages=5)
        asked = {*crawl.run(8), *crawl.run()}
        assert crawl.scheduler.limit == "max-pages"
        crawl.frontier.close()
        # Killed before its end, it goes on to the same end.
        crawl = MadeCrawl(site, tmp_path, START, max_pages=5)
        assert {*crawl.run()} == asked
        rows = journal_rows(crawl.frontier, "url", "digest IS NOT NULL AND state='done'")
        assert len(rows) == count
        crawl.frontier.ask_again()
        crawl.frontier.close()
        site.asked.clear()
        if is_changed:
            site.answers = {
                url: body.replace(b"</html>", b"<p>One more sentence.</p></html>") for url, body in site.answers.items()
            }


def test_pages_that_an_update_did_not_reach_come_first_in_the_next(tmp_path: Path) -> None:
    site = _site(9, pages=9)
    MadeCrawl(site, tmp_path, START).run()
    reached = []
    for _ in range(3):
        crawl = MadeCrawl(site, tmp_path, START)
        crawl.frontier.ask_again()
        site.asked.clear()
        reached.append(crawl.run(8))
        crawl.frontier.close()
    assert {*reached[0], *reached[1]} == {START, *(f"{SITE}/{n}.html" for n in range(9))}
    assert not {*reached[0]} & {*reached[1][: 10 - len(reached[0])]}
    assert reached[2][0] not in reached[1]


def test_the_errors_of_an_update_are_those_that_it_met(tmp_path: Path) -> None:
    site = _site(2, pages=1)
    errors = []
    for _ in range(6):
        crawl = MadeCrawl(site, tmp_path, START)
        site.asked.clear()
        crawl.run()
        counts, reasons = crawl.frontier.outcome_counts(), crawl.frontier.reason_counts(FAILED)
        errors.append(counts["failed"])
        assert counts["failed"] == crawl.frontier.queue_counts()["failed"] == reasons.get("404", 0)
        assert (f"{SITE}/1.html" in site.asked) == bool(counts["failed"])
        crawl.frontier.ask_again()
        crawl.frontier.close()
    # Updates ask for a page that was never there at growing distances.
    assert errors == [1, 1, 1, 0, 1, 0]


def test_no_limit_ended_a_crawl_that_has_all_it_could_have(tmp_path: Path) -> None:
    crawl = MadeCrawl(_site(2, pages=2), tmp_path, START, max_pages=3)
    assert len(crawl.run()) == 3
    assert crawl.scheduler.limit == ""


def test_a_crawl_ends_after_its_time_and_when_it_is_stopped(tmp_path: Path) -> None:
    (tmp_path / "timed").mkdir()
    timed = MadeCrawl(_site(99), tmp_path / "timed", START, delay_s=2.0, max_time_s=10.0)
    timed.run()
    assert timed.site.times_s == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    assert timed.scheduler.limit == "max-time"
    crawl = MadeCrawl(_site(99), tmp_path, START)
    crawl.run(5)
    assert (crawl.scheduler.limit, crawl.frontier.count_queued() > 0) == ("", True)
    crawl.scheduler.stop()
    assert (crawl.run(), crawl.scheduler.limit) == ([START, f"{SITE}/0.html"], "stopped")
    assert crawl.scheduler.next_job() is None


def test_a_host_is_asked_for_one_thing_at_a_time(tmp_path: Path) -> None:
    crawl = MadeCrawl(_site(9, pages=9), tmp_path, START)
    job = crawl.scheduler.next_job()
    assert job is not None
    assert crawl.scheduler.next_job() is None
    crawl.frontier.add([NewAddress("http://other.example.net/", "other.example.net")])
    other = crawl.scheduler.next_job()
    assert other is not None
    assert other.url == "http://other.example.net/robots.txt"


def test_requests_under_way_count_towards_the_limits(tmp_path: Path) -> None:
    hosts = [f"h{n}.example.net" for n in range(9)]
    for limits, together in (({"max_requests": 3}, 3), ({"max_pages": 2}, 2)):
        folder = tmp_path / str(together)
        folder.mkdir()
        crawl = MadeCrawl(_site(0), folder, START, **limits)
        crawl.frontier.add(NewAddress(f"https://{host}/", host) for host in hosts)
        assert sum(crawl.scheduler.next_job() is not None for _ in hosts) == together


@pytest.mark.parametrize(("retry_after", "left"), [("600", False), ("601", True)])
def test_a_host_that_wants_more_than_ten_minutes_of_rest_is_left_for_another_time(
    tmp_path: Path, retry_after: str, left: bool
) -> None:
    site = MadeSite({START: (429, {"Retry-After": retry_after})})
    crawl = MadeCrawl(site, tmp_path, START)
    crawl.frontier.add([found_at("b", 999.5)])
    asked = crawl.run()
    told = f"{HOST} asks to be left alone for 601 s; run the same command after that"
    assert (len(asked), crawl.scheduler.state.notices) == ((1, [told]) if left else (4, []))
    assert crawl.states()[START] == (("queued" if left else "failed"), "http_status")
    assert crawl.scheduler.next_job() is None
    assert crawl.scheduler.limit == ""


@pytest.mark.parametrize("status", [429, 503])
def test_an_overloaded_host_is_asked_three_times(tmp_path: Path, status: int) -> None:
    crawl = MadeCrawl(MadeSite({START: (status, {})}), tmp_path, START)
    assert crawl.run() == [START] * 3
    assert journal_rows(crawl.frontier, "state, reason, detail, status", "url=?", [START]) == [
        ("failed", "http_status", str(status), status)
    ]


@pytest.mark.parametrize(
    ("reason", "for_good", "times", "state"),
    [("timeout", False, 3, "failed"), ("timeout", True, 1, "failed"), ("refused_address", True, 1, "refused")],
)
def test_a_request_without_an_answer_is_tried_again_unless_that_is_for_good(
    tmp_path: Path, reason: str, for_good: bool, times: int, state: str
) -> None:
    crawl = MadeCrawl(_site(0), tmp_path, START)
    for tried in range(1, times + 1):
        job = _job(crawl, START)
        crawl.scheduler.note_failure(job, reason, "why", for_good=for_good)
        assert crawl.states()[START] == (state if tried == times else "queued", reason)
    assert journal_rows(crawl.frontier, "detail", "url=?", [START]) == [("why",)]
    was_missing = times > 1  # the sitemap, asked for between
    assert crawl.scheduler.state.counts[state] == 1 + was_missing


def test_robots_and_reservations_that_cannot_be_had_differ(tmp_path: Path) -> None:
    """Without the first nothing of a host is fetched, without the second nothing is reserved."""
    crawl = MadeCrawl(_site(0), tmp_path, START)
    job = crawl.scheduler.next_job()
    assert job is not None
    crawl.scheduler.handle_response(job, made_answer(404), None)
    job = crawl.scheduler.next_job()
    assert job is not None
    crawl.scheduler.note_failure(job, "timeout", "why", for_good=False)
    assert crawl.run()[0] == START
    (tmp_path / "robots").mkdir()
    crawl = MadeCrawl(_site(0), tmp_path / "robots", START)
    job = crawl.scheduler.next_job()
    assert job is not None
    crawl.scheduler.note_failure(job, "timeout", "why", for_good=False)
    assert (crawl.run(), crawl.states()) == ([], {START: ("refused", "timeout")})


@pytest.mark.parametrize("status", [200, 404])
def test_reservations_are_read_from_a_file_that_is_there(tmp_path: Path, status: int) -> None:
    crawl = MadeCrawl(_site(0), tmp_path, START)
    for answer in (made_answer(404), made_answer(status, b'[{"location": "/*", "tdm-reservation": 1}]')):
        job = crawl.scheduler.next_job()
        assert job is not None
        crawl.scheduler.handle_response(job, answer, None)
    crawl.run()
    assert crawl.states()[START] == (("refused", "tdm_reserved") if status == 200 else ("done", ""))


@pytest.mark.parametrize(
    ("status", "location", "told"),
    [(200, "/b", ("done", "")), (302, "", ("failed", "302")), (302, "/b", ("failed", f"302 to {SITE}/b"))],
)
def test_a_redirect_is_a_status_and_a_place(tmp_path: Path, status: int, location: str, told: tuple[str, str]) -> None:
    crawl = MadeCrawl(_site(0), tmp_path, START)
    job = _job(crawl, START)
    crawl.scheduler.handle_response(job, made_answer(status, Location=location), ReadPage(b"", None))
    assert journal_rows(crawl.frontier, "state, detail", "url=?", [START]) == [told]


def test_an_answer_that_cannot_be_made_sense_of_costs_its_address_only(tmp_path: Path) -> None:
    crawl = MadeCrawl(_site(0), tmp_path, START)
    crawl.frontier.add([found_at("b")])
    crawl.scheduler.note_crash(_job(crawl, f"{SITE}/b"), ValueError("é" + "x" * 300))
    detail = "ValueError: \\xe9" + "x" * 196
    assert journal_rows(crawl.frontier, "state, reason, detail", "url=?", [f"{SITE}/b"]) == [
        ("failed", "parser_crash", detail)
    ]
    assert crawl.scheduler.state.notices == [f"{SITE}/b: could not be read ({detail})"]
    assert crawl.run() == [START]


def test_a_robots_txt_that_cannot_be_made_sense_of_is_not_asked_for_again(tmp_path: Path) -> None:
    crawl = MadeCrawl(_site(2), tmp_path, START)
    job = crawl.scheduler.next_job()
    assert job is not None
    assert job.url == f"{SITE}/robots.txt"
    crawl.scheduler.note_crash(job, OverflowError("too large"))
    assert crawl.scheduler.next_job() is None
    assert crawl.scheduler.next_job() is None
    [told] = journal_rows(crawl.frontier, "state, reason, detail", "url=?", [START])
    assert told == ("refused", "unreachable", "robots.txt: OverflowError: too large")


def test_a_page_is_asked_for_again_only_if_it_has_changed(tmp_path: Path) -> None:
    site = _site(1, pages=1)
    crawl = MadeCrawl(site, tmp_path, START)
    crawl.run()
    assert journal_rows(crawl.frontier, "digest IS NULL, etag", "url=?", [START]) == [(0, "")]
    crawl.frontier.finish(1, "done", etag='"1"', modified="then")
    place = journal_rows(crawl.frontier, "warc, start, length, digest", "id=1")
    crawl.frontier.ask_again()
    job = _job(crawl, START)
    assert job.conditions == (("If-None-Match", '"1"'), ("If-Modified-Since", "then"))
    crawl.scheduler.handle_response(job, made_answer(304), None)
    assert journal_rows(crawl.frontier, "warc, start, length, digest", "id=1") == place
    assert journal_rows(crawl.frontier, "state, status", "id=1") == [("done", 200)]
    job = _job(crawl, f"{SITE}/0.html")
    assert job.conditions == (), "no field to ask by"
    crawl.scheduler.handle_response(job, made_answer(304, ETag='"0"'), None)
    assert crawl.states()[job.url] == ("failed", "http_status")
    crawl.frontier.add([found_at("new")])
    crawl.scheduler.handle_response(_job(crawl, f"{SITE}/new"), made_answer(403, ETag='"new"'), None)
    crawl.frontier.ask_again()
    assert _job(crawl, f"{SITE}/new").conditions == (), "nothing of it in the archive"


def test_a_trap_is_told_of_once_when_ten_addresses_were_left(tmp_path: Path) -> None:
    crawl = MadeCrawl(_site(0), tmp_path, START)
    crawl.frontier.add(found_at(f"a/a/a/{n}.html", 500.0 - n) for n in range(9))
    crawl.run()
    assert crawl.scheduler.state.notices == []
    crawl.frontier.add(found_at(f"a/a/a/{n}.html", 500.0 - n) for n in range(9, 12))
    assert crawl.run() == [START]
    why = "the path repeats 'a' more than 2 times in a row"
    assert crawl.scheduler.state.notices == [
        f"skipped as a trap: {why} ({HOST}/a/a/a/#.html, for example {SITE}/a/a/a/9.html)"
    ]
    assert crawl.states()[f"{SITE}/a/a/a/0.html"] == ("refused", "trap")


def test_addresses_with_session_ids_are_told_of_once_whatever_their_form(tmp_path: Path) -> None:
    crawl = MadeCrawl(_site(0), tmp_path, START)
    names = [f"{letter}{'x' * n}.html" for n in range(3) for letter in "abcdefghij"]
    crawl.frontier.add(found_at(f"{name}?{query}", 500.0) for name in names for query in ("a=1&b=2", "b=2&a=1"))
    crawl.run()
    (notice,) = crawl.scheduler.state.notices
    assert notice.startswith("skipped as a trap: requested before, apart from session, campaign or order of parameters")


def test_an_update_asks_again_for_pages_that_look_like_a_trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = MadeSite({START: made_page("en", 1, "<a href=/a>a</a>"), f"{SITE}/a": made_page("en", 2)})
    crawl = MadeCrawl(site, tmp_path, START)
    crawl.run()
    crawl.frontier.ask_again()
    crawl.frontier.add([found_at("b")])
    stop = TrapStop("/#", "made", f"{SITE}/a")
    monkeypatch.setattr(crawl.scheduler.state.traps, "judge", lambda _: stop)
    assert crawl.run()[2:] == [START, f"{SITE}/a"]
    assert crawl.states()[f"{SITE}/b"] == ("refused", "trap")


def test_a_start_is_asked_for_whatever_it_looks_like(tmp_path: Path) -> None:
    start = f"{SITE}/a/a/a/a.html"
    assert MadeCrawl(MadeSite({}), tmp_path, start).run() == [start]


def test_records_of_a_crawl_do_not_change() -> None:
    """But for what a crawl builds up: a parsed robots.txt or sitemap, the forms of addresses, and its own state."""
    growing = {"Block", "CrawlState", "Robots", "Sitemap", "_Form", "_Known"}
    assert records_that_may_change("diglot.crawl") == {"CrawlOptions", *growing}


def test_not_modified_without_a_condition_is_an_error_and_no_redirect(tmp_path: Path) -> None:
    site = MadeSite({START: made_page("en", 1, "<a href=/a>a</a><a href=/b>b</a>"), f"{SITE}/a": (304, {})})
    site.answers[f"{SITE}/b"] = (301, {"Location": "/c"})
    crawl = MadeCrawl(site, tmp_path, START)
    crawl.run()
    counts = crawl.frontier.outcome_counts()
    assert (counts["redirects"], counts["failed"]) == (1, 2)  # /c is a 404
    assert crawl.frontier.reason_counts(FAILED) == {"304": 1, "404": 1}
