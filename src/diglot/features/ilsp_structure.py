"""Fingerprints of main text: types and lengths of paragraphs, how far two are apart, and a trained judgement.

Source: ILSP/ARC at WMT 2016, section 2.3. The classifier is an explicit polynomial, the decision function of
a soft-margin support vector machine with a polynomial kernel.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from diglot.arrays import Column, Pairs, Ragged, offsets_of
from diglot.features.fingerprint import Sequences, bag_of_symbols, banded_distances
from diglot.features.paragraphs import kept_blocks, kept_texts, paragraph_ratio, paragraph_rows, ratio_of_counts
from diglot.records import BlockKind
from diglot.site import Site

TYPE_CODES: dict[BlockKind, int] = {BlockKind.TITLE: -2, BlockKind.HEADING: -3, BlockKind.LIST_ITEM: -4}
"""Codes before the length of a paragraph of some types (section 2.3)."""
_LONGEST_BLOCK = 1 << 18
_TYPE_LENGTHS = np.array([0, 0, 1 << 22, 1 << 26, 1 << 30], np.int32)
"""Lengths in place of type codes, by their size: no block has them and they differ by nearly all of themselves, so a
code equals only itself and a code for a length is one edit."""


def main_fingerprints(site: Site, *, main: bool = True) -> Ragged:
    """Fingerprint of the paragraphs of every page: the code of the type, if any, and the length in characters.

    ``[-2, 28, 145, -4, 9, -3, 48, 740]`` is a title, a paragraph, a list item, a heading, a paragraph.
    """
    return site.keep(("main_fingerprints", main), lambda: _fingerprints(site, main))


def _fingerprints(site: Site, main: bool) -> Ragged:
    code_of = np.zeros(max(BlockKind) + 1, np.int32)
    for kind, code in TYPE_CODES.items():
        code_of[kind] = code
    kinds = site.ragged_column("block_kinds").values[kept_blocks(site, main=main).values]
    lengths = pc.utf8_length(kept_texts(site, main=main)).to_numpy()
    both = np.stack([code_of[kinds], lengths], axis=1).astype(np.int32)
    rows = np.repeat(paragraph_rows(site, main=main), np.count_nonzero(both, axis=1))
    return Ragged(both[both != 0], offsets_of(np.bincount(rows, minlength=len(site))))


def fingerprint_ratio(site: Site, pairs: Pairs, *, main: bool = True) -> Column:
    """Shorter fingerprint over longer, in [0, 1]; NaN where both are empty."""
    return ratio_of_counts(main_fingerprints(site, main=main).lengths(), pairs)


def edit_share(site: Site, pairs: Pairs, *, block_threshold: float, at_most: float = 1.0, main: bool = True) -> Column:
    """Edits between two fingerprints over the longer length, in [0, 1]; inf beyond ``at_most``.

    Insertion, deletion and replacement cost 1; lengths that differ by at most ``block_threshold`` of the longer
    (fraction) are equal, types only to themselves. NaN where both are empty. Banded by ``at_most``.
    """
    prints = main_fingerprints(site, main=main)
    sequences = site.keep(("comparable prints", main), lambda: _comparable(prints))
    longer = prints.lengths()[pairs].max(axis=1).astype(np.float64)
    # A product that should be a whole number may come out a little below it.
    limits = np.floor(longer * at_most + 1e-9)
    thresholds = np.full(len(pairs), block_threshold)
    edits = banded_distances(sequences, pairs, thresholds, limits)
    return np.divide(edits, longer, out=np.full(len(pairs), np.nan), where=longer > 0).astype(np.float32)


def _comparable(prints: Ragged) -> Sequences:
    """Fingerprints with a length in place of each type code, as :func:`banded_distances` takes them."""
    is_type = prints.values < 0
    lengths = np.minimum(prints.values, _LONGEST_BLOCK)
    values = np.where(is_type, _TYPE_LENGTHS[np.where(is_type, -prints.values, 0)], lengths).astype(np.int32)
    bags = bag_of_symbols(prints.values, prints.offsets, -min(TYPE_CODES.values()))
    return Sequences(values, prints.offsets, bags)


@dataclass(frozen=True)
class Polynomial:
    """A decision function of three ratios: the sum of ``weight * x**i * y**j * z**k`` over its terms.

    x is the ratio of the fingerprints' lengths, y that of the paragraphs, z the edit share.
    """

    terms: tuple[tuple[tuple[int, int, int], float], ...]

    def __call__(self, ratios: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Decision values of ``ratios``, shape (n, 3): positive for a pair, 1 at the margin."""
        parts = [weight * np.prod(ratios ** np.array(powers), axis=1) for powers, weight in self.terms]
        return np.asarray(np.sum(parts, axis=0), np.float64)


def structure_ratios(
    site: Site, pairs: Pairs, *, block_threshold: float, at_most: float = 1.0, main: bool = True
) -> npt.NDArray[np.float64]:
    """The three ratios of section 2.3: fingerprint lengths, paragraph counts, edits over the longer; shape (n, 3)."""
    columns = (
        fingerprint_ratio(site, pairs, main=main),
        paragraph_ratio(site, pairs, main=main),
        edit_share(site, pairs, block_threshold=block_threshold, at_most=at_most, main=main),
    )
    return np.stack(columns, axis=1).astype(np.float64)


def structure_decision(
    site: Site, pairs: Pairs, *, classifier: Polynomial, block_threshold: float, at_most: float = 1.0, main: bool = True
) -> Column:
    """Decision value of the classifier: above 0 for a pair; -inf beyond ``at_most`` edits, NaN for empty pages."""
    ratios = structure_ratios(site, pairs, block_threshold=block_threshold, at_most=at_most, main=main)
    # The polynomial has no value at an infinite edit share.
    decided = np.full(len(pairs), -np.inf)
    within = ~np.isinf(ratios[:, 2])
    decided[within] = classifier(ratios[within])
    return decided.astype(np.float32)
