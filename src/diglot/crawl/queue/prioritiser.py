"""The order of a crawl: language versions of fetched pages first, then pages likely to have versions.

A page and its language versions are a *family*. Versions are recognised by hreflang in a page or sitemap, by a link
text with the name of a language, by an address with another language marker, or by a difference of addresses seen in
other families. Versions go to the head of the queue, so that a crawl cut short holds families and not single pages.
Among other links, folders with many versions come first.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from diglot.crawl.queue.frontier import Entry, NewAddress
from diglot.crawl.queue.site_scope import SiteScope, folder_of, host_of
from diglot.crawl.queue.sitemaps import SitemapEntry
from diglot.crawl.wire.address_guard import REFUSED_ADDRESS
from diglot.documents.language import UNDETERMINED
from diglot.documents.language_tags import language_of
from diglot.errors import in_ascii
from diglot.features.language_markers import stripped_url
from diglot.features.url_difference import UrlRule, apply_rule, url_parts, url_rule
from diglot.language_names import MOST_NAME_CHARS, known_languages, language_names, names_language, spellings

LINK, SITEMAP_FAMILY, BY_RULE, BY_MARKER, VERSION, START = range(6)
"""Tiers of the queue, lowest first."""
TIER_PRIORITY = {LINK: 10.0, SITEMAP_FAMILY: 50.0, BY_RULE: 70.0, BY_MARKER: 80.0, VERSION: 100.0, START: 1000.0}
YIELD_PRIORITY = 20.0
"""Extra priority of a folder of pages with versions, over a folder of pages without."""
PER_DEPTH = 0.01
DOUBTED_PRIORITY = 5.0
"""Priority of a version that is probably the original in another frame: below all links."""
MIN_TRUST = 0.5
FAMILY_PRIOR, LANGUAGE_PRIOR = 1.5, 2.0
"""Prior number of kept promises of a family and of a language, before any version was fetched."""
MIN_SUPPORT = 3
"""Number of families with a difference of addresses before it counts as a rule (Bitextor's code of January 2010), and
number of pages before a marker has a language."""
MIN_LANGUAGE_CHARS = 200
"""A page with less text has no reliable language, so its links are followed."""
MAX_REFUSED_CHARS = 2000
"""Characters of a refused address that the journal keeps."""
X_DEFAULT = "x-default"


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a page; ``hreflang`` as written; ``alternate``: a link element with rel=alternate."""

    url: str
    anchor: str = ""
    hreflang: str = ""
    alternate: bool = False


@dataclass(frozen=True, slots=True)
class Contents:
    """Text and links of a page, as far as a crawl needs them. Languages are BCP 47; ``lang`` is "und" if unknown.

    ``hash``: of all that is read of the page, "" for a page without text.
    """

    lang: str
    declared_lang: str
    length_chars: int
    chunks: list[str]
    links: list[Link]
    hash: str = ""

    @property
    def best_lang(self) -> str:
        """The language of the text, else the declared language."""
        return self.lang if self.lang != UNDETERMINED else self.declared_lang


@dataclass(frozen=True, slots=True)
class PageLinks:
    """Addresses linked from a page, and whether the page has a version in a wanted language among them."""

    found: list[NewAddress]
    has_version: bool


class _Named(NamedTuple):
    """The language that a link names, "" for none; whether it names a version; whether the version may be elsewhere."""

    lang: str
    is_version: bool
    is_strong: bool


class Prioritiser:
    """Sets priorities by the site's own habits. ``langs``: wanted languages, empty for all."""

    def __init__(self, scope: SiteScope, langs: tuple[str, ...]) -> None:
        self._scope = scope
        self._langs = langs
        self._rules: Counter[UrlRule] = Counter()
        self._markers: defaultdict[str, Counter[bool]] = defaultdict(Counter)
        self._pages: Counter[str] = Counter()
        self._partnered: Counter[str] = Counter()
        self._promised: Counter[int | str] = Counter()
        self._kept: Counter[int | str] = Counter()
        self._waiting: defaultdict[str, set[str]] = defaultdict(set)
        self._waiting_parts: dict[Any, str] = {}

    # -- links of a page -----------------------------------------------------------------------

    def links(self, entry: Entry, page: Contents, *, expand: bool) -> PageLinks:
        """Addresses linked from a page. ``expand``: take plain links too; False for a page in no wanted language."""
        family = entry.family or entry.id
        found: dict[str, NewAddress] = {}
        has_version = False
        named = [self._named_version(link, entry, page.best_lang) for link in page.links]
        if not self._scope.belongs(entry.url) and any(
            each.is_strong and self._canonical_on_site(link.url) for link, each in zip(page.links, named, strict=True)
        ):
            # This page is outside the site but in the queue, so the site names it as a version. It names a page of the
            # site in return, so its host belongs to the site.
            self._scope.admit(entry.host, urlsplit(entry.url).scheme)
        is_on_site = self._scope.belongs(entry.url)
        for link, (lang, version, is_strong) in zip(page.links, named, strict=True):
            canonical = self._canonical_on_site(link.url, is_version=is_strong and is_on_site)
            if not canonical and (refusal := self._scope.refusal(link.url)):
                refused = refused_address(link.url, refusal)
                found[refused.url] = refused
            if not canonical or canonical == entry.url or not (expand or version):
                continue
            new = self._linked_address(canonical, entry, lang if version else "", family if version else None)
            has_version |= version and not new.refused and lang.lower() != X_DEFAULT
            # A page may link an address twice: as a version and as a plain link.
            if canonical not in found or found[canonical].priority < new.priority:
                found[canonical] = new
        return PageLinks(list(found.values()), has_version)

    def _named_version(self, link: Link, entry: Entry, page_lang: str) -> _Named:
        lang = link.hreflang or self._language_in(link.anchor, page_lang)
        version = bool(lang) and (link.alternate or language_of(lang) != language_of(page_lang))
        wanted = version and (lang.lower() == X_DEFAULT or self._scope.wants(lang))
        # A link text alone is too weak to lead to a foreign host; a link element or the same name is not.
        return _Named(lang, version, wanted and (link.alternate or self._scope.same_name(link.url, entry.url)))

    def sitemap_family(self, entry: SitemapEntry) -> list[NewAddress]:
        """A page in a sitemap and its versions in wanted languages; empty for a page of another site."""
        lead = self._canonical_on_site(entry.url)
        if not lead:
            refusal = self._scope.refusal(entry.url)
            return [refused_address(entry.url, refusal, how="sitemap")] if refusal else []
        members = {lead: ""}
        for lang, url in entry.alternates:
            wanted = lang.lower() == X_DEFAULT or self._scope.wants(lang)
            canonical = self._canonical_on_site(url, is_version=wanted)
            if canonical and (wanted or canonical == lead):
                members[canonical] = "" if lang.lower() == X_DEFAULT else lang
        if members[lead] and not self._scope.wants(members[lead]):
            return []
        tier = SITEMAP_FAMILY if len(members) > 1 else LINK
        return [self._sitemap_address(url, lang, tier) for url, lang in members.items()]

    def _sitemap_address(self, url: str, lang: str, tier: int) -> NewAddress:
        folder = folder_of(url)
        # As deep as a link on the start page.
        priority = TIER_PRIORITY[tier] if tier != LINK else self.link_priority(folder) - PER_DEPTH
        refused = self._scope.exclusion_reason(url)
        return NewAddress(
            url, host_of(url), folder, tier=tier, priority=priority, depth=1, how="sitemap", lang=lang, refused=refused
        )

    def _canonical_on_site(self, url: str, *, is_version: bool = False) -> str:
        """The canonical spelling of an address, "" for another site unless it is a version of a page of the site."""
        canonical = self._scope.canonical(url) if url else ""
        if not canonical or self._scope.belongs(canonical):
            return canonical
        return canonical if is_version and not self._scope.refusal(canonical) else ""

    def _linked_address(self, url: str, entry: Entry, lang: str, family: int | None) -> NewAddress:
        refused = self._scope.exclusion_reason(url)
        detail = ""
        if not refused and lang and lang.lower() != X_DEFAULT and not self._scope.wants(lang):
            refused, detail = "other_language", f"linked as {lang}"
        if not refused and not lang:
            detail = self.unwanted_marker(url)
            refused = "other_language" if detail else ""
        tier = VERSION if lang else LINK
        deeper = PER_DEPTH * (entry.depth + 1)
        priority = self.version_priority(family, lang) if lang else self.link_priority(folder_of(url)) - deeper
        return NewAddress(
            url=url,
            host=host_of(url),
            folder=folder_of(url),
            tier=tier,
            priority=priority,
            depth=entry.depth + 1,
            how="version" if lang else "link",
            family=family,
            lang=lang,
            refused=refused,
            detail=detail,
        )

    def _language_in(self, anchor: str, page_lang: str) -> str:
        """The language named by a link text, "" for any other text."""
        if not anchor or len(anchor) > MOST_NAME_CHARS:
            return ""
        shown_in = (language_of(page_lang),) if language_of(page_lang) else ()
        for lang in self._langs:
            if names_language(anchor, lang, shown_in):
                return lang
        return _all_names().get(" ".join(anchor.casefold().split()), "")

    # -- what pages teach ----------------------------------------------------------------------

    def learn_page(self, url: str, lang: str, *, wanted: bool, has_version: bool) -> None:
        """Learn from a fetched page: the language of address markers, and whether the folder has versions."""
        for marker in _markers_of(url, lang):
            self._markers[marker][wanted] += 1
        if wanted:
            folder = folder_of(url)
            self._pages[folder] += 1
            self._partnered[folder] += has_version

    def learn_versions(self, url: str, versions: Iterable[str]) -> None:
        """Learn how the addresses of a page and of its versions differ."""
        for version in versions:
            rule = url_rule(url_parts(url), url_parts(version))
            if rule:
                self._rules[rule] += 1

    def learn_promise(self, family: int, lang: str, *, kept: bool) -> None:
        """Learn whether a page linked as a version in ``lang`` was in ``lang``.

        Sites often show the original in place of a missing translation.
        """
        for key in (family, language_of(lang)):
            self._promised[key] += 1
            self._kept[key] += kept

    def version_priority(self, family: int | None, lang: str) -> float:
        """Priority of a version: the head of the queue, unless its family or language broke earlier promises."""
        trust = 1.0
        for key, prior in ((family, FAMILY_PRIOR), (language_of(lang), LANGUAGE_PRIOR)):
            if key:
                trust *= (self._kept[key] + prior) / (self._promised[key] + prior)
        return TIER_PRIORITY[VERSION] if trust >= MIN_TRUST else DOUBTED_PRIORITY * (1 + trust)

    def link_priority(self, folder: str) -> float:
        """Priority of a link into a folder, from the share of pages with versions in the folder or its parents."""
        place = folder
        while place and not self._pages[place]:
            place = place.rstrip("/").rpartition("/")[0]
            place += "/" if place else ""
        # Add-one smoothing: a folder without pages is worth half.
        share = (self._partnered[place] + 1) / (self._pages[place] + 2)
        # Rounded, so that a folder is reweighed only after it has learnt something.
        return TIER_PRIORITY[LINK] + YIELD_PRIORITY * round(share, 1)

    def unwanted_marker(self, url: str) -> str:
        """A marker in the address that only occurred with unwanted languages, in words; "" for none."""
        for marker in _tokens(url):
            seen = self._markers.get(marker)
            if seen and not seen[True] and seen[False] >= MIN_SUPPORT:
                return f"all {seen[False]} pages with {marker!r} in the address are in other languages"
        return ""

    # -- versions by address -------------------------------------------------------------------

    def note_waiting(self, urls: Iterable[str]) -> None:
        """Index queued addresses by their spelling without language markers."""
        for url in urls:
            self._waiting[self._key(url)].add(url)
            self._waiting_parts[url_parts(url)] = url

    def versions_by_marker(self, url: str) -> set[str]:
        """Known addresses with another marker of a wanted language in the same place."""
        return self._waiting.get(self._key(url), set()) - {url}

    def versions_by_rule(self, url: str) -> Iterator[str]:
        """Known addresses made from ``url`` by the URL rules of other families."""
        parts = url_parts(url)
        for rule, support in self._rules.most_common(30):
            if support < MIN_SUPPORT:
                return
            for made in apply_rule(rule, parts):
                if made in self._waiting_parts:
                    yield self._waiting_parts[made]

    def _key(self, url: str) -> str:
        return stripped_url(url, frozenset(self._langs)) if self._langs else stripped_url(url, known_languages())


def refused_address(url: str, detail: str, how: str = "link") -> NewAddress:
    """An address to record as refused by the address guard, with the reason."""
    shown = url if url.isascii() and url.isprintable() else in_ascii(url)
    return NewAddress(shown[:MAX_REFUSED_CHARS], "", how=how, refused=REFUSED_ADDRESS, detail=detail)


def follows_links(page: Contents, wants: Callable[[str], bool]) -> bool:
    """Whether to follow the links of a page: in text or declaration, the language is wanted or unknown."""
    if page.length_chars < MIN_LANGUAGE_CHARS or page.lang == UNDETERMINED:
        return True
    return wants(page.lang) or bool(page.declared_lang and wants(page.declared_lang))


@cache
def _all_names() -> dict[str, str]:
    """Names of the known languages with their code; in ASCII letters only names of four letters and more."""
    return {
        name: lang
        for lang in sorted(known_languages(), reverse=True)
        for name in language_names(lang)
        if len(name) > 3 or not name.isascii()
    }


def _tokens(url: str) -> set[str]:
    parts = urlsplit(url)
    text = f"{parts.netloc}{parts.path}?{parts.query}".lower()
    return {token for token in "".join(c if c.isalnum() else " " for c in text).split() if len(token) > 1}


def _markers_of(url: str, lang: str) -> set[str]:
    """Words in an address for the language of its page."""
    primary = language_of(lang)
    return _tokens(url) & set(spellings(primary)) if primary else set()
