"""The page that aligns two dropped documents, as ``diglot align`` does, and gives the memory to download."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from diglot.errors import UsageError
from diglot.language_names import language_name
from diglot.workbench.bench import Bench, bench_of, body_of
from diglot.workbench.commands import language_tag
from diglot.workbench.pages import html, left_out_lines_of
from diglot.workbench.processes import work_on_run
from diglot.workbench.shelf import DROPPED, NotHere
from diglot.workbench.uploads import DOCUMENTS

MEMORY = "memory"
"""Folder of the results beside the documents."""
KINDS = ("tmx", "html")
"""Endings of the results: the memory, and a page of both texts side by side."""


async def documents_page(request: Request) -> Response:
    """The page of two documents: languages, and the results."""
    name = request.query_params.get("files", "")
    first, second = _documents(bench_of(request), name)
    names = [first.name, second.name]
    return html("documents.html", here="new", files=name, names=names, left_out=left_out_lines_of(request))


def _documents(bench: Bench, name: str) -> list[Path]:
    """The two documents among dropped files, by name. Raises: UsageError for another number, NotHere for no name."""
    bench.shelf.run(name)  # raises for a name that leads elsewhere
    bench.left.discard(name)
    folder = bench.shelf.own(DROPPED, name)
    found = sorted(path for path in folder.glob("*") if path.name.lower().endswith(DOCUMENTS))
    if len(found) != 2:
        raise UsageError("Drop two documents that translate each other, both at once.")
    return found


async def look(request: Request) -> Response:
    """Language of each document, and all languages to choose from by name."""
    name = str((await body_of(request)).get("files", ""))
    first, second = _documents(bench_of(request), name)
    said = json.loads(await work_on_run("languages", first.parent, [first.name, second.name]))
    named = sorted((language_name(tag), tag) for tag in said["all"])
    return JSONResponse({"found": said["found"], "all": [{"tag": tag, "name": shown} for shown, tag in named]})


async def align(request: Request) -> Response:
    """Align the documents; answers with the number of segments kept, and of all."""
    body = await body_of(request)
    first, second = _documents(bench_of(request), str(body.get("files", "")))
    sent = body.get("langs")
    langs = [language_tag(each) for each in sent] if isinstance(sent, list) else []
    if len(langs) != 2 or langs[0] == langs[1]:
        raise UsageError("Choose two languages, one for each document.")
    out = first.parent / MEMORY
    await run_in_threadpool(shutil.rmtree, out, ignore_errors=True)
    return JSONResponse(
        json.loads(await work_on_run("align", first.parent, [first.name, second.name, ",".join(langs), MEMORY]))
    )


async def result(request: Request) -> Response:
    """A file of the results."""
    name, kind = request.path_params["name"], request.path_params["kind"]
    first, second = _documents(bench_of(request), name)
    made = sorted((first.parent / MEMORY).glob(f"*.{kind}")) if kind in KINDS else []
    if not made:
        raise NotHere("There is no such file; align the documents again.")
    shown = f"{first.stem} {second.stem}.{made[0].name}"
    return FileResponse(made[0], filename=shown, media_type="application/octet-stream")
