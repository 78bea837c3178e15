"""Repeated segments: copies, boilerplate, numbered labels, and several translations of a source text."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Floats, Ints, Mask, distinct, distinct_counts, offsets_of
from diglot.corpus.flags.codes import both_sides, codes_of, encode_sorted, stack
from diglot.corpus.flags.lengths import has_words

_BEST_FIRST = [
    ("score", "descending"),
    ("src_url", "ascending"),
    ("tgt_url", "ascending"),
    ("position", "ascending"),
]
_BEST_COLUMNS = [name for name, _ in _BEST_FIRST]

SENTENCE_END = r"[.!?\x{2026}\x{3002}\x{FF0E}\x{FF01}\x{FF1F}\x{0964}\x{0965}\x{06D4}\x{061F}\x{0589}\x{1362}]\W*$"
"""The mark at the end of a sentence (RE2). Labels with different numbers count something; sentences differ in
meaning."""
SUPPORT_DIGITS = 6
"""Decimals of a support."""
HIGHEST_COUNTED = 0.999
"""A score counts as this one at most: a higher score is no better evidence."""
_NUMBER = r"\p{N}+([.,:/-]\p{N}+)*"


class TextCodes(NamedTuple):
    """Codes of the texts on both sides under four notions of equality; each int64 of shape (2, rows)."""

    same: Ints
    """Equal :func:`same_text_key`."""
    letters: Ints
    """Equal letters and digits, case ignored."""
    near: Ints
    """Equal :func:`near_text_keys`."""
    series: Ints
    """As ``near``, with all numbers alike."""


def same_text_key(text: str) -> str:
    """The text after NFKC and case folding, white space as single spaces; equal for equal texts."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def near_text_keys(texts: Sequence[str]) -> list[str]:
    """Letters, vowel signs and digits of texts, without case and accents; equal for nearly equal texts.

    Accents are dropped from Latin, Greek and Cyrillic letters; a text without a letter or digit stays as it is.

    >>> near_text_keys(["Déjà-vu, No. 2!", "deja vu no 2", "?!"])
    ['dejavuno2', 'dejavuno2', '?!']
    """
    keys: list[str] = _without_accents(_letters_of(pa.array(map(same_text_key, texts), pa.string()))).to_pylist()
    return keys


def without_marks_and_blanks(texts: pa.Array) -> pa.Array:
    """The letters, vowel signs and digits of texts."""
    # Blanks are most of what goes, and a character is found at a fraction of the cost of a pattern.
    return pc.replace_substring_regex(pc.replace_substring(texts, " ", ""), r"[^\p{L}\p{M}\p{N}]+", "")


def _letters_of(folded: pa.Array) -> pa.Array:
    keys = without_marks_and_blanks(folded)
    return pc.if_else(pc.equal(keys, ""), folded, keys)


def _without_accents(letters: pa.Array) -> pa.Array:
    # U+0300 to U+036F only: the vowel signs of Indic scripts are marks, too, and make other words.
    return pc.replace_substring_regex(pc.utf8_normalize(letters, form="NFD"), r"[\x{0300}-\x{036F}]+", "")


def text_codes(texts: pa.Array, rows: Ints) -> TextCodes:
    """Codes of texts. ``texts``: distinct texts; ``rows``: their places on both sides of segments, (2, segments)."""
    folded = pa.array(map(same_text_key, texts.to_pylist()), pa.string())
    letters = _letters_of(folded)
    near = _without_accents(letters)
    keys = (folded, letters, near, pc.replace_substring_regex(near, r"\p{N}+", "0"))
    return TextCodes(*(codes_of(pa.chunked_array([key]))[rows] for key in keys))


def best_rows(segments: pa.Table, groups: Ints, doubted: Mask | Ints | None = None) -> Ints:
    """For each row the best row of its group: least ``doubted``, then best scored, then first by address and position.

    ``groups``: a code for each row. ``doubted``: a mask, or degrees of doubt.
    """
    table = segments.select(_BEST_COLUMNS)
    order = _BEST_FIRST
    if doubted is not None and doubted.any():
        table, order = table.append_column("doubted", pa.array(doubted)), [("doubted", "ascending"), *order]
    return _first_of_groups(table, order, groups)


def _first_of_groups(table: pa.Table, order: list[tuple[str, str]], groups: Ints) -> Ints:
    """First row of the group of each row, by the sort keys ``order``; ``groups``: code of the group of each row."""
    in_order = pc.sort_indices(table, sort_keys=order).to_numpy()
    _, firsts, group = np.unique(groups[in_order], return_index=True, return_inverse=True)
    first = np.empty(len(groups), np.int64)
    first[in_order] = in_order[firsts][group]
    return first


def is_boilerplate(text_pair: Ints, page_pair: Ints, peers: Ints, *, least: int, share: float) -> Mask:
    """Mask of rows whose two texts stand on more than ``least`` page pairs, and on more than ``share`` of all.

    ``text_pair``, ``page_pair``, ``peers``: a code for each row. Page pairs are counted within a site and language pair
    (``peers``).
    """
    # Neither texts nor pages go over a site and language pair, so one row of each tells its peers.
    pages_of_peers = np.bincount(peers[np.unique(page_pair, return_index=True)[1]])
    pages = distinct_counts(text_pair, page_pair)[text_pair]
    return np.asarray(pages > np.maximum(least, share * pages_of_peers[peers]), dtype=bool)


class Rivals(NamedTuple):
    """Segments as rivals: the best translation of each text wins. A value for each row."""

    text: Ints
    """Code of the text within its site and language pair."""
    support: Floats
    """Evidence for the row by itself and its copies (:func:`supports`)."""
    usable: Mask
    """No flag leaves the row out."""
    sure: Mask
    """The score reaches the least score."""


def supports(weights: Floats, representative: Ints) -> Floats:
    """Sum of the weights of each row and its copies, at the kept row; 0 at the others.

    ``weights``: what each row adds; boilerplate adds nothing, as a menu stands on many pages. ``representative``: the
    kept row of a copy, for other rows the row itself.
    """
    # Rounded, so that the order in which weights are added decides nothing.
    return np.asarray(np.round(np.bincount(representative, weights=weights, minlength=len(weights)), SUPPORT_DIGITS))


def log_odds(scores: Floats) -> Floats:
    """Evidence of scores in [0, 1], in nats: two of .6 say less than one of .99; a score of half or less says nothing.

    >>> log_odds(np.array([0.3, 0.6, 0.6, 0.99])).round(1).tolist()
    [0.0, 0.4, 0.4, 4.6]
    """
    sure = np.clip(scores, 0.5, HIGHEST_COUNTED)
    return np.asarray(np.log(sure / (1 - sure)))


def best_translations(segments: pa.Table, rivals: Rivals) -> Ints:
    """For each usable row the row with the best usable translation of its text; for others their own number.

    Sure translations come first, then those of more support; ties go by score, addresses and position.
    """
    rows = np.flatnonzero(rivals.usable)
    table = segments.select(_BEST_COLUMNS).take(pa.array(rows))
    table = table.append_column("support", pa.array(rivals.support[rows]))
    table = table.append_column("sure", pa.array(rivals.sure[rows].astype(np.int8)))
    order = [("sure", "descending"), ("support", "descending"), *_BEST_FIRST]
    best = np.arange(segments.num_rows)
    best[rows] = rows[_first_of_groups(table, order, rivals.text[rows])]
    return best


def is_label(segments: pa.Table) -> Mask:
    """Mask of rows with no sentence end on either side, or with one word at most beside numbers on both.

    Captions may end with a mark ("[16] Castle."); one word makes no sentence.
    """
    texts = both_sides(segments)
    ends = pc.match_substring_regex(texts, SENTENCE_END).to_numpy().reshape(2, -1)
    says_more = has_words(pc.replace_substring_regex(texts, _NUMBER, " "), 2).reshape(2, -1)
    return np.asarray(~ends.any(axis=0) | ~says_more.any(axis=0), dtype=bool)


def has_better(segments: pa.Table, groups: Ints, usable: Mask) -> Mask:
    """Mask of usable rows with a better usable row (:func:`best_rows`) in their group."""
    rows = np.flatnonzero(usable)
    worse = np.zeros(segments.num_rows, bool)
    if len(rows):
        best = best_rows(segments.select(_BEST_COLUMNS).take(pa.array(rows)), groups[rows])
        worse[rows] = best != np.arange(len(rows))
    return worse


def copy_addresses(segments: pa.Table, representative: Ints) -> tuple[pa.Array, pa.Array]:
    """Source and target addresses of the copies of each row, without its own: two parallel lists a row, sorted.

    ``representative``: the row kept for each row, shape (rows,).
    """
    urls, place = encode_sorted(stack(segments["src_url"], segments["tgt_url"]))
    pair = place[: len(representative)] * len(urls) + place[len(representative) :]
    pairs, pair = np.unique(pair, return_inverse=True)
    copies = np.flatnonzero(representative != np.arange(len(representative)))
    row, other = np.divmod(distinct(representative[copies] * len(pairs) + pair[copies]), max(len(pairs), 1))
    is_other = other != pair[row]
    counts = np.bincount(row[is_other], minlength=segments.num_rows)
    offsets = pa.array(offsets_of(counts), pa.int32())
    sides = np.divmod(pairs[other[is_other]], max(len(urls), 1))
    src, tgt = (pa.ListArray.from_arrays(offsets, urls.take(pa.array(side))) for side in sides)
    return src, tgt
