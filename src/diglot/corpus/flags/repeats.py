"""Segments that say the same again: boilerplate, exact and near copies, and several translations of one text."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Ints, Mask

_BEST_FIRST = [
    ("score", "descending"),
    ("src_url", "ascending"),
    ("tgt_url", "ascending"),
    ("position", "ascending"),
]


def same_text_key(text: str) -> str:
    """What two texts share when they count as the same: NFKC, case folded, white space as one space."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def same_text_keys(texts: Sequence[str]) -> list[str]:
    """:func:`same_text_key` of each."""
    return list(map(same_text_key, texts))


def near_text_keys(texts: Sequence[str]) -> list[str]:
    """What texts share when they are nearly the same: letters, vowel signs and digits, without case or accents.

    Accents are dropped from Latin, Greek and Cyrillic letters; a text without a letter or digit stays as it is.

    >>> near_text_keys(["Déjà-vu, No. 2!", "deja vu no 2", "?!"])
    ['dejavuno2', 'dejavuno2', '?!']
    """
    folded = pa.array(same_text_keys(texts), pa.string())
    plain = pc.replace_substring_regex(pc.utf8_normalize(folded, form="NFD"), r"[\x{0300}-\x{036F}]+", "")
    keys = pc.replace_substring_regex(plain, r"[^\p{L}\p{M}\p{N}]+", "")
    found: list[str] = pc.if_else(pc.equal(keys, ""), folded, keys).to_pylist()
    return found


def codes_of(column: pa.ChunkedArray) -> Ints:
    """A number for each distinct value, int64 of shape (rows,)."""
    indices = column.combine_chunks().dictionary_encode().indices
    return np.asarray(indices.to_numpy(), dtype=np.int64)


def combine(*codes: Ints) -> Ints:
    """A number from 0 for each distinct combination."""
    combined = codes[0]
    for other in codes[1:]:
        _, combined = np.unique(combined * (other.max() + 1) + other, return_inverse=True)
    return combined


def text_codes(segments: pa.Table, keys: Callable[[Sequence[str]], list[str]]) -> tuple[Ints, Ints]:
    """Equal numbers for texts with the same of ``keys``, over both sides; each distinct text is read once."""
    chunks = [*segments["src"].chunks, *segments["tgt"].chunks]
    both = pa.chunked_array(chunks, type=pa.string()).combine_chunks().dictionary_encode()
    numbers: dict[str, int] = {}
    of_text = [numbers.setdefault(key, len(numbers)) for key in keys(both.dictionary.to_pylist())]
    codes = np.array(of_text, dtype=np.int64)[both.indices.to_numpy()]
    return codes[: segments.num_rows], codes[segments.num_rows :]


def best_rows(segments: pa.Table, groups: Ints) -> Ints:
    """For every row the best scored row of its group; ties go to the first by addresses and position."""
    table = segments.select([name for name, _ in _BEST_FIRST])
    best_first = pc.sort_indices(table, sort_keys=_BEST_FIRST).to_numpy()
    _, firsts, group = np.unique(groups[best_first], return_index=True, return_inverse=True)
    best = np.empty(len(groups), np.int64)
    best[best_first] = best_first[firsts][group]
    return best


def is_boilerplate(text_pair: Ints, page_pair: Ints, lang_pair: Ints, *, least: int, share: float) -> Mask:
    """Rows whose pair of texts stands on more page pairs than ``least`` and than ``share`` of all."""
    # A pair of texts and a page pair each belong to one language pair: their codes say which.
    pages_of_lang = np.bincount(lang_pair[np.unique(page_pair, return_index=True)[1]])
    standing = np.unique(np.stack([text_pair, page_pair]), axis=1)[0]
    pages = np.bincount(standing, minlength=int(text_pair.max()) + 1)[text_pair]
    return np.asarray(pages > np.maximum(least, share * pages_of_lang[lang_pair]), dtype=bool)


def is_conflict(segments: pa.Table, src: Ints, lang_pair: Ints, standing_for: Ints, usable: Mask, sure: Mask) -> Mask:
    """Usable rows whose source another usable row translates better.

    Better is what is ``sure`` before what is not, then what has the higher sum of scores over its copies:
    ``standing_for`` names for each row the one that is kept for it. Ties go by score, addresses and position.
    """
    scores = segments["score"].to_numpy().astype(np.float64)
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
    groups = combine(lang_pair, src)
    conflict[ordered[np.unique(groups[ordered], return_index=True)[1]]] = False
    return conflict


def other_addresses(segments: pa.Table, standing_for: Ints) -> tuple[pa.Array, pa.Array]:
    """Addresses of the copies that each row stands for, beside its own: two parallel lists a row, sorted."""
    copies = np.flatnonzero(standing_for != np.arange(len(standing_for)))
    sides = [segments[name].take(pa.array(copies)).to_pylist() for name in ("src_url", "tgt_url")]
    found: dict[int, set[tuple[str, str]]] = {}
    for row, pair in zip(standing_for[copies].tolist(), zip(*sides, strict=True), strict=True):
        found.setdefault(row, set()).add(pair)
    lists: list[list[list[str]]] = [[[] for _ in range(segments.num_rows)] for _ in sides]
    for row, pairs in found.items():
        own = tuple(segments[name][row].as_py() for name in ("src_url", "tgt_url"))
        ordered = sorted(pairs - {own})
        for side in (0, 1):
            lists[side][row] = [pair[side] for pair in ordered]
    return pa.array(lists[0], pa.list_(pa.string())), pa.array(lists[1], pa.list_(pa.string()))
