"""Every bad answer for pages that came well before: what an update loses, wrongly keeps, or does not mend.

A made-up bilingual site of 20 pages is served on loopback and crawled. Each round is a bad answer for one page, a tenth
of the pages or all: three updates meet it (the second an hour later, the third a day later), then one meets the site as
it was. In a third of the rounds the bad updates are killed between two requests and run again. After each update pages
that the run reads are compared with what the rule allows (docs/decisions/0023-a-good-copy-stands.md); in some rounds
the run is harvested whole, and its segments compared. The certificate is refused by the downloader, all else by the
server.

Lost: pages not in use, or in use with another text, although the site said nothing clear. Wrongly kept: pages in use
although it did. Not mended: rounds in which the last update did not bring back the pages and segments of before.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import resource
import shutil
import socket
import struct
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from unittest import mock

from attack.tally import Tally
from attack.update_answers import (
    GONE,
    MAINTENANCE,
    OTHER_TEXT,
    RESET,
    STALL,
    WISH,
    Attack,
    Sent,
    attacks,
    etag,
    message,
    notice,
)
from diglot import updating
from diglot.crawl.archive import Archive
from diglot.crawl.crawling import CrawlResult
from diglot.crawl.fetcher import Fetcher
from diglot.crawl.options import CrawlOptions, make_crawl_options
from diglot.crawl.queue.frontier import Frontier
from diglot.crawl.scheduler import Scheduler
from diglot.crawl.update_time import Clocks
from diglot.crawl.wire import download as wire
from diglot.crawl.wire.address_guard import read_allow_hosts
from diglot.crawl.wire.connection import CertificateRefused
from diglot.crawl.wire.download import Downloader, FetchLimits, Request, Response
from diglot.disk.folder import RunFolder
from diglot.documents.parse import parse_page
from diglot.errors import DiglotError, NothingFound, SiteOutage
from diglot.harvesting import harvest
from diglot.pages import open_sources, read
from diglot.progress import Progress
from diglot.records import Page
from diglot.results.run import open_run
from diglot.run.crawl import archive_sources, write_fetches
from diglot.run.work import CRAWL, WARC

LANGS = ("en", "fr")
COUNT = 20
SCOPES = {"one page": 1, "a tenth": COUNT // 10, "all": COUNT}
KILLED_SHARE, HARVESTED_SHARE = 1 / 3, 1 / 20
LOST, KEPT, UNMENDED = "pages lost", "wrongly kept", "not mended"
"""Counts of faults."""
HOURS = (0, 1, 26)
"""Times of the bad updates."""
ENDED = {"": "ended well", "outage": "ended as an outage", "nothing": "ended with nothing left"}
LIMITS = FetchLimits(connect_s=2.0, first_byte_s=0.15, rate_window_s=0.15, min_bytes_per_s=64)
WORDS = {
    "en": "the harbour opens every morning before the boats leave for the open sea and the market wakes",
    "fr": "le port ouvre chaque matin avant que les bateaux partent vers la mer et que le marché se réveille",
}


class Killed(BaseException):
    """In place of a signal that nobody can catch."""


def made_site() -> dict[str, bytes]:
    """Pages by path, each linked to its version and to two others."""
    pages = {}
    for number in range(COUNT // 2):
        for lang, other in (("en", "fr"), ("fr", "en")):
            rng = random.Random(number)
            words = WORDS[lang].split()
            lines = [
                " ".join([*words[rng.randrange(6) :], f"{number}{line}", *words[: rng.randrange(4, 9)]]).capitalize()
                for line in range(6)
            ]
            body = "".join(f"<p>{line}.</p>" for line in lines)
            children = [n for n in (2 * number + 1, 2 * number + 2) if n < COUNT // 2]
            links = "".join(f'<li><a href="/{lang}/{n}.html">{n}</a></li>' for n in children)
            head = f'<meta charset="utf-8"><link rel="alternate" hreflang="{other}" href="/{other}/{number}.html">'
            html = f'<html lang="{lang}"><head>{head}</head><body>{body}<ul>{links}</ul></body></html>'
            pages[f"/{lang}/{number}.html"] = html.encode()
    return pages


@dataclass
class Server:
    """The site on loopback; ``attack`` answers for the paths ``hit``."""

    pages: Mapping[str, bytes]
    attack: Attack | None = None
    hit: frozenset[str] = frozenset()
    port: int = 0
    _open: set[asyncio.StreamWriter] = field(default_factory=set)

    def answer(self, path: str, fields: Mapping[str, str]) -> Sent:
        """What is sent for a path."""
        attack, bare = self.attack, path.removesuffix("?again")
        if path == "/robots.txt":
            return attack.robots if attack and attack.robots else Sent(message(404))
        if attack and attack.answer and bare in self.hit:
            return attack.answer(path, self.pages[bare])
        if attack and path == MAINTENANCE:
            return Sent(message(200, notice(30)))
        body = self.pages.get(path)
        if body is None:
            return Sent(message(404))
        if fields.get("if-none-match") == etag(body).partition(": ")[2]:
            return Sent(message(304, b"", etag(body)))
        return Sent(message(200, body, etag(body)))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of a connection."""
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                line, *rest = head.decode("latin-1").split("\r\n")
                fields = {name.lower(): value.strip() for name, _, value in (each.partition(":") for each in rest)}
                path = line.split(" ")[1]
                sent = self.answer(path, fields)
                writer.write(sent.data)
                await writer.drain()
                if sent.then == STALL:
                    await asyncio.sleep(1.0)
                if sent.then == RESET:
                    linger = struct.pack("ii", 1, 0)
                    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                if path.removesuffix("?again") in self.hit or sent.then or path == "/robots.txt":
                    break
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            writer.close()


@contextmanager
def serving(server: Server) -> Iterator[Server]:
    """Serve on a free port of loopback, in a thread."""
    loop = asyncio.new_event_loop()
    listener = loop.run_until_complete(asyncio.start_server(server.serve, "127.0.0.1", 0))
    server.port = listener.sockets[0].getsockname()[1]
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        listener.close()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()


class AttackedDownloader(Downloader):
    """A downloader that finds the certificate of a server invalid for the paths of an attack."""

    server: Server

    async def fetch(self, request: Request) -> Response:
        """Fetch one address."""
        path = "/" + request.url.split("/", 3)[3]
        if self.server.attack and self.server.attack.refuses and path in self.server.hit:
            raise CertificateRefused("127.0.0.1: its certificate has expired")
        return await super().fetch(request)


def crawl(server: Server, run: Path, options: CrawlOptions, kill_after: int = 0) -> None:
    """Crawl in this process; Killed after ``kill_after`` answers."""
    left = [kill_after]

    def after_answer(_url: str) -> None:
        left[0] -= 1
        if not left[0]:
            raise Killed

    with closing(Frontier(run / "journal.db")) as frontier, ThreadPoolExecutor(1) as reader:
        archive = Archive(run / WARC, frontier, software="attack")
        scheduler = Scheduler(options, frontier, archive, clock=time.monotonic)
        scheduler.begin()
        fetcher = Fetcher(scheduler, parse=parse_page, reader=reader, after_answer=after_answer)
        downloader = AttackedDownloader(read_allow_hosts(options.allow_hosts), limits=LIMITS)
        downloader.server = server
        fetcher._downloader = downloader
        asyncio.run(fetcher.run())
        scheduler.conclude()


def update(server: Server, run: Path, *, hours: float = 0.0, kill_after: int = 0, whole: bool = False) -> str:
    """Update a run; returns how it ended. Without ``whole`` nothing is read again."""
    clocks = Clocks(1e9 + 3600 * hours, "of the attack", 3600 * hours)

    def stage(folder: RunFolder, options: CrawlOptions, _: Progress, *, needs_pages: bool) -> CrawlResult:
        crawl(server, folder.path, options, kill_after)
        with closing(Frontier(folder.path / "journal.db")) as frontier:
            counts = frontier.outcome_counts()
        folder.remember(CRAWL, "done", True)
        return CrawlResult([], counts)

    patches = [mock.patch.object(updating, "crawl_stage", stage)]
    patches.append(mock.patch.object(updating, "read_clocks", return_value=clocks))
    if not whole:
        for name, value in (("harvest_into", None), ("write_deltas", {}), ("kept_marks", {})):
            patches.append(mock.patch.object(updating, name, return_value=value))
    try:
        for patch in patches:
            patch.start()
        updating.update(run, jobs=1)
    except SiteOutage:
        return "outage"
    except NothingFound:
        return "nothing"
    except DiglotError as error:
        return str(error)
    except Killed:
        return "killed"
    finally:
        mock.patch.stopall()
    return ""


def texts_in_use(run: Path) -> dict[str, str]:
    """Digest of each page that the run reads, by path."""
    with RunFolder(run, create=False) as folder:
        sources = open_sources(archive_sources(folder))
    pages = [page for source in sources for page in read(source) if isinstance(page, Page)]
    return {"/" + page.url.split("/", 3)[3]: hashlib.sha256(page.body).hexdigest() for page in pages}


def segments_of(run: Path) -> list[tuple[str, str]]:
    """Segments of a run, sorted."""
    return sorted((segment.src, segment.tgt) for segment in open_run(run).segments(*LANGS))


def made_run(server: Server, run: Path) -> None:
    """Crawl and harvest the site as it is."""
    host = f"127.0.0.1:{server.port}"
    run.mkdir()
    others = {"allow_hosts": (host,), "delay_s": 0.0}
    starts = [f"http://{host}/en/0.html"]
    crawl(server, run, make_crawl_options(starts, LANGS, others))
    with RunFolder(run) as folder:
        write_fetches(folder)
        folder.remember(CRAWL, "options", {"starts": starts, "langs": [*LANGS], "allow_hosts": [host], "delay_s": 0.0})
        folder.remember(CRAWL, "done", True)
        files = archive_sources(folder)
    harvest(files, LANGS, run, jobs=1)


def allowed(attack: Attack, scope: int, hours: int) -> bool | None:
    """Whether pages under attack stay in use after a bad update; None where either is right."""
    if attack.says == OTHER_TEXT:
        return None
    if attack.says == WISH:
        return False
    if attack.says == GONE:
        # Two updates for some pages, a day for many.
        return hours < (24 if scope > COUNT // 10 else 1)
    return True


def run_case(
    server: Server, base: Path, run: Path, attack: Attack, scope: str, *, kill: int, whole: bool
) -> Counter[str]:
    """Faults of one case, and how its updates ended."""
    shutil.copytree(base, run)
    before, found = texts_in_use(run), Counter[str]()
    paths = sorted(server.pages)
    count = COUNT if attack.robots else SCOPES[scope]
    # Not the start page alone, which is judged as a start; and a start that moves to another site is followed there.
    hit = frozenset(paths if count == COUNT else paths[3 : 3 + count]) - {paths[0] if attack.leaves else ""}
    segments = segments_of(run) if whole else []
    for hours in HOURS:
        server.attack, server.hit = attack, hit
        if kill:
            update(server, run, hours=hours, kill_after=kill)
        ended = update(server, run, hours=hours, whole=whole)
        now, stays = texts_in_use(run), allowed(attack, count, hours)
        for path in paths:
            is_kept = now.get(path) == before[path]
            if path not in hit or stays is True:
                found[LOST] += not is_kept
            elif stays is False:
                found[KEPT] += is_kept
        found[ENDED.get(ended, "ended with an error")] += 1
    server.attack, server.hit = None, frozenset()
    update(server, run, hours=HOURS[-1] + 1, whole=whole)
    now = texts_in_use(run)
    found[UNMENDED] += any(now.get(path) != before[path] for path in paths)
    if whole:
        found[UNMENDED] += segments_of(run) != segments
    shutil.rmtree(run)
    return found


def all_cases() -> list[tuple[Attack, str]]:
    """Each attack for one page, a tenth and all; a robots.txt is about all."""
    return [(attack, scope) for attack in attacks() for scope in (("all",) if attack.robots else SCOPES)]


ROUNDS, BLOCK = len(all_cases()), 20
LIMITS = ""


@contextmanager
def opened(seed: int, _corpus: Path | None) -> Iterator[Callable[[range], Tally]]:
    """Give the function that runs rounds."""
    cases = all_cases()
    with prepared() as run:
        yield lambda rounds: run([cases[number] for number in rounds], seed, rounds.start)


@contextmanager
def prepared(
    *, harvested_share: float = HARVESTED_SHARE
) -> Iterator[Callable[[list[tuple[Attack, str]], int, int], Tally]]:
    """Crawl the site; give the function that runs cases, with a seed and the number of the first."""
    with (
        tempfile.TemporaryDirectory() as name,
        serving(Server(made_site())) as server,
        # Certificates of the system are read for each downloader, which takes a third of the time here.
        mock.patch.object(wire, "tls_context", cache(wire.tls_context)),
    ):
        base = Path(name) / "base"
        made_run(server, base)

        def run(cases: list[tuple[Attack, str]], seed: int, first: int) -> Tally:
            tally = Tally(rounds=len(cases))
            began = time.process_time()
            for number, (attack, scope) in enumerate(cases, first):
                started = time.monotonic()
                draw = random.Random(f"{seed} {attack.name} {scope}")
                kill = draw.randrange(1, COUNT + 2) if draw.random() < KILLED_SHARE else 0
                whole = draw.random() < harvested_share
                found = run_case(server, base, base.parent / "run", attack, scope, kill=kill, whole=whole)
                tally.counts += found + Counter({"killed": bool(kill), "harvested whole": whole})
                if found[LOST] or found[KEPT] or found[UNMENDED]:
                    tally.fail("wrong", f"{number}: {attack.name}, {scope}: {dict(found)} (kill {kill})")
                tally.slowest_s = max(tally.slowest_s, time.monotonic() - started)
            tally.cpu_s = time.process_time() - began
            tally.peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            return tally

        yield run
