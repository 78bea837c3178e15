"""What becomes of an answer to a page: archived or refused, followed or not, and what is learnt of it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from handed_pages import (
    BODY,
    FETCHED,
    HOST,
    SITE,
    come,
    found_at,
    made_answer,
    made_contents,
    row,
    taken,
    waiting_crawl,
)
from journal_rows import count_rows, journal_rows
from made_crawls import MadeCrawl, MadeSite, made_page

from diglot.crawl.crawl_state import CrawlState
from diglot.crawl.page_reading import ReadPage, Rendering
from diglot.crawl.queue.frontier import Entry
from diglot.crawl.queue.prioritiser import Link
from diglot.crawl.response_handling import handle_redirect
from diglot.crawl.rules import TdmRule
from diglot.reasons import Reason
from diglot.records import Drop

START = f"{SITE}/"
DIGEST = hashlib.sha256(BODY).hexdigest()


def _redirect(state: CrawlState, location: str, status: int = 301) -> Entry:
    job, entry = taken(state)
    handle_redirect(state, job, entry, made_answer(status, Location=location))
    return entry


# -- redirects -------------------------------------------------------------------------------------


def test_a_redirect_is_archived_and_its_target_takes_its_place_in_the_queue(tmp_path: Path) -> None:
    values = {"kind": "page", "tier": 3, "depth": 4, "hops": 4, "family": 9, "lang": "fr", "how": "version"}
    state = waiting_crawl(tmp_path, found_at("old/a", **values))
    entry = _redirect(state, "../new/b#top", 308)
    told = row(state, entry.url, "state, reason, detail, status, fetched")
    assert told == ("failed", "http_status", f"308 to {SITE}/new/b", 308, FETCHED)
    warc, start, length = row(state, entry.url, "warc, start, length")
    assert (start + length, length > 0) == (state.frontier.archives()[warc], True)
    columns = "host, folder, kind, tier, priority, depth, hops, how, family, lang, found_by, state"
    expected = (HOST, f"{HOST}/new/", "page", 3, 2000.0, 4, 5, "redirect", 9, "fr", entry.id, "queued")
    assert row(state, f"{SITE}/new/b", columns) == expected
    assert state.counts["failed"] == 1
    assert state.prioritiser.versions_by_marker(f"{SITE}/new/fr/b") == {f"{SITE}/new/b"}


@pytest.mark.parametrize(("hops", "followed"), [(4, True), (5, False), (6, False)])
def test_five_redirects_in_a_row_are_followed(tmp_path: Path, hops: int, followed: bool) -> None:
    state = waiting_crawl(tmp_path, found_at("a", hops=hops))
    _redirect(state, "/b")
    assert journal_rows(state.frontier, "url", "found_by IS NOT NULL") == [(f"{SITE}/b",)] * followed
    detail = f"301 to {SITE}/b" if followed else "more than 5 redirects"
    assert row(state, f"{SITE}/a", "detail") == (detail,)


@pytest.mark.parametrize(("depth", "admitted"), [(0, True), (1, False)])
def test_only_the_start_may_send_the_crawl_to_another_site(tmp_path: Path, depth: int, admitted: bool) -> None:
    state = waiting_crawl(tmp_path, found_at("a", depth=depth))
    _redirect(state, "http://elsewhere.org/b")
    assert journal_rows(state.frontier, "url", "found_by IS NOT NULL") == [("http://elsewhere.org/b",)] * admitted
    assert [note.host for note in state.frontier.hosts()] == [HOST], "before a page came from there"
    come(state, made_contents())
    assert [note.host for note in state.frontier.hosts() if note.member] == [HOST, "elsewhere.org"][: 1 + admitted]
    assert state.scope.scheme_of("elsewhere.org") == ("http" if admitted else "")
    detail = "301 to http://elsewhere.org/b" + ("" if admitted else ", which is not of this site")
    assert row(state, f"{SITE}/a", "detail") == (detail,)


@pytest.mark.parametrize("depth", [0, 1])
@pytest.mark.parametrize(
    ("location", "target", "why"),
    [
        ("http://10.0.0.1:80/b#top", "http://10.0.0.1/b", "10.0.0.1 (private)"),
        (f"ftp://{HOST}/a", f"ftp://{HOST}/a", "ftp is neither http nor https"),
    ],
)
def test_a_redirect_that_the_guard_refuses_is_noted(
    tmp_path: Path, depth: int, location: str, target: str, why: str
) -> None:
    state = waiting_crawl(tmp_path, found_at("a", depth=depth))
    _redirect(state, location)
    assert row(state, f"{SITE}/a", "detail") == (f"301 to {target}, which is not connected to: {why}",)
    assert row(state, target, "state, reason, detail, how") == ("refused", "refused_address", why, "redirect")
    assert (list(state.scope.hosts()), count_rows(state.frontier, "1")) == ([(HOST, "https")], 3)


@pytest.mark.parametrize(
    ("location", "detail"),
    [
        ("/a", "itself, probably until a cookie comes back, and a crawl keeps none"),
        ("#top", "itself, probably until a cookie comes back, and a crawl keeps none"),
        ("mailto:é@b.example", "mailto:\\xe9@b.example"),
        ("urn:" + "x" * 300, "urn:" + "x" * 196),
        ("http://[", ""),
    ],
)
def test_a_redirect_that_leads_nowhere_queues_nothing(tmp_path: Path, location: str, detail: str) -> None:
    state = waiting_crawl(tmp_path, found_at("a"))
    _redirect(state, location)
    assert row(state, f"{SITE}/a", "state, detail") == ("failed", f"301 to {detail}")
    assert (count_rows(state.frontier, "1"), list(state.frontier.noted_links_and_texts())) == (2, [])
    assert state.scope.scheme_of(HOST) == "https"


NO_ADDRESSES = [
    *("http:///x", "http://", "https:///x", "https://", "http:a", "//", "http:///", "http://%", "\x00", "http://[::1"),
    *(f"http://{HOST}:{port}/a" for port in ("99999", "0x1", "-1")),
    "http://\xff\xfe/",
]


@pytest.mark.parametrize("location", NO_ADDRESSES)
def test_a_redirect_to_no_address_of_the_other_scheme_leaves_the_host_its_own(tmp_path: Path, location: str) -> None:
    state = waiting_crawl(tmp_path, found_at("a"), found_at("b"))
    _redirect(state, location)
    assert state.scope.scheme_of(HOST) == "https"
    states = dict(journal_rows(state.frontier, "url, state"))
    assert (states[f"{SITE}/a"], states[f"{SITE}/b"]) == ("failed", "queued")


@pytest.mark.parametrize(("known", "other"), [("https", "http"), ("http", "https")])
def test_a_host_that_sends_to_its_other_scheme_is_reached_by_that_from_then_on(
    tmp_path: Path, known: str, other: str
) -> None:
    here, there = f"{known}://{HOST}", f"{other}://{HOST}"
    found = [
        replace(found_at(path), url=f"{here}/{path}", priority=priority) for path, priority in (("a", 2e3), ("b", 1.0))
    ]
    state = waiting_crawl(tmp_path, *found, start=f"{here}/")
    _redirect(state, f"{there}/a?x#top")
    assert state.scope.scheme_of(HOST) == known
    _redirect(state, f"{there}/a?x")
    assert state.scope.scheme_of(HOST) == known, "nothing has come by the other one yet"
    assert state.traps.judge(f"{there}/a?x") is None
    come(state, made_contents())
    assert state.scope.scheme_of(HOST) == other
    assert journal_rows(state.frontier, "url, state, how") == [
        (f"{there}/", "queued", "start"),
        (f"{here}/a", "failed", "link"),
        (f"{there}/b", "queued", "link"),
        (f"{here}/a?x", "failed", "redirect"),
        (f"{there}/a?x", "done", "redirect"),
    ]


@pytest.mark.parametrize("answer", [{"status": 404}, {"status": 500}, {}])
def test_a_redirect_to_the_other_scheme_changes_nothing_for_others_while_no_page_comes_by_it(
    tmp_path: Path, answer: dict[str, int]
) -> None:
    """Not where that answers with an error, nor where it sends back: each page is asked for once by each.

    A server in trouble is asked three times.
    """
    site = MadeSite({START: made_page("en", 0, "".join(f'<a href="/{n}">{n}</a>' for n in range(5)))})
    for n in range(5):
        there = f"http://{HOST}/{n}"
        site.answers[f"{SITE}/{n}"] = (301, {"Location": there}) if n == 0 else made_page("en", n)
        site.answers[there] = (answer["status"], {}) if answer else (301, {"Location": f"{SITE}/{n}"})
    crawl = MadeCrawl(site, tmp_path, START)
    crawl.run()
    there = [f"http://{HOST}/0"] * (3 if answer == {"status": 500} else 1)
    assert sorted(site.pages_asked()) == sorted([START, *there, *(f"{SITE}/{n}" for n in range(5))])
    assert [crawl.states()[f"{SITE}/{n}"][0] for n in range(5)] == ["failed", "done", "done", "done", "done"]


def test_a_host_turns_its_pages_to_the_other_scheme_twice_at_most(tmp_path: Path) -> None:
    state = waiting_crawl(tmp_path)
    for scheme in ("http", "https", "http", "https"):
        state.confirm_scheme(f"{scheme}://{HOST}/")
    assert state.scope.scheme_of(HOST) == "https"


def test_an_address_too_long_for_servers_is_not_followed(tmp_path: Path) -> None:
    state = waiting_crawl(tmp_path, found_at("a"))
    _redirect(state, "/" + "x" * 100_000)
    assert count_rows(state.frontier, "1") == 2
    assert row(state, f"{SITE}/a", "detail") == ("301 to an address of more than 2,000 characters",)


# -- what is kept ----------------------------------------------------------------------------------


def test_a_page_is_archived_once_and_again_only_when_it_has_changed(tmp_path: Path) -> None:
    state = waiting_crawl(tmp_path)
    entry = come(state, None, answer=made_answer(ETag='"1"', Last_Modified="then"))
    columns = "state, reason, status, etag, modified, digest, fetched"
    assert row(state, START, columns) == ("done", "", 200, '"1"', "then", DIGEST, FETCHED)
    warc, start, length = place = row(state, START, "warc, start, length")
    assert (start + length, length > 0) == (state.frontier.archives()[warc], True)
    assert dict(state.counts) == {"stored": 1}
    state.frontier.ask_again()
    come(state, None, answer=made_answer(ETag='"2"', Last_Modified="now"))
    assert row(state, START, columns)[:5] == ("done", "", 200, '"2"', "now")
    assert (row(state, START, "warc, start, length"), dict(state.counts)) == (place, {"stored": 1})
    state.frontier.ask_again()
    come(state, None, read=ReadPage(BODY + b"!", None, Reason.NO_TEXT, "empty"))
    assert row(state, START, "state, reason, detail") == ("done", "no_text", "empty")
    assert row(state, START, "start")[0] == start + length
    assert state.counts["stored"] == 1  # a page of before is no further page of the crawl
    assert entry.digest is None


def test_pages_shown_in_a_browser_are_counted_by_what_came_of_it(tmp_path: Path) -> None:
    state = waiting_crawl(tmp_path, *map(found_at, "abc"))
    shown = made_answer(rendering=Rendering(BODY, made=FETCHED, by="x"))
    come(state, None, answer=shown)
    come(state, None, answer=shown)
    come(state, None, answer=shown, read=ReadPage(BODY, None, "not_rendered", "why"))
    come(state, None)
    assert dict(state.counts) == {"stored": 4, "rendered": 2, "not_rendered": 1}


def test_what_is_no_page_is_refused_with_its_reason(tmp_path: Path) -> None:
    state = waiting_crawl(tmp_path)
    come(state, None, read=Drop(START, Reason.NOT_HTML, "image/png"), answer=made_answer(ETag='"1"'))
    told = row(state, START, "state, reason, detail, status, etag, warc")
    assert told == ("refused", "not_html", "image/png", 200, '"1"', None)
    assert dict(state.counts) == {"refused": 1}


@pytest.mark.parametrize(("tier", "asks", "kept"), [(5, True, False), (4, True, True), (5, False, True)])
def test_only_a_start_is_refused_for_being_a_form_that_asks_for_a_password(
    tmp_path: Path, tier: int, asks: bool, kept: bool
) -> None:
    state = waiting_crawl(tmp_path, found_at("a", tier=tier))
    come(state, None, read=ReadPage(BODY, made_contents(Link(f"{SITE}/b")), asks_password=asks))
    told = ("done", "", "") if kept else ("refused", "login", "a form that asks for a password")
    assert row(state, f"{SITE}/a", "state, reason, detail") == told
    assert count_rows(state.frontier, "url=?", [f"{SITE}/b"]) == kept


RESERVED = TdmRule("/*", True, "https://site.example.com/policy")


@pytest.mark.parametrize(
    ("metas", "fields", "reserved", "told", "followed"),
    [
        ([], {}, None, ("done", "", ""), True),
        ([("robots", "noindex")], {}, None, ("refused", "noindex", ""), True),
        ([("robots", "nofollow")], {}, None, ("done", "", ""), False),
        ([("diglot", "noindex, nofollow")], {}, None, ("refused", "noindex", ""), False),
        ([("other", "noindex")], {}, None, ("done", "", ""), True),
        ([], {"X-Robots-Tag": "none"}, None, ("refused", "noindex", ""), False),
        ([], {}, RESERVED, ("refused", "tdm_reserved", RESERVED.policy), False),
        ([("robots", "noindex")], {}, RESERVED, ("refused", "tdm_reserved", RESERVED.policy), False),
        ([("tdm-reservation", "0")], {}, RESERVED, ("done", "", ""), True),
        ([], {"tdm-reservation": "1"}, None, ("refused", "tdm_reserved", ""), False),
    ],
)
def test_what_a_page_asks_decides_whether_it_is_kept_and_followed(
    tmp_path: Path,
    metas: Sequence[tuple[str, str]],
    fields: dict[str, str],
    reserved: TdmRule | None,
    told: tuple[str, str, str],
    followed: bool,
) -> None:
    state = waiting_crawl(tmp_path)
    read = ReadPage(BODY, made_contents(Link(f"{SITE}/b")), metas=tuple(metas))
    come(state, None, read=read, answer=made_answer(**fields), reserved=reserved)
    assert row(state, START, "state, reason, detail") == told
    assert (row(state, START, "warc")[0] is None) is (told[0] == "refused")
    assert row(state, START, "status") == (200,)
    assert count_rows(state.frontier, "url=?", [f"{SITE}/b"]) == followed
    assert row(state, START, "page_lang") == ("en" if followed else None,)
    assert state.counts["refused"] == (told[0] == "refused")


def test_a_page_kept_without_text_or_links_teaches_nothing(tmp_path: Path) -> None:
    state = waiting_crawl(tmp_path)
    come(state, None)
    assert (row(state, START, "state, page_lang, partnered"), list(state.frontier.noted_links_and_texts())) == (
        ("done", None, None),
        [],
    )
    assert state.prioritiser.link_priority(f"{HOST}/") == 20.0


@pytest.mark.parametrize("depth", [0, 1])
def test_a_sitemap_takes_no_host_into_the_site(tmp_path: Path, depth: int) -> None:
    state = waiting_crawl(tmp_path, found_at("map.xml", kind="sitemap", depth=depth))
    _redirect(state, "https://elsewhere.org/map.xml")
    assert row(state, f"{SITE}/map.xml", "detail")[0].endswith("which is not of this site")
    assert count_rows(state.frontier, "host='elsewhere.org'") == 0
