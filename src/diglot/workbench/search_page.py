"""Search over all sites: the page, its answers, and the indexes kept up to date."""

from __future__ import annotations

import asyncio
from dataclasses import asdict

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from diglot.errors import UsageError
from diglot.language_names import language_name
from diglot.workbench.bench import Bench, bench_of
from diglot.workbench.concordance import HITS
from diglot.workbench.pages import html
from diglot.workbench.processes import work_on_run

LOOK_EVERY_S = 3.0
"""Seconds between two looks for runs whose outputs have changed."""


async def search_page(request: Request) -> Response:
    """The page to search in all sites."""
    bench = bench_of(request)
    pairs = await run_in_threadpool(lambda: bench.concordance.lang_pairs(bench.shelf.names()))
    named = [(f"{src},{tgt}", f"{language_name(src)} – {language_name(tgt)}") for src, tgt in pairs]
    return html("search.html", here="search", pairs=named, query=request.query_params.get("q", ""))


async def search(request: Request) -> Response:
    """Segments of all sites with the words of a query."""
    bench, params = bench_of(request), request.query_params
    langs = tuple(params["langs"].split(",")) if params.get("langs") else ()
    if len(langs) not in (0, 2):
        raise UsageError("Name two languages.")
    pair = (langs[0], langs[1]) if langs else None
    found = await run_in_threadpool(lambda: bench.concordance.search(params.get("q", ""), bench.shelf.names(), pair))
    missing = [each for each in _outputs(bench) if not bench.concordance.is_current(*each)]
    failed = sum(each in bench.concordance.failed for each in missing)
    return JSONResponse(
        {
            "hits": [asdict(each) for each in found[:HITS]],
            "more": len(found) > HITS,
            "waiting": len(missing) - failed,
            "failed": failed,
        }
    )


def _outputs(bench: Bench) -> list[tuple[str, str]]:
    """Name of each finished run without a job, and the stamp of its outputs."""
    states = [bench.state(name) for name in bench.shelf.names() if bench.jobs.of(name) is None]
    return [(state.name, state.stamp) for state in states if state.is_finished]


async def keep_indexes(bench: Bench) -> None:
    """Make the indexes of runs whose outputs have changed, one at a time, for ever."""
    failed = bench.concordance.failed
    while True:
        await run_in_threadpool(bench.shelf.follow_renames)
        outputs = await run_in_threadpool(_outputs, bench)
        stale = [each for each in outputs if each not in failed and not bench.concordance.is_current(*each)]
        for name, stamp in stale[:1]:
            try:
                await work_on_run("index", bench.shelf.run(name), [str(bench.concordance.path_of(name)), stamp])
            except UsageError:
                # Not tried again until its outputs change.
                failed.add((name, stamp))
        if not stale:
            await asyncio.sleep(LOOK_EVERY_S)
