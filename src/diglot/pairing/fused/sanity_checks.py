"""Whether a site gives ground to believe that any of its pages are parallel at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from diglot.arrays import Floats, Pairs
from diglot.pairing.fused.evidence import CONTENT
from diglot.pairing.fused.prior import Prior
from diglot.pairing.fused.words import SiteWords, WordClass

MIN_NUMBER_SURVIVAL = 0.4
"""Translations keep numbers: confident pairs share .45 to .86 of them on sites with parallel pages, .26 to .33 on
the same sites with all partners taken away."""
MIN_SURVIVAL_PAIRS = 10
"""Fewer training pairs share numbers by chance."""
MIN_LEAD = 0.75
"""How often a sure pair must fit better in content than what a page takes whose partner is gone: .80 to .99 on sites
with parallel pages, .64 to .72 on the same sites with all partners taken away."""
MIN_LEAD_PAIRS = 10
"""Fewer sure pairs lead by chance."""
MIN_LEAD_OF_SUREST = 0.94
"""The same for the surest tenth of them, which a site has even where few pages are parallel: .96 and .97 with a sixth
of the matched pairs true, .90 to .93 with a twentieth, when most of what is taken is wrong, .72 to .85 with none."""
SUREST_SHARE = 0.1
"""Share of the sure pairs that are the surest of them."""
PAIR_LEVEL = 0.5
"""Content evidence as good as this on the scale where orphans' pairs of other sites are 0 and true pairs 1 is no ground
for doubt: where what orphans take is as good, the site holds every page in several versions."""


def doubts(
    words: SiteWords,
    training: Pairs,
    seeds: Floats,
    orphans: Floats,
    surest: Callable[[], tuple[Floats, Floats]],
    usual: Prior,
) -> tuple[str, ...]:
    """Reasons, in words, to believe in no pair for its content alone; none where there is no such reason.

    ``training``: pairs (n, 2) the lexicon was learnt from; ``seeds``, ``orphans``: evidence, a column each of
    :data:`diglot.pairing.fused.evidence.COLUMNS`, of the sure pairs and of those that simulated orphans take;
    ``surest``: gives the same two of the surest of the seeds alone, which take time to make. ``usual``: what is
    usual on other sites.
    """
    found = []
    asked = trained_content(usual)
    survival, lead = number_survival(words, training), content_lead(seeds, orphans, asked)
    if survival < MIN_NUMBER_SURVIVAL:
        found.append(f"matched pages share only {survival:.0%} of their numbers, translations share more than half")
    unlike = lead < MIN_LEAD and content_level(seeds, usual) < PAIR_LEVEL
    if unlike and content_lead(*surest(), asked) < MIN_LEAD_OF_SUREST:
        found.append(
            f"the surest pairs fit better than pages without partner only {lead:.0%} of the time, translations nearly "
            "always"
        )
    return tuple(f"{reason}: kept only pairs that addresses, links or a third language support" for reason in found)


def number_survival(words: SiteWords, matched: Pairs) -> float:
    """Share of the numbers on matched pages that stand on both; 1 where there are no or few pairs."""
    if len(matched) < MIN_SURVIVAL_PAIRS:
        return 1.0
    columns = np.flatnonzero(words.classes == WordClass.NUMBER)
    present = words.counts[:, columns] > 0
    src, tgt = present[matched[:, 0]], present[matched[:, 1]]
    total = src.sum() + tgt.sum()
    return float(2 * src.multiply(tgt).sum() / total) if total else 1.0


def trained_content(usual: Prior) -> tuple[int, ...]:
    """Places of the content columns of which other sites have told which way they point and how far."""
    return tuple(place for place in CONTENT if place not in usual.untrained)


def content_lead(seeds: Floats, orphans: Floats, places: Sequence[int] = CONTENT) -> float:
    """Mean over kinds of content of the chance that a seed scores above an orphan; 1 of few seeds.

    Rivals are left out of it: a best pair is always better than the next best.
    """
    if len(seeds) < MIN_LEAD_PAIRS or not len(orphans):
        return 1.0
    return float(np.mean([_above(seeds[:, place], orphans[:, place]) for place in places]))


def content_level(seeds: Floats, usual: Prior) -> float:
    """Mean over kinds of content of the median seed, orphans' pairs of other sites being 0 and true pairs 1.

    Kinds of which the seeds have no evidence are left out; 0 where that is all of them.
    """
    known = [place for place in trained_content(usual) if not np.isnan(seeds[:, place]).all()]
    levels = [usual.level(np.nanmedian(seeds[:, [place]], axis=0), place) for place in known]
    found = [level for level in levels if level is not None]
    return float(np.mean(found)) if found else 0.0


def _above(values: Floats, others: Floats) -> float:
    """Chance that one of ``values`` is above one of ``others``, ties counting half: area under the ROC curve."""
    values, others = values[~np.isnan(values)], np.sort(others[~np.isnan(others)])
    if not len(values) or not len(others):
        return 0.5
    ranks = np.searchsorted(others, values, side="left") + np.searchsorted(others, values, side="right")
    return float(ranks.mean()) / (2 * len(others))
