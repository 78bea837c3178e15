"""The blocking rule of PWCC: pages of like path, depth and size whose anchors agree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import LCSseq

from diglot.arrays import Column, Mask, Pairs, Rows
from diglot.features.surface import path_directories, size_difference_bytes
from diglot.pairing.candidates.rules import BATCH_PAIRS, collect
from diglot.site import Site

Folder = tuple[tuple[str, ...], int]
"""Directory names of an address, and its depth."""


def most_common_path(
    site: Site,
    src: Rows,
    tgt: Rows,
    *,
    less_bytes: float,
    agreement: Callable[[Site, Pairs], Column] | None = None,
    mutual: bool = False,
) -> Iterator[Pairs]:
    """For each page the pages of the other side that share most directories and, among these, differ least in depth.

    Only pages count whose sizes differ by less than ``less_bytes`` and whose ``agreement`` is not 0. Pairs that either
    page names, or with ``mutual`` both.
    Cost: pages are compared folder by folder; a site with all pages in one folder gives all pairs of like size.
    Source: PWCC, section 3 and appendix A; a page that fails a filter does not raise the maximum there.
    """
    passes = partial(_passes, site, less_bytes=less_bytes, agreement=agreement)
    forward = _nearest(site, src, tgt, passes)
    backward = (found[:, ::-1] for found in _nearest(site, tgt, src, lambda pairs: passes(pairs[:, ::-1])))
    if not mutual:
        yield from forward
        yield from backward
        return
    both, times = np.unique(np.concatenate([collect(forward), collect(backward)]), axis=0, return_counts=True)
    yield both[times == 2]


def _passes(site: Site, pairs: Pairs, *, less_bytes: float, agreement: Callable[[Site, Pairs], Column] | None) -> Mask:
    mask: Mask = size_difference_bytes(site, pairs) < less_bytes
    if agreement is not None:
        mask[mask] = agreement(site, pairs[mask]) != 0
    return mask


def _nearest(site: Site, src: Rows, tgt: Rows, passes: Callable[[Pairs], Mask]) -> Iterator[Pairs]:
    """Of each source page the passing targets at the best level with any."""
    if not len(tgt):
        return
    targets = _by_folder(site, tgt)
    folders, depths = list(targets), np.array([depth for _, depth in targets])
    for (directories, depth), waiting in _by_folder(site, src).items():
        shared = process.cdist([directories], [names for names, _ in folders], scorer=LCSseq.similarity)[0]
        levels = np.stack([-shared.astype(np.int64), np.abs(depths - depth)], axis=1)
        best_first, level_of = np.unique(levels, axis=0, return_inverse=True)
        level_of = level_of.reshape(-1)
        for level in range(len(best_first)):
            partners = np.concatenate([targets[folders[k]] for k in np.flatnonzero(level_of == level).tolist()])
            for batch in _all_pairs(waiting, partners):
                found = batch[passes(batch)]
                yield found
                # A page with a passing target at this level needs no worse level.
                waiting = np.setdiff1d(waiting, found[:, 0])
            if not len(waiting):
                break


def _by_folder(site: Site, rows: Rows) -> dict[Folder, Rows]:
    folders: dict[Folder, list[int]] = defaultdict(list)
    for row in rows.tolist():
        folders[path_directories(site.urls[row]), int(site.depth[row])].append(row)
    return {folder: np.array(found, np.int32) for folder, found in folders.items()}


def _all_pairs(src: Rows, tgt: Rows) -> Iterator[Pairs]:
    """All pairs of source and target rows, in batches; a source row's pairs are in one batch."""
    step = max(1, BATCH_PAIRS // len(tgt))
    for start in range(0, len(src), step):
        rows = src[start : start + step]
        yield np.stack([np.repeat(rows, len(tgt)), np.tile(tgt, len(rows))], axis=1).astype(np.int32)
