"""One page in the browser: its requests are answered or refused, and it is read when it has come to rest."""

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
"""Kinds of request that may bring text. Style sheets are answered with nothing, for scripts wait for them."""
MAX_PARTS = 100
MAX_REFUSED = 1000
"""Requests refused; a page that goes on asking is given up."""
MAX_NODES = 250_000
"""Elements of a page; the HTML standard's own single page has about as many."""
TICK_S = 0.1

LOOK = """(() => {
    const seen = {state: document.readyState, nodes: document.getElementsByTagName('*').length, chars: 0, html: ''};
    if (seen.state !== 'complete' || seen.nodes > MAX_NODES || !document.documentElement) return seen;
    const html = (document.doctype ? '<!DOCTYPE html>' : '') + document.documentElement.outerHTML;
    return {...seen, chars: html.length, html: html.length > MAX_CHARS ? '' : html};
})()"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderLimits:
    """How long a page may take."""

    quiet_s: float = 1.0
    """Without an open request, and it counts as at rest. A second keeps the rendering later than the answer."""
    own_s: float = 20.0
    """For itself, waiting for its parts not counted: they come at the pace of their hosts."""
    total_s: float = 300.0


@dataclass(frozen=True, slots=True)
class Sent:
    """A page as its server sent it, content coding undone. ``fields``: header fields that the browser is told."""

    url: str
    body: bytes
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Part:
    """A script or data that a page asked for, content coding undone."""

    status: int
    fields: Mapping[str, str]
    body: bytes


FetchPart = Callable[[str, Mapping[str, str]], Awaitable[Part | None]]
"""Gets the part with an address for a request with these header fields; None where it is not to be had."""


class Visit:
    """One page, from its first request to its text. ``max_bytes``: of the page when it is read."""

    def __init__(self, page: Sent, fetch: FetchPart, limits: RenderLimits, *, max_bytes: int) -> None:
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
        """Show the page and read it. Raises Playwright's Error where the browser fails."""
        await context.route("**/*", self._answer)
        self._page = await context.new_page()
        context.on("page", _close)
        self._page.on("crash", self._note_crash)
        await self._page.goto(self._sent.url, wait_until="commit", timeout=1000 * self._limits.own_s)
        html, problem = await self._text_at_rest(await context.new_cdp_session(self._page))
        return Rendering(html.encode("utf-8", "replace"), problem, self._moved_to, self._parts, self._refused)

    # -- what the page asks for ----------------------------------------------------------------

    async def _answer(self, route: Route) -> None:
        """Answer one request of the page, its frames or its workers."""
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
        """The first is for the page; the next says where a script wanted to go instead; frames have none."""
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
        """The page once nothing is open for long enough, or why it cannot be read."""
        own_s = quiet_s = 0.0
        before = monotonic()
        while own_s < self._limits.own_s:
            await asyncio.sleep(TICK_S)
            step_s, before = monotonic() - before, monotonic()
            if self._crashed:
                return "", "the page crashed the browser"
            if self._refused > MAX_REFUSED:
                return "", f"it makes more than {MAX_REFUSED:,} requests"
            if self._open:
                quiet_s = 0.0
                continue
            own_s, quiet_s = own_s + step_s, quiet_s + step_s
            if quiet_s < self._limits.quiet_s:
                continue
            with suppress(TimeoutError):
                seen = await asyncio.wait_for(self._look(session), max(TICK_S, self._limits.own_s - own_s))
                if seen["state"] == "complete":
                    return seen["html"], self._too_large(seen)
            quiet_s = 0.0
        return "", f"its scripts do not end within {self._limits.own_s:g} s"

    def _too_large(self, seen: Mapping[str, Any]) -> str:
        if seen["nodes"] > MAX_NODES:
            return f"{seen['nodes']:,} elements, more than {MAX_NODES:,}"
        if seen["chars"] > self._max_bytes:
            return f"{seen['chars']:,} characters, more than {self._max_bytes:,}"
        return "" if seen["html"] else "its scripts left nothing"

    async def _look(self, session: CDPSession) -> Mapping[str, Any]:
        """State, size and text of the page, by a script that its own scripts cannot meddle with."""
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
