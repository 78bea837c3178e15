"""Marks of language versions, and the language of each mark, learnt from pages of sure text.

A mark is a part of the address, the declared language, or the hreflang of links to the page.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import numpy as np

from diglot.documents.language import identifiable
from diglot.documents.language_tags import is_language, language_of
from diglot.features.links import neighbouring_pages, page_links
from diglot.records import zip_columns
from diglot.site import Site

MAX_FOLDERS = 6
"""Most folders that are read in an address, from the host on."""
_SUBTAG_END = re.compile(r"[-_.]")
_CODE = re.compile(r"[a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,2}(?:\.[a-z0-9-]+)?", re.IGNORECASE)
"""A language code on the web: ``fr``, ``pt-br``, ``zh_Hant_TW``, ``es_ES.UTF-8``."""
SUFFIX = re.compile(r"[._-]([a-z]{2,3}(?:[-_][a-z]{2,4})?)(?=(?:\.[a-z0-9]{1,5}){0,2}$)", re.IGNORECASE)
"""A code at the end of a file's name: ``index.fr.html``, ``terms-pt_br.php``."""

MIN_PAGES, MIN_SHARE = 3, 0.9
"""A mark belongs to a language if three pages of sure text have the mark, and 90% of them are in the language."""
MIN_LIFT = 3
"""... and if the odds of the language there are three times its odds on the site: a folder of nearly all pages says
nothing."""
HTML, HREFLANG = "html lang", "hreflang"


class Part(NamedTuple):
    """A part of an address and the place of the part: ``("folder 1", "fr")``."""

    place: str
    """``host`` (its first label), ``folder N`` from the host on, ``suffix`` of a file's name, or ``?key``."""
    value: str


def address_parts(url: str) -> Iterator[Part]:
    """Parts of an address that may tell language versions apart, in lower case.

    >>> [tuple(part) for part in address_parts("https://de.example.org/shop/a.fr.html?lang=it")]
    [('host', 'de'), ('folder 1', 'shop'), ('suffix', 'fr'), ('?lang', 'it')]
    """
    try:
        address = urlsplit(url)
        host = address.hostname or ""
    except ValueError:  # a host no address may have
        return
    # An IP address, or a bare domain, has no label for a language.
    if host.count(".") >= 2 and not host.replace(".", "").isdigit():
        yield Part("host", host.split(".")[0])
    *folders, last = unquote(address.path).lower().strip("/").split("/")
    # A last part without a mark of a file name is a folder written without its slash: /fr.
    if address.path.endswith("/") or not any(sign in last for sign in "._-"):
        folders.append(last)
    for number, folder in enumerate(folders[:MAX_FOLDERS], 1):
        if folder:
            yield Part(f"folder {number}", folder)
    if suffix := SUFFIX.search(last):
        yield Part("suffix", suffix[1])
    for pair in address.query.split("&"):
        key, sign, value = pair.partition("=")
        if sign and value:
            yield Part(f"?{key.lower()}", unquote(value).lower())


def code_language(value: str, expected: frozenset[str] = frozenset()) -> str:
    """Primary subtag of the language with this code, "" for no code.

    ``expected``: primary subtags that are always accepted. Other codes of three letters count only for languages known
    to the identifier: the registry has 8,000, ``doc`` and ``bin`` among them.

    >>> [code_language(value) for value in ("es_es.utf-8", "pt-br", "shop", "doc", "xx", "in")]
    ['es', 'pt', '', '', '', '']
    """
    if not _CODE.fullmatch(value):
        return ""
    code = _SUBTAG_END.split(value)[0]
    lang = language_of(code)
    # The old code of Indonesian: on websites it is India, or the end of a log-in page, unless Indonesian is asked for.
    if code == "in" and lang not in expected:
        return ""
    return lang if lang in expected or (is_language(lang) and (len(code) == 2 or lang in identifiable())) else ""


class Claims(NamedTuple):
    """Languages named by code in a page's marks: primary subtags, "" for none."""

    hreflang: str = ""
    """Language in links to the page."""
    html: str = ""
    """Language declared by the page or the server."""
    address: tuple[str, ...] = ()
    """Languages of codes in the address, at places where the site writes codes."""

    def languages(self) -> tuple[str, ...]:
        """All named languages without repeats, the surest kind first."""
        return tuple(dict.fromkeys(filter(None, (self.hreflang, self.html, *self.address))))

    def agreed_language(self) -> str:
        """The language that the page declares, links to it name, and its address names, if it names any; else "".

        >>> [Claims("hi", html, ("hi",)).agreed_language() for html in ("hi", "en", "")]
        ['hi', '', '']
        """
        is_agreed = self.hreflang == self.html and (not self.address or self.html in self.address)
        return self.html if is_agreed else ""

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
    for to, code in zip_columns(links, "to", "hreflang"):
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
        # Pages linked with each page, in either direction.
        page, other = neighbouring_pages(site).T
        self._neighbours = np.split(other, np.searchsorted(page, np.arange(1, len(site))))

    def of(self, page: int) -> str:
        """Primary subtag of a page's language version, by the mark with the highest odds; "" where none is learnt."""
        own = self._sure[page]
        found = [self._on[part].copy() for part in self._marks[page]]
        # The page itself is no evidence of where it stands.
        for counts in found:
            counts[own] -= bool(own)
        # Linked pages are a mark too: a page without marks usually links within its language version.
        found.append(Counter(filter(None, (self._sure[other] for other in self._neighbours[page].tolist()))))
        return max(map(self._version, found), key=itemgetter(1))[0]

    def _version(self, counts: Counter[str]) -> tuple[str, float]:
        """The language version of a mark, and its odds; "" and 0 where none is learnt.

        ``counts``: pages of sure text with the mark, by language.
        """
        total = counts.total()
        if total < MIN_PAGES:
            return "", 0.0
        # Equal counts are decided by name, for the same result in every run.
        lang, most = max(counts.items(), key=lambda item: (item[1], item[0]))
        odds = _odds(most, total)
        if most < MIN_SHARE * total or odds < MIN_LIFT * _odds(self._all[lang], self._all.total()):
            return "", 0.0
        return lang, odds

    def claims(self, wanted: frozenset[str]) -> list[Claims]:
        """Languages named by code in the marks of every page; ``wanted``: languages whose codes always count."""
        places = self._code_places(wanted)
        return [_claims(parts, places, wanted) for parts in self._marks]

    def _code_places(self, wanted: frozenset[str]) -> frozenset[str]:
        """Places of addresses with codes of two languages, which half of the pages of sure text there agree with."""
        codes: defaultdict[str, set[str]] = defaultdict(set)
        agree: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for part, counts in self._on.items():
            if part.place not in (HTML, HREFLANG) and (lang := code_language(part.value, wanted)):
                codes[part.place].add(lang)
                agree[part.place] += counts[lang]
                total[part.place] += counts.total()
        # A code of one language is a chance word: the site's name, or ``it`` for a department.
        return frozenset(
            place for place, langs in codes.items() if len(langs) > 1 and 2 * agree[place] >= max(total[place], 1)
        )


def _claims(parts: Iterable[Part], places: frozenset[str], wanted: frozenset[str]) -> Claims:
    named = {language_of(part.value) for part in parts if part.place == HREFLANG} - {""}
    declared = next((language_of(part.value) for part in parts if part.place == HTML), "")
    codes = [code_language(part.value, wanted) for part in parts if part.place in places]
    # Links that name two languages for one page say nothing of it.
    return Claims(named.pop() if len(named) == 1 else "", declared, tuple(filter(None, codes)))


def _odds(count: int, total: int) -> float:
    # Half a page is added to both sides: a mark with no exception has finite odds, and more pages make it surer.
    return (count + 0.5) / (total - count + 0.5)
