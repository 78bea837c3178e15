"""Pairing from the site alone: self-trained evidence, an orphan model, calibrated odds.

The method, its formulas and the worth of each part: docs/theory/fused.md.
"""

from __future__ import annotations

import numpy as np
import xxhash

from diglot.arrays import Rows
from diglot.features.links import mutually_named_mask
from diglot.pairing.cascade import Judged
from diglot.pairing.fused.addresses import few_differing_by_codes
from diglot.pairing.fused.decision import Outcome, decide, raise_pairs
from diglot.pairing.fused.evidence import ADDRESS, FEATURES, LINK, compare, gather
from diglot.pairing.fused.groups import Outcomes, join_languages, languages_in_groups
from diglot.pairing.fused.matching import MIN_TRAINING, Matching, first_matching, relearn, self_train
from diglot.pairing.fused.prior import read_prior
from diglot.pairing.fused.third_language import with_implied_pairs
from diglot.pairing.fused.words import site_words
from diglot.site import Site

RELEARNT_BELOW = 0.6
"""Estimated share of true pairs below which the lexicon is learnt again from the likely pairs: most of the first
training pairs are then wrong. It is also learnt again if training pairs were too few for any lexicon."""
RELEARNT_FROM = 0.2
"""Least probability of the likely pairs: a lexicon suffers less from a few wrong pairs than from missing pairs."""
MIN_RELEARNT = 10
"""Least number of likely pairs; fewer teach no more than first training pairs that were enough for a lexicon."""
DECLARED = 0.9
"""Least probability of a matched pair on a site too small for a lexicon, if its pages name each other as language
versions, by hreflang or by the name of the language, one names the other by hreflang, or their addresses are the same
but for codes of their languages. Of pairs that name each other .96 are right on ten sites, and most of the rest are
left untranslated."""
GROUP = "group"
"""Evidence of the other languages: the change of a pair's log odds by their pages."""


def fused_judgement(site: Site, src: Rows, tgt: Rows, *, src_lang: str, tgt_lang: str, seed: int) -> Judged:
    """All candidates of two languages, with the probability of each and the bits of each kind of evidence."""
    outcome = fused_outcome(site, src_lang, tgt_lang, seed=seed)
    in_groups = outcome.group_bits if len(outcome.group_bits) else np.full(len(outcome.pairs), np.nan)
    columns = zip((*FEATURES, GROUP), (*outcome.bits.T, in_groups), strict=True)
    return Judged(
        pairs=outcome.pairs,
        probability=outcome.probability.astype(np.float32),
        evidence={name: bits.astype(np.float32) for name, bits in columns},
        notes=outcome.notes,
        missed=outcome.missed,
    )


def fused_outcome(site: Site, src_lang: str, tgt_lang: str, *, seed: int = 0) -> Outcome:
    """The outcome of two languages of a site in five steps, computed once for each site and seed.

    1. Words spelt alike in both languages give the first candidates.
    2. The surest candidates teach a lexicon, and the lexicon finds better candidates.
    3. All evidence for each candidate is gathered: the table :data:`diglot.pairing.fused.evidence.COLUMNS`.
    4. Matched pairs lose one page on purpose. The pairs that the orphans then form show how wrong pairs look on this
       site, and give every candidate its odds. If few pages turn out to be parallel, or too few pairs were sure for a
       lexicon, the lexicon is learnt again from the likely pairs.
    5. On a site in many languages, a page's partners must be each other's partners. On a site of few languages, or of
       very many pages, two translations of one page in a third language are a pair.
    """
    outcomes = site.keep(("fused, all languages", seed), lambda: _outcomes_of_all(site, seed))
    # One language pair by itself has nothing to learn from others.
    return outcomes.get((src_lang, tgt_lang)) or outcome_of_two(site, src_lang, tgt_lang, seed=seed)


def outcome_of_two(site: Site, src_lang: str, tgt_lang: str, *, seed: int = 0) -> Outcome:
    """Steps 1 to 4: the outcome of two languages by themselves, computed once a site, language pair and seed."""
    return site.keep(("fused", src_lang, tgt_lang, seed), lambda: _compute_outcome(site, src_lang, tgt_lang, seed))


def _compute_outcome(site: Site, src_lang: str, tgt_lang: str, seed: int) -> Outcome:
    # Seeded by the addresses too, so that the sites of a run draw different orphans.
    rng = np.random.default_rng([seed, xxhash.xxh3_64_intdigest("\n".join(site.urls).encode()) % 2**32])
    rows = site.rows_of(src_lang), site.rows_of(tgt_lang)
    # 1. Words and first candidates.
    matching = first_matching(site, *rows)
    # 2. Lexicon.
    matching = self_train(site, *rows, matching)
    outcome = _weigh(site, rows, matching, rng)
    likely = outcome.pairs[outcome.matched & (outcome.probability >= RELEARNT_FROM)]
    # On a site with groups, other languages say more than a lexicon learnt from few pairs.
    is_untaught = len(matching.training) < MIN_TRAINING
    has_no_lexicon = is_untaught and not languages_in_groups(site)
    is_poor = outcome.share < RELEARNT_BELOW or has_no_lexicon
    if is_poor and not outcome.notes and len(likely) >= (MIN_TRAINING if has_no_lexicon else MIN_RELEARNT):
        outcome = _weigh(site, rows, relearn(site, *rows, matching, likely), rng)
    if is_untaught:
        outcome = raise_pairs(outcome, mutually_named_mask(site, outcome.pairs), DECLARED, LINK)
        outcome = raise_pairs(outcome, few_differing_by_codes(site, *rows, outcome.pairs), DECLARED, ADDRESS)
    return outcome


def _weigh(site: Site, rows: tuple[Rows, Rows], matching: Matching, rng: np.random.Generator) -> Outcome:
    # 3. Evidence.
    prior = read_prior()
    evidence = gather(compare(site, rows, matching), prior.level)
    # 4. Orphans and odds.
    return decide(evidence, site_words(site), matching, prior, rng)


def _outcomes_of_all(site: Site, seed: int) -> Outcomes:
    # 5. Other languages; sites of few languages or very many pages have no groups.
    langs = languages_in_groups(site)
    wanted = [pair for pair in site.lang_pairs if not langs or set(pair) <= set(langs)]
    if len(wanted) < 2:
        return {}
    alone = {pair: outcome_of_two(site, *pair, seed=seed) for pair in wanted}
    return join_languages(site, langs, alone) if langs else with_implied_pairs(site, alone)
