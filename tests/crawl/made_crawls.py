"""A scheduler driven over a site in memory, with a clock that only moves when somebody waits."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from journal_rows import journal_rows

from diglot.crawl.archive import Archive
from diglot.crawl.options import make_crawl_options
from diglot.crawl.page_reading import Answer, read_answer
from diglot.crawl.queue.frontier import Frontier
from diglot.crawl.scheduler import Scheduler

TEXT = {
    "en": "The harbour opens every morning before the fishing boats leave the old town and sail out to the sea.",
    "fr": "Le port ouvre chaque matin avant que les bateaux de pêche quittent la vieille ville et gagnent la mer.",
    "de": "Der Hafen öffnet jeden Morgen, bevor die Fischerboote die alte Stadt verlassen und aufs Meer fahren.",
}
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def made_page(lang: str, number: int, links: str = "", head: str = "") -> bytes:
    """A page of prose in a language, no two alike."""
    words = TEXT[lang].split()
    prose = " ".join(" ".join([*words[(number + n) % len(words) :], f"{number}{n}."]) for n in range(6))
    return f'<html lang="{lang}"><head><meta charset="utf-8">{head}</head><p>{prose}</p>{links}</html>'.encode()


@dataclass
class MadeSite:
    """Answers by address: a body, or a status with header fields. Counts what was asked for, and when."""

    answers: dict[str, bytes | tuple[int, dict[str, str]] | tuple[int, dict[str, str], bytes]]
    cut: set[str] = field(default_factory=set)
    """Addresses whose bodies are cut by half."""
    cut_by: str = "disconnect"
    asked: list[str] = field(default_factory=list)
    times_s: list[float] = field(default_factory=list)
    now_s: float = 0.0

    def pages_asked(self) -> list[str]:
        """Requests for pages, in order."""
        return [url for url in self.asked if not url.endswith(("/robots.txt", "/tdmrep.json", "/sitemap.xml"))]

    def answer(self, url: str) -> Answer:
        """What the server says."""
        self.asked.append(url)
        self.times_s.append(self.now_s)
        found = self.answers.get(url, (404, {}))
        status, fields, body = (200, {}, found) if isinstance(found, bytes) else (*found, b"")[:3]
        truncated = self.cut_by if url in self.cut else ""
        kind = "text/plain" if url.endswith(".txt") else "text/xml" if url.endswith(".xml") else "text/html"
        named = [(name.encode(), value.encode()) for name, value in {"Content-Type": kind, **fields}.items()]
        path = urlsplit(url).path
        fetched = (BEGAN + timedelta(seconds=self.now_s)).strftime("%Y-%m-%dT%H:%M:%SZ")
        body = body[: len(body) // 2] if truncated else body
        line = f"GET {path} HTTP/1.1"
        return Answer(status, named, body, fetched, took_s=0.0, truncated=truncated, request_line=line)


class MadeCrawl:
    """A crawl of a made site in a folder; ``run`` goes to the end, or as far as ``requests``."""

    def __init__(
        self,
        site: MadeSite,
        folder: Path,
        start: str,
        langs: tuple[str, ...] = (),
        *,
        only_known: bool = False,
        **options: Any,
    ) -> None:
        self.site = site
        self.frontier = Frontier(folder / "journal.db")
        # A crawl that a test drops is one that was killed: nobody closes its journal.
        weakref.finalize(self.frontier, self.frontier._db.close)
        archive = Archive(folder / "warc", self.frontier, software="test")
        made = replace(make_crawl_options([start], langs, options), only_known=only_known)
        self.scheduler = Scheduler(
            made,
            self.frontier,
            archive,
            clock=lambda: site.now_s,
            now=lambda: BEGAN + timedelta(seconds=site.now_s),
        )
        self.scheduler.begin()

    def run(self, requests: int = 10_000) -> list[str]:
        """Make requests one after the other; the pages asked for, in order."""
        for _ in range(requests):
            job = self.scheduler.next_job()
            if job is None:
                break
            self.site.now_s += self.scheduler.wait_s(job)
            answer = self.site.answer(job.url)
            documents = not self.scheduler.options.no_documents
            read = read_answer(job, answer, max_bytes=1 << 20, documents=documents)
            self.scheduler.handle_response(job, answer, read)
        return self.site.pages_asked()

    def states(self) -> dict[str, tuple[str, str]]:
        """State and reason of every page known."""
        rows = journal_rows(self.frontier, "url, state, reason", "kind='page'")
        return {url: (state, reason) for url, state, reason in rows}
