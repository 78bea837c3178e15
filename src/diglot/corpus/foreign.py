"""Texts that are not in the language of their side."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from diglot.documents.language import UNDETERMINED, identify, language_of

Mask = npt.NDArray[np.bool_]

LEAST_LETTERS = 40
"""Identifiers of language err on shorter texts with letters."""
LEAST_IDEOGRAPHS = 15
LEAST_CONFIDENCE = 0.95
COMMON_WORDS = 200
"""Words of a language that most of its sentences hold one of; learnt on the site."""
LEAST_COMMON = 2
"""A text with so many different common words of its language needs no identifier."""

_WORD = re.compile(r"[^\W\d_]+")
_UNSPACED_LETTER = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")


def wrong_language(src: Sequence[str], tgt: Sequence[str], langs: tuple[str, str]) -> tuple[Mask, Mask]:
    """Which texts of either side are in another language than that of their side, each of shape (rows,).

    Only long texts are judged, and languages that no identifier separates (Croatian, Bosnian and Serbian, ...)
    count as one. A text with common words of its language is not looked at further: the identifier, which
    costs 0.1 ms a text, sees few.
    """
    common = [_document_frequency(texts) for texts in (src, tgt)]
    return (
        _foreign(src, langs[0], _own_words(common[0], common[1])),
        _foreign(tgt, langs[1], _own_words(common[1], common[0])),
    )


def _document_frequency(texts: Sequence[str]) -> Counter[str]:
    return Counter(chain.from_iterable(map(set, map(_WORD.findall, map(str.lower, texts)))))


def _own_words(mine: Counter[str], other: Counter[str]) -> frozenset[str]:
    own = ((word, count) for word, count in mine.items() if count > 2 * other[word])
    return frozenset(word for word, _ in sorted(own, key=lambda item: (-item[1], item[0]))[:COMMON_WORDS])


def _foreign(texts: Sequence[str], lang: str, own: frozenset[str]) -> Mask:
    verdicts: dict[str, bool] = {}
    for text in texts:
        if text not in verdicts:
            verdicts[text] = _is_foreign(text, lang, own)
    return np.array([verdicts[text] for text in texts], bool)


def _is_foreign(text: str, lang: str, own: frozenset[str]) -> bool:
    if len(text) < LEAST_IDEOGRAPHS or (text.isascii() and len(text) < LEAST_LETTERS):
        return False
    is_spaced = text.isascii() or not _UNSPACED_LETTER.search(text)
    # Splitting at spaces costs a fifth of a search for words and finds enough of them in most texts.
    if is_spaced and len(own.intersection(text.lower().split())) >= LEAST_COMMON:
        return False
    unspaced = 0 if is_spaced else len(_UNSPACED_LETTER.findall(text))
    letters = sum(map(len, _WORD.findall(text)))
    if letters < LEAST_LETTERS and unspaced < LEAST_IDEOGRAPHS:
        return False
    if not unspaced and len(own.intersection(_WORD.findall(text.lower()))) >= LEAST_COMMON:
        return False
    primary = language_of(lang)
    if primary == "ja" and _KANA.search(text):
        return False
    found, confidence = identify(text, lang)
    return found != UNDETERMINED and language_of(found) != primary and confidence >= LEAST_CONFIDENCE
