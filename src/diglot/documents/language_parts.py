"""A document with the same text in several languages -> a document for each language.

Law and administration publish them, with the languages side by side in columns or tables, or one after the other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from diglot.documents.blocks import ReadDocument
from diglot.documents.language import UNDETERMINED, identify, probabilities
from diglot.documents.language_tags import are_close, is_language, language_of
from diglot.errors import UnreadableDocument

LONG_LETTERS = 60
"""Least letters of a long block, whose language counts for the languages of the document."""
LEAST_LETTERS, LEAST_BLOCKS = 600, 4
"""Least letters and number of the long blocks of a language: less is a quotation or a summary."""
LEAST_SHARE = 0.5
"""Least text of a language, as a share of the language with most text: quotations are shorter than translations."""
COVERED = 0.85
"""Least share of the text of long blocks in the languages of a split document; some blocks are misread."""
LIKELIER = 3.0
"""Least ratio of the probability of a block's language to that of any other language of the document."""
MIXED_SHARE = 0.25
"""Most text in blocks with halves in two languages, as a share; with more the layout was read wrongly."""
HALF_LETTERS = 60
"""Least letters of such a half."""
ENOUGH_NUMBERS, SHARED_NUMBERS = 8, 0.5
"""Least numbers of a part to compare (years, amounts, articles), and least share of them in all parts."""
LENGTH_RATIO, FITTING_SHARE = 2.2, 0.75
"""Largest ratio of the lengths of a text and its translation, and least share of the text within this ratio."""
_NUMBER = re.compile(r"\d{2,}")
_MARK = "#lang="
IDEOGRAPH = 2.5
"""Letters of an alphabet in place of one ideograph."""


def language_address(url: str, lang: str) -> str:
    """Address of the part of a document in one language.

    >>> language_address("https://a.example/law.pdf", "fr"), document_address("https://a.example/law.pdf#lang=fr")
    ('https://a.example/law.pdf#lang=fr', 'https://a.example/law.pdf')
    """
    return f"{url}{_MARK}{lang}"


def document_address(url: str) -> str:
    """Address of the whole document of a part."""
    return url.partition(_MARK)[0]


def parts_by_language(document: ReadDocument) -> list[ReadDocument]:
    """The document, or a part for each of its languages, each with its ``lang``; all blocks keep order and page.

    Blocks that say nothing of their language, such as numbers, go to all parts. Raises :class:`UnreadableDocument` with
    the reason ``several_languages`` where paragraphs hold more than one language, so that no part would be whole.
    """
    langs = languages_of_text(block.text for block in document.blocks)
    if len(langs) < 2:
        return [document]
    texts = [block.text for block in document.blocks]
    mixed = sum(_weight(text) for text in texts if _is_mixed(text, langs))
    if mixed > MIXED_SHARE * sum(map(_weight, texts)):
        raise UnreadableDocument("several_languages", f"{', '.join(langs)} in the same paragraphs")
    owners = [_owner(text, langs) for text in texts]
    if not _correspond(texts, owners, langs):
        return [document]
    return [
        replace(
            document,
            blocks=tuple(block for block, owner in zip(document.blocks, owners, strict=True) if owner in ("", lang)),
            title="",
            lang=lang,
        )
        for lang in langs
    ]


def _correspond(texts: Sequence[str], owners: Sequence[str], langs: Sequence[str]) -> bool:
    """Whether the parts may be translations of each other, and not the two halves of a half-translated document.

    At least half of their numbers must be the same, if there are enough numbers. Most text must stand in stretches with
    all languages, about as long in each.
    """
    numbers = [
        Counter(
            number
            for text, owner in zip(texts, owners, strict=True)
            if owner == lang
            for number in _NUMBER.findall(text)
        )
        for lang in langs
    ]
    most = max(counts.total() for counts in numbers)
    if most >= ENOUGH_NUMBERS:
        shared = numbers[0]
        for counts in numbers[1:]:
            shared &= counts
        if shared.total() < SHARED_NUMBERS * most:
            return False
    total = fits = 0.0
    for group in _groups(texts, owners):
        weight = sum(group.values())
        total += weight
        if len(group) == len(langs) and max(group.values()) <= LENGTH_RATIO * min(group.values()):
            fits += weight
    return fits >= FITTING_SHARE * total


def _groups(texts: Sequence[str], owners: Sequence[str]) -> Iterator[dict[str, float]]:
    """Letters of each language in long blocks, by stretch; a stretch ends where a language comes a second time."""
    group: dict[str, float] = {}
    last = ""
    for text, owner in zip(texts, owners, strict=True):
        weight = _weight(text) if owner else 0.0
        if weight < LONG_LETTERS:
            continue
        if owner != last and owner in group:
            yield group
            group = {}
        group[owner] = group.get(owner, 0.0) + weight
        last = owner
    yield group


def _weight(text: str) -> float:
    """Length of a text in letters; an ideograph counts as :data:`IDEOGRAPH` letters."""
    return sum(IDEOGRAPH if "\u3040" <= letter <= "\u9fff" else 1.0 for letter in text if letter.isalpha())


def _language_of_block(text: str) -> str:
    """The primary language of a long block, "" for a short one."""
    return language_of(identify(text)[0]) if _weight(text) >= LONG_LETTERS else ""


def languages_of_text(texts: Iterable[str]) -> list[str]:
    """Primary subtags of the main languages of a document, by first block; [] if they cover too little of its text.

    ``texts``: texts of the blocks in order.
    """
    weights: dict[str, float] = {}
    counts: Counter[str] = Counter()
    for text in texts:
        lang = _language_of_block(text)
        if is_language(lang) and lang != UNDETERMINED:
            # Languages too close to tell apart are one: the first that was found.
            lang = next((other for other in weights if are_close(lang, other)), lang)
            weights[lang] = weights.get(lang, 0.0) + _weight(text)
            counts[lang] += 1
    least = max(LEAST_SHARE * max(weights.values(), default=0.0), LEAST_LETTERS)
    langs = [lang for lang, weight in weights.items() if weight >= least and counts[lang] >= LEAST_BLOCKS]
    return langs if sum(weights[lang] for lang in langs) >= COVERED * sum(weights.values()) else []


def _owner(text: str, langs: Sequence[str]) -> str:
    """Language of a block among the languages of the document; "" where no language is clearly likelier."""
    ranking = _ranking(text, langs)
    if not ranking or ranking[0][1] < LIKELIER * ranking[1][1]:
        return ""
    return ranking[0][0]


def _ranking(text: str, langs: Sequence[str]) -> list[tuple[str, float]]:
    chances: Mapping[str, float] = probabilities(text, frozenset(langs)) if _weight(text) > 0 else {}
    return sorted(chances.items(), key=lambda each: -each[1]) if len(chances) > 1 else []


def _is_mixed(text: str, langs: Sequence[str]) -> bool:
    """Whether the two halves of a block are in two of the languages."""
    middle = text.find(" ", len(text) // 2)
    halves = (text[:middle], text[middle:]) if middle > 0 else ()
    if not halves or any(_weight(half) < HALF_LETTERS for half in halves):
        return False
    first, second = (_owner(half, langs) for half in halves)
    return bool(first and second and first != second)
