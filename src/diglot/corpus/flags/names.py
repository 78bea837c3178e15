"""Texts that are names, and so the same in every language."""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import groupby

from diglot.words import LETTER_RUNS

PARTICLES = (
    "a al and ao au aux d da dal de degli dei del della delle den der des di do dos du e el en et i in l la las le les "
    "los na no of op ou sur te ten ter und v van vom von y z zu zum zur"
)
"""Small words in names of people, places and firms: *Concello de Noia*, *Les Gîtes du Siècle*, *Johann von der Aa*."""
TITLE_WORDS = "are be can do get how is it let me my there this we what when where who why you your"
"""Words of English titles, which have capitals, too, and of no name with small words: *All You Can Eat and Go*."""


def are_names(text: str, copied: Set[str]) -> bool:
    """Whether all words that a text shares with its other side are in names (:func:`is_name`), equal in every language.

    ``copied``: the shared words, in lower case.

    >>> are_names("By Ada Lovelace", {"ada", "lovelace"}), are_names("ni diru – let us say", {"ni", "diru"})
    (True, False)
    >>> are_names("Sponsored by Concello de Noia", {"concello", "de", "noia"})
    True
    >>> are_names("Posted on 9 March by Ada", {"posted", "on", "by", "ada"})
    False
    """
    words = groupby(LETTER_RUNS.findall(text), lambda word: word.casefold() in copied)
    names = [list(run) for is_copied, run in words if is_copied]
    return bool(names) and all(map(is_name, names))


def is_name(words: Sequence[str]) -> bool:
    """Whether all words begin with a capital, but for particles between them.

    >>> is_name(["Concello", "de", "Noia"]), is_name(["Comments", "off"]), is_name(["El", "museo", "Goya"])
    (True, False, False)
    >>> is_name("Sign up for the Newsletter".split()), is_name("All You Can Eat and Go".split())
    (False, False)
    """
    small = [place for place, word in enumerate(words) if not word[0].isupper()]
    if not small:
        return True
    are_inner = small[0] > 0 and small[-1] < len(words) - 1
    is_title = not {word.casefold() for word in words if word[0].isupper()}.isdisjoint(TITLE_WORDS.split())
    return are_inner and not is_title and all(words[place] in PARTICLES.split() for place in small)


def shares_a_name(text: str, other: str) -> bool:
    """Whether a text is a name, with its class perhaps, and the other side holds its words or some of them alone.

    >>> shares_a_name("Program: Microsoft Office Professional", "Microsoft Office Professional")
    True
    >>> shares_a_name("Microsoft Office Professional", "Microsoft Office Профессиональный")
    False
    """
    words = LETTER_RUNS.findall(text)
    mine, others = ({word.casefold() for word in side} for side in (words, LETTER_RUNS.findall(other)))
    return is_name(words) and bool(others) and (mine <= others or others <= mine)
