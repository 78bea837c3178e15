"""When a page in the browser is at rest: a browser that is made up, on a machine that is busy or slept."""

from __future__ import annotations

import asyncio
import itertools
from types import SimpleNamespace
from typing import Any

import pytest

from diglot.crawl import visit
from diglot.crawl.visit import TICK_S, Part, RenderLimits, SentPage, Visit

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


def test_a_page_that_asks_for_a_part_during_a_look_is_not_at_rest() -> None:
    async def fulfill(**_: Any) -> None:
        pass

    async def html() -> tuple[str, str]:
        seen = _visit()
        request = SimpleNamespace(
            url="https://docs.example.org/a.json",
            method="GET",
            headers={},
            resource_type="fetch",
            is_navigation_request=lambda: False,
        )
        asked: list[Any] = []

        async def ask_once() -> None:
            if not asked:
                asked.append(SimpleNamespace(request=request, fulfill=fulfill))
                await seen._answer(asked[0])

        return await seen._text_at_rest(MadeSession(ticks=6, at_look=ask_once))  # type: ignore[arg-type]

    assert asyncio.run(html()) == ("at rest", "")
