"""Definitions of a word, and scripts without blanks between words.

Definitions differ by purpose, and share one table of characters (:data:`LETTERS`):

- :func:`words_of`: words as dictionaries list them, compared between a text and a lexicon.
- :func:`terms_of`: words, numbers and pairs of characters, counted over the pages of a site.
- :data:`LETTER_RUN`: letters only, for languages and the units of sentences.
- :data:`COUNTED_WORD`, :data:`PRINTED_WORD`, :data:`PRINTED_TOKEN`: patterns with which Arrow counts words in columns.

Character sets of these definitions differ in rare characters; each is a named union of rows of the table.
"""

from __future__ import annotations

import importlib
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from types import ModuleType
from typing import NamedTuple


class Letters(NamedTuple):
    """Characters of a script, or of a part of one, that is written without blanks between words."""

    ranges: str
    """Ranges for a character class of :mod:`re`."""
    script: str
    """Unicode property for RE2 patterns; "" for a part of another row."""
    why: str


LETTERS = {
    "thai": Letters("\u0e00-\u0e7f", "Thai", "Thai puts blanks between clauses and sentences, none between words."),
    "lao": Letters("\u0e80-\u0eff", "Lao", "Lao is written as Thai is."),
    "myanmar": Letters("\u1000-\u109f", "Myanmar", "Burmese puts blanks between phrases, as its writers please."),
    "khmer": Letters(
        "\u1780-\u17ff", "Khmer", "Khmer puts blanks between phrases, and unseen ones between some words."
    ),
    "hiragana": Letters("\u3040-\u309f", "Hiragana", "Japanese runs its words and particles together."),
    "katakana": Letters("\u30a0-\u30ff", "Katakana", "Japanese sets off foreign words by this script, not by blanks."),
    "small_kana": Letters("\u31f0-\u31ff", "", "Katakana that write Ainu; they stand in words of katakana."),
    "ideographs": Letters(
        "\u3400-\u4dbf\u4e00-\u9fff", "Han", "Chinese and Japanese words are mostly one or two of these, unmarked."
    ),
    "hexagrams": Letters("\u4dc0-\u4dff", "", "Signs of the I Ching, which lie between two blocks of ideographs."),
    "same_ideographs": Letters(
        "\uf900-\ufaff", "", "Ideographs that Unicode encodes twice; NFKC makes most of them one."
    ),
    "rare_ideographs": Letters("\U00020000-\U0003ffff", "", "Ideographs of the planes for them: names, old texts."),
    "hangul": Letters(
        "\uac00-\ud7af", "", "Korean has blanks, but its endings vary: syllables meet where words do not."
    ),
    "jamo": Letters(
        "\u1100-\u11ff", "", "Letters that Korean syllables are made of, for old texts and decomposed ones."
    ),
    "single_jamo": Letters("\u3130-\u318f", "", "The same letters as signs of their own, as in lists and chats."),
    "cjk_marks": Letters(
        "\u2e80-\u303f", "", "Radicals, and marks as wide as an ideograph: no blank follows 。 or 、."
    ),
    "full_width": Letters("\uff00-\uffef", "", "Letters and marks as wide as an ideograph: no blank follows ！ or ？."),
}
"""Scripts and parts of scripts that are written without blanks, or are treated as such."""


def letters(*names: str) -> str:
    """Characters of rows of :data:`LETTERS`, for a character class of :mod:`re`.

    >>> bool(re.fullmatch(f"[{letters('hiragana', 'ideographs')}]+", "自由な"))
    True
    """
    return "".join(LETTERS[name].ranges for name in names)


def has_no_case(char: str) -> bool:
    """Whether a letter has neither a capital nor a small form in ordinary text.

    Unicode gives Georgian letters capitals, which stand in headlines alone: no sentence begins with one.

    >>> [has_no_case(char) for char in "한აa"]
    [True, True, False]
    """
    return unicodedata.category(char) == "Lo" or "\u10d0" <= char <= "\u10ff"


def is_small(char: str) -> bool:
    """Whether a character is a small letter of a script that begins sentences with capitals.

    >>> [is_small(char) for char in "aAა1"]
    [True, False, False, False]
    """
    return char.islower() and not has_no_case(char)


def is_within(char: str, ranges: str) -> bool:
    """Whether a character lies in ranges such as those of :func:`letters`.

    >>> is_within("中", letters("ideographs")), is_within("中", letters("thai", "lao"))
    (True, False)
    """
    return any(ranges[k] <= char <= ranges[k + 2] for k in range(0, len(ranges), 3))


SOUTH_EAST_ASIAN = letters("thai", "lao", "myanmar", "khmer")
"""Alphabets without blanks. Only there can a zero-width space separate words."""
KANA = letters("hiragana", "katakana")
IDEOGRAPHS = letters("ideographs", "hexagrams")
EAST_ASIAN = letters("jamo", "small_kana", "single_jamo", "hangul", "same_ideographs", "rare_ideographs", "ideographs")
EAST_ASIAN += KANA
"""Characters that the aligner counts as a word each."""
CUT_INTO_PAIRS = SOUTH_EAST_ASIAN + KANA + letters("ideographs", "hangul", "same_ideographs")
"""Characters whose runs :func:`terms_of` cuts into pairs."""
JOINED_WITHOUT_BLANK = letters("cjk_marks", "full_width", "same_ideographs") + KANA + IDEOGRAPHS
"""Characters between which joined sentences have no blank."""

LETTER_RUN = r"[^\W\d_]+"
LETTER_RUNS = re.compile(LETTER_RUN)
"""Letters only, no digits or underscores. Combining marks split a run, which matters in Indic scripts."""

UNSPACED_SCRIPTS = "".join(rf"\p{{{row.script}}}" for row in LETTERS.values() if row.script)
"""All scripts without blanks, for a character class of RE2, which knows scripts by name."""
WORD_LETTERS = r"\p{L}\p{M}\p{N}'’._-"
"""Characters within a word after its first, for a character class of RE2."""
COUNTED_WORD = rf"[\p{{L}}\p{{N}}][{WORD_LETTERS}]*"
"""RE2 pattern of a word outside :data:`UNSPACED_SCRIPTS`: "l'été", "v2.3" and "e-mail" are one word each."""
PRINTED_WORD = rf"[{UNSPACED_SCRIPTS}]|[^{UNSPACED_SCRIPTS}\s]*[\p{{L}}\p{{N}}][^{UNSPACED_SCRIPTS}\s]*"
"""RE2 pattern of a word as word processors count: text between blanks, or a character of a script without blanks."""
PRINTED_TOKEN = rf"[{UNSPACED_SCRIPTS}]|[^\s{UNSPACED_SCRIPTS}]+"
"""As :data:`PRINTED_WORD`, and also dashes and other punctuation between blanks."""

UNSPACED = frozenset(("zh", "yue", "wuu", "ja", "th", "lo", "km", "my", "bo"))
"""Languages without spaces between words; without a segmenter every character counts as a word."""
SEGMENTERS = {"zh": "rjieba", "ja": "fugashi"}
"""Segmenter packages by language, each an extra of Diglot under the name of the language."""
FOLDED_LETTERS = 5
"""Length of a folded word, so that inflected forms and cognates match."""

MAX_TEXT_CHARS = 250_000
"""Characters of a text that are cut into words: a book in one block says enough by then."""

_LATIN = re.compile(r"[a-z0-9]+|[^a-z0-9]+")
_TERM = re.compile(r"\d+(?:[.,:]\d+)+|\w+")
_PAIRED_RUN = re.compile(f"[{CUT_INTO_PAIRS}]+")


def words_of(text: str, lang: str) -> list[str]:
    """Words of a text in a language (BCP 47): runs of letters, marks and digits, in NFKC and casefolded.

    Chinese and Japanese are segmented by rjieba and fugashi if installed. Otherwise every character of a language
    without spaces is a word.
    """
    primary = lang.replace("_", "-").split("-")[0].lower()
    runs: list[str] = _word_pattern().findall(unicodedata.normalize("NFKC", text[:MAX_TEXT_CHARS]).casefold())
    if primary not in UNSPACED:
        return runs
    segment = _segmenter(primary)
    parts = (part for run in runs for part in _LATIN.findall(run))
    return [word for part in parts for word in ([part] if part.isascii() else segment(part))]


def terms_of(text: str) -> list[str]:
    """Words of a text in any language, case kept, and numbers with their inner punctuation.

    Runs of scripts without blanks, and of Hangul, become overlapping pairs of characters.

    >>> terms_of("GNU計画は 1,234.5")
    ['GNU', '計画', '画は', '1,234.5']
    """
    text = text[:MAX_TEXT_CHARS]
    if text.isascii():
        return _TERM.findall(text)
    found: list[str] = []
    for word in _TERM.findall(unicodedata.normalize("NFKC", text)):
        found.extend(_with_pairs(word) if not word.isascii() and _PAIRED_RUN.search(word) else (word,))
    return found


def _with_pairs(word: str) -> Iterator[str]:
    """Parts of a word, with scripts without blanks as overlapping pairs of characters."""
    last = 0
    for run in _PAIRED_RUN.finditer(word):
        if run.start() > last:
            yield word[last : run.start()]
        pieces = run.group()
        yield from (pieces[i : i + 2] for i in range(max(1, len(pieces) - 1)))
        last = run.end()
    if last < len(word):
        yield word[last:]


def shorten_word(word: str, count: int) -> str:
    """First ``count`` letters of a word, a rough stem; numbers, and with 0 all words, are unchanged."""
    return word[:count] if count and word.isalpha() else word


def fold_word(word: str) -> str:
    """First five letters of a word, without combining marks; numbers keep all digits.

    >>> fold_word("université"), fold_word("café"), fold_word("2026010")
    ('unive', 'cafe', '2026010')
    """
    plain = word if word.isascii() else without_marks(word)
    return plain if len(plain) <= FOLDED_LETTERS or not plain.isalpha() else plain[:FOLDED_LETTERS]


def without_marks(text: str) -> str:
    """Text in NFKD without combining marks: letters without accents.

    >>> without_marks("häuser"), without_marks("ｴ")
    ('hauser', 'エ')
    """
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def missing_segmenter(lang: str) -> str:
    """Command that installs the segmenter of a language; "" where nothing is missing."""
    primary = lang.replace("_", "-").split("-")[0].lower()
    if primary in SEGMENTERS and _import_or_none(SEGMENTERS[primary]) is None:
        return f"pip install 'diglot[{primary}]'"
    return ""


@cache
def _segmenter(primary: str) -> Callable[[str], list[str]]:
    module = _import_or_none(SEGMENTERS.get(primary, ""))
    if module is None:
        return list
    if primary == "zh":
        return lambda run: list(module.cut(run))
    tagger = module.Tagger("-Owakati")
    return lambda run: str(tagger.parse(run)).split()


def _import_or_none(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name) if name else None
    except ImportError:
        return None


@cache
def _word_pattern() -> re.Pattern[str]:
    """Letters and digits with combining marks; ``\\w`` alone would split Hindi at its vowel signs."""
    return re.compile(rf"[^\W_](?:[^\W_]|[{''.join(_marks())}])*")


def _marks() -> Iterator[str]:
    """Ranges of combining marks in the basic plane, for a character class."""
    start = 0
    for code in range(0x300, 0x10000):
        is_mark = unicodedata.category(chr(code)) in ("Mn", "Mc")
        if is_mark and not start:
            start = code
        elif not is_mark and start:
            yield f"{chr(start)}-{chr(code - 1)}"
            start = 0
