"""Sentence vectors as evidence for beads: how near the vectors of the two sides are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from diglot.alignment.encoders import Encoder
from diglot.alignment.lexical_evidence import Similarity
from diglot.errors import UsageError

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]

BATCH_TEXTS = 256
"""Texts given to the encoder at a time."""
ENCODED_RUN = 3
"""Sentences of the longest run that is encoded as one text. With sums of single vectors instead, a sentence that is
missing from a bead hardly shows."""


def embedding_similarity(src: Sequence[str], tgt: Sequence[str], encode: Encoder) -> Similarity:
    """Cosine of the vectors of both sides of a bead; NaN where a side is blank.

    Runs of up to :data:`ENCODED_RUN` sentences are encoded as one text; the vector of a longer one is the sum of those
    of its parts, each times the root of its length. Memory: ``ENCODED_RUN`` vectors a sentence. Source of comparing
    runs by their own vectors: Thompson and Koehn 2019, Vecalign.
    """
    if not (any(map(str.strip, src)) and any(map(str.strip, tgt))):
        return lambda beads: np.full(len(beads), np.nan)
    src_vectors, tgt_vectors = run_vectors(src, encode), run_vectors(tgt, encode)

    def similarity(beads: Ints) -> Floats:
        from diglot.alignment.run_cosines import run_cosines

        found: Floats = run_cosines(src_vectors, tgt_vectors, beads)
        return found

    return similarity


def run_vectors(sentences: Sequence[str], encode: Encoder) -> Singles:
    """Vectors of runs: (length of the run less one, first sentence, dimension), each as long as the root of its
    number of characters; zeros for a blank run and one that would pass the end.

    Equal texts are encoded once; one of them must not be blank. Raises: UsageError for an encoder that does not give
    a row of numbers a text, all of one length.
    """
    count = len(sentences)
    runs = [
        [" ".join(sentences[first : first + length]).strip() for first in range(count - length + 1)]
        for length in range(1, min(ENCODED_RUN, count) + 1)
    ]
    distinct = list(dict.fromkeys(text for row in runs for text in row if text))
    place = {text: row for row, text in enumerate(distinct)}
    found = _encoded(encode, distinct)
    roots = np.sqrt([len(text) for text in distinct]).astype(np.float32)[:, None]
    found *= roots / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
    vectors = np.zeros((ENCODED_RUN, count, found.shape[1]), np.float32)
    for length, texts in enumerate(runs):
        known = [first for first, text in enumerate(texts) if text]
        vectors[length, known] = found[[place[texts[first]] for first in known]]
    return vectors


def _encoded(encode: Encoder, texts: Sequence[str]) -> Singles:
    """A row each, asked for in batches."""
    batches = [_rows(encode, texts[first : first + BATCH_TEXTS]) for first in range(0, len(texts), BATCH_TEXTS)]
    lengths = sorted({batch.shape[1] for batch in batches})
    if len(lengths) > 1:
        raise UsageError(f"evidence: the encoder gave rows of {lengths[0]} numbers and rows of {lengths[-1]}")
    return np.concatenate(batches)


def _rows(encode: Encoder, texts: Sequence[str]) -> Singles:
    given = encode(texts)
    try:
        rows = np.array(given, np.float32)
    except (TypeError, ValueError):  # rows of several lengths, or no numbers
        rows = np.empty(0, np.float32)
    if rows.ndim != 2 or len(rows) != len(texts) or not np.isfinite(rows).all():
        raise UsageError(f"evidence: the encoder gave no row of numbers for each of {len(texts)} texts")
    return rows
