"""Marks of language versions, and the language of each, learnt from pages whose text is surely in a language.

A mark is a part of the address, the language that the page declares, or the hreflang of links to it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from diglot.arrays import Ints
from diglot.documents.language import language_of
from diglot.features.links import neighbouring_pages, page_links
from diglot.page_language.addresses import Part, address_parts, code_language
from diglot.site import Site

MIN_PAGES, MIN_SHARE = 3, 0.9
"""A mark belongs to a language if three pages of sure text have the mark, and 90% of them are in the language."""
MIN_LIFT = 3
"""... and if the odds of the language there are three times its odds on the site: a folder of nearly all pages says
nothing."""
HTML, HREFLANG = "html lang", "hreflang"


class LikelyVersion(NamedTuple):
    """The language version in which a page stands by a learnt mark, and its odds."""

    lang: str
    """Primary subtag."""
    odds: float
    """Odds that a page with this mark is in the language."""


class Claims(NamedTuple):
    """Languages that a page's marks name by code: primary subtags, "" for none."""

    hreflang: str = ""
    """Language in links to the page."""
    html: str = ""
    """Language declared by the page or the server."""
    address: tuple[str, ...] = ()
    """Languages of codes in the address, at places where the site writes codes."""

    def languages(self) -> tuple[str, ...]:
        """All named languages without repeats, the surest kind first."""
        return tuple(dict.fromkeys(filter(None, (self.hreflang, self.html, *self.address))))

    def version(self, lang: str, learnt: str) -> str:
        """Language version of a page in ``lang``, "" where unknown.

        The first kind of mark that names any language decides: address, learnt marks, links, declaration.

        >>> Claims("fr", "de", ("ca", "en")).version("en", "")
        'en'
        """
        kinds = (self.address, (learnt,), (self.hreflang,), (self.html,))
        named = next((kind for kind in kinds if any(kind)), ("",))
        return lang if lang in named else named[0]


def page_marks(site: Site) -> list[tuple[Part, ...]]:
    """Marks of every page: parts of the address, the declared language, hreflang codes of links to the page."""
    declared = site.strings("declared_lang")
    links = page_links(site)
    named: defaultdict[int, set[str]] = defaultdict(set)
    for to, code in zip(links["to"].to_pylist(), links["hreflang"].to_pylist(), strict=True):
        if code:
            named[to].add(code.lower())
    return [
        (
            *address_parts(url),
            *(Part(HTML, tag.lower()) for tag in [declared[row]] if tag),
            *(Part(HREFLANG, code) for code in sorted(named[row])),
        )
        for row, url in enumerate(site.urls)
    ]


class LanguageVersions:
    """Languages of the marks of a site's pages; ``sure``: language of each page of sure text, "" elsewhere."""

    def __init__(self, site: Site, marks: Sequence[tuple[Part, ...]], sure: Sequence[str]) -> None:
        self._marks, self._sure = marks, sure
        self._on: defaultdict[Part, Counter[str]] = defaultdict(Counter)
        for parts, lang in zip(marks, sure, strict=True):
            for part in parts:
                self._on[part][lang] += bool(lang)
        self._all = Counter(filter(None, sure))
        self._neighbours = _neighbours(site)

    def of(self, page: int) -> LikelyVersion | None:
        """The likeliest language version of a page, by its surest mark."""
        own = self._sure[page]
        found = [self._on[part].copy() for part in self._marks[page]]
        # The page itself is no evidence of where it stands.
        for counts in found:
            counts[own] -= bool(own)
        found.append(Counter(filter(None, (self._sure[other] for other in self._neighbours[page].tolist()))))
        versions = (version for counts in found if (version := self._version(counts)) is not None)
        return max(versions, key=lambda version: version.odds, default=None)

    def _version(self, counts: Counter[str]) -> LikelyVersion | None:
        total = counts.total()
        if total < MIN_PAGES:
            return None
        lang, most = max(counts.items(), key=lambda item: (item[1], item[0]))
        odds = _odds(most, total)
        if most < MIN_SHARE * total or odds < MIN_LIFT * _odds(self._all[lang], self._all.total()):
            return None
        return LikelyVersion(lang, odds)

    def claims(self, wanted: frozenset[str]) -> list[Claims]:
        """Languages named by code in the marks of every page; ``wanted``: languages whose codes always count."""
        places = self._code_places(wanted)
        return [_claims(parts, places, wanted) for parts in self._marks]

    def _code_places(self, wanted: frozenset[str]) -> frozenset[str]:
        """Places of addresses with codes of two languages, borne out by half of the pages of sure text there."""
        codes: defaultdict[str, set[str]] = defaultdict(set)
        agree: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for part, counts in self._on.items():
            if part.place not in (HTML, HREFLANG) and (lang := code_language(part.value, wanted)):
                codes[part.place].add(lang)
                agree[part.place] += counts[lang]
                total[part.place] += counts.total()
        return frozenset(
            place for place, langs in codes.items() if len(langs) > 1 and 2 * agree[place] >= max(total[place], 1)
        )


def _claims(parts: Iterable[Part], places: frozenset[str], wanted: frozenset[str]) -> Claims:
    named = {language_of(part.value) for part in parts if part.place == HREFLANG} - {""}
    declared = next((language_of(part.value) for part in parts if part.place == HTML), "")
    codes = [code_language(part.value, wanted) for part in parts if part.place in places]
    # Links that name one page in two languages say nothing of it.
    return Claims(named.pop() if len(named) == 1 else "", declared, tuple(filter(None, codes)))


def _odds(count: int, total: int) -> float:
    return (count + 0.5) / (total - count + 0.5)


def _neighbours(site: Site) -> list[Ints]:
    """Pages linked with each page, in either direction."""
    page, other = neighbouring_pages(site).T
    return np.split(other, np.searchsorted(page, np.arange(1, len(site))))
