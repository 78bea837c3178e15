"""The Scrapy download handler of a crawl: fetches through the address guard, within limits, bodies as they were sent.

A response that was cut carries a flag ``truncated:REASON`` with a reason of WARC-Truncated; see :func:`truncation`.
"""

from __future__ import annotations

import dataclasses
import logging
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag

from OpenSSL import SSL
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.exceptions import CannotResolveHostError, DownloadFailedError, DownloadTimeoutError, IgnoreRequest
from scrapy.http import Headers, Request, Response
from scrapy.responsetypes import responsetypes
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectError, DNSLookupError, TimeoutError
from twisted.web.client import Agent, HTTPConnectionPool, ResponseFailed
from twisted.web.http_headers import Headers as SentHeaders
from twisted.web.iweb import UNKNOWN_LENGTH, IResponse

from diglot.crawl.wire.address_guard import AddressRules, Refusal, judge_url, read_allow_hosts
from diglot.crawl.wire.certificates import CertificateRefused
from diglot.crawl.wire.fetch_limits import BodyCollector, FetchLimits
from diglot.crawl.wire.guarded_endpoint import AddressRefused, GuardedEndpointFactory
from diglot.pages.html_sniff import may_be_html

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

ALLOW_HOSTS_SETTING = "DIGLOT_ALLOW_HOSTS"
"""Scrapy setting: list of HOST:PORT that are reached wherever they are."""

LIMITS_SETTING = "DIGLOT_FETCH_LIMITS"
"""Scrapy setting: fields of :class:`FetchLimits` by name, those that differ from its defaults."""

CLOSE_TIMEOUT_S = 1.0

PAGES_ONLY = "diglot_pages_only"
"""Key of a request's meta: only a page is wanted, anything else is left after its header fields."""
UNWANTED = "unwanted"

_CUT = "truncated:"

logger = logging.getLogger(__name__)


class RequestRefused(IgnoreRequest):
    """The address guard refused; ``refusal`` has kind and detail. Counted as ``diglot/refused/KIND``."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.detail)
        self.refusal = refusal


class CertificateFailed(DownloadFailedError):
    """No connection, and none tomorrow: the host shows a certificate that does not vouch for it."""


def truncation(response: Response) -> str:
    """Why the body was cut (``length``, ``time`` or ``disconnect``); "" for one that is whole."""
    return next((flag.removeprefix(_CUT) for flag in response.flags if flag.startswith(_CUT)), "")


class GuardedDownloadHandler(BaseDownloadHandler):
    """For DOWNLOAD_HANDLERS, http and https.

    Settings: ``DIGLOT_ALLOW_HOSTS``, ``DOWNLOAD_MAXSIZE`` (bytes as sent; ``download_maxsize`` in a request's meta
    goes first) and ``DOWNLOAD_TIMEOUT`` (the whole fetch). Behind a proxy the text of an address is judged and names
    are not resolved, for the proxy may be the only one who can; the connection is Scrapy's own.
    """

    lazy = False

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        from twisted.internet import reactor

        settings = crawler.settings
        self._reactor: Any = reactor
        self._rules: AddressRules = read_allow_hosts(settings.getlist(ALLOW_HOSTS_SETTING))
        limits = {"max_bytes": settings.getint("DOWNLOAD_MAXSIZE"), "total_s": settings.getfloat("DOWNLOAD_TIMEOUT")}
        self._limits = FetchLimits(**(limits | settings.getdict(LIMITS_SETTING)))
        self._pool = HTTPConnectionPool(reactor, persistent=True)
        self._pool.maxPersistentPerHost = settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN")
        endpoints = GuardedEndpointFactory(reactor, self._rules, connect_timeout_s=self._limits.connect_s)
        self._agent = Agent.usingEndpointFactory(reactor, endpoints, self._pool)
        self._through_proxy = HTTP11DownloadHandler(crawler)

    async def download_request(self, request: Request) -> Response:
        """Fetch one address. Raises RequestRefused, or Scrapy's exceptions for what fails on the way."""
        verdict = judge_url(request.url, self._rules)
        if isinstance(verdict, Refusal):
            raise self._refused(verdict)
        if request.meta.get("proxy"):
            return await self._through_proxy.download_request(request)
        started = monotonic()
        try:
            answer = await maybe_deferred_to_future(self._send(request))
        except AddressRefused as error:
            raise self._refused(error.refusal) from error
        except DNSLookupError as error:
            raise CannotResolveHostError(str(error)) from error
        except TimeoutError as error:
            raise DownloadTimeoutError(f"{verdict.host} did not answer in time") from error
        except (ConnectError, ResponseFailed) as error:
            raise _failure(error, verdict.host) from error
        request.meta["download_latency"] = monotonic() - started
        body, cut = await maybe_deferred_to_future(self._body(request, answer, monotonic() - started))
        return _as_response(request, answer, body, cut)

    async def close(self) -> None:
        """Close the connections that are kept."""
        await self._through_proxy.close()
        closed: Deferred[Any] = self._pool.closeCachedConnections()
        closed.addTimeout(CLOSE_TIMEOUT_S, self._reactor, onTimeoutCancel=lambda *_: None)
        await maybe_deferred_to_future(closed)

    def _send(self, request: Request) -> Deferred[IResponse]:
        """The answer's status and header fields, once they are all here."""
        url = urldefrag(request.url)[0].encode("ascii")
        sent: Deferred[IResponse] = self._agent.request(request.method.encode(), url, SentHeaders(request.headers))
        return sent.addTimeout(self._limits.connect_s + self._limits.first_byte_s, self._reactor, _timed_out)

    def _body(self, request: Request, answer: IResponse, spent_s: float) -> Deferred[tuple[bytes, str]]:
        max_bytes = request.meta.get("download_maxsize", self._limits.max_bytes)
        limits = dataclasses.replace(self._limits, max_bytes=max_bytes)
        total_s = request.meta.get("download_timeout", limits.total_s)
        collector = BodyCollector(self._reactor, limits, left_s=max(0.0, total_s - spent_s))
        if answer.length == 0:
            collector.connectionLost()
        else:
            answer.deliverBody(collector)
            content_type = ",".join(answer.headers.getRawHeaders("content-type", ()))
            if request.meta.get(PAGES_ONLY) and answer.code == 200 and not may_be_html(content_type):
                collector.stop(UNWANTED)
        return collector.done

    def _refused(self, refusal: Refusal) -> RequestRefused:
        logger.warning("refused (%s): %s", refusal.kind, refusal.detail)
        if self.crawler.stats is not None:
            self.crawler.stats.inc_value(f"diglot/refused/{refusal.kind}")
        return RequestRefused(refusal)


def _as_response(request: Request, answer: IResponse, body: bytes, cut: str) -> Response:
    headers = Headers(dict(answer.headers.getAllRawHeaders()))
    if answer.length != UNKNOWN_LENGTH:
        headers["Content-Length"] = str(answer.length)
    name, major, minor = answer.version
    return responsetypes.from_args(headers=headers, url=request.url, body=body)(
        url=urldefrag(request.url)[0],
        status=answer.code,
        headers=headers,
        body=body,
        flags=[_CUT + cut] if cut else [],
        protocol=f"{name.decode()}/{major}.{minor}",
    )


def _timed_out(*_: Any) -> Any:
    raise TimeoutError()


def _failure(error: Exception, host: str) -> DownloadFailedError:
    """What whatever Twisted's collection of failures holds means, told in one line."""
    reasons = getattr(error, "reasons", None)
    cause = reasons[0].value if reasons else error
    if isinstance(cause, CertificateRefused):
        return CertificateFailed(str(cause))
    if isinstance(cause, SSL.Error):
        told = "; ".join(each[-1] for each in cause.args[0] if each) if cause.args else ""
        return DownloadFailedError(f"{host}: no TLS connection ({ascii(told)[1:-1][:200] or 'closed by the server'})")
    return DownloadFailedError(f"{host}: {type(cause).__name__}: {ascii(str(cause))[1:-1][:200]}")
