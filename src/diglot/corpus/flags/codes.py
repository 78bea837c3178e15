"""Numbers for equal values that NumPy can group and compare: texts, addresses, languages, and the sites of segments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Ints, connected_groups
from diglot.site import registered_domain

_FEW_TEXTS = 10_000
"""Most texts that are copied into one chunk."""


def encode(column: pa.ChunkedArray) -> tuple[pa.Array, Ints]:
    """Distinct values in order of first appearance, and for each row the place of its value, int64 (rows,)."""
    chunks = column.dictionary_encode().unify_dictionaries().chunks
    if not chunks:
        return pa.array([], column.type), np.zeros(0, np.int64)
    return chunks[0].dictionary, np.concatenate([chunk.indices.to_numpy() for chunk in chunks]).astype(np.int64)


def encode_sorted(column: pa.ChunkedArray) -> tuple[pa.Array, Ints]:
    """Distinct values in ascending order, and for each row the place of its value, int64 (rows,)."""
    values, codes = encode(column)
    order = pc.sort_indices(values)
    place = np.empty(len(order), np.int64)
    place[order.to_numpy()] = np.arange(len(order))
    return values.take(order), place[codes]


def codes_of(column: pa.ChunkedArray) -> Ints:
    """A number for each distinct value, int64 (rows,)."""
    return encode(column)[1]


def stack(*columns: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column with the values of several columns of a type, in order."""
    return pa.chunked_array([chunk for column in columns for chunk in column.chunks], columns[0].type)


def both_sides(pairs: pa.Table) -> pa.ChunkedArray:
    """The texts of both sides, all of ``src`` and then all of ``tgt``; in one chunk up to :data:`_FEW_TEXTS` texts."""
    texts = stack(pairs["src"], pairs["tgt"])
    # Arrow compiles a pattern for each chunk, which takes as long as to match some hundred texts.
    return pa.chunked_array([texts.combine_chunks()]) if len(texts) <= _FEW_TEXTS else texts


def combine(*codes: Ints) -> Ints:
    """A number from 0 for each distinct combination of codes, int64 (rows,)."""
    combined = codes[0]
    for other in codes[1:]:
        # Made dense after each step, so that the product never overflows.
        _, combined = np.unique(combined * (other.max() + 1) + other, return_inverse=True)
    return combined


def rows_by_code(codes: Ints) -> Iterator[Ints]:
    """The rows of each code, ascending."""
    order = np.argsort(codes, kind="stable")
    cuts = np.flatnonzero(np.diff(codes[order])) + 1
    yield from np.split(order, cuts) if len(order) else ()


@dataclass(frozen=True, slots=True)
class SegmentSites:
    """Sites of segments by number: registered domains that a pair of pages joins are one site."""

    of_row: Ints
    """Shape (segments,)."""
    of_domain: Mapping[str, int] = field(default_factory=dict)
    elsewhere: int = -1
    """The site of a domain without segments; -1 for none."""

    def of_urls(self, urls: pa.ChunkedArray) -> Ints:
        """Site number of each page, shape (pages,); -1 for a page outside the sites of the segments."""
        distinct = urls.combine_chunks().dictionary_encode()
        sites = [self.of_domain.get(registered_domain(url), self.elsewhere) for url in distinct.dictionary.to_pylist()]
        return np.asarray(np.array(sites, np.int64)[distinct.indices.to_numpy()])


def segment_sites(segments: pa.Table, *, one_site: bool = False) -> SegmentSites:
    """Number of each segment's site; ``one_site``: the segments of the run belong to a single site."""
    if one_site:
        return SegmentSites(np.zeros(segments.num_rows, np.int64), elsewhere=0)
    urls = stack(segments["src_url"], segments["tgt_url"]).combine_chunks().dictionary_encode()
    domains = pa.array(map(registered_domain, urls.dictionary.to_pylist()), pa.string()).dictionary_encode()
    src, tgt = domains.indices.to_numpy()[urls.indices.to_numpy()].reshape(2, -1)
    names = domains.dictionary.to_pylist()
    if np.array_equal(src, tgt):
        return SegmentSites(src.astype(np.int64), {name: number for number, name in enumerate(names)})
    # Two domains with a pair of pages between them are one site.
    site = connected_groups(np.unique(np.stack([src, tgt], axis=1), axis=0), len(names))
    return SegmentSites(site[src], dict(zip(names, site.tolist(), strict=True)))
