"""Texts that are not in the language of their side, and which written form of it they are in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import chain

import langcodes
import numpy as np

from diglot.arrays import Mask
from diglot.documents.language import UNDETERMINED, identify, language_of
from diglot.words import IDEOGRAPHS, KANA, LETTER_RUN, UNSPACED_LETTERS

LEAST_LETTERS = 40
"""Identifiers of language err on shorter texts with letters."""
LEAST_IDEOGRAPHS = 15
LEAST_CONFIDENCE = 0.95
COMMON_WORDS = 200
"""Words of a language that most of its sentences hold one of; learnt on the site."""
LEAST_COMMON = 2
"""A text with so many different common words of its language needs no identifier."""

_WORD = re.compile(LETTER_RUN)
_UNSPACED_LETTER = re.compile(f"[{UNSPACED_LETTERS}]")
_KANA = re.compile(f"[{KANA}]")


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


MULTISCRIPT = frozenset(("az", "bs", "kk", "ku", "mn", "ms", "pa", "sd", "sr", "tg", "tk", "ug", "uz"))
"""Languages that CLDR's supplemental data give more than one script in use today; Chinese is told otherwise."""
LEAST_VARIANT_LETTERS = 10
LEAST_SHARE = 0.9
LEAST_VARIANT_IDEOGRAPHS = 2
"""Characters of one national set only, from which a Chinese text is in its script."""
_SCRIPTS = {
    "Latn": re.compile("[A-Za-z\u00c0-\u024f]"),
    "Cyrl": re.compile("[\u0400-\u052f]"),
    "Arab": re.compile("[\u0620-\u06d3]"),
    "Deva": re.compile("[\u0904-\u0939]"),
    "Guru": re.compile("[\u0a05-\u0a39]"),
}
_IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}]")


def variant_of(text: str, lang: str, declared: str = "") -> str:
    """BCP 47 tag of the variant, "" where nothing shows one.

    The script is read from the text. A region is believed where the page declares it for this language, since
    no text tells pt-BR from pt-PT for certain; one that contradicts ``lang`` is not.

    >>> variant_of("這是繁體中文，並不難認", "zh"), variant_of("Ово је пример реченице", "sr"), variant_of("Sim", "pt")
    ('zh-Hant', 'sr-Cyrl', '')
    """
    language, script, region = _parts(lang)
    if not script and language == "zh":
        script = _chinese_script(text)
    elif not script and language in MULTISCRIPT:
        script = _script(text)
    declared_language, _, declared_region = _parts(declared)
    if not region and declared_language == language and language != "zh":
        region = declared_region
    tag = "-".join(filter(None, (language, script, region)))
    return tag if script or region else ""


@cache
def _parts(tag: str) -> tuple[str, str, str]:
    try:
        parsed = langcodes.Language.get(tag.strip().replace("_", "-"))
    except ValueError:
        return "", "", ""
    return parsed.language or "", parsed.script or "", parsed.territory or ""


def _script(text: str) -> str:
    counts = {script: len(letters.findall(text)) for script, letters in _SCRIPTS.items()}
    script = max(counts, key=lambda name: counts[name])
    enough = sum(counts.values()) >= LEAST_VARIANT_LETTERS and counts[script] >= LEAST_SHARE * sum(counts.values())
    return script if enough else ""


def _chinese_script(text: str) -> str:
    """Hans or Hant by the characters that only one of the national character sets holds."""
    kinds = [_national_set(char) for char in _IDEOGRAPH.findall(text)]
    hans, hant = kinds.count("Hans"), kinds.count("Hant")
    if max(hans, hant) < LEAST_VARIANT_IDEOGRAPHS or max(hans, hant) < LEAST_SHARE * (hans + hant):
        return ""
    return "Hans" if hans > hant else "Hant"


@cache
def _national_set(char: str) -> str:
    simplified, traditional = _is_in(char, "gb2312"), _is_in(char, "big5")
    return "" if simplified == traditional else "Hans" if simplified else "Hant"


def _is_in(char: str, charset: str) -> bool:
    try:
        char.encode(charset)
    except UnicodeEncodeError:
        return False
    return True
