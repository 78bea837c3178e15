"""Both sides of the constants of a crawl: the last value that passes, and the first that does not, worked by hand."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from handed_pages import BODY, HOST, SITE, found_at, made_answer, made_contents, waiting_crawl
from made_crawls import BEGAN, MadeCrawl, MadeSite

from diglot.crawl.archive import Archive, Exchange
from diglot.crawl.crawl_state import Pacing
from diglot.crawl.options import make_crawl_options
from diglot.crawl.page_reading import ReadPage, is_login, read_page
from diglot.crawl.queue import sitemaps, traps
from diglot.crawl.queue.frontier import Frontier
from diglot.crawl.queue.prioritiser import Link, Prioritiser, follows_links
from diglot.crawl.queue.site_scope import SiteScope
from diglot.crawl.queue.sitemaps import read_sitemap
from diglot.crawl.queue.traps import TrapGuard, address_shape, text_hashes, why_odd
from diglot.crawl.rules import read_policy, read_robots, read_tdmrep
from diglot.crawl.wire.address_guard import AddressRules, Refusal, judge_url
from diglot.errors import UsageError

HERE = "https://a.example/sitemap.xml"


# -- pace ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("took_s", "rest_s"), [(0.5, 1.0), (1.5, 1.5), (119.0, 119.0), (120.0, 120.0), (121.0, 120.0)])
def test_the_delay_grows_with_the_answer_from_one_second_to_two_minutes(took_s: float, rest_s: float) -> None:
    pacing = Pacing(1.0, lambda: 0.0)
    pacing.note_answer("a", took_s=took_s)
    assert pacing.wait_s("a") == rest_s


@pytest.mark.parametrize(("until_s", "notices"), [(600.0, 0), (601.0, 1)])
def test_a_rest_of_an_earlier_process_is_waited_for_up_to_ten_minutes(
    tmp_path: Path, until_s: float, notices: int
) -> None:
    state = MadeCrawl(MadeSite({}), tmp_path, f"{SITE}/").scheduler.state
    state.resume_rest(HOST, BEGAN.timestamp() + until_s)
    assert (len(state.notices), HOST in state.left) == (notices, bool(notices))
    assert state.pacing.wait_s(HOST) == (0.0 if notices else until_s)


@pytest.mark.parametrize(("asked_s", "noted_s"), [(86_399, 86_399.0), (86_401, 86_400.0)])
def test_no_rest_is_noted_for_longer_than_a_day(tmp_path: Path, asked_s: int, noted_s: float) -> None:
    state = MadeCrawl(MadeSite({}), tmp_path, f"{SITE}/").scheduler.state
    state.hold(HOST, str(asked_s))
    assert state.frontier.rests() == {HOST: BEGAN.timestamp() + noted_s}


@pytest.mark.parametrize(("times", "left"), [(11, False), (12, True)])
def test_the_twelfth_overloaded_answer_in_a_row_ends_a_host(tmp_path: Path, times: int, left: bool) -> None:
    state = MadeCrawl(MadeSite({}), tmp_path, f"{SITE}/").scheduler.state
    for _ in range(times):
        state.hold(HOST, "1")
    assert (HOST in state.left) is left
    if left:
        return
    state.pacing.note_recovery(HOST)  # another answer: the row begins anew
    state.hold(HOST, "1")
    assert HOST not in state.left


def test_a_host_turns_its_scheme_twice_and_no_third_time(tmp_path: Path) -> None:
    state = MadeCrawl(MadeSite({}), tmp_path, f"{SITE}/").scheduler.state
    schemes = []
    for scheme in ("http", "https", "http", "https"):
        state.confirm_scheme(f"{scheme}://{HOST}/a")
        schemes.append(state.scope.scheme_of(HOST))
    assert schemes == ["http", "https", "https", "https"]


# -- robots.txt and reservations -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "problem", "read"),
    [(0, True, False), (199, True, False), (200, False, True), (299, False, True), (300, False, False),
     (428, False, False), (429, True, False), (430, False, False), (499, False, False), (500, True, False)],
)  # fmt: skip
def test_what_each_status_of_robots_txt_allows(status: int, problem: bool, read: bool) -> None:
    policy = read_policy(b"User-agent: *\nDisallow: /a", status, "diglot")
    assert (bool(policy.problem), policy.robots is not None) == (problem, read)
    assert policy.verdict(f"{SITE}/a", "diglot").allowed is (not problem and not read)


def test_ten_thousand_rules_of_a_reservation_file_are_read() -> None:
    rules = [{"location": f"/{n}/"} for n in range(10_001)]
    assert [rule.location for rule in read_tdmrep(json.dumps(rules).encode())][-1] == "/9999/"


@pytest.mark.parametrize(("padding", "rules"), [(0, 1), (1, 0)])
def test_a_mebibyte_of_a_reservation_file_is_read(padding: int, rules: int) -> None:
    rule = b'[{"location": "/"}]'
    assert len(read_tdmrep(b" " * ((1 << 20) - len(rule) + padding) + rule)) == rules


@pytest.mark.parametrize(("delay", "seconds"), [("999999999", 999_999_999.0), ("1234567890", 123_456_789.0)])
def test_a_crawl_delay_has_nine_digits(delay: str, seconds: float) -> None:
    assert read_robots(f"User-agent: *\nCrawl-delay: {delay}\n".encode()).delay_s("diglot") == seconds


# -- traps -----------------------------------------------------------------------------------------

LETTERS = [f"{first}{second}" for first in "abcdefgh" for second in "stuvwxyz"]


@pytest.mark.parametrize(
    ("path", "odd"),
    [
        ("x" * (2000 - len("https://a.example/")), False),
        ("x" * (2001 - len("https://a.example/")), True),
        ("/".join(LETTERS[:20]), False),
        ("/".join(LETTERS[:21]), True),
        ("p?" + "&".join(LETTERS[:20]), False),
        ("p?" + "&".join(LETTERS[:21]), True),
        ("a/a/b", False),
        ("a/a/a/b", True),
        ("/".join(LETTERS[:5] * 2), False),
        ("/".join(LETTERS[:5] * 3), True),
        ("/".join(LETTERS[:6] * 3), False),  # a run of six is not looked for
        ("a/b/a/c/a/d/a", False),
        ("a/b/a/c/a/d/a/e/a", True),
        ("1/1/1/1/1/1", False),  # numbers are no words
    ],
)
def test_the_form_of_an_address_is_odd_from_here_on(path: str, odd: bool) -> None:
    assert bool(why_odd(f"https://a.example/{path}")) is odd


@pytest.mark.parametrize(
    ("part", "shape"),
    [
        ("deadbeef", "#"),  # eight hexadecimal digits
        ("deadbee", "deadbee"),
        ("abcdefghijklmno1", "#"),  # sixteen characters with a digit look drawn by lot
        ("abcdefghijklmn1", "abcdefghijklmn#"),
        ("abcdefghijklmnop", "abcdefghijklmnop"),
    ],
)
def test_parts_of_an_address_look_drawn_by_lot_from_here_on(part: str, shape: str) -> None:
    assert address_shape(f"https://a.example/{part}") == f"a.example/{shape}"


@pytest.mark.parametrize(("chars", "texts"), [(19, 0), (20, 1)])
def test_a_text_that_tells_pages_apart_has_twenty_characters(chars: int, texts: int) -> None:
    assert len(text_hashes("https://a.example/x", ["z" * chars])) == texts


@pytest.mark.parametrize(("text", "pages", "worn"), [("A page that is gone for ever", 49, False),
                                                     ("A page that is gone for ever", 50, True),
                                                     ("short", 99, False), ("short", 100, True)])  # fmt: skip
def test_pages_are_worn_once_so_many_are_alike(text: str, pages: int, worn: bool) -> None:
    guard = TrapGuard()
    for n in range(pages):
        guard.note_page(f"{SITE}/old/{n}", text_hashes(f"{SITE}/old/{n}", [text]))
        guard.note_links([f"{SITE}/last"], f"{SITE}/old/{n}")
    assert (guard.judge(f"{SITE}/last") is not None) is worn


def _tree(guard: TrapGuard, pages: int, *, leading: int) -> str:
    """Pages of one form, of which some lead to one new page of that form; the address of such a new page."""
    items = [f"{SITE}/t/{n}" for n in range(pages)]
    guard.note_links(items, f"{SITE}/list")
    for n, item in enumerate(items):
        guard.note_page(item, text_hashes(item, [f"text {chr(0x4E00 + n) * 20}"]))
        if n < leading:
            guard.note_links([f"{SITE}/t/{1000 + n}"], item)
    return f"{SITE}/t/1000"


@pytest.mark.parametrize(
    ("pages", "leading", "stopped"), [(149, 149, False), (150, 150, True), (150, 75, True), (150, 74, False)]
)
def test_a_form_spreads_from_150_pages_half_of_which_lead_on(pages: int, leading: int, stopped: bool) -> None:
    guard = TrapGuard()
    assert (guard.judge(_tree(guard, pages, leading=leading)) is not None) is stopped


@pytest.mark.parametrize(("met", "stopped"), [(14, True), (15, False)])
def test_a_form_is_met_when_a_second_page_knows_a_twentieth_of_it(met: int, stopped: bool) -> None:
    guard = TrapGuard()
    last = _tree(guard, 150, leading=150)  # 300 addresses are known: a twentieth is 15
    guard.note_links([f"{SITE}/t/{n}" for n in range(met)], f"{SITE}/other")
    assert (guard.judge(last) is not None) is stopped


def test_three_pages_that_lead_to_an_address_are_remembered() -> None:
    """A fourth one, with text of its own, is not; so once the first three are worn, the address is left."""
    guard, target = TrapGuard(), f"{SITE}/target"
    guard.note_links([target], f"{SITE}/old/0")
    guard.note_links([target], f"{SITE}/old/1")
    guard.note_links([target], f"{SITE}/old/2")
    guard.note_links([target], f"{SITE}/own")
    guard.note_page(f"{SITE}/own", text_hashes(f"{SITE}/own", ["A page with something of its own to read"]))
    for n in range(traps.MAX_COPIES):
        guard.note_page(f"{SITE}/old/{n}", text_hashes(f"{SITE}/old/{n}", ["This page is gone for ever"]))
    assert guard.judge(target) is not None
    guard.note_links([target], f"{SITE}/own")  # takes the place of a worn one
    assert guard.judge(target) is None


# -- sitemaps --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("chars", "read"), [(2048, 1), (2049, 0)])
@pytest.mark.parametrize("form", ["{}\n", "<urlset><url><loc>{}</loc></url></urlset>"])
def test_an_address_in_a_sitemap_has_2048_characters(form: str, chars: int, read: int) -> None:
    address = "https://a.example/" + "x" * (chars - len("https://a.example/"))
    assert len(read_sitemap(form.format(address).encode(), url=HERE).entries) == read


@pytest.mark.parametrize(("limit", "problem"), [(6, ""), (5, "more than 5 elements")])
def test_no_more_elements_are_read_than_the_limit(monkeypatch: pytest.MonkeyPatch, limit: int, problem: str) -> None:
    monkeypatch.setattr(sitemaps, "MAX_ELEMENTS", limit)
    pages = "".join(f"<url><loc>https://a.example/{n}</loc></url>" for n in range(2))
    assert read_sitemap(f"<urlset>{pages}<end/></urlset>".encode(), url=HERE).problem == problem


@pytest.mark.parametrize(("gap_kib", "found"), [(1000, 2), (1100, 1)])
def test_a_mebibyte_without_an_address_ends_the_reading(gap_kib: int, found: int) -> None:
    gap = b"<!--" + b"x" * (gap_kib << 10) + b"-->"
    body = (
        b"<urlset><url><loc>https://a.example/1</loc></url>%b<url><loc>https://a.example/2</loc></url></urlset>" % gap
    )
    sitemap = read_sitemap(body, url=HERE)
    assert len(sitemap.entries) == found
    assert sitemap.problem == ("" if found == 2 else "1,048,576 bytes without an address")


def test_languages_of_a_sitemap_are_cut_after_forty_characters() -> None:
    link = f'<x:link xmlns:x="http://www.w3.org/1999/xhtml" hreflang="{"a" * 41}" href="https://a.example/2"/>'
    body = f"<urlset><url><loc>https://a.example/1</loc>{link}</url></urlset>"
    (entry,) = read_sitemap(body.encode(), url=HERE).entries
    assert entry.alternates == (("a" * 40, "https://a.example/2"),)


# -- pages and links -------------------------------------------------------------------------------


@pytest.mark.parametrize(("chars", "followed"), [(199, True), (200, False)])
def test_the_language_of_a_page_counts_from_200_characters_on(chars: int, followed: bool) -> None:
    assert follows_links(made_contents(lang="de", chars=chars), lambda lang: lang in ("en", "fr")) is followed


@pytest.mark.parametrize(("chars", "links", "login"), [(1000, 10, True), (1001, 10, False), (1000, 11, False)])
def test_a_login_page_has_little_beside_its_form(chars: int, links: int, login: bool) -> None:
    contents = made_contents(*(Link(f"{SITE}/{n}") for n in range(links)), chars=chars)
    assert is_login(ReadPage(BODY, contents, asks_password=True)) is login


@pytest.mark.parametrize(("links", "kept"), [(200, 200), (201, 200)])
def test_two_hundred_links_of_a_page_without_text_are_followed(links: int, kept: int) -> None:
    body = b"<html>" + b"".join(b'<a href="/%d"></a>' % n for n in range(links)) + b"</html>"
    read = read_page(f"{SITE}/", made_answer(body=body, Content_Type="text/html"), max_bytes=1 << 20)
    assert isinstance(read, ReadPage)
    assert read.contents is not None
    assert len(read.contents.links) == kept


@pytest.mark.parametrize(("letters", "named"), [(40, True), (41, False)])
def test_a_name_of_a_language_has_forty_characters(letters: int, named: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diglot.crawl.queue.prioritiser.names_language", lambda anchor, lang, _: lang == "fr")
    prioritiser = Prioritiser(SiteScope(("en", "fr")), ("en", "fr"))
    assert prioritiser._language_in("f" * letters, "en") == ("fr" if named else "")


def test_the_depth_of_a_link_costs_a_hundredth(tmp_path: Path) -> None:
    state = waiting_crawl(tmp_path)
    entry = state.frontier.take([])
    assert entry is not None
    (link,) = state.prioritiser.links(entry, made_contents(Link(f"{SITE}/a")), expand=True).found
    assert link.priority == pytest.approx(10 + 20 * 0.5 - 0.01)


# -- archive and options ---------------------------------------------------------------------------


@pytest.mark.parametrize(("room", "files"), [(0, 2), (1, 1)])
def test_a_file_of_the_archive_is_closed_when_it_has_reached_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int, files: int
) -> None:
    frontier = Frontier(tmp_path / "journal.db")
    archive = Archive(tmp_path / "warc", frontier, software="test")
    exchange = Exchange(f"{SITE}/", "2026-01-01T00:00:00Z", "HTTP/1.1 200 OK", [], [], BODY, "GET / HTTP/1.1")
    place = archive.append(exchange, frontier)
    monkeypatch.setattr("diglot.crawl.archive.MAX_FILE_BYTES", place.start + place.length + room)
    archive.append(exchange, frontier)
    assert len(frontier.archives()) == files
    frontier.close()


@pytest.mark.parametrize(
    ("options", "allowed"),
    [
        ({"max_pages": 500}, True),
        ({"max_pages": 501}, False),
        ({"max_pages": 501, "agent": "me (+https://me.example/)"}, True),
        ({"max_pages": 501, "agent": "me"}, False),
        ({"max_pages": 501, "agent": "me (a@b.example)"}, True),
        ({"max_pages": 501, "proxy": "http://127.0.0.1:8080"}, True),
        ({"max_pages": 501, "allow_hosts": ("a.example:80",)}, True),
        ({"agent": "x" * 300}, True),
        ({"agent": "x" * 301}, False),
        ({"agent": " x"}, False),
        ({"agent": "é"}, False),
        ({"max_time_s": -1.0}, False),
        ({"delay_s": float("inf")}, False),
        ({"proxy": "http://127.0.0.1"}, False),
        ({"proxy": "https://127.0.0.1:8080"}, False),
    ],
)
def test_options_are_taken_or_refused(options: dict[str, Any], allowed: bool) -> None:
    if allowed:
        assert make_crawl_options([f"{SITE}/"], (), options).starts == (f"{SITE}/",)
    else:
        with pytest.raises(UsageError):
            make_crawl_options([f"{SITE}/"], (), options)


@pytest.mark.parametrize(
    ("url", "refused"),
    [
        ("http://a.example/" + "x" * (8000 - len("http://a.example/")), False),
        ("http://a.example/" + "x" * (8001 - len("http://a.example/")), True),
        (f"http://{'a' * 63}.example/", False),
        (f"http://{'a' * 64}.example/", True),
        ("http://" + ".".join(["a" * 49] * 5) + ".abc/", False),  # 253 characters
        ("http://" + ".".join(["a" * 49] * 5) + ".abcde/", True),  # 255
        ("http://a.example:00080/", False),
        ("http://a.example:81/", True),
        ("http://a.example:443/", False),
        ("http://a.example:65616/", True),  # 80 + 65,536
    ],
)
def test_the_guard_reads_addresses_up_to_here(url: str, refused: bool) -> None:
    assert isinstance(judge_url(url, AddressRules()), Refusal) is refused


def test_a_day_old_robots_file_is_asked_for_again(tmp_path: Path) -> None:
    site = MadeSite({f"{SITE}/robots.txt": b"User-agent: *\nAllow: /\n", f"{SITE}/": BODY})
    MadeCrawl(site, tmp_path, f"{SITE}/").run()
    for later, asked in ((timedelta(days=1) - timedelta(seconds=1), 1), (timedelta(days=1), 2)):
        site.now_s = later.total_seconds()
        crawl = MadeCrawl(site, tmp_path, f"{SITE}/")
        crawl.frontier.add([found_at(f"new{asked}")])
        crawl.run()
        crawl.frontier.close()
        assert site.asked.count(f"{SITE}/robots.txt") == asked
