"""The evidence for two pages, as one table: what names, gathers, groups or trusts a column follows from its line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from diglot.arrays import Column, Floats, Mask, Pairs, Rows
from diglot.duplicates.untranslated import frame_typicality
from diglot.features.fingerprint import direct_similarity, longer_fingerprint
from diglot.features.sparse_rows import union
from diglot.pairing.fused.addresses import LearntRules, switch_links
from diglot.pairing.fused.blocks import order_scores
from diglot.pairing.fused.likelihood import Likelihood, likelihood, title_likelihood
from diglot.pairing.fused.matching import (
    Matching,
    best_alternatives,
    length_residual,
    one_to_one,
    spread,
    text_lengths,
)
from diglot.pairing.fused.words import SiteWords, site_words
from diglot.site import Site

LEXICON_PAIRS = 10
"""Training pairs from which a lexicon is worth half of what needs none: from few it only remembers them."""
LEAST_LIKENESS = 0.5
"""Translations are more alike than this in tags and lengths; what is less alike counts as this."""
MAX_FINGERPRINT = 2_000
"""Longer fingerprints are not compared: edit distances need time quadratic in the length."""
MAX_RESIDUAL = 6.0
"""Standard deviations from the expected length beyond which no difference is worse than another."""
SUPPORT_VALUE = 1.0
"""What an address rule or a language switch adds to the matching value, where good content is about 1."""
FRAME_VALUE = 0.25
"""What a typical frame adds: of a page and its copy in another edition, the one in its own frame is preferred."""
NUMBERS_VALUE = 0.01
"""What the likelihood ratio of the numbers adds to the matching value, a nat: it decides between like candidates."""
MIN_LEVEL = 0.25
"""Where orphans' pairs are 0 and true ones 1: 19 of 20 true pairs are above, most pairs by a wrong rule below 0."""
SUPPORTED = 0.5
"""Evidence of addresses and links, together at most 2, from which a pair stands on more than its content."""


@dataclass(frozen=True)
class Compared:
    """Two languages of a site, what has been learnt of them, and the candidates to be scored, rows (n, 2)."""

    site: Site
    rows: tuple[Rows, Rows]
    matching: Matching
    rules: LearntRules
    links: Mapping[tuple[int, int], float]
    pairs: Pairs

    @cached_property
    def words(self) -> SiteWords:
        return site_words(self.site)

    @cached_property
    def ratios(self) -> Likelihood:
        learnt = self.matching
        return likelihood(self.words, self.rows, self.pairs, learnt.training, learnt.lexicon, learnt.idf)

    @cached_property
    def chains(self) -> tuple[Column, Column]:
        return order_scores(self.pairs, self.matching.side, self.matching.lexicon, self.matching.idf)


@dataclass(frozen=True)
class FromLearnt:
    """A column that needs what was learnt of the two languages, and not the site alone."""

    of: Callable[[Compared], Floats | Column]


@dataclass(frozen=True, kw_only=True)
class EvidenceColumn:
    """One kind of evidence for a pair of pages, its value float (n,), NaN where there is none.

    ``of``: any feature (site, pairs) -> column, or one of what was learnt; None for a margin, which depends on the
    other candidates (:func:`margins`). ``group``: what `why` tells it under, a new one or one there is. ``content``: it
    says how far two pages tell the same, rivals aside, more being better, and most pages have it; doubts ask only
    these. ``level``: it has a level that holds on other sites, too, by which address rules and links are borne out.
    Both wait until other sites have told something of the column (``benchmarks/train_column.py``). ``learnt``: its
    weight is learnt on the site; False for the support that addresses and links give: seeds are chosen by it and no
    simulated orphan has a misleading address, so it keeps the weight of other sites, and its value is scaled by how far
    content bears it out.
    """

    name: str
    of: Callable[[Site, Pairs], Column] | FromLearnt | None
    group: str
    meaning: str
    content: bool = False
    learnt: bool = True
    level: bool = False

    def values(self, compared: Compared) -> Floats:
        """The evidence for each candidate, float64 (n,)."""
        if self.of is None:
            raise TypeError(f"column {self.name}: margins are taken when all candidates have their value")
        found = self.of.of(compared) if isinstance(self.of, FromLearnt) else self.of(compared.site, compared.pairs)
        return np.asarray(found, np.float64)


def structure(site: Site, pairs: Pairs) -> Column:
    """Bitextor's direct similarity of two pages' tags and text lengths (2010, 4.2); NaN for very long pages."""
    short = longer_fingerprint(site, pairs) <= MAX_FINGERPRINT
    similarity = np.full(len(pairs), np.nan, np.float32)
    similarity[short] = direct_similarity(site, pairs[short], least=LEAST_LIKENESS)
    return similarity


def _length(compared: Compared) -> Floats:
    lengths, learnt = text_lengths(compared.words), compared.matching
    residual = np.abs(length_residual(lengths, compared.pairs, learnt.log_ratio))
    return np.minimum(residual / spread(lengths, compared.pairs, learnt.length_sd), MAX_RESIDUAL)


def _title_likelihood(compared: Compared) -> Floats:
    learnt = compared.matching
    return title_likelihood(compared.words, compared.rows, compared.pairs, learnt.training, learnt.lexicon)


def _frame(compared: Compared) -> Floats:
    site, (src, tgt), pairs = compared.site, compared.rows, compared.pairs
    return frame_typicality(site, src, tgt)[pairs[:, 0]] + frame_typicality(site, tgt, src)[pairs[:, 1]]


def _link(compared: Compared) -> Floats:
    return np.array([compared.links.get((i, j), 0.0) for i, j in compared.pairs.tolist()])


COLUMNS = (
    EvidenceColumn(
        name="order",
        of=FromLearnt(lambda compared: compared.chains[0]),
        group="order",
        meaning="best chain of block pairs in the same order",
        content=True,
    ),
    EvidenceColumn(
        name="title",
        of=FromLearnt(lambda compared: compared.chains[1]),
        group="order",
        meaning="share of known weight of the first block found on the other side's first block, the smaller of both "
        "sides",
        content=True,
    ),
    EvidenceColumn(
        name="title_likelihood",
        of=FromLearnt(_title_likelihood),
        group="order",
        meaning="likelihood ratio of the terms of the first blocks, the weaker side counts",
    ),
    EvidenceColumn(
        name="cosine",
        of=FromLearnt(lambda compared: compared.matching.cosine_of(compared.pairs)),
        group="words",
        meaning="mean cosine of the vectors translated either way",
        content=True,
        level=True,
    ),
    EvidenceColumn(
        name="neutral",
        of=FromLearnt(lambda compared: compared.matching.neutral_of(compared.pairs)),
        group="numbers",
        meaning="cosine over neutral terms",
        content=True,
        level=True,
    ),
    EvidenceColumn(
        name="likelihood_scaled",
        of=FromLearnt(lambda compared: compared.ratios.scaled),
        group="words",
        meaning="likelihood ratio over the root of the number of terms; the weaker side counts",
    ),
    EvidenceColumn(
        name="against",
        of=FromLearnt(lambda compared: compared.ratios.against),
        group="words",
        meaning="the negative part of the likelihood ratio, as a share of what a perfect translation would have",
    ),
    EvidenceColumn(
        name="numbers",
        of=FromLearnt(lambda compared: compared.ratios.numbers),
        group="numbers",
        meaning="the likelihood ratio of the numbers, both sides added, within 12 nats a side",
        content=True,
    ),
    EvidenceColumn(
        name="length",
        of=FromLearnt(_length),
        group="form",
        meaning="the length residual in standard deviations, at most 6",
    ),
    EvidenceColumn(
        name="structure",
        of=structure,
        group="form",
        meaning="direct similarity of the fingerprints (Bitextor 2010, section 4.2), at least 0.5, for fingerprints of "
        "up to 2,000 symbols",
        content=True,
        level=True,
    ),
    EvidenceColumn(
        name="address",
        of=FromLearnt(lambda compared: compared.rules.evidence(compared.pairs)),
        group="address",
        meaning="strength of the address rule that makes the pair over that of the strongest rule for either page",
        learnt=False,
    ),
    EvidenceColumn(
        name="link",
        of=FromLearnt(_link),
        group="links",
        meaning="1 where a language switch links the pages both ways, 0.6 one way; less where content agrees less with "
        "the switch, or where many pages share a target",
        learnt=False,
    ),
    EvidenceColumn(
        name="frame",
        of=FromLearnt(_frame),
        group="form",
        meaning="how typical the frames of both pages are of their languages",
    ),
    EvidenceColumn(
        name="margin",
        of=None,
        group="rivals",
        meaning="matching value less that of the best other pair of the two pages: of the better rival",
    ),
    EvidenceColumn(
        name="margin_larger",
        of=None,
        group="rivals",
        meaning="the same, of the weaker rival",
    ),
    EvidenceColumn(
        name="margin_likelihood",
        of=None,
        group="rivals",
        meaning="`likelihood_scaled` less that of the better rival",
    ),
)
"""Evidence of a pair in the order of all arrays; the margins come last. A feature of your own enters `fused` by one
line before them."""

FEATURES = tuple(column.name for column in COLUMNS)
MARGIN = next(place for place, column in enumerate(COLUMNS) if column.of is None)
CONTENT = tuple(place for place, column in enumerate(COLUMNS) if column.content)
LEVEL = tuple(place for place, column in enumerate(COLUMNS) if column.level)
SUPPORT = tuple(place for place, column in enumerate(COLUMNS) if not column.learnt)
"""Places in :data:`COLUMNS` of content, of what has a level on every site, and of what addresses and links say."""
GROUPS = {
    group: tuple(column.name for column in COLUMNS if column.group == group)
    for group in dict.fromkeys(column.group for column in COLUMNS)
}
"""What `why` tells together, with the names of its columns."""


@dataclass(frozen=True)
class Evidence:
    """Scores of candidate pairs: ``columns`` (n, MARGIN), ``value`` (n,) to match by, and ``scaled`` (n,), the
    likelihood ratio whose margin is evidence too."""

    pairs: Pairs
    columns: Floats
    value: Floats
    scaled: Floats

    @cached_property
    def features(self) -> Floats:
        """All columns, margins included, (n, len(FEATURES)); margins take a sort of all candidates, made once."""
        return np.hstack([self.columns, margins(self.pairs, self.value, self.scaled)])

    def without(self, pages: Rows) -> Evidence:
        """What is left of the candidates when some pages are gone."""
        left = ~np.isin(self.pairs, pages).any(axis=1)
        return Evidence(self.pairs[left], self.columns[left], self.value[left], self.scaled[left])

    def supported(self) -> Mask:
        """Pairs that addresses or links support, mask (n,)."""
        return np.asarray(self.columns[:, SUPPORT].sum(axis=1) >= SUPPORTED)


def compare(site: Site, rows: tuple[Rows, Rows], matching: Matching) -> Compared:
    """The candidates of a matching, and those that address rules and language switches add to them."""
    by_content = matching.pairs[one_to_one(matching.pairs, matching.similarity)]
    links = switch_links(site, *rows, by_content)
    rules = LearntRules(site, by_content, matching.pairs, matching.similarity)
    pairs = union(matching.pairs, rules.candidates(), np.array(sorted(links), np.int32).reshape(-1, 2))
    return Compared(site, rows, matching, rules, links, pairs)


def gather(compared: Compared, level: Callable[[Floats, int], Floats | None]) -> Evidence:
    """All scores of the candidates, and the value they are matched by.

    ``level``: puts the values of a column, by its place, on the scale where the orphans' pairs of other sites are 0
    and their true pairs 1; None for a column of which other sites have told nothing, which then bears out none.
    """
    if not len(compared.pairs):
        return Evidence(compared.pairs, np.zeros((0, MARGIN)), np.zeros(0), np.zeros(0))
    scores = {column.name: column.values(compared) for column in COLUMNS[:MARGIN]}
    told = [level(scores[FEATURES[place]], place) for place in LEVEL]
    levels = np.stack(
        [values for values in told if values is not None] or [np.full(len(compared.pairs), np.nan)], axis=1
    )
    for name in (FEATURES[place] for place in SUPPORT):
        scores[name] = scores[name] * reliability(scores[name], levels)
    columns = np.stack([scores[name] for name in FEATURES[:MARGIN]], axis=1)
    value = matching_value(scores, len(compared.matching.training))
    return Evidence(compared.pairs, columns, value, scores["likelihood_scaled"])


def reliability(support: Floats, levels: Floats) -> float:
    """How far the content bears out addresses or links: mean of a Beta posterior, in (0, 1).

    ``support``: what they say of each pair; ``levels`` (n, len(LEVEL)): content of each, orphans' pairs of other
    sites being 0 and true pairs 1. Borne out is a pair at the level of translations; being the best of its pages is
    not enough, for pages without translations have a best candidate too.
    """
    told = support >= SUPPORTED
    level = np.mean(np.nan_to_num(levels[told], nan=0.5), axis=1)
    return float((1 + (level >= MIN_LEVEL).sum()) / (2 + told.sum()))


def matching_value(scores: Mapping[str, Floats], training_pairs: int) -> Floats:
    """What candidates are matched by, highest first: content, and what addresses and links say, (n,)."""
    content = content_value(scores, training_pairs) + NUMBERS_VALUE * scores["numbers"]
    return content + FRAME_VALUE * scores["frame"] + SUPPORT_VALUE * (scores["address"] + scores["link"])


def content_value(scores: Mapping[str, Floats], training_pairs: int) -> Floats:
    """Mean of four kinds of content evidence, each relative to the candidates at hand.

    What a lexicon is needed for (order and cosine; the titles) counts the less the fewer pairs it was learnt from.
    """
    known = training_pairs / (training_pairs + LEXICON_PAIRS)
    lexical = (_relative(scores["order"]) + _relative(scores["cosine"])) / 2 + _relative(scores["title"])
    plain = _relative(scores["neutral"]) + _relative(scores["structure"])
    return np.asarray((plain + known * lexical) / (2 + 2 * known))


def _relative(score: Floats) -> Floats:
    """A score on the scale where the median candidate is 0 and the 95th percentile 1; none beyond 10.

    On small sites hardly any candidate may have a score, and percentiles meet: a tenth of the range is the least unit.
    """
    score = np.nan_to_num(np.asarray(score, np.float64))
    middle, high = np.median(score), np.quantile(score, 0.95)
    unit = max(high - middle, np.ptp(score) / 10)
    return (score - middle) / unit if unit > 0 else np.zeros(len(score))


def margins(pairs: Pairs, value: Floats, scaled: Floats) -> Floats:
    """Smaller and larger margin of each pair over its row's and column's best alternative, and that of
    ``scaled`` over the larger alternative: float64 (n, 3)."""
    row, column = best_alternatives(pairs, value)
    other = np.maximum(*best_alternatives(pairs, scaled))
    return np.stack([value - np.maximum(row, column), value - np.minimum(row, column), scaled - other], axis=1)
