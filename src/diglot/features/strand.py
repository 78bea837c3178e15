"""Pages as lines of tags and text chunks (STRAND), and the unmatched share of two lines.

Sources: Resnik & Smith 2003 (*linearise*, *dp*); Assylbekov et al. 2015, section 2 (W, M, N, L1, L2).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc
from rapidfuzz import process
from rapidfuzz.distance import Indel

from diglot.arrays import Column, Mask, Pairs, Ragged
from diglot.documents.html.tags import TAGS, indices_of_codes, tag_index
from diglot.site import Site

HIDDEN_TAGS = (
    *("a", "acronym", "b", "em", "font", "i", "link", "meta", "nobr", "script", "span", "strong", "style", "sub"),
    *("sup", "head"),
)
"""Tags without a token; texts on both sides become one chunk. All but ``head`` follow the STRAND aligner used in the
paper; ``head`` because parsers write it whether or not the page did."""


def strand_tokens(site: Site, *, drop_repeated: bool = False) -> Ragged:
    """Every page as a line of tokens: a negative number for a start or end tag, a positive number for a chunk of text.

    A chunk's number is its length in characters without white space (paper, section 2: 23, 21, 72, 69).
    ``drop_repeated``: without the text of blocks repeated all over the site. Their tags stay: a menu may be repeated
    often enough in one language only, and then all its tags would be unmatched.
    """
    return site.keep(("strand_tokens", drop_repeated), lambda: _strand_tokens(site, drop_repeated))


def token_counts(site: Site, *, drop_repeated: bool = False) -> npt.NDArray[np.int64]:
    """Number of tokens of every page, shape (len(site),): the paper's M or N."""
    return strand_tokens(site, drop_repeated=drop_repeated).lengths()


def chunk_characters(site: Site, *, drop_repeated: bool = False) -> npt.NDArray[np.int64]:
    """Characters in the chunks of every page, white space not counted, shape (len(site),): L1 or L2."""
    tokens = strand_tokens(site, drop_repeated=drop_repeated)
    total = np.concatenate([[0], np.cumsum(np.maximum(tokens.values, 0), dtype=np.int64)])
    return np.diff(total[tokens.offsets])


def unmatched_tokens(site: Site, pairs: Pairs, *, drop_repeated: bool = False) -> Column:
    """Tokens of either page without a partner in the best alignment, M + N - 2 * LCS: the paper's W.

    A tag matches the same tag, a chunk any chunk. Cost: O(length / 64 * length) a pair (bit-parallel), all cores.
    """
    if not len(pairs):
        return np.zeros(0, np.float32)
    lines = site.keep(("strand_lines", drop_repeated), lambda: _lines(strand_tokens(site, drop_repeated=drop_repeated)))
    src, tgt = ([lines[row] for row in pairs[:, side].tolist()] for side in (0, 1))
    distances: Column = process.cpdist(src, tgt, scorer=Indel.distance, dtype=np.int32, workers=-1).astype(np.float32)
    return distances


def difference_percentage(site: Site, pairs: Pairs, *, drop_repeated: bool = False) -> Column:
    """Share of unmatched tokens, W / (M + N), in [0, 1]: 0 for equal skeletons, NaN where no page has a token.

    Source: Resnik & Smith 2003, the value *dp*; hand threshold there 0.20.
    """
    total = token_counts(site, drop_repeated=drop_repeated)[pairs].sum(axis=1).astype(np.float32)
    total[total == 0] = np.nan
    return unmatched_tokens(site, pairs, drop_repeated=drop_repeated) / total


def _lines(tokens: Ragged) -> list[str]:
    """Lines as strings with a character for each token: the fastest kind of sequence to compare."""
    # All chunks are character 0, since any chunk matches any other.
    symbols = np.where(tokens.values < 0, -tokens.values, 0).astype("<u4")
    return [symbols[i:j].tobytes().decode("utf-32-le") for i, j in pairwise(tokens.offsets)]


def _strand_tokens(site: Site, drop_repeated: bool) -> Ragged:
    tokens = site.ragged_column("tokens")
    values = tokens.values.astype(np.int64)
    is_tag = values < 0
    values[~is_tag] = _visible_lengths(site)
    keep = ~is_tag | _shown_tags(HIDDEN_TAGS)[indices_of_codes(np.where(is_tag, values, -1))]
    if drop_repeated:
        keep[~is_tag] &= ~_repeated_chunks(site)
    return _merge_chunks(values[keep], tokens.rows_of_values()[keep], len(tokens))


def _shown_tags(hidden: Iterable[str]) -> Mask:
    shown = np.ones(len(TAGS), bool)
    shown[[tag_index(name) for name in hidden]] = False
    return shown


def _visible_lengths(site: Site) -> npt.NDArray[np.int64]:
    chunks = site.documents["chunks"].combine_chunks().flatten()
    lengths = pc.subtract(pc.utf8_length(chunks), pc.count_substring(chunks, " "))
    return lengths.to_numpy(zero_copy_only=False).astype(np.int64)


def _repeated_chunks(site: Site) -> Mask:
    """Mask of the chunks in repeated blocks."""
    ends = site.ragged_column("block_ends")
    before = np.concatenate([[0], ends.values[:-1]]) if len(ends.values) else ends.values
    # Ends of blocks are counted from the start of their page.
    before[ends.offsets[:-1][ends.lengths() > 0]] = 0
    chunks: Mask = np.repeat(site.repeated_blocks.values, ends.values - before)
    return chunks


def _merge_chunks(values: npt.NDArray[np.int64], rows: npt.NDArray[np.int64], row_count: int) -> Ragged:
    """Neighbouring chunks of a row as a single chunk of summed length."""
    counts = np.zeros(row_count + 1, np.int64)
    if not len(values):
        return Ragged(values, counts)
    begins = np.ones(len(values), bool)
    begins[1:] = (values[1:] < 0) | (values[:-1] < 0) | (rows[1:] != rows[:-1])
    first = np.flatnonzero(begins)
    counts[1:] = np.cumsum(np.bincount(rows[first], minlength=row_count))
    return Ragged(np.add.reduceat(values, first), counts)
