"""Sentences that keep long names of another language within: *Founded by the Javni zavod za šport Nova Gorica*."""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import groupby

from diglot.corpus.flags.foreign_by_identifier import LEAST_CHANCE
from diglot.documents.language import probabilities
from diglot.documents.language_tags import language_of
from diglot.words import LETTER_RUNS

SHARE_OF_ONE_NAME = 2
"""A single name has fewer words than this multiple of the words beside it."""
LEAST_OWN_WORDS = 3
"""Least words of a side beside the names, which tell its language. A heading in two languages has fewer."""


def translates_around_names(src: str, tgt: str, langs: tuple[str, str]) -> bool:
    """Whether each side is in its own language but for the names that both sides have.

    ``langs``: BCP 47 tags of both sides.

    >>> translates_around_names(
    ...     "The school was founded in 1820 by Javni zavod za šport Nova Gorica.",
    ...     "La escuela fue fundada en 1820 por Javni zavod za šport Nova Gorica.",
    ...     ("en", "es"),
    ... )
    True
    >>> translates_around_names("Cómo se llega · Non eta nola", "Comment venir là · Non eta nola", ("es", "fr"))
    False
    """
    sides = [LETTER_RUNS.findall(text) for text in (src, tgt)]
    lower = [{word.casefold() for word in words} for words in sides]
    shared = lower[0] & lower[1]
    return bool(shared) and all(
        _is_own_beside(words, shared, language_of(lang), language_of(other))
        for words, lang, other in zip(sides, langs, reversed(langs), strict=True)
    )


def _is_own_beside(words: Sequence[str], shared: Set[str], lang: str, other: str) -> bool:
    """Whether the words of one side alone are in its language ``lang``, and the shared words are names.

    ``other``: language of the other side.
    """
    runs = groupby(words, lambda word: word.casefold() in shared)
    names = [list(run) for is_shared, run in runs if is_shared]
    own = [word for word in words if word.casefold() not in shared]
    if len(own) < LEAST_OWN_WORDS or not all(map(_may_be_name, names)):
        return False
    long = sum(len(run) > 1 for run in names)
    # One long run beside a few words is a text in another language, such as the credit of a picture.
    if not long or (long == 1 and SHARE_OF_ONE_NAME * len(own) <= len(words) - len(own)):
        return False
    chances = probabilities(" ".join(own), {lang, other})
    # A few words leave close languages as likely as their own, and the language of an untranslated text far behind.
    return chances.get(lang, 0.0) >= max(LEAST_CHANCE, chances.get(other, 0.0))


def _may_be_name(run: Sequence[str]) -> bool:
    """Whether words on both sides may be a name, which has capitals at both ends, or a word of both languages.

    A sentence or a heading of the other language ends in small letters.
    """
    return len(run) == 1 or (run[0][0].isupper() and run[-1][0].isupper())
