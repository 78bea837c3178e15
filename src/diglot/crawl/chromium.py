"""Chromium without network access, for pages whose text is made by scripts; every request is answered by the crawl."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from diglot.crawl.installed_browser import find_browser
from diglot.crawl.page_reading import Rendering
from diglot.crawl.visit import FetchPart, RenderLimits, SentPage, Visit
from diglot.errors import DiglotError, in_ascii

if TYPE_CHECKING:
    from playwright.async_api import Browser as Chromium
    from playwright.async_api import BrowserContext, Playwright

NAMESPACE = ("unshare", "--user", "--map-current-user", "--net", "--")
MAX_MEMORY_BYTES = 2 << 30
"""Memory of one process of the browser, as counted by RLIMIT_DATA."""
MAX_HEAP_MIB = 1024
"""JavaScript memory of one page."""

FLAGS = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--disable-gpu",
    "--disable-3d-apis",
    "--disable-dev-shm-usage",
    f"--js-flags=--max-old-space-size={MAX_HEAP_MIB}",
)

LAUNCH_S, CLOSE_S = 60.0, 5.0
DEFAULT_LIMITS = RenderLimits()
MAX_FAILED_STARTS = 3
"""Failed starts in a row after which the browser is not started again."""

BEFORE_SCRIPTS = """
for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) delete window[name];
for (const name of ['alert', 'confirm', 'prompt', 'print', 'open']) window[name] = () => null;
for (const name of Object.keys(console)) console[name] = () => undefined;
"""
"""Run in every frame before its own scripts, to save work; network access is prevented by the setup of the browser."""


def namespace_command() -> tuple[str, ...]:
    """Command prefix for a process without network devices; () if the system has no such namespaces."""
    if shutil.which(NAMESPACE[0]) is None:
        return ()
    tried = subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False)
    return NAMESPACE if tried.returncode == 0 else ()


def write_launcher(folder: Path, browser: str, namespace: tuple[str, ...]) -> Path:
    """Write a script to start the browser within its limits and write its process id to :func:`pid_file`."""
    limits = f"ulimit -c 0; ulimit -d {MAX_MEMORY_BYTES >> 10}"
    command = shlex.join([*namespace, browser])
    path = folder / "browser"
    path.write_text(f'#!/bin/sh\necho $$ >{shlex.quote(str(pid_file(folder)))}\n{limits}\nexec {command} "$@"\n')
    path.chmod(0o700)
    return path


def pid_file(folder: Path) -> Path:
    """File with the process id of the launcher, which is also the process group of the browser."""
    return folder / "pid"


class Browser:
    """Renders one page at a time, each in a new context, and restarts Chromium after a crash.

    ``agent``: value of ``navigator.userAgent``; ``max_bytes``: of a rendered page; ``namespace``: command to remove
    network access, by default that of the system. Raises :class:`diglot.errors.DiglotError` if Chromium cannot be
    started at all.
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

    async def render(self, page: SentPage, fetch: FetchPart) -> Rendering:
        """Render a page until its scripts are at rest, or report a problem. ``fetch``: fetches parts of the page."""
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
        """Stop Chromium and Playwright."""
        async with self._lock:
            await self._stop()
            await self._stop_driver()
            self._nowhere.close()
            self._made_folder.cleanup()

    async def _render(self, page: SentPage, fetch: FetchPart) -> Rendering:
        visit = Visit(page, fetch, self._limits, max_bytes=self._max_bytes)
        async with self._context() as context:
            rendering = await visit.see(context)
            version = context.browser.version if context.browser else ""
        return replace(rendering, by=f"Chromium/{version}")

    @asynccontextmanager
    async def _context(self) -> AsyncIterator[BrowserContext]:
        """A new browser context; if it cannot be closed again, the browser is stopped."""
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
        """The running Chromium, started if necessary."""
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
                raise DiglotError(f"{self._path} cannot be started: {_first_line(error)}") from error
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
        """Stop Chromium, by a signal if necessary."""
        from playwright.async_api import Error

        chromium, self._chromium = self._chromium, None
        noted = pid_file(self.folder)
        if chromium is not None:
            with suppress(Error, TimeoutError):
                await asyncio.wait_for(chromium.close(), CLOSE_S)
                noted.unlink(missing_ok=True)
        with suppress(FileNotFoundError, ValueError, ProcessLookupError):
            # A hung browser ignores close(); its process group cannot ignore a signal.
            os.killpg(int(noted.read_text()), signal.SIGKILL)
        noted.unlink(missing_ok=True)

    async def _stop_driver(self) -> None:
        """Stop Playwright; the next start of the browser starts it again."""
        from playwright.async_api import Error

        playwright, self._playwright = self._playwright, None
        if playwright is not None:
            with suppress(Error, TimeoutError):
                await asyncio.wait_for(playwright.stop(), CLOSE_S)


def _held_port() -> socket.socket:
    """A bound port on loopback without a listener: as the proxy, it refuses requests that the crawl does not answer."""
    held = socket.socket()
    held.bind(("127.0.0.1", 0))
    return held


def _first_line(error: Exception) -> str:
    return in_ascii(str(error).strip().partition("\n")[0])[:200]
