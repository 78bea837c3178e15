"""Where a crawl goes first: to the other versions of what it has, then to where versions are to be expected.

A page and its versions in other languages are a *family*. Whatever names them (hreflang in a page or sitemap, a link
whose text is the name of a language, the same address but for a language marker, a difference of addresses that
families here have shown) puts them at the head of the queue, so that a crawl cut short at any point holds families
rather than single pages. Among other links those go first that lie where pages have had versions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import langcodes

from diglot.crawl.queue.frontier import Entry, Found
from diglot.crawl.queue.site_scope import SiteScope, folder_of, host_of
from diglot.crawl.queue.sitemaps import SitemapEntry
from diglot.crawl.wire.address_guard import REFUSED_ADDRESS
from diglot.documents.language import language_of
from diglot.features.language_markers import spellings, stripped_url
from diglot.features.links import language_names, names_language
from diglot.features.url_difference import UrlRule, apply_rule, url_parts, url_rule

LINK, SITEMAP_FAMILY, BY_RULE, BY_MARKER, VERSION, START = range(6)
"""Tiers of the queue, lowest first."""
TIER_PRIORITY = {LINK: 10.0, SITEMAP_FAMILY: 50.0, BY_RULE: 70.0, BY_MARKER: 80.0, VERSION: 100.0, START: 1000.0}
YIELD_PRIORITY = 20.0
"""What a folder in which every page has a version is worth more than one in which none has."""
PER_DEPTH = 0.01
DOUBTED_PRIORITY = 5.0
"""Below links of any promise: a version that is likely to be the original in another frame."""
MIN_TRUST = 0.5
FAMILY_PRIOR, LANGUAGE_PRIOR = 1.5, 2.0
"""Versions that a family, or a language, is taken to have kept its word on before any was fetched."""
MIN_SUPPORT = 3
"""Families that must show a difference of addresses before it is a rule (Bitextor's code of January 2010), and
pages that must show what language a marker in addresses stands for."""
UNTOLD_CHARS = 200
"""With less text than this, the language told of a page is no reason not to follow its links."""
MAX_REFUSED_CHARS = 2000
"""So much of an address that is refused is written down."""
X_DEFAULT = "x-default"


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a page; ``hreflang`` as the page has it, ``alternate``: it is a link element of rel=alternate."""

    url: str
    anchor: str = ""
    hreflang: str = ""
    alternate: bool = False


@dataclass(frozen=True, slots=True)
class Contents:
    """What a crawl needs of a page's text and links. Languages are BCP 47, ``lang`` "und" where it cannot be told."""

    lang: str
    declared_lang: str
    length_chars: int
    chunks: list[str]
    links: list[Link]

    @property
    def told_lang(self) -> str:
        """The language of the text, the declared one where the text does not tell."""
        return self.lang if self.lang != "und" else self.declared_lang


@dataclass(frozen=True, slots=True)
class Links:
    """What a page leads to, and whether any of it is a version of the page in a wanted language."""

    found: list[Found]
    has_version: bool


class Prioritiser:
    """What a crawl has learnt of its site. ``langs``: wanted languages, none for all."""

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

    def links(self, entry: Entry, page: Contents, *, expand: bool) -> Links:
        """Addresses that a page leads to; without ``expand`` (it is in no wanted language) only its versions."""
        family = entry.family or entry.id
        page_lang = page.told_lang
        found: dict[str, Found] = {}
        has_version = False
        for link in page.links:
            lang = link.hreflang or self._named(link.anchor, page_lang)
            version = bool(lang) and (link.alternate or language_of(lang) != language_of(page_lang))
            wanted = version and (lang.lower() == X_DEFAULT or self._scope.wants(lang))
            named = wanted and (link.alternate or self._scope.same_name(link.url, entry.url))
            spelt = self._within(link.url, named=named)
            if not spelt and (refusal := self._scope.refusal(link.url)):
                refused = refused_address(link.url, refusal)
                found[refused.url] = refused
            if not spelt or spelt == entry.url or not (expand or version):
                continue
            new = self._found(spelt, entry, lang if version else "", family if version else None)
            has_version |= version and not new.refused and lang.lower() != X_DEFAULT
            if spelt not in found or found[spelt].priority < new.priority:
                found[spelt] = new
        return Links(list(found.values()), has_version)

    def sitemap_family(self, entry: SitemapEntry) -> list[Found]:
        """The page that a sitemap names, and its versions in wanted languages; nothing where it is not of the site."""
        lead = self._within(entry.url, named=False)
        if not lead:
            refusal = self._scope.refusal(entry.url)
            return [refused_address(entry.url, refusal, how="sitemap")] if refusal else []
        members = {lead: ""}
        for lang, url in entry.alternates:
            wanted = lang.lower() == X_DEFAULT or self._scope.wants(lang)
            spelt = self._within(url, named=wanted)
            if spelt and (wanted or spelt == lead):
                members[spelt] = "" if lang.lower() == X_DEFAULT else lang
        if members[lead] and not self._scope.wants(members[lead]):
            return []
        tier = SITEMAP_FAMILY if len(members) > 1 else LINK
        return [self._of_sitemap(url, lang, tier) for url, lang in members.items()]

    def _of_sitemap(self, url: str, lang: str, tier: int) -> Found:
        folder = folder_of(url)
        priority = TIER_PRIORITY[tier] if tier != LINK else self.link_priority(folder) - PER_DEPTH
        refused = self._scope.unwanted(url)
        return Found(
            url, host_of(url), folder, tier=tier, priority=priority, depth=1, how="sitemap", lang=lang, refused=refused
        )

    def _within(self, url: str, *, named: bool) -> str:
        """The address as it is spelt here, "" where it is not of the site; a named version brings its host along."""
        spelt = self._scope.spell(url) if url else ""
        if not spelt:
            return ""
        if not self._scope.belongs(spelt):
            if not named or self._scope.refusal(spelt):
                return ""
            self._scope.admit(host_of(spelt), urlsplit(spelt).scheme)
        return spelt

    def _found(self, url: str, entry: Entry, lang: str, family: int | None) -> Found:
        refused = self._scope.unwanted(url)
        detail = ""
        if not refused and lang and lang.lower() != X_DEFAULT and not self._scope.wants(lang):
            refused, detail = "other_language", f"linked as {lang}"
        if not refused and not lang:
            detail = self._marked_unwanted(url)
            refused = "other_language" if detail else ""
        tier = VERSION if lang else LINK
        deeper = PER_DEPTH * (entry.depth + 1)
        priority = self.version_priority(family, lang) if lang else self.link_priority(folder_of(url)) - deeper
        return Found(
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

    def _named(self, anchor: str, page_lang: str) -> str:
        """The language that a link's text names and nothing else, "" for any other text."""
        if not anchor or len(anchor) > 40:
            return ""
        shown_in = (language_of(page_lang),) if language_of(page_lang) else ()
        for lang in self._langs:
            if names_language(anchor, lang, shown_in):
                return lang
        return _all_names().get(" ".join(anchor.casefold().split()), "")

    # -- what pages teach ----------------------------------------------------------------------

    def learn_page(self, url: str, lang: str, *, wanted: bool, has_version: bool) -> None:
        """A page was fetched: what its address says of languages, and whether its folder holds versions."""
        for marker in _markers_of(url, lang):
            self._markers[marker][wanted] += 1
        if wanted:
            folder = folder_of(url)
            self._pages[folder] += 1
            self._partnered[folder] += has_version

    def learn_versions(self, url: str, versions: Iterable[str]) -> None:
        """A page names its versions: how their addresses differ."""
        for version in versions:
            rule = url_rule(url_parts(url), url_parts(version))
            if rule:
                self._rules[rule] += 1

    def learn_promise(self, family: int, lang: str, *, kept: bool) -> None:
        """A page was linked as a version in ``lang``: whether it was in that language. Sites that lack a translation
        often show the original under its address."""
        for key in (family, language_of(lang)):
            self._promised[key] += 1
            self._kept[key] += kept

    def version_priority(self, family: int | None, lang: str) -> float:
        """Priority of a version: at the head, unless its family or its language has broken such promises."""
        trust = 1.0
        for key, prior in ((family, FAMILY_PRIOR), (language_of(lang), LANGUAGE_PRIOR)):
            if key:
                trust *= (self._kept[key] + prior) / (self._promised[key] + prior)
        return TIER_PRIORITY[VERSION] if trust >= MIN_TRUST else DOUBTED_PRIORITY * (1 + trust)

    def link_priority(self, folder: str) -> float:
        """Priority of a link into a folder, by the share of its pages that had versions, or of the folders above."""
        place = folder
        while place and not self._pages[place]:
            place = place.rstrip("/").rpartition("/")[0]
            place += "/" if place else ""
        share = (self._partnered[place] + 1) / (self._pages[place] + 2)
        return TIER_PRIORITY[LINK] + YIELD_PRIORITY * round(share, 1)

    def _marked_unwanted(self, url: str) -> str:
        """Which marker in the address has only ever stood for unwanted languages, in words; "" for none."""
        for marker in _tokens(url):
            seen = self._markers.get(marker)
            if seen and not seen[True] and seen[False] >= MIN_SUPPORT:
                return f"all {seen[False]} pages with {marker!r} in the address are in other languages"
        return ""

    # -- versions by address -------------------------------------------------------------------

    def note_waiting(self, urls: Iterable[str]) -> None:
        """Addresses that were queued, to be found again by those that are theirs but for the language."""
        for url in urls:
            self._waiting[self._key(url)].add(url)
            self._waiting_parts[url_parts(url)] = url

    def versions_by_marker(self, url: str) -> set[str]:
        """Addresses seen that are this one but for a marker of a wanted language."""
        return self._waiting.get(self._key(url), set()) - {url}

    def versions_by_rule(self, url: str) -> Iterator[str]:
        """Addresses seen that differ from this one as versions here do."""
        parts = url_parts(url)
        for rule, support in self._rules.most_common(30):
            if support < MIN_SUPPORT:
                return
            for made in apply_rule(rule, parts):
                if made in self._waiting_parts:
                    yield self._waiting_parts[made]

    def _key(self, url: str) -> str:
        return stripped_url(url, frozenset(self._langs)) if self._langs else stripped_url(url, _all_languages())


def refused_address(url: str, detail: str, how: str = "link") -> Found:
    """An address that is noted, and why the guard refuses it, but never asked for."""
    shown = url if url.isascii() and url.isprintable() else ascii(url)[1:-1]
    return Found(shown[:MAX_REFUSED_CHARS], "", how=how, refused=REFUSED_ADDRESS, detail=detail)


def expands(page: Contents, wants: Callable[[str], bool]) -> bool:
    """Whether a page's links are followed: it is, or says it is, in a wanted language, or cannot be told."""
    if page.length_chars < UNTOLD_CHARS or page.lang == "und":
        return True
    return wants(page.lang) or bool(page.declared_lang and wants(page.declared_lang))


@cache
def _all_languages() -> frozenset[str]:
    """The languages that have a code of two letters."""
    return frozenset(code for code in langcodes.LANGUAGE_ALPHA3)


@cache
def _all_names() -> dict[str, str]:
    """Names of all those languages, of at least three letters, to their code."""
    return {
        name: lang
        for lang in sorted(_all_languages(), reverse=True)
        for name in language_names(lang)
        if len(name) > 3 or not name.isascii()
    }


def _tokens(url: str) -> set[str]:
    parts = urlsplit(url)
    text = f"{parts.netloc}{parts.path}?{parts.query}".lower()
    return {token for token in "".join(c if c.isalnum() else " " for c in text).split() if len(token) > 1}


def _markers_of(url: str, lang: str) -> set[str]:
    """Words of an address that name the language of its page."""
    primary = language_of(lang)
    return _tokens(url) & set(spellings(primary)) if primary else set()
