"""Answers and pages made by hand, and handed one by one to what a crawl makes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from journal_rows import journal_rows
from made_crawls import MadeCrawl, MadeSite

from diglot.crawl.crawl_state import CrawlState
from diglot.crawl.page_reading import Answer, Job, ReadPage, Rendering
from diglot.crawl.queue.frontier import Entry, NewAddress
from diglot.crawl.queue.prioritiser import Contents, Link
from diglot.crawl.response_handling import handle_page
from diglot.crawl.rules import TdmRule
from diglot.records import Drop

HOST = "site.example.com"
SITE = f"https://{HOST}"
BODY = b"<p>a body</p>"
FETCHED = "2026-01-01T00:00:00Z"


def waiting_crawl(
    folder: Path, *found: NewAddress, langs: tuple[str, ...] = ("en", "fr"), start: str = f"{SITE}/", **options: Any
) -> CrawlState:
    """A crawl for which its start address waits, of priority 1000, and what is given."""
    state = MadeCrawl(MadeSite({}), folder, start, langs, **options).scheduler.state
    state.frontier.add(found)
    state.prioritiser.note_waiting(each.url for each in found)
    return state


def found_at(path: str, priority: float = 2000.0, **values: Any) -> NewAddress:
    """An address of the site, one step from the start."""
    known: dict[str, Any] = {"folder": f"{HOST}/" + "".join(path.rpartition("/")[:2]), "depth": 1, **values}
    return NewAddress(f"{SITE}/{path}", HOST, priority=priority, **known)


def made_answer(status: int = 200, body: bytes = BODY, rendering: Rendering | None = None, **fields: str) -> Answer:
    """An answer; an underscore in the name of a field stands for a hyphen."""
    named = [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in fields.items()]
    return Answer(status, named, body, FETCHED, rendering=rendering)


def made_contents(
    *links: Link, lang: str = "en", declared: str = "", chars: int = 1000, chunks: tuple[str, ...] = ()
) -> Contents:
    """What a page says, of a length from which its language can be told."""
    return Contents(lang, declared, chars, list(chunks), list(links))


def taken(state: CrawlState) -> tuple[Job, Entry]:
    """The most wanted address, in flight, and the request for it."""
    entry = state.frontier.take([])
    assert entry is not None
    return Job(entry.url, entry.host, entry.kind, entry, entry.hops), entry


def come(
    state: CrawlState,
    contents: Contents | None,
    *,
    read: ReadPage | Drop | None = None,
    answer: Answer | None = None,
    reserved: TdmRule | None = None,
) -> Entry:
    """The most wanted address is asked for, and a page comes, ``read`` as it is given or with these contents."""
    job, entry = taken(state)
    handle_page(state, job, entry, answer or made_answer(), read=read or ReadPage(BODY, contents), reserved=reserved)
    return entry


def row(state: CrawlState, url: str, columns: str) -> tuple[Any, ...]:
    """What the journal has of one address."""
    (values,) = journal_rows(state.frontier, columns, "url=?", [url])
    return values
