"""Options of a crawl: start addresses, languages, limits, delays and proxy."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from math import inf
from typing import Any
from urllib.parse import urlsplit

from diglot.arguments import DELAY_S, PAGES_WITHOUT_CONTACT, is_mail_address
from diglot.crawl.installed_browser import find_browser
from diglot.crawl.wire.address_guard import Refusal, RefusalKind, judge_url, read_allow_hosts
from diglot.errors import SourceError, UsageError, require_options
from diglot.pages.address import is_web_address, normalise_address, tidy_address
from diglot.pages.source import MAX_PAGE_BYTES
from diglot.version import __version__

_CONTACT = re.compile(r"https?://[^\s;)]+\.|[^\s@;(]+@[^\s@;)]+\.")
_AGENT_NAME = re.compile(r"[!-~][ -~]{0,299}")


@dataclass(frozen=True, kw_only=True)
class CrawlOptions:
    """Options of a crawl; 0 and "" mean no limit or no name. ``langs``: BCP 47 tags, empty for every language."""

    starts: tuple[str, ...]
    langs: tuple[str, ...] = ()
    max_pages: int = 0
    max_requests: int = 0
    """Requests of every kind; by default derived from ``max_pages``."""
    max_time_s: float = 0.0
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    delay_s: float = DELAY_S
    proxy: str = ""
    agent: str = ""
    allow_hosts: tuple[str, ...] = ()
    browser: tuple[str, ...] = ()
    """Globs of the pages to render in the browser."""
    max_page_bytes: int = MAX_PAGE_BYTES
    no_documents: bool = False
    """Leave out documents such as PDF. By default they come after the queued pages."""
    max_documents: int = 0
    """Largest number of documents; 0: as many as pages."""
    only_known: bool = False
    """Ask for the pages that the archive has, and for no other: an update with 0 further pages."""

    @property
    def user_agent(self) -> str:
        """The User-Agent header; robots.txt is matched against the part before the slash."""
        return self.agent or f"diglot/{__version__}"

    @property
    def has_contact(self) -> bool:
        """Whether the agent name contains a mail or web address."""
        return _CONTACT.search(self.agent) is not None

    @property
    def private(self) -> bool:
        """Whether a proxy or a host allowed by name is given: such a crawl is taken to reach no strangers."""
        return bool(self.proxy or self.allow_hosts)

    @property
    def page_limit(self) -> int:
        """Largest number of pages, 0 for no limit; by default 500 without a contact, unless the crawl is private."""
        if self.max_pages or self.has_contact or self.private:
            return self.max_pages
        return PAGES_WITHOUT_CONTACT

    @property
    def document_limit(self) -> int:
        """Largest number of documents beside the pages, 0 for no limit."""
        return self.max_documents or self.page_limit

    def to_json(self) -> str:
        """Serialise for the child process."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> CrawlOptions:
        """Read the output of :meth:`to_json`."""
        values: Any = {key: tuple(v) if isinstance(v, list) else v for key, v in json.loads(text).items()}
        return cls(**values)


def make_crawl_options(
    starts: Sequence[str], langs: Sequence[str] = (), others: Mapping[str, Any] | None = None
) -> CrawlOptions:
    """Make and check options; ``others``: further fields of :class:`CrawlOptions` by name.

    Raises :class:`SourceError` for an address outside the web and :class:`UsageError` for an invalid option, each with
    one line of advice.
    """
    known = [each.name for each in fields(CrawlOptions) if each.name not in ("starts", "langs", "only_known")]
    require_options("crawl option", others or {}, known)
    values: Any = {name: tuple(v) if isinstance(v, list) else v for name, v in (others or {}).items()}
    options = CrawlOptions(starts=tuple(map(_start, starts)), langs=tuple(langs), **values)
    rules = read_allow_hosts(options.allow_hosts)
    for start in options.starts:
        verdict = judge_url(start, rules)
        if isinstance(verdict, Refusal):
            raise SourceError(f"{start}: not crawled: {verdict.detail}; {_advice(verdict.kind)}")
    for name, value in (
        ("max_pages", options.max_pages),
        ("max_documents", options.max_documents),
        ("max_time_s", options.max_time_s),
        ("delay_s", options.delay_s),
    ):
        if not 0 <= value < inf:
            raise UsageError(f"{name}={value}: give 0 or more")
    if options.proxy and not _is_proxy(options.proxy):
        raise UsageError(f"proxy={options.proxy!r}: write http://HOST:PORT")
    if options.agent and _AGENT_NAME.fullmatch(options.agent) is None:
        raise UsageError("agent=: one line of at most 300 ASCII characters, such as 'NAME (+https://you.example)'")
    if options.browser:
        find_browser()
    if options.max_pages > PAGES_WITHOUT_CONTACT and not (options.has_contact or options.private):
        raise UsageError(
            f"max_pages={options.max_pages}: above {PAGES_WITHOUT_CONTACT}, tell the site whom to write to: "
            f"agent='diglot/{__version__} (+https://you.example/contact)'"
        )
    return options


def _advice(kind: RefusalKind) -> str:
    """What to try where an address to start from is refused."""
    if kind is RefusalKind.USERINFO:
        return "leave out what stands before the @: Diglot signs in nowhere and reads open pages only"
    if kind in (RefusalKind.PORT, RefusalKind.LOCAL_NAME, RefusalKind.NOT_PUBLIC):
        return "allow_hosts=HOST:PORT lets one host through"
    return "check the address"


def _start(text: str) -> str:
    if is_mail_address(text):
        raise SourceError(f"{text}: a mail address; give that of a website, such as https://www.example.org/")
    if not is_web_address(tidy_address(text)):
        raise SourceError(f"{text}: not a web address with a host; write it as https://www.example.org/")
    # One spelling, so that a crawl typed in another goes on.
    return normalise_address(text)


def _is_proxy(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme == "http" and bool(parts.hostname) and parts.port is not None
    except ValueError:
        return False
