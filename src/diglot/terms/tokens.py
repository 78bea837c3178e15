"""Step 1. Segments as tokens: words, their places in the text, and the breaks between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from diglot.arrays import Ints, Mask
from diglot.words import CUT_INTO_PAIRS, LETTERS, UNSPACED, fold_word, is_within, letters, words_of

_UNSPACED_LETTERS = CUT_INTO_PAIRS.replace(LETTERS["hangul"].ranges, "")
"""Letters of scripts without blanks. Korean has blanks, and its words are compared by their first syllables."""
_SOUTH_EAST_ASIAN = letters("thai", "lao", "myanmar", "khmer")
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f"
_MARKS += "\u0900-\u0903\u093a-\u094f\u0981-\u0983\u09bc-\u09cd"
"""Combining marks: no pattern of :mod:`re` takes them for word characters."""
_WORD_CHAR = rf"[^\W{_UNSPACED_LETTERS}]|[{_MARKS}]"
_WORD = rf"(?:{_WORD_CHAR})+"
_TOKEN = re.compile(
    rf"[{_UNSPACED_LETTERS}]+"  # a run, cut further
    rf"|(?:[^\W\d_]{{1,2}}|[^\W\d_]*qu)['’](?=\w)"  # l', qu': a word before its noun
    rf"|{_WORD}(?:[-_.‑]{_WORD})*(?:\+\+|#(?!\w))?"  # e-mail, mod_ssl, C++
    rf"|(?<=\w)['’]\w+"  # 's
)
_CLUSTER = re.compile(
    r"[เ-ไເ-ໄ]?[^\n][\u0e30-\u0e3a\u0e45-\u0e4e\u0eb0-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u17b4-\u17d3]*"
)
"""A letter of a South East Asian script, with the vowels before and the marks behind."""
_UNSPACED_RUN = re.compile(f"[{_UNSPACED_LETTERS}]+")
_BLANKS = " \u00a0\u202f"
_END = "\n"
_CLOSING, _CLOSING_APART = ".,;:!?)。、，；：！？）।؟،", ";:!?»"

MIN_MERGED = 4
"""Least number of occurrences of two neighbouring pieces that may be one word, in scripts without blanks."""
_MERGES = 4
"""Rounds of joining neighbours: words of up to sixteen characters, mostly two to four."""
_LEAST_COHESION = 0.45
"""Least normalised pointwise mutual information of two neighbours in one word."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens on one side of all segments, in order; arrays of shape (tokens,).

    ``words``: place of the word in ``names``, the casefolded words. ``segments``: segment of the token. ``offsets``
    (segments + 1,): first token of each segment. ``starts``, ``ends``: span in the text of the segment, in characters.
    ``breaks``: more than a blank stands before the token, or it is the first of its segment; no term goes over a break.
    ``closes``: a mark behind the token ends a clause, or it is the last of its segment.
    """

    words: Ints
    names: list[str]
    segments: Ints
    offsets: Ints
    starts: Ints
    ends: Ints
    breaks: Mask
    closes: Mask

    def __len__(self) -> int:
        return len(self.words)

    def places(self) -> Ints:
        """Place of each token within its segment, from 0."""
        return np.arange(len(self)) - self.offsets[self.segments]

    def counts(self) -> Ints:
        """Number of tokens of each segment."""
        return np.diff(self.offsets)


def cut(texts: Sequence[str], lang: str) -> Tokens:
    """Tokens of texts in a language (BCP 47).

    Scripts without blanks are cut by a segmenter of :mod:`diglot.words`, if one is installed; else into characters, and
    characters that mostly stand together are joined.
    """
    # One text for all segments: one pass of the pattern instead of one for each segment.
    joined = _END.join(text.replace(_END, " ") for text in texts)
    found = [match.span() for match in _TOKEN.finditer(joined)]
    primary = lang.replace("_", "-").split("-")[0].lower()
    found, is_piece = _cut_runs(joined, found, primary)
    spans = np.array(found, np.int64).reshape(-1, 2)
    # Four bytes a character: spans index the codes directly.
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
    ends_of_texts = np.flatnonzero(codes == ord(_END))
    firsts = np.concatenate(([0], ends_of_texts + 1))[: len(texts)]
    segments = np.searchsorted(ends_of_texts, spans[:, 0])
    numbers: dict[str, int] = {}
    named = (joined[start:end].casefold().replace("’", "'") for start, end in found)
    words = np.fromiter((numbers.setdefault(name, len(numbers)) for name in named), np.int64, len(found))
    breaks = _breaks(codes, spans, segments)
    tokens = Tokens(
        words,
        list(numbers),
        segments,
        np.searchsorted(segments, np.arange(len(texts) + 1)),
        spans[:, 0] - firsts[segments],
        spans[:, 1] - firsts[segments],
        breaks,
        _closes(codes, spans),
    )
    return _merge(tokens, is_piece) if is_piece.any() else tokens


def _breaks(codes: np.ndarray, spans: Ints, segments: Ints) -> Mask:
    """Mask of tokens after a break: more than one blank, or another character, stands before the token."""
    breaks = np.ones(len(spans), bool)
    if len(spans) < 2:
        return breaks
    gaps = spans[1:, 0] - spans[:-1, 1]
    is_blank = np.isin(codes[np.minimum(spans[:-1, 1], len(codes) - 1)], list(map(ord, _BLANKS)))
    breaks[1:] = (segments[1:] != segments[:-1]) | (gaps > 1) | ((gaps == 1) & ~is_blank)
    return breaks


def _closes(codes: np.ndarray, spans: Ints) -> Mask:
    """Mask of tokens at the end of a clause: a closing mark follows, in French after a blank, or the text ends."""
    padded = np.concatenate((codes, np.full(2, ord(_END), codes.dtype)))
    behind, next_but_one = padded[spans[:, 1]], padded[spans[:, 1] + 1]
    is_blank = np.isin(behind, list(map(ord, _BLANKS)))
    return np.isin(behind, list(map(ord, _CLOSING + _END))) | (
        is_blank & np.isin(next_but_one, list(map(ord, _CLOSING_APART + _END)))
    )


def _cut_runs(text: str, found: list[tuple[int, int]], primary: str) -> tuple[list[tuple[int, int]], Mask]:
    """Spans of tokens, runs without blanks cut into parts; mask of parts that are pieces of words."""
    if not _UNSPACED_RUN.search(text):
        return found, np.zeros(len(found), bool)
    spans: list[tuple[int, int]] = []
    pieces: list[bool] = []
    for start, end in found:
        if not is_within(text[start], _UNSPACED_LETTERS):
            spans.append((start, end))
            pieces.append(False)
            continue
        parts, whole = _parts(text[start:end], primary)
        for part in parts:
            spans.append((start, start + len(part)))
            start += len(part)
        pieces += [not whole] * len(parts)
    return spans, np.array(pieces, bool)


def _parts(run: str, primary: str) -> tuple[list[str], bool]:
    """Parts of a run in a script without blanks, and whether a segmenter found them to be words."""
    if primary in UNSPACED:
        words = words_of(run, primary)
        # A segmenter that changes the text, or finds no words, is not used.
        if "".join(words) == run and len(words) < len(run):
            return words, True
    if is_within(run[0], _SOUTH_EAST_ASIAN):
        return _CLUSTER.findall(run), False
    return list(run), False


def _merge(tokens: Tokens, is_piece: Mask) -> Tokens:
    """Tokens with frequent neighbouring pieces joined to words."""
    for _ in range(_MERGES):
        joins = _joins(tokens, is_piece)
        if not joins.any():
            break
        tokens, is_piece = _join(tokens, is_piece, joins)
    return tokens


def _joins(tokens: Tokens, is_piece: Mask) -> Mask:
    """Mask of tokens to be joined with the next: cohesive neighbours from the left, a token in at most one pair."""
    size = len(tokens.names)
    able = np.zeros(len(tokens), bool)
    touch = tokens.starts[1:] == tokens.ends[:-1]  # a blank is no break of a term, but one between words
    able[:-1] = is_piece[:-1] & is_piece[1:] & touch & ~tokens.breaks[1:]
    keys = tokens.words[:-1] * size + tokens.words[1:]
    pairs, inverse, counts = np.unique(keys[able[:-1]], return_inverse=True, return_counts=True)
    single = np.bincount(tokens.words, minlength=size)
    both = counts / len(tokens)
    apart = single[pairs // size] / len(tokens) * (single[pairs % size] / len(tokens))
    cohesive = (counts >= MIN_MERGED) & (np.log(both / apart) / -np.log(np.minimum(both, 0.5)) >= _LEAST_COHESION)
    wanted = np.zeros(len(tokens), bool)
    wanted[np.flatnonzero(able)] = cohesive[inverse]
    at = np.flatnonzero(wanted)
    if not len(at):
        return wanted
    # In a run of joins only every second one is possible: the first, the third ...
    run = np.cumsum(np.diff(at, prepend=at[0] - 2) > 1)
    first = np.searchsorted(run, run)
    chosen = np.zeros(len(tokens), bool)
    chosen[at[(np.arange(len(at)) - first) % 2 == 0]] = True
    return chosen


def _join(tokens: Tokens, is_piece: Mask, joins: Mask) -> tuple[Tokens, Mask]:
    kept = np.ones(len(tokens), bool)
    kept[1:] = ~joins[:-1]
    numbers = {name: number for number, name in enumerate(tokens.names)}
    words, ends = tokens.words.copy(), tokens.ends.copy()
    at = np.flatnonzero(joins)
    pairs, inverse = np.unique(np.stack((words[at], words[at + 1])), axis=1, return_inverse=True)
    made = [numbers.setdefault(tokens.names[a] + tokens.names[b], len(numbers)) for a, b in pairs.T.tolist()]
    words[at] = np.array(made, np.int64)[inverse.ravel()]
    ends[at] = ends[at + 1]
    segments = tokens.segments[kept]
    breaks = tokens.breaks[kept]
    return replace(
        tokens,
        words=words[kept],
        names=list(numbers),
        segments=segments,
        offsets=np.searchsorted(segments, np.arange(len(tokens.offsets))),
        starts=tokens.starts[kept],
        ends=ends[kept],
        breaks=breaks,
        closes=tokens.closes[np.append(np.flatnonzero(kept)[1:], len(kept)) - 1],
    ), is_piece[kept]


def fold_numbers(names: Sequence[str]) -> tuple[Ints, list[str]]:
    """Code of the :func:`diglot.words.fold_word` form of each word, and the forms."""
    numbers: dict[str, int] = {}
    found = np.fromiter((numbers.setdefault(fold_word(name), len(numbers)) for name in names), np.int64, len(names))
    return found, list(numbers)
