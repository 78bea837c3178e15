"""The routes of the workbench, and the common parts of all answers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from diglot.arguments import as_options
from diglot.errors import DiglotError
from diglot.workbench import actions, pages, search_page, two_documents
from diglot.workbench.bench import Bench
from diglot.workbench.commands import plain_message
from diglot.workbench.guard import Guard, Keys
from diglot.workbench.scripts import icon, static_file
from diglot.workbench.shelf import NotHere

TICK_S = 0.5
"""Seconds between two looks at the jobs."""
END_WAIT_S = 2.0
"""Seconds that these looks get to end."""
ROUTES = (
    Route("/", pages.sites_page),
    Route("/new", pages.new_page),
    Route("/sites/{name}", pages.site_page),
    Route("/sites/{name}/progress", actions.follow),
    Route("/sites/{name}/verdicts", actions.verdicts, methods=["GET", "POST"]),
    Route("/sites/{name}/sheet", actions.sheet, methods=["POST"]),
    Route("/sites/{name}/terms", actions.terms, methods=["GET", "POST"]),
    Route("/sites/{name}/download/{langs}/{kind}", actions.download),
    Route("/sites/{name}/update", actions.update, methods=["POST"]),
    Route("/sites/{name}/delete", actions.delete, methods=["POST"]),
    Route("/sites/{name}/rename", actions.rename, methods=["POST"]),
    Route("/sites/{name}/clean", actions.clean, methods=["POST"]),
    Route("/sites/{name}/{action}", actions.control_job, methods=["POST"]),
    Route("/search", search_page.search_page),
    Route("/search/hits", search_page.search),
    Route("/plan", actions.plan, methods=["POST"]),
    Route("/begin", actions.begin, methods=["POST"]),
    Route("/drop", actions.receive_file, methods=["POST"]),
    Route("/documents", two_documents.documents_page),
    Route("/documents/look", two_documents.look, methods=["POST"]),
    Route("/documents/align", two_documents.align, methods=["POST"]),
    Route("/documents/{name}/{kind}", two_documents.result),
    Route("/put-back", actions.discard_files, methods=["POST"]),
    Route("/leave", actions.leave_files, methods=["POST"]),
    Route("/merge", actions.merge, methods=["POST"]),
    Route("/static/{stamp}/{name}", static_file),
    Route("/favicon.ico", icon),
)


def make_app(bench: Bench, keys: Keys) -> Starlette:
    """The application; ``keys`` let the user's browser in, and nothing else."""
    app = Starlette(
        routes=list(ROUTES),
        middleware=[Middleware(Guard, keys=keys)],
        exception_handlers={DiglotError: _say_error, HTTPException: _say_http},
        lifespan=_lifespan,
    )
    app.state.bench = bench
    return app


@contextlib.asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    """Look after the jobs while the server runs."""
    bench = app.state.bench
    # The rows of all runs are made while the browser starts, so that the first page is as fast as later ones.
    await run_in_threadpool(pages.sites_html, bench)
    bench.verdicts.take_waiting()
    tasks = [asyncio.create_task(each) for each in (_tick(bench), search_page.keep_indexes(bench))]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        # Not for ever: Ctrl-C must end the server, whatever a thread is doing.
        await asyncio.wait(tasks, timeout=END_WAIT_S)
        await bench.plans.close()


async def _tick(bench: Bench) -> None:
    while True:
        # A full disk stops no server: the next look tries again.
        with contextlib.suppress(DiglotError):
            bench.jobs.tick()
        await asyncio.sleep(TICK_S)


async def _say_error(request: Request, error: Exception) -> Response:
    said = str(error)
    # Sentences of the workbench end with a full stop; others are for people at a command line.
    sentence = said if said.endswith(".") else plain_message(as_options(said))
    return await _say(request, 404 if isinstance(error, NotHere) else 400, sentence)


async def _say_http(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    # 405: somebody opened the address of a button, which takes POST alone.
    is_missing = status in (404, 405)
    return await _say(request, status, "This is not here, or no longer." if is_missing else "This does not work.")


async def _say(request: Request, status: int, sentence: str) -> Response:
    if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
        return pages.error_page(status, sentence)
    return JSONResponse({"error": sentence}, status)
