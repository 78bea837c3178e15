"""Segments that say the same again: boilerplate, copies, series of numbers, and several translations of one text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Ints, Mask, distinct

_BEST_FIRST = [
    ("score", "descending"),
    ("src_url", "ascending"),
    ("tgt_url", "ascending"),
    ("position", "ascending"),
]


SENTENCE_END = r"[.!?\x{2026}\x{3002}\x{FF0E}\x{FF01}\x{FF1F}\x{0964}\x{0965}\x{06D4}\x{061F}\x{0589}\x{1362}]\W*$"
"""The mark that ends a sentence (RE2). Labels that differ in numbers count something on; sentences say other things."""


class TextCodes(NamedTuple):
    """Equal numbers for texts that are equal in some way, over both sides; each int64 of shape (2, rows)."""

    same: Ints
    """By :func:`same_text_key`."""
    letters: Ints
    """By letters and digits, without case: what is copied with other punctuation is the same text."""
    near: Ints
    """By :func:`near_text_keys`."""
    series: Ints
    """As ``near``, all numbers being one."""


def same_text_key(text: str) -> str:
    """What two texts share when they count as the same: NFKC, case folded, white space as one space."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def near_text_keys(texts: Sequence[str]) -> list[str]:
    """What texts share when they are nearly the same: letters, vowel signs and digits, without case or accents.

    Accents are dropped from Latin, Greek and Cyrillic letters; a text without a letter or digit stays as it is.

    >>> near_text_keys(["Déjà-vu, No. 2!", "deja vu no 2", "?!"])
    ['dejavuno2', 'dejavuno2', '?!']
    """
    found: list[str] = _without_accents(_letters_of(pa.array(map(same_text_key, texts), pa.string()))).to_pylist()
    return found


def _letters_of(folded: pa.Array) -> pa.Array:
    keys = pc.replace_substring_regex(folded, r"[^\p{L}\p{M}\p{N}]+", "")
    return pc.if_else(pc.equal(keys, ""), folded, keys)


def _without_accents(letters: pa.Array) -> pa.Array:
    return pc.replace_substring_regex(pc.utf8_normalize(letters, form="NFD"), r"[\x{0300}-\x{036F}]+", "")


def text_codes(segments: pa.Table) -> TextCodes:
    """The codes of all texts; each distinct text is read once."""
    texts, codes = _encoded(pa.chunked_array([*segments["src"].chunks, *segments["tgt"].chunks], pa.string()))
    folded = pa.array(map(same_text_key, texts.to_pylist()), pa.string())
    letters = _letters_of(folded)
    near = _without_accents(letters)
    keys = (folded, letters, near, pc.replace_substring_regex(near, r"\p{N}+", "0"))
    rows = codes.reshape(2, -1)
    return TextCodes(*(codes_of(pa.chunked_array([key]))[rows] for key in keys))


def codes_of(column: pa.ChunkedArray) -> Ints:
    """A number for each distinct value, int64 of shape (rows,)."""
    return _encoded(column)[1]


def _encoded(column: pa.ChunkedArray) -> tuple[pa.Array, Ints]:
    """The distinct values in order of their first sight, and the row among them of each value."""
    chunks = column.dictionary_encode().unify_dictionaries().chunks
    if not chunks:
        return pa.array([], column.type), np.zeros(0, np.int64)
    return chunks[0].dictionary, np.concatenate([chunk.indices.to_numpy() for chunk in chunks]).astype(np.int64)


def combine(*codes: Ints) -> Ints:
    """A number from 0 for each distinct combination."""
    combined = codes[0]
    for other in codes[1:]:
        _, combined = np.unique(combined * (other.max() + 1) + other, return_inverse=True)
    return combined


def rows_by(codes: Ints) -> Iterator[Ints]:
    """The rows of each code, ascending."""
    order = np.argsort(codes, kind="stable")
    cuts = np.flatnonzero(np.diff(codes[order])) + 1
    yield from np.split(order, cuts) if len(order) else ()


def best_rows(segments: pa.Table, groups: Ints, doubted: Mask | None = None) -> Ints:
    """For every row the best row of its group: the best scored, ties go to the first by addresses and position.

    One that is not ``doubted`` goes before all that are.
    """
    table = segments.select([name for name, _ in _BEST_FIRST])
    order = _BEST_FIRST
    if doubted is not None and doubted.any():
        table, order = table.append_column("doubted", pa.array(doubted)), [("doubted", "ascending"), *order]
    best_first = pc.sort_indices(table, sort_keys=order).to_numpy()
    _, firsts, group = np.unique(groups[best_first], return_index=True, return_inverse=True)
    best = np.empty(len(groups), np.int64)
    best[best_first] = best_first[firsts][group]
    return best


def is_boilerplate(text_pair: Ints, page_pair: Ints, peers: Ints, *, least: int, share: float) -> Mask:
    """Rows whose pair of texts stands on more page pairs than ``least`` and than ``share`` of all its peers have."""
    # A pair of texts and a page pair each belong to one site and language pair: their codes say which.
    pages_of_peers = np.bincount(peers[np.unique(page_pair, return_index=True)[1]])
    standing = np.unique(np.stack([text_pair, page_pair]), axis=1)[0]
    pages = np.bincount(standing, minlength=int(text_pair.max()) + 1)[text_pair]
    return np.asarray(pages > np.maximum(least, share * pages_of_peers[peers]), dtype=bool)


def is_conflict(
    segments: pa.Table, src: Ints, peers: Ints, standing_for: Ints, usable: Mask, sure: Mask, counted: Mask
) -> Mask:
    """Usable rows whose source another usable row of the peers translates better.

    Better is what is ``sure`` before what is not, then what has the higher sum of scores over its copies:
    ``standing_for`` names for each row the one that is kept for it. Copies not ``counted`` add nothing: a menu says one
    thing on many pages. Ties go by score, addresses and position.
    """
    scores = np.where(counted, segments["score"].to_numpy().astype(np.float64), 0.0)
    support = np.bincount(standing_for, weights=scores, minlength=segments.num_rows)
    rows = np.flatnonzero(usable)
    chosen = segments.select([name for name, _ in _BEST_FIRST]).take(pa.array(rows))
    supported = chosen.append_column("support", pa.array(np.round(support[rows], 6)))
    supported = supported.append_column("sure", pa.array(sure[rows].astype(np.int8)))
    keys = [("sure", "descending"), ("support", "descending"), *_BEST_FIRST]
    best_first = pc.sort_indices(supported, sort_keys=keys).to_numpy()
    ordered = rows[best_first]
    conflict = np.zeros(segments.num_rows, bool)
    conflict[ordered] = True
    groups = combine(peers, src)
    conflict[ordered[np.unique(groups[ordered], return_index=True)[1]]] = False
    return conflict


def is_label(segments: pa.Table) -> Mask:
    """Rows of which no side ends as a sentence does."""
    ends = (pc.match_substring_regex(segments[side], SENTENCE_END).to_numpy() for side in ("src", "tgt"))
    return np.asarray(~np.logical_or(*ends), dtype=bool)


def is_again(segments: pa.Table, groups: Ints, usable: Mask) -> tuple[Mask, Ints]:
    """Usable rows of whose group a better usable one is kept, and for every row that one (itself where it is kept)."""
    rows = np.flatnonzero(usable)
    standing_for = np.arange(segments.num_rows)
    if len(rows):
        standing_for[rows] = rows[
            best_rows(segments.select([name for name, _ in _BEST_FIRST]).take(pa.array(rows)), groups[rows])
        ]
    return standing_for != np.arange(segments.num_rows), standing_for


def other_addresses(segments: pa.Table, standing_for: Ints) -> tuple[pa.Array, pa.Array]:
    """Addresses of the copies that each row stands for, beside its own: two parallel lists a row, sorted."""
    both = [*segments["src_url"].chunks, *segments["tgt_url"].chunks]
    urls, place = sorted_codes(pa.chunked_array(both, pa.string()))
    pair = place[: len(standing_for)] * len(urls) + place[len(standing_for) :]
    pairs, pair = np.unique(pair, return_inverse=True)
    copies = np.flatnonzero(standing_for != np.arange(len(standing_for)))
    row, other = np.divmod(distinct(standing_for[copies] * len(pairs) + pair[copies]), max(len(pairs), 1))
    is_other = other != pair[row]
    counts = np.bincount(row[is_other], minlength=segments.num_rows)
    offsets = pa.array(np.concatenate(([0], np.cumsum(counts))), pa.int32())
    sides = np.divmod(pairs[other[is_other]], max(len(urls), 1))
    src, tgt = (pa.ListArray.from_arrays(offsets, urls.take(pa.array(side))) for side in sides)
    return src, tgt


def sorted_codes(column: pa.ChunkedArray) -> tuple[pa.Array, Ints]:
    """The distinct values in order, and the row among them of each value."""
    values, codes = _encoded(column)
    order = pc.sort_indices(values)
    place = np.empty(len(order), np.int64)
    place[order.to_numpy()] = np.arange(len(order))
    return values.take(order), place[codes]
