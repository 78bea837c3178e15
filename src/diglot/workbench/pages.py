"""The HTML pages of the workbench."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from diglot.arguments import PAGES_WITHOUT_CONTACT
from diglot.language_names import language_name
from diglot.report.one_file import json_block
from diglot.workbench.bench import Bench, bench_of
from diglot.workbench.commands import plain_message
from diglot.workbench.downloads import DOWNLOADS
from diglot.workbench.jobs import FAILED, PAUSED, WAITING, WORKING
from diglot.workbench.last_update import last_update
from diglot.workbench.run_page import report_data
from diglot.workbench.run_state import RunState, merged_names
from diglot.workbench.scripts import RUN_POLICY, run_html, static_address
from diglot.workbench.uploads import DOCUMENTS, READ, left_out_lines, too_large
from diglot.workbench.watching import REASONS_SHOWN, STAGES, crawl_of, stages_of

_PAGES = Environment(
    loader=PackageLoader(__package__, "pages"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    # With auto_reload, the file of the template would be looked at for every row of the list of sites.
    auto_reload=False,
)
_PAGES.globals["static"] = static_address
_PAGES.globals["pages_without_contact"] = PAGES_WITHOUT_CONTACT
_PAGES.filters["language_name"] = language_name
JOB_WORDS = {
    "harvest": "making the memory",
    "update": "asking the site for changes",
    "merge": "merging sites",
    "clean": "checking the segments again",
}
"""What a job does, by its kind."""


def html(template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page made of a template."""
    return HTMLResponse(_PAGES.get_template(template).render(values), status)


async def sites_page(request: Request) -> Response:
    """My sites: all runs, the latest first."""
    bench = bench_of(request)
    return await run_in_threadpool(sites_html, bench)


def sites_html(bench: Bench) -> Response:
    """The list of sites as a page."""
    rows = site_rows(bench)
    items = Markup("").join(_item(bench, row) for row in rows)
    several = sum(row["is_finished"] for row in rows) > 1
    most = bench.max_upload_bytes
    limits: dict[str, Any] = {"documents": DOCUMENTS, "read": READ}
    limits |= {"most_bytes": most, "too_large_text": too_large(most)}
    return html("sites.html", here="sites", items=items, several=several, **limits)


def _item(bench: Bench, row: dict[str, Any]) -> Markup:
    """A row of the list of sites, made again only when something of it has changed."""
    known = bench.items.get(row["name"])
    if known is None or known[0] != row:
        text = Markup(_PAGES.get_template("site_item.html").render(row=row))
        known = bench.items[row["name"]] = row, text
    return known[1]


def site_rows(bench: Bench) -> list[dict[str, Any]]:
    """Runs and jobs as rows, those at work first, then the latest."""
    bench.shelf.follow_renames()
    names = dict.fromkeys([*bench.shelf.names(), *(job.name for job in bench.jobs.all())])
    rows = [site_row(bench, name) for name in names]
    return sorted(rows, key=lambda row: (row["state"] not in (WORKING, WAITING, PAUSED), -row["changed"], row["name"]))


def site_row(bench: Bench, name: str) -> dict[str, Any]:
    """A run as a row of the table."""
    run, job = bench.state(name), bench.jobs.of(name)
    state = bench.jobs.state_of(job) if job else ("done" if run.is_finished else "unfinished")
    return {
        "name": name,
        "state": state,
        "says": _state_text(state, job.kind if job else "", job.error if job else ""),
        "languages": run.languages,
        "segments": run.kept_segments,
        "pages": run.used,
        "is_finished": run.is_finished,
        "is_crawled": run.is_crawled,
        # A job that waits for its turn has not begun; it comes first.
        "changed": job.began or float("inf") if job else run.changed,
        "when": day_text(run.changed) if run.is_finished else "",
    }


def _state_text(state: str, kind: str, error: str) -> str:
    """The state of a run in a few words; the error of a failed job."""
    if state == WORKING:
        return JOB_WORDS.get(kind, "at work")
    sentences = {WAITING: "waits for its turn", PAUSED: "paused", "unfinished": "not finished", "done": ""}
    return plain_message(error) if state == FAILED else sentences[state]


def day_text(moment: float, now: float | None = None) -> str:
    """A time as people say it: today with the hour, else the day.

    >>> noon = 1_700_000_000.0 // 86_400 * 86_400 + 43_200
    >>> day_text(noon - 40 * 86_400, noon)[-4:], day_text(0.0)
    ('2023', '')
    """
    if not moment:
        return ""
    today = time.localtime(now)
    day = time.localtime(moment)
    if day[:3] == today[:3]:
        return time.strftime("today, %H:%M", day)
    return time.strftime("%-d %b %Y", day)


async def new_page(request: Request) -> Response:
    """Page of a new site: ask for an address or files, show the plan, start."""
    typed = request.query_params.get("address", "")
    files = request.query_params.get("files", "")
    return html("new.html", here="new", typed=typed, files=files, left_out=left_out_lines_of(request))


def left_out_lines_of(request: Request) -> list[str]:
    """What is said of the files that the page before left out of a drop."""
    query = request.query_params
    return left_out_lines(query.getlist("left"), query.get("more", ""))


async def site_page(request: Request) -> Response:
    """A run: at work, or finished."""
    bench = bench_of(request)
    name = bench.require(request.path_params["name"])
    run, job = bench.state(name), bench.jobs.of(name)
    if job is None and run.is_finished:
        return await _run_page(bench, name, run)
    return html("at_work.html", here="sites", name=name, progress=progress(bench, name))


def progress(bench: Bench, name: str) -> dict[str, Any]:
    """A run at work as plain values. ``state``: ``done`` when the page should show the finished run."""
    run, job = bench.state(name), bench.jobs.of(name)
    if job is None:
        return {"state": "done" if run.is_finished else "unfinished", "says": _state_text("unfinished", "", "")}
    state = bench.jobs.state_of(job)
    crawl = crawl_of(bench.shelf.run(name), job.began) if run.is_crawled or job.address else {}
    crawl |= {"languages": [(language_name(tag), count) for tag, count in crawl["languages"]]} if crawl else {}
    stages = stages_of(bench.jobs.events_of(name), is_crawl=bool(job.address) or job.kind == "update")
    if state == WORKING and all(stage["state"] == "waiting" for stage in stages):
        # Python takes a second or two before the first stage begins.
        stages[0] |= {"state": "working", "text": "starting"}
    if crawl.get("rest") and stages[0]["name"] == STAGES["crawl"] and stages[0]["state"] == "working":
        host, seconds = crawl["rest"]
        stages[0]["text"] = f"next request to {host} in {seconds:,} s: it had trouble, or asks for pauses"
    return {
        "state": state,
        "kind": job.kind,
        "says": _state_text(state, job.kind, job.error),
        "stages": stages,
        "crawl": crawl,
        "ends": job.ends_crawl,
        "can_be_given_up": job.can_be_given_up(run.is_finished),
        "address": job.address,
        "left": _time_left(crawl),
    }


def _time_left(crawl: dict[str, Any]) -> str:
    """How long a crawl may still take, rounded up to minutes; "" if unknown."""
    if not crawl.get("rate") or not crawl.get("queued"):
        return ""
    minutes = -(-crawl["queued"] // max(crawl["rate"], 0.1))
    return f"about {minutes:.0f} min" if minutes < 90 else f"about {minutes / 60:.1f} h"


async def _run_page(bench: Bench, name: str, run: RunState) -> Response:
    path = Path(bench.shelf.run(name))
    headline, segments = await report_data(path)
    update = last_update(path)
    crawl = await run_in_threadpool(crawl_of, path) if run.is_crawled else {}
    values = {
        "name": name,
        "run": run,
        "row": site_row(bench, name),
        "first": [each for each in DOWNLOADS if each.first],
        "more": [each for each in DOWNLOADS if not each.first and (update or each.command != "delta")],
        "terms": [each for each in DOWNLOADS if each.command == "terms"],
        "why_empty": _why_empty(headline) if not run.kept_segments else "",
        "addresses_left": crawl.get("queued", 0),
        "merged": merged_names(path),
        "update_lines": update.lines(run) if update else [],
        "has_new": bool(update and update.new),
        "has_missing": bool(update and update.pages.get("missing")),
    }
    above = _PAGES.get_template("run_above.html").render(values)
    bar = _PAGES.get_template("run_bar.html").render(values)
    # Several sites may be of one host, and the user may have renamed this one.
    block = json_block({**headline, "title": name})
    text = run_html(f"{name}: Diglot", name=bar, above=above, headline=block, segments=segments)
    return HTMLResponse(text, headers={"content-security-policy": f"{RUN_POLICY}; frame-ancestors 'none'"})


def _why_empty(headline: dict[str, Any]) -> str:
    """Why a run keeps no segments: all segments are left out, or all pages are dropped."""
    aligned = sum(each["segments"] for each in headline["lang_pairs"])
    if aligned:
        return f"All {aligned:,} segments found are left out. About says why."
    reasons = ", ".join(f"{each['text']} ({each['count']:,})" for each in headline["dropped"][:REASONS_SHOWN])
    left_out = f" Left out of {headline['records']:,} pages: {reasons}." if reasons else ""
    return f"No page and its translation were found in these languages.{left_out} About shows examples."


def error_page(status: int, sentence: str) -> Response:
    """A page with one sentence."""
    return html("error.html", status, here="", sentence=sentence)
