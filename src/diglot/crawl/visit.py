"""A page in the browser: its requests are answered or refused, and its HTML is read when it is at rest."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

from diglot.crawl.page_reading import Rendering

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, CDPSession, Page, Request, Route

PART_KINDS = frozenset(("script", "xhr", "fetch"))
"""Kinds of requests that may bring text. Style sheets get an empty answer, because scripts wait for them."""
MAX_PARTS = 100
MAX_REFUSED = 1000
"""Refused requests after which the page is given up."""
MAX_NODES = 250_000
"""Elements of a page; the HTML standard on a single page has about as many."""
TICK_S = 0.1

LOOK = """(() => {
    const seen = {state: document.readyState, nodes: document.getElementsByTagName('*').length, chars: 0, html: ''};
    if (seen.state !== 'complete' || seen.nodes > MAX_NODES || !document.documentElement) return seen;
    const html = (document.doctype ? '<!DOCTYPE html>' : '') + document.documentElement.outerHTML;
    return {...seen, chars: html.length, html: html.length > MAX_CHARS ? '' : html};
})()"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderLimits:
    """Time limits of a page."""

    quiet_s: float = 1.0
    """Time without an open request until a page is at rest. At a second, WARC times of page and rendering differ."""
    own_s: float = 20.0
    """Time of the page itself, without the wait for parts, as these come at the pace of their hosts."""
    total_s: float = 300.0


@dataclass(frozen=True, slots=True)
class SentPage:
    """A page as sent by its server, content coding undone. ``fields``: header fields for the browser."""

    url: str
    body: bytes
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Part:
    """A script or data for a page, content coding undone."""

    status: int
    fields: Mapping[str, str]
    body: bytes


FetchPart = Callable[[str, Mapping[str, str]], Awaitable[Part | None]]
"""Fetches the part at an address for a request with these header fields; None on failure."""


class Visit:
    """A page from the first request to the HTML. ``max_bytes``: size limit of the HTML."""

    def __init__(self, page: SentPage, fetch: FetchPart, limits: RenderLimits, *, max_bytes: int) -> None:
        self._sent = page
        self._fetch = fetch
        self._limits = limits
        self._max_bytes = max_bytes
        self._page: Page | None = None
        self._begun = False
        self._crashed = False
        self._open = 0
        self._parts = 0
        self._refused = 0
        self._moved_to = ""

    async def see(self, context: BrowserContext) -> Rendering:
        """Show the page and read it. Raises Playwright's Error if the browser fails."""
        await context.route("**/*", self._answer)
        self._page = await context.new_page()
        context.on("page", _close)
        self._page.on("crash", self._note_crash)
        await self._page.goto(self._sent.url, wait_until="commit", timeout=1000 * self._limits.own_s)
        html, problem = await self._text_at_rest(await context.new_cdp_session(self._page))
        return Rendering(html.encode("utf-8", "replace"), problem, self._moved_to, self._parts, self._refused)

    # -- what the page asks for ----------------------------------------------------------------

    async def _answer(self, route: Route) -> None:
        """Answer a request of the page, of a frame or of a worker."""
        from playwright.async_api import Error

        with suppress(Error):  # the page may be gone by now
            request = route.request
            if request.is_navigation_request():
                await self._answer_navigation(route, request)
            elif request.resource_type == "stylesheet":
                await route.fulfill(status=200, content_type="text/css", body="")
            else:
                part = await self._part(request)
                if part is None:
                    self._refused += 1
                    await route.abort("blockedbyclient")
                else:
                    await route.fulfill(status=part.status, headers=dict(part.fields), body=part.body)

    async def _answer_navigation(self, route: Route, request: Request) -> None:
        """Answer the first navigation with the page, and note the target of a later one; frames are refused."""
        if not self._begun:
            self._begun = True
            await route.fulfill(status=200, headers=dict(self._sent.fields), body=self._sent.body)
            return
        self._refused += 1
        await route.abort("aborted")
        if not self._moved_to and request.method == "GET" and self._page and request.frame == self._page.main_frame:
            self._moved_to = request.url

    async def _part(self, request: Request) -> Part | None:
        wanted = request.resource_type in PART_KINDS and request.method == "GET"
        if not wanted or self._parts >= MAX_PARTS or not request.url.startswith(("http://", "https://")):
            return None
        self._parts += 1
        self._open += 1
        try:
            return await self._fetch(request.url, request.headers)
        finally:
            self._open -= 1

    # -- what the page has become --------------------------------------------------------------

    async def _text_at_rest(self, session: CDPSession) -> tuple[str, str]:
        """The HTML of the page after a quiet time without open requests, or the problem."""
        own_s, quiet_ticks = 0.0, 0
        while own_s < self._limits.own_s:
            await asyncio.sleep(TICK_S)
            if self._crashed:
                return "", "the page crashed the browser"
            if self._refused > MAX_REFUSED:
                return "", f"it makes more than {MAX_REFUSED:,} requests"
            if self._open:
                # Time with open requests belongs to the hosts, not to the page.
                quiet_ticks = 0
                continue
            # A late tick counts like any other: on a busy machine, or one that slept, the page has not run either.
            own_s, quiet_ticks = own_s + TICK_S, quiet_ticks + 1
            if quiet_ticks * TICK_S < self._limits.quiet_s:
                continue
            parts, began = self._parts, monotonic()
            with suppress(TimeoutError):
                # A busy script blocks this look as well, and what it asks for comes during the look.
                seen = await asyncio.wait_for(self._look(session), max(TICK_S, self._limits.own_s - own_s))
                is_quiet = self._parts == parts and self._refused <= MAX_REFUSED
                if seen["state"] == "complete" and is_quiet:
                    return seen["html"], self._too_large(seen)
            own_s, quiet_ticks = own_s + monotonic() - began, 0
        return "", f"its scripts do not end within {self._limits.own_s:g} s"

    def _too_large(self, seen: Mapping[str, Any]) -> str:
        if seen["nodes"] > MAX_NODES:
            return f"{seen['nodes']:,} elements, more than {MAX_NODES:,}"
        if seen["chars"] > self._max_bytes:
            return f"{seen['chars']:,} characters, more than {self._max_bytes:,}"
        return "" if seen["html"] else "its scripts left nothing"

    async def _look(self, session: CDPSession) -> Mapping[str, Any]:
        """State, size and HTML of the page, read in an isolated world out of reach of its own scripts."""
        frames = await session.send("Page.getFrameTree")
        world = {"frameId": frames["frameTree"]["frame"]["id"], "worldName": "diglot"}
        context = await session.send("Page.createIsolatedWorld", world)
        asked = LOOK.replace("MAX_NODES", str(MAX_NODES)).replace("MAX_CHARS", str(self._max_bytes))
        order = {"expression": asked, "contextId": context["executionContextId"], "returnByValue": True}
        found = await session.send("Runtime.evaluate", order)
        value: Mapping[str, Any] = found["result"].get("value") or {"state": "", "nodes": 0, "chars": 0, "html": ""}
        return value

    def _note_crash(self, _: object) -> None:
        self._crashed = True


async def _close(popup: Page) -> None:
    from playwright.async_api import Error

    with suppress(Error):
        await popup.close()
