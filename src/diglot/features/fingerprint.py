"""Fingerprints of pages and their banded edit distances (Bitextor 2009, sections 3 and 4; 2010, 3.2 and 4.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Column, Floats, Ints, Ints32, Mask, Pairs, Ragged
from diglot.documents.html.tags import IRRELEVANT, TAG_CLASSES, TAGS, indices_of_codes, start_code
from diglot.features.edit_distance_kernels import bag_of_symbols as bag_of_symbols
from diglot.features.edit_distance_kernels import distances
from diglot.site import Site
from diglot.threads import in_threads

_BODY = start_code("body")

_PAGES = 1_000
"""Pages whose fingerprints are made at a time."""
_CHUNK_PAIRS = 64
"""Pairs that one thread takes at a stretch."""


def fingerprints(site: Site, *, end_tags: bool = True) -> Ragged:
    """Fingerprint of every page: a negative number for each tag, the length > 0 of each text block.

    Irrelevant tags are dropped and the texts on both sides joined; the head of the page is left out. Start and end tag
    of one name share a symbol; ``end_tags=False`` keeps starts only.
    """
    return site.keep(("fingerprints", end_tags), lambda: _build(site, end_tags))


def _build(site: Site, end_tags: bool) -> Ragged:
    tokens, chunks = site.ragged_column("tokens"), site.flat_strings("chunks")
    is_blank = _mask(pc.ends_with(chunks, " ")), _mask(pc.starts_with(chunks, " "))
    texts = np.concatenate([[0], np.cumsum(tokens.values >= 0)])[tokens.offsets]
    keep = np.array([TAG_CLASSES.get(name, IRRELEVANT) != IRRELEVANT for name in TAGS])
    parts = []
    for start in range(0, len(site), _PAGES):
        ends = tokens.offsets[start : start + _PAGES + 1]
        some = Ragged(tokens.values[ends[0] : ends[-1]], ends - ends[0])
        here = slice(texts[start], texts[min(start + _PAGES, len(site))])
        parts.append(_some_fingerprints(some, (is_blank[0][here], is_blank[1][here]), keep, end_tags))
    lengths = np.concatenate([np.zeros(1, np.int64), *(part.lengths() for part in parts)])
    return Ragged(np.concatenate([np.zeros(0, np.int32), *(part.values for part in parts)]), np.cumsum(lengths))


def _some_fingerprints(tokens: Ragged, is_blank: tuple[Mask, Mask], keep: Mask, end_tags: bool) -> Ragged:
    """Fingerprints of some pages; ``is_blank``: whether chunks end, and begin, with a blank; ``keep``: mask of tags."""
    codes, page, pages = tokens.values, tokens.rows_of_values(), len(tokens)
    in_body = _body_mask(codes, page, pages)
    is_tag = codes < 0
    index = indices_of_codes(np.where(is_tag, codes, -1))
    is_kept = in_body & is_tag & keep[index] & (end_tags | (codes % 2 != 0))
    kept_tags = np.bincount(page[is_kept], minlength=pages)
    # A page with n kept tags has 2n + 1 places: the tags, and the text before, between and after them.
    places = np.concatenate([[0], np.cumsum(2 * kept_tags + 1)])
    place = places[page] + 2 * (np.cumsum(is_kept) - np.concatenate([[0], np.cumsum(kept_tags)])[page])
    is_text = in_body & ~is_tag
    number = np.cumsum(~is_tag) - 1
    values = _text_lengths(place[is_text], codes[is_text], number[is_text], is_blank, int(places[-1]))
    values[place[is_kept] - 1] = -1 - index[is_kept]
    filled = values != 0
    ends = np.concatenate([[0], np.cumsum(filled)])[places]
    return Ragged(values[filled].astype(np.int32), ends.astype(np.int64))


def _body_mask(codes: Ints32, page: Ints, pages: int) -> Mask:
    """Mask of the tokens in the body of their page, or on a page without a body."""
    starts = np.flatnonzero(codes == _BODY)[::-1]
    first = np.zeros(pages, np.int64)
    first[page[starts]] = starts
    return np.arange(len(codes)) >= first[page]


def _text_lengths(place: Ints, sizes: Ints32, number: Ints, is_blank: tuple[Mask, Mask], places: int) -> Ints:
    """Characters of text by place, from place, size and number of the chunks; white space between chunks counts 1."""
    lengths = np.bincount(place, weights=sizes, minlength=places).astype(np.int64)
    # White space between two chunks shows at the end of the first or at the start of the second.
    blank = is_blank[0][number[:-1]] | is_blank[1][number[1:]]
    return lengths + np.bincount(place[1:][(place[1:] == place[:-1]) & blank], minlength=places)


def _mask(values: pa.BooleanArray) -> Mask:
    return np.asarray(values.to_numpy(zero_copy_only=False), bool)


def thresholded_distance(
    site: Site, pairs: Pairs, *, block_threshold: Column | float, limit: Column | float, end_tags: bool = True
) -> Column:
    """Number of edits between two fingerprints, or inf above ``limit``.

    Insertion and deletion cost 1; a tag for another tag costs 1; a block for a block costs 1 if their lengths differ by
    more than ``block_threshold`` of the longer (fraction), else 0; a tag never replaces a block. Source: Bitextor 2009,
    4.1 and 4.2.
    """
    return _distances(site, pairs, block_threshold, limit, end_tags)


def limited_distance(
    site: Site, pairs: Pairs, *, block_threshold: float, absolute: float, relative: float, end_tags: bool = True
) -> Column:
    """:func:`thresholded_distance` within :func:`edit_limit`: inf where the stricter limit is exceeded."""
    limit = edit_limit(site, pairs, absolute=absolute, relative=relative, end_tags=end_tags)
    return thresholded_distance(site, pairs, block_threshold=block_threshold, limit=limit, end_tags=end_tags)


def direct_similarity(site: Site, pairs: Pairs, *, least: float = 0.0, end_tags: bool = True) -> Column:
    """1 minus the direct distance over the longer fingerprint, in [0, 1]; not a probability.

    ``least``: result for all lower similarities, which then need not be computed; that saves most of the time.
    """
    longer = np.maximum(longer_fingerprint(site, pairs, end_tags=end_tags), 1)
    limit = np.inf if least <= 0 else ((1 - least) * longer).astype(np.float32)
    return (1 - np.minimum(_distances(site, pairs, -1.0, limit, end_tags) / longer, 1 - least)).astype(np.float32)


def direct_distance(site: Site, pairs: Pairs, *, end_tags: bool = True) -> Column:
    """Edit distance with the relative difference of lengths as the cost of a block for a block (Bitextor 2010, 4.2)."""
    return _distances(site, pairs, -1.0, np.inf, end_tags)


def edit_limit(site: Site, pairs: Pairs, *, absolute: float, relative: float, end_tags: bool = True) -> Column:
    """The stricter of ``absolute`` edits and ``relative`` (fraction) of the longer fingerprint, rounded down."""
    lengths = fingerprints(site, end_tags=end_tags).lengths()
    longer = lengths[pairs].max(axis=1) if len(pairs) else np.zeros(0)
    # A share of a whole number may come out a little below the whole number.
    return np.minimum(absolute, np.floor(longer * relative + 1e-9)).astype(np.float32)


def fingerprint_length(site: Site, pairs: Pairs, *, end_tags: bool = True) -> Column:
    """Length of the shorter of the two fingerprints."""
    lengths = fingerprints(site, end_tags=end_tags).lengths()
    return lengths[pairs].min(axis=1).astype(np.float32)


def longer_fingerprint(site: Site, pairs: Pairs, *, end_tags: bool = True) -> Column:
    """Length of the longer of the two fingerprints."""
    lengths = fingerprints(site, end_tags=end_tags).lengths()
    return lengths[pairs].max(axis=1).astype(np.float32)


def _distances(
    site: Site, pairs: Pairs, block_threshold: Column | float, limit: Column | float, end_tags: bool
) -> Column:
    n = len(pairs)
    thresholds = np.broadcast_to(np.asarray(block_threshold, np.float64), n).copy()
    limits = np.broadcast_to(np.asarray(limit, np.float64), n).copy()
    sequences = site.keep(("fingerprint bags", end_tags), lambda: _with_bags(fingerprints(site, end_tags=end_tags)))
    return banded_distances(sequences, pairs, thresholds, limits)


def _with_bags(prints: Ragged) -> Sequences:
    return Sequences(prints.values, prints.offsets, bag_of_symbols(prints.values, prints.offsets, len(TAGS)))


@dataclass(frozen=True, eq=False)
class Sequences:
    """Sequences of symbols: sequence ``k`` is ``values[offsets[k]:offsets[k + 1]]``.

    A negative symbol is a tag, another the length of a text. ``bags``: :func:`bag_of_symbols` of each sequence.
    """

    values: Ints32
    offsets: Ints
    bags: Ints32


def banded_distances(sequences: Sequences, pairs: Pairs, thresholds: Floats, limits: Floats) -> Column:
    """Edit distance of every pair, float32 (n,), inf beyond its limit; a threshold < 0 asks for direct costs.

    Cost a pair: O(min(limit, distance) * length), all cores.
    """
    result = np.empty(len(pairs), np.float32)
    pairs = np.ascontiguousarray(pairs, np.int32)
    thresholds, limits = np.ascontiguousarray(thresholds, np.float64), np.ascontiguousarray(limits, np.float64)

    def fill(some: slice) -> None:
        distances(result[some], pairs[some], thresholds[some], limits[some], sequences)

    in_threads(fill, len(pairs), _CHUNK_PAIRS)
    return result
