"""What a crawl asks for, in which order, and what it makes of answers; no socket is opened."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from journal_rows import journal_rows
from made_crawls import MadeCrawl, MadeSite, made_page

from diglot.crawl.queue.records import Denial
from diglot.pages import open_sources, read
from diglot.records import Page

HOST = "https://site.example.com"


def _switch(number: int, lang: str) -> str:
    other, name = ("fr", "Français") if lang == "en" else ("en", "English")
    return f'<a href="/{other}/{number}.html">{name}</a>'


def _chain(count: int) -> dict[str, bytes | tuple[int, dict[str, str]]]:
    """Pages in two languages; English ones link to the next two, and each to its version by a language's name."""
    pages: dict[str, bytes | tuple[int, dict[str, str]]] = {}
    for number in range(count):
        onward = "".join(f'<a href="/en/{n}.html">{n}</a>' for n in (number + 1, number + 2) if n < count)
        for lang in ("en", "fr"):
            body = made_page(lang, number, _switch(number, lang) + (onward if lang == "en" else ""))
            pages[f"{HOST}/{lang}/{number}.html"] = body
    return pages


def test_every_page_once_and_all_of_them_in_the_archive(tmp_path: Path) -> None:
    site = MadeSite(_chain(12))
    asked = MadeCrawl(site, tmp_path, f"{HOST}/en/0.html", ("en", "fr")).run()
    assert sorted(asked) == sorted(site.answers)
    source = open_sources([str(tmp_path / "warc" / "crawl-00000.warc.gz")])[0]
    assert {page.url: page.body for page in read(source) if isinstance(page, Page)} == site.answers


def test_a_crawl_cut_short_holds_pages_with_their_versions(tmp_path: Path) -> None:
    site = MadeSite(_chain(20))
    asked = MadeCrawl(site, tmp_path, f"{HOST}/en/0.html", ("en", "fr"), max_pages=10).run()
    assert len(asked) == 10
    numbers = [url.rpartition("/")[2] for url in asked]
    assert all(numbers.count(number) == 2 for number in numbers)


@pytest.mark.parametrize("stops", [[1], [2, 3, 3], [5] * 8])
def test_a_crawl_stopped_anywhere_goes_on_and_asks_for_nothing_twice(tmp_path: Path, stops: list[int]) -> None:
    site = MadeSite(_chain(12))
    for requests in stops:
        crawl = MadeCrawl(site, tmp_path, f"{HOST}/en/0.html", ("en", "fr"))
        crawl.run(requests)
        crawl.scheduler.next_job()
        crawl.frontier.close()
    asked = MadeCrawl(site, tmp_path, f"{HOST}/en/0.html", ("en", "fr")).run()
    assert sorted(asked) == sorted(site.answers)


def test_pages_in_other_languages_are_not_expanded(tmp_path: Path) -> None:
    german = made_page("de", 1, '<a href="/de/2.html">mehr</a><a href="/fr/9.html">Français</a>')
    site = MadeSite(
        {
            f"{HOST}/": made_page("en", 0, '<a href="/de/1.html">more</a><a href="/de/3.html">Deutsch</a>'),
            f"{HOST}/de/1.html": german,
            f"{HOST}/fr/9.html": made_page("fr", 9),
        }
    )
    crawl = MadeCrawl(site, tmp_path, f"{HOST}/", ("en", "fr"))
    assert set(crawl.run()) == set(site.answers)
    assert crawl.states()[f"{HOST}/de/3.html"] == ("refused", "other_language")
    assert f"{HOST}/de/2.html" not in crawl.states()


def test_versions_that_were_the_original_under_another_address_go_last(tmp_path: Path) -> None:
    """A site that shows English under every French address: links are worth more than its French."""
    pages = {f"{HOST}/en/{n}.html": made_page("en", n, _switch(n, "en")) for n in range(1, 30)}
    pages |= {f"{HOST}/fr/{n}.html": made_page("en", n, " ") for n in range(1, 30)}
    pages[f"{HOST}/"] = made_page("en", 0, "".join(f'<a href="/en/{n}.html">{n}</a>' for n in range(1, 30)))
    asked = MadeCrawl(MadeSite({**pages}), tmp_path, f"{HOST}/", ("en", "fr"), max_pages=25).run()
    assert 1 <= sum("/fr/" in url for url in asked) <= 4


def test_robots_delay_and_sitemaps(tmp_path: Path) -> None:
    robots = b"User-agent: *\nDisallow: /private\nCrawl-delay: 4\nSitemap: https://site.example.com/map.xml\n"
    sitemap = (
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">'
        f"<url><loc>{HOST}/plain.html</loc></url><url><loc>{HOST}/en/1.html</loc>"
        f'<xhtml:link rel="alternate" hreflang="fr" href="{HOST}/fr/un.html"/></url></urlset>'
    )
    site = MadeSite(
        {
            f"{HOST}/robots.txt": robots,
            f"{HOST}/map.xml": sitemap.encode(),
            f"{HOST}/": made_page("en", 0, '<a href="/private/x.html">x</a>'),
            **{f"{HOST}/{path}": made_page("en", 1) for path in ("plain.html", "en/1.html", "private/x.html")},
            f"{HOST}/fr/un.html": made_page("fr", 1),
        }
    )
    crawl = MadeCrawl(site, tmp_path, f"{HOST}/", ("en", "fr"), delay_s=1.0)
    crawl.run()
    assert site.asked[0] == f"{HOST}/robots.txt"
    assert site.asked[3:] == [f"{HOST}/map.xml", *(f"{HOST}/{p}" for p in ("en/1.html", "fr/un.html", "plain.html"))]
    assert crawl.states()[f"{HOST}/private/x.html"] == ("refused", "robots")
    assert min(later - sooner for sooner, later in pairwise(site.times_s[1:])) >= 4.0


def test_redirects_are_kept_followed_five_times_and_not_out_of_the_site(tmp_path: Path) -> None:
    answers: dict[str, bytes | tuple[int, dict[str, str]]] = {
        f"{HOST}/hop{n}": (302, {"Location": f"/hop{n + 1}"}) for n in range(9)
    }
    answers |= {
        f"{HOST}/": made_page("en", 0, '<a href="/hop0">a</a><a href="/away">b</a><a href="/old">c</a>'),
        f"{HOST}/away": (301, {"Location": "https://elsewhere.example.net/"}),
        f"{HOST}/old": (301, {"Location": "/new"}),
        f"{HOST}/new": made_page("en", 1),
    }
    site = MadeSite(answers)
    crawl = MadeCrawl(site, tmp_path, f"{HOST}/")
    asked = crawl.run()
    assert [url for url in asked if "hop" in url] == [f"{HOST}/hop{n}" for n in range(6)]
    assert f"{HOST}/new" in asked
    assert not any("elsewhere" in url for url in asked)


def test_a_site_that_sends_to_https_is_asked_for_nothing_twice(tmp_path: Path) -> None:
    plain = HOST.replace("https", "http")
    links = '<a href="http://site.example.com/a">a</a><a href="https://site.example.com/a">a</a>'
    site = MadeSite(
        {
            f"{plain}/": (301, {"Location": f"{HOST}/"}),
            f"{HOST}/": made_page("en", 0, links),
            f"{HOST}/a": made_page("en", 1),
        }
    )
    assert MadeCrawl(site, tmp_path, f"{plain}/").run() == [f"{plain}/", f"{HOST}/", f"{HOST}/a"]


def test_an_overloaded_host_is_asked_again_after_the_time_it_says(tmp_path: Path) -> None:
    site = MadeSite({f"{HOST}/": (503, {"Retry-After": "90"})})
    crawl = MadeCrawl(site, tmp_path, f"{HOST}/", delay_s=1.0)
    crawl.run(4)
    site.answers[f"{HOST}/"] = made_page("en", 0)
    crawl.run()
    times = [moment for url, moment in zip(site.asked, site.times_s, strict=True) if url == f"{HOST}/"]
    assert times[1] - times[0] >= 90
    assert crawl.states()[f"{HOST}/"][0] == "done"


DAY_S = 24 * 3600.0


@pytest.mark.parametrize(
    ("head", "reason", "followed"),
    [
        ('<meta name="robots" content="noindex">', "noindex", True),
        ('<meta name="robots" content="none">', "noindex", False),
        ('<meta name="tdm-reservation" content="1">', "tdm_reserved", False),
        ('<meta name="robots" content="nofollow">', "", False),
    ],
)
def test_what_a_page_reserves_is_honoured(tmp_path: Path, head: str, reason: str, followed: bool) -> None:
    site = MadeSite(
        {
            f"{HOST}/": made_page("en", 0, '<a href="/a">a</a>'),
            f"{HOST}/a": made_page("en", 1, '<a href="/b">b</a>', head),
            f"{HOST}/b": made_page("en", 2),
        }
    )
    crawl = MadeCrawl(site, tmp_path, f"{HOST}/")
    assert (f"{HOST}/b" in crawl.run()) is followed
    assert crawl.states()[f"{HOST}/a"] == ("refused" if reason else "done", reason)


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_robots_file_that_a_server_in_trouble_withholds_is_asked_for_three_times_and_then_once_in_every_run(
    tmp_path: Path, status: int
) -> None:
    site = MadeSite({f"{HOST}/robots.txt": (status, {}), f"{HOST}/": made_page("en", 0)})
    # Who runs it again at once, or later, is told without a wait.
    waits = {429: [(3, True), (6, True), (9, True)]}.get(status, [(3, True), (3, False), (4, False)])
    for number, (requests, waits_long) in enumerate(waits):
        site.now_s += 200.0 * (number == 2)
        began_s = site.now_s
        crawl = MadeCrawl(site, tmp_path, f"{HOST}/")
        assert crawl.run() == []
        assert (site.now_s - began_s >= 60) is waits_long
        crawl.scheduler.conclude()
        assert site.asked == [f"{HOST}/robots.txt"] * requests
        assert crawl.states() == {f"{HOST}/": ("queued", "host_left")}
        crawl.frontier.close()
    how = "answered 3" if status == 429 else "has since 2026-01-01 answered"
    (told,) = crawl.scheduler.state.left.values()
    assert told.startswith(f"{how} requests for its robots.txt with {status}")
    assert ("goes ahead from 2026-01-31 on" in told) is (status != 429)
    assert min(later - sooner for sooner, later in pairwise(site.times_s)) >= 30, "it needs time"
    site.answers[f"{HOST}/robots.txt"] = (301, {"Location": "/rules"})
    site.answers[f"{HOST}/rules"] = (301, {"Location": "/rules.txt"})
    site.answers[f"{HOST}/rules.txt"] = (status, {})
    site.now_s += 200.0
    crawl = MadeCrawl(site, tmp_path, f"{HOST}/")
    crawl.run(requests=4)
    site.answers[f"{HOST}/rules.txt"] = b"User-agent: *\nDisallow: /"
    if status != 429:  # left after one chain
        site.now_s += 200.0
        crawl.frontier.close()
        crawl = MadeCrawl(site, tmp_path, f"{HOST}/")
    crawl.run()
    assert crawl.states() == {f"{HOST}/": ("refused", "robots")}, "the way through redirects is followed anew"


@pytest.mark.parametrize(
    ("days", "fetched", "requests"),
    [
        ((0, 7, 14, 21, 28), False, 1),
        ((0, 7, 14, 21, 28, 30.1), True, 1),
        ((0, 7, 14, 22, 28, 30.1), False, 1),
        ((0, 8), False, 3),
        ((0, 30.1), False, 3),
    ],
)
@pytest.mark.parametrize("known", [b"", b"User-agent: *\nDisallow: /secret"])
def test_after_thirty_days_of_errors_in_place_of_a_robots_file_the_last_one_counts(
    days: tuple[float, ...], fetched: bool, requests: int, known: bytes, tmp_path: Path
) -> None:
    start = made_page("en", 0, '<a href="/secret">s</a><a href="/a">a</a>')
    site = MadeSite({f"{HOST}/": start, f"{HOST}/a": made_page("en", 1), f"{HOST}/secret": made_page("en", 2)})
    if known:
        site.answers[f"{HOST}/robots.txt"] = known
        crawl = MadeCrawl(site, tmp_path, f"{HOST}/")
        crawl.run()
        crawl.frontier.close()
    site.answers[f"{HOST}/robots.txt"] = (500, {})
    for day in days:
        site.now_s = DAY_S * (10 + day)
        site.asked.clear()
        crawl = MadeCrawl(site, tmp_path, f"{HOST}/")
        # A run without any answer ends no such time, and loses no rules.
        crawl.frontier.note_robots("site.example.com", "https", b"", 0, 0.0)
        crawl.frontier.ask_again()
        crawl.run()
        crawl.scheduler.conclude()
        crawl.frontier.close()
    assert site.asked.count(f"{HOST}/robots.txt") == requests
    pages = {f"{HOST}/", f"{HOST}/a"} | (set() if known else {f"{HOST}/secret"})
    assert set(site.pages_asked()) == (pages if fetched else set())


def test_a_rest_that_a_host_asks_for_in_place_of_its_robots_file_is_kept_in_every_run(tmp_path: Path) -> None:
    site = MadeSite({f"{HOST}/robots.txt": (503, {"Retry-After": "100"}), f"{HOST}/": made_page("en", 0)})
    for _ in range(2):
        crawl = MadeCrawl(site, tmp_path, f"{HOST}/")
        crawl.run()
        crawl.frontier.close()
    assert min(later - sooner for sooner, later in pairwise(site.times_s)) >= 100


def test_without_a_contact_strangers_are_asked_for_500_pages(tmp_path: Path) -> None:
    site = MadeSite({})
    assert MadeCrawl(site, tmp_path, f"{HOST}/").scheduler.options.page_limit == 500
    with_contact = MadeCrawl(site, tmp_path, f"{HOST}/", agent="me/1.0 (+https://me.example/)")
    assert with_contact.scheduler.options.page_limit == 0


INWARD = ["http://127.0.0.1/a", "http://169.254.169.254/latest/", "http://0x7f000001/", "http://user@b.example/"]


@pytest.mark.parametrize("url", INWARD)
def test_where_the_guard_lets_nobody_go_is_noted_with_its_words(tmp_path: Path, url: str) -> None:
    found = f'<a href="{url}">x</a><a href="/r">r</a>'
    version = f'<link rel="alternate" hreflang="en" href="{url}?v">'
    sitemap = f"<urlset><url><loc>{url}?s</loc></url></urlset>".encode()
    site = MadeSite(
        {
            f"{HOST}/sitemap.xml": sitemap,
            f"{HOST}/": made_page("en", 0, found, version),
            f"{HOST}/r": (302, {"Location": f"{url}?r"}),
        }
    )
    crawl = MadeCrawl(site, tmp_path, f"{HOST}/", ("en", "fr"))
    assert set(crawl.run()) == {f"{HOST}/", f"{HOST}/r"}
    refused = journal_rows(crawl.frontier, "url, detail", "state='refused' AND reason='refused_address'")
    assert {address for address, _ in refused} == {url, f"{url}?v", f"{url}?s", f"{url}?r"}
    assert all(detail for _, detail in refused)


def test_codes_and_addresses_that_mean_nothing_stop_no_page(tmp_path: Path) -> None:
    codes = ["english", "a", "*", "fr,en", "français", "-fr", "", "x"]
    links = "".join(f'<a href="/x" hreflang="{code}">x</a><a href="http://[{code}">y</a>' for code in codes)
    refresh = '<meta http-equiv="refresh" content="9; url=http://[">'
    pages = {f"{HOST}/{n}": made_page("en", n, links, refresh).replace(b'"en"', b'"?"', 1) for n in range(3)}
    start = made_page("en", 9, "".join(f'<a href="/{n}">English</a>' for n in (*range(3), "r")))
    site = MadeSite({f"{HOST}/": start, **pages, f"{HOST}/r": (302, {"Location": "http://["})})
    crawl = MadeCrawl(site, tmp_path, f"{HOST}/", ("en", "fr"))
    crawl.run()
    assert {crawl.states()[url][0] for url in (f"{HOST}/", *pages)} == {"done"}


def test_what_a_crawl_knows_of_traps_outlives_it(tmp_path: Path) -> None:
    """A list without end, killed every seven requests, is left after as many pages as by one crawl."""

    def endless(folder: Path, stops: int) -> int:
        folder.mkdir()
        texts = '<p>Nothing was found for you this time, dear guest.</p><a href="/list?page={}">Next</a>'
        pages = {f"{HOST}/list?page={n}": f"<html>{texts.format(n + 1)}</html>".encode() for n in range(400)}
        site = MadeSite({f"{HOST}/": made_page("en", 0, '<a href="/list?page=0">list</a>'), **pages})
        for _ in range(stops):
            crawl = MadeCrawl(site, folder, f"{HOST}/")
            crawl.run(7)
            crawl.frontier.close()
        crawl = MadeCrawl(site, folder, f"{HOST}/")
        asked = crawl.run()
        crawl.frontier.close()
        assert len(set(asked)) == len(asked)
        return len(asked)

    whole = endless(tmp_path / "whole", 0)
    assert whole < 100
    assert endless(tmp_path / "stopped", 12) == whole


@pytest.mark.parametrize(("menu", "kept"), [(3, False), (20, True)])
def test_a_start_that_is_only_a_login_form_is_no_page(tmp_path: Path, menu: int, kept: bool) -> None:
    form = '<form><input name="u"><input type="password"></form>'
    links = "".join(f'<a href="/{n}">{n}</a>' for n in range(menu))
    site = MadeSite({f"{HOST}/": (302, {"Location": "/login"}), f"{HOST}/login": made_page("en", 0, form + links)})
    crawl = MadeCrawl(site, tmp_path, f"{HOST}/")
    crawl.run()
    assert crawl.states()[f"{HOST}/login"] == (("done", "") if kept else ("refused", "login"))


@pytest.mark.parametrize("status", [500, 502, 504, 200])
def test_a_server_in_trouble_is_asked_again_for_a_page_after_the_others(tmp_path: Path, status: int) -> None:
    """200: the connection breaks before the end of the page."""
    pages = {f"{HOST}/a": made_page("en", 1), f"{HOST}/b": made_page("en", 2)}
    site = MadeSite({f"{HOST}/": made_page("en", 0, '<a href="/a">a</a><a href="/b">b</a>'), **pages})
    if status == 200:
        site.cut.add(f"{HOST}/a")
    else:
        site.answers[f"{HOST}/a"] = (status, {})
    crawl = MadeCrawl(site, tmp_path, f"{HOST}/")
    assert crawl.run(requests=6)[-2:] == [f"{HOST}/a", f"{HOST}/b"]
    site.answers |= pages
    site.cut.clear()
    assert crawl.run()[-1] == f"{HOST}/a"
    assert {state for state, _ in crawl.states().values()} == {"done"}
    assert crawl.frontier.outcome_counts()["failed"] == 0


def test_a_page_that_never_comes_whole_is_asked_for_three_times_over_all_runs_and_no_page(tmp_path: Path) -> None:
    site = MadeSite({f"{HOST}/": made_page("en", 0)}, cut={f"{HOST}/"})
    for requests in (4, 1, 1):
        crawl = MadeCrawl(site, tmp_path, f"{HOST}/")
        crawl.run(requests)
        crawl.frontier.close()
    crawl = MadeCrawl(site, tmp_path, f"{HOST}/")
    assert crawl.run() == [f"{HOST}/"] * 3
    assert crawl.states() == {f"{HOST}/": ("failed", "truncated")}
    assert len(crawl.frontier.places_in_use()) == 1, "what came of it is in the archive"
    counts = crawl.frontier.outcome_counts()
    assert (counts["pages"], counts["failed"], crawl.scheduler.stored_pages) == (0, 1, 0)
    assert crawl.frontier.reason_counts("failed") == {"truncated": 1}


def test_a_page_longer_than_the_limit_is_not_asked_for_again(tmp_path: Path) -> None:
    site = MadeSite({f"{HOST}/": made_page("en", 0)}, cut={f"{HOST}/"}, cut_by="length")
    crawl = MadeCrawl(site, tmp_path, f"{HOST}/")
    assert crawl.run() == [f"{HOST}/"]
    assert crawl.states() == {f"{HOST}/": ("failed", "truncated")}


def test_a_page_that_a_proxy_has_changed_is_a_page(tmp_path: Path) -> None:
    """Status 203."""
    pages = {f"{HOST}/": made_page("en", 0, '<a href="/a">a</a>'), f"{HOST}/a": made_page("en", 1)}
    site = MadeSite({url: (203, {}, body) for url, body in pages.items()})
    crawl = MadeCrawl(site, tmp_path, f"{HOST}/")
    assert crawl.run() == [*pages]
    assert (crawl.frontier.outcome_counts()["pages"], crawl.frontier.count_stored_pages()) == (2, 2)
    source = open_sources([str(tmp_path / "warc" / "crawl-00000.warc.gz")])[0]
    assert {page.url: page.body for page in read(source) if isinstance(page, Page)} == pages


ABROAD = "https://www.site.fr"


def _abroad(back: str) -> dict[str, bytes | tuple[int, dict[str, str]] | tuple[int, dict[str, str], bytes]]:
    """A page that names a version on another host, which names this one ``back``, and links to another page there."""
    head = f'<link rel="alternate" hreflang="fr" href="{ABROAD}/un">'
    return {
        f"{HOST}/": made_page("en", 0, f'<a href="{ABROAD}/deux">deux</a>', head),
        f"{ABROAD}/un": (301, {"Location": "https://site.fr/un"}),
        "https://site.fr/un": made_page("fr", 0, f'{back}<a href="/deux">deux</a><a href="{HOST}/b">b</a>'),
        "https://site.fr/deux": made_page("fr", 1),
        f"{HOST}/b": made_page("en", 1),
    }


@pytest.mark.parametrize(
    ("back", "joins"),
    [
        ("", False),
        (f'<a href="{HOST}/">Site</a>', False),
        (f'<link rel="alternate" hreflang="en" href="{HOST}/">', True),
        ('<link rel="alternate" hreflang="en" href="https://third.example.net/">', False),
    ],
)
def test_a_host_is_of_the_site_where_versions_go_both_ways(tmp_path: Path, back: str, joins: bool) -> None:
    """Before, only the version is fetched; afterwards also other pages and the sitemap of the host."""
    site = MadeSite(_abroad(back))
    site.answers["https://site.fr/sitemap.xml"] = b"<urlset><url><loc>https://site.fr/trois</loc></url></urlset>"
    crawl = MadeCrawl(site, tmp_path, f"{HOST}/", ("en", "fr"))
    there = ["https://site.fr/deux", "https://site.fr/trois"] if joins else []
    assert sorted(crawl.run()) == sorted([f"{HOST}/", f"{HOST}/b", f"{ABROAD}/un", "https://site.fr/un", *there])
    assert [note.host for note in crawl.frontier.hosts() if note.member][1:] == ["site.fr"] * joins


def test_a_sitemap_leads_to_versions_elsewhere_and_no_further(tmp_path: Path) -> None:
    sitemap = (
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">'
        f'<url><loc>{HOST}/</loc><xhtml:link rel="alternate" hreflang="fr" href="{ABROAD}/un"/></url></urlset>'
    )
    site = MadeSite(
        {
            f"{HOST}/sitemap.xml": sitemap.encode(),
            f"{HOST}/": made_page("en", 0),
            f"{ABROAD}/un": made_page("fr", 0, '<a href="/deux">deux</a>'),
        }
    )
    assert MadeCrawl(site, tmp_path, f"{HOST}/", ("en", "fr")).run() == [f"{HOST}/", f"{ABROAD}/un"]


NEW = "https://new.example.net"


@pytest.mark.parametrize(
    ("status", "to", "follows"),
    [(302, NEW + "{}", False), (301, NEW + "/", False), (301, NEW + "{}", True)],
    ids=["login", "parked", "moved"],
)
def test_an_update_follows_the_start_elsewhere_only_where_pages_move_there(
    tmp_path: Path, status: int, to: str, follows: bool
) -> None:
    pages = {"/": made_page("en", 0, '<a href="/a">a</a>'), "/a": made_page("en", 1, '<a href="/">home</a>')}
    site = MadeSite({HOST + path: body for path, body in pages.items()})
    crawl = MadeCrawl(site, tmp_path, f"{HOST}/", ("en", "fr"))
    crawl.run()
    crawl.frontier.ask_again()
    crawl.frontier.close()
    site.asked.clear()
    site.answers = {NEW + path: body for path, body in pages.items()}
    site.answers |= {HOST + path: (status, {"Location": to.format(path)}) for path in pages}
    again = MadeCrawl(site, tmp_path, f"{HOST}/", ("en", "fr"))
    there = [f"{NEW}/a", f"{NEW}/"] if follows else []
    assert again.run() == [f"{HOST}/", f"{HOST}/a", *there]


def test_a_start_that_is_new_may_lead_elsewhere_in_an_update(tmp_path: Path) -> None:
    site = MadeSite({f"{HOST}/": made_page("en", 0), f"{NEW}/": made_page("en", 1)})
    crawl = MadeCrawl(site, tmp_path, f"{HOST}/")
    crawl.run()
    crawl.frontier.ask_again()
    crawl.frontier.close()
    site.answers[f"{HOST}/new"] = (302, {"Location": f"{NEW}/"})
    assert MadeCrawl(site, tmp_path, f"{HOST}/new").run()[-1] == f"{NEW}/"


def test_updates_ask_ever_more_seldom_for_what_is_not_there_or_gone(tmp_path: Path) -> None:
    """A page that the site has had is asked for every time, until it is gone."""
    links = "".join(f'<a href="/{name}">{name}</a>' for name in ("never", "gone", "missing", "broken"))
    pages = {f"{HOST}/": made_page("en", 0, links), f"{HOST}/gone": made_page("en", 1)}
    site = MadeSite({**pages, f"{HOST}/missing": made_page("en", 2), f"{HOST}/broken": (403, {})})
    crawl = MadeCrawl(site, tmp_path, f"{HOST}/")
    crawl.run()
    for name in ("gone", "missing"):
        site.answers[f"{HOST}/{name}"] = (410, {})
    (gone,) = crawl.frontier.ids_of([f"{HOST}/gone"])
    asked = []
    for update in range(10):
        crawl.frontier.set_denials({gone: Denial("missing", 0.0, update > 0)})
        crawl.frontier.ask_again()
        crawl.frontier.close()
        site.asked.clear()
        crawl = MadeCrawl(site, tmp_path, f"{HOST}/")
        asked.append({url.removeprefix(f"{HOST}/") for url in crawl.run()})
    always = {"", "missing", "broken"}
    assert all(always <= each for each in asked)
    assert [number for number, each in enumerate(asked, 1) if "never" in each] == [1, 2, 4, 8]
    assert [number for number, each in enumerate(asked, 1) if "gone" in each] == [1, 2, 3, 5, 9], "gone from the 2nd on"


def test_of_a_site_that_was_away_all_pages_are_asked_for_each_time(tmp_path: Path) -> None:
    paths = ("", "a", "b")
    site = MadeSite(
        {f"{HOST}/{path}": made_page("en", n, '<a href="/a">a</a><a href="/b">b</a>') for n, path in enumerate(paths)}
    )
    crawl = MadeCrawl(site, tmp_path, f"{HOST}/")
    crawl.run()
    site.answers = {f"{HOST}/{path}": (410, {}) for path in paths}
    ids = crawl.frontier.ids_of([f"{HOST}/{path}" for path in paths])
    for update in range(6):
        crawl.frontier.set_denials({page: Denial("missing", 0.0, update > 0) for page in ids})
        crawl.frontier.ask_again()
        crawl.frontier.close()
        site.asked.clear()
        crawl = MadeCrawl(site, tmp_path, f"{HOST}/")
        assert sorted(crawl.run()) == sorted(f"{HOST}/{path}" for path in paths)


@pytest.mark.parametrize("in_sitemap", [False, True])
def test_of_pages_that_wait_with_the_marker_of_an_unwanted_language_three_are_asked_for(
    tmp_path: Path, in_sitemap: bool
) -> None:
    paths = [f"/{lang}/{n}.html" for n in range(9) for lang in ("de", "en")]
    links = "".join(f'<a href="{path}">{path[-6]}</a>' for path in paths)
    sitemap = f"<urlset>{''.join(f'<url><loc>{HOST}{path}</loc></url>' for path in paths)}</urlset>".encode()
    site = MadeSite({HOST + path: made_page(path[1:3], n) for n, path in enumerate(paths)})
    site.answers[f"{HOST}/"] = made_page("en", 99, "" if in_sitemap else links)
    site.answers |= {f"{HOST}/sitemap.xml": sitemap} if in_sitemap else {}
    crawl = MadeCrawl(site, tmp_path, f"{HOST}/", ("en", "fr"))
    asked = crawl.run()
    assert (sum("/en/" in url for url in asked), sum("/de/" in url for url in asked)) == (9, 3)
    assert sum(state == ("refused", "other_language") for state in crawl.states().values()) == 6
    crawl.frontier.ask_again()
    site.asked.clear()
    assert sum("/de/" in url for url in crawl.run()) == 3, "an update asks for the pages in the archive"
