"""Crawl a site into a run folder: a child process does the work, and this process follows its progress."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from diglot import errors
from diglot.arguments import PAGES_WITHOUT_CONTACT
from diglot.crawl import FOLLOW_AGAIN
from diglot.crawl.options import CrawlOptions
from diglot.crawl.queue.frontier import FAILED, HOST_LEFT, REFUSED, Frontier
from diglot.engines.server import block_interrupts
from diglot.errors import DiglotError, Stopped, UsageError
from diglot.layout import count_text
from diglot.progress import Progress

STOP_WAIT_S = 15.0
"""Time for an interrupted crawl to finish the requests in flight."""
MAX_DEATHS = 10
"""Deaths of the child process after which a crawl is given up."""
REASONS_SHOWN = 4
MIN_START_CHARS = 200
"""A start page with less text and no links is probably made by scripts."""


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """Result of a crawl.

    ``files``: WARC files of the archive, in order; ``counts``: addresses by state; ``notices``: warnings for people;
    ``limit``: name of the limit that was reached, or ""; ``trouble``: why the first host allowed no request, or "";
    ``work``: counts of the child process (requests, took_ms ...); ``reasons``: for failed and for refused addresses,
    their number by reason or HTTP status.
    """

    files: list[Path]
    counts: dict[str, int]
    notices: list[str] = field(default_factory=list)
    limit: str = ""
    trouble: str = ""
    work: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, dict[str, int]] = field(default_factory=dict)


def crawl_site(
    options: CrawlOptions, journal: Path, folder: Path, progress: Progress, *, follow_again: bool = False
) -> CrawlResult:
    """Crawl until nothing is queued or a limit is reached; resumes an earlier crawl of the same journal.

    ``follow_again``: read the links of archived pages again, for other languages than before.

    Raises :class:`UsageError` if h11 is missing, :class:`diglot.errors.DiglotError` if the crawl cannot begin or store
    its pages, and :class:`Stopped` on an interrupt.
    """
    if find_spec("h11") is None:
        raise UsageError("a crawl needs the package h11, which is not installed; try pip install 'diglot[crawl]'")
    progress.start("crawl", options.page_limit or None, "pages")
    if before := _pages_before(journal):
        progress.advance(before)  # a resumed crawl counts on
    last: dict[str, Any] = {}
    for _ in range(MAX_DEATHS):
        last = _run(options, journal, folder, progress, follow_again=follow_again)
        if last:
            break
    else:
        raise DiglotError(f"the crawler died {MAX_DEATHS} times; the same command goes on from what is in {folder}")
    crawled = _result(options, journal, folder, last)
    progress.finish(outcome_text(crawled))
    return crawled


def outcome_text(crawled: CrawlResult) -> str:
    """Number of pages by outcome, and the most frequent reasons."""
    counts, reasons = crawled.counts, crawled.reasons
    return (
        f"{count_text(counts['pages'], 'page')}, {count_text(counts['redirects'], 'redirect')}, "
        f"{count_text(counts['failed'], 'error')}{_reasons_text(reasons.get(FAILED, {}))}, "
        f"{counts['refused']:,} not asked for or not kept{_reasons_text(reasons.get(REFUSED, {}))}"
    )


def _reasons_text(reasons: Mapping[str, int]) -> str:
    """`` (799 x 404, 2 x timeout)``; "" without a reason."""
    shown = [f"{count:,} x {reason}" for reason, count in list(reasons.items())[:REASONS_SHOWN]]
    more = ["others"] if len(reasons) > REASONS_SHOWN else []
    return f" ({', '.join([*shown, *more])})" if shown else ""


def pages_in_all(known: int, done: int, waiting: int, limit: int) -> int:
    """Number of pages of a running crawl by what is known, at most its ``limit`` (0 for none), never fewer than done.

    >>> pages_in_all(known=3, done=5, waiting=2, limit=0), pages_in_all(known=90, done=5, waiting=85, limit=50)
    (7, 50)
    """
    total = max(known, done + waiting)
    return max(done, min(total, limit or total))


def state_text(queue: Mapping[str, int], url: str) -> str:
    """State of a running crawl: number of pages that wait, failed and were left out, and the last address.

    >>> state_text({"queued": 636, "failed": 12, "refused": 3}, "https://a.example/x")
    '636 waiting, 12 errors, 3 left out; https://a.example/x'
    """
    return f"{queue['queued']:,} waiting, {count_text(queue['failed'], 'error')}, {queue['refused']:,} left out; {url}"


def one_page_text(work: Mapping[str, int], elsewhere: Sequence[str], barred: int = 0) -> str:
    """Why a crawl found one page, and what to try.

    ``elsewhere``: hosts that the links of the page lead to; ``barred``: number of addresses that a glob left out.

    >>> one_page_text({"start_links": 14, "start_chars": 900}, ["www.b.example"])
    'one page found: its links lead to www.b.example; to crawl that site, start there'
    """
    if barred:
        left = count_text(barred, "address", "addresses")
        return f"one page found: --include or --exclude leaves out {left} that it leads to; check the patterns"
    if elsewhere:
        return f"one page found: its links lead to {' and '.join(elsewhere)}; to crawl that site, start there"
    if not work.get("start_links") and work.get("start_chars", 0) < MIN_START_CHARS:
        return "one page found: it has no links and hardly any text; if scripts make the page, try --browser '*'"
    return "one page found: no link leads to another page of this site; check the address, or give several"


def _pages_before(journal: Path) -> int:
    """Pages in the archive of a crawl to be resumed."""
    if not journal.exists():
        return 0
    with Frontier(journal) as frontier:
        return frontier.count_stored_pages()


def _run(
    options: CrawlOptions, journal: Path, folder: Path, progress: Progress, *, follow_again: bool
) -> dict[str, Any]:
    """Run a child process; returns its last event, {} after a death without a word."""
    last: dict[str, Any] = {}
    arguments = [str(journal), str(folder), *([FOLLOW_AGAIN] if follow_again else [])]
    done = _pages_before(journal)
    with _child(options, arguments) as child:
        assert child.stdout is not None
        try:
            for line in child.stdout:
                event = json.loads(line)
                if "pages" in event:
                    done += event["pages"]
                    progress.advance(event["pages"])
                elif "queue" in event:
                    total = pages_in_all(event["known"], done, event["queue"]["queued"], options.page_limit)
                    progress.show_state(state_text(event["queue"], event["url"]), total, at_once=event["rests"])
                else:
                    last = event
        except KeyboardInterrupt as interrupt:
            _wait_for_end(child)
            raise Stopped(f"stopped; the same command goes on from what is in {folder}") from interrupt
        child.wait()
    if "error" in last:
        raise getattr(errors, last["kind"], DiglotError)(last["error"])
    return last


@contextmanager
def _child(options: CrawlOptions, arguments: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "diglot.crawl.child", *arguments]
    with block_interrupts():
        started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with started as child:
        assert child.stdin is not None
        try:
            child.stdin.write(options.to_json() + "\n")
            child.stdin.flush()
            yield child
        finally:
            if child.poll() is None:
                child.kill()


def _wait_for_end(child: subprocess.Popen[str]) -> None:
    try:
        child.terminate()
        child.wait(STOP_WAIT_S)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        child.kill()


def _result(options: CrawlOptions, journal: Path, folder: Path, last: dict[str, Any]) -> CrawlResult:
    with Frontier(journal) as frontier:
        counts = frontier.outcome_counts()
        reasons = {state: frontier.reason_counts(state) for state in (FAILED, REFUSED)}
        files = [folder / name for name in frontier.archives()]
    notices = list(last.get("notices", ()))
    if left := counts["left"]:
        notices.append(f"{left:,} addresses wait for abandoned hosts; out/fetches.tsv lists them ({HOST_LEFT})")
    waiting = count_text(counts["queued"], "address", "addresses")
    if last.get("limit") == "max-requests":
        notices.append(
            f"stopped with {waiting} waiting: too few of the addresses asked for were pages; run the same command to "
            "go on, or leave addresses out with --exclude"
        )
    full = last.get("limit") == "max-pages" and not options.only_known
    if options.only_known and counts["queued"]:
        notices.append(f"--max-pages 0: left out {waiting} that the run has no page of; out/fetches.tsv lists them")
    if full and not options.max_pages:
        notices.append(
            f"stopped at {PAGES_WITHOUT_CONTACT} pages, with {waiting} waiting; to fetch more, "
            "tell the site whom to write to: --agent 'NAME (+https://you.example/contact)'"
        )
    if full and options.max_pages and counts["queued"]:
        notices.append(f"stopped at --max-pages {options.max_pages:,}, with {waiting} waiting; give more to fetch them")
    if last.get("limit") == "max-documents":
        stated = f"--max-documents {options.max_documents:,}" if options.max_documents else ""
        limit = stated or count_text(options.document_limit, "document")
        notices.append(f"stopped at {limit}, with {waiting} waiting; give more with --max-documents to fetch them")
    if counts["pages"] == 1 and not counts["queued"]:
        barred = sum(reasons[REFUSED].get(reason, 0) for reason in ("excluded", "not_included"))
        notices.append(one_page_text(last.get("end", {}), last.get("elsewhere", ()), barred))
    ending = last.get("limit", ""), last.get("trouble", ""), last.get("end", {})
    return CrawlResult(files, counts, notices, *ending, reasons)
