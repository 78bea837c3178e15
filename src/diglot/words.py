"""A text -> its words, in the one form in which texts and lexicons are compared."""

from __future__ import annotations

import importlib
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from types import ModuleType

UNSPACED = frozenset(("zh", "yue", "wuu", "ja", "th", "lo", "km", "my", "bo"))
"""Languages that put no space between words; without a segmenter a word is a single character there."""
SEGMENTERS = {"zh": "rjieba", "ja": "fugashi"}
"""Packages that find words in them, each an extra of Diglot under the name of the language."""

_LATIN = re.compile(r"[a-z0-9]+|[^a-z0-9]+")


def words_of(text: str, lang: str) -> list[str]:
    """Words of a text in a language (BCP 47): runs of letters, marks and digits, compatibility forms and case
    folded.

    Chinese and Japanese are cut by rjieba and fugashi where these are installed; without them, and in the
    other languages that write no spaces, every character is a word.
    """
    primary = lang.replace("_", "-").split("-")[0].lower()
    runs: list[str] = _word_pattern().findall(unicodedata.normalize("NFKC", text).casefold())
    if primary not in UNSPACED:
        return runs
    segment = _segmenter(primary)
    parts = (part for run in runs for part in _LATIN.findall(run))
    return [word for part in parts for word in ([part] if part.isascii() else segment(part))]


def shortened(word: str, letters: int) -> str:
    """The first letters of a word, a rough stem; numbers and, with 0, all words stay as they are."""
    return word[:letters] if letters and word.isalpha() else word


def missing_segmenter(lang: str) -> str:
    """What to install so that a language is cut into words; "" where nothing is missing."""
    primary = lang.replace("_", "-").split("-")[0].lower()
    if primary in SEGMENTERS and _installed(SEGMENTERS[primary]) is None:
        return f"pip install 'diglot[{primary}]'"
    return ""


@cache
def _segmenter(primary: str) -> Callable[[str], list[str]]:
    module = _installed(SEGMENTERS.get(primary, ""))
    if module is None:
        return list
    if primary == "zh":
        return lambda run: list(module.cut(run))
    tagger = module.Tagger("-Owakati")
    return lambda run: str(tagger.parse(run)).split()


def _installed(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name) if name else None
    except ImportError:
        return None


@cache
def _word_pattern() -> re.Pattern[str]:
    """Letters and digits with the marks on them; ``\\w`` alone would cut Hindi at its vowel signs."""
    return re.compile(rf"[^\W_](?:[^\W_]|[{''.join(_marks())}])*")


def _marks() -> Iterator[str]:
    """Ranges of the combining marks of the basic plane, as a character class."""
    start = 0
    for code in range(0x300, 0x10000):
        is_mark = unicodedata.category(chr(code)) in ("Mn", "Mc")
        if is_mark and not start:
            start = code
        elif not is_mark and start:
            yield f"{chr(start)}-{chr(code - 1)}"
            start = 0
