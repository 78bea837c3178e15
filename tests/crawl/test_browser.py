"""Pages in Chromium: their text after scripts, and what they cannot do. Everything stays on loopback."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from script_pages import NO_BROWSER, Forbidden, knocking

from diglot.crawl.chromium import Browser, namespace_command
from diglot.crawl.installed_browser import find_browser
from diglot.crawl.page_reading import Rendering
from diglot.crawl.visit import FetchPart, Part, RenderLimits, SentPage
from diglot.errors import DiglotError, UsageError
from slow_cases import slow_but

needs_browser = pytest.mark.skipif(bool(NO_BROWSER), reason=NO_BROWSER)
HOST = "https://docs.example.org"
HTML = {"content-type": "text/html; charset=utf-8"}


class Shown:
    """A browser on a loop of its own; ``asked`` lists the parts that pages asked us for."""

    def __init__(self, namespace: tuple[str, ...] | None = None, *, own_s: float = 20.0) -> None:
        self.runner = asyncio.Runner()
        self.asked: list[str] = []
        self.parts: dict[str, Part] = {}
        limits = RenderLimits(quiet_s=0.3, own_s=own_s, total_s=60.0)
        self.browser = self.runner.run(self._made(limits, namespace))

    async def _made(self, limits: RenderLimits, namespace: tuple[str, ...] | None) -> Browser:
        return Browser("diglot/test", max_bytes=1 << 20, limits=limits, namespace=namespace)

    async def _fetch(self, url: str, _: Mapping[str, str]) -> Part | None:
        self.asked.append(url)
        return self.parts.get(url)

    def render(self, html: str | bytes, fetch: FetchPart | None = None) -> Rendering:
        """A page after its scripts."""
        body = html if isinstance(html, bytes) else html.encode()
        self.asked.clear()
        return self.runner.run(self.browser.render(SentPage(f"{HOST}/page", body, HTML), fetch or self._fetch))

    def close(self) -> None:
        self.runner.run(self.browser.close())
        self.runner.close()


@pytest.fixture(scope="module")
def shown() -> Iterator[Shown]:
    shown = Shown()
    yield shown
    shown.close()


@needs_browser
def test_text_that_a_script_fetches_is_in_the_page(shown: Shown) -> None:
    shown.parts = {f"{HOST}/text.json": Part(200, {"content-type": "application/json"}, '{"t": "Un été"}'.encode())}
    script = (
        "fetch('/text.json').then(r => r.json()).then(data => { document.getElementById('a').textContent = data.t })"
    )
    rendered = shown.render(f"<!DOCTYPE html><p id=a>waiting</p><script>{script}</script>")
    assert (rendered.problem, rendered.parts, rendered.refused) == ("", 1, 0)
    assert rendered.html.startswith(b"<!DOCTYPE html><html>")
    assert '<p id="a">Un été</p>'.encode() in rendered.html
    assert rendered.by.startswith("Chromium/")


@needs_browser
def test_only_scripts_and_data_are_asked_for(shown: Shown) -> None:
    rendered = shown.render(
        "<link rel=stylesheet href=/s.css onload=\"document.title='styled'\"><img src=/i.png><iframe src=/f></iframe>"
        "<video src=/v></video><script src=/a.js></script><script>fetch('/post', {method: 'POST'}).catch(() => 0);"
        "fetch('/get').catch(() => 0); new EventSource('/stream'); navigator.sendBeacon('/beacon')</script>"
    )
    assert sorted(shown.asked) == [f"{HOST}/a.js", f"{HOST}/get"]
    assert rendered.refused >= 6
    assert b"<title>styled</title>" in rendered.html  # style sheets come, empty, for scripts wait for them


@needs_browser
def test_where_a_script_wants_to_go_is_told_and_not_gone_to(shown: Shown) -> None:
    rendered = shown.render("<p>one moment</p><script>location.href = '/fr/index.html'</script>")
    assert rendered.moved_to == f"{HOST}/fr/index.html"
    assert b"one moment" in rendered.html
    assert shown.asked == []


@pytest.fixture
def impatient() -> Iterator[Shown]:
    shown = Shown(own_s=4.0)
    yield shown
    shown.close()


@needs_browser
def test_a_script_that_does_not_end_costs_its_page_only(impatient: Shown) -> None:
    assert impatient.render("<p>a<script>while (true) {}</script>").problem == "its scripts do not end within 4 s"
    assert b"<p>next</p>" in impatient.render("<script>document.write('<p>next</p>')</script>").html


@needs_browser
def test_a_browser_that_dies_costs_its_page_only(shown: Shown) -> None:
    async def murder(*_: Any) -> Part | None:
        noted = int((shown.browser.folder / "pid").read_text())
        os.killpg(noted, signal.SIGKILL)
        return None

    assert shown.render("<p>a<script src=/a.js></script>", murder).problem
    assert b"<p>next</p>" in shown.render("<script>document.write('<p>next</p>')</script>").html


ADD = "document.body.append(document.createElement('i'))"
SAVE = "Object.assign(document.createElement('a'), {download: 'x', href: 'data:application/zip,x'}).click()"
LIE = "Object.defineProperty(document, 'documentElement', {value: 0}); document.getElementsByTagName = () => 0"
UNPLEASANT = {
    "alerts": ("while (true) { alert('!'); confirm('?'); print() }", "do not end"),
    "heap": ("const held = []; while (true) held.push(new Array(1e6).fill(held.length))", "any"),
    "growth": (f"setInterval(() => {{ for (let i = 0; i < 1e5; i++) {ADD} }})", "any"),
    "elements": (f"for (let i = 0; i < 3e5; i++) {ADD}", "300,00|do not end"),
    "long text": ("document.body.append('x'.repeat(2e6))", "2,000,"),
    "moves": ("let n = 0; setInterval(() => { location = '/' + n++ }, 50)", ""),
    # Chromium gives up a move for the next one; whether it has asked for the page by then, machines differ.
    "moves at once": ("let n = 0; setInterval(() => { location = '/' + n++ })", "any"),
    "requests": ("for (let i = 0; i < 5e3; i++) fetch('/' + i).catch(() => 0)", "more than 1,000 requests|do not end"),
    "reload": ("location.reload()", ""),
    "windows": ("for (let i = 0; i < 1e3; i++) window.open('/' + i)", ""),
    "frames": ("for (let i = 0; i < 50; i++) document.body.append(document.createElement('iframe'))", ""),
    "downloads": (f"for (let i = 0; i < 50; i++) {SAVE}", ""),
    "console": ("for (let i = 0; i < 1e5; i++) console.log('x'.repeat(1000))", ""),
    "100,000 elements": (f"for (let i = 0; i < 1e5; i++) {ADD}", ""),
    "lies": (LIE, ""),
}
"""Script of a page, and what is said of it: "" where it is shown all the same, "any" where machines differ."""


@pytest.mark.slow
@needs_browser
@pytest.mark.parametrize("name", UNPLEASANT)
def test_what_an_unpleasant_page_does_costs_its_time_only(shown: Shown, name: str) -> None:
    script, problem = UNPLEASANT[name]
    rendered = shown.render(f"<!DOCTYPE html><body><p>text</p><script>{script}</script></body>")
    if problem != "any":
        assert bool(rendered.problem) == bool(problem)
        assert re.search(problem, rendered.problem)
    assert rendered.problem or b"<p>text</p>" in rendered.html
    assert len(shown.asked) <= 100
    assert b"<p>next</p>" in shown.render("<script>document.write('<p>next</p>')</script>").html


WALLS = {"namespace": None, "no namespace": ()}


@needs_browser
@pytest.mark.parametrize("wall", slow_but(["namespace"], WALLS))
def test_a_page_reaches_nothing_by_itself(wall: str) -> None:
    """Requests that are not routed to us end at the browser's own walls; ``was asked`` shows that the page tried."""
    if wall == "namespace" and not namespace_command():
        pytest.skip("no namespace can be made here")
    forbidden, shown = Forbidden(), Shown(WALLS[wall])
    try:
        rendered = shown.render(knocking(forbidden.port))
        assert b'<p id="text">after</p>' in rendered.html
        assert len(shown.asked) >= 5
        shown.runner.run(_unguarded(shown.browser, knocking(forbidden.port)))
        assert forbidden.came == []
    finally:
        shown.close()
        forbidden.close()


@pytest.mark.slow
@needs_browser
def test_the_page_that_knocks_reaches_the_server_where_nothing_stops_it() -> None:
    """That the test before can fail: a browser of the same kind without our setup is seen by TCP and UDP."""
    forbidden = Forbidden()
    try:
        asyncio.run(_bare(knocking(forbidden.port), lambda: not _unseen(forbidden)))
        assert _unseen(forbidden) == []
    finally:
        forbidden.close()


def _unseen(forbidden: Forbidden) -> list[str]:
    """Ways by which nothing has come to a port yet."""
    told = " ".join(forbidden.came)
    return [way for way in ("TCP", "UDP", "GET /") if way not in told]


async def _unguarded(browser: Browser, body: bytes) -> None:
    """Show a page in the browser as it is set up, no request answered but the first, no script before its own."""
    chromium = await browser.chromium()
    await _show(await chromium.new_context(), body)


async def _bare(body: bytes, seen: Callable[[], bool]) -> None:
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=find_browser(), chromium_sandbox=os.geteuid() != 0)
        await _show(await chromium.new_context(), body, seen)
        await chromium.close()


async def _show(context: Any, body: bytes, seen: Callable[[], bool] | None = None) -> None:
    """For two seconds, or until something was seen."""

    async def first(route: Any) -> None:
        if route.request.url == "http://docs.example.org/page":
            await route.fulfill(status=200, headers=HTML, body=body)
        else:
            await route.fallback() if route.request.is_navigation_request() else await route.continue_()

    await context.route("**/*", first)
    page = await context.new_page()
    await page.goto("http://docs.example.org/page", wait_until="commit")
    for _ in range(300 if seen else 20):
        await asyncio.sleep(0.1)
        if seen and seen():
            break
    await context.close()


@needs_browser
def test_a_browser_that_never_starts_ends_the_crawl_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diglot.crawl.chromium.find_browser", lambda: "/bin/false")
    shown = Shown(())
    before = children()
    with pytest.raises(DiglotError, match="/bin/false cannot be started: "):
        shown.render("<p>text")
    assert children() <= before, "the program that drives the browser is left running"
    shown.close()


def children() -> set[str]:
    """Process ids of what this process has started and not ended."""
    return {pid for listed in Path("/proc/self/task").glob("*/children") for pid in listed.read_text().split()}


def test_what_is_missing_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install 'diglot\[browser\]'"):
        find_browser()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(UsageError, match="apt install chromium"):
        find_browser()
