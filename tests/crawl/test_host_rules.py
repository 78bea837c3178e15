"""What is asked of a host before its pages, what its answers mean, and which of its sitemaps are read when."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from handed_pages import HOST, SITE, made_answer, waiting_crawl
from journal_rows import count_rows, journal_rows
from made_crawls import BEGAN

from diglot.crawl.crawl_state import CrawlState
from diglot.crawl.host_rules import HostRules
from diglot.crawl.page_reading import ROBOTS, TDM, Job
from diglot.crawl.queue.frontier import PAGE, SITEMAP, Entry, NewAddress
from diglot.crawl.queue.journal import HostNote

OTHER = "other.example.net"
ROBOTS_URL = f"{SITE}/robots.txt"
PRIVATE = b"User-agent: *\nDisallow: /private\nCrawl-delay: 7\n"
RESERVED = b'[{"location": "/*", "tdm-reservation": 1, "tdm-policy": "https://site.example.com/policy"}]'
DAY_S = 24 * 3600.0


def _rules(folder: Path, start: str = f"{SITE}/", **options: Any) -> tuple[HostRules, CrawlState, Entry]:
    """Rules that know nothing yet, what they act on, and the start address, which is in flight."""
    state = waiting_crawl(folder, start=start, **options)
    entry = state.frontier.take([])
    assert entry is not None
    return HostRules(state), state, entry


def _note(age_s: float | None = 0.0, status: int | None = 200, tdm: bytes | None = RESERVED) -> HostNote:
    moment = None if age_s is None else BEGAN.timestamp() - age_s
    return HostNote(HOST, "https", 1, PRIVATE, status, moment, tdm)


@pytest.mark.parametrize(
    ("note", "asked"),
    [
        (_note(), None),
        (_note(age_s=DAY_S - 1), None),
        (_note(age_s=DAY_S), ROBOTS),
        (_note(age_s=-1.0), ROBOTS),
        (_note(age_s=None), ROBOTS),
        (_note(status=0), ROBOTS),
        (_note(status=502), ROBOTS),
        (_note(status=None), ROBOTS),
        (_note(status=404), None),
        (_note(tdm=None), TDM),
        (_note(tdm=b""), None),
    ],
)
def test_the_journal_is_believed_for_a_day(tmp_path: Path, note: HostNote, asked: str | None) -> None:
    rules, state, entry = _rules(tmp_path)
    rules.restore(note)
    job = rules.job_before(entry)
    assert (job.kind if job else None) == asked
    believed = asked != ROBOTS and note.robots_status == 200
    assert state.pacing.delay_s(HOST) == (7.0 if believed else 1.0)
    assert (rules.policy_of(HOST) is None) is (asked == ROBOTS)
    assert bool(rules.reservation(entry)) is (asked is None and note.tdm == RESERVED)


def test_a_robots_file_without_a_body_in_the_journal_allows_all(tmp_path: Path) -> None:
    rules, _, entry = _rules(tmp_path)
    rules.restore(_note()._replace(robots=None))
    assert rules.verdict(replace(entry, url=f"{SITE}/private")).allowed


@pytest.mark.parametrize("member", [0, 1])
def test_a_host_in_the_journal_is_reached_as_it_was_and_of_the_site_if_it_was(tmp_path: Path, member: int) -> None:
    rules, state, _ = _rules(tmp_path)
    rules.restore(HostNote(OTHER, "http", member, None, None, None, None))
    assert state.scope.canonical(f"https://{OTHER}/") == f"http://{OTHER}/"
    assert state.scope.belongs(f"http://{OTHER}/") is bool(member)


def test_robots_then_reservations_come_before_the_first_page_of_each_host(tmp_path: Path) -> None:
    rules, _, entry = _rules(tmp_path)
    foreign = replace(entry, host=f"{OTHER}:81", url=f"http://{OTHER}:81/x")
    job = rules.job_before(entry)
    assert job == Job(ROBOTS_URL, HOST, ROBOTS)
    rules.handle_robots(job, made_answer(404))
    job = rules.job_before(entry)
    assert job == Job(f"{SITE}/.well-known/tdmrep.json", HOST, TDM)
    rules.note_reservations(job, b"")
    assert rules.job_before(entry) is None
    assert rules.job_before(foreign) == Job(f"http://{OTHER}:81/robots.txt", f"{OTHER}:81", ROBOTS)
    rules.handle_robots(Job("x", f"{OTHER}:81", ROBOTS), made_answer(404))
    assert rules.job_before(foreign) == Job(f"http://{OTHER}:81/.well-known/tdmrep.json", f"{OTHER}:81", TDM)


@pytest.mark.parametrize(
    ("kind", "depth", "queued"),
    [(PAGE, 0, [(f"https://{OTHER}/map.xml",)]), (PAGE, 1, []), (SITEMAP, 0, []), (SITEMAP, 1, [])],
)
def test_sitemaps_of_a_foreign_host_are_read_for_a_start_address_only(
    tmp_path: Path, kind: str, depth: int, queued: list[tuple[str]]
) -> None:
    rules, state, entry = _rules(tmp_path)
    job = rules.job_before(replace(entry, host=OTHER, url=f"https://{OTHER}/x", kind=kind, depth=depth))
    assert job is not None
    rules.handle_robots(job, made_answer(200, f"Sitemap: https://{OTHER}/map.xml\n".encode()))
    assert journal_rows(state.frontier, "url", "kind='sitemap'") == queued


def test_what_a_host_says_is_read_for_our_name_and_written_to_the_journal(tmp_path: Path) -> None:
    rules, state, entry = _rules(tmp_path, agent="Reader/2 (+https://me.example/)")
    robots = b"User-agent: reader\nDisallow: /no\n\nUser-agent: *\nDisallow: /\n"
    rules.handle_robots(Job(ROBOTS_URL, HOST, ROBOTS), made_answer(200, robots))
    rules.note_reservations(Job("x", HOST, TDM), RESERVED)
    assert rules.verdict(entry).allowed
    assert rules.verdict(replace(entry, url=f"{SITE}/no/x")).line == "line 2, Disallow: /no"
    reserved = rules.reservation(entry)
    assert reserved is not None
    assert (reserved.reserved, reserved.policy) == (True, f"{SITE}/policy")
    assert rules.reservation(replace(entry, host=OTHER)) is None
    assert state.frontier.hosts() == [HostNote(HOST, "https", 1, robots, 200, BEGAN.timestamp(), RESERVED)]


def test_five_redirects_of_a_robots_file_are_followed_and_the_sixth_is_none(tmp_path: Path) -> None:
    rules, _, entry = _rules(tmp_path)
    for hop in range(1, 6):
        job = rules.job_before(entry)
        assert job is not None
        rules.handle_robots(job, made_answer(301, Location=f"//{OTHER}/{hop}"))
        assert rules.policy_of(HOST) is None
        expected = Job(f"https://{OTHER}/{hop}", HOST, ROBOTS, hops=hop)
        if hop == 1:
            assert rules.job_before(entry) == expected
            assert rules.job_before(entry) == Job(ROBOTS_URL, HOST, ROBOTS), "a hop is asked for once"
            rules.handle_robots(job, made_answer(301, Location=f"//{OTHER}/{hop}"))
    last = rules.job_before(entry)
    assert last is not None
    rules.handle_robots(last, made_answer(301, Location=f"{SITE}/more"))
    assert rules.verdict(entry).allowed
    assert rules.policy_of(OTHER) is None


def test_a_robots_file_at_the_end_of_redirects_rules_the_host_that_sent_there(tmp_path: Path) -> None:
    rules, state, entry = _rules(tmp_path)
    rules.handle_robots(Job(ROBOTS_URL, HOST, ROBOTS), made_answer(302, Location="robots/all.txt"))
    job = rules.job_before(entry)
    assert job == Job(f"{SITE}/robots/all.txt", HOST, ROBOTS, hops=1)
    rules.handle_robots(job, made_answer(200, PRIVATE))
    assert not rules.verdict(replace(entry, url=f"{SITE}/private")).allowed
    assert state.pacing.delay_s(HOST) == 7.0


@pytest.mark.parametrize(
    ("status", "location"),
    [(301, ROBOTS_URL), (301, "/robots.txt#top"), (301, ""), (301, "mailto:a@b.example"), (404, "/x"), (304, "/x")],
)
def test_a_redirect_that_leads_nowhere_is_an_answer(tmp_path: Path, status: int, location: str) -> None:
    rules, state, entry = _rules(tmp_path)
    rules.handle_robots(Job(ROBOTS_URL, HOST, ROBOTS), made_answer(status, Location=location))
    assert rules.verdict(entry).allowed
    assert state.frontier.hosts()[0].robots_status == status


def _pages(state: CrawlState) -> list[tuple[str, str, str, str]]:
    return journal_rows(state.frontier, "url, state, reason, detail", "kind='page'")


def test_a_host_in_trouble_is_refused_and_only_the_first_is_the_trouble_of_the_crawl(tmp_path: Path) -> None:
    rules, state, _ = _rules(tmp_path)
    state.frontier.add(NewAddress(f"https://{host}/x", host) for host in (HOST, OTHER, "kept.example.com"))
    rules.note_robots_failure(Job(ROBOTS_URL, HOST, ROBOTS), "unreachable", "no answer")
    assert state.trouble == f"{HOST}: no answer"
    rules.note_robots_failure(Job("x", OTHER, ROBOTS), "dns", "not known to the name servers")
    assert state.trouble == f"{HOST}: no answer"
    assert _pages(state)[1:] == [
        (f"{SITE}/x", "refused", "unreachable", "no answer"),
        (f"https://{OTHER}/x", "refused", "dns", "not known to the name servers"),
        ("https://kept.example.com/x", "queued", "", ""),
    ]
    assert state.frontier.hosts()[0].robots_status == 0
    assert (count_rows(state.frontier, "kind='sitemap'"), state.notices) == (0, [])


def test_a_robots_file_that_could_not_be_had_is_asked_for_by_the_next_process(tmp_path: Path) -> None:
    rules, state, entry = _rules(tmp_path)
    rules.note_robots_failure(Job(ROBOTS_URL, HOST, ROBOTS), "timeout", "no answer")
    assert not rules.verdict(entry).allowed
    (note,) = state.frontier.hosts()
    again = HostRules(state)
    again.restore(note)
    job = again.job_before(entry)
    assert job is not None
    assert job.kind == ROBOTS


@pytest.mark.parametrize(("delay", "told"), [("120", ""), ("120.5", "120"), ("7200", "7,200")])
def test_a_host_that_wants_more_than_two_minutes_between_requests_is_left(
    tmp_path: Path, delay: str, told: str
) -> None:
    rules, state, _ = _rules(tmp_path)
    state.frontier.add([NewAddress(f"{SITE}/x", HOST)])
    rules.handle_robots(
        Job(ROBOTS_URL, HOST, ROBOTS), made_answer(200, f"User-agent: *\nCrawl-delay: {delay}".encode())
    )
    why = f"robots.txt asks for {told} s between requests"
    refused = (f"{SITE}/x", "refused", "robots", why)
    assert _pages(state)[1:] == [refused if told else (f"{SITE}/x", "queued", "", "")]
    assert state.notices == ([f"{HOST}: {why}, more than 120 s: nothing is fetched from it"] if told else [])
    assert state.pacing.delay_s(HOST) == min(float(delay), 120.0)
    assert count_rows(state.frontier, "kind='sitemap'") == (0 if told else 1)
    assert state.trouble == ""


def _sitemaps(state: CrawlState) -> list[tuple[str, float, int]]:
    return journal_rows(state.frontier, "url, priority, depth", "kind='sitemap' AND state='queued'")


@pytest.mark.parametrize(
    ("robots", "start", "host", "urls"),
    [
        (b"", f"{SITE}/", HOST, [f"{SITE}/sitemap.xml"]),
        (b"", f"http://{HOST}/", HOST, [f"http://{HOST}/sitemap.xml"]),
        (b"", f"{SITE}/", f"fr.{HOST}", [f"https://fr.{HOST}/sitemap.xml"]),
        (b"Sitemap: mailto:a\n", f"{SITE}/", HOST, [f"{SITE}/sitemap.xml"]),
        (b"Sitemap: mailto:a\nSitemap: HTTP://Site.example.com/a#x\nSitemap: https://c.example/b", f"{SITE}/", HOST,
         [f"{SITE}/a", "https://c.example/b"]),
    ],
)  # fmt: skip
def test_the_sitemaps_that_robots_names_are_queued_or_else_the_usual_one(
    tmp_path: Path, robots: bytes, start: str, host: str, urls: list[str]
) -> None:
    rules, state, _ = _rules(tmp_path, start)
    rules.handle_robots(Job(ROBOTS_URL, host, ROBOTS), made_answer(200, robots))
    assert _sitemaps(state) == [(url, 999.0, 0) for url in urls]
    rows = journal_rows(state.frontier, "host, tier, how", "kind='sitemap'")
    assert rows == [(url.split("/")[2], 0, "sitemap") for url in urls]


@pytest.mark.parametrize(("known", "named", "early", "late"), [(0, 12, 10, 2), (9, 2, 1, 1), (10, 1, 0, 1)])
def test_ten_sitemaps_go_before_pages_and_others_after(
    tmp_path: Path, known: int, named: int, early: int, late: int
) -> None:
    rules, state, _ = _rules(tmp_path)
    state.frontier.add(NewAddress(f"{SITE}/known{n}.xml", HOST, kind=SITEMAP, refused="old") for n in range(known))
    body = "".join(f"Sitemap: {SITE}/{n}.xml\n" for n in range(named)).encode()
    rules.handle_robots(Job(ROBOTS_URL, HOST, ROBOTS), made_answer(200, body))
    assert [priority for _, priority, _ in _sitemaps(state)] == [999.0] * early + [8.0] * late


@pytest.mark.parametrize(("known", "named", "queued"), [(0, 501, 500), (499, 2, 1), (500, 2, 0), (501, 2, 0)])
def test_five_hundred_sitemaps_are_read_at_most(tmp_path: Path, known: int, named: int, queued: int) -> None:
    rules, state, _ = _rules(tmp_path)
    state.frontier.add(NewAddress(f"{SITE}/known{n}.xml", HOST, kind=SITEMAP, refused="old") for n in range(known))
    body = "".join(f"Sitemap: {SITE}/{n}.xml\n" for n in range(named)).encode()
    rules.handle_robots(Job(ROBOTS_URL, HOST, ROBOTS), made_answer(200, body))
    assert [url for url, *_ in _sitemaps(state)] == [f"{SITE}/{n}.xml" for n in range(queued)]


def _take_sitemap(
    folder: Path, body: bytes, depth: int = 0, known: Sequence[NewAddress] = (), **fields: str
) -> CrawlState:
    rules, state, _ = _rules(folder)
    state.frontier.add([*known, NewAddress(f"{SITE}/maps/map.xml", HOST, kind=SITEMAP, priority=2000.0, depth=depth)])
    entry = state.frontier.take([])
    assert entry is not None
    rules.handle_sitemap(entry, made_answer(200, body, **fields))
    return state


def _index(*urls: str) -> bytes:
    return f"<sitemapindex>{''.join(f'<sitemap><loc>{url}</loc></sitemap>' for url in urls)}</sitemapindex>".encode()


@pytest.mark.parametrize(("depth", "further"), [(0, 1), (2, 3), (3, None)])
def test_an_index_leads_to_sitemaps_of_the_site_three_steps_deep(
    tmp_path: Path, depth: int, further: int | None
) -> None:
    urls = ["a.xml", f"http://fr.{HOST}/b.xml", f"https://{OTHER}/c.xml", "mailto:d", f"http://{HOST}/e.xml"]
    state = _take_sitemap(tmp_path, _index(*urls), depth)
    expected = [f"{SITE}/maps/a.xml", f"http://fr.{HOST}/b.xml", f"{SITE}/e.xml"]
    assert _sitemaps(state) == ([(url, 999.0, further) for url in expected] if further else [])
    told = journal_rows(state.frontier, "state, detail, status", "url LIKE '%map.xml'")
    assert told == [("done", "0 pages, 4 sitemaps", 200)]


PAGES = (
    '<urlset xmlns:x="http://www.w3.org/1999/xhtml"><url><loc>/plain</loc></url><url><loc>/en/1</loc>'
    '<x:link rel="alternate" hreflang="en" href="/en/1"/><x:link rel="alternate" hreflang="fr" href="/fr/1"/>'
    f'</url><url><loc>https://{OTHER}/</loc></url></urlset>'
).encode()  # fmt: skip


@pytest.mark.parametrize("known", [False, True])
def test_pages_of_a_sitemap_are_queued_as_families(tmp_path: Path, known: bool) -> None:
    """Where the first page of an entry is a version in a family already, its own versions join that."""
    before = [NewAddress(f"{SITE}/en/1", HOST, family=77)] if known else []
    state = _take_sitemap(tmp_path, PAGES, known=before)
    columns = "url, tier, lang, family, found_by, how"
    ids = dict(journal_rows(state.frontier, "url, id"))
    here, lead = ids[f"{SITE}/maps/map.xml"], 77 if known else ids[f"{SITE}/en/1"]
    rows = {row[0]: row[1:] for row in journal_rows(state.frontier, columns, "kind='page' AND depth=1 OR family=77")}
    assert rows == {
        f"{SITE}/plain": (0, "", None, here, "sitemap"),
        f"{SITE}/en/1": (1, "en", lead, None if known else here, "sitemap"),
        f"{SITE}/fr/1": (1, "fr", lead, here, "sitemap"),
    }
    assert state.prioritiser.versions_by_marker(f"{SITE}/en/1") == {f"{SITE}/fr/1"}
    assert journal_rows(state.frontier, "state, detail", "id=?", [here]) == [("done", "3 pages, 0 sitemaps")]


def test_a_sitemap_is_decoded(tmp_path: Path) -> None:
    body = zlib.compress(b"<urlset><url><loc>/a</loc></url></urlset>")
    state = _take_sitemap(tmp_path, body, Content_Encoding="deflate")
    assert count_rows(state.frontier, "url=?", [f"{SITE}/a"]) == 1


def test_what_ended_the_reading_of_a_sitemap_is_told(tmp_path: Path) -> None:
    state = _take_sitemap(tmp_path, b"<!DOCTYPE x><urlset/>")
    told = journal_rows(state.frontier, "detail", "kind='sitemap'")
    assert told == [("0 pages, 0 sitemaps; has a document type declaration",)]


# -- what no host can make us do -------------------------------------------------------------------


@pytest.mark.parametrize(("start", "moved"), [("http", "https"), ("https", "http")])
def test_a_robots_file_that_moved_to_the_other_scheme_is_read_there(tmp_path: Path, start: str, moved: str) -> None:
    rules, _, entry = _rules(tmp_path, f"{start}://{HOST}/")
    job = rules.job_before(entry)
    assert job is not None
    rules.handle_robots(job, made_answer(301, Location=f"{moved}://{HOST}/robots.txt"))
    job = rules.job_before(entry)
    assert job == Job(f"{moved}://{HOST}/robots.txt", HOST, ROBOTS, hops=1)
    rules.handle_robots(job, made_answer(200, PRIVATE))
    assert not rules.verdict(replace(entry, url=f"{start}://{HOST}/private")).allowed


def test_a_robots_file_in_a_loop_is_asked_for_once_at_each_address(tmp_path: Path) -> None:
    rules, _, entry = _rules(tmp_path)
    asked = []
    while (job := rules.job_before(entry)) is not None and job.kind == ROBOTS:
        asked.append(job.url)
        rules.handle_robots(job, made_answer(301, Location="/a" if job.url == ROBOTS_URL else "/robots.txt"))
    assert asked == [ROBOTS_URL, f"{SITE}/a"]
    assert rules.verdict(entry).allowed


def test_files_of_rules_are_asked_for_three_times_over_all_processes_until_they_tell_something(tmp_path: Path) -> None:
    rules, state, entry = _rules(tmp_path)
    for _ in range(3):
        again = HostRules(state)
        assert again.job_before(entry) == Job(ROBOTS_URL, HOST, ROBOTS)
    assert rules.job_before(entry) is None
    refusal = rules.refusal(entry)
    assert refusal == ("unreachable", "robots.txt: no readable answer in 3 requests")
    assert (state.trouble, state.frontier.tries_of(HOST, ROBOTS)) == (f"{HOST}: {refusal.detail}", 3)
    state.frontier.ask_again()
    told = HostRules(state)
    job = told.job_before(entry)
    assert job is not None
    told.handle_robots(job, made_answer(404))
    assert state.frontier.tries_of(HOST, ROBOTS) == 0
    kinds = []
    for _ in range(4):
        again = HostRules(state)
        again.restore(state.frontier.hosts()[0])
        job = again.job_before(entry)
        kinds.append(job and job.kind)
    assert kinds == [TDM, TDM, TDM, None]


@pytest.mark.parametrize(
    ("answer", "reason", "detail"),
    [
        (None, "certificate", "for other hosts"),
        (
            made_answer(200, b"User-agent: *\nCrawl-delay: 999"),
            "robots",
            "robots.txt asks for 999 s between requests",
        ),
    ],
)
def test_a_host_that_was_refused_is_asked_for_nothing_that_is_found_later(
    tmp_path: Path, answer: Any, reason: str, detail: str
) -> None:
    """Neither for pages, sitemaps nor reservations; the next process knows, too, where the host said it."""
    rules, state, entry = _rules(tmp_path)
    if answer is None:
        rules.note_robots_failure(Job(ROBOTS_URL, HOST, ROBOTS), reason, detail)
    else:
        rules.handle_robots(Job(ROBOTS_URL, HOST, ROBOTS), answer)
    later = replace(entry, url=f"{SITE}/later", depth=1)
    for found in (later, replace(later, kind=SITEMAP), replace(later, kind=SITEMAP, depth=0)):
        assert rules.job_before(found) is None
        assert rules.refusal(found) == (reason, detail)
    if answer is not None:
        again = HostRules(state)
        again.restore(state.frontier.hosts()[0])
        assert again.job_before(later) is None
        assert again.refusal(later) == (reason, detail)


def test_reservations_are_asked_for_before_pages_only(tmp_path: Path) -> None:
    rules, _, entry = _rules(tmp_path)
    rules.handle_robots(Job(ROBOTS_URL, HOST, ROBOTS), made_answer(404))
    assert rules.job_before(replace(entry, kind=SITEMAP)) is None
    job = rules.job_before(entry)
    assert job is not None
    assert job.kind == TDM


@pytest.mark.parametrize(("depth", "refused"), [(0, False), (1, True)])
def test_a_sitemap_that_an_index_names_obeys_robots_and_one_that_robots_names_does_not_need_to(
    tmp_path: Path, depth: int, refused: bool
) -> None:
    rules, _, entry = _rules(tmp_path)
    rules.handle_robots(Job(ROBOTS_URL, HOST, ROBOTS), made_answer(200, PRIVATE))
    sitemap = replace(entry, url=f"{SITE}/private/map.xml", kind=SITEMAP, depth=depth)
    assert (rules.refusal(sitemap) is not None) is refused


def test_the_usual_sitemap_is_not_asked_for_where_robots_forbids_it(tmp_path: Path) -> None:
    rules, state, _ = _rules(tmp_path)
    rules.handle_robots(Job(ROBOTS_URL, HOST, ROBOTS), made_answer(200, b"User-agent: *\nDisallow: /"))
    assert _sitemaps(state) == []


@pytest.mark.parametrize("path", ["/robots.txt", "/.well-known/tdmrep.json"])
def test_a_file_of_rules_that_a_link_names_is_no_page(tmp_path: Path, path: str) -> None:
    rules, _, entry = _rules(tmp_path)
    rules.handle_robots(Job(ROBOTS_URL, HOST, ROBOTS), made_answer(404))
    assert rules.refusal(replace(entry, url=f"{SITE}{path}")) == ("not_html", "a file of rules")
    assert rules.refusal(replace(entry, url=f"{SITE}{path}?page")) is None


def test_sitemaps_lead_to_ten_other_hosts_and_those_to_none(tmp_path: Path) -> None:
    rules, state, _ = _rules(tmp_path)
    named = "".join(f"Sitemap: https://h{n}.example.net/map.xml\n" for n in range(30)).encode()
    rules.handle_robots(Job(ROBOTS_URL, HOST, ROBOTS), made_answer(200, named + f"Sitemap: {SITE}/a".encode()))
    expected = [f"https://h{n}.example.net/map.xml" for n in range(10)] + [f"{SITE}/a"]
    assert [url for url, *_ in _sitemaps(state)] == expected
    elsewhere = Job("https://h1.example.net/robots.txt", "h1.example.net", ROBOTS)
    rules.handle_robots(elsewhere, made_answer(200, b"Sitemap: https://fourth.example.org/map.xml"))
    assert [url for url, *_ in _sitemaps(state)] == expected
    assert state.frontier.hosts()[-1].robots_status == 200, "what a host says is kept, of the site or not"
