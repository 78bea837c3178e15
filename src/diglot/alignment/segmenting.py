"""Text -> sentences in any language: by yasbd for the languages of yasbd, by sentencex for the rest."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import accumulate, pairwise

from diglot.alignment.sentence_ends import Rule
from diglot.records import BlockKind
from diglot.words import JOINED_WITHOUT_BLANK, has_no_case, is_small

ALWAYS_WHOLE = frozenset((BlockKind.TITLE, BlockKind.CONTROL))
"""Kinds of block never split into sentences, at any length."""
WHOLE_IF_SHORT = frozenset(
    (BlockKind.HEADING, BlockKind.LIST_ITEM, BlockKind.TABLE_CELL, BlockKind.CAPTION, BlockKind.PREFORMATTED)
)
"""Kinds of block not split up to ``WHOLE_MAX_CHARS`` characters; longer blocks are prose and are split. Themes set
paragraphs as headings, for the size of their letters."""
WHOLE_MAX_CHARS = 200

WINDOW_CHARS = 1_000
"""Window in which a text is split: both splitters take quadratic time on some texts."""

MAX_SENTENCE_CHARS = 20_000
"""A longer stretch is cut, at a blank if there is one: no sentence is so long, and rules on segments would be slow."""

_KNOWN_TEXTS = 1 << 14
"""Texts kept with their sentences: text common to many pages of a site is split once."""

_LIKE = {"nb": "da", "nn": "da", "no": "da", "yue": "zh", "wuu": "zh", "mo": "ro", "prs": "fa", "in": "id"}
"""Languages unknown to yasbd -> a known language with the same marks and similar abbreviations."""

_ORDINAL_LANGUAGES = {
    *("bs", "cs", "da", "de", "dsb", "et", "eu", "fi", "fo", "hr", "hsb", "hu"),
    *("is", "lb", "lv", "nb", "nn", "no", "pl", "sh", "sk", "sl", "sr", "tr"),
}
"""Languages with ordinals of digits and a full stop: before nouns ("2. Versuch"), before names ("6. Uluslararası
Kongre")."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_UNSPACED_PAIR = re.compile(f"[{JOINED_WITHOUT_BLANK}]{{2}}")
_SEARCH_CHARS = 40
"""Characters before and after a boundary given to the repairs."""
_INITIAL = re.compile(r"(?:^|[\s.(\[\"'’«„“])[^\W\d_]\.\s*$")
_NAME = re.compile(r"[^\W\d_]\. ?[^\W\d_]")
"""An initial and the beginning of the next, or of the name."""
_FIRST_INITIALS = re.compile(r"(?:^|[,;:(\[«„“–—-] ?)(?:[^\W\d_]\. ?){1,3}$")
"""Initials where a name begins. Behind a word a letter may end a sentence: *Team A.*, *vitamin C.*, *the U.S.A.*"""
_NAMED = re.compile(r"(?<![^\W_])[^\W\d_]\. ?([^\W\d_][\w'’-]*)(?: ([^\W\d_][\w'’-]*))?,$")
"""A name of one or two words behind its initials, in a list of names."""
_LETTERED = re.compile(r"(?:^|[,:] )([^\W\d_])\. ?[^\W\d_]")
"""The beginning of a name, or of an item with the letter as its mark."""
LEAST_LETTERED = 3
"""Least items of a list marked A, B, C; two authors may well be A. Smith and B. Jones."""
_NUMBER = re.compile(r"(?:^|\s)\d{1,2}\.\s*$")

_SHORT_WORD = re.compile(r"(?<![^\W_])([^\W\d_]{1,3})\.$")
"""A word of up to three letters. Before a number it is an abbreviation, unless in capitals: "čl. 5", "D.Lgs. 196".
Few sentences end in such a word before a sentence that begins with a number."""
_AND_FOLLOWING = re.compile(r"(?<![^\W_])\d+\s?(?:ff|et seq|sqq)\.$")
"""The end of a reference to a page or an article and those behind it: *Art. 44 ff. DSGVO*. One behind it, *S. 12 f.*,
looks like the name of a figure."""
_COUNTED = re.compile(r"(?!\d{4}(?![\d/])|\d+(?:[.,]\d+)?\s?%)\d")
"""A number, but no year and no percentage: sentences begin with these."""
_INTRODUCING = {
    **dict.fromkeys(("bs", "hr", "sh", "sl", "sr"), frozenset(("npr.", "tj.", "tzv.", "нпр.", "тј.", "тзв."))),
    "bg": frozenset(("напр.",)),
    "de": frozenset(("vgl.",)),
    "fi": frozenset(("ks.",)),
    "hu": frozenset(("ld.", "ún.")),
    "sk": frozenset(("napr.", "tzv.")),
    "uk": frozenset(("напр.",)),
}
"""Abbreviations unknown to the splitters for "see", "so-called" and "such as", by language: no sentence ends there."""

_DATE = re.compile(r"(?<!\d)(?:\d{1,2}\. ?\d{1,2}\. ?\d{4}|\d{4}\. ?\d{1,2}\. ?\d{1,2}(?=\.))(?!\d)")
"""A date with blanks: "15. 9. 2015" in Czech, Croatian, Norwegian, "2015. 9. 15." in Hungarian and Korean."""
_DATE_CHARS = 12
"""Characters of a date."""
_CLOSING = re.compile(r"\s*(?:[»”)\]](?!\w)[.,;:!?…]{0,3}\s*){1,3}")
"""Closing marks behind a boundary, as behind the blank of French: *Oui. »*. A mark before a letter opens: *»Ja«*. Their
number is bounded, as hostile text has nothing else."""
_OPENING = re.compile(r"(?<=\s)[“„«](?=\w)")
"""An opening mark: behind a blank, before a word."""
_NO_BEGINNING = frozenset(",;:，；：、")
"""Marks that begin no sentence."""

_MISSED_END = re.compile("[\u17d4\u17d5] *")
"""Khmer full stops, unknown to sentencex."""
_NOTE = r"\[(?:[a-z]|(?:[^\W\d_]{1,5} )?\d{1,3}(?:[,–-] ?\d{1,3}){0,5})\]"
_REFERENCES = re.compile(rf"(?<=[.!?…。！？।؟۔»”\"')])(?: ?{_NOTE})+")
"""Numbers or letters of notes behind the end of a sentence, to which they belong: *the end.[15][a] Next*."""
_NUMBERED = re.compile(_NOTE)
"""A text that begins with a number in brackets is a list of notes or sources, whose numbers begin its sentences."""
_TELEPHONE = re.compile(r"\+ ?\d[\d ()/.-]{5}")
"""The beginning of a telephone number with the code of its country."""
_LONG_NUMBER = re.compile(r"\d(?:[ ()/.-]{0,2}\d){5}")
"""The beginning of a number of six digits or more, as telephones have: no year, hour or count."""
_LABEL_BEFORE_NUMBER = re.compile(r"(?:^|[|·•/,;:(–—-] ?)[^\W\d_]{4}\.$")
"""An abbreviation of four letters where a part of a line begins: *Hotel Roma · Cell. 347*. For shorter ones see
:data:`_SHORT_WORD`."""

Splitter = Callable[[str], list[int]]
"""Text -> ends of sentences: offsets in characters, rising, the last the length of the text."""


def split_sentences(text: str, lang: str) -> list[str]:
    """Sentences of a text in a language (BCP 47); an unknown language is split at common marks.

    White space becomes single blanks, with none at the ends; no other character is changed, added or lost. Never
    raises, and returns no empty sentence; an empty text has none. Time grows linearly with the length of the text: the
    worst texts found take 20 s a MB, prose 1-2 s.
    """
    return list(_known_split(text, lang) if len(text) <= WINDOW_CHARS else _split(text, lang))


@lru_cache(maxsize=_KNOWN_TEXTS)
def _known_split(text: str, lang: str) -> tuple[str, ...]:
    return _split(text, lang)


def _split(text: str, lang: str) -> tuple[str, ...]:
    clean = " ".join(text.split())
    if not clean:
        return ()
    primary = lang.replace("_", "-").split("-")[0].lower()
    # A lone surrogate stops the splitters; one character for one keeps the offsets.
    visible = _SURROGATE.sub("\ufffd", clean)
    # yasbd finds no end before a bracket, and one behind the blank before a bracket.
    may_refer = "[" in visible and not _NUMBERED.match(visible)
    references = [found.span() for found in _REFERENCES.finditer(visible)] if may_refer else []
    plain = _REFERENCES.sub("", visible) if references else visible
    ends = sorted({_place_among_quotes(plain, end) for end in _ends_by_window(plain, _splitter(primary))[:-1]})
    kept = [end for end in ends if _is_boundary(plain, end, primary)]
    bounds = _with_cuts(clean, [0, *_behind_references(kept, references), len(clean)])
    pieces = (clean[start:end].strip() for start, end in pairwise(bounds))
    return tuple(piece for piece in pieces if piece)


def _behind_references(ends: Sequence[int], references: Sequence[tuple[int, int]]) -> list[int]:
    """Places in a text, from places in the same text without its references; an end before a reference moves behind it.

    >>> _behind_references([4, 10], [(4, 7)])  # End.[1] Next. Last
    [7, 13]
    """
    found, shift, passed = [], 0, 0
    for end in ends:
        while passed < len(references) and references[passed][0] <= end + shift:
            shift += references[passed][1] - references[passed][0]
            passed += 1
        found.append(end + shift)
    return found


def split_blocks(blocks: Sequence[str], lang: str, whole: Sequence[bool]) -> list[list[str]]:
    """Sentences of every block of a page; a ``whole`` block (a heading) is one sentence, an empty block has none."""
    return [
        _whole_block(block) if keep and block.strip() else split_sentences(block, lang)
        for block, keep in zip(blocks, whole, strict=True)
    ]


def is_whole(text: str, kind: int) -> bool:
    """Whether a block is not split into sentences."""
    return kind in ALWAYS_WHOLE or (kind in WHOLE_IF_SHORT and len(text) <= WHOLE_MAX_CHARS)


def _whole_block(block: str) -> list[str]:
    one_line = " ".join(block.split())
    return [one_line[start:end].strip() for start, end in pairwise(_with_cuts(one_line, [0, len(one_line)]))]


def _with_cuts(text: str, bounds: list[int]) -> list[int]:
    """The bounds of sentences, with further ones in sentences of more than :data:`MAX_SENTENCE_CHARS`."""
    found = bounds[:1]
    for end in bounds[1:]:
        while end - found[-1] > MAX_SENTENCE_CHARS:
            found.append(_cut_place(text, found[-1], MAX_SENTENCE_CHARS))
        found.append(end)
    return found


def _cut_place(text: str, start: int, most: int) -> int:
    """The end of a piece of at most ``most`` characters: behind a blank of its second half, if any, to tear no word."""
    stop = start + most
    blank = text.rfind(" ", stop - most // 2, stop)
    return blank + 1 if blank >= 0 else stop


def join_sentences(sentences: Sequence[str]) -> str:
    """Sentences as one text; no blank between two Chinese or Japanese characters.

    >>> join_sentences(["A b.", "C."]), join_sentences(["第一。", "第二。"])
    ('A b. C.', '第一。第二。')
    """
    text = ""
    for sentence in sentences:
        blank = " " if text and sentence and not _UNSPACED_PAIR.match(text[-1] + sentence[0]) else ""
        text += blank + sentence
    return text


def _ends_by_window(text: str, splitter: Splitter) -> list[int]:
    """Sentence ends of a text of any length; the last sentence of a window is split again with the next window."""
    ends: list[int] = []
    start = 0
    while start + WINDOW_CHARS < len(text):
        found = [start + end for end in splitter(text[start : _cut_place(text, start, WINDOW_CHARS)])]
        # The last sentence of a window may go on behind it.
        ends += found[:-1]
        start = found[-2] if len(found) > 1 else found[-1]
    return ends + [start + end for end in splitter(text[start:])]


@cache
def _splitter(primary: str) -> Splitter:
    """Splitter for a primary language subtag, kept because loading takes some 30 ms."""
    from yasbd.rules import get_supported_langs, load_rule

    known = set(get_supported_langs()) - {"auto"}
    lang = primary if primary in known else _LIKE.get(primary, "")
    if lang not in known:
        return lambda text: _sentencex_ends(text, primary)
    rule = Rule(lang, load_rule(lang, ext_registry={}))
    return lambda text: _sorted_ends(rule.ends(text), text)


def _sentencex_ends(text: str, lang: str) -> list[int]:
    import sentencex

    ends = [*accumulate(map(len, sentencex.segment(lang, text))), *(end.end() for end in _MISSED_END.finditer(text))]
    return _sorted_ends([end for end in ends if not _is_after_initial(text, end)], text)


def _is_after_initial(text: str, end: int) -> bool:
    """Whether a boundary lies between an initial and a name ("M. Dupont"), an error of sentencex."""
    before, after = text[max(0, end - _SEARCH_CHARS) : end], text[end : end + _SEARCH_CHARS].lstrip()
    return bool(_INITIAL.search(before)) and after[:1].isupper()


def _sorted_ends(ends: list[int], text: str) -> list[int]:
    """Sorted ends inside the text, and the end of the text."""
    inside = sorted({end for end in ends if 0 < end < len(text.rstrip())})
    return [*inside, len(text)]


def _place_among_quotes(text: str, end: int) -> int:
    """The place of a boundary behind closing marks, and before an opening one.

    >>> text = "Il dit : « Oui. » Puis il part."
    >>> text[: _place_among_quotes(text, 15)]
    'Il dit : « Oui. » '
    """
    if closing := _CLOSING.match(text, end):
        return closing.end()
    return end - 1 if _OPENING.match(text, end - 1) else end


def _is_boundary(text: str, end: int, primary: str) -> bool:
    """Whether to keep a boundary; known errors of the splitters are undone."""
    before, after = text[max(0, end - _SEARCH_CHARS) : end].rstrip(), text[end : end + _SEARCH_CHARS].lstrip()
    if not before or not after:
        return False
    # yasbd ends a Thai sentence behind some words, also where these letters begin another word: คะ in คะแนน.
    if _is_in_word(text[end - 1]) and text[end] not in " \u200b" and unicodedata.category(text[end]) != "So":
        return False
    # A quotation inside a sentence: "「行きます。」と彼は言った。"
    if primary == "ja" and before[-1] in "」』" and after.startswith(("と", "って", "という")):
        return False
    if after[0] in _NO_BEGINNING or (before[-1] in "»”" and is_small(after[0])):  # "« Oui ! » dit-il"
        return False
    if _is_in_names(before, after):
        return False
    if before[-1] != ".":
        return True
    if (before[-2:-1].isdigit() and _is_in_date(text, end)) or _is_abbreviation(before, after, primary):
        return False
    if is_small(after[0]) or after[0] in "ºª°":  # "т. е.", "2. kerran", "2.º año"
        return False
    # "2. Versuch", but "Seite 2. Der ..." is joined as well: an ordinal is more frequent, and two sentences in one
    # segment still translate each other, where half a sentence does not.
    is_ordinal = primary in _ORDINAL_LANGUAGES and _NUMBER.search(before)
    return not (is_ordinal and (after[0].isalnum() or after[0] in "–-("))  # "3. 4. – 5. 6. 2015", "a 3. (C) húrt"


def _is_in_word(char: str) -> bool:
    """Whether a character is a letter, a digit, or a sign that stands on a letter."""
    return char.isalnum() or unicodedata.category(char) in ("Mn", "Mc")


def _is_in_names(before: str, after: str) -> bool:
    """Whether a boundary lies between the initials of a name, or before the next name: "А. В. Бабаев, Г. Т. Замана".

    yasbd takes initials for the marks of a list.
    """
    if not _NAME.match(after):
        return False
    if before[-1] == ",":
        named = _NAMED.search(before)
        is_name = named is not None and not any(is_small(word[0]) for word in named.groups("") if word)
        return is_name and not _are_in_turn(_LETTERED.findall(f"{before} {after}"))
    return _FIRST_INITIALS.search(before) is not None


def _are_in_turn(letters: Sequence[str]) -> bool:
    """Whether each letter is the next of the alphabet, for some letters in a row: the marks of a list."""
    row = 1
    for letter, following in pairwise(letters):
        row = row + 1 if ord(following) == ord(letter) + 1 else 1
        if row == LEAST_LETTERED:
            return True
    return False


def _is_abbreviation(before: str, after: str, primary: str) -> bool:
    """Whether the full stop at the end of ``before`` is of an abbreviation unknown to the splitters."""
    short = _SHORT_WORD.search(before) if _COUNTED.match(after) else None
    # Words of a script without case are no abbreviations: "합니다."
    if short and short[1][1:] == short[1][1:].lower() and not has_no_case(short[1][0]):
        return True
    is_label = _LONG_NUMBER.match(after) and _LABEL_BEFORE_NUMBER.search(before) and not has_no_case(before[-2])
    if _TELEPHONE.match(after) or is_label:
        return True
    if after.startswith("D.") and before.endswith("Ph."):
        return True
    word = before.rpartition(" ")[2].lstrip("(„“").lower()
    return word in _INTRODUCING.get(primary, ()) or _AND_FOLLOWING.search(before) is not None


def _is_in_date(text: str, end: int) -> bool:
    dates = _DATE.finditer(text, max(0, end - _DATE_CHARS), end + _DATE_CHARS)
    return any(date.start() < end < date.end() for date in dates)
