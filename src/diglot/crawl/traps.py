"""Traps: places of a site that never end and hold nothing new; where they are left, and why, in words.

Nothing is decided by the number of pages alone: a site of 100,000 articles under one form of address is no trap. What
counts is whether pages still hold text of their own, and whether their links lead anywhere else.

* An address whose form no site gives on purpose (:func:`diglot.crawl.address_shape.why_odd`) is not asked for.
* Of addresses that are one but for session, campaign or order of parameters, one is asked for.
* A page is *worn* if even its rarest text, numbers and words of its own address aside, stands on ``MAX_COPIES`` pages.
  An address to which worn pages lead and no other is not asked for: calendars, soft 404, shops of endless filters.
* A line of pages of one form, each known from the one before only, is left after ``MAX_CHAIN``.
* Addresses of one form that spread without ever meeting, each known from one page only, are left after ``MAX_FAN``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

import xxhash

from diglot.crawl.address_shape import address_key, address_shape, why_odd

MAX_COPIES = 50
"""Pages that one text may stand on and still be something: an untranslated page stands in for all languages of a
site, the richest of which have some forty."""
MAX_SHORT = 100
"""The same for pages that beside such texts have none of ``MIN_TEXT_CHARS``: pictures, frames and menus, of which sites
have more."""
MIN_TEXT_CHARS = 20
"""Less is no heading even."""
MAX_CHAIN = 90
MAX_FAN = 150
MIN_MET = 0.05
"""Share of the addresses of a form that a second page must know; on real sites a menu alone gives more."""
MIN_SPREADING = 0.5
"""Share of pages of a form that must have led to new ones of it: a list leads to many, its items to none."""
KEPT_PARENTS = 3

_SHORT = 0
_START = -1
_WORD = re.compile(r"\w+")
_NUMBERED = re.compile(r"[a-z]*\d[a-z\d]*")


@dataclass(frozen=True, slots=True)
class TrapStop:
    """Why an address is not asked for: ``reason`` in words, the ``pattern`` it falls under, itself as ``example``."""

    reason: str
    pattern: str
    example: str

    def __str__(self) -> str:
        return f"{self.reason} ({self.pattern}, for example {self.example})"


@dataclass(slots=True)
class _Form:
    """Addresses of one form: fetched, known, those a second page leads to, and pages that led to new ones."""

    fetched: int = 0
    spreading: int = 0
    known: int = 0
    met: int = 0


@dataclass(slots=True)
class _Known:
    """What is known of an address. ``parents``: some that lead to it; ``text``: the rarest text on it, if fetched."""

    form: _Form
    parents: tuple[int, ...] = ()
    chain: int = 0
    text: int | None = None


class TrapGuard:
    """What a crawl knows of its links. Tell it of each link and page; ask it before each request."""

    def __init__(self) -> None:
        self._known: dict[int, _Known] = {}
        self._forms: dict[int, _Form] = {}
        self._keys: dict[int, int] = {}
        self._copies: Counter[int] = Counter()
        self._worn_texts: dict[int, str] = {_SHORT: "next to nothing"}

    def found(self, urls: Iterable[str], parent: str = "") -> None:
        """A page leads to these addresses. ``parent`` is "" for a start address and for what a sitemap names."""
        source = _hash(parent) if parent else _START
        on = self._known.get(source)
        spreads = False
        for url in urls:
            number = _hash(url)
            known = self._known.get(number)
            form = known.form if known is not None else self._form(url)
            chain = on.chain + 1 if on is not None and on.form is form else 0
            if known is None:
                known = self._known[number] = _Known(form, chain=chain)
                spreads |= chain > 0
            known.chain = min(known.chain, chain)
            if source not in known.parents:
                self._add_parent(known, source)
        if on is not None:
            on.form.spreading += spreads

    def _form(self, url: str) -> _Form:
        return self._forms.setdefault(_hash(address_shape(url)), _Form())

    def _add_parent(self, known: _Known, source: int) -> None:
        """Note who leads to an address: the first few, a worn one making room for a later one."""
        known.form.known += not known.parents
        was_met = _is_met(known.parents)
        if len(known.parents) < KEPT_PARENTS:
            known.parents += (source,)
        elif (worn := next((parent for parent in known.parents if self._worn(parent) is not None), None)) is not None:
            known.parents = (*(parent for parent in known.parents if parent != worn), source)
        known.form.met += _is_met(known.parents) and not was_met

    def _worn(self, page: int) -> int | None:
        """The text of a worn page; None for any other."""
        known = self._known.get(page)
        if known is None or known.text is None:
            return None
        return known.text if self._copies[known.text] >= _limit(known.text) else None

    def judge(self, url: str) -> TrapStop | None:
        """Whether to leave an address, right before it would be asked for."""
        shape = address_shape(url)
        odd = why_odd(url)
        if odd:
            return TrapStop(odd, shape, url)
        number = _hash(url)
        if self._keys.setdefault(_hash(address_key(url)), number) != number:
            return TrapStop("asked for before, but for session, campaign or order of parameters", shape, url)
        known = self._known.get(number)
        reason = self._why_endless(known) if known is not None else ""
        return TrapStop(reason, shape, url) if reason else None

    def _why_endless(self, known: _Known) -> str:
        worn = {self._worn(parent) for parent in known.parents}
        if worn and None not in worn:
            text = worn.pop()
            assert text is not None
            copies, held = self._copies[text], self._worn_texts.get(text, "")
            what = repr(held) if held else "the same texts"
            return f"only pages lead to it that are alike: {copies} hold {what} and nothing else of their own"
        if known.chain >= MAX_CHAIN:
            return f"{MAX_CHAIN} pages of this form led to it, each known from the one before only"
        form = known.form
        spreads = form.fetched >= MAX_FAN and form.spreading >= MIN_SPREADING * form.fetched
        if spreads and form.met < MIN_MET * form.known and not _is_met(known.parents):
            return f"after {form.fetched} pages of this form each still leads to others that no second page knows"
        return ""

    def asked(self, url: str) -> None:
        """An address was asked for by an earlier process of this crawl."""
        self._keys.setdefault(_hash(address_key(url)), _hash(url))

    def fetched(self, url: str, texts: Mapping[int, str]) -> None:
        """A page came, with these :func:`text_hashes`; what could not be had need not be told, nor a page twice."""
        number = _hash(url)
        known = self._known.get(number)
        if known is None:
            known = self._known[number] = _Known(self._form(url))
        if known.text is not None:
            return
        known.form.fetched += 1
        rarest = min(texts, key=lambda text: self._copies[text], default=_SHORT)
        known.text = rarest if self._copies[rarest] < MAX_COPIES else _SHORT
        self._copies.update([*texts, _SHORT] if known.text == _SHORT else texts.keys())
        if self._copies[known.text] >= MAX_COPIES and known.text != _SHORT:
            self._worn_texts.setdefault(known.text, texts[known.text][:60])


def text_hashes(url: str, chunks: Iterable[str]) -> dict[int, str]:
    """The texts of a page as a :class:`TrapGuard` compares them, each by its hash of 64 bits, the longest first."""
    own = frozenset(_WORD.findall(unquote(f"{urlsplit(url).path} {urlsplit(url).query}").lower()))
    texts = {text for text in (_own_words(chunk, own) for chunk in chunks) if len(text) >= MIN_TEXT_CHARS}
    return {_hash(text): text for text in sorted(texts, key=lambda text: (-len(text), text))}


def _is_met(parents: tuple[int, ...]) -> bool:
    return len(parents) > 1 or _START in parents


def _limit(text: int) -> int:
    return MAX_SHORT if text == _SHORT else MAX_COPIES


def _own_words(text: str, others: frozenset[str]) -> str:
    """The words of a text in lower case, each once, without numbers and without the words of its page's address."""
    words = _WORD.findall(_NUMBERED.sub(" ", text.lower()))
    return " ".join(word for word in dict.fromkeys(words) if word not in others)


def _hash(text: str) -> int:
    return xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass"))
