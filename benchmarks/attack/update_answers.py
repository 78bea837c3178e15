"""Every answer that a server can give for a page that it gave well before, as bytes on the wire."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

GONE, WISH, NOTHING, OTHER_TEXT = "gone", "wish", "nothing", "other text"
"""What an answer says: the page is gone; it may not be used; nothing; or another text of its size."""
CUTS = 20
MAINTENANCE = "/maintenance.html"
STALL, RESET = "stall", "reset"


@dataclass(frozen=True, slots=True)
class Sent:
    """Bytes to send for a page, and what comes after them: the connection is closed, stalled or reset."""

    data: bytes
    then: str = ""


@dataclass(frozen=True, slots=True)
class Attack:
    """A bad answer. ``answer``: makes it from the path and the body of the page; ``robots``: the answer for robots.txt
    in its place; ``refuses``: whether the connection fails by its certificate; ``leaves``: whether it leads to another
    site."""

    name: str
    says: str
    answer: Callable[[str, bytes], Sent] | None = None
    robots: Sent | None = None
    refuses: bool = False
    leaves: bool = False


def message(status: int, body: bytes = b"", *fields: str, length: int | None = None) -> bytes:
    """An answer with a length, HTML unless a field says otherwise."""
    kind = [] if any(field.lower().startswith("content-type:") for field in fields) else ["Content-Type: text/html"]
    has_body = status not in (204, 304)
    sized = [f"Content-Length: {len(body) if length is None else length}"] if has_body else []
    head = "\r\n".join([f"HTTP/1.1 {status} Said", *kind, *sized, *fields, "", ""])
    return head.encode("latin-1") + (body if has_body else b"")


def etag(body: bytes) -> str:
    """The ETag of a page."""
    return f'ETag: "{zlib.crc32(body)}"'


def notice(words: int) -> bytes:
    """A page of a notice."""
    text = " ".join(f"We are working on the site and will be back in {n} hours." for n in range(words))
    return f"<html lang=en><title>Back soon</title><p>{text}</html>".encode()


def attacks() -> list[Attack]:
    """All bad answers."""
    return [*_statuses(), *_redirects(), *_cuts(), *_bodies(), *_connections(), *_wishes(), *_robots()]


def _statuses() -> Iterator[Attack]:
    # 200 is the page itself; 304 is asked for by the ETag.
    for status in range(201, 600):
        says = GONE if status in (404, 410) else NOTHING
        # No rest after 429 and 503, which would only take time.
        sent = Sent(message(status, notice(1), "Retry-After: 0", 'ETag: "bad"'))
        yield Attack(f"status {status}", says, lambda _path, _body, sent=sent: sent)


def _redirects() -> Iterator[Attack]:
    for status in range(300, 309):
        permanent = status in (301, 308)
        targets = {
            "one page": (MAINTENANCE, GONE if permanent else NOTHING),
            "another site": ("http://www.example.org/", GONE if permanent else NOTHING),
            "itself": ("{path}", NOTHING),
            "a loop": ("{path}?again", NOTHING),
            "a missing page": ("/nothing-here", NOTHING),
            "no address": ("http://[", NOTHING),
        }
        for name, (target, says) in targets.items():
            # 300 and 304 to 306 are no redirects that a client follows.
            says = says if status in (301, 302, 303, 307, 308) else NOTHING

            def answer(path: str, _body: bytes, status: int = status, target: str = target) -> Sent:
                back = path.removesuffix("?again") if path.endswith("?again") else target.format(path=path)
                return Sent(message(status, b"", f"Location: {back}"))

            yield Attack(f"{status} to {name}", says, answer, leaves=name == "another site")


def _cuts() -> Iterator[Attack]:
    for cut in range(CUTS):

        def sized(_path: str, body: bytes, cut: int = cut) -> Sent:
            return Sent(message(200, body[: cut * len(body) // CUTS], etag(body), length=len(body)))

        def chunked(_path: str, body: bytes, cut: int = cut) -> Sent:
            chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:100], body[100:])) + b"0\r\n\r\n"
            head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n{etag(body)}\r\n\r\n"
            return Sent(head.encode() + chunks[: cut * len(chunks) // CUTS])

        def packed(_path: str, body: bytes, cut: int = cut) -> Sent:
            small = gzip.compress(body, mtime=0)
            return Sent(message(200, small[: cut * len(small) // CUTS], "Content-Encoding: gzip", etag(body)))

        yield Attack(f"cut at {cut} of {CUTS}", NOTHING, sized)
        yield Attack(f"chunks cut at {cut} of {CUTS}", NOTHING, chunked)
        yield Attack(f"gzip cut at {cut} of {CUTS}", NOTHING, packed)


def _bodies() -> Iterator[Attack]:
    def said(body: bytes, *fields: str) -> Callable[[str, bytes], Sent]:
        return lambda _path, _body: Sent(message(200, body, *fields))

    def coded(change: Callable[[bytes], bytes], *fields: str) -> Callable[[str, bytes], Sent]:
        return lambda _path, body: Sent(message(200, change(body), *fields, etag(body)))

    yield Attack("the page itself", NOTHING, coded(bytes))
    for coding in ("gzip", "deflate", "br", "zstd", "compress", "x-unknown", "gzip, gzip, gzip"):
        yield Attack(f"plain as {coding}", NOTHING, coded(bytes, f"Content-Encoding: {coding}"))
        broken = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + bytes(range(256))
        yield Attack(f"broken {coding}", NOTHING, said(broken, f"Content-Encoding: {coding}"))
    yield Attack("gzip as deflate", NOTHING, coded(gzip.compress, "Content-Encoding: deflate"))
    for charset in ("utf-16", "utf-32", "shift_jis", "koi8-r", "ebcdic-cp-us", "x-none"):
        yield Attack(f"as {charset}", OTHER_TEXT, coded(bytes, f"Content-Type: text/html; charset={charset}"))
    yield Attack("in UTF-16", OTHER_TEXT, coded(lambda body: body.decode().encode("utf-16")))
    for kind in ("application/pdf", "image/png", "application/json", "text/plain", "video/mp4", "nonsense"):
        yield Attack(f"type {kind}", NOTHING, said(b"%PDF-1.7 " + bytes(range(256)), f"Content-Type: {kind}"))
        yield Attack(f"the page as {kind}", NOTHING, coded(bytes, f"Content-Type: {kind}"))
    bodies = {
        "empty": b"",
        "a byte": b"x",
        "a blank": b" " * 500,
        "zeros": bytes(5000),
        "noise": bytes(range(256)) * 20,
        "no text": b"<html><body></body></html>",
        "a word": b"<html><p>ok</html>",
        "a short notice": notice(1),
        "markup alone": b"<div>" * 3000,
        "too deep": b"<div>" * 12_000 + b"x",
        "a login": b"<html><form>Please log in <input name=u><input type=password></form></html>",
        "a script": b"<html><script>location='/'</script></html>",
        "an error": b"<html><title>500</title><p>Internal error: no database</html>",
    }
    for name, body in bodies.items():
        yield Attack(f"{name}, 200", NOTHING, said(body))
    yield Attack("a long notice", OTHER_TEXT, said(notice(40)))
    yield Attack("a long notice with the ETag", OTHER_TEXT, coded(lambda _: notice(40)))
    yield Attack("a notice with the path", OTHER_TEXT, lambda path, _: Sent(message(200, notice(40) + path.encode())))
    yield Attack("too large", NOTHING, said(b"<html><p>" + b"word " * 2_300_000))


def _connections() -> Iterator[Attack]:
    def raw(data: bytes, then: str = "") -> Callable[[str, bytes], Sent]:
        return lambda _path, _body: Sent(data, then)

    def half(then: str) -> Callable[[str, bytes], Sent]:
        return lambda _path, body: Sent(message(200, body[: len(body) // 2], etag(body), length=len(body)), then)

    yield Attack("no answer", NOTHING, raw(b"", STALL))
    yield Attack("closed", NOTHING, raw(b""))
    yield Attack("reset", NOTHING, raw(b"", RESET))
    yield Attack("half a body, then silence", NOTHING, half(STALL))
    yield Attack("half a body, then a reset", NOTHING, half(RESET))
    yield Attack("half a head", NOTHING, raw(b"HTTP/1.1 200 OK\r\nContent-Ty"))
    yield Attack("no HTTP", NOTHING, raw(b"SSH-2.0-OpenSSH_9.2\r\n"))
    yield Attack("HTTP/0.9", NOTHING, raw(notice(40)))
    yield Attack("two lengths", NOTHING, raw(message(200, notice(40), "Content-Length: 7")))
    yield Attack("negative length", NOTHING, raw(message(200, notice(1), length=-5)))
    yield Attack("many fields", NOTHING, raw(message(200, notice(1), *(f"X-{n}: y" for n in range(2000)))))
    yield Attack("a long field", NOTHING, raw(message(200, notice(1), "X: " + "y" * 400_000)))
    yield Attack("interim answers", NOTHING, raw(b"HTTP/1.1 102 Wait\r\n\r\n" * 20_000))
    yield Attack("status 600", NOTHING, raw(message(600, notice(1))))
    yield Attack("status 99", NOTHING, raw(message(99, notice(1))))
    yield Attack("certificate", NOTHING, refuses=True)


def _wishes() -> Iterator[Attack]:
    def with_fields(*fields: str) -> Callable[[str, bytes], Sent]:
        return lambda _path, body: Sent(message(200, body, *fields))

    def with_head(head: bytes) -> Callable[[str, bytes], Sent]:
        return lambda _path, body: Sent(message(200, body.replace(b"<head>", b"<head>" + head)))

    yield Attack("noindex", WISH, with_fields("X-Robots-Tag: noindex"))
    yield Attack("none", WISH, with_fields("X-Robots-Tag: none"))
    yield Attack("meta noindex", WISH, with_head(b'<meta name="robots" content="noindex">'))
    yield Attack("tdm-reservation", WISH, with_fields("TDM-Reservation: 1"))
    yield Attack("meta tdm-reservation", WISH, with_head(b'<meta name="tdm-reservation" content="1">'))
    yield Attack("nofollow", NOTHING, with_fields("X-Robots-Tag: nofollow"))


def _robots() -> Iterator[Attack]:
    """Answers for robots.txt, about all pages."""
    plain = "Content-Type: text/plain"
    yield Attack("robots.txt forbids all", WISH, robots=Sent(message(200, b"User-agent: *\nDisallow: /\n", plain)))
    slow = b"User-agent: *\nCrawl-delay: 5000\n"
    yield Attack("robots.txt asks for hours", NOTHING, robots=Sent(message(200, slow, plain)))
    for status in (204, 301, 302, 400, 401, 403, 404, 410, 418, 429, 451, 500, 502, 503, 504, 520, 599):
        said = message(status, notice(1), "Retry-After: 0", "Location: /robots.txt")
        yield Attack(f"robots.txt answers {status}", NOTHING, robots=Sent(said))
    yield Attack("robots.txt is a notice", NOTHING, robots=Sent(message(200, notice(5))))
    yield Attack("robots.txt is noise", NOTHING, robots=Sent(message(200, bytes(range(256)) * 40, plain)))
    for then in (STALL, RESET, ""):
        yield Attack(f"robots.txt: {then or 'closed'}", NOTHING, robots=Sent(b"", then))
