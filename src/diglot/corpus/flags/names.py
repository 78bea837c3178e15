"""Names that one side of a segment has and the other lacks, told from words that are translated by how they recur.

Top to bottom: rows are flagged by how suspect they are, which follows from names without a match and how unexpected
each is; a match is the same word, one like it, or one that often stands where the name does; words in Latin letters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from anyascii import anyascii
from rapidfuzz import process
from rapidfuzz.distance import Indel

from diglot.arrays import Floats, Ints, Mask

LEAST_ROWS = 50
"""Rows from which a language pair says how names behave in it."""
LEAST_SUSPICION = 0.5
"""Log odds, up to a constant, from which a row is flagged: on most sites about 99 in 100 sound rows are below it."""
MOST_SHARE = 0.01
"""Of more rows than this share, only the most suspect are flagged."""

# Log odds, rounded, of logistic regressions on names replaced at random in nine runs: five sites, five language pairs.
# A third more or less of any of them hardly changes what is found.
ONE_SIDED = -3.0
"""Of a name without a match beside which no name of the other side lacks one."""
EXPLAINED, DOUBTFUL, RARE = -1.0, -1.0, -1.0
"""Of a name that a word may stand for; that begins a sentence or is also written small, each; that is in one row, in
n rows an n-th of it."""
SAME_NEIGHBOUR = 1.5
"""Of two names with the same word before them, and of two with the same word after them."""
PLACE_APART = -2.0
"""Of a name at one end of the text beside one at the other end, less in proportion."""
FREE = -1.5
"""Times the logarithm of 1 + other names that unexpectedly lack a match: the row is translated freely."""
MOST_CHANCE = 0.8
"""A name that lacks a match in more than this share of its rows says nothing where it lacks one."""
PRIOR_ROWS = 2.0
"""Weight, in rows, of what words of a kind do beside what the word itself does."""
RARE_ROWS = 3
"""Words in at most so many rows tell what rare words of a kind do."""
LEAST_TOGETHER, LEAST_OF_NAME, LEAST_OF_WORD = 2, 0.3, 0.1
"""A word translates a name if it stands beside at least so many, and this share, of the rows where nothing else does,
and they are at least this share of its own rows."""
LEAST_EVIDENCE = 15.0
"""Log-likelihood ratio (Dunning 1993, -2 log lambda) from which that is no accident: one in 10,000."""
LIKE, LIKE_SKELETON = 0.72, 0.8
"""Indel similarity of two words in Latin letters, or of their consonants, from which one may be the other."""
STEM_CHARS, ENDING_CHARS = 4, 4
"""Words with the same first letters are alike if their lengths differ by no more than an ending, nor by more than
half of the shorter."""
LEAST_CONSONANTS = 3
_VOWELS = re.compile("[aeiouyw]")
LEAST_NAME_LETTERS = 3
SAMPLE_ROWS = 1_000
"""Rows that tell the script of a side."""
STARTS, CAPITALS, SMALL = 4, 2, 1
"""Kinds of names, sums of: it begins a sentence, is all capitals, is also written small on the site."""
_KINDS = STARTS + CAPITALS + SMALL + 1
_LAST_LATIN = "\u024f"
_LATIN, _KATAKANA = f"A-Za-z\u00c0-{_LAST_LATIN}", "\u30a1-\u30fa\u30fc"
_WORD = re.compile(rf"[{_LATIN}]{{3,}}|[{_KATAKANA}]{{3,}}|[^\W\d_{_LATIN}{_KATAKANA}]{{3,}}")
_FOREIGN = re.compile(f"[{_LATIN}{_KATAKANA}]")
_MID_SENTENCE = re.compile(r"[^\W_](?:[^\w.!?:;。…]|_)*$")
"""Ends in a letter or digit that no end of a sentence follows."""
_CONTEXT_CHARS = 8
_NOT_ASCII_LETTER = re.compile("[^a-z]")


def differing_names(src: Sequence[str], tgt: Sequence[str]) -> Mask:
    """Rows whose two sides name something different, shape (rows,).

    Give distinct rows of one language pair that nothing else speaks against: all of them are evidence.
    """
    if len(src) < LEAST_ROWS:
        return np.zeros(len(src), bool)
    scores = suspicion(src, tgt)
    return np.asarray((scores >= LEAST_SUSPICION) & (scores > np.quantile(scores, 1 - MOST_SHARE, method="lower")))


def suspicion(src: Sequence[str], tgt: Sequence[str]) -> Floats:
    """Log odds, up to a constant, that a name was replaced in each row, shape (rows,); -inf where none lacks a match.

    Of all pairs of names without a match that are not alike, and of all single ones, the most suspect counts.
    """
    numbers: dict[str, int] = {}
    one, two = read_words(src, numbers), read_words(tgt, numbers)
    forms, across = list(numbers), is_latin(src) != is_latin(tgt)
    left, right = (_lacking(*sides, forms, across=across) for sides in ((one, two), (two, one)))
    freedom = np.bincount(left.rows, left.freedom, len(src)) + np.bincount(right.rows, right.freedom, len(src))
    scores = np.full(len(src), -np.inf)
    for side in (left, right):
        others = freedom[side.rows] - side.freedom
        np.maximum.at(scores, side.rows, side.weights + ONE_SIDED + FREE * np.log1p(others))
    x, y = _beside(left.rows, np.searchsorted(right.rows, np.arange(len(src) + 1)))
    alike = are_like(one.keys[left.names[x]], two.keys[right.names[y]], forms, across=across)
    x, y = x[~alike], y[~alike]
    others = np.maximum(0, freedom[left.rows[x]] - left.freedom[x] - right.freedom[y])
    weights = left.weights[x] + right.weights[y] + place_fit(one, left.names[x], two, right.names[y])
    np.maximum.at(scores, left.rows[x], weights + FREE * np.log1p(others))
    return scores


def place_fit(one: SideWords, x: Ints, two: SideWords, y: Ints) -> Floats:
    """How well the places of two names in their texts fit, as log odds, shape (pairs,); ``x``, ``y`` number words."""
    fit = PLACE_APART * np.abs(one.places[x] - two.places[y])
    for mine, other in ((one.before[x], two.before[y]), (one.after[x], two.after[y])):
        fit += SAME_NEIGHBOUR * ((mine == other) & (mine >= 0))
    return fit


class _Lacking(NamedTuple):
    """Names that unexpectedly lack a match, in order of rows, arrays of shape (names,): place among the words of their
    side, row, how unexpected it is as log odds, and what it says, from 0 to 1, of how freely the row is translated."""

    names: Ints
    rows: Ints
    weights: Floats
    freedom: Floats


def _lacking(mine: SideWords, other: SideWords, forms: list[str], *, across: bool) -> _Lacking:
    """Names of ``mine`` that unexpectedly lack a match, or unexpectedly have none but one that explains them."""
    names, explained = unmatched_names(mine, other, forms, across=across)
    chances = chances_to_lack(mine, names, len(forms))
    chances[~explained] = chances_to_lack(mine, names[~explained], len(forms))
    counts = chances <= MOST_CHANCE
    names, explained, chances, kinds = names[counts], explained[counts], chances[counts], mine.kinds[names[counts]]
    doubts = (kinds & STARTS > 0).astype(int) + (kinds & SMALL > 0)
    rows = np.bincount(mine.keys[mine.is_name])[mine.keys[names]]
    weights = -np.log(chances) + EXPLAINED * explained + DOUBTFUL * doubts + RARE / rows
    return _Lacking(names, mine.rows[names], weights, np.where(explained, 0.0, 1 - chances))


def chances_to_lack(words: SideWords, names: Ints, key_count: int) -> Floats:
    """Chance of each of the ``names`` to be one of them, as its other rows and rare words of its kind have it."""
    named, lacking = words.keys[words.is_name], words.keys[names]
    rows, lacking_rows = (np.bincount(keys, minlength=key_count) for keys in (named, lacking))
    rare = rows <= RARE_ROWS
    of_kind = np.bincount(words.kinds[words.is_name][rare[named]], minlength=_KINDS)
    lacking_of_kind = np.bincount(words.kinds[names][rare[lacking]], minlength=_KINDS)
    prior = ((lacking_of_kind + 1) / (of_kind + 2))[words.kinds[names]]
    return np.asarray((lacking_rows[lacking] - 1 + PRIOR_ROWS * prior) / (rows[lacking] - 1 + PRIOR_ROWS))


def unmatched_names(mine: SideWords, other: SideWords, forms: list[str], *, across: bool) -> tuple[Ints, Mask]:
    """Names of ``mine`` that the same row of ``other`` does not hold as they are, and which another word explains.

    Both of shape (names,): places among the words of ``mine``, and whether a word of the row is like the name or
    translates it; a word that both sides hold does so for no other name. ``across``: the scripts differ.
    """
    here, there = (side.rows * len(forms) + side.keys for side in (mine, other))
    names = np.flatnonzero(mine.is_name & ~np.isin(here, there, assume_unique=True))
    free = ~np.isin(there, here, assume_unique=True)
    words, starts = other.keys[free], np.append(0, np.cumsum(free))[other.starts]
    name, word = _beside(mine.rows[names], starts)
    like = are_like(mine.keys[names[name]], words[word], forms, across=across)
    alone = np.delete(names, name[like])
    name, word = _beside(mine.rows[alone], starts)
    translated = translates(mine.keys[alone], name, words, word, len(starts) - 1)
    alone = np.delete(alone, name[translated])
    return names, ~np.isin(names, alone, assume_unique=True)


def _beside(rows: Ints, starts: Ints) -> tuple[Ints, Ints]:
    """Each of ``rows`` with every member of it, those of row r being ``starts[r]`` to ``starts[r + 1]``: places."""
    counts = starts[rows + 1] - starts[rows]
    place = np.repeat(np.arange(len(rows)), counts)
    within = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
    return place, within + starts[rows][place]


def translates(names: Ints, name: Ints, words: Ints, word: Ints, row_count: int) -> Mask:
    """Whether the word of each pair often stands where the name does, shape (pairs,).

    ``names`` and ``words`` are keys; ``name`` and ``word`` say, for each pair of one row, which of them it is.
    """
    key_count = 1 + int(max(names.max(initial=0), words.max(initial=0)))
    pairs, of_pair, together = np.unique(names[name] * key_count + words[word], return_inverse=True, return_counts=True)
    of_name = np.bincount(names, minlength=key_count)[pairs // key_count]
    of_word = np.bincount(words, minlength=key_count)[pairs % key_count]
    often = (together >= LEAST_TOGETHER) & (together >= LEAST_OF_NAME * of_name) & (together >= LEAST_OF_WORD * of_word)
    often &= together * row_count > of_name * of_word
    often[often] = log_likelihood_ratio(together[often], of_name[often], of_word[often], row_count) >= LEAST_EVIDENCE
    return np.asarray(often[of_pair])


def log_likelihood_ratio(together: Ints, one: Ints, two: Ints, rows: int) -> Floats:
    """Dunning 1993 for counts of rows: -2 log lambda of independence, 0 where they are independent."""
    cells = (together, one - together, two - together, rows - one - two + together, np.full(len(one), rows))
    margins = (one, rows - one, two, rows - two)
    return np.asarray(2 * (sum(map(_times_log, cells)) - sum(map(_times_log, margins))))


def _times_log(counts: Ints) -> Floats:
    """n log n, 0 for none. By scipy it would take a fifth of a second to load."""
    return np.asarray(counts * np.log(np.maximum(counts, 1)))


def are_like(left: Ints, right: Ints, forms: Sequence[str], *, across: bool) -> Mask:
    """Whether the words of each pair may be one name, of shape (pairs,); ``left`` and ``right`` number ``forms``.

    ``across``: the two sides have different scripts, of which one may not write the vowels. Each distinct pair
    is compared once.
    """
    pairs, of_pair = np.unique(left * len(forms) + right, return_inverse=True)
    left, right = np.divmod(pairs, len(forms))
    stem = np.unique([form[:STEM_CHARS] for form in forms], return_inverse=True)[1]
    chars = np.array(list(map(len, forms)), np.int64)
    short, ending = np.minimum(chars[left], chars[right]), np.abs(chars[left] - chars[right])
    like = (stem[left] == stem[right]) & (short >= STEM_CHARS) & (ending <= np.minimum(ENDING_CHARS, short // 2))
    like |= _similar(left, right, forms, LIKE)
    if across:
        skeletons = [_VOWELS.sub("", form) for form in forms]
        like |= _similar(left, right, skeletons, LIKE_SKELETON, least=LEAST_CONSONANTS)
    return np.asarray(like[of_pair], bool)


def _similar(left: Ints, right: Ints, forms: Sequence[str], cutoff: float, *, least: int = 1) -> Mask:
    """Pairs of words of ``least`` letters whose Indel similarity, 2 * common / sum of lengths, reaches ``cutoff``."""
    words, others = ([forms[number] for number in side.tolist()] for side in (left, right))
    scores = process.cpdist(words, others, scorer=Indel.normalized_similarity, score_cutoff=cutoff)
    enough = np.array([len(form) >= least for form in forms], bool)
    return np.asarray(enough[left] & enough[right] & (scores >= cutoff))


class SideWords(NamedTuple):
    """Distinct words of each text of a side, by row and then by key, arrays of shape (words,).

    A key numbers the word in Latin letters. ``is_name`` says which words may be names and ``kinds`` (0 to 7) of what
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


def read_words(texts: Sequence[str], numbers: dict[str, int]) -> SideWords:
    """Words of the texts of one side; forms in Latin letters that are new get the next of ``numbers``.

    A name begins with a capital, and is not a common word that only begins a sentence. In a script without
    capitals it is a word in Latin letters or katakana.
    """
    found = list(map(_WORD.findall, texts))
    spelt = list(dict.fromkeys(chain.from_iterable(found)))
    number_of = {word: number for number, word in enumerate(spelt)}
    word = np.fromiter(map(number_of.__getitem__, chain.from_iterable(found)), np.int64)
    rows = np.repeat(np.arange(len(texts)), list(map(len, found)))
    first = np.sort(np.unique(rows * len(spelt) + word, return_index=True)[1])
    rows, word = rows[first], word[first]
    has_case = _share_of_letters(texts, lambda letter: letter.islower() or letter.isupper()) >= 0.5
    key_of, may_be_name, kind_of = _of_words(spelt, numbers, has_case=has_case)
    keys, is_name, kinds = key_of[word], may_be_name[word], kind_of[word]
    starting, candidates = np.zeros(len(word), bool), np.flatnonzero(is_name)
    starting[candidates] = [
        _starts_sentence(texts[row], spelt[number])
        for row, number in zip(rows[candidates].tolist(), word[candidates].tolist(), strict=True)
    ]
    is_name &= ~(starting & (kinds & SMALL > 0))
    number, first, last = np.arange(len(rows)), np.searchsorted(rows, rows), np.searchsorted(rows, rows, "right") - 1
    before, after = np.where(number > first, np.roll(keys, 1), -1), np.where(number < last, np.roll(keys, -1), -1)
    places = (number - first) / np.maximum(last - first, 1)
    kinds += STARTS * starting
    # Words of one row and key count once: as a name if one of them may be one.
    order = np.lexsort((~is_name, keys, rows))
    one = order[np.unique(rows[order] * len(numbers) + keys[order], return_index=True)[1]]
    starts = np.searchsorted(rows[one], np.arange(len(texts) + 1))
    return SideWords(rows[one], keys[one], is_name[one], kinds[one], before[one], after[one], places[one], starts)


def _of_words(words: list[str], numbers: dict[str, int], *, has_case: bool) -> tuple[Ints, Mask, Ints]:
    """Key of each word, whether it may be a name, and its kind without its place."""
    forms = [_NOT_ASCII_LETTER.sub("", anyascii(word).lower()) for word in words]
    keys = [numbers.setdefault(form, len(numbers)) for form in forms]
    named = [word[0].isupper() if has_case else _FOREIGN.match(word) is not None for word in words]
    is_name = [may_be and len(form) >= LEAST_NAME_LETTERS for may_be, form in zip(named, forms, strict=True)]
    small = {word for word in words if word.islower()} if has_case else set()
    kinds = [CAPITALS * word.isupper() + SMALL * (word.lower() in small) for word in words]
    return np.array(keys, np.int64), np.array(is_name, bool), np.array(kinds, np.int64)


def _starts_sentence(text: str, word: str) -> bool:
    place = text.find(word)
    return _MID_SENTENCE.search(text[max(0, place - _CONTEXT_CHARS) : place]) is None


def is_latin(texts: Sequence[str]) -> bool:
    """Whether most letters of the first texts are Latin."""
    return _share_of_letters(texts, lambda letter: letter <= _LAST_LATIN) > 0.5


def _share_of_letters(texts: Sequence[str], holds: Callable[[str], bool]) -> float:
    counts = Counter("".join(texts[:SAMPLE_ROWS]))
    letters = {char: count for char, count in counts.items() if char.isalpha()}
    return sum(count for char, count in letters.items() if holds(char)) / max(1, sum(letters.values()))
