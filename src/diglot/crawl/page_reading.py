"""The answer to a request, and the page read from it or the reason why there is none.

The crawl parses pages in a separate process, so that a page that crashes or hangs the parser does not end the crawl.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from html import unescape
from http.client import responses
from typing import Any, Self

import pyarrow as pa
import xxhash

from diglot.crawl.archive import Conversion, Exchange
from diglot.crawl.queue.frontier import PAGE, Entry
from diglot.crawl.queue.prioritiser import Contents, Link
from diglot.crawl.queue.site_scope import host_of, resolve_reference
from diglot.document_kinds import medium_of
from diglot.documents.html.linearise import NOSCRIPT
from diglot.documents.html.refresh import refresh_target
from diglot.documents.language import UNDETERMINED
from diglot.documents.parse import dropped_table, pages_table, parse_page, parse_table
from diglot.engines.pool import LocalEngine, Stage
from diglot.html_sniff import is_html, may_be_html
from diglot.pages.address import without_random
from diglot.pages.http_response import PAGE_STATUS, decode_content
from diglot.pages.media import MAX_DOCUMENT_BYTES, is_document_type, media_of
from diglot.reasons import Reason
from diglot.records import Drop, Page, Refused

ROBOTS, TDM, PART = "robots", "tdm", "part"
RENDERED_TYPE = "text/html; charset=utf-8"
REDIRECTS = frozenset((301, 302, 303, 307, 308))

_HEAD_BYTES = 1 << 16
_META = re.compile(rb"<meta\b[^<>]{0,2000}>", re.IGNORECASE)
_NAME = re.compile(rb"\b(?:name|http-equiv)\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)
_CONTENT = re.compile(rb"\bcontent\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_HREF = re.compile(rb"<a(?:rea)?\b[^<>]{0,2000}?\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
MAX_BARE_LINKS = 200
_PASSWORD = re.compile(rb"<input\b[^<>]{0,2000}\btype\s*=\s*[\"']?password\b", re.IGNORECASE)
MAX_LOGIN_CHARS, MAX_LOGIN_LINKS = 1000, 10
"""A page with a password field and more text or links than this is no login page."""
NOT_RENDERED = "not_rendered"
"""Reason of a page that was kept as sent because the browser failed."""
Parse = Callable[[Page], dict[str, Any] | Drop]

_WITH_TOKENS = ("link_urls", "link_fragments", "images")
"""Columns of a page with addresses. A site may put a new token into an address at each visit."""

_TEXTLESS = Contents(UNDETERMINED, "", 0, [], [])

_REWRITTEN = frozenset((b"transfer-encoding", b"content-length", b"connection"))

PARSE_TIMEOUT_S = 20.0
LAST_RESORT_S = 30
"""Processor time after which the system ends a parser in a loop, in case the crawl itself is gone."""


@dataclass(frozen=True, slots=True)
class Job:
    """One request to make; ``hops``: number of redirects before it.

    ``entry`` is None for a request outside the frontier: a robots.txt, or a part of a page.
    """

    url: str
    host: str
    kind: str
    entry: Entry | None = None
    hops: int = 0
    conditions: tuple[tuple[str, str], ...] = ()
    """Fields of a conditional request: If-None-Match, If-Modified-Since."""
    fields: tuple[tuple[str, str], ...] = ()
    """Further header fields."""

    @property
    def server(self) -> str:
        """The host of the request; differs from ``host`` for a redirected robots.txt."""
        return host_of(self.url)


@dataclass(frozen=True, slots=True)
class Rendering:
    """A page after its scripts have run, in UTF-8; ``problem``: why there is none, "" otherwise.

    ``moved_to``: address that a script navigated to; ``parts``, ``refused``: number of answered and refused requests of
    the page; ``made``: ISO 8601, UTC, to the second; ``by``: name and version of the browser.
    """

    html: bytes = b""
    problem: str = ""
    moved_to: str = ""
    parts: int = 0
    refused: int = 0
    made: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, header fields and body as sent (without transfer coding), and the time taken."""

    status: int
    fields: Sequence[tuple[bytes, bytes]]
    body: bytes
    fetched: str
    took_s: float = 0.0
    truncated: str = ""
    request_line: str = ""
    request_fields: Sequence[tuple[bytes, bytes]] = field(default_factory=tuple)
    rendering: Rendering | None = None
    """The page after rendering, if it was rendered."""

    def texts(self) -> list[tuple[str, str]]:
        """The header fields as text."""
        return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in self.fields]

    def get(self, name: str) -> str:
        """Value of a header field, several joined by commas; "" where there is none."""
        wanted = name.lower().encode()
        return ", ".join(value.decode("latin-1") for key, value in self.fields if key.lower() == wanted)


def exchange_of(job: Job, answer: Answer) -> Exchange:
    """The exchange to archive. Fields about the transfer are dropped; a complete body has its Content-Length."""
    fields = [(name, value) for name, value in answer.fields if name.lower() not in _REWRITTEN]
    if not answer.truncated:
        fields.append((b"Content-Length", str(len(answer.body)).encode()))
    return Exchange(
        url=job.url,
        fetched=answer.fetched,
        status_line=f"HTTP/1.1 {answer.status} {responses.get(answer.status, '')}".rstrip(),
        response_fields=fields,
        request_line=answer.request_line,
        request_fields=answer.request_fields,
        body=answer.body,
        truncated=answer.truncated,
        conversion=_conversion(answer.rendering) if answer.rendering else None,
    )


def _conversion(rendering: Rendering) -> Conversion | None:
    if not rendering.html:
        return None
    return Conversion(rendering.html, RENDERED_TYPE, made=rendering.made, by=rendering.by)


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page after parsing. ``reason``: why it has no text or was not rendered; ``contents``: None if without text and
    links."""

    body: bytes
    contents: Contents | None
    reason: str = ""
    detail: str = ""
    metas: tuple[tuple[str, str], ...] = ()
    """Name and content of the meta elements."""
    asks_password: bool = False


def read_answer(
    job: Job, answer: Answer, *, max_bytes: int, parse: Parse = parse_page, documents: bool = False
) -> ReadPage | Drop | None:
    """The page in an answer; None unless a page was requested and came."""
    if job.kind != PAGE or answer.status not in PAGE_STATUS:
        return None
    return read_page(job.url, answer, max_bytes=max_bytes, parse=parse, documents=documents)


def is_login(read: ReadPage) -> bool:
    """Whether a page is little more than a form with a password field."""
    page = read.contents
    if not read.asks_password or page is None:
        return read.asks_password
    return page.length_chars <= MAX_LOGIN_CHARS and len({link.url for link in page.links}) <= MAX_LOGIN_LINKS


def read_page(
    url: str, answer: Answer, *, max_bytes: int, parse: Parse = parse_page, documents: bool = False
) -> ReadPage | Drop:
    """Decode the body, check for HTML or, with ``documents``, for a document, and parse the page.

    A ``Drop``: nothing of the page is kept.
    """
    content_type = answer.get("content-type")
    is_document = documents and is_document_type(content_type)
    if not (is_document or may_be_html(content_type)):
        return Drop(url, Reason.NOT_HTML, content_type)
    if is_document:
        max_bytes = max(max_bytes, MAX_DOCUMENT_BYTES)
        if answer.truncated == "length":  # a part of a document cannot be read
            length = answer.get("content-length") or "length unknown"
            return Drop(url, Reason.TOO_LARGE, f"more than {max_bytes} bytes ({length})")
        if answer.truncated:
            return Drop(url, Reason.TRUNCATED, cut_text(answer))
    if answer.truncated:
        return ReadPage(b"", None, Reason.TRUNCATED, cut_text(answer))
    try:
        body = decode_content(answer.body, answer.get("content-encoding"), max_bytes=max_bytes)
    except Refused as refusal:
        return Drop(url, refusal.reason, refusal.detail)
    if not (media_of(body, content_type) if documents else is_html(body, content_type)):
        return Drop(url, Reason.NOT_HTML, f"not HTML, though sent as {content_type}")
    lang, links = answer.get("content-language"), answer.get("link")
    page = Page(url, body, content_type=content_type, declared_lang=lang, link_header=links)
    return parse_content(page, parse)


def cut_text(answer: Answer) -> str:
    """How an answer was cut, in words."""
    return f"cut ({answer.truncated}) at {len(answer.body)} bytes"


def read_rendered(job: Job, answer: Answer, sent: ReadPage, *, parse: Parse = parse_page) -> ReadPage:
    """A page as rendered; the page as ``sent``, with a reason, if the browser gave up.

    Robots directives of the page as sent stay in force, so that no script can lift them.
    """
    rendering = answer.rendering
    assert rendering is not None
    if rendering.problem:
        return replace(sent, reason=NOT_RENDERED, detail=rendering.problem)
    page = Page(job.url, rendering.html, content_type=RENDERED_TYPE, declared_lang=answer.get("content-language"))
    read = parse_content(page, parse)
    contents = read.contents
    if rendering.moved_to:
        contents = contents or _TEXTLESS
        contents = replace(contents, links=[*contents.links, Link(rendering.moved_to)])
    return replace(read, metas=(*sent.metas, *read.metas), contents=contents)


def parse_content(page: Page, parse: Parse) -> ReadPage:
    """Text and links of a decoded page."""
    is_markup = medium_of(page.body) is None
    metas = tuple(_metas(page.body)) if is_markup else ()
    asks_password = is_markup and _PASSWORD.search(page.body) is not None
    parsed = parse(page)
    refresh = refresh_target(dict(metas).get("refresh", ""))
    leads_to = [Link(resolve_reference(page.url, refresh))] if refresh else []
    if isinstance(parsed, Drop):
        if parsed.reason == Reason.NO_TEXT:
            leads_to += _bare_links(page.url, page.body)
        contents = replace(_TEXTLESS, links=leads_to) if leads_to else None
        return ReadPage(page.body, contents, parsed.reason, parsed.detail, metas, asks_password)
    contents = _contents(parsed, leads_to)
    if not contents.links and is_markup:
        # A script that chooses the language leaves links for readers without scripts, as a crawl is one.
        contents = replace(contents, links=_bare_links(page.url, b"".join(NOSCRIPT.findall(page.body))))
    return ReadPage(page.body, contents, metas=metas, asks_password=asks_password)


def _bare_links(url: str, markup: bytes) -> list[Link]:
    """Links at the head of markup, for a page that shows no text or no links, such as flags to choose a language."""
    found = (next(filter(None, groups), b"") for groups in _HREF.findall(markup[:_HEAD_BYTES]))
    targets = dict.fromkeys(resolve_reference(url, unescape(href.decode("latin-1"))) for href in found)
    return [Link(target) for target in targets if target][:MAX_BARE_LINKS]


def _contents(row: dict[str, Any], leads_to: list[Link]) -> Contents:
    names = ("link_urls", "link_anchors", "link_hreflangs", "link_alternate")
    links = [Link(*values) for values in zip(*(_plain(row[name]) for name in names), strict=True)]
    chunks = list(_plain(row["chunks"]))
    # Tokens and nonces differ at each visit: addresses are read without them, and the size of the markup is left out.
    read = {name: _plain(value) for name, value in row.items() if name != "size_bytes"}
    said = repr(sorted({**read, **{name: list(map(without_random, read[name])) for name in _WITH_TOKENS}}.items()))
    whole = xxhash.xxh3_128_hexdigest(said.encode("utf-8", "surrogatepass"))
    return Contents(
        row["lang"], row["declared_lang"], int(row["text_length_chars"]), chunks, [*links, *leads_to], whole
    )


def _plain(values: Any) -> Any:
    """Values of a column as Python objects, from Python objects, an Arrow array or a numpy array."""
    return values.tolist() if hasattr(values, "tolist") else values


def _metas(body: bytes) -> list[tuple[str, str]]:
    """Name and content of the meta elements at the head of a page."""
    found = []
    for tag in _META.findall(body[:_HEAD_BYTES]):
        name, content = _NAME.search(tag), _CONTENT.search(tag)
        if name and content:
            value = unescape(next(filter(None, content.groups()), b"").decode("latin-1"))
            found.append((name[1].decode().lower(), value))
    return found


class PageParser:
    """Parses one page at a time to a row of :data:`diglot.records.DOCUMENT_SCHEMA`, or to a :class:`Drop` with the
    reason.

    ``stage``: the parser of a table of pages, by default :func:`parse_or_die`; ``timeout_s``: for one page. Raises
    :class:`diglot.errors.DiglotError` if no process can be started.
    """

    def __init__(self, stage: Stage | None = None, *, timeout_s: float = PARSE_TIMEOUT_S) -> None:
        self._stage = stage or parse_or_die
        self._timeout_s = timeout_s
        self._engine = LocalEngine(jobs=1, preload=("diglot.run.preload",))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.close()

    def __call__(self, page: Page) -> dict[str, Any] | Drop:
        """Parse one page."""
        tables = self._engine.map(self._stage, [pages_table([page])], failed=_dropped_row, timeout_s=self._timeout_s)
        (row,) = pa.concat_tables(tables).to_pylist()
        return Drop(page.url, Reason(row["reason"]), row["detail"]) if row["reason"] else row


def parse_or_die(pages: pa.Table) -> pa.Table:
    """Parse a table of pages; the process ends after :data:`LAST_RESORT_S`."""
    if not hasattr(signal, "setitimer"):  # Windows, where the worker's own watch over its starter has to do
        return parse_table(pages)
    signal.setitimer(signal.ITIMER_PROF, LAST_RESORT_S)
    try:
        return parse_table(pages)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _dropped_row(table: pa.Table, reason: Reason, detail: str) -> pa.Table:
    return dropped_table([Drop(table["url"][0].as_py(), reason, detail)])
