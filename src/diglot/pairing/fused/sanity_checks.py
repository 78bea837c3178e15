"""Sanity checks: does a site give any reason to believe in parallel pages?"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from diglot.arrays import Floats, Pairs
from diglot.pairing.fused.evidence import CONTENT
from diglot.pairing.fused.prior import Prior
from diglot.pairing.fused.words import SiteWords, WordClass
from diglot.sparse import common_columns

MIN_NUMBER_SURVIVAL = 0.4
"""Least share of numbers in common. On sites with parallel pages confident pairs share .45 to .86 of their numbers; on
the same sites without any translation, .22 to .35. Editions of a text with paragraphs numbered in their own ways share
.37: so a lower share is no ground for doubt where the content is like translations and leads."""
MIN_SURVIVAL_PAIRS = 10
"""Least number of training pairs; fewer share numbers by chance."""
MIN_LEAD = 0.75
"""Least chance that a sure pair fits better in content than an orphan's pair: .80 to .99 on sites with parallel pages,
.64 to .72 on the same sites with all partners taken away."""
MIN_LEAD_PAIRS = 10
"""Least number of sure pairs; fewer lead by chance."""
MIN_LEAD_OF_SUREST = 0.94
"""Least such chance of the surest tenth of sure pairs, which a site has even with few parallel pages: .96 and .97 with
a sixth of the matched pairs true, .90 to .93 with a twentieth, when most accepted pairs are wrong, .72 to .85 with
none."""
SUREST_SHARE = 0.1
"""Share of the sure pairs that count as the surest."""
PAIR_LEVEL = 0.5
"""Level of content, orphans' pairs of other sites being 0 and true pairs 1, that needs no lead over orphans: if orphans
find pairs as good, the site holds every page in several versions. Where numbers are lost, level and lead are required:
.54 and .92 with editions of a text, -.02 to .23 and .63 to .76 without translations."""


def failed_checks(
    words: SiteWords,
    training: Pairs,
    seeds: Floats,
    orphans: Floats,
    surest: Callable[[], tuple[Floats, Floats]],
    prior: Prior,
) -> tuple[str, ...]:
    """Reasons, in words, to doubt all pairs that content alone supports; empty if the site passes.

    ``training``: pairs (n, 2) the lexicon was learnt from; ``seeds``, ``orphans``: evidence, a column each of
    :data:`diglot.pairing.fused.evidence.COLUMNS`, of the sure pairs and of simulated orphans' pairs; ``surest``:
    computes both for the surest seeds alone, which takes time. ``prior``: of other sites.
    """
    found = []
    asked = trained_content(prior)
    survival, lead = number_survival(words, training), content_lead(seeds, orphans, asked)
    leads = lead >= MIN_LEAD
    is_like_pairs = content_level(seeds, prior) >= PAIR_LEVEL
    if survival < MIN_NUMBER_SURVIVAL and not (leads and is_like_pairs):
        found.append(f"matched pages share only {survival:.0%} of their numbers, most translations more than half")
    if not (leads or is_like_pairs) and content_lead(*surest(), asked) < MIN_LEAD_OF_SUREST:
        found.append(
            f"the surest pairs fit better than pages without partner only {lead:.0%} of the time, translations nearly "
            "always"
        )
    return tuple(f"{reason}: kept only pairs that addresses, links or a third language support" for reason in found)


def number_survival(words: SiteWords, matched: Pairs) -> float:
    """Share of the numbers on matched pages that both pages have; 1 for few pairs, or pages without numbers."""
    if len(matched) < MIN_SURVIVAL_PAIRS:
        return 1.0
    present = words.counts.keep_columns(words.classes == WordClass.NUMBER)
    src, tgt = present[matched[:, 0]], present[matched[:, 1]]
    total = len(src.columns) + len(tgt.columns)
    return 2 * len(common_columns(src, tgt)) / total if total else 1.0


def trained_content(prior: Prior) -> tuple[int, ...]:
    """Places of the trained content columns."""
    return tuple(place for place in CONTENT if place not in prior.untrained)


def content_lead(seeds: Floats, orphans: Floats, places: Sequence[int] = CONTENT) -> float:
    """Mean over kinds of content of the chance that a seed scores above an orphan; 1 for few seeds, or no orphans."""
    if len(seeds) < MIN_LEAD_PAIRS or not len(orphans):
        return 1.0
    # Margins are left out: a best pair always beats the next best.
    return float(np.mean([_above(seeds[:, place], orphans[:, place]) for place in places]))


def content_level(seeds: Floats, prior: Prior) -> float:
    """Mean over kinds of content of the median seed; orphans' pairs of other sites are 0, true pairs 1.

    Kinds without evidence are left out; 0 without any kind.
    """
    known = [place for place in CONTENT if not np.isnan(seeds[:, place]).all()]
    levels = (prior.level(np.nanmedian(seeds[:, [place]], axis=0), place) for place in known)
    found = [level for level in levels if level is not None]
    return float(np.mean(found)) if found else 0.0


def _above(values: Floats, others: Floats) -> float:
    """Area under the ROC curve: chance that a value is above a member of ``others``, ties counting half."""
    values, others = values[~np.isnan(values)], np.sort(others[~np.isnan(others)])
    if not len(values) or not len(others):
        return 0.5
    ranks = np.searchsorted(others, values, side="left") + np.searchsorted(others, values, side="right")
    return float(ranks.mean()) / (2 * len(others))
