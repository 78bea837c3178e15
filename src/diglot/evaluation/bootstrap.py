"""How far precision, recall and F1 would move on other pages of the same kind: bootstrap over groups of pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from diglot.evaluation.gold import GoldPair
from diglot.evaluation.pairs import JudgedProposal

RESAMPLES = 1_000
RESAMPLING_SEED = 20_101
CONFIDENCE_LEVEL = 0.95
_BATCH_CELLS = 4_000_000

Counts = npt.NDArray[np.int64]
"""One row a group of pages, shape (groups, 4): gold, proposed, relevant, found. Columns sum to the scores' counts."""
Interval = tuple[float, float]


def grouped_counts(gold: Iterable[GoldPair], judged: Sequence[JudgedProposal]) -> Counts:
    """The counts of scores, split by groups of pages that stand or fall together.

    A group is what gold pairs connect, usually a page in all its languages: its versions are written on one
    template and lost together, so they are no independent observations. A proposal belongs to the group of its
    first page that the gold knows; proposals of orphans are grouped by the pages they share.
    """
    number: dict[str, int] = {}
    edges = {frozenset((pair.url1, pair.url2)): _numbered(number, pair.url1, pair.url2) for pair in gold}
    known = len(number)
    homes = []
    links = list(edges.values())
    for each in judged:
        src, tgt = _numbered(number, each.src_url, each.tgt_url)
        homes.append(src if src < known else tgt if tgt < known else src)
        if src >= known and tgt >= known:
            links.append((src, tgt))
    group_of = _components(len(number), links)
    counts = np.zeros((int(group_of.max(initial=-1)) + 1, 4), np.int64)
    np.add.at(counts[:, 0], group_of[[src for src, _ in edges.values()]], 1)
    np.add.at(counts[:, 1], group_of[homes], 1)
    np.add.at(counts[:, 2], group_of[homes], [each.relevant for each in judged])
    np.add.at(counts[:, 3], group_of[homes], [each.right for each in judged])
    return counts[counts.any(axis=1)]


def intervals(counts: Counts, *, resamples: int = RESAMPLES, seed: int = RESAMPLING_SEED) -> dict[str, Interval]:
    """95% percentile intervals, in [0, 1], of the shares that ``PairScores`` has, by their names there.

    {} for fewer than two groups. Same counts and seed, same intervals. Where all groups agree, resampling knows
    nothing of others: a share of 1 then reaches down, and one of 0 up, as far as chance could hide them from as
    many groups (95%, about 3 over their number).

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 13; groups drawn whole as in
    Field and Welsh 2007, Bootstrapping clustered data; Hanley and Lippman-Hand 1983, If nothing goes wrong, is
    everything all right?
    """
    groups = len(counts)
    if groups < 2:
        return {}
    random = np.random.default_rng(seed)
    batch = max(1, _BATCH_CELLS // groups)
    totals = np.concatenate(
        [
            random.multinomial(groups, np.full(groups, 1 / groups), size=min(batch, resamples - start)) @ counts
            for start in range(0, resamples, batch)
        ]
    )
    tails = (1 - CONFIDENCE_LEVEL) / 2, (1 + CONFIDENCE_LEVEL) / 2
    seen = _groups_seen(counts)
    return {name: _bounds(np.quantile(values, tails), seen[name]) for name, values in _shares(totals).items()}


def _shares(totals: Counts) -> dict[str, npt.NDArray[np.float64]]:
    gold, proposed, relevant, found = totals.T.astype(np.float64)
    recall, precision, strict = (_ratio(found, whole) for whole in (gold, relevant, proposed))
    return {
        "recall": recall,
        "precision": precision,
        "strict_precision": strict,
        "f1": _ratio(2 * recall * precision, recall + precision),
        "strict_f1": _ratio(2 * recall * strict, recall + strict),
    }


def _ratio(part: npt.NDArray[np.float64], whole: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def _groups_seen(counts: Counts) -> dict[str, int]:
    """For every share how many groups speak of it."""
    gold, proposed, relevant, _ = np.count_nonzero(counts, axis=0).tolist()
    return {"recall": gold, "precision": relevant, "strict_precision": proposed, "f1": gold, "strict_f1": gold}


def _bounds(ends: npt.NDArray[np.float64], groups: int) -> Interval:
    low, high = ends.tolist()
    hidden = 1 - (1 - CONFIDENCE_LEVEL) ** (1 / groups) if groups else 1.0
    if low == high == 1:
        return 1 - hidden, 1.0
    return (0.0, hidden) if low == high == 0 else (low, high)


def _numbered(number: dict[str, int], one: str, other: str) -> tuple[int, int]:
    return number.setdefault(one, len(number)), number.setdefault(other, len(number))


def _components(nodes: int, links: list[tuple[int, int]]) -> npt.NDArray[np.int64]:
    if not nodes:
        return np.zeros(0, np.int64)
    ends = np.array(links, np.int64).reshape(-1, 2)
    graph = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(nodes, nodes))
    labels: npt.NDArray[np.int64] = connected_components(graph, directed=False)[1].astype(np.int64)
    return labels
