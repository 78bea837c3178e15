"""Parts of pages in the browser: what is asked for, how often, and what the browser is told."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest
from made_crawls import MadeCrawl, MadeSite

from diglot.crawl.fetcher import PageParts
from diglot.crawl.page_reading import ROBOTS, Answer, Job
from diglot.crawl.visit import Part

HOST, CDN = "https://docs.example.org", "https://cdn.example.net"
Told = tuple[int, dict[str, str], bytes]


class PartServer:
    """Answers requests for parts and notes them; ``None`` for an address that does not answer."""

    def __init__(self, folder: Path, answers: Mapping[str, Told | None]) -> None:
        crawl = MadeCrawl(MadeSite({}), folder, f"{HOST}/")
        self.scheduler = crawl.scheduler
        self.answers = answers
        self.jobs: list[Job] = []
        self.parts = PageParts(self.scheduler, self._download)

    async def _download(self, job: Job) -> Answer | None:
        await asyncio.sleep(0)
        self.jobs.append(job)
        told = self.answers.get(job.url, (404, {}, b""))
        if told is None:
            return None
        status, fields, body = told
        named = [(name.encode(), value.encode()) for name, value in fields.items()]
        return Answer(status, named, body, "2026-01-01T00:00:00Z", truncated="length" if body == b"CUT" else "")

    def fetch(self, *urls: str, **fields: str) -> list[Part | None]:
        """The parts, all asked for at once."""

        async def all_at_once() -> list[Part | None]:
            return await asyncio.gather(*(self.parts.fetch(url, fields) for url in urls))

        return asyncio.run(all_at_once())

    @property
    def asked(self) -> list[str]:
        """Parts asked for, without robots.txt."""
        return [job.url for job in self.jobs if job.kind != ROBOTS]


def test_a_part_is_asked_for_once_for_all_pages(tmp_path: Path) -> None:
    server = PartServer(tmp_path, {f"{HOST}/app.js": (200, {"Content-Type": "text/javascript"}, b"1")})
    first, second = server.fetch(f"{HOST}/app.js", f"{HOST}/app.js#again")
    assert first is second
    assert first == Part(200, {"content-type": "text/javascript"}, b"1")
    assert server.asked == [f"{HOST}/app.js"]


@pytest.mark.parametrize(
    "told", [(200, {"Cache-Control": "no-store"}, b"1"), (200, {"Cache-Control": "Private"}, b"1"), (500, {}, b"1")]
)
def test_what_is_not_to_be_kept_is_asked_for_again(tmp_path: Path, told: Told) -> None:
    server = PartServer(tmp_path, {f"{HOST}/now.json": told})
    for _ in range(2):
        (part,) = server.fetch(f"{HOST}/now.json")
        assert part is not None
        assert part.status == told[0]
    assert len(server.asked) == 2


def test_robots_are_obeyed_on_every_host_and_read_once(tmp_path: Path) -> None:
    rules = (200, {}, b"User-agent: *\nDisallow: /private/\n")
    server = PartServer(tmp_path, {f"{CDN}/robots.txt": rules, f"{CDN}/private/a.js": (200, {}, b"1"),
                                   f"{CDN}/open.js": (200, {}, b"2")})  # fmt: skip
    assert [part and part.body for part in server.fetch(f"{CDN}/private/a.js", f"{CDN}/open.js")] == [None, b"2"]
    assert [job.url for job in server.jobs] == [f"{CDN}/robots.txt", f"{CDN}/open.js"]


@pytest.mark.parametrize(
    "robots", [None, (503, {}, b""), (200, {}, b"User-agent: *\nCrawl-delay: 3600\n")], ids=["silent", "503", "slow"]
)
def test_a_host_that_cannot_be_asked_politely_is_not_asked(tmp_path: Path, robots: Told | None) -> None:
    server = PartServer(tmp_path, {f"{CDN}/robots.txt": robots, f"{CDN}/a.js": (200, {}, b"1")})
    assert server.fetch(f"{CDN}/a.js") == [None]
    assert server.asked == []


def test_the_pace_that_a_host_asks_for_is_kept(tmp_path: Path) -> None:
    rules = (200, {}, b"User-agent: *\nCrawl-delay: 7\n")
    server = PartServer(tmp_path, {f"{CDN}/robots.txt": rules, f"{CDN}/a.js": (200, {}, b"1")})
    assert server.fetch(f"{CDN}/a.js") == [Part(200, {}, b"1")]
    assert server.scheduler.state.pacing.delay_s("cdn.example.net") == 7.0


def test_no_more_is_kept_than_there_is_room_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diglot.crawl.fetcher.MAX_KEPT_BYTES", 3)
    first, second = f"{HOST}/a.js", f"{HOST}/b.js"
    server = PartServer(tmp_path, {first: (200, {}, b"11"), second: (200, {}, b"22")})
    for url in (first, second, second, first):
        assert server.fetch(url) != [None]
    assert server.asked == [first, second, first]


def test_redirects_are_followed_under_the_rules_of_where_they_lead(tmp_path: Path) -> None:
    rules = (200, {}, b"User-agent: *\nDisallow: /no/\n")
    answers = {
        f"{CDN}/robots.txt": rules,
        f"{HOST}/a.js": (302, {"Location": f"{CDN}/yes/a.js"}, b""),
        f"{HOST}/b.js": (302, {"Location": f"{CDN}/no/b.js"}, b""),
        f"{HOST}/round.js": (302, {"Location": "/round.js"}, b""),
        f"{CDN}/yes/a.js": (200, {}, b"1"),
        f"{CDN}/no/b.js": (200, {}, b"2"),
    }
    server = PartServer(tmp_path, answers)
    first, second, third = server.fetch(f"{HOST}/a.js", f"{HOST}/b.js", f"{HOST}/round.js")
    assert first == Part(200, {}, b"1")
    assert (second, third) == (None, None)
    assert f"{CDN}/no/b.js" not in server.asked
    assert server.asked.count(f"{HOST}/round.js") == 6


@pytest.mark.parametrize(
    "told",
    [
        None,
        (200, {}, b"CUT"),
        (200, {"tdm-reservation": "1"}, b"1"),
        (200, {"Content-Encoding": "gzip"}, b"\x1f\x8b\x08\x00" + bytes(20)),
    ],
    ids=["silent", "cut", "reserved", "damaged"],
)
def test_what_is_not_whole_or_is_reserved_is_not_shown(tmp_path: Path, told: Told | None) -> None:
    assert PartServer(tmp_path, {f"{HOST}/a.json": told}).fetch(f"{HOST}/a.json") == [None]


def test_cookies_and_hints_stay_out_on_both_ways(tmp_path: Path) -> None:
    fields = {"Set-Cookie": "a=b", "Link": "</x.js>; rel=preload", "Access-Control-Allow-Origin": "*"}
    server = PartServer(tmp_path, {f"{HOST}/a.json": (200, fields, b"{}")})
    (part,) = server.fetch(f"{HOST}/a.json", accept="text/json", cookie="a=b", authorization="x", host="127.0.0.1")
    assert part == Part(200, {"access-control-allow-origin": "*"}, b"{}")
    assert [job.fields for job in server.jobs if job.kind != ROBOTS] == [(("accept", "text/json"),)]


def test_a_host_that_is_overloaded_is_left_alone(tmp_path: Path) -> None:
    server = PartServer(tmp_path, {f"{HOST}/a.json": (429, {"Retry-After": "50"}, b"")})
    server.fetch(f"{HOST}/a.json")
    assert server.scheduler.state.pacing.wait_s("docs.example.org") == 50.0
