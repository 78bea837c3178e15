"""What came back for a request, free of the machinery that fetched it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from http.client import responses

from diglot.crawl.archive import Conversion, Exchange
from diglot.crawl.frontier import Entry

ROBOTS, TDM, PART = "robots", "tdm", "part"
RENDERED_TYPE = "text/html; charset=utf-8"
REDIRECTS = frozenset((301, 302, 303, 307, 308))


@dataclass(frozen=True, slots=True)
class Job:
    """One request to make; ``hops``: redirects that led here.

    ``entry`` is None for what the frontier does not have: a robots.txt, or a part of a page.
    """

    url: str
    host: str
    kind: str
    entry: Entry | None = None
    hops: int = 0
    conditions: tuple[tuple[str, str], ...] = ()
    """Fields that make the request conditional: If-None-Match, If-Modified-Since."""
    fields: tuple[tuple[str, str], ...] = ()
    """Further header fields."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """A page after its scripts, in UTF-8, or ``problem``: why there is none.

    ``moved_to``: address that a script wanted to go to; ``parts``: how many of its parts were answered, ``refused``:
    how many were not; ``made``: ISO 8601, UTC, to the second; ``by``: name and version of the browser.
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
    """Status, header fields and body as sent (no transfer coding), and how long it took."""

    status: int
    fields: Sequence[tuple[bytes, bytes]]
    body: bytes
    fetched: str
    took_s: float = 0.0
    truncated: str = ""
    protocol: str = "HTTP/1.1"
    request_line: str = ""
    request_fields: Sequence[tuple[bytes, bytes]] = field(default_factory=tuple)
    rendering: Rendering | None = None
    """What a browser made of it, where it was shown to one."""

    def texts(self) -> list[tuple[str, str]]:
        """The header fields as text."""
        return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in self.fields]

    def get(self, name: str) -> str:
        """Value of a header field, several joined by commas; "" where there is none."""
        wanted = name.lower().encode()
        return ", ".join(value.decode("latin-1") for key, value in self.fields if key.lower() == wanted)


_REWRITTEN = frozenset((b"transfer-encoding", b"content-length", b"connection"))


def exchange_of(job: Job, answer: Answer) -> Exchange:
    """As it is archived: what spoke of the transfer only is left out, the length is that of the body at hand."""
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
