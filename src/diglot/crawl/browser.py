"""Pages whose text is made by scripts, shown in Chromium, which has no network: we answer every request it makes.

The page itself is answered with what the crawl has fetched already. Scripts, and data that they ask for by GET, come
through a function of the caller's. Nothing else is answered: no frame, second page, image, font, stream or download.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from diglot.crawl.answer import Rendering
from diglot.crawl.browser_setup import FLAGS, find_browser, namespace_command, pid_file, write_launcher
from diglot.crawl.browser_visit import FetchPart, RenderLimits, Sent, Visit
from diglot.errors import DiglotError

if TYPE_CHECKING:
    from playwright.async_api import Browser as Chromium
    from playwright.async_api import BrowserContext, Playwright

LAUNCH_S, CLOSE_S = 60.0, 5.0
DEFAULT_LIMITS = RenderLimits()
MAX_FAILED_STARTS = 3
"""Once it has not come up so often in a row, the browser is not tried again."""

BEFORE_SCRIPTS = """
for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) delete window[name];
for (const name of ['alert', 'confirm', 'prompt', 'print', 'open']) window[name] = () => null;
for (const name of Object.keys(console)) console[name] = () => undefined;
"""
"""Run in every frame before its own scripts. It saves work; what keeps pages off the network is the browser's setup."""


class Browser:
    """Renders one page at a time, each in a context of its own, and starts Chromium again where a page took it down.

    ``agent``: what ``navigator.userAgent`` says; ``max_bytes``: of a rendered page. Raises
    :class:`diglot.errors.DiglotError` where Chromium cannot be started at all.
    ``namespace``: command that takes the network away, that of the system unless given.
    """

    def __init__(
        self,
        agent: str,
        *,
        max_bytes: int,
        limits: RenderLimits = DEFAULT_LIMITS,
        namespace: tuple[str, ...] | None = None,
    ) -> None:
        self._agent = agent
        self._max_bytes = max_bytes
        self._limits = limits
        self._path = find_browser()
        self._namespace = namespace_command() if namespace is None else namespace
        self._lock = asyncio.Lock()
        self._made_folder = tempfile.TemporaryDirectory(prefix="diglot-browser-")
        self.folder = Path(self._made_folder.name)
        self._nowhere = _held_port()
        self._playwright: Playwright | None = None
        self._chromium: Chromium | None = None
        self._failed_starts = 0
        self._started_once = False

    async def render(self, page: Sent, fetch: FetchPart) -> Rendering:
        """The page after its scripts have come to rest, or why there is none. ``fetch``: gets its parts."""
        from playwright.async_api import Error

        async with self._lock:
            try:
                async with asyncio.timeout(self._limits.total_s):
                    return await self._render(page, fetch)
            except TimeoutError:
                problem = f"still loading after {self._limits.total_s:g} s"
            except Error as error:
                problem = _first_line(error)
            await self._stop()
            return Rendering(problem=problem)

    async def close(self) -> None:
        """End Chromium and what drives it."""
        async with self._lock:
            await self._stop()
            await self._stop_driver()
            self._nowhere.close()
            self._made_folder.cleanup()

    async def _render(self, page: Sent, fetch: FetchPart) -> Rendering:
        visit = Visit(page, fetch, self._limits, max_bytes=self._max_bytes)
        async with self._context() as context:
            rendering = await visit.see(context)
            version = context.browser.version if context.browser else ""
        return replace(rendering, by=f"Chromium/{version}")

    @asynccontextmanager
    async def _context(self) -> AsyncIterator[BrowserContext]:
        """A context without past; where it cannot be closed again, the browser goes with it."""
        from playwright.async_api import Error

        chromium = await self.chromium()
        context = await chromium.new_context(
            user_agent=self._agent, accept_downloads=False, service_workers="block", ignore_https_errors=True
        )
        try:
            await context.add_init_script(BEFORE_SCRIPTS)
            yield context
        finally:
            try:
                await asyncio.wait_for(context.close(), CLOSE_S)
            except (Error, TimeoutError):
                await self._stop()

    async def chromium(self) -> Chromium:
        """Chromium, started where it is not running."""
        from playwright.async_api import Error, async_playwright

        if self._chromium is not None and self._chromium.is_connected():
            return self._chromium
        if self._failed_starts >= MAX_FAILED_STARTS:
            raise Error("Chromium does not start any more")
        try:
            if self._playwright is None:
                self._playwright = await async_playwright().start()
            self._chromium = await self._launch(self._playwright)
        except (Error, OSError) as error:
            self._failed_starts += 1
            await self._stop_driver()
            if not self._started_once:
                raise DiglotError(f"--browser: {self._path} cannot be started: {_first_line(error)}") from error
            raise Error(f"Chromium does not start again: {_first_line(error)}") from error
        self._failed_starts, self._started_once = 0, True
        return self._chromium

    async def _launch(self, playwright: Playwright) -> Chromium:
        return await playwright.chromium.launch(
            executable_path=write_launcher(self.folder, self._path, self._namespace),
            chromium_sandbox=os.geteuid() != 0,  # for root Chromium has none
            args=FLAGS,
            proxy={"server": f"http://127.0.0.1:{self._nowhere.getsockname()[1]}"},
            env={**os.environ, "HOME": str(self.folder)},
            timeout=1000 * LAUNCH_S,
        )

    async def _stop(self) -> None:
        """End Chromium, by force where it does not listen."""
        from playwright.async_api import Error

        chromium, self._chromium = self._chromium, None
        noted = pid_file(self.folder)
        if chromium is not None:
            with suppress(Error, TimeoutError):
                await asyncio.wait_for(chromium.close(), CLOSE_S)
                noted.unlink(missing_ok=True)
        with suppress(FileNotFoundError, ValueError, ProcessLookupError):
            os.killpg(int(noted.read_text()), signal.SIGKILL)
        noted.unlink(missing_ok=True)

    async def _stop_driver(self) -> None:
        """End the program that drives Chromium; the next start brings up a new one."""
        from playwright.async_api import Error

        playwright, self._playwright = self._playwright, None
        if playwright is not None:
            with suppress(Error, TimeoutError):
                await asyncio.wait_for(playwright.stop(), CLOSE_S)


def _held_port() -> socket.socket:
    """A port of loopback that is taken, and at which nobody listens."""
    held = socket.socket()
    held.bind(("127.0.0.1", 0))
    return held


def _first_line(error: Exception) -> str:
    return ascii(str(error).strip().partition("\n")[0])[1:-1][:200]
