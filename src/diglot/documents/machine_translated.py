"""Marks of machine translation: words left in the markup by translation plugins and services."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from diglot.arrays import Mask
from diglot.documents.text_kernels import NO_ROW, search

_LOWER = np.frombuffer(bytes(range(256)).lower(), np.uint8)

_Mark = tuple[str, re.Pattern[bytes], tuple[bytes, ...]]
_MARKS: tuple[_Mark, ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE), words)
    for name, pattern, words in (
        ("machine-translated-from", rb"machine-translated-from", (b"machine-translated-from",)),
        (
            "extension t",
            rb"<html[^<>]{0,500}\slang=[\"']?[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,4}-t-[a-z0-9-]{0,40}t0-",
            (b"t0-",),
        ),
        (
            "google",
            rb"<html[^<>]{0,500}\sclass=[\"'][^\"'<>]{0,300}\btranslated-(?:ltr|rtl)\b|translate\.goog/|_x_tr_tl=",
            (b"translated-ltr", b"translated-rtl", b"translate.goog/", b"_x_tr_tl="),
        ),
        ("microsoft", rb"<html[^<>]{0,500}\s_msttexthash|<font[^<>]{0,100}\s_mst(?:text)?hash", (b"_mst",)),
        ("yandex", rb"<html[^<>]{0,500}\bclass=[\"'][^\"'<>]{0,300}\byandex-translate", (b"yandex-translate",)),
        (
            "gtranslate",
            rb"<meta[^<>]{0,100}generator[^<>]{0,100}gtranslate|x-gtranslate|tdn\.gtranslate",
            (b"gtranslate",),
        ),
        (
            "transposh",
            rb"<span[^<>]{0,200}class=[\"'](?:tr_|transposh)[^<>]{0,200}data-source=[\"'](?:1|2|3)",
            (b"data-source=",),
        ),
        (
            "weglot",
            rb"<html[^<>]{0,500}\bdata-wg-translated|<meta[^<>]{0,100}weglot:translated",
            (b"data-wg-translated", b"weglot:translated"),
        ),
        (
            "generator",
            rb"<meta[^<>]{0,60}name=[\"']?(?:generator|translator|translation-?(?:engine|method|type))[\"'\s]"
            rb"[^<>]{0,100}(?:machine.translat|google.translat|deepl|bing.translat|microsoft.translator|transposh)",
            (b"translat", b"deepl", b"transposh"),
        ),
        (
            "notranslate source",
            rb"<meta[^<>]{0,60}name=[\"']?(?:x-)?translated-by[\"'\s][^<>]{0,100}(?:google|deepl|bing|yandex)",
            (b"translated-by",),
        ),
    )
)
"""Name of each mark, its pattern, and words for a quick search: markup with the mark holds one of them.

Marks show that a machine translated the text of this very page: the class set by a browser's translator, a language tag
with extension T of BCP 47 (RFC 6497), a meta element of the author, and traces of plugins that have translated. Plugins
that only offer translation leave other traces.

No pattern reads past a "<": each start of a tag is then read once, and a megabyte of "<html" takes 4 ms, not 400.
"""


class WordSearch:
    """At most 127 words in lower-case ASCII, of two bytes or more, indexed by their first two bytes."""

    def __init__(self, words: Sequence[bytes]) -> None:
        self._words = np.zeros((len(words), 1 + max(map(len, words))), np.uint8)
        self._first = np.full((256, 256), NO_ROW, np.int8)
        self._next = np.full(len(words), NO_ROW, np.int8)
        for row, word in enumerate(words):
            self._words[row, : len(word)] = np.frombuffer(word, np.uint8)
            # The first two bytes of the word, in small or capital letters.
            beginnings = np.ix_(*(np.flatnonzero(np.equal(_LOWER, byte)) for byte in word[:2]))
            self._next[row] = self._first[word[0], word[1]]
            self._first[beginnings] = row

    def occurrences(self, markup: bytes) -> Mask:
        """Mask of the words in the markup, in the given order; shape (words,)."""
        return search(markup, self._words, self._first, self._next, _LOWER)


_WORDS = WordSearch([word for *_, words in _MARKS for word in words])
_MARK_OF_WORD = np.repeat(np.arange(len(_MARKS)), [len(words) for *_, words in _MARKS])


def machine_mark(markup: bytes) -> str:
    """Name of the first mark of machine translation on a page in UTF-8, "" for none.

    >>> machine_mark(b'<html class="translated-ltr" lang="fr">'), machine_mark(b"<p>machine translation</p>")
    ('google', '')
    """
    likely = np.unique(_MARK_OF_WORD[_WORDS.occurrences(markup)]).tolist()
    found = [(match.start(), order) for order in likely if (match := _MARKS[order][1].search(markup))]
    return _MARKS[min(found)[1]][0] if found else ""
