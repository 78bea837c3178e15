"""Choice of the segments in a report: samples, conflicts, and whole page pairs up to a limit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Ints, Mask, rows_by_number
from diglot.corpus.flags import CONFLICT
from diglot.corpus.flags.repeats import near_text_keys
from diglot.report.tables import RunTables

SEGMENTS_SHOWN = 100_000
"""Most segments in a report; of a larger run the report holds a random sample of whole page pairs."""
TEXT_BYTES_SHOWN = 40 << 20
"""Most text in a report, in UTF-8; the file takes about half of it, compressed and in base 64."""
PAIRS_SHOWN = 20_000
"""Most page pairs in a report."""
ROWS_A_KIND = 20
"""Most segments in a sample, and most conflicts, of a language pair."""
ROWS_A_KIND_LEAST = 5
ROWS_A_KIND_TOTAL = 400
"""Total over all language pairs; with many pairs each has fewer, but at least ``ROWS_A_KIND_LEAST``."""
TARGETS_SHOWN = 8
"""Most translations shown of a conflict."""
BORDERLINE = 0.5
"""Score of the most doubtful segment: as likely right as wrong."""
DRAWING_SEED = 0
LOW_SCORE = "low score"
"""Kind of the segments left out for their score alone; no flag has a blank in its name."""


@dataclass(frozen=True)
class Shown:
    """Rows of segments and page pairs in a report.

    ``rows``: int64, by page pair and position. ``pairs``: int64, rising; page pairs of ``rows``, and page pairs without
    segments. ``whole``: mask of ``pairs`` with all segments shown. ``samples``: for each language pair, rows by kind
    (best, borderline, random, :data:`LOW_SCORE`, and flags by name). ``conflicts``: for each language pair, rows of one
    source and its number of translations. ``conflicts_found``: number of conflicts of each language pair.
    """

    rows: Ints
    pairs: Ints
    whole: Mask
    samples: list[dict[str, list[int]]]
    conflicts: list[list[tuple[list[int], int]]]
    conflicts_found: list[int]


def choose_rows(run: RunTables, *, segments: int = SEGMENTS_SHOWN, text_bytes: int = TEXT_BYTES_SHOWN) -> Shown:
    """Choose up to about ``segments`` rows and ``text_bytes`` of text; same run, same choice."""
    each = min(ROWS_A_KIND, max(ROWS_A_KIND_LEAST, ROWS_A_KIND_TOTAL // max(1, len(run.lang_pairs))))
    order = np.random.default_rng(DRAWING_SEED).permutation(run.segments.num_rows)
    carriers = _carriers(run.segments)
    rivals = run.not_excluded | carriers.get(CONFLICT, np.False_)
    samples, conflicts, found = [], [], []
    for places in rows_by_number(run.lang_pair_of[order], len(run.lang_pairs)):
        mine = order[places]
        samples.append(_samples(run, mine, carriers, each))
        groups = _conflicts(run, np.sort(mine[rivals[mine]]))
        conflicts.append(groups[:each])
        found.append(len(groups))
    picked = [row for kinds in samples for rows in kinds.values() for row in rows]
    picked += [row for groups in conflicts for rows, _ in groups for row in rows]
    whole_pairs = _whole_pairs(run, segments, text_bytes)
    keep = whole_pairs[run.page_pair_of]
    # Samples and conflicts are shown even where the rest of their page pair is not.
    keep[picked] = True
    rows = np.flatnonzero(keep)
    position = np.asarray(run.segments["position"].to_numpy(), np.int64)
    rows = rows[np.lexsort((position[rows], run.page_pair_of[rows]))]
    pairs = np.union1d(np.unique(run.page_pair_of[rows]), np.flatnonzero(whole_pairs))
    return Shown(rows, pairs, whole_pairs[pairs], samples, conflicts, found)


def _carriers(segments: pa.Table) -> dict[str, Mask]:
    """Mask of the segments with a flag, by flag."""
    lists = segments["flags"].combine_chunks()
    flags = pc.list_flatten(lists).dictionary_encode()
    flagged = np.asarray(pc.list_parent_indices(lists).to_numpy(), np.int64)
    numbers = flags.indices.to_numpy()
    found = {}
    for number, flag in enumerate(flags.dictionary.to_pylist()):
        found[flag] = np.zeros(segments.num_rows, bool)
        found[flag][flagged[numbers == number]] = True
    return found


def _samples(run: RunTables, rows: Ints, carriers: Mapping[str, Mask], each: int) -> dict[str, list[int]]:
    """Rows by kind; ``rows``: of a language pair, in random order, so that ties are broken at random."""
    kept = rows[run.is_kept[rows]]
    score = run.score[kept]
    chosen = {
        "best": kept[np.argsort(-score, kind="stable")][:each],
        "borderline": kept[np.argsort(np.abs(score - BORDERLINE), kind="stable")][:each],
        "random": kept[:each],
    }
    for flag in sorted(carriers):
        chosen[flag] = rows[carriers[flag][rows]][:each]
    chosen[LOW_SCORE] = rows[(run.not_excluded & ~run.is_kept)[rows]][:each]
    return {kind: found.tolist() for kind, found in chosen.items() if len(found)}


def _conflicts(run: RunTables, rivals: Ints) -> list[tuple[list[int], int]]:
    """Rows of source texts with several targets, and their number; most targets first, kept rows first.

    ``rivals``: rows of a language pair, kept or beaten by another target.
    """
    groups: dict[str, list[int]] = defaultdict(list)
    sources = run.segments["src"].take(pa.array(rivals)).to_pylist()
    for row, key in zip(rivals.tolist(), near_text_keys(sources), strict=True):
        groups[key].append(row)
    several = sorted((group for group in groups.values() if len(group) > 1), key=lambda group: (-len(group), group[0]))
    best_first = [sorted(group, key=lambda row: (not run.not_excluded[row], -run.score[row])) for group in several]
    return [(group[:TARGETS_SHOWN], len(group)) for group in best_first]


def _whole_pairs(run: RunTables, segments: int, text_bytes: int) -> Mask:
    """Mask, of shape (pairs,), of page pairs to show whole: all, or random ones up to the limits."""
    count = run.pairs.num_rows
    sizes = pc.add(pc.binary_length(run.segments["src"]), pc.binary_length(run.segments["tgt"])).to_numpy()
    rows_of = np.bincount(run.page_pair_of, minlength=count)
    bytes_of = np.bincount(run.page_pair_of, weights=sizes, minlength=count)
    order = np.arange(count)
    # The first pairs of a large run would show a single site: above a limit pairs are drawn.
    if count > PAIRS_SHOWN or rows_of.sum() > segments or bytes_of.sum() > text_bytes:
        order = np.random.default_rng(DRAWING_SEED).permutation(count)
    fits = (np.cumsum(rows_of[order]) <= segments) & (np.cumsum(bytes_of[order]) <= text_bytes)
    shown = np.zeros(count, bool)
    shown[order[fits][:PAIRS_SHOWN]] = True
    return shown
