"""The script of a text: whether the identifier of languages reads it, and which of two a language is written in."""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import cache

import langcodes

from diglot.documents.language_tags import language_of

MIN_IDEOGRAPHS = 6
"""Ideographs, kana and syllables of Hangul below which a text has no known language."""
READ_SCRIPTS = (
    "ARABIC ARMENIAN BENGALI BOPOMOFO CJK CYRILLIC DEVANAGARI ETHIOPIC GEORGIAN GREEK GUJARATI GURMUKHI HANGUL HEBREW "
    "HIRAGANA KANNADA KATAKANA KHMER LAO LATIN MALAYALAM MYANMAR ORIYA SINHALA TAMIL TELUGU THAI TIBETAN"
)
"""Scripts of the identifier's languages, by the first word of their letters' names in Unicode. The identifier reads
bytes, and those of other scripts look like these: Santali and Inuktitut are Amharic to it, Cherokee is Korean."""
CASED_SCRIPTS = ("ARMENIAN", "CYRILLIC", "GREEK", "LATIN")
"""Scripts with capitals, in which a text is written whole. Japanese and Korean pages have more Latin letters than own
ones where they name products."""
MOST_BORROWED = 1 / 3
"""Largest share of letters in other scripts that may be names, such as the name of a Greek parish on Spanish pages
about the parish. A page with a larger share may be half untranslated."""


def is_in_unread_script(text: str) -> bool:
    """Whether half of a text's letters or more are in scripts of no language known to the identifier.

    >>> is_in_unread_script("ᱥᱟᱱᱛᱟᱲᱤ (Santali)"), is_in_unread_script("አማርኛ (Amharic)")
    (True, False)
    """
    if text.isascii():
        return False
    unread = frozenset(char for char in set(text) if char.isalpha() and not _is_read(char))
    return bool(unread) and 2 * sum(char in unread for char in text) >= sum(map(str.isalpha, text))


def in_main_script(text: str) -> str:
    """A text without the letters of other scripts than its own (:data:`CASED_SCRIPTS`), if they are few.

    The identifier reads bytes: beside Greek names it takes Spanish for Extremaduran. An ideograph or a syllable says as
    much as several letters, so a text with some is left as it is.

    >>> in_main_script("Historia de la parroquia Αγία")
    'Historia de la parroquia     '
    """
    # Most texts are in one script: a set takes a quarter of the time of counting.
    if text.isascii() or len({*map(_script_of, set(text)), ""}) <= 2:
        return text
    counts = Counter(text)
    if sum(count for char, count in counts.items() if is_ideograph(char)) >= MIN_IDEOGRAPHS:
        return text
    letters: Counter[str] = Counter()
    for char, count in counts.items():
        letters[_script_of(char)] += count if char.isalpha() else 0
    del letters[""]
    main, most = max(letters.items(), key=lambda each: (each[1], each[0]), default=("", 0))
    others = letters.total() - most
    if not others or main not in CASED_SCRIPTS or others > MOST_BORROWED * letters.total():
        return text
    return text.translate({ord(char): " " for char in counts if _script_of(char) not in ("", main)})


def _is_read(letter: str) -> bool:
    """Whether a letter is in a script of the identifier's languages."""
    return _script_of(letter) != ""


@cache
def _script_of(char: str) -> str:
    """The script of a letter or mark, "" for one of none of the identifier's languages."""
    script = unicodedata.name(char, "").partition(" ")[0]
    return script if script in READ_SCRIPTS.split() else ""


def is_ideograph(char: str) -> bool:
    return "\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7a3"


def is_latin(text: str) -> bool:
    return sum(char.isascii() and char.isalpha() for char in text) * 2 > sum(map(str.isalpha, text))


def with_script(lang: str, text: str, declared: str = "") -> str:
    """Tag of a language, with the text's script for languages written in two."""
    if lang == "sr":
        return "sr-Latn" if is_latin(text) else "sr-Cyrl"
    if lang == "zh":
        return f"zh-{_chinese_script(text, declared)}"
    return lang


def _chinese_script(text: str, declared: str) -> str:
    """Hans or Hant, by the national character set that holds more ideographs; the declaration breaks ties."""
    ideographs = "".join(set(filter(is_ideograph, text)))
    simplified, traditional = _chars_in(ideographs, "gb2312"), _chars_in(ideographs, "big5")
    hans, hant = len(simplified - traditional), len(traditional - simplified)
    if hans == hant and language_of(declared) == "zh":
        return langcodes.Language.get(declared.replace("_", "-")).maximize().script or "Hans"
    return "Hant" if hant > hans else "Hans"


def _chars_in(chars: str, charset: str) -> set[str]:
    """The characters present in a charset."""
    return set(chars.encode(charset, "ignore").decode(charset))
