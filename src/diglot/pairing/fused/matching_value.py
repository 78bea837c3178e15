"""The matching value, by which candidates are matched, and the shares of evidence columns in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from diglot.arrays import Floats, Pairs
from diglot.pairing.fused.matching import best_alternatives

LEXICON_PAIRS = 10
"""Number of training pairs at which columns of the lexicon weigh half as much as others: a lexicon of few pairs only
remembers them."""
SUPPORT_VALUE = 1.0
"""Weight of an address rule or a language switch in the matching value, where good content is about 1."""


@dataclass(frozen=True)
class Content:
    """A column of content counts relative to the candidates at hand: columns of a kind give one mean, and so do kinds.

    ``of_lexicon``: the kind counts the less, the fewer the training pairs.
    """

    kind: str
    of_lexicon: bool = False


@dataclass(frozen=True)
class Added:
    """A column is added as it is, with a weight; NaN adds nothing."""

    weight: float


@dataclass(frozen=True)
class Support:
    """The site itself names the translation in this column, in [0, 1]. All columns of this kind are one sign."""


Share = Content | Added | Support
"""Share of a column in the matching value."""


def matching_value(scores: Mapping[str, Floats], shares: Mapping[str, Share], training_pairs: int) -> Floats:
    """Value to match candidates by, highest first, (n,): content, addresses and links.

    ``scores``: evidence by column, (n,); ``shares``: of the columns that count.
    """
    value = content_value(scores, shares, training_pairs)
    for name, share in shares.items():
        if isinstance(share, Added):
            value = value + share.weight * np.nan_to_num(scores[name])
    # All say the same thing: which page the site calls the translation. A page that was renamed has the link alone,
    # and the file that was left behind has the address and a link one way: content decides.
    unsupported = [1 - scores[name] for name, share in shares.items() if isinstance(share, Support)]
    return np.asarray(value + SUPPORT_VALUE * (1 - np.prod(unsupported, axis=0)))


def content_value(scores: Mapping[str, Floats], shares: Mapping[str, Share], training_pairs: int) -> Floats:
    """Mean of the kinds of content evidence, relative to the candidates at hand, (n,)."""
    kinds: dict[Content, list[Floats]] = {}
    for name, share in shares.items():
        if isinstance(share, Content):
            kinds.setdefault(share, []).append(_relative(scores[name]))
    lexical = [np.mean(columns, axis=0) for kind, columns in kinds.items() if kind.of_lexicon]
    plain = [np.mean(columns, axis=0) for kind, columns in kinds.items() if not kind.of_lexicon]
    known = training_pairs / (training_pairs + LEXICON_PAIRS)
    return np.asarray((sum(plain) + known * sum(lexical)) / (len(plain) + len(lexical) * known))


def _relative(score: Floats) -> Floats:
    """A score scaled so that the median candidate is 0 and the 95th percentile 1; none beyond 10."""
    score = np.nan_to_num(np.asarray(score, np.float64))
    middle, high = np.median(score), np.quantile(score, 0.95)
    # On small sites hardly any candidate may have a score, and both percentiles meet.
    unit = max(high - middle, np.ptp(score) / 10)
    return (score - middle) / unit if unit > 0 else np.zeros(len(score))


def margins(pairs: Pairs, value: Floats, scaled: Floats) -> Floats:
    """Margins of pairs over the best alternatives of the source and the target page: the smaller and the larger by
    ``value``, the smaller by ``scaled``; float64 (n, 3)."""
    row, column = best_alternatives(pairs, value)
    other = np.maximum(*best_alternatives(pairs, scaled))
    return np.stack([value - np.maximum(row, column), value - np.minimum(row, column), scaled - other], axis=1)
