"""Pairing that needs nothing but the site: self-trained evidence, an orphan model, calibrated odds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xxhash

from diglot.arrays import Floats, Pairs, Rows
from diglot.copies.frames import frame_typicality, no_candidates
from diglot.copies.reprints import near_copies
from diglot.features.fingerprint import direct_similarity, longer_fingerprint
from diglot.features.sparse_rows import union
from diglot.pairing.fused.addresses import AddressRules, switch_links
from diglot.pairing.fused.blocks import order_scores
from diglot.pairing.fused.decision import SUPPORTED, Fused, decide
from diglot.pairing.fused.likelihood import likelihood
from diglot.pairing.fused.matching import Matching, length_residual, match_pages, relearnt, spread, text_lengths
from diglot.pairing.fused.orphans import Evidence, match
from diglot.pairing.fused.prior import FEATURES, MARGIN, read_prior
from diglot.pairing.fused.terms import site_terms
from diglot.pairing.fused.twins import count_agreement, title_likelihood
from diglot.site import Site

LEXICON_PAIRS = 10
"""Training pairs from which a lexicon is worth half of what needs none: from few it only remembers them."""
LEAST_LIKENESS = 0.5
"""Translations are more alike than this in tags and lengths; what is less alike counts as this."""
MAX_FINGERPRINT = 2_000
"""Longer fingerprints are not compared: edit distances need time quadratic in the length."""
ADDRESS_VALUE = 1.0
"""What an address rule or a language switch adds to the matching value, where good content is about 1."""
FRAME_VALUE = 0.5
RELEARNING_ROUNDS, RELEARNT_BELOW = 1, 0.6
"""Where few pages are parallel, most of the first training pairs are wrong, and the surest are a better lesson."""
RELEARNT_FROM = 0.2
"""Probability of the pairs that are then learnt from: a lexicon forgives a few wrong pairs sooner than missing ones."""
MIN_RELEARNT = 10
LEVEL = ("structure", "cosine", "neutral")
MIN_LEVEL = 0.25
"""Where orphans' pairs are 0 and true ones 1: 19 of 20 true pairs are above, most pairs by a wrong rule below 0."""


def fused(site: Site, src_lang: str, tgt_lang: str, *, seed: int = 0) -> Fused:
    """Pair the pages of two languages of a site, computed once a site, language pair and seed."""
    return site.cached(("fused", src_lang, tgt_lang, seed), lambda: _fuse(site, src_lang, tgt_lang, seed))


def _fuse(site: Site, src_lang: str, tgt_lang: str, seed: int) -> Fused:
    rng = np.random.default_rng([seed, xxhash.xxh3_64_intdigest("\n".join(site.urls).encode()) % 2**32])
    rows, matching = _first_matching(site, src_lang, tgt_lang)
    outcome = _decided(site, rows, matching, rng)
    for _ in range(RELEARNING_ROUNDS):
        likely = outcome.pairs[outcome.matched & (outcome.probability >= RELEARNT_FROM)]
        if outcome.notes or outcome.share >= RELEARNT_BELOW or len(likely) < MIN_RELEARNT:
            break
        matching = relearnt(site, *rows, matching, likely)
        outcome = _decided(site, rows, matching, rng)
    site.cached(("matching", src_lang, tgt_lang, seed), lambda: matching)
    return outcome


def final_matching(site: Site, src_lang: str, tgt_lang: str, *, seed: int) -> Matching:
    """The matching, lexicon and training pairs that the outcome of :func:`fused` rests on."""
    fused(site, src_lang, tgt_lang, seed=seed)
    return site.cached(("matching", src_lang, tgt_lang, seed), lambda: _first_matching(site, src_lang, tgt_lang)[1])


def _decided(site: Site, rows: tuple[Rows, Rows], matching: Matching, rng: np.random.Generator) -> Fused:
    evidence = _evidence(site, rows, matching)
    if evidence is None:
        return Fused(np.zeros((0, 2), np.int32), np.zeros(0, bool), np.zeros(0), np.zeros((0, len(FEATURES))), 0.0)
    return decide(evidence, site_terms(site), rng, training=matching.training, copies=near_copies(site))


def evidence_of(site: Site, src_lang: str, tgt_lang: str) -> tuple[Evidence, Pairs] | None:
    """Scores of all candidates, and the pairs the lexicon was learnt from; None without candidates.

    Pages that show an original in another edition's frame are no candidates.
    """
    rows, matching = _first_matching(site, src_lang, tgt_lang)
    evidence = _evidence(site, rows, matching)
    return None if evidence is None else (evidence, matching.training)


def _first_matching(site: Site, src_lang: str, tgt_lang: str) -> tuple[tuple[Rows, Rows], Matching]:
    left_out = no_candidates(site)
    src, tgt = (np.setdiff1d(site.rows_of(lang), left_out) for lang in (src_lang, tgt_lang))
    return (src, tgt), match_pages(site, src, tgt)


def _evidence(site: Site, rows: tuple[Rows, Rows], matching: Matching) -> Evidence | None:
    by_content = matching.pairs[match(matching.pairs, matching.similarity)]
    links = switch_links(site, *rows, by_content)
    rules = AddressRules(site, by_content, matching.pairs, matching.similarity)
    pairs = union(matching.pairs, rules.candidates(), np.array(sorted(links), np.int32).reshape(-1, 2))
    return gather(site, rows, matching, pairs, rules, links) if len(pairs) else None


def gather(
    site: Site,
    rows: tuple[Rows, Rows],
    matching: Matching,
    pairs: Pairs,
    rules: AddressRules,
    links: dict[tuple[int, int], float],
) -> Evidence:
    """All scores of the candidates, and the value they are matched by."""
    terms = site_terms(site)
    order, title = order_scores(pairs, matching.side, matching.lexicon, matching.idf)
    ratios = likelihood(terms, rows, pairs, matching.training, matching.lexicon, matching.idf)
    lengths = text_lengths(terms)
    residual = np.abs(length_residual(lengths, pairs, matching.log_ratio)) / spread(lengths, pairs, matching.length_sd)
    blocks = np.diff(terms.block_offsets)[pairs].astype(np.float64)
    scores = {
        "order": order,
        "title": title,
        "cosine": matching.cosine_of(pairs),
        "neutral": matching.neutral_of(pairs),
        "likelihood": ratios.share,
        "likelihood_scaled": ratios.scaled,
        "against": ratios.against,
        "numbers": ratios.numbers,
        "codes": ratios.codes,
        "counts": count_agreement(terms, rows, pairs),
        "title_likelihood": title_likelihood(terms, rows, pairs, matching.training, matching.lexicon),
        "length": np.minimum(residual, 6),
        "blocks": np.abs(blocks[:, 0] - blocks[:, 1]) / np.maximum(blocks.max(axis=1), 1),
        "structure": structure(site, pairs),
        "address": rules.evidence(pairs).astype(np.float64),
        "link": np.array([links.get((i, j), 0.0) for i, j in pairs.tolist()]),
        "frame": frame_typicality(site, *rows)[pairs[:, 0]] + frame_typicality(site, *rows[::-1])[pairs[:, 1]],
    }
    for name in ("address", "link"):
        scores[name] = scores[name] * reliability(scores, name)
    value = content_value(scores, len(matching.training)) + 0.01 * ratios.numbers + 0.5 * FRAME_VALUE * scores["frame"]
    value = value + ADDRESS_VALUE * (scores["address"] + scores["link"])
    columns = np.stack([np.asarray(scores[name], np.float64) for name in FEATURES[:MARGIN]], axis=1)
    return Evidence(pairs, columns, value, ratios.scaled)


def reliability(scores: Mapping[str, Floats], name: str) -> float:
    """How far the content bears out addresses or links: mean of a Beta posterior, in (0, 1).

    Borne out is a pair whose content is at the level of translations and not of orphans' pairs on other sites; being
    the best of its pages is not enough, for pages without translations have a best candidate too.
    """
    prior = read_prior()
    told = scores[name] >= SUPPORTED
    places = [FEATURES.index(column) for column in LEVEL]
    anchored = [
        (scores[column][told] - prior.orphan[k]) / (prior.pair[k] - prior.orphan[k])
        for column, k in zip(LEVEL, places, strict=True)
    ]
    level = np.mean(np.nan_to_num(anchored, nan=0.5), axis=0)
    return float((1 + (level >= MIN_LEVEL).sum()) / (2 + told.sum()))


def structure(site: Site, pairs: Pairs) -> Floats:
    """Bitextor's direct similarity of two pages' tags and text lengths (2010, 4.2); NaN for very long pages."""
    short = longer_fingerprint(site, pairs) <= MAX_FINGERPRINT
    similarity = np.full(len(pairs), np.nan)
    similarity[short] = direct_similarity(site, pairs[short], least=LEAST_LIKENESS)
    return similarity


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
