"""Requests of pages about runs. Answers are JSON, events of a run at work, or a file; errors are one sentence."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse

from diglot.errors import UsageError
from diglot.language_names import language_name
from diglot.public_suffixes import are_host_folders, invented_base
from diglot.workbench.bench import Bench, bench_of, body_of
from diglot.workbench.commands import full_address, harvest_words, host_of, pairs_of, update_words
from diglot.workbench.downloads import make_download
from diglot.workbench.pages import progress
from diglot.workbench.planning import in_usual_order
from diglot.workbench.processes import work_on_run
from diglot.workbench.shelf import DROPPED, NotHere, first_name, read_json, write_json
from diglot.workbench.uploads import (
    ARCHIVES,
    DOCUMENTS,
    LEFT_OUT,
    TEXT,
    file_name,
    free_name,
    left_out_notes,
    sheet_name,
    stem_of,
    store,
    too_large,
    unpack_pages,
)

LOOK_EVERY_S = 0.4
"""Seconds between two looks at a run whose page is open."""


# -- a new run ---------------------------------------------------------------------------------


async def plan(request: Request) -> Response:
    """A look at a site, or at dropped files."""
    bench, body = bench_of(request), await body_of(request)
    split = body.get("split") is True
    if body.get("files"):
        name = str(body["files"])
        files, base_url = await _dropped_files(bench, name)
        paths = [str(bench.shelf.own(DROPPED, name, file)) for file in files]
        found = await bench.plans.of_files(paths, base_url, split=split)
        notes = left_out_notes(read_json(bench.shelf.own(DROPPED, name, LEFT_OUT)))
        return JSONResponse({**found, **_languages_in_order(bench, found), "notes": [*notes, *found["notes"]]})
    address, browser = str(body.get("address", "")), body.get("browser") is True
    found = await bench.plans.of_address(address, browser=browser, split=split)
    name = first_name(host_of(full_address(address)))
    if bench.has(name):
        note = f"There is a site named {name} already. Update it under My sites, or make another."
        # The plan itself is kept, and shown again.
        found = {**found, "notes": [note, *found["notes"]]}
    return JSONResponse({**found, **_languages_in_order(bench, found)})


def _languages_in_order(bench: Bench, found: dict[str, Any]) -> dict[str, Any]:
    """The languages of a plan in the order of the sites that are here, the latest first."""
    states = sorted(map(bench.state, bench.shelf.names()), key=lambda state: -state.changed)
    usual = dict.fromkeys(tag for state in states if state.is_finished for tag in state.languages)
    return {"languages": in_usual_order(found["languages"], list(usual))}


async def _dropped_files(bench: Bench, name: str) -> tuple[list[str], str]:
    """Names of the sources among dropped files, and the address that a folder of pages stands for."""
    bench.left.discard(name)
    archives, pages = await run_in_threadpool(_unpack_dropped, bench, name)
    if pages is None:
        return archives, ""
    mirror = await run_in_threadpool(_mirror_in, pages)
    if mirror is None and json.loads(await work_on_run("saved-pages", pages, [])):
        mirror = pages
    source = (mirror or pages).relative_to(bench.shelf.own(DROPPED, name)).as_posix()
    return [*archives, source], "" if mirror else invented_base(name)


def _unpack_dropped(bench: Bench, name: str) -> tuple[list[str], Path | None]:
    """Names of the archives among dropped files, and the folder of their pages and documents, None without any."""
    bench.shelf.run(name)  # raises for a name that leads elsewhere
    folder = bench.shelf.own(DROPPED, name)
    packed = sorted(path for path in folder.glob("*") if path.name.lower().endswith(".zip"))
    # Reports name a source by its folder.
    pages = folder / "pages" / name
    for path in packed:
        _note_left_out(folder, unpack_pages(path, pages))
        path.unlink()
    for path in sorted(path for path in folder.glob("*") if path.name.lower().endswith(DOCUMENTS)):
        if path.suffix.lower() == ".txt":
            _note_left_out(folder, Counter([TEXT]))
            path.unlink()
        else:  # many documents are a collection, as if they came in a zip file
            pages.mkdir(parents=True, exist_ok=True)
            path.replace(pages / free_name(pages, path.name))
    archives = [path.name for path in sorted(folder.glob("*")) if path.name.lower().endswith(ARCHIVES)]
    has_pages = pages.is_dir()
    if not archives and not has_pages and read_json(folder / LEFT_OUT).get(TEXT):
        raise UsageError("Plain texts (.txt) are aligned two at a time; drop two, or save them all as DOCX or HTML.")
    if not archives and not has_pages:
        raise UsageError("These files are no longer here; drop them again.")
    return archives, pages if has_pages else None


def _mirror_in(pages: Path) -> Path | None:
    """The folder with folders named like hosts: the unpacked pages, or the only folder in them; None for no mirror."""
    tops = list(pages.iterdir())
    # A file manager packs the folder itself, not just what is in it.
    for root in (pages, *(top for top in tops if len(tops) == 1 and top.is_dir())):
        if are_host_folders(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()):
            return root
    return None


def _note_left_out(folder: Path, counts: Counter[str]) -> None:
    """Add to the stored counts of files left out, by reason. The files are gone when the page is loaded again."""
    write_json(folder / LEFT_OUT, counts + Counter(read_json(folder / LEFT_OUT)))


async def begin(request: Request) -> Response:
    """A harvest of an address or of dropped files."""
    bench, body = bench_of(request), await body_of(request)
    order = [str(tag) for tag in body.get("order", [])] if isinstance(body.get("order"), list) else []
    pairs = pairs_of(body.get("pairs"), order)
    options: dict[str, Any] = body["options"] if isinstance(body.get("options"), dict) else {}
    if body.get("files"):
        name, address = str(body["files"]), ""
        files, base_url = await _dropped_files(bench, name)
        sources = [str(bench.shelf.own("files", name, file)) for file in files]
        options = {**({"base_url": base_url} if base_url else {}), **{k: v for k, v in options.items() if v}}
    else:
        address = full_address(str(body.get("address", "")))
        name, sources = bench.shelf.new_name(host_of(address)), [address]
    words = harvest_words(sources, pairs, bench.shelf.run(name), options, bench.allow_hosts)
    if body.get("files"):
        bench.shelf.keep_dropped(name)
    bench.jobs.add(name, "harvest", words, address)
    bench.jobs.tick()
    return JSONResponse({"name": name})


async def receive_file(request: Request) -> Response:
    """Store a file that the user dropped, for a run whose name is given or made."""
    bench, query = bench_of(request), request.query_params
    file = file_name(query.get("file", ""))
    if int(request.headers.get("content-length") or 0) > bench.max_upload_bytes:
        raise UsageError(too_large(bench.max_upload_bytes))
    wished = stem_of(file)
    if first_name(wished) in bench.left:
        await run_in_threadpool(_discard, bench, first_name(wished))
    name = query.get("name") or bench.shelf.new_name(wished)
    bench.shelf.run(name)
    folder = bench.shelf.own(DROPPED, name)
    if bench.shelf.own("files", name).exists() or bench.jobs.of(name) is not None:
        raise UsageError(f"{name} is a site already; drop the files again.")
    try:
        # Files of two folders may have the same name: en/guide.txt and de/guide.txt.
        await store(request.stream(), folder / free_name(folder, file), bench.max_upload_bytes)
    except BaseException:
        # Only an empty folder is removed; it may hold other files, and may not be there.
        with suppress(OSError):
            folder.rmdir()
        raise
    return JSONResponse({"name": name})


async def discard_files(request: Request) -> Response:
    """Delete dropped files that the user looked at and made no site of."""
    await run_in_threadpool(_discard, bench_of(request), str((await body_of(request)).get("files", "")))
    return JSONResponse({})


def _discard(bench: Bench, name: str) -> None:
    bench.shelf.run(name)  # raises for a name that leads elsewhere
    bench.left.discard(name)
    shutil.rmtree(bench.shelf.own(DROPPED, name), ignore_errors=True)


async def leave_files(request: Request) -> Response:
    """Note that no page shows dropped files any longer: they stay until a file is dropped that gives their name."""
    bench, name = bench_of(request), str((await body_of(request)).get("files", ""))
    bench.shelf.run(name)  # raises for a name that leads elsewhere
    if bench.shelf.own(DROPPED, name).is_dir():
        bench.left.add(name)
    return JSONResponse({})


# -- a run at work -----------------------------------------------------------------------------


async def follow(request: Request) -> Response:
    """Progress of a run as server-sent events, until the run is done or the page is gone."""
    bench = bench_of(request)
    name = bench.require(request.path_params["name"])
    return StreamingResponse(_events(request, bench, name), media_type="text/event-stream")


async def _events(request: Request, bench: Bench, name: str) -> AsyncIterator[str]:
    last = ""
    while not await request.is_disconnected():
        bench.jobs.tick()
        found = await run_in_threadpool(progress, bench, name)
        text = json.dumps(found)
        # A comment, because only writing to a closed connection shows that the page is gone.
        yield f"data: {text}\n\n" if text != last else ": \n\n"
        last = text
        if found["state"] in ("done", "unfinished"):
            return
        await asyncio.sleep(LOOK_EVERY_S)


async def control_job(request: Request) -> Response:
    """Pause, resume or give up a job, or end its crawl."""
    bench, name = bench_of(request), request.path_params["name"]
    await body_of(request)
    bench.require(name)
    if bench.jobs.of(name) is None:
        raise UsageError(f"{name} is not being worked on.")
    actions = {
        "pause": bench.jobs.pause,
        "go-on": bench.jobs.go_on,
        "finish": bench.jobs.end_crawl,
        "give-up": bench.jobs.give_up,
    }
    if request.path_params["action"] not in actions:
        raise NotHere("There is no such button; load the page again.")
    actions[request.path_params["action"]](name)
    bench.jobs.tick()
    return JSONResponse(progress(bench, name) if bench.has(name) else {"state": "gone"})


# -- a finished run ----------------------------------------------------------------------------


async def update(request: Request) -> Response:
    """Ask a site for changes, with ``options``; ``believe`` in the body: missing pages are dropped at once."""
    bench, name, body = bench_of(request), request.path_params["name"], await body_of(request)
    options: dict[str, Any] = body["options"] if isinstance(body.get("options"), dict) else {}
    words = update_words(bench.shelf.run(name), options, bench.allow_hosts, believe=body.get("believe") is True)
    if not bench.require_finished(name).is_crawled:
        raise UsageError(f"{name} was made of files; drop newer ones for a new site.")
    await bench.verdicts.take(name)
    bench.jobs.add(name, "update", words)
    bench.jobs.tick()
    return JSONResponse({"name": name})


async def delete(request: Request) -> Response:
    """Delete a run and all that belongs to it."""
    bench, name = bench_of(request), request.path_params["name"]
    await body_of(request)
    if bench.jobs.of(bench.require_unmerged(name)) is not None:
        bench.jobs.give_up(name)
    await run_in_threadpool(bench.shelf.remove, name)
    return JSONResponse({})


async def rename(request: Request) -> Response:
    """Give a run another name, ``to`` in the body, with the decisions of the user on it."""
    bench, name = bench_of(request), request.path_params["name"]
    to = str((await body_of(request)).get("to", ""))
    bench.require_idle(bench.require_unmerged(name))
    await bench.verdicts.take(name)
    bench.require_unmerged(name)  # a merge may have begun meanwhile
    return JSONResponse({"name": await run_in_threadpool(bench.shelf.rename, name, to)})


async def merge(request: Request) -> Response:
    """Merge finished runs into a new one."""
    bench, body = bench_of(request), await body_of(request)
    names = body.get("names")
    if not isinstance(names, list) or len(names) < 2:
        raise UsageError("Choose two sites or more.")
    for name in names:
        bench.require_finished(str(name))
        await bench.verdicts.take(str(name))
    states = [bench.require_finished(str(name)) for name in names]  # one may have been renamed meanwhile
    first, *others = states
    for other in others:
        if other.min_score != first.min_score:
            raise UsageError(
                f"{first.name} and {other.name} have different least scores, {first.min_score:g} and "
                f"{other.min_score:g}. Open one of them and apply the least score of the other, then merge."
            )
    for at, one in enumerate(states):
        for other in states[:at]:
            if swapped := _swapped_pair(one.languages, other.languages):
                src, tgt = map(language_name, swapped)
                raise UsageError(
                    f"{one.name} has {src} before {tgt}, and {other.name} has {tgt} before {src}, so what is source in "
                    "one is target in the other. Make one of them again, with another source language."
                )
    out = bench.shelf.new_name("merged")
    runs = [str(bench.shelf.run(name)) for name in names]
    bench.jobs.add(out, "merge", ["merge", *runs, "-o", str(bench.shelf.run(out)), "--json"])
    bench.terms.join(map(str, names), out)
    bench.jobs.tick()
    return JSONResponse({"name": out})


def _swapped_pair(one: Sequence[str], other: Sequence[str]) -> tuple[str, str] | None:
    """Two languages that stand in opposite orders in two lists; None without any."""
    places = {tag: place for place, tag in enumerate(other)}
    shared = [tag for tag in one if tag in places]
    return next((pair for pair in pairwise(shared) if places[pair[0]] > places[pair[1]]), None)


async def clean(request: Request) -> Response:
    """Apply the least score, and the flags that leave a segment out, to the files of a run."""
    bench, name, body = bench_of(request), request.path_params["name"], await body_of(request)
    bench.require_finished(name)
    least = body.get("least")
    if not isinstance(least, int | float) or not 0 <= least <= 1:
        raise UsageError("The least score is a number from 0 to 1.")
    words = ["clean", str(bench.shelf.run(name)), "--json", f"--min-score={least:g}"]
    for option in ("keep", "drop"):
        flags = body.get(option)
        if isinstance(flags, list) and all(isinstance(flag, str) and flag.isidentifier() for flag in flags):
            words.append(f"--{option}={','.join(flags)}")
    await bench.verdicts.take(name)
    bench.jobs.add(name, "clean", words)
    bench.jobs.tick()
    return JSONResponse({"name": name})


async def verdicts(request: Request) -> Response:
    """Give the verdicts on a run, or take more."""
    bench, name = bench_of(request), request.path_params["name"]
    if request.method == "POST":
        name = bench.require(bench.shelf.present_name(name))
        body = await body_of(request)
        return JSONResponse({"refused": bench.verdicts.store(name, body.get("entries"))})
    entries = await run_in_threadpool(bench.verdicts.entries, bench.require(name))
    return JSONResponse({"entries": entries, "terms": bench.terms.entries(name)})


async def sheet(request: Request) -> Response:
    """Take a sheet, as downloaded, with the verdicts and corrections that the user filled in."""
    bench, name = bench_of(request), request.path_params["name"]
    bench.require_finished(name)
    file = sheet_name(request.query_params.get("file", ""))
    with tempfile.TemporaryDirectory(prefix="diglot-") as folder:
        await store(request.stream(), Path(folder, file), bench.max_upload_bytes)
        await bench.verdicts.take(name)
        printed = await work_on_run("sheet", Path(folder), [file, str(bench.shelf.run(name))])
    return JSONResponse(json.loads(printed))


async def terms(request: Request) -> Response:
    """Terms of two languages of a run, or a decision on one."""
    bench, name = bench_of(request), request.path_params["name"]
    if request.method == "POST":
        # Also while a job works on the run: it reads no decisions.
        name = bench.require(bench.shelf.present_name(name))
        return JSONResponse({"refused": bench.terms.store(name, (await body_of(request)).get("entries"))})
    state = bench.require_finished(name)
    src, _, tgt = request.query_params.get("langs", "").partition(",")
    if (src, tgt) not in state.lang_pairs:
        raise UsageError("This site does not have these two languages.")
    return JSONResponse(await bench.terms.find_terms(name, (src, tgt), state.stamp))


async def download(request: Request) -> Response:
    """A file of a run, with all verdicts in it."""
    bench, name = bench_of(request), request.path_params["name"]
    bench.require_finished(name)
    await bench.verdicts.take(name)
    langs, kind = request.path_params["langs"], request.path_params["kind"]
    asked = request.query_params
    variant, accepted = asked.get("variant", ""), "accepted" in asked
    path, shown = await make_download(bench.shelf, name, kind, langs, variant=variant, accepted=accepted)
    # Each file has a folder of its own among the downloads.
    folder = path.relative_to(bench.shelf.own("downloads")).parts[0]
    gone = BackgroundTask(shutil.rmtree, bench.shelf.own("downloads", folder), ignore_errors=True)
    return FileResponse(path, filename=shown, media_type="application/octet-stream", background=gone)
