"""How far any two pages of a site look like translations without any learning: shared words and length.

For sites in many languages, where a pair of languages has too few pages in common for a lexicon. Every score is
relative to its pair of languages: to the rivals of both pages (margin), to the usual score of accepted pairs (level),
and to lengths fitted over all languages at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from diglot.arrays import Floats, Rows, robust_sd
from diglot.features.sparse_rows import unit_rows
from diglot.pairing.fused.groups.linkage import page_groups, sums_and_sizes
from diglot.pairing.fused.matching import text_lengths
from diglot.pairing.fused.words import SiteWords, site_words, whole_page_words
from diglot.site import Site
from diglot.sparse import SparseMatrix

LangNumbers = tuple[int, int]
Matrices = Mapping[LangNumbers, Floats]
"""A matrix (pages of a, pages of b) for every two languages a < b."""

# Calibrated together, on the development sites of many languages: judge a change by the strict F1 of all of them.
SPREAD_OF_LANGUAGES = 0.3
"""Exponent on the share of languages with a word: a word of many languages is more likely a name."""
FLOOR = 0.02
"""Added to cosines before their logarithm, and the least usual margin."""
PRIOR_PAIRS, PRIOR_LEVEL_PAIRS = 10, 2
"""Weight of the site's usual margin and level in those of a pair of languages, in pairs."""
FIRST_CLIP, FIRST_STOP = 3.0, -0.3
"""First groups, by margins alone, define accepted pairs: the bound of margins, in usual margins, and the mean evidence
down to which groups merge, so that few wrong pairs are accepted."""
MARGIN_CLIP = 4.0
"""Bound of the final margin, in usual margins: a larger lead over rivals says no more."""
LEVEL_CLIP, LEVEL_WEIGHT = (-4.0, 1.0), 0.5
"""Bounds of the deviation from the usual level of accepted pairs, and its weight beside margins: a low cosine speaks
against a pair, a high one hardly for it."""
FILL = -6.0
"""Evidence for two pages of the same language, never in one group."""
LENGTH_RIDGE, LENGTH_SWEEPS, LENGTH_MIN_SD = 0.1, 15, 0.06
"""Fit of the length factor of each language: ridge, number of reweightings, and least deviation, because a few pages of
equal length do not prove a narrow ratio."""
VETO_FREE_SD, VETO_MOST = 1.5, 4.0
"""Number of deviations of length without penalty, and the largest penalty."""
VETO_WEIGHTS = {"chars": 1.0, "blocks": 0.5}
"""Weights of the penalties. Numbers of blocks are weaker evidence: language versions divide paragraphs differently."""
VETO_MIN_RATIO = 1.3
"""Least spread of rivals' lengths over that of accepted pairs; below, among near duplicates, length is no evidence."""


@dataclass(frozen=True)
class Pages:
    """Pages by language: ``rows`` of the site (n,), ``langs`` their language numbers (n,), ascending; language k has
    the pages ``[starts[k], starts[k + 1])``."""

    rows: Rows
    langs: npt.NDArray[np.int64]
    starts: list[int]

    def of(self, lang: int) -> slice:
        """Slice of the pages of a language."""
        return slice(self.starts[lang], self.starts[lang + 1])

    def places(self, size: int) -> npt.NDArray[np.int64]:
        """Place of each of the ``size`` rows of the site among these pages; -1 for a page of another language."""
        place = np.full(size, -1)
        place[self.rows] = np.arange(len(self.rows))
        return place


def pages_of(site: Site, langs: Sequence[str]) -> Pages:
    """The pages of ``langs``, in the order of the languages."""
    rows = [site.rows_of(lang) for lang in langs]
    sizes = list(map(len, rows))
    return Pages(np.concatenate(rows), np.repeat(np.arange(len(langs)), sizes), [0, *np.cumsum(sizes).tolist()])


def neutral_evidence(site: Site, pages: Pages) -> Floats:
    """Evidence for every two pages of different languages, symmetric (n, n), about -6 to 5, 0 for undecided."""
    words = site_words(site)
    # Repeated blocks count here: among near duplicates they tell siblings apart.
    closeness = _log_cosines(whole_page_words(site), pages)
    margins = {pair: _margins(matrix) for pair, matrix in closeness.items()}
    usual, trust = _usual_margins(margins)
    first = _assemble(
        {pair: trust[pair] * np.clip(margins[pair] / usual[pair], -FIRST_CLIP, FIRST_CLIP) for pair in margins}, pages
    )
    accepted = _accepted_edges(first, pages)
    veto = _length_veto(words, pages, accepted, closeness)
    level = _level(_assemble(closeness, pages), accepted, pages)
    judged = {}
    for pair, matrix in closeness.items():
        rival = _margins(2 / usual[pair] * matrix + veto[pair])
        judged[pair] = trust[pair] * np.clip(rival, -MARGIN_CLIP, MARGIN_CLIP) + LEVEL_WEIGHT * level(pair, matrix)
    return _assemble(judged, pages)


def _log_cosines(words: SparseMatrix, pages: Pages) -> Matrices:
    """Log cosine of every two pages of different languages, over the words that both languages have."""
    langs = len(pages.starts) - 1
    counts = [words[pages.rows[pages.of(k)]] for k in range(langs)]
    frequency = np.array([part.column_sizes() for part in counts], np.float64)
    sizes = np.diff(pages.starts)
    total, holders = frequency.sum(axis=0), (frequency > 0).sum(axis=0)
    matrices = {}
    for a, b in combinations(range(langs), 2):
        # A word of only one of the two languages adds nothing to a product.
        common = (frequency[a] > 0) & (frequency[b] > 0)
        here = np.log((sizes[a] + sizes[b]) / (frequency[a] + frequency[b])[common])
        weight = np.zeros(len(common))
        weight[common] = (
            np.minimum(here, np.log(sizes.sum() / total[common])) * (holders[common] / langs) ** SPREAD_OF_LANGUAGES
        )
        src, tgt = (unit_rows(_damp_counts(counts[side].keep_columns(common), weight)) for side in (a, b))
        matrices[a, b] = np.log((src @ tgt.T).to_dense() + FLOOR)
    return matrices


def _damp_counts(counts: SparseMatrix, weight: Floats) -> SparseMatrix:
    return counts.with_values(np.log1p(counts.values.astype(np.float64)) * weight[counts.columns])


def _margins(matrix: Floats) -> Floats:
    """Cells less the best rival in row and column; without a rival, less the smallest cell."""
    rival = np.maximum(_best_other(matrix), _best_other(matrix.T).T)
    return matrix - np.where(np.isfinite(rival), rival, matrix.min(initial=0.0))


def _best_other(matrix: Floats) -> Floats:
    """The best of each row without the cell itself."""
    if matrix.shape[1] < 2:
        return np.full(matrix.shape, -np.inf)
    places = np.argpartition(-matrix, 1, axis=1)[:, :2]
    two = np.take_along_axis(matrix, places, 1)
    first = places[np.arange(len(matrix)), two.argmax(axis=1)]
    other = np.repeat(two.max(axis=1)[:, None], matrix.shape[1], axis=1)
    other[np.arange(len(matrix)), first] = two.min(axis=1)
    return other


def _usual_margins(margins: Matrices) -> tuple[dict[LangNumbers, float], dict[LangNumbers, float]]:
    """By pair of languages: median margin of mutual bests, shrunk towards that of the site, and share of pages with a
    mutual best."""
    won = {pair: matrix[matrix > 0] for pair, matrix in margins.items()}
    medians = [np.median(values) for values in won.values() if len(values)]
    site = float(np.median(medians)) if medians else FLOOR
    usual, trust = {}, {}
    for pair, values in won.items():
        usual[pair] = max(_shrunk_median(values, site, PRIOR_PAIRS), FLOOR)
        trust[pair] = min(1.0, len(values) / max(min(margins[pair].shape), 1))
    return usual, trust


def _shrunk_median(values: Floats, usual: float, weight: int) -> float:
    """Median of ``values``, shrunk towards the ``usual`` value, which counts as ``weight`` values."""
    own = float(np.median(values)) * len(values) if len(values) else 0.0
    return (own + weight * usual) / (len(values) + weight)


def _assemble(matrices: Matrices, pages: Pages) -> Floats:
    """The matrices as one symmetric matrix, (n, n), with :data:`FILL` for pages of the same language."""
    whole = np.full((len(pages.rows), len(pages.rows)), FILL)
    for (a, b), matrix in matrices.items():
        whole[pages.of(a), pages.of(b)] = matrix
        whole[pages.of(b), pages.of(a)] = matrix.T
    return whole


def _accepted_edges(evidence: Floats, pages: Pages) -> npt.NDArray[np.int64]:
    """Pairs of pages (m, 2) in one group by the first evidence, with positive support for both pages."""
    groups = page_groups(evidence, pages.langs, stop=FIRST_STOP)
    sums, _ = sums_and_sizes(evidence, groups)
    edges = [(i, j) for group in groups for i, j in combinations(group, 2) if min(sums[i], sums[j]) > 0]
    return np.array(edges, np.int64).reshape(-1, 2)


def _level(closeness: Floats, accepted: npt.NDArray[np.int64], pages: Pages) -> Callable[[LangNumbers, Floats], Floats]:
    """Function for the deviation of a matrix's cells from the usual cosine of accepted pairs of the two languages."""
    values = closeness[accepted[:, 0], accepted[:, 1]]
    site = float(np.median(values)) if len(values) else 0.0
    langs = np.sort(pages.langs[accepted], axis=1)
    centre: dict[LangNumbers, float] = {}
    residuals = [np.zeros(0)]
    for pair in combinations(range(len(pages.starts) - 1), 2):
        mine = values[(langs == pair).all(axis=1)]
        centre[pair] = _shrunk_median(mine, site, PRIOR_LEVEL_PAIRS)
        residuals.append(mine - centre[pair])
    deviation = max(robust_sd(np.concatenate(residuals)), 0.05)
    return lambda pair, matrix: np.clip((matrix - centre[pair]) / deviation, *LEVEL_CLIP)


def _length_veto(words: SiteWords, pages: Pages, accepted: npt.NDArray[np.int64], closeness: Matrices) -> Matrices:
    """Penalties, 0 or below, for pages whose ratio of lengths does not fit their languages."""
    chars, blocks = text_lengths(words), np.diff(words.block_offsets)
    sizes = {"chars": np.log(chars + 20.0)[pages.rows], "blocks": np.log(blocks + 1.0)[pages.rows]}
    veto = {pair: np.zeros(matrix.shape) for pair, matrix in closeness.items()}
    for name, size in sizes.items():
        factors, deviation = _language_factors(size, pages, accepted)
        rest = size - factors[pages.langs]
        if _rival_spread(rest, pages, closeness) < VETO_MIN_RATIO * deviation:
            continue
        for a, b in veto:
            beyond = np.abs(rest[pages.of(b)][None, :] - rest[pages.of(a)][:, None]) / deviation - VETO_FREE_SD
            veto[a, b] -= VETO_WEIGHTS[name] * np.minimum(VETO_MOST, 0.5 * np.maximum(beyond, 0) ** 2)
    return veto


def _language_factors(size: Floats, pages: Pages, accepted: npt.NDArray[np.int64]) -> tuple[Floats, float]:
    """Log length factor of each language, by reweighted least squares over the accepted pairs, and the residual
    deviation."""
    langs = len(pages.starts) - 1
    factors = np.zeros(langs)
    if not len(accepted):
        return factors, LENGTH_MIN_SD
    i, j = accepted.T
    differs = size[j] - size[i]
    design = np.zeros((len(accepted), langs))
    design[np.arange(len(accepted)), pages.langs[j]] += 1
    design[np.arange(len(accepted)), pages.langs[i]] -= 1
    weight, deviation = np.ones(len(accepted)), LENGTH_MIN_SD
    for _ in range(LENGTH_SWEEPS):
        normal = design.T @ (weight[:, None] * design) + LENGTH_RIDGE * np.eye(langs)
        factors = np.linalg.solve(normal, design.T @ (weight * differs))
        rest = differs - design @ factors
        deviation = max(robust_sd(rest), LENGTH_MIN_SD)
        weight = np.minimum(1, 2 * deviation / np.maximum(np.abs(rest), 1e-9))
    return factors, deviation


def _rival_spread(rest: Floats, pages: Pages, closeness: Matrices) -> float:
    """Standard deviation of the log length ratio of pages and their second best by words."""
    found = [np.zeros(0)]
    for (a, b), matrix in closeness.items():
        if matrix.shape[1] > 1:
            second = np.argsort(-matrix, axis=1, kind="stable")[:, 1]
            found.append(rest[pages.of(b)][second] - rest[pages.of(a)])
    return robust_sd(np.concatenate(found))
