"""The flag ``foreign_part``: the same words stand at one end of both sides, in a language foreign to a side.

A label left untranslated (*Opt-out Links:*), a sentence of the original behind its translation, a line of a third
language in every language version, a sentence in which only the name of a linked page is translated. Code, quotations
and names are left as they are by translators, too, and do not count. A heading that shows its text in a third language,
too, is found by the pages of that language: there the same words are a text of their own, and are translated.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import takewhile

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Mask
from diglot.corpus.flags.context import Context
from diglot.corpus.flags.foreign_by_identifier import (
    COPIED_TIMES,
    LATIN,
    LEAST_COPIED_CHANCE,
    LEAST_COPIED_CHARS,
    is_placeholder,
)
from diglot.corpus.flags.names import is_name
from diglot.documents.language import NO_LANGUAGE, probabilities
from diglot.documents.language_tags import are_close, language_of
from diglot.records import BlockKind
from diglot.scripts import lacks_own_script
from diglot.words import LETTER_RUNS

_SAME_END = 6
"""Letters compared at each end of both sides before a closer look: two short words have as many."""
LEAST_MEAN_LETTERS = 3
"""Least mean length of words in prose; codes of languages and variables of formulas have one or two letters."""
_LEAST_START = 4
"""Least words at the beginning of both sides: fewer are a command or a name with its class, such as *Debian packages*
before a translated *page*."""
_LEAST_LAST, _MOST_LAST = 2, 16
"""Least and most words at the end of both sides that are looked for in a third language. A single one may be a word of
both languages, too."""
_LANGUAGES_OF_A_HEADING = 3
"""A heading in several languages has its own and, as a rule, two of the country: the words common to both sides are a
third of one or more. A name at the end of a sentence is shorter."""
_CODE = re.compile(r"[/_=@\\{}<>#$%~^+*&0-9]|\w[.;(]+\w|(?:^|\s)--?\w")
_LABEL = re.compile(r"\s*([^\W\d_][^:：\s]*\s[^:：]*)[:：](?!:)\s*(?=\S)")
"""Two words or more before a colon: a single one is often an option, a field or a name."""
_LEAST_NAMES = 2
"""Least words of the name of a person. A single word with a capital may be the first of a sentence."""
_LEAST_HALF = 4
"""Least words at the end of both sides, joined ones counted once, that are half of a side without a sentence end
before them: fewer are a name, a brand with its class (*Luxfly account*) or loan words (*team building*)."""
_LEAST_TITLE, _MOST_INNER = 5, 4
"""Least capitalised words of the title of a publication or an institution, and most letters of a small word in it:
*Artificial Intelligence for Engineering Design, Analysis and Manufacturing*."""
_ENDS = re.compile(r"(?:[.:!?…。：！？؟।|·•–—]|\s-)[\"'»”’)]*\s*$")
"""The end of a sentence or of another part of a text, before the run."""

_END_CHARS = 20
"""Characters before a run that are looked at: a mark, quotation marks behind it, and a blank."""
_QUOTES = re.compile(r"[\"'“”„«»‹‘「『（(\[]\s*$")
"""The beginning of a quotation or of a name in brackets, before the run."""
_JOINED = re.compile(r"(?<!\w)\w+(?:-\w+)+")
"""Words joined by hyphens: in prose a few, in names of commands and options most."""
_JOINED_WORDS = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_QUOTED = re.compile(r"[\"“„«»‹「『][^\"“”„«»‹」』]*")
"""A quotation, as far as its closing mark."""
_GLOSS = re.compile(r"\W*[（(\[]")
"""Brackets behind the run: a title kept in its language has its translation in them."""


def has_foreign_part(context: Context) -> Mask:
    """Mask of rows with words in a foreign language at one end of both sides, shape (rows,)."""
    rows = np.flatnonzero(context.usable & context.by_texts(_may_share))
    columns = ("src", "tgt", "src_lang", "tgt_lang", "kind")
    found = np.zeros(context.segments.num_rows, bool)
    taken = (context.segments[name].take(pa.array(rows)).to_pylist() for name in columns)
    cells = list(zip(*taken, strict=True))
    ends = [_shared_last(src, tgt) for src, tgt, *_ in cells]
    own_texts = _languages_of_ends(context, ends)
    found[rows] = [
        # The name of a site ends its titles, in its own language.
        kind != BlockKind.TITLE
        and (
            has_part(src, tgt, langs := (src_lang, tgt_lang))
            or ends_in_third(end, langs, own_texts)
            or says_twice(src, end)
            or says_twice(tgt, end)
        )
        for (src, tgt, src_lang, tgt_lang, kind), end in zip(cells, ends, strict=True)
    ]
    return found


def ends_in_third(last: Sequence[str], langs: tuple[str, str], own_texts: Mapping[str, frozenset[str]]) -> bool:
    """Whether the common last words of both sides begin with a text of a third language: half of these words, or more.

    A heading may be in two languages of which the run has only one: its text is known by that one alone. ``last``: the
    words, in lower case. ``own_texts``: languages in which a text stands by itself, translated.

    >>> ends_in_third(["voksbarna", "voksborna"], ("en", "pl"), {"voksbarna": frozenset({"nb"})})
    True
    """
    return any(_is_third(own_texts.get(text), langs) for text in _first_halves(last))


def _first_halves(words: Sequence[str]) -> list[str]:
    """Texts of the first words, from half of the words up to all of them."""
    return [" ".join(words[:count]) for count in range(-(-len(words) // 2), len(words) + 1) if count]


def says_twice(text: str, last: Sequence[str]) -> bool:
    """Whether a text that ends with the words ``last`` begins with the first of them.

    A heading in several languages says its words twice on the pages of one of these.

    >>> says_twice("Voksbarna Voksbarna Voksborna", ["voksbarna", "voksborna"])
    True
    """
    words = LETTER_RUNS.findall(text.casefold())
    begin = words[: len(words) - len(last)]
    return bool(last) and begin == last[: len(begin)]


def _is_third(stands_in: frozenset[str] | None, langs: tuple[str, str]) -> bool:
    return stands_in is not None and stands_in.isdisjoint(langs)


def _shared_last(src: str, tgt: str) -> list[str]:
    """The last words of both sides that are the same, a third of a side or more, in lower case; a first word stays on
    both. An empty list for fewer words, for code and for quotations."""
    words, others = (list(LETTER_RUNS.finditer(side)) for side in (src, tgt))
    shared = min(_count_same(words[::-1], others[::-1]), len(words) - 1, len(others) - 1, _MOST_LAST)
    if shared < max(_LEAST_LAST, min(len(words), len(others)) / _LANGUAGES_OF_A_HEADING):
        return []
    starts = words[-shared].start(), others[-shared].start()
    is_meant = _CODE.search(src, starts[0]) or _QUOTES.search(src[: starts[0]]) or _QUOTES.search(tgt[: starts[1]])
    return [] if is_meant else [word[0].casefold() for word in words[-shared:]]


def _languages_of_ends(context: Context, ends: Sequence[Sequence[str]]) -> dict[str, frozenset[str]]:
    """Languages in which the first words of ``ends`` (:func:`_first_halves`) are a text of their own, in usable rows or
    left as it is, as names are."""
    phrases = {text for end in ends for text in _first_halves(end)}
    if not phrases:
        return {}
    # Without marks, as in "Ku!", but with hyphens: they join the words of a command.
    words = pc.utf8_trim(pc.replace_substring_regex(pc.utf8_lower(context.texts.values), r"[^\pL-]+", " "), " ")
    is_phrase = pc.is_in(words, pa.array(sorted(phrases))).to_numpy(zero_copy_only=False)
    languages: dict[str, set[str]] = {}
    for side, texts in zip(("src", "tgt"), context.texts.sides, strict=True):
        rows = pa.array(np.flatnonzero(is_phrase[texts] & (context.usable | context.is_identical)))
        langs = context.segments[f"{side}_lang"].take(rows).to_pylist()
        for text, lang in zip(words.take(pa.array(texts[rows.to_numpy()])).to_pylist(), langs, strict=True):
            languages.setdefault(text, set()).add(lang)
    return {text: frozenset(langs) for text, langs in languages.items()}


def _may_share(pairs: pa.Table) -> Mask:
    """Mask of pairs with the same last letters or the same first letters."""
    src, tgt = (pc.utf8_lower(pairs[side]) for side in ("src", "tgt"))
    ends = [
        pc.utf8_slice_codeunits(pc.replace_substring_regex(pc.utf8_slice_codeunits(side, -24), r"\PL+", ""), -_SAME_END)
        for side in (src, tgt)
    ]
    begins = [pc.utf8_slice_codeunits(pc.utf8_ltrim_whitespace(side), 0, _SAME_END) for side in (src, tgt)]
    same_start = pc.and_(pc.equal(*begins), pc.equal(pc.utf8_length(begins[0]), _SAME_END))
    same_end = pc.and_(pc.equal(*ends), pc.equal(pc.utf8_length(ends[0]), _SAME_END))
    return np.asarray(pc.or_(same_start, same_end).to_numpy(), bool)


def has_part(src: str, tgt: str, langs: tuple[str, str]) -> bool:
    """Whether a label, or a part at one end of both sides, is foreign to one of the languages (BCP 47).

    >>> has_part("Opt-out Links: the use", "Opt-out Links:استخدام الروابط", ("en", "ar"))
    True
    """
    label, part = shared_label(src, tgt), shared_end(src, tgt)
    if _lacks_a_script(label, langs) or is_foreign(label, *langs) or is_foreign(part, *langs):
        return True
    # A comma stands between names, as in a title: "Saadi, Hafez, Schiller: Cultural Bridge".
    if label and "," not in src[: src.find(":")] and name_others(src, tgt):
        return True
    start = shared_start(src, tgt)
    # A third language at the beginning of both sides is taught there: each has its own translation behind it.
    return bool(start) and is_foreign(start, langs[0]) != is_foreign(start, langs[1])


def shared_label(src: str, tgt: str) -> str:
    """Words before the colon with which both sides begin; "" for none, and for code.

    >>> shared_label("Opt-out Links: the use", "Opt-out Links:استخدام الروابط")
    'Opt out Links'
    """
    label, other = (found[1].strip() if (found := _LABEL.match(side)) else "" for side in (src, tgt))
    return _words_of(label) if label.casefold() == other.casefold() and not _CODE.search(label) else ""


def name_others(src: str, tgt: str) -> bool:
    """Whether names without a word in common stand behind the colon.

    Under a label in one language on all pages, these are credits of people who worked on one language version each.

    >>> name_others("Oversatt av: Olav Sigmond", "Oversatt av: Nana Trang")
    True
    """
    names, others = (
        LETTER_RUNS.findall(side[found.end() :]) if (found := _LABEL.match(side)) else [] for side in (src, tgt)
    )
    are_names = min(len(names), len(others)) >= _LEAST_NAMES and all(word[0].isupper() for word in names + others)
    return are_names and {word.casefold() for word in names}.isdisjoint(word.casefold() for word in others)


def shared_end(src: str, tgt: str) -> str:
    """Words at the end of both sides, behind the end of a sentence in both, or half of a side; "" for none, and for
    code.

    >>> shared_end("The end. Her er det.", "La fin. Her er det.")
    'Her er det'
    """
    words, others = (list(LETTER_RUNS.finditer(side)) for side in (src, tgt))
    shared = min(_count_same(words[::-1], others[::-1]), len(words) - 1, len(others) - 1)
    joined_ends = [word.end() for word in _JOINED_WORDS.finditer(src)]
    for count in range(shared, 1, -1):
        start, other_start = words[-count].start(), others[-count].start()
        before = src[max(0, start - _END_CHARS) : start], tgt[max(0, other_start - _END_CHARS) : other_start]
        joined = len(joined_ends) - bisect_right(joined_ends, start)
        is_half = 2 * count >= min(len(words), len(others)) and joined >= _LEAST_HALF
        if is_half or all(map(_ENDS.search, before)):
            part = src[start:]
            is_meant = _CODE.search(part) or any(map(_QUOTES.search, before)) or _is_title(part)
            return "" if is_meant else _words_of(_QUOTED.sub(" ", part))
    return ""


def shared_start(src: str, tgt: str) -> str:
    """Four words or more at the beginning of both sides, half of a side; "" for fewer, for code, and before brackets.

    >>> shared_start("If you find any, please send us Bug reports.", "If you find any, please send us バグ報告.")
    'If you find any please send us'
    """
    words, others = (list(LETTER_RUNS.finditer(side)) for side in (src, tgt))
    shared = _count_same(words, others)
    if shared < _LEAST_START or 2 * shared < min(len(words), len(others)):
        return ""
    ends = words[shared - 1].end(), others[shared - 1].end()
    part = src[: ends[0]]
    joined = sum(len(compound.split("-")) for compound in _JOINED.findall(part))
    is_command = part.count(";") > 1 or 2 * joined >= shared
    is_meant = is_command or _is_title(part) or _CODE.search(part)
    is_meant = is_meant or _GLOSS.match(src, ends[0]) or _GLOSS.match(tgt, ends[1])
    return "" if is_meant else _words_of(part)


def _is_title(part: str) -> bool:
    """Whether a part is a name, or capitalised words with short words between them: a long title.

    >>> _is_title("Dilson Ferreira da Cruz"), _is_title("You can read the News")
    (True, False)
    """
    words = _JOINED_WORDS.findall(part)
    small = [word for word in words if word.islower()]
    if not small or is_name(words):
        return True
    are_inner = not words[0].islower() and not words[-1].islower() and max(map(len, small)) <= _MOST_INNER
    return are_inner and len(words) - len(small) >= _LEAST_TITLE


def _count_same(words: Sequence[re.Match[str]], others: Sequence[re.Match[str]]) -> int:
    """Number of words that are the same, but for case, up to the first difference."""
    are_same = (mine[0].casefold() == its[0].casefold() for mine, its in zip(words, others, strict=False))
    return sum(takewhile(bool, are_same))


def _words_of(part: str) -> str:
    return " ".join(LETTER_RUNS.findall(part))


def _lacks_a_script(label: str, langs: tuple[str, str]) -> bool:
    """Whether a label is no name and has no letter in the scripts of one of the languages."""
    texts = pa.array([label])
    return _is_prose(label) and any(lacks_own_script(texts, lang)[0] for lang in langs)


def is_foreign(part: str, *langs: str) -> bool:
    """Whether the words of a part are surely in another language than one of ``langs`` (BCP 47).

    >>> is_foreign("this is the use of links", "en", "ar"), is_foreign("This Is The Use Of Links", "en", "ar")
    (True, False)
    """
    if not _is_prose(part):
        return False
    chances = _chances(part)
    best = max(chances, key=lambda lang: (chances[lang], lang))
    is_of_all = best == NO_LANGUAGE or (best == LATIN and not is_placeholder(part))
    if is_of_all or chances[best] < LEAST_COPIED_CHANCE:
        return False
    own = (language_of(lang) for lang in langs)
    # A language unknown to the identifier is never ruled out.
    return any(chances[best] > COPIED_TIMES * chances.get(lang, 1.0) and not are_close(lang, best) for lang in own)


def _is_prose(part: str) -> bool:
    """Whether words are long enough for codes and signs, and not all names: those have capitals."""
    words = part.split()
    is_long = len(part) >= LEAST_COPIED_CHARS and sum(map(len, words)) >= LEAST_MEAN_LETTERS * len(words)
    return is_long and any(word[0].islower() for word in words)


@lru_cache(maxsize=4096)
def _chances(part: str) -> dict[str, float]:
    return probabilities(part)
