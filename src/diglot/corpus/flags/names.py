"""Names that one side of a segment has and the other lacks, told from words that are translated by how they recur."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from anyascii import anyascii
from rapidfuzz import process
from rapidfuzz.distance import Indel

from diglot.arrays import Floats, Ints, Mask

LEAST_LETTERS = 3
SAMPLE_ROWS = 1_000
"""Rows that tell the script of a side."""
KINDS = 8
STARTS, CAPITALS, SMALL = 4, 2, 1
"""Kinds of names, sums of: it begins a sentence, is all capitals, is also written small on the site."""

_LAST_LATIN = "\u024f"
_KATAKANA = "\u30a1-\u30fa\u30fc"
_WORD = re.compile(
    rf"[A-Za-z\u00c0-{_LAST_LATIN}]{{3,}}|[{_KATAKANA}]{{3,}}|[^\W\d_A-Za-z\u00c0-{_LAST_LATIN}{_KATAKANA}]{{3,}}"
)
_FOREIGN = re.compile(f"[A-Za-z\u00c0-{_LAST_LATIN}{_KATAKANA}]")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;。…])[\W_]*$")
_NOT_ASCII_LETTER = re.compile("[^a-z]")
_CONTEXT_CHARS = 8


@dataclass(frozen=True, slots=True)
class Words:
    """Distinct words of each text, as numbers of their romanised forms, by row and then by number.

    ``rows`` and ``keys`` of shape (words,); ``is_name`` says which may be names and ``kinds`` (0 to 7) of what
    kind; ``before`` and ``after`` are the keys of the words beside it in the text, -1 at its ends, and ``places`` go
    from 0, its first word, to 1, its last. The words of row r are those from ``starts[r]`` to ``starts[r + 1]``.
    """

    rows: Ints
    keys: Ints
    is_name: Mask
    kinds: Ints
    before: Ints
    after: Ints
    places: Floats
    starts: Ints


def is_latin(texts: Sequence[str]) -> bool:
    """Whether most letters of the first texts are Latin."""
    letters = [char for char in "".join(texts[:SAMPLE_ROWS]) if char.isalpha()]
    return 2 * sum(char <= _LAST_LATIN for char in letters) > len(letters)


def read_words(texts: Sequence[str], numbers: dict[str, int]) -> Words:
    """Words of the texts of one side; romanised forms that are new get the next of ``numbers``.

    A name begins with a capital, and is not a common word that only begins a sentence. In a script without
    capitals it is a word in Latin letters or katakana.
    """
    found = [list(dict.fromkeys(words)) for words in map(_WORD.findall, texts)]
    vocabulary = {word: number for number, word in enumerate(dict.fromkeys(chain.from_iterable(found)))}
    word = np.fromiter(map(vocabulary.__getitem__, chain.from_iterable(found)), np.int64)
    rows = np.repeat(np.arange(len(texts)), list(map(len, found)))
    keys, may_be_name, kinds = _of_vocabulary(list(vocabulary), numbers, has_case=_has_case(texts))
    starting = np.zeros(len(word), bool)
    candidates = np.flatnonzero(may_be_name[word])
    spelt = list(vocabulary)
    starting[candidates] = [
        _starts_sentence(texts[row], spelt[number])
        for row, number in zip(rows[candidates].tolist(), word[candidates].tolist(), strict=True)
    ]
    is_name = may_be_name[word] & ~(starting & (kinds[word] & SMALL > 0))
    before, after, places = _surroundings(rows, keys[word])
    kinds = kinds[word] + STARTS * starting
    return _distinct(
        rows, len(texts), keys=keys[word], is_name=is_name, kinds=kinds, before=before, after=after, places=places
    )


def _starts_sentence(text: str, word: str) -> bool:
    place = text.find(word)
    return place == 0 or _SENTENCE_START.search(text[max(0, place - _CONTEXT_CHARS) : place]) is not None


def _has_case(texts: Sequence[str]) -> bool:
    sample = "".join(texts[:SAMPLE_ROWS])
    return 2 * sum(char.islower() or char.isupper() for char in sample) >= sum(map(str.isalpha, sample))


def _of_vocabulary(words: list[str], numbers: dict[str, int], *, has_case: bool) -> tuple[Ints, Mask, Ints]:
    """Number of the romanised form, whether it may be a name, and kind without place, of each word."""
    romanised = list(map(_romanised, words))
    keys = np.array([numbers.setdefault(form, len(numbers)) for form in romanised], np.int64)
    named = [word[0].isupper() if has_case else _FOREIGN.match(word) is not None for word in words]
    long = [len(form) >= LEAST_LETTERS for form in romanised]
    small = {word for word in words if word.islower()} if has_case else set()
    kinds = [CAPITALS * word.isupper() + SMALL * (word.lower() in small) for word in words]
    return keys, np.array(named, bool) & np.array(long, bool), np.array(kinds, np.int64)


def _surroundings(rows: Ints, keys: Ints) -> tuple[Ints, Ints, Floats]:
    """Keys before and after each word of a text, -1 at its ends, and its place from 0 to 1."""
    first, last = np.searchsorted(rows, rows), np.searchsorted(rows, rows, side="right") - 1
    numbers = np.arange(len(rows))
    before = np.where(numbers > first, np.roll(keys, 1), -1)
    after = np.where(numbers < last, np.roll(keys, -1), -1)
    return before, after, (numbers - first) / np.maximum(last - first, 1)


def _distinct(rows: Ints, count: int, **of_words: npt.NDArray[Any]) -> Words:
    """One word of each key and row, a name if there is one; ``of_words`` as in :class:`Words`, ``count`` rows."""
    order = np.lexsort((~of_words["is_name"], of_words["keys"], rows))
    rows, keys = rows[order], of_words["keys"][order]
    first = np.ones(len(order), bool)
    first[1:] = (rows[1:] != rows[:-1]) | (keys[1:] != keys[:-1])
    starts = np.searchsorted(rows[first], np.arange(count + 1))
    return Words(rows=rows[first], starts=starts, **{name: values[order[first]] for name, values in of_words.items()})


@lru_cache(maxsize=1 << 18)
def _romanised(word: str) -> str:
    return _NOT_ASCII_LETTER.sub("", anyascii(word).lower())


LIKE = 0.72
LIKE_SKELETON = 0.8
"""Indel similarity of two romanised words, or of their consonants, from which one may be the other."""
STEM_CHARS, ENDING_CHARS = 4, 4
"""Words with the same first letters are alike if their lengths differ by no more than an ending, nor by more than
half of the shorter."""
LEAST_CONSONANTS = 3
_VOWELS = re.compile("[aeiouyw]")


def are_like(left: Ints, right: Ints, forms: Sequence[str], *, across: bool) -> Mask:
    """Whether the words of each pair may be one name, of shape (pairs,); ``left`` and ``right`` number ``forms``.

    ``across``: the two sides have different scripts, of which one may not write the vowels. Each distinct pair
    is compared once.
    """
    pairs, of_pair = np.unique(left * len(forms) + right, return_inverse=True)
    left, right = np.divmod(pairs, len(forms))
    like = _same_stem(left, right, forms) | _similar(left, right, forms, LIKE)
    if across:
        skeletons = [_VOWELS.sub("", form) for form in forms]
        like |= _similar(left, right, skeletons, LIKE_SKELETON, least=LEAST_CONSONANTS)
    return np.asarray(like[of_pair], bool)


def _same_stem(left: Ints, right: Ints, forms: Sequence[str]) -> Mask:
    stems: dict[str, int] = {}
    stem = np.array([stems.setdefault(form[:STEM_CHARS], len(stems)) for form in forms], np.int64)
    chars = np.array(list(map(len, forms)), np.int64)
    short = np.minimum(chars[left], chars[right])
    ending = np.abs(chars[left] - chars[right])
    return np.asarray(
        (stem[left] == stem[right]) & (short >= STEM_CHARS) & (ending <= np.minimum(ENDING_CHARS, short // 2))
    )


def _similar(left: Ints, right: Ints, forms: Sequence[str], cutoff: float, *, least: int = 1) -> Mask:
    """Pairs whose Indel similarity, 2 * common / sum of lengths, reaches ``cutoff``."""
    chars = np.array(list(map(len, forms)), np.int64)
    short = np.minimum(chars[left], chars[right])
    similar = np.asarray((short >= least) & (2 * short >= cutoff * (chars[left] + chars[right])))
    rows = np.flatnonzero(similar)
    names, words = ([forms[number] for number in side[rows].tolist()] for side in (left, right))
    scores = process.cpdist(names, words, scorer=Indel.normalized_similarity, score_cutoff=cutoff)
    similar[rows] = scores >= cutoff
    return similar


LEAST_TOGETHER = 2
LEAST_OF_NAME, LEAST_OF_WORD = 0.3, 0.1
"""A word translates a name if it stands beside at least this share of the rows where nothing else does, and they
are at least this share of its own rows."""
LEAST_EVIDENCE = 15.0
"""Log-likelihood ratio (Dunning 1993, -2 log lambda) from which that is no accident: one in 10,000."""


class Unmatched(NamedTuple):
    """Names that the other side does not hold as they are, shape (names,): places in the words of their side in order,
    and whether another word there may stand for them all the same."""

    names: Ints
    explained: Mask


def unmatched(mine: Words, other: Words, forms: list[str], *, across: bool) -> Unmatched:
    """The names of ``mine`` that their rows of ``other`` do not hold; ``across``: the sides have different scripts.

    A word that both sides hold stands for itself and for no other name.
    """
    here, there = (side.rows * len(forms) + side.keys for side in (mine, other))
    names = np.flatnonzero(mine.is_name & ~_is_among(here, there))
    free = ~_is_among(there, here)
    words, starts = other.keys[free], np.append(0, np.cumsum(free))[other.starts]
    name, word = beside(mine.rows[names], starts)
    like = are_like(mine.keys[names[name]], words[word], forms, across=across)
    alone = np.delete(names, name[like])
    name, word = beside(mine.rows[alone], starts)
    translated = _translates(mine.keys[alone], name, words, word, len(starts) - 1)
    alone = np.delete(alone, name[translated])
    return Unmatched(names, ~np.isin(names, alone))


def beside(rows: Ints, starts: Ints) -> tuple[Ints, Ints]:
    """Each row in turn with every member of the other side in it: place in ``rows``, place of the member.

    The members of row r are those from ``starts[r]`` to ``starts[r + 1]``.
    """
    counts = starts[rows + 1] - starts[rows]
    place = np.repeat(np.arange(len(rows)), counts)
    within = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
    return place, within + starts[rows][place]


def _is_among(values: Ints, ordered: Ints) -> Mask:
    places = np.searchsorted(ordered, values)
    return np.asarray(np.append(ordered, -1)[places] == values)


def _translates(names: Ints, name: Ints, words: Ints, word: Ints, row_count: int) -> Mask:
    """Whether the word of each pair, a ``name`` and a ``word`` of one row, often stands where the name does."""
    key_count = 1 + int(max(names.max(initial=0), words.max(initial=0)))
    pairs, of_pair, together = np.unique(names[name] * key_count + words[word], return_inverse=True, return_counts=True)
    of_name = np.bincount(names, minlength=key_count)[pairs // key_count]
    of_word = np.bincount(words, minlength=key_count)[pairs % key_count]
    often = (together >= LEAST_TOGETHER) & (together >= LEAST_OF_NAME * of_name) & (together >= LEAST_OF_WORD * of_word)
    often &= together * row_count > of_name * of_word
    rows = np.flatnonzero(often)
    often[rows] = _log_likelihood_ratio(together[rows], of_name[rows], of_word[rows], row_count) >= LEAST_EVIDENCE
    return np.asarray(often[of_pair])


def _log_likelihood_ratio(together: Ints, one: Ints, two: Ints, rows: int) -> Floats:
    """Dunning 1993 for counts of rows: -2 log lambda of independence, 0 where they are independent."""
    cells = (together, one - together, two - together, rows - one - two + together)
    margins = (one, rows - one, two, rows - two)
    joint = sum(map(_times_log, cells), start=_times_log(np.full(len(one), rows)))
    return np.asarray(2 * (joint - sum(map(_times_log, margins), start=np.zeros(len(one)))))


def _times_log(counts: Ints) -> Floats:
    return np.asarray(counts * np.log(np.maximum(counts, 1)))


LEAST_ROWS = 50
"""Rows from which a language pair says how names behave in it."""
PRIOR_ROWS = 2.0
"""Weight, in rows, of what words of a kind do beside what the word itself does."""
RARE_ROWS = 3
"""Words in at most so many rows tell what rare words of a kind do."""
MOST_CHANCE = 0.8
"""A name that lacks a partner in more than this share of its rows says nothing where it lacks one."""
LEAST_SUSPICION = 0.5
"""Log odds, up to a constant, from which a row is flagged: on most sites about 99 in 100 sound rows are below it."""
MOST_SHARE = 0.01
"""Of more rows than this share, only the most suspect are flagged."""

# Log odds, rounded, of logistic regressions on names replaced at random in nine runs: five sites, five language pairs.
# A third more or less of any of them hardly changes what is found.
ONE_SIDED = -3.0
EXPLAINED, DOUBTFUL, RARE = -1.0, -1.0, -1.0
"""Of a name that a word may stand for; that begins a sentence or is also written small, each; that is in one row, in
n rows an n-th of it."""
SAME_NEIGHBOUR = 1.5
PLACE_APART = -2.0
"""Of a name at one end of the text beside one at the other end, less in proportion."""
FREE = -1.5
"""Times the logarithm of 1 + other names that unexpectedly lack a partner: the row is translated freely."""


class Lone(NamedTuple):
    """Names without partner in order of rows, arrays of shape (names,).

    Place among the words of their side, row, how unexpected it is as log odds, and what it says, from 0 to 1, of how
    freely the row is translated.
    """

    words: Ints
    rows: Ints
    weights: Floats
    freedom: Floats


def differing_names(src: Sequence[str], tgt: Sequence[str]) -> Mask:
    """Rows whose two sides name something different, shape (rows,).

    Give distinct rows of one language pair that nothing else speaks against: all of them are evidence.
    """
    if len(src) < LEAST_ROWS:
        return np.zeros(len(src), bool)
    scores = suspicion(src, tgt)
    return np.asarray((scores >= LEAST_SUSPICION) & (scores > np.quantile(scores, 1 - MOST_SHARE, method="lower")))


def suspicion(src: Sequence[str], tgt: Sequence[str]) -> Floats:
    """Log odds, up to a constant, that a name was replaced in each row, shape (rows,); -inf where none lacks a partner.

    Of all pairs of names without partner that are not alike, and of all single ones, the most suspect counts.
    """
    numbers: dict[str, int] = {}
    one, two = read_words(src, numbers), read_words(tgt, numbers)
    forms = list(numbers)
    across = is_latin(src) != is_latin(tgt)
    left, right = (_lone(*sides, forms, across=across) for sides in ((one, two), (two, one)))
    scores = np.full(len(src), -np.inf)
    free = np.bincount(left.rows, left.freedom, len(src)) + np.bincount(right.rows, right.freedom, len(src))
    for side in (left, right):
        others = free[side.rows] - side.freedom
        np.maximum.at(scores, side.rows, side.weights + ONE_SIDED + FREE * np.log1p(others))
    x, y = beside(left.rows, np.searchsorted(right.rows, np.arange(len(src) + 1)))
    alike = are_like(one.keys[left.words[x]], two.keys[right.words[y]], forms, across=across)
    x, y = x[~alike], y[~alike]
    others = np.maximum(0, free[left.rows[x]] - left.freedom[x] - right.freedom[y])
    fit = _fit(one, left.words[x], two, right.words[y])
    np.maximum.at(scores, left.rows[x], left.weights[x] + right.weights[y] + fit + FREE * np.log1p(others))
    return scores


def _fit(one: Words, x: Ints, two: Words, y: Ints) -> Floats:
    """How well the places of two names in their texts fit, as log odds."""
    fit = PLACE_APART * np.abs(one.places[x] - two.places[y])
    for mine, other in ((one.before[x], two.before[y]), (one.after[x], two.after[y])):
        fit += SAME_NEIGHBOUR * ((mine == other) & (mine >= 0))
    return fit


def _lone(mine: Words, other: Words, forms: list[str], *, across: bool) -> Lone:
    """Names of ``mine`` that unexpectedly lack a partner, or unexpectedly have none but one that explains them."""
    names, explained = unmatched(mine, other, forms, across=across)
    chances = _chances(mine, names, len(forms))
    chances[~explained] = _chances(mine, names[~explained], len(forms))
    counts = chances <= MOST_CHANCE
    names, explained, chances = names[counts], explained[counts], chances[counts]
    kinds = mine.kinds[names]
    doubts = (kinds & STARTS > 0).astype(int) + (kinds & SMALL > 0)
    rows = np.bincount(mine.keys[mine.is_name])[mine.keys[names]]
    weights = -np.log(chances) + EXPLAINED * explained + DOUBTFUL * doubts + RARE / rows
    return Lone(names, mine.rows[names], weights, np.where(explained, 0.0, 1 - chances))


def _chances(words: Words, names: Ints, key_count: int) -> Floats:
    """Chance that each of the ``names`` is among them, as all other rows of its word, and rare words like it, are."""
    named, missing = words.keys[words.is_name], words.keys[names]
    rows, missing_rows = (np.bincount(keys, minlength=key_count) for keys in (named, missing))
    rare = rows <= RARE_ROWS
    of_kind = np.bincount(words.kinds[words.is_name][rare[named]], minlength=KINDS)
    missing_of_kind = np.bincount(words.kinds[names][rare[missing]], minlength=KINDS)
    prior = ((missing_of_kind + 1) / (of_kind + 2))[words.kinds[names]]
    return np.asarray((missing_rows[missing] - 1 + PRIOR_ROWS * prior) / (rows[missing] - 1 + PRIOR_ROWS))
