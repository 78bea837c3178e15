"""Traps: places of a site that never end and hold nothing new, told by the form of addresses and by what pages hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import xxhash

MAX_URL_CHARS = 2000
"""Longer ones break servers and browsers; Heritrix stops at 2,083."""
MAX_PARTS = 20
"""Path parts; Heritrix's TooManyPathSegments stops at the same number."""
MAX_PARAMETERS = 20
MAX_IN_A_ROW = 2
"""Times that a part or a run of parts may stand in a row; Heritrix's PathologicalPath takes 3 for a fault."""
MAX_TIMES = 4
"""Times that one word may stand anywhere in a path."""
LONGEST_RUN = 5

_VISITOR = re.compile(r"phpsessid|jsessionid|aspsessionid\w*|session_?id|sessid|cfid|cftoken|oscsid|zenid|xtcsid")
"""Parameters that name the visitor whatever their value is."""
_PERHAPS_VISITOR = re.compile(r"sid|s|session|osid|token|csrf\w*|nonce|viewstate|hash|key")
"""Parameters that name the visitor if their value looks drawn by lot."""
_CAMPAIGN = re.compile(r"utm_\w+|fbclid|gclid|msclkid|yclid|igshid|mc_[ce]id|_ga")
_PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid|sid|sessionid)=[^/?#;]*", re.IGNORECASE)
_PATH_TOKEN = re.compile(r"/\((?:[A-Z]\([^()/]*\))+\)|/S\([A-Za-z0-9]{20,}\)")
_DRAWN = re.compile(r"(?=[^0-9]*[0-9])[0-9A-Za-z_-]{16,}")
_HEX = re.compile(r"[0-9a-fA-F]{8,}(?:-[0-9a-fA-F]{4,}){0,4}")
_DIGITS = re.compile(r"[0-9]+")


def address_shape(url: str) -> str:
    """An address with its numbers, dates, hex and drawn tokens replaced by ``#`` and its parameters by their names.

    ``https://a.example/2024/05/item-17.html?id=5&lang=fr`` gives ``a.example/#/#/item-#.html?id&lang``.
    """
    parts = urlsplit(url)
    path = "/".join(_general(part) for part in _PATH_SESSION.sub("", parts.path).split("/"))
    keys = sorted({_general(key) for key, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return f"{parts.netloc.lower()}{path}" + ("?" + "&".join(keys) if keys else "")


def address_key(url: str) -> str:
    """The same for addresses that are one but for visitor, campaign, order or repetition of parameters."""
    parts = urlsplit(url)
    path = _PATH_TOKEN.sub("", _PATH_SESSION.sub("", parts.path))
    kept = sorted({(key, value) for key, value in parse_qsl(parts.query, keep_blank_values=True) if _says(key, value)})
    return f"{parts.netloc.lower()}{path or '/'}" + ("?" + urlencode(kept) if kept else "")


def why_odd(url: str) -> str:
    """Say in words what is wrong with the form of an address itself; "" where nothing is."""
    if len(url) > MAX_URL_CHARS:
        return f"the address has {len(url)} characters, more than {MAX_URL_CHARS}"
    split = urlsplit(url)
    parts = [unquote(part) for part in split.path.split("/") if part]
    if len(parts) > MAX_PARTS:
        return f"the path has {len(parts)} parts, more than {MAX_PARTS}"
    if split.query.count("&") >= MAX_PARAMETERS:
        return f"the address has more than {MAX_PARAMETERS} parameters"
    return _repetition([part for part in parts if not _DIGITS.fullmatch(part)])


def _repetition(parts: list[str]) -> str:
    for size in range(1, LONGEST_RUN + 1):
        for start in range(len(parts) - (MAX_IN_A_ROW + 1) * size + 1):
            run = parts[start : start + size]
            if run * (MAX_IN_A_ROW + 1) == parts[start : start + (MAX_IN_A_ROW + 1) * size]:
                return f"the path repeats {_shown('/'.join(run))} more than {MAX_IN_A_ROW} times in a row"
    for part in set(parts):
        if parts.count(part) > MAX_TIMES:
            return f"the path holds {_shown(part)} {parts.count(part)} times"
    return ""


def _general(text: str) -> str:
    if _HEX.fullmatch(text) or _DRAWN.fullmatch(text):
        return "#"
    return _DIGITS.sub("#", text)


def _says(key: str, value: str) -> bool:
    """Whether a parameter may change what is shown."""
    name = key.lower()
    if _VISITOR.fullmatch(name) or _CAMPAIGN.fullmatch(name):
        return False
    return not (_PERHAPS_VISITOR.fullmatch(name) and (_DRAWN.fullmatch(value) or _HEX.fullmatch(value)))


def _shown(text: str) -> str:
    return ascii(text[:60])


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
_NUMBERED = re.compile(r"(?<![a-z])[a-z]*+\d[a-z\d]*")


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

    def moved(self, url: str, target: str) -> None:
        """An address that was asked for sends to another: where they are one but for the visitor, ask for that."""
        key = _hash(address_key(target))
        if self._keys.get(key) == _hash(url):
            self._keys[key] = _hash(target)

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
