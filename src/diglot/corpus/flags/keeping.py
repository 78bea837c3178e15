"""The segments that are kept: those with the least score, and without a flag that leaves them out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Mask
from diglot.corpus.flags import EXCLUDED, JUDGED_WRONG, LASTING, REPEATS, VOUCHED

BELOW_MIN_SCORE = "below_min_score"
"""Name of the least score among the flags that leave segments out."""


def clean(segments: pa.Table, excluded: Collection[str] = EXCLUDED, min_score: float = 0.0) -> pa.Table:
    """The kept rows, in order (:func:`kept_mask`): the content of a translation memory."""
    return segments.filter(pa.array(kept_mask(segments, excluded, min_score)))


def kept_mask(segments: pa.Table, excluded: Collection[str] = EXCLUDED, min_score: float = 0.0) -> Mask:
    """Mask of the rows that reach ``min_score`` and are left out by no flag of ``excluded`` (:func:`keeps_out`)."""
    lasting = LASTING.intersection(excluded)
    left_out = carries(segments, *lasting) | (carries(segments, *set(excluded) - lasting) & ~is_vouched(segments))
    return reaches(segments, min_score) & ~left_out


def is_vouched(segments: pa.Table) -> Mask:
    """Mask of the rows that a person answers for (:data:`VOUCHED`)."""
    return carries(segments, *VOUCHED)


def keeps_out(segments: pa.Table, flag: str, vouched: Mask) -> Mask:
    """Mask of the rows left out by an excluding flag: all rows with a lasting flag (:data:`LASTING`), and the rows with
    another flag that nobody answers for."""
    found = carries(segments, flag)
    return found if flag in LASTING else found & ~vouched


def reaches(segments: pa.Table, min_score: float) -> Mask:
    """Mask of the rows with this score or more, and of those that a person answers for."""
    scores = segments["score"].to_numpy()
    # In single precision, as scores are stored: a score written as .9 reaches .9.
    return np.asarray(scores >= scores.dtype.type(min_score), dtype=bool) | is_vouched(segments)


def carries(segments: pa.Table, *flags: str) -> Mask:
    """Mask of the rows with one flag or several of ``flags``."""
    lists = segments["flags"].combine_chunks()
    found = np.zeros(segments.num_rows, dtype=bool)
    is_found = pc.is_in(pc.list_flatten(lists), value_set=pa.array(flags, pa.string()))
    found[pc.list_parent_indices(lists).filter(is_found).to_numpy()] = True
    return found


def count_left_out(segments: pa.Table, excluded: Collection[str], min_score: float) -> tuple[dict[str, int], int]:
    """Rows left out by each flag of ``excluded``, each row counted once, and rows left out by their score alone.

    A row counts under its first flag (:func:`in_turn`). Both together are the rows left out by :func:`clean`.
    """
    counts = Counter(left_out_by(segments, excluded, min_score).tolist())
    return {flag: n for flag in in_turn(excluded) if (n := counts[flag])}, counts[BELOW_MIN_SCORE]


def left_out_by(segments: pa.Table, excluded: Collection[str], min_score: float) -> np.ndarray:
    """The first flag that leaves out each row (:func:`in_turn`), :data:`BELOW_MIN_SCORE` for its score alone, "" for a
    kept row; objects, shape (rows,)."""
    found = np.full(segments.num_rows, "", dtype=object)
    left = np.ones(segments.num_rows, dtype=bool)
    vouched = is_vouched(segments)
    for flag in in_turn(excluded):
        mine = left & keeps_out(segments, flag, vouched)
        found[mine] = flag
        left &= ~mine
    found[left & ~reaches(segments, min_score)] = BELOW_MIN_SCORE
    return found


def in_turn(flags: Collection[str]) -> list[str]:
    """Flags in the order of counting: a row with several counts under the first. By name, then :data:`REPEATS`, and
    last :data:`JUDGED_WRONG`: its count is the segments that would be kept."""
    last = (*REPEATS, JUDGED_WRONG)
    return sorted(set(flags) - set(last)) + [flag for flag in last if flag in flags]
