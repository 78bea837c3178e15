"""One hostile host that counts what is asked of it and when, on a clock that only moves when somebody waits.

A behaviour is a function from an address, and how often it was asked for before, to a reply. What the downloader
makes of broken connections is written down here as it tells it; :mod:`test_hostile_loopback` has the real ones.
"""

from __future__ import annotations

import gzip
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

from made_crawls import BEGAN, made_page

from diglot.crawl.archive import Archive
from diglot.crawl.options import make_crawl_options
from diglot.crawl.page_reading import Answer, Job, read_answer
from diglot.crawl.queue.frontier import Frontier
from diglot.crawl.scheduler import Scheduler

HOST = "site.example.com"
SITE = f"https://{HOST}"
THIRD = "https://third.example.net"
MAX_BYTES = 1 << 20
MINUTES = 60.0


@dataclass(frozen=True)
class Reply:
    """What the host sends. ``lost``: why there is no answer at all; ``crash``: reading it raises that."""

    status: int = 200
    fields: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    took_s: float = 0.05
    truncated: str = ""
    lost: str = ""
    crash: type[Exception] | None = None


Behaviour = Callable[[str, int], Reply]
MISSING = Reply(404)


@dataclass
class Counts:
    """What a host saw. ``times_s`` by server: when requests came."""

    asked: Counter[str] = field(default_factory=Counter)
    times_s: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    notices: list[str] = field(default_factory=list)
    ended_s: float = 0.0

    @property
    def requests(self) -> int:
        """In all."""
        return sum(self.asked.values())

    @property
    def most(self) -> int:
        """To any one address."""
        return max(self.asked.values(), default=0)

    @property
    def least_gap_s(self) -> float:
        """Between two requests to one server."""
        return min((b - a for times in self.times_s.values() for a, b in pairwise(times)), default=float("inf"))


@dataclass
class _Clock:
    s: float

    def now(self) -> datetime:
        return BEGAN + timedelta(seconds=self.s)


def crawl_hostile(
    behaviour: Behaviour,
    folder: Path,
    *,
    began_s: float = 0.0,
    seconds: float = 10 * MINUTES,
    delay_s: float = 1.0,
    kill_every: int = 0,
) -> Counts:
    """Crawl the host for so much virtual time, or go on from ``began_s``.

    With ``kill_every`` the crawl is killed and started again after so many requests, every other time while one is
    under way.
    """
    counts, clock = Counts(), _Clock(began_s)
    while True:
        killed = _run(behaviour, folder, counts, clock, seconds, delay_s, kill_every)
        if not killed:
            counts.ended_s = clock.s
            return counts


def _run(
    behaviour: Behaviour, folder: Path, counts: Counts, clock: _Clock, seconds: float, delay_s: float, kill_every: int
) -> bool:
    """One process; whether it was killed with work left."""
    frontier = Frontier(folder / "journal.db")
    archive = Archive(folder / "warc", frontier, software="test")
    agent = "me/1.0 (+https://me.example/)"
    options = make_crawl_options([f"{SITE}/"], ["en", "fr"], {"delay_s": delay_s, "agent": agent})
    scheduler = Scheduler(options, frontier, archive, clock=lambda: clock.s, now=clock.now)
    scheduler.begin()
    made = 0
    try:
        while (job := scheduler.next_job()) is not None:
            clock.s += scheduler.wait_s(job)
            if clock.s >= seconds:
                return False
            reply = behaviour(job.url, counts.asked[job.url])
            counts.asked[job.url] += 1
            counts.times_s[job.server].append(clock.s)
            made += 1
            under_way = kill_every and made == kill_every and counts.requests // kill_every % 2
            if not under_way:
                clock.s += reply.took_s
                _tell(scheduler, job, reply, clock)
            if kill_every and made == kill_every:
                return True
        assert scheduler.next_job() is None
        return False
    finally:
        scheduler.conclude()
        counts.notices += scheduler.state.notices
        frontier.close()


def _tell(scheduler: Scheduler, job: Job, reply: Reply, clock: _Clock) -> None:
    """What the spider does with it."""
    if reply.lost:
        scheduler.note_failure(job, "unreachable", reply.lost, for_good=reply.lost == "certificate")
        return
    named = [(name.encode(), value.encode("latin-1")) for name, value in reply.fields.items()]
    fetched = clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    line = f"GET {urlsplit(job.url).path} HTTP/1.1"
    answer = Answer(reply.status, named, reply.body, fetched, reply.took_s, reply.truncated, request_line=line)
    try:
        if reply.crash is not None:
            raise reply.crash("planted")
        scheduler.handle_response(job, answer, read_answer(job, answer, max_bytes=MAX_BYTES))
    except Exception as error:  # noqa: BLE001  as the signal spider_error has it
        scheduler.note_crash(job, error)


# -- an ordinary site, and what is hostile about it ------------------------------------------------

HTML = {"Content-Type": "text/html"}
LINKS = 30


def links_to(urls: Iterable[str]) -> str:
    return "".join(f'<a href="{url}">read on</a>' for url in urls)


def page_of(number: int, links: Iterable[str] = (), head: str = "", **fields: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in fields.items()}
    return Reply(200, {**HTML, **named}, made_page("en", number, links_to(links), head))


def number_of(url: str) -> int:
    digits = "".join(filter(str.isdigit, urlsplit(url).path + urlsplit(url).query))
    return int(digits[-9:] or 0)


def ordinary(url: str, _: int) -> Reply:
    """A start page with thirty links to pages."""
    path = urlsplit(url).path
    if path == "/":
        return page_of(0, (f"/p/{n}" for n in range(LINKS)))
    return page_of(number_of(url)) if path.startswith("/p/") else MISSING


def site(
    *,
    robots: Behaviour | Reply | None = None,
    tdm: Behaviour | Reply | None = None,
    sitemap: Behaviour | Reply | None = None,
    page: Behaviour | Reply | None = None,
    start: Behaviour | Reply | None = None,
) -> Behaviour:
    """The ordinary site with some kinds of answers replaced."""

    def behave(url: str, times: int) -> Reply:
        path = urlsplit(url).path
        chosen = page
        if "robots" in path:
            chosen = robots or MISSING
        elif "tdmrep" in path:
            chosen = tdm or MISSING
        elif "sitemap" in path:
            chosen = sitemap or MISSING
        elif path == "/":
            chosen = start
        made = chosen or ordinary
        return made if isinstance(made, Reply) else made(url, times)

    return behave


def busy(retry_after: str = "", status: int = 503) -> Reply:
    return Reply(status, {**HTML, "Retry-After": retry_after} if retry_after else HTML)


def moved(to: str, **fields: str) -> Reply:
    return Reply(301, {"Location": to, **fields})


def text(body: str) -> Reply:
    return Reply(200, {"Content-Type": "text/plain"}, body.encode())


def xml(body: str) -> Reply:
    return Reply(200, {"Content-Type": "text/xml"}, body.encode())


def index_of(urls: Iterable[str]) -> Reply:
    return xml(f"<sitemapindex>{''.join(f'<sitemap><loc>{url}</loc></sitemap>' for url in urls)}</sitemapindex>")


def urlset_of(urls: Iterable[str]) -> Reply:
    return xml(f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>")


def _other_scheme(url: str, _: int) -> Reply:
    other = "http" if url.startswith("https") else "https"
    return moved(other + url[url.index(":") :])


def _next(url: str, _: int) -> Reply:
    return moved(f"{urlsplit(url).path}x")


def _two(url: str, _: int) -> Reply:
    path = urlsplit(url).path
    return moved(path[:-1] if path.endswith("~") else path + "~")


def _every_other(reply: Reply) -> Behaviour:
    return lambda url, times: reply if number_of(url) % 2 else ordinary(url, times)


def _calendar(url: str, _: int) -> Reply:
    n = number_of(url)
    days = (f"/p/day?d={n}{day:02d}" for day in range(28))
    head = f"<html><p>Nothing happens in this month, come again.</p>{links_to([f'/p/month?m={n + 1}', *days])}</html>"
    return Reply(200, HTML, head.encode())


def _sessions(url: str, times: int) -> Reply:
    visitor = sha256(f"{url}{times}".encode()).hexdigest()
    return page_of(number_of(url) % LINKS, (f"/p/{n}?sessionid={visitor}{n}" for n in range(9)))


def _unique(url: str, times: int) -> Reply:
    return page_of(number_of(url), (f"/p/x?q={number_of(url) * 7 + n + times}" for n in range(1, 8)))


def _soft_404(url: str, _: int) -> Reply:
    made = links_to(f"/p/gone-{number_of(url) * 3 + n}.html" for n in range(1, 4))
    return Reply(200, HTML, f"<html><p>Sorry, this page is gone. Perhaps you like these?</p>{made}</html>".encode())


def _refreshes(url: str, _: int) -> Reply:
    head = f'<meta http-equiv="refresh" content="0; url={url}"><meta http-equiv="refresh" content="0; url={url}?n">'
    return page_of(number_of(url), (), head)


def _based(url: str, _: int) -> Reply:
    head = f'<base href="{url}/a/../b/">'
    return page_of(number_of(url), ("./", "../", "p/1", "?", "#", "//", "p/1/p/1"), head)


def _canonical(url: str, _: int) -> Reply:
    return page_of(number_of(url), (), f'<link rel="canonical" href="/p/{(number_of(url) + 1) % LINKS}">')


def _hreflangs(url: str, _: int) -> Reply:
    tags = (f'<link rel="alternate" hreflang="fr" href="/p/fr-{number_of(url) * 30 + n}">' for n in range(30))
    return page_of(number_of(url), (), "".join(tags))


@cache
def _bomb_bytes() -> bytes:
    return gzip.compress(bytes(1 << 26))


def _bomb(*_: object) -> Reply:
    return Reply(200, {**HTML, "Content-Encoding": "gzip"}, _bomb_bytes())


YEAR = "31536000"
FAR_DATE = "Fri, 01 Jan 2027 00:00:00 GMT"
PAST_DATE = "Thu, 01 Jan 1970 00:00:00 GMT"
NO_DATE = "Fri, 31 Dec 99999999999 23:59:59 GMT"
CUT = Reply(200, HTML, b"<html><p>The beginning", 120.0, "time")
ENDLESS = Reply(200, HTML, b"<html><p>On and on", 9.0, "length")
LATE = Reply(lost="no answer in time", took_s=40.0)
RESET = Reply(lost="ConnectionLost: Connection to the other side was lost", took_s=0.1)
BINARY = Reply(200, {"Content-Type": "application/octet-stream"}, bytes(range(256)) * 99)
ODD_DELAYS = "Crawl-delay: -9\nCrawl-delay: nan\nCrawl-delay: inf"
SITEMAP_URL = f"{SITE}/sitemap.xml"

BEHAVIOURS: dict[str, tuple[Behaviour, int]] = {
    # name: behaviour, and most requests that it may draw in ten minutes at a delay of one second
    "ordinary site": (ordinary, 34),
    "robots.txt 503, Retry-After a year": (site(robots=busy(YEAR)), 1),
    "robots.txt 503, Retry-After a date in a year": (site(robots=busy(FAR_DATE)), 1),
    "robots.txt 503, Retry-After no date": (site(robots=busy(NO_DATE)), 3),
    "robots.txt 503, Retry-After negative": (site(robots=busy("-5")), 3),
    "robots.txt 503, Retry-After 0": (site(robots=busy("0")), 3),
    "robots.txt 503, Retry-After past": (site(robots=busy(PAST_DATE)), 3),
    "robots.txt 429": (site(robots=busy(status=429)), 3),
    "robots.txt 500": (site(robots=Reply(500)), 3),
    "robots.txt never comes": (site(robots=LATE), 1),
    "robots.txt reset": (site(robots=RESET), 1),
    "robots.txt that we cannot make sense of": (site(robots=Reply(crash=OverflowError)), 1),
    "robots.txt moved to itself": (site(robots=moved("/robots.txt")), 34),
    "robots.txt in a redirect loop": (site(robots=_two), 36),
    "robots.txt in redirects without end": (site(robots=_next), 40),
    "robots.txt from http to https and back": (site(robots=_other_scheme), 36),
    "robots.txt moved to a host that is overloaded": (
        site(robots=lambda url, _: busy(YEAR) if url.startswith(THIRD) else moved(f"{THIRD}/robots.txt")),
        2,
    ),
    "robots.txt without end": (site(robots=ENDLESS), 34),
    "robots.txt by drops": (site(robots=CUT), 34),
    "robots.txt a gzip bomb": (site(robots=_bomb), 34),
    "robots.txt binary": (site(robots=BINARY), 34),
    "Crawl-delay of a year": (site(robots=text(f"User-agent: *\nCrawl-delay: {YEAR}")), 1),
    "Crawl-delay negative, nan, inf": (site(robots=text("User-agent: *\n" + ODD_DELAYS)), 34),
    "Crawl-delay of 100 s": (site(robots=text("User-agent: *\nCrawl-delay: 100")), 7),
    "tdmrep.json 503, Retry-After a year": (site(tdm=busy(YEAR)), 2),
    "tdmrep.json 503": (site(tdm=busy("0")), 36),
    "tdmrep.json in a redirect loop": (site(tdm=_two), 34),
    "tdmrep.json without end": (site(tdm=ENDLESS), 34),
    "sitemap 503": (site(sitemap=busy("0")), 36),
    "sitemap 503, Retry-After a year": (site(sitemap=busy(YEAR)), 4),
    "sitemap indexes in a loop": (site(sitemap=index_of([f"{SITE}/sitemap-{n}.xml" for n in range(3)])), 37),
    "sitemap index of itself with numbers": (
        site(sitemap=lambda url, _: index_of(f"{SITEMAP_URL}?{number_of(url) * 9 + n}" for n in range(1, 9))), 540),
    "sitemap of 5,000 pages that are not there": (
        site(sitemap=urlset_of(f"{SITE}/no/{n}" for n in range(5000))), 600),
    "sitemaps on 300 other hosts": (
        site(robots=text("".join(f"Sitemap: https://h{n}.example.net/sitemap.xml\n" for n in range(300))),
             sitemap=lambda url, _: index_of([f"https://h{number_of(url)}x.example.net/sitemap.xml"])), 54),
    "sitemap moved to another host": (site(sitemap=moved(f"{THIRD}/sitemap.xml")), 34),
    "sitemap a gzip bomb": (site(sitemap=_bomb), 34),
    "pages 503, Retry-After 0": (site(page=busy("0")), 16),
    "pages 503, Retry-After past": (site(page=busy(PAST_DATE)), 16),
    "pages 503, Retry-After no date": (site(page=busy(NO_DATE)), 16),
    "pages 429, Retry-After a year": (site(page=busy(YEAR, 429)), 5),
    "pages 503, Retry-After 500 s": (site(page=busy("500")), 8),
    "every other page 503, Retry-After 0": (site(page=_every_other(busy("0"))), 64),
    "pages moved to themselves": (site(page=lambda url, _: moved(url)), 34),
    "pages moved to themselves with a cookie": (site(page=lambda url, _: moved(url, **{"Set-Cookie": "seen=1"})), 34),
    "pages in redirect loops": (site(page=_two), 64),
    "pages in redirects without end": (site(page=_next), 214),
    "pages from http to https and back": (site(page=_other_scheme), 64),
    "pages moved to no address": (site(page=moved("https:///x")), 35),
    "pages moved to a port that is none": (site(page=moved(f"http://{HOST}:99999/")), 34),
    "pages moved to another host": (site(page=moved(f"{THIRD}/")), 34),
    "pages moved to an address of 100,000 characters": (site(page=moved("/" + "x" * 100_000)), 34),
    "the start moved on and on to other hosts": (
        site(start=lambda url, _: moved(f"https://h{number_of(urlsplit(url).netloc) + 1}.example.net/")), 24),
    "a calendar without end": (site(page=_calendar, start=_calendar), 600),
    "session numbers": (site(page=_sessions), 64),
    "queries without end": (site(page=_unique), 600),
    "pages that say not found and link on": (site(page=_soft_404), 200),
    "pages without end": (site(page=ENDLESS), 34),
    "pages by drops": (site(page=CUT), 34),
    "pages reset": (site(page=RESET), 94),
    "pages that never come": (site(page=LATE), 94),
    "pages cut in the middle": (site(page=Reply(200, HTML, b"<html><p>Half", truncated="disconnect")), 94),
    "pages in broken chunks": (site(page=Reply(lost="ResponseFailed: _DataLoss")), 94),
    "pages in broken gzip": (site(page=Reply(200, {**HTML, "Content-Encoding": "gzip"}, b"\x1f\x8b no gzip")), 34),
    "pages a gzip bomb": (site(page=_bomb), 34),
    "pages that we cannot make sense of": (site(page=Reply(crash=ValueError)), 34),
    "no TLS handshake": (lambda url, _: Reply(lost="no TLS connection (wrong version number)"), 1),
    "a certificate for another host": (lambda url, _: Reply(lost="certificate"), 1),
    "a certificate for another host, from the first page on": (site(page=Reply(lost="certificate")), 34),
    "meta refresh at once": (site(page=_refreshes), 600),
    "base href tricks": (site(page=_based), 600),
    "canonical links in a loop": (site(page=_canonical), 34),
    "thirty versions on each page": (site(page=_hreflangs), 600),
    "X-Robots-Tag none": (site(page=lambda url, _: page_of(number_of(url), ["/p/99"], X_Robots_Tag="none")), 34),
    "100 Continue without end": (site(page=Reply(lost="ConnectionAborted", took_s=0.5)), 94),
    "header fields without end": (site(page=Reply(lost="ConnectionAborted", took_s=2.0)), 94),
    "401": (site(page=Reply(401, HTML)), 34),
    "407": (site(page=Reply(407, HTML)), 34),
    "204": (site(page=Reply(204)), 34),
    "304 that nobody asked for": (site(page=Reply(304)), 34),
}  # fmt: skip
