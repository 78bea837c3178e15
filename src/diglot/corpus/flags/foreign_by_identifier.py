"""Foreign texts by an identifier of languages, which errs on short texts and on names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from diglot.arrays import Ints, Mask
from diglot.corpus.flags.names import are_names, is_name
from diglot.corpus.flags.site_texts import UNSPACED, Texts, Words, have_two
from diglot.documents.language import UNDETERMINED, identify, probabilities
from diglot.documents.language_tags import are_close, language_of
from diglot.page_language.own_text import PLACEHOLDER
from diglot.words import LETTER_RUNS

LEAST_LETTERS = 40
"""Least letters of a text for the identifier, which errs on shorter texts."""
LEAST_IDEOGRAPHS = 15
LEAST_CONFIDENCE = 0.95
COMMON_WORDS = 200
"""Number of common words of a language: most sentences have one. The identifier does not read a text with two."""
OWN_RATIO = 2.0
"""Least ratio of the rate of an own word to its rate in any other language of the site."""
LEAST_TEXTS = 3
"""Least texts identified as a language without segments, for its words to be counted."""
LEAST_COPIED_CHARS, LEAST_COPIED_CHANCE, COPIED_TIMES = 12, 0.3, 30
"""Least characters of copied words for the identifier; least probability of a third language, low because close
languages share the probability; least ratio of it to the probability of either own language."""
SHORT_NAME_WORDS = 3
"""Most words, all with a capital, of a name that is as it is in Latin letters in any script: *New York Times*."""
LEAST_CHANCE = 0.1
"""Least probability of the likeliest language for a text in Latin letters. Labels have few letters, so that over a
hundred languages share it; names give any of them less: *Program: Microsoft Office*."""
_PLACEHOLDER = re.compile(PLACEHOLDER)
LATIN = "la"
"""Names of species, mottos and chants are in Latin in every language; placeholder text is in the same Latin."""


class Reading(NamedTuple):
    """Results of the identifier by text; arrays of shape (texts,)."""

    langs: tuple[str, ...]
    """Primary subtags of the languages of the texts."""
    lang: Ints
    """Row of ``langs``, and so of the languages of :meth:`classes`, which begin with ``langs``."""
    found: npt.NDArray[np.object_]
    """Primary subtag of the language surely identified; "" without one, and for texts not read yet."""
    judged: Mask
    shared: Mask
    """Texts in two languages of the site: only the identifier decides."""

    @property
    def judged_langs(self) -> list[int]:
        """Languages of the judged texts."""
        langs: list[int] = np.unique(self.lang[self.judged]).tolist()
        return langs

    def is_other(self) -> Mask:
        """Mask of texts surely in another language; not in one so close that identifiers confuse the two."""
        pairs = zip(self.found.tolist(), self.lang.tolist(), strict=True)
        return np.array([bool(name) and not are_close(name, self.langs[lang]) for name, lang in pairs], bool)

    def classes(self) -> tuple[tuple[str, ...], Ints]:
        """``langs`` and further frequent languages; for each text the place of its identified language, or -1."""
        count = Counter(self.found.tolist())
        more = sorted(name for name, texts in count.items() if texts >= LEAST_TEXTS and name not in ("", *self.langs))
        number = {name: place for place, name in enumerate((*self.langs, *more))}
        return tuple(number), np.array([number.get(name, -1) for name in self.found.tolist()], np.int64)


def is_placeholder(text: str) -> bool:
    """Whether a text has words of the usual placeholder text, which is left where nobody has written the text yet.

    >>> is_placeholder("Lorem ipsum dolor sit amet"), is_placeholder("Quercus robur")
    (True, False)
    """
    return _PLACEHOLDER.search(text) is not None


def is_in_a_third(text: str, copied: Set[str], langs: tuple[str, str]) -> bool:
    """Whether the words that a text shares with its other side are surely in neither of the two languages.

    ``copied``: the shared words, in lower case. Names (:func:`are_names`) are in no language, and Latin is in any, but
    for placeholder text.
    """
    words = [word for word in LETTER_RUNS.findall(text) if word.casefold() in copied]
    joined = " ".join(words)
    has_small = any(word[0].islower() for word in words)
    if len(joined) < LEAST_COPIED_CHARS or not has_small or are_names(text, copied):
        return False
    chances = probabilities(joined)
    own = [chances.get(language_of(lang), 1.0) for lang in langs]
    best = max(chances, key=lambda lang: (chances[lang], lang))
    is_sure = chances[best] >= LEAST_COPIED_CHANCE and chances[best] > COPIED_TIMES * max(own)
    is_of_all = best == LATIN and not is_placeholder(joined)
    return is_sure and not is_of_all and not any(are_close(language_of(lang), best) for lang in langs)


def is_of_site(text: str, langs: Sequence[str], own: str) -> bool:
    """Whether a text is likeliest in another language of the site than its own, however short, and no name."""
    words = LETTER_RUNS.findall(text)
    if is_name(words) and len(words) <= SHORT_NAME_WORDS:
        return False
    chances = probabilities(text)
    best = max(chances, key=lambda lang: (chances[lang], lang))
    return chances[best] >= LEAST_CHANCE and best in langs and not are_close(best, own)


def is_long(words: Words) -> Mask:
    """Mask of texts with enough letters or ideographs for the identifier, (texts,)."""
    unspaced = pc.match_substring_regex(words.known, UNSPACED).to_numpy(zero_copy_only=False)
    letters = np.where(unspaced, 0, pc.utf8_length(words.known).to_numpy(zero_copy_only=False))
    enough = words.totals(letters) >= LEAST_LETTERS
    return np.asarray(enough | (words.totals(unspaced.astype(np.float64)) >= LEAST_IDEOGRAPHS))


def identify_texts(texts: Texts, rows: Ints, reading: Reading) -> None:
    """Identify the languages of the texts ``rows`` that have none yet, and enter them into ``reading.found``."""
    for row in rows.tolist():
        if not reading.found[row]:
            lang, confidence = identify(texts.text[row].as_py(), texts.tags[texts.lang[row]])
            is_sure = confidence >= LEAST_CONFIDENCE and lang != UNDETERMINED
            reading.found[row] = language_of(lang) if is_sure else ""


def has_own_words(words: Words, reading: Reading) -> Mask:
    """Mask of texts with two different own words of their language."""
    classes, member = reading.classes()
    counts = words.counts(member, len(classes))
    rate = counts / np.maximum(1.0, counts.sum(axis=1, keepdims=True))
    has = np.zeros(words.texts, bool)
    for number in reading.judged_langs:
        others = np.delete(rate, number, axis=0).max(axis=0, initial=0.0)
        own = np.flatnonzero((rate[number] > OWN_RATIO * others) & (counts[number] > 1))
        common = np.zeros(len(words.known), bool)
        common[own[np.argsort(-counts[number][own], kind="stable")[:COMMON_WORDS]]] = True
        held = (reading.lang[words.text] == number) & common[words.word]
        has |= have_two(words.text[held], words.word[held], words.texts)
    return has
