"""The evidence for two pages as a table: an entry states name, function, group and trust of a column."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from diglot.arrays import Column, Floats, Mask, Pairs, Rows
from diglot.errors import RecipeError, describe_failure, require_distinct
from diglot.features.fingerprint import direct_similarity, longer_fingerprint
from diglot.features.frames import frame_typicality
from diglot.features.sparse_rows import union
from diglot.pairing.cascade import require_column
from diglot.pairing.fused.addresses import LearntRules, partners_elsewhere, switch_links
from diglot.pairing.fused.blocks import order_scores
from diglot.pairing.fused.likelihood import Likelihood, likelihood, title_likelihood
from diglot.pairing.fused.matching import (
    CANDIDATES,
    Matching,
    length_residual,
    one_to_one,
    residual_sd,
    text_lengths,
)
from diglot.pairing.fused.matching_value import Added, Content, Share, Support, margins, matching_value
from diglot.pairing.fused.near_empty import full_pages, near_empty_pages
from diglot.pairing.fused.old_copies import old_copies
from diglot.pairing.fused.untranslated import count_shown_untranslated
from diglot.pairing.fused.words import SiteWords, site_words
from diglot.site import Site

LEAST_LIKENESS = 0.5
"""Lower similarities of tags and lengths count as this similarity: translations are above."""
MAX_FINGERPRINT = 2_000
"""Longest fingerprints to compare: edit distances need time quadratic in the length."""
MAX_RESIDUAL = 6.0
"""Bound of the length residual, in standard deviations: larger differences say no more."""
PDF = "pdf"
FRAME_VALUE = 0.25
"""Weight of a typical frame: a page in the frame of its language wins over a copy in a different language version.
"""
COPY_VALUE = 1.0
"""Lead of an original over its old copy in another language version, in the matching value: as much as a link's."""
SHOWN_INSTEAD = 0.9
"""Chance that a page shown untranslated in a language version has no translation there: few sites keep the copy when
the translation comes."""
NUMBERS_VALUE = 0.01
"""Weight of a nat of the numbers' likelihood ratio in the matching value: it decides between like candidates."""
MIN_LEVEL = 0.25
"""Least content for a rule to be confirmed, orphans' pairs being 0 and true pairs 1: 19 of 20 true pairs are above,
most pairs by a wrong rule below 0."""
SUPPORTED = 0.5
"""Sum of address and link evidence, at most 2, from which a pair counts as supported."""

FEW_PAGES = 2 * CANDIDATES
"""Pages of a language up to which all pairs are candidates: short pages may have no word in common with their
translations, so that place and form decide."""


@dataclass(frozen=True)
class Compared:
    """Two languages of a site, the matching and rules learnt from them, and the candidates to score, rows (n, 2)."""

    site: Site
    rows: tuple[Rows, Rows]
    matching: Matching
    rules: LearntRules
    links: Mapping[tuple[int, int], float]
    pairs: Pairs
    elsewhere: Floats
    """Chance of a translation at an address without a page in the site, (pages,)."""

    @cached_property
    def words(self) -> SiteWords:
        return site_words(self.site)

    @cached_property
    def ratios(self) -> Likelihood:
        learnt = self.matching
        return likelihood(self.words, self.rows, self.pairs, learnt.training, learnt.lexicon, learnt.idf)

    @cached_property
    def coverage(self) -> tuple[Column, Column]:
        return order_scores(self.pairs, self.matching.blocks, self.matching.lexicon, self.matching.idf)


@dataclass(frozen=True)
class FromLearnt:
    """A column computed from the learnt matching, not from the site alone."""

    of: Callable[[Compared], Floats | Column]


@dataclass(frozen=True, kw_only=True)
class EvidenceColumn:
    """One kind of evidence for a pair of pages, float (n,), NaN without evidence.

    ``of``: any feature (site, pairs) -> column, or a function of the learnt matching; None for a margin, which depends
    on the other candidates (:func:`margins`). ``group``: name under which `why` sums the bits, old or new. ``content``:
    the column measures how far two pages say the same, more is better, and most pages have it; sanity checks use these
    columns alone. ``level``: its usual values are alike on all sites, so that it can confirm address rules and links.
    Both need a trained column (``benchmarks/train_column.py``). ``learnt``: the site learns its weight; False for
    addresses and links: seeds are chosen by them and no simulated orphan has a misleading address, so they keep the
    weight of other sites, scaled by how far content confirms them. ``matching``: share of the column in the matching
    value, by which pages are matched; without one the column only changes the probability of matched pages.
    """

    name: str
    of: Callable[[Site, Pairs], Column] | FromLearnt | None
    group: str
    meaning: str
    content: bool = False
    learnt: bool = True
    level: bool = False
    matching: Share | None = None

    def values(self, compared: Compared) -> Floats:
        """Evidence for the candidates, float64 (n,): finite numbers or NaN.

        Raises: RecipeError with the name of the column if the column fails, or gives other values.
        """
        if self.of is None:
            raise TypeError(f"column {self.name}: margins are taken when all candidates have their value")
        where = f"column {self.name} of {__name__}"
        try:
            found = self.of.of(compared) if isinstance(self.of, FromLearnt) else self.of(compared.site, compared.pairs)
        except MemoryError:
            raise
        except Exception as error:  # the code of a column may be its user's own
            raise RecipeError(f"{where}: {describe_failure(error)}") from error
        require_column(found, len(compared.pairs), where)
        values = np.asarray(found, np.float64)
        # A single infinite value would make all weights NaN.
        if (infinite := int(np.isinf(values).sum())) > 0:
            raise RecipeError(f"{where}: {infinite:,} of {len(values):,} values are infinite; NaN says no evidence")
        return values


def comparable_form(site: Site, pairs: Pairs) -> Mask:
    """Mask of pairs whose form tells something, (n,): pages of one kind that state their own structure.

    An HTML page has menus and a PDF has none; where a PDF has no tags, its headings and lists are guessed.
    """
    media = np.array(site.strings("media"), dtype=object)
    guessed = (media == PDF) & ~np.asarray(site.numbers("tagged"), bool)
    src, tgt = pairs[:, 0], pairs[:, 1]
    return np.asarray((media[src] == media[tgt]) & ~guessed[src] & ~guessed[tgt], bool)


def structure(site: Site, pairs: Pairs) -> Column:
    """Bitextor's direct similarity of two pages' tags and text lengths (2010, 4.2); NaN for very long pages, and where
    form is not comparable."""
    short = (longer_fingerprint(site, pairs) <= MAX_FINGERPRINT) & comparable_form(site, pairs)
    similarity = np.full(len(pairs), np.nan, np.float32)
    similarity[short] = direct_similarity(site, pairs[short], least=LEAST_LIKENESS)
    return similarity


def _length(compared: Compared) -> Floats:
    lengths, learnt = text_lengths(compared.words), compared.matching
    residual = np.abs(length_residual(lengths, compared.pairs, learnt.log_ratio))
    return np.minimum(residual / residual_sd(lengths, compared.pairs, learnt.length_sd), MAX_RESIDUAL)


def _title_likelihood(compared: Compared) -> Floats:
    learnt = compared.matching
    return title_likelihood(compared.words, compared.rows, compared.pairs, learnt.training, learnt.lexicon)


def _frame(compared: Compared) -> Floats:
    site, (src, tgt), pairs = compared.site, compared.rows, compared.pairs
    frames = frame_typicality(site, src, tgt)[pairs[:, 0]] + frame_typicality(site, tgt, src)[pairs[:, 1]]
    return np.where(comparable_form(site, pairs), frames, np.nan)


def _link(compared: Compared) -> Floats:
    return np.array([compared.links.get((i, j), 0.0) for i, j in compared.pairs.tolist()])


COLUMNS = (
    EvidenceColumn(
        name="order",
        of=FromLearnt(lambda compared: compared.coverage[0]),
        group="order",
        meaning="best chain of block pairs in the same order",
        content=True,
        matching=Content("chains and cosine", of_lexicon=True),
    ),
    EvidenceColumn(
        name="title",
        of=FromLearnt(lambda compared: compared.coverage[1]),
        group="order",
        meaning="share of known weight of the first block found on the other side's first block, the smaller of both "
        "sides",
        content=True,
        matching=Content("titles", of_lexicon=True),
    ),
    EvidenceColumn(
        name="title_likelihood",
        of=FromLearnt(_title_likelihood),
        group="order",
        meaning="likelihood ratio of the words of the first blocks, the weaker side counts",
    ),
    EvidenceColumn(
        name="cosine",
        of=FromLearnt(lambda compared: compared.matching.cosine_of(compared.pairs)),
        group="words",
        meaning="mean cosine of the vectors translated either way",
        content=True,
        level=True,
        matching=Content("chains and cosine", of_lexicon=True),
    ),
    EvidenceColumn(
        name="neutral",
        of=FromLearnt(lambda compared: compared.matching.neutral_of(compared.pairs)),
        group="numbers",
        meaning="cosine over neutral words",
        content=True,
        level=True,
        matching=Content("neutral words"),
    ),
    EvidenceColumn(
        name="likelihood_scaled",
        of=FromLearnt(lambda compared: compared.ratios.scaled),
        group="words",
        meaning="likelihood ratio over the root of the number of words; the weaker side counts",
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
        matching=Added(NUMBERS_VALUE),
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
        matching=Content("structure"),
    ),
    EvidenceColumn(
        name="address",
        of=FromLearnt(lambda compared: compared.rules.evidence(compared.pairs)),
        group="address",
        meaning="strength of the address rule that makes the pair over that of the strongest rule for either page",
        learnt=False,
        matching=Support(),
    ),
    EvidenceColumn(
        name="link",
        of=FromLearnt(_link),
        group="links",
        meaning="1 where a language switch links the pages both ways, 0.6 one way; less where content agrees less with "
        "the switch, or where many pages share a target",
        learnt=False,
        matching=Support(),
    ),
    EvidenceColumn(
        name="frame",
        of=FromLearnt(_frame),
        group="form",
        meaning="how typical the frames of both pages are of their languages",
        matching=Added(FRAME_VALUE),
    ),
    EvidenceColumn(
        name="margin",
        of=None,
        group="rivals",
        meaning="matching value less that of the better rival: the best other pair of either page",
    ),
    EvidenceColumn(
        name="margin_larger", of=None, group="rivals", meaning="matching value less that of the weaker rival"
    ),
    EvidenceColumn(
        name="margin_likelihood", of=None, group="rivals", meaning="`likelihood_scaled` less that of the better rival"
    ),
)
"""All evidence of a pair, in the order of all arrays; margins come last. Your own feature enters `fused` by one entry
before them."""

FEATURES = tuple(column.name for column in COLUMNS)
require_distinct(f"column of {__name__}", FEATURES)
MARGIN = next(place for place, column in enumerate(COLUMNS) if column.of is None)
"""Place of the first margin in :data:`COLUMNS`."""
ADDRESS, LINK, MARGIN_LARGER = map(FEATURES.index, ("address", "link", "margin_larger"))
"""Places of the address, of the link, and of the margin over the weaker rival."""
CONTENT = tuple(place for place, column in enumerate(COLUMNS) if column.content)
"""Places of ``content`` columns."""
LEVEL = tuple(place for place, column in enumerate(COLUMNS) if column.level)
"""Places of ``level`` columns."""
SUPPORT = tuple(place for place, column in enumerate(COLUMNS) if not column.learnt)
"""Places of the columns that support a pair: address and link."""
MATCHING = {column.name: column.matching for column in COLUMNS if column.matching is not None}
"""Shares of columns in the matching value."""
GROUPS = {
    group: tuple(column.name for column in COLUMNS if column.group == group)
    for group in dict.fromkeys(column.group for column in COLUMNS)
}
"""Names of columns by group, for the sums of `why`."""


@dataclass(frozen=True)
class Evidence:
    """Scores of candidate pairs: ``columns`` (n, MARGIN), ``value`` (n,) to match by, ``scaled`` (n,), the likelihood
    ratio, and ``elsewhere`` (n,), the chance that a page has its translation at an address missing on the site."""

    pairs: Pairs
    columns: Floats
    value: Floats
    scaled: Floats
    elsewhere: Floats

    @cached_property
    def features(self) -> Floats:
        """All columns, margins included, (n, len(FEATURES)); margins take a sort of all candidates, made once."""
        return np.hstack([self.columns, margins(self.pairs, self.value, self.scaled)])

    def without(self, pages: Rows) -> Evidence:
        """The candidates without those of some pages."""
        return self.select(np.asarray(~np.isin(self.pairs, pages).any(axis=1), bool))

    def select(self, mask: Mask) -> Evidence:
        """The candidates of a mask (n,)."""
        return Evidence(self.pairs[mask], self.columns[mask], self.value[mask], self.scaled[mask], self.elsewhere[mask])

    def support_mask(self) -> Mask:
        """Mask of pairs that addresses or links support, (n,)."""
        return np.asarray(self.columns[:, SUPPORT].sum(axis=1) >= SUPPORTED)


def compare(site: Site, rows: tuple[Rows, Rows], matching: Matching) -> Compared:
    """The candidates of a matching, of address rules and of language switches."""
    by_content = matching.pairs[one_to_one(matching.pairs, matching.similarity)]
    links = switch_links(site, *rows, by_content)
    rules = LearntRules(site, by_content, matching.pairs, matching.similarity)
    pairs = union(matching.pairs, rules.candidates(), np.array(sorted(links), np.int32).reshape(-1, 2))
    if max(map(len, rows)) <= FEW_PAGES:
        pairs = np.stack(np.meshgrid(*rows, indexing="ij"), axis=-1).reshape(-1, 2).astype(np.int32)
    src, tgt = rows
    elsewhere = np.maximum(
        partners_elsewhere(site, src, tgt, by_content), partners_elsewhere(site, tgt, src, by_content[:, ::-1])
    )
    return Compared(site, rows, matching, rules, links, pairs, elsewhere)


def gather(compared: Compared, level: Callable[[Floats, int], Floats | None]) -> Evidence:
    """All scores of the candidates, and the value to match them by.

    ``level``: puts the values of a column, by its place, on the scale of other sites (orphans' pairs 0, true pairs 1);
    None for an untrained column, which confirms nothing.
    """
    if not len(compared.pairs):
        return Evidence(compared.pairs, np.zeros((0, MARGIN)), np.zeros(0), np.zeros(0), np.zeros(0))
    scores = {column.name: column.values(compared) for column in COLUMNS[:MARGIN]}
    # Without any trained column all levels are NaN, and rules count as confirmed.
    by_kind = [level(scores[FEATURES[place]], place) for place in LEVEL]
    levels = np.stack(
        [values for values in by_kind if values is not None] or [np.full(len(compared.pairs), np.nan)], axis=1
    )
    # Weights of addresses and links come from other sites; here they shrink where content disagrees.
    for name in (FEATURES[place] for place in SUPPORT):
        scores[name] = scores[name] * reliability(scores[name], levels)
    columns = np.stack([scores[name] for name in FEATURES[:MARGIN]], axis=1)
    copies = old_copies(compared.site)[compared.pairs].sum(axis=1)
    value = matching_value(scores, MATCHING, len(compared.matching.training)) - COPY_VALUE * copies
    shown = count_shown_untranslated(compared.site, compared.pairs) > 0
    elsewhere = np.maximum(compared.elsewhere[compared.pairs].max(axis=1), SHOWN_INSTEAD * shown)
    found = Evidence(compared.pairs, columns, value, scores["likelihood_scaled"], elsewhere)
    return found.select(are_possible(compared.site, compared.pairs, found.support_mask()))


def are_possible(site: Site, pairs: Pairs, supported: Mask) -> Mask:
    """Mask of the pairs that may be translations at all, (n,); ``supported``: by addresses or links, (n,).

    Near-empty pages, a heading and the name of a company, fit one another: they need support, as do two pages that the
    site shows untranslated, each in the language of the other. A near-empty page translates no full page, whatever
    supports the pair.
    """
    are_shown = count_shown_untranslated(site, pairs) == 2
    empty, full = (pages(site)[pairs].any(axis=1) for pages in (near_empty_pages, full_pages))
    return np.asarray((supported | ~(empty | are_shown)) & ~(empty & full))


def reliability(support: Floats, levels: Floats) -> float:
    """Share of supported pairs confirmed by content: mean of a Beta posterior, in (0, 1).

    ``support``: evidence of addresses or links; ``levels`` (n, len(LEVEL)): content of each pair, orphans' pairs of
    other sites being 0 and true pairs 1.
    """
    # To be the best pair of both pages is not enough: pages without translations have a best pair, too.
    supported = support >= SUPPORTED
    level = np.mean(np.nan_to_num(levels[supported], nan=0.5), axis=1)
    return float((1 + (level >= MIN_LEVEL).sum()) / (2 + supported.sum()))
