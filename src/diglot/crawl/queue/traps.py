"""Traps: parts of a site without end and without new text, recognised by addresses and by texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

import xxhash

from diglot.pages.address import PATH_SESSION, address_key, looks_random

MAX_FOLLOWED_CHARS = 2000
"""Most characters of an address to follow. Longer addresses break servers and browsers; Heritrix stops at 2,083."""
MAX_PARTS = 20
"""Path parts; the same number as in Heritrix's TooManyPathSegments."""
MAX_PARAMETERS = 20
MAX_IN_A_ROW = 2
"""Repetitions of a part or a run of parts in a row; Heritrix's PathologicalPath refuses 3."""
MAX_TIMES = 4
"""Occurrences of one word anywhere in a path."""
LONGEST_RUN = 5
"""Most parts of a run whose repetitions are searched for."""

_DIGITS = re.compile(r"[0-9]+")

MAX_COPIES = 50
"""Pages that may share one text: an untranslated page stands in for every language of a site, some forty on the
richest sites."""
MAX_SHORT = 100
"""Pages that may have no text of ``MIN_TEXT_CHARS`` of their own: pictures, frames and menus. Real sites have more of
them."""
MAX_TEXT_CHARS = 100_000
"""Texts are compared by their beginnings."""
MIN_TEXT_CHARS = 20
"""Shorter texts are not even headings."""
MAX_CHAIN, MAX_FAN = 90, 150
"""Pages of one form in a chain of links, and fetched pages of a form, from which the form may be refused."""
MIN_MET = 0.05
"""Share of the addresses of a form that a second page must link; on real sites a menu alone gives more."""
MIN_SPREADING = 0.5
"""Share of the pages of a form with links to new pages of the form: list pages have them, items do not."""
SAME_PAGE = "requested before, apart from session, campaign or order of parameters"
"""Reason for a second address of a requested page: its session, campaign or order of parameters is another."""
KEPT_PARENTS = 3
"""Most pages noted as sources of an address."""

_SHORT = 0
_START = -1
_WORD = re.compile(r"\w+")
_VISIBLE = re.compile(r"[!-~]++")
_NUMBERED = re.compile(r"(?<![a-z])[a-z]*+\d[a-z\d]*")


def address_shape(url: str) -> str:
    """An address with ``#`` for numbers, dates, hexadecimal and random tokens, and with the names of its parameters
    only.

    ``https://a.example/2024/05/item-17.html?id=5&lang=fr`` gives ``a.example/#/#/item-#.html?id&lang``.
    """
    parts = urlsplit(url)
    path = "/".join(_general(part) for part in PATH_SESSION.sub("", parts.path).split("/"))
    keys = sorted({_general(key) for key, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return f"{parts.netloc.lower()}{path}" + ("?" + "&".join(keys) if keys else "")


def why_odd(url: str) -> str:
    """Why the form of an address is odd, "" if it is not."""
    if len(url) > MAX_FOLLOWED_CHARS:
        return f"the address has {len(url)} characters, more than {MAX_FOLLOWED_CHARS}"
    split = urlsplit(url)
    parts = [unquote(part) for part in split.path.split("/") if part]
    if len(parts) > MAX_PARTS:
        return f"the path has {len(parts)} parts, more than {MAX_PARTS}"
    if split.query.count("&") >= MAX_PARAMETERS:
        return f"the address has more than {MAX_PARAMETERS} parameters"
    # Numbers repeat in dates and versions: 1/1/1.
    return _repetition([part for part in parts if not _DIGITS.fullmatch(part)])


def _repetition(parts: list[str]) -> str:
    for size in range(1, LONGEST_RUN + 1):
        for start in range(len(parts) - (MAX_IN_A_ROW + 1) * size + 1):
            run = parts[start : start + size]
            if run * (MAX_IN_A_ROW + 1) == parts[start : start + (MAX_IN_A_ROW + 1) * size]:
                return f"the path repeats {_quote('/'.join(run))} more than {MAX_IN_A_ROW} times in a row"
    for part in set(parts):
        if parts.count(part) > MAX_TIMES:
            return f"the path holds {_quote(part)} {parts.count(part)} times"
    return ""


def _general(text: str) -> str:
    return "#" if looks_random(text) else _DIGITS.sub("#", text)


def _quote(text: str) -> str:
    return ascii(text[:60])


@dataclass(frozen=True, slots=True)
class TrapStop:
    """A refused address: ``reason`` in words, the ``pattern`` of the address, and the address itself as ``example``."""

    reason: str
    pattern: str
    example: str

    def __str__(self) -> str:
        return f"{self.reason} ({self.pattern}, for example {self.example})"


@dataclass(slots=True)
class _Form:
    """Numbers of addresses of one form. ``spreading``: pages with links to new addresses of the form; ``known``:
    addresses from a page, start or sitemap; ``met``: addresses from a second page, or from a start or sitemap."""

    fetched: int = 0
    spreading: int = 0
    known: int = 0
    met: int = 0


@dataclass(slots=True)
class _Known:
    """A known address. ``parents``: some pages with a link to it; ``text``: the rarest text on the page, if fetched."""

    form: _Form
    parents: tuple[int, ...] = ()
    chain: int = 0
    text: int | None = None


class TrapGuard:
    """Graph of links and texts of a crawl, fed with each link and page, and asked before each request."""

    def __init__(self) -> None:
        self._known: dict[int, _Known] = {}
        self._forms: dict[int, _Form] = {}
        self._keys: dict[int, int] = {}
        self._copies: Counter[int] = Counter()
        self._worn_texts: dict[int, str] = {_SHORT: "next to nothing"}

    def note_links(self, urls: Iterable[str], parent: str = "") -> None:
        """Note the links of a page. ``parent``: "" for a start address and for entries of a sitemap."""
        source = _hash(parent) if parent else _START
        on = self._known.get(source)
        spreads = False
        for url in urls:
            number = _hash(url)
            known = self._known.get(number)
            form = known.form if known is not None else self._form(url)
            # Only links between addresses of one form make a chain: the next month of a calendar, say.
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
        """Note a page with a link to an address: the first few, or a later one in place of a worn page."""
        known.form.known += not known.parents
        was_met = _is_met(known.parents)
        if len(known.parents) < KEPT_PARENTS:
            known.parents += (source,)
        else:
            # A page with text of its own replaces a worn one, so that it can open the address again.
            worn = [parent for parent in known.parents if self._worn_text_of(parent) is not None][:1]
            if worn:
                known.parents = (*(parent for parent in known.parents if parent not in worn), source)
        known.form.met += _is_met(known.parents) and not was_met

    def _worn_text_of(self, page: int) -> int | None:
        """The text shared by too many pages, if this page has no other; None otherwise."""
        known = self._known.get(page)
        if known is None or known.text is None:
            return None
        return known.text if self._copies[known.text] >= _limit(known.text) else None

    def judge(self, url: str) -> TrapStop | None:
        """The reason to refuse an address just before a request, None to fetch the page."""
        shape = address_shape(url)
        odd = why_odd(url)
        if odd:
            return TrapStop(odd, shape, url)
        number = _hash(url)
        # The first address of a key is fetched; the others are the same page.
        if self._keys.setdefault(_hash(address_key(url)), number) != number:
            return TrapStop(SAME_PAGE, shape, url)
        known = self._known.get(number)
        reason = self._why_endless(known) if known is not None else ""
        return TrapStop(reason, shape, url) if reason else None

    def _why_endless(self, known: _Known) -> str:
        worn = {self._worn_text_of(parent) for parent in known.parents}
        # One page with text of its own is reason enough to fetch the address.
        if worn and None not in worn:
            text = worn.pop()
            assert text is not None
            copies, held = self._copies[text], self._worn_texts.get(text, "")
            what = repr(held) if held else "the same texts"
            return f"only pages that are alike link to it: {copies} hold {what} and nothing else of their own"
        if known.chain >= MAX_CHAIN:
            return f"{MAX_CHAIN} pages of this form lead to it in a chain, each linked only by the one before"
        form = known.form
        spreads = form.fetched >= MAX_FAN and form.spreading >= MIN_SPREADING * form.fetched
        if spreads and form.met < MIN_MET * form.known and not _is_met(known.parents):
            return f"after {form.fetched} pages of this form each still links to others that no second page links to"
        return ""

    def note_request(self, url: str) -> None:
        """Note a request of an earlier process of this crawl."""
        self._keys.setdefault(_hash(address_key(url)), _hash(url))

    def note_redirect(self, url: str, target: str) -> None:
        """Keep the target of a redirect between variants of one address as the address to fetch."""
        key = _hash(address_key(target))
        if self._keys.get(key) == _hash(url):
            self._keys[key] = _hash(target)

    def note_page(self, url: str, texts: Mapping[int, str]) -> None:
        """Note a readable page with its :func:`text_hashes`, once a page."""
        number = _hash(url)
        known = self._known.get(number)
        if known is None:
            known = self._known[number] = _Known(self._form(url))
        if known.text is not None:
            return
        known.form.fetched += 1
        # Menus and footers are on every page: the rarest text represents the page.
        rarest = min(texts, key=lambda text: self._copies[text], default=_SHORT)
        known.text = rarest if self._copies[rarest] < MAX_COPIES else _SHORT
        self._copies.update([*texts, _SHORT] if known.text == _SHORT else texts.keys())
        if self._copies[known.text] >= MAX_COPIES and known.text != _SHORT:
            self._worn_texts.setdefault(known.text, texts[known.text][:60])


def text_hashes(url: str, chunks: Iterable[str]) -> dict[int, str]:
    """The texts of a page with their hashes of 64 bits, as a :class:`TrapGuard` compares them, longest first."""
    # A page that only repeats its address ("No results for x") has no text of its own.
    own = frozenset(_WORD.findall(unquote(f"{urlsplit(url).path} {urlsplit(url).query}").lower()))
    texts = {text for text in (_own_words(chunk, own) for chunk in chunks) if len(text) >= MIN_TEXT_CHARS}
    return {_hash(text): text for text in sorted(texts, key=lambda text: (-len(text), text))}


def text_marks(chunks: Iterable[str]) -> list[tuple[int, int]]:
    """Hash and length in characters of the chunks of a page, without numbers and addresses, sorted by hash."""
    texts = text_hashes("", (_VISIBLE.sub(lambda word: "" if "/" in word[0] else word[0], chunk) for chunk in chunks))
    return sorted((number, len(text)) for number, text in texts.items())


def _is_met(parents: tuple[int, ...]) -> bool:
    return len(parents) > 1 or _START in parents


def _limit(text: int) -> int:
    return MAX_SHORT if text == _SHORT else MAX_COPIES


def _own_words(text: str, others: frozenset[str]) -> str:
    """The words of a text in lower case, once each, without numbers and without words of the page's address."""
    words = _WORD.findall(_NUMBERED.sub(" ", text[:MAX_TEXT_CHARS].lower()))
    return " ".join(word for word in dict.fromkeys(words) if word not in others)


def _hash(text: str) -> int:
    return xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass"))
