"""Numbers for equal values: texts, addresses and languages as codes that NumPy can group and compare."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Ints


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
