"""What came back for a request, free of the machinery that fetched it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from http.client import responses

from diglot.crawl.archive import Exchange
from diglot.crawl.frontier import Entry

ROBOTS, TDM = "robots", "tdm"
REDIRECTS = frozenset((301, 302, 303, 307, 308))


@dataclass(frozen=True, slots=True)
class Job:
    """One request to make. ``entry`` is None for a robots.txt; ``hops``: redirects that led here."""

    url: str
    host: str
    kind: str
    entry: Entry | None = None
    hops: int = 0
    conditions: tuple[tuple[str, str], ...] = ()
    """Fields that make the request conditional: If-None-Match, If-Modified-Since."""


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
    )
