"""Which language each mark of an edition goes with, learnt from the pages of the site whose text is sure of it."""

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
"""A mark goes with a language if it stands on so many pages whose text is sure, and this share of them is in it."""
MIN_LIFT = 3
"""... and if the odds of the language there are so many times those on the whole site: a folder that nearly all pages
share says nothing."""
HTML, HREFLANG = "html lang", "hreflang"


class Edition(NamedTuple):
    """The language of the edition that a page stands in, and how sure that is."""

    lang: str
    """Primary subtag."""
    odds: float
    """How many times likelier a page with this mark is in that language than not."""


class Claims(NamedTuple):
    """Languages that the marks of a page name by code, primary subtags, "" for none."""

    hreflang: str = ""
    """The one by which links to the page name it."""
    html: str = ""
    """The one that it, or the server, declares."""
    address: tuple[str, ...] = ()
    """Those of codes in its address, where the site writes such codes."""

    def languages(self) -> tuple[str, ...]:
        """All that are named, the surest kind first, each once."""
        return tuple(dict.fromkeys(filter(None, (self.hreflang, self.html, *self.address))))

    def edition(self, lang: str, learnt: str) -> str:
        """The language of the edition in which a page of a language stands, "" for none that is known: of its address,
        of marks learnt, of links to it, and of its own declaration, the first that says any.

        >>> Claims("fr", "de", ("ca", "en")).edition("en", "")
        'en'
        """
        kinds = (self.address, (learnt,), (self.hreflang,), (self.html,))
        named = next((kind for kind in kinds if any(kind)), ("",))
        return lang if lang in named else named[0]


def page_marks(site: Site) -> list[tuple[Part, ...]]:
    """Marks of every page: parts of its address, the language it declares, those by which others link to it."""
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


class Editions:
    """What the marks of a site's pages say of languages, given those of which the text is sure ("" elsewhere)."""

    def __init__(self, site: Site, marks: Sequence[tuple[Part, ...]], sure: Sequence[str]) -> None:
        self._marks, self._sure = marks, sure
        self._on: defaultdict[Part, Counter[str]] = defaultdict(Counter)
        for parts, lang in zip(marks, sure, strict=True):
            for part in parts:
                self._on[part][lang] += bool(lang)
        self._all = Counter(filter(None, sure))
        self._neighbours = _neighbours(site)

    def of(self, page: int) -> Edition | None:
        """The edition of a page, by its surest mark."""
        own = self._sure[page]
        found = [self._on[part].copy() for part in self._marks[page]]
        for counts in found:
            counts[own] -= bool(own)
        found.append(Counter(filter(None, (self._sure[other] for other in self._neighbours[page].tolist()))))
        editions = (edition for counts in found if (edition := self._edition(counts)) is not None)
        return max(editions, key=lambda edition: edition.odds, default=None)

    def _edition(self, counts: Counter[str]) -> Edition | None:
        total = counts.total()
        if total < MIN_PAGES:
            return None
        lang, most = max(counts.items(), key=lambda item: (item[1], item[0]))
        odds = _odds(most, total)
        if most < MIN_SHARE * total or odds < MIN_LIFT * _odds(self._all[lang], self._all.total()):
            return None
        return Edition(lang, odds)

    def claims(self, wanted: frozenset[str]) -> list[Claims]:
        """What the marks of every page name by code; ``wanted``: languages whose code is one in any case."""
        places = self._code_places(wanted)
        return [_claims(parts, places, wanted) for parts in self._marks]

    def _code_places(self, wanted: frozenset[str]) -> frozenset[str]:
        """Places of addresses in which codes stand: two of them, and most pages whose text is sure are in the language
        of theirs."""
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
    """Of every page the other pages that it links to or that link to it."""
    page, other = neighbouring_pages(site).T
    return np.split(other, np.searchsorted(page, np.arange(1, len(site))))
