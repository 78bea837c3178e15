"""What to forget: addresses with their variants and redirects, in the journal of a crawl and the tables of a run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from diglot.crawl.queue.frontier import DONE, Frontier
from diglot.crawl.queue.site_scope import SiteScope, host_of
from diglot.disk.folder import RunFolder
from diglot.disk.leak_check import address_pattern
from diglot.errors import UsageError
from diglot.pages.address import address_key, is_web_address, with_scheme
from diglot.pages.forgotten import bare_address, forgotten_of, is_forgotten
from diglot.run.striking import is_merge, recorded_addresses
from diglot.run.work import DOCUMENTS, WARC, require_documents

_PORT = re.compile(r":\d+\Z")


@dataclass(frozen=True)
class Target:
    """Addresses to forget, without schemes, and hosts."""

    names: frozenset[str]
    hosts: frozenset[str]

    @cached_property
    def _keys(self) -> frozenset[str]:
        return frozenset(address_key(f"http://{name}") for name in self.names)

    def __call__(self, url: str) -> bool:
        """Whether to forget an address: by its name, as a variant of a name, or by its host."""
        if bare_address(url) in self.names:
            return True
        # Sheets hold texts as well: only an address has variants and a host.
        return is_web_address(url) and (address_key(url) in self._keys or host_of(url) in self.hosts)

    def address_pattern(self) -> re.Pattern[str]:
        """Pattern that finds the names and the hosts in a text. Of addresses on these hosts, their host is enough."""
        elsewhere = (name for name in self.names if host_of(f"http://{name}") not in self.hosts)
        return address_pattern(elsewhere, self.hosts)


def parse_target(url: str, host: str) -> tuple[str, str]:
    """Normalized address without scheme, or host; and its option on the command line."""
    if bool(url) == bool(host):
        raise UsageError("name one thing to forget: url=ADDRESS or host=HOST")
    if host:
        return bare_address(host.lower()).rstrip("/"), f"--host {shlex.quote(host)}"
    canonical = SiteScope(()).canonical(with_scheme(url))
    if not canonical:
        raise UsageError(f"url={url!r}: not a web address; write it as https://www.example.org/page")
    return bare_address(canonical), f"--url {shlex.quote(url)}"


@dataclass(frozen=True, slots=True)
class Chosen:
    """Addresses to forget: ids in the journal of a crawl, spellings, hosts to forget completely, and the names of the
    sources that hold the addresses. ``targets``: pages of the run that these redirect to, and that stay;
    ``was_forgotten``: whether the address was forgotten before."""

    ids: list[int]
    urls: list[str]
    hosts: list[str]
    sources: list[str]
    targets: list[str]
    was_forgotten: bool

    def target(self) -> Target:
        """The test for these addresses."""
        return Target(frozenset(map(bare_address, self.urls)), frozenset(self.hosts))

    def with_others(self, other: Chosen) -> Chosen:
        """These addresses and others."""
        sources = sorted({*self.sources, *other.sources})
        urls, targets = self.urls + other.urls, [*self.targets, *other.targets]
        return Chosen(self.ids + other.ids, urls, self.hosts, sources, targets, self.was_forgotten)


def choose(folder: RunFolder, asked: str, *, of_host: bool) -> Chosen:
    """What to forget in the archive of a crawl and in the tables of a run."""
    ids: list[int] = []
    urls: dict[str, None] = {}
    hosts: set[str] = set()
    name = asked if of_host else f"http://{asked}"
    target_of: dict[str, str] = {}
    pages: set[str] = set()
    was_forgotten = is_forgotten(name, forgotten_of(folder))
    if is_crawled(folder):
        with Frontier(folder.journal) as frontier:
            rows, hosts = _rows_of_crawl(frontier, asked, of_host=of_host)
            was_forgotten |= frontier.is_forgotten(name)
            target_of = frontier.redirects()
            pages = {target for target in target_of.values() if frontier.state_of(target) == DONE}
        ids, urls = [entry_id for entry_id, _ in rows], dict.fromkeys(url for _, url in rows)
    elif not is_merge(folder):
        require_documents(folder, folder.recall("run", DOCUMENTS) or "")
    recorded = [each for each in recorded_addresses(folder) if is_web_address(each.url)]
    if of_host:
        hosts |= {host for url, *_ in recorded if asked in (host := host_of(url), _PORT.sub("", host))}
    gone = Target(frozenset([asked, *map(bare_address, urls)]), frozenset(hosts))
    reached = {each.url for each in recorded if gone(each.url) or (each.target and gone(each.target))}
    held = (each for each in recorded if each.url in reached)
    sources = sorted({each.source for each in held if not is_own_archive(folder, each.source)})
    all_urls = [*urls, *sorted(reached - urls.keys())]
    target_of.update((each.url, each.target) for each in recorded if each.target)
    pages.update(each.url for each in recorded if each.is_page)
    targets = _pages_behind(all_urls, target_of, lambda url: url in pages and url not in reached and not gone(url))
    return Chosen(ids, all_urls, sorted(hosts), sources, targets, was_forgotten)


def _pages_behind(urls: Iterable[str], target_of: Mapping[str, str], is_page: Callable[[str], bool]) -> list[str]:
    """Pages at the end of redirects from ``urls``, of one or several steps."""
    seen = set(urls)
    ahead = seen
    while ahead := {target_of[url] for url in ahead if url in target_of} - seen:
        seen |= ahead
    return sorted(filter(is_page, seen))


def _rows_of_crawl(frontier: Frontier, asked: str, *, of_host: bool) -> tuple[list[tuple[int, str]], set[str]]:
    """Ids and spellings of the addresses to forget, and the hosts to forget completely."""
    hosts: set[str] = set()
    if of_host:
        hosts = {host for host in frontier.all_hosts() if asked in (host, _PORT.sub("", host))}
        rows = [row for host in sorted(hosts) for row in frontier.addresses_on(host)]
    else:
        url = f"http://{asked}"
        rows = frontier.variants_of(url, host_of(url))
    urls = {url for _, url in rows}
    # Addresses that redirect here name the page as well.
    return rows + [row for row in frontier.leading_to(urls) if row[1] not in urls], hosts


def is_crawled(folder: RunFolder) -> bool:
    """Whether a run has an archive of its own crawl."""
    return (folder.path / WARC).is_dir()


def is_own_archive(folder: RunFolder, source: str) -> bool:
    """Whether a source is a file of the run's own crawl."""
    # Of sources with the same file name, each is named by its whole path: joined to a folder, the path stays whole.
    archive = (folder.path / WARC).resolve()
    file = (archive / source).resolve()
    return file.is_file() and archive in file.parents
