"""When a page in the browser is at rest: a browser that is made up, on a machine that is busy or slept."""

from __future__ import annotations

import asyncio
import itertools
from types import SimpleNamespace
from typing import Any

import pytest

from diglot.crawl import visit
from diglot.crawl.visit import MAX_REFUSED, TICK_S, Part, RenderLimits, SentPage, Visit

pytest.importorskip("playwright")


class MadeSession:
    """A browser whose page is at rest after some ticks. ``at_look``: called at each look."""

    def __init__(self, ticks: int, at_look: Any = None) -> None:
        self.began = asyncio.get_running_loop().time()
        self.ticks = ticks
        self.at_look = at_look

    async def send(self, method: str, _: Any = None) -> dict[str, Any]:
        if method == "Page.getFrameTree":
            return {"frameTree": {"frame": {"id": "1"}}}
        if method == "Page.createIsolatedWorld":
            return {"executionContextId": 1}
        ran_s = asyncio.get_running_loop().time() - self.began
        # Read before the script that begins during the look.
        html = "at rest" if ran_s > (self.ticks - 0.5) * TICK_S else "too early"
        if self.at_look is not None:
            await self.at_look()
        return {"result": {"value": {"state": "complete", "nodes": 1, "chars": len(html), "html": html}}}


async def _fetch(*_: Any) -> Part:
    return Part(200, {}, b"")


def _visit() -> Visit:
    page = SentPage("https://docs.example.org/", b"", {})
    return Visit(page, _fetch, RenderLimits(quiet_s=3 * TICK_S, own_s=20.0), max_bytes=1000)


def test_a_machine_that_slept_gives_a_page_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asleep_s = itertools.count(0, 30)
    monkeypatch.setattr(visit, "monotonic", lambda: float(next(asleep_s)))

    async def html() -> tuple[str, str]:
        return await _visit()._text_at_rest(MadeSession(ticks=3))  # type: ignore[arg-type]

    assert asyncio.run(html()) == ("at rest", "")


async def _do_nothing(*_: Any, **__: Any) -> None:
    pass


def _route(kind: str) -> Any:
    """A request of the page for a part of this kind."""
    request = SimpleNamespace(
        url="https://docs.example.org/a",
        method="GET",
        headers={},
        resource_type=kind,
        is_navigation_request=lambda: False,
    )
    return SimpleNamespace(request=request, fulfill=_do_nothing, abort=_do_nothing)


def _text_after_asking(kind: str, times: int, ticks: int) -> tuple[str, str]:
    """HTML and problem of a page that asks for parts during the first look, and is at rest after some ticks."""

    async def text() -> tuple[str, str]:
        seen, left = _visit(), iter([times])

        async def ask() -> None:
            for _ in range(next(left, 0)):
                await seen._answer(_route(kind))

        return await seen._text_at_rest(MadeSession(ticks, at_look=ask))  # type: ignore[arg-type]

    return asyncio.run(text())


def test_a_page_that_asks_for_a_part_during_a_look_is_not_at_rest() -> None:
    assert _text_after_asking("fetch", 1, ticks=6) == ("at rest", "")


def test_requests_during_a_look_count_for_the_limit() -> None:
    assert _text_after_asking("image", MAX_REFUSED, ticks=3) == ("at rest", "")
    assert _text_after_asking("image", MAX_REFUSED + 1, ticks=3)[1] == "it makes more than 1,000 requests"
