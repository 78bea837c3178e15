"""Pages whose text is made by scripts, a server for them, and a page that tries all ways to a forbidden port."""

from __future__ import annotations

import json
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from threading import Thread

from loopback import running

from diglot.crawl.installed_browser import NAMES

NO_BROWSER = "" if find_spec("playwright") and any(map(shutil.which, NAMES)) else "playwright or Chromium is missing"

APP = b"""
const lang = document.documentElement.lang, name = location.pathname.split('/').pop().replace('.html', '');
fetch('/data/' + lang + '/' + name + '.json').then(r => r.json()).then(page => {
    document.getElementById('app').innerHTML = page.html;
    document.title = page.title;
});
"""


def scripted(pages: dict[str, bytes]) -> dict[str, bytes]:
    """A site of the same paths whose pages are empty until a script has fetched their text."""
    made = {"app.js": APP}
    for path, body in pages.items():
        lang, name = path.split("/")
        html = body.decode()
        inner = html[html.index("<body>") + 6 : html.index("</body>")] if "<body>" in html else html
        data = {"html": inner, "title": f"{name} {lang}"}
        made[f"data/{lang}/{name.removesuffix('.html')}.json"] = json.dumps(data).encode()
        made[path] = (
            f'<html lang="{lang}"><body><div id="app"></div><script src="/app.js"></script></body></html>'.encode()
        )
    return made


class ScriptServer:
    """Answers on loopback; ``asked``: path and time of every request, in order."""

    def __init__(self, pages: dict[str, bytes], instead: dict[str, tuple[int, dict[str, str]]]) -> None:
        self.pages = pages
        self.instead = instead
        self.asked: list[tuple[str, float]] = []
        self.port = 0

    @property
    def paths(self) -> list[str]:
        """What was asked for."""
        return [path for path, _ in self.asked]


@contextmanager
def serving(pages: dict[str, bytes], **instead: tuple[int, dict[str, str]]) -> Iterator[ScriptServer]:
    """Serve pages for the time of a block; ``instead``: status and fields by path without its slash."""
    served = ScriptServer(pages, instead)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            served.asked.append((self.path, time.monotonic()))
            name = self.path.lstrip("/")
            body = served.pages.get(name)
            status, fields = served.instead.get(name, (404 if body is None else 200, {}))
            kind = {"js": "text/javascript", "json": "application/json", "txt": "text/plain"}
            self.send_response(status)
            for key, value in {"Content-Type": kind.get(name.rpartition(".")[2], "text/html"), **fields}.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.port = server.server_port
    with running(server):
        yield served


class Forbidden:
    """A port of loopback, TCP and UDP, that nobody should come to; ``came`` lists who did."""

    def __init__(self) -> None:
        self.came: list[str] = []
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._tcp.getsockname()[1]
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", self.port))
        self._threads = [Thread(target=work, daemon=True) for work in (self._accept, self._receive)]
        for thread in self._threads:
            thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._tcp.accept()
            except OSError:
                return
            self.came.append("TCP")
            Thread(target=self._listen, args=(connection,), daemon=True).start()

    def _listen(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            self.came.append(connection.recv(200).decode("latin-1"))

    def _receive(self) -> None:
        while True:
            try:
                self._udp.recvfrom(2000)
            except OSError:
                return
            self.came.append("UDP")

    def close(self) -> None:
        """Take the port down."""
        for each in (self._tcp, self._udp):
            each.shutdown(socket.SHUT_RDWR) if each is self._tcp else None
            each.close()


def knocking(port: int) -> bytes:
    """A page that tries to reach a port of loopback by all that browsers offer to scripts and markup."""
    at = f"127.0.0.1:{port}"
    return f"""<!DOCTYPE html><html lang="en"><head>
<link rel="preconnect" href="http://{at}"><link rel="dns-prefetch" href="http://localhost:{port}">
<link rel="prefetch" href="http://{at}/prefetch"><link rel="preload" as="script" href="http://{at}/preload.js">
<link rel="modulepreload" href="http://{at}/module.js"><link rel="manifest" href="http://{at}/manifest">
<link rel="stylesheet" href="http://{at}/style.css"><link rel="icon" href="http://{at}/icon.png">
<style>@import url(http://{at}/import.css); body {{ background: url(http://{at}/back.png) }}</style>
<script type="speculationrules">{{"prerender": [{{"urls": ["http://{at}/prerender"]}}]}}</script>
<script src="http://{at}/script.js"></script><script src="http://localhost:{port}/named.js"></script></head>
<body><p id="text">before</p><img src="http://{at}/image.png"><iframe src="http://{at}/frame"></iframe>
<object data="http://{at}/object"></object><video src="http://{at}/video"></video>
<form id="form" method="post" action="http://{at}/form"></form><a id="save" download href="http://{at}/save">save</a>
<a id="ping" href="#there" ping="http://{at}/ping">ping</a>
<script>
const tries = [
    () => fetch('http://{at}/fetch').catch(() => 0),
    () => fetch('http://{at}/post', {{method: 'POST', body: 'x', mode: 'no-cors'}}).catch(() => 0),
    () => {{ const x = new XMLHttpRequest(); x.open('GET', 'http://{at}/xhr'); x.send() }},
    () => new WebSocket('ws://{at}/socket'),
    () => new EventSource('http://{at}/events'),
    () => navigator.sendBeacon('http://{at}/beacon', 'x'),
    () => new Worker(URL.createObjectURL(new Blob(["fetch('http://{at}/worker').catch(() => 0)"]))),
    () => navigator.serviceWorker.register('/worker.js').catch(() => 0),
    () => import('http://{at}/imported.js').catch(() => 0),
    () => {{
        const peer = new RTCPeerConnection({{iceServers: [{{urls: 'stun:{at}'}},
            {{urls: 'turn:{at}?transport=tcp', username: 'u', credential: 'c'}}]}});
        peer.createDataChannel('x');
        peer.createOffer().then(offer => peer.setLocalDescription(offer));
    }},
    () => new WebTransport('https://{at}/transport').ready.catch(() => 0),
    () => window.open('http://{at}/window'),
    () => document.getElementById('save').click(),
    () => document.getElementById('ping').click(),
    () => document.getElementById('form').submit(),
    () => {{ location = 'http://{at}/location' }},
];
for (const attempt of tries) try {{ attempt() }} catch (error) {{ }}
document.getElementById('text').textContent = 'after';
</script></body></html>""".encode()
