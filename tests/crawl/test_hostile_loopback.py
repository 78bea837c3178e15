"""Whole crawls of hostile hosts over real sockets: each bad answer costs its address or its host, and no more."""

from __future__ import annotations

import csv
import gzip
import re
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

import pytest
from hostile_server import HEAD, HostileServer
from loopback import running
from made_certificates import NAMES, authority, certificate
from made_crawls import made_page

from diglot.cli import main
from diglot.crawl.crawl_state import MAX_ABSENCE_S
from diglot.crawl.queue.frontier import MAX_TRIES

DELAY_S = 0.05
QUIET = ("--delay", "0", "--quiet")
PAGES = 4


def _states(run: Path) -> dict[str, tuple[str, str, str]]:
    """State, reason and detail of every address, as out/fetches.tsv tells them."""
    with (run / "out" / "fetches.tsv").open(encoding="utf-8") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["url"]: (row["state"], row["reason"], row["detail"]) for row in rows}


def _crawl(run: Path, start: str, ports: list[int], *options: str) -> int:
    allowed = [option for port in ports for option in ("--allow-host", f"127.0.0.1:{port}")]
    return main(["crawl", start, "-l", "en,fr", "-o", str(run), *allowed, *(options or QUIET)])


# -- TLS -------------------------------------------------------------------------------------------


@contextmanager
def _over_tls(pem: Path, pages: dict[str, bytes]) -> Iterator[int]:
    """The port of a host that serves pages over TLS with a certificate."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = pages.get(self.path)
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_: object) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """A client that hangs up at our certificate is what is wanted."""

    server = Quiet(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    with running(server):
        yield server.server_port


@contextmanager
def _saying(what: bytes) -> Iterator[int]:
    """The port of a host that says so to whoever greets it, and hangs up."""
    listening = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listening.accept()
                with connection:
                    connection.recv(1 << 16)
                    connection.sendall(what)

    thread = threading.Thread(target=answer)
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join()


NO_TLS = {
    "plain HTTP": b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
    "garbage": bytes(range(256)),
    "alert: protocol version": b"\x15\x03\x01\x00\x02\x02\x46",
    "alert: handshake failure": b"\x15\x03\x03\x00\x02\x02\x28",
    "silence": b"",
    "SSH": b"SSH-2.0-OpenSSH_9.9\r\n",
}
TOLD = {
    "other host": "is for other hosts",
    "other address": "is for other hosts",
    "expired": "has expired",
    "not yet": "is not valid yet",
    "self-signed": "is signed by itself",
    "no names": "is for other hosts",
    "wildcards": "is for other hosts",
}


@pytest.mark.slow
def test_a_host_without_a_certificate_to_believe_costs_itself_and_not_the_crawl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And not the next start of the same command either."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority(tmp_path)))
    pages = {f"/{n}.html": made_page("en", n) for n in range(PAGES)}
    with ExitStack() as hosts:
        bad = {kind: hosts.enter_context(_over_tls(certificate(tmp_path, kind), pages)) for kind in NAMES}
        bad |= {kind: hosts.enter_context(_saying(what)) for kind, what in NO_TLS.items()}
        good = bad.pop("good")
        tags = (f'<link rel="alternate" hreflang="fr" href="https://127.0.0.1:{port}/0.html">' for port in bad.values())
        links = "".join(f'<a href="/{n}.html">{n}</a>' for n in range(PAGES))
        pages["/"] = made_page("en", 99, links, "".join(tags))
        start = f"https://127.0.0.1:{good}/"
        run = tmp_path / "run"
        assert _crawl(run, start, [good, *bad.values()]) == 0
        first = _states(run)
        assert _crawl(run, start, [good, *bad.values()]) == 0
        assert _states(run) == first
    assert capsys.readouterr().err == ""
    assert [first[f"https://127.0.0.1:{good}/{path}"][0] for path in ("", *(f"{n}.html" for n in range(PAGES)))] == [
        "done"
    ] * (PAGES + 1)
    for kind, port in bad.items():
        state, reason, detail = first[f"https://127.0.0.1:{port}/0.html"]
        assert (state, reason) == ("refused", "unreachable" if kind in NO_TLS else "certificate"), kind
        assert TOLD.get(kind, "127.0.0.1") in detail, kind


@pytest.mark.parametrize("kind", ["other host", "no names"])
def test_a_start_without_a_certificate_to_believe_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority(tmp_path)))
    with _over_tls(certificate(tmp_path, kind), {"/": made_page("en", 0)}) as port:
        assert _crawl(tmp_path / "run", f"https://127.0.0.1:{port}/", [port]) == 2
    error = capsys.readouterr().err
    assert f"the certificate of 127.0.0.1 {TOLD[kind]}" in error
    assert error.count("\n") == 1


# -- HTTP ------------------------------------------------------------------------------------------


@cache
def packed() -> bytes:
    """64 MiB of zeros, packed."""
    return gzip.compress(bytes(1 << 26))


class Zoo(HostileServer):
    """Pages of which each misbehaves in its own way, and good ones; ``times_s``: when requests came."""

    def __init__(self) -> None:
        super().__init__()
        self.times_s: list[float] = []

    def _body(self, path: str) -> Iterator[bytes]:
        self.times_s.append(time.monotonic())
        kind = path.strip("/").partition("/")[0]
        if path in HEADS:
            yield b"HTTP/1.1 " + HEADS[path]
            if path in BOMBS:
                yield packed()
        elif path == "/" or kind == "good":
            links = "".join(f'<a href="{each}">{each}</a>' for each in ANIMALS) if path == "/" else ""
            yield HEAD + b"\r\n" + made_page("en", len(self.times_s), links)
        elif kind in ("robots.txt", ".well-known", "sitemap.xml"):
            yield b"HTTP/1.1 404 Not NewAddress\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        elif kind == "hang-up":
            yield b""
        else:
            yield from super()._body(path)


END = b"Connection: close\r\nContent-Type: text/html\r\n\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\nContent-Type: text/html\r\n\r\n"
HEADS = {
    "/none/204": b"204 No Content\r\n" + END,
    "/none/304": b"304 Not Modified\r\n" + END,
    "/none/401": b"401 Unauthorized\r\nWWW-Authenticate: Basic\r\n" + END,
    "/none/407": b"407 Proxy Authentication Required\r\n" + END,
    "/none/999": b"999 Whatever\r\n" + END,
    "/none/busy": b"503 Busy\r\nRetry-After: 0\r\n" + END,
    "/none/busy-past": b"503 Busy\r\nRetry-After: Thu, 01 Jan 1970 00:00:00 GMT\r\n" + END,
    "/none/gone-far": b"410 Gone\r\nRetry-After: Fri, 31 Dec 99999999999 23:59:59 GMT\r\n" + END,
    "/moved/self": b"301 Moved\r\nLocation: /moved/self\r\nSet-Cookie: a=1\r\n" + END,
    "/moved/here": b"301 Moved\r\nLocation: /moved/there\r\n" + END,
    "/moved/there": b"301 Moved\r\nLocation: /moved/here\r\n" + END,
    "/moved/nowhere": b"301 Moved\r\nLocation: https:///x\r\n" + END,
    "/moved/empty": b"301 Moved\r\nLocation: https://\r\n" + END,
    "/moved/port": b"301 Moved\r\nLocation: https://127.0.0.1:99999/\r\n" + END,
    "/moved/bytes": b"301 Moved\r\nLocation: /\xff\xfe\xc3\r\n" + END,
    "/moved/slashes": b"301 Moved\r\nLocation: //\r\n" + END,
    "/moved/far": b"301 Moved\r\nLocation: /" + b"x" * 9000 + b"\r\n" + END,
    "/moved/two": b"301 Moved\r\nLocation: /a\r\nLocation: http://[\r\n" + END,
    "/chunks/bad": b"200 OK\r\n" + CHUNKED + b"zz\r\n<p>no chunk\r\n",
    "/chunks/negative": b"200 OK\r\n" + CHUNKED + b"-5\r\nhello\r\n0\r\n\r\n",
    "/chunks/cut": b"200 OK\r\n" + CHUNKED + b"5\r\nhello\r\n",
    "/lengths/two": b"200 OK\r\nContent-Length: 5\r\nContent-Length: 7\r\n" + END + b"hello",
    "/lengths/letters": b"200 OK\r\nContent-Length: many\r\n" + END + b"hello",
    "/lengths/minus": b"200 OK\r\nContent-Length: -1\r\n" + END + b"hello",
    "/coded/no-gzip": b"200 OK\r\nContent-Encoding: gzip\r\n" + END + b"no gzip",
    "/coded/bomb": b"200 OK\r\nContent-Encoding: gzip\r\n" + END,
    "/coded/twice": b"200 OK\r\nContent-Encoding: gzip, gzip, gzip\r\n" + END,
    "/line/none": b"\r\n\r\n",
    "/line/text": b"two hundred\r\n\r\n",
    "/field/none": b"200 OK\r\nno colon here\r\n" + END + b"<p>x",
    "/field/null": b"200 OK\r\nX\x00Y: \x00\r\n" + END + b"<p>x",
}
BOMBS = ("/coded/bomb", "/coded/twice")
WIRE = ("endless-head", "endless-line", "endless-information", "short-body", "huge-length", "no-http", "hang-up")
ANIMALS = [*HEADS, *(f"/{kind}/1" for kind in WIRE), *(f"/good/{n}" for n in range(PAGES))]


def test_a_zoo_of_hostile_answers_is_crawled_to_its_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Zoo() as zoo:
        assert _crawl(tmp_path / "run", zoo.url("/"), [zoo.port], "--delay", str(DELAY_S), "--quiet") == 0
        states = _states(tmp_path / "run")
        base = zoo.url("")
    assert capsys.readouterr().err == ""
    assert {states[f"{base}/good/{n}"][0] for n in range(PAGES)} == {"done"}
    assert all(states[base + path][0] in ("done", "failed", "refused") for path in ANIMALS)
    assert all(states[base + path][1] != "parser_crash" for path in ANIMALS)
    assert max(zoo.seen.values()) <= MAX_TRIES, zoo.seen.most_common(3)
    assert min(after - before for before, after in pairwise(zoo.times_s)) >= DELAY_S


class Busy(Zoo):
    """Its start is there, all else asks to be left alone for a year."""

    def _body(self, path: str) -> Iterator[bytes]:
        if path in ("/", "/robots.txt", "/.well-known/tdmrep.json", "/sitemap.xml"):
            return super()._body(path)
        return iter((b"HTTP/1.1 503 Busy\r\nRetry-After: 31536000\r\n" + END,))


@pytest.mark.slow
def test_a_host_that_asks_for_a_year_is_left_told_of_and_not_asked_by_the_next_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, began_s = tmp_path / "run", time.monotonic()
    with Busy() as host:
        assert _crawl(run, host.url("/"), [host.port], "--delay", "0") == 0
        first = sum(host.seen.values())
        assert _crawl(run, host.url("/"), [host.port], "--delay", "0") == 0
        assert sum(host.seen.values()) == first == 5
    told = capsys.readouterr().out
    assert "asks to be left alone for 31,536,000 s; run the same command after that" in told
    left = re.search(r"has asked to be left alone, for ([\d,]+) s from now", told)
    assert left is not None, told
    # A day, less what both runs took: on a machine at rest that is less than half a second.
    assert round(MAX_ABSENCE_S - (time.monotonic() - began_s)) <= int(left[1].replace(",", "")) <= MAX_ABSENCE_S
    assert told.count(f"{len(ANIMALS)} addresses wait for abandoned hosts; out/fetches.tsv lists them") == 2
    reasons = [reason for state, reason, _ in _states(run).values() if state == "queued"]
    assert reasons == ["host_left"] * len(ANIMALS)
