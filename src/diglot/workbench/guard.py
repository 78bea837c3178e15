"""Who may ask the workbench: only the browser that the user opened, and only pages of the workbench itself.

Every program on the machine can connect to a port on loopback, and every website can make the browser send requests to
it. So the first address holds a token, later requests a cookie; Host and Origin must be the workbench's own.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ENTRANCE = "/enter"
"""Path of the first address."""
TOKEN_BYTES = 32
"""Random bytes of the token and of the session."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
# A page that moves on by itself, not a redirect: the browser sends a strict cookie only with requests that begin on a
# page of the workbench, and a redirected request counts as one of the program or site that had the link.
_ENTERED = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Diglot</title><meta http-equiv="refresh" content="0; url=/"></head>
<body><p><a href="/">Open the workbench</a></p></body></html>
"""
_CLOSED = "This page is closed. Open the address that `diglot ui` printed when it started.\n"


@dataclass(frozen=True, slots=True)
class Keys:
    """What lets a browser in: ``token`` in the first address, ``session`` in the cookie after it."""

    host: str
    """Host and port of the server, as in ``127.0.0.1:8123``."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(TOKEN_BYTES))
    session: str = field(default_factory=lambda: secrets.token_urlsafe(TOKEN_BYTES))

    @property
    def address(self) -> str:
        """The first address."""
        return f"http://{self.host}{ENTRANCE}?token={self.token}"

    @property
    def cookie(self) -> str:
        """Name of the cookie; browsers keep one store for all ports of a host."""
        return f"diglot-{self.host.rpartition(':')[2]}"


class Guard:
    """Passes on the requests of the user's own browser, and refuses others before anything is read."""

    def __init__(self, app: ASGIApp, keys: Keys) -> None:
        self.app = app
        self.keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # the workbench has no WebSocket
            await send({"type": "websocket.close", "code": 1008})
            return
        answer: ASGIApp = self._refusal(scope) or self.app
        await answer(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        """The refusal of a request, or None to let the request pass."""
        headers = Headers(scope=scope)
        if headers.getlist("host") != [self.keys.host]:
            return PlainTextResponse(f"This is the workbench at http://{self.keys.host}/\n", 421)
        is_reading = scope.get("method") in ("GET", "HEAD")
        origin = headers.get("origin")
        if (origin is None and not is_reading) or origin not in (None, f"http://{self.keys.host}"):
            return PlainTextResponse("This request comes from another site.\n", 403)
        if scope.get("path") == ENTRANCE:
            return self._entrance(scope)
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return PlainTextResponse("This request comes from another site.\n", 403)
        if not any(_equals_secret(value, self.keys.session) for value in _cookies(headers, self.keys.cookie)):
            return PlainTextResponse(_CLOSED, 403)
        return None

    def _entrance(self, scope: Scope) -> Response:
        tokens = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])
        if not _equals_secret(tokens[0], self.keys.token):
            return PlainTextResponse(_CLOSED, 403)
        entered = HTMLResponse(_ENTERED, headers={"cache-control": "no-store"})
        entered.set_cookie(self.keys.cookie, self.keys.session, path="/", httponly=True, samesite="strict")
        return entered


def _equals_secret(given: str, right: str) -> bool:
    """Whether a text is the secret, compared in constant time."""
    return secrets.compare_digest(given.encode("utf-8", "replace"), right.encode())


def _cookies(headers: Headers, name: str) -> list[str]:
    """Values of the cookies of this name."""
    # All servers on loopback share their cookies. SimpleCookie takes none of them where one breaks its rules.
    pairs = (pair.strip().partition("=") for pair in headers.get("cookie", "").split(";"))
    return [value for given, _, value in pairs if given == name]


def _with_headers(send: Send) -> Callable[[Message], Awaitable[None]]:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return with_headers
