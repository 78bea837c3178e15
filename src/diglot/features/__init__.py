"""Evidence: functions of a site and pairs of its rows -> one float32 column; here, features made of features.

NaN means no evidence, never evidence against. One idea a file, with its paper and section.
"""

from __future__ import annotations

import numpy as np

from diglot.arrays import Column, Pairs, sigmoid
from diglot.site import Feature, Site


def product(site: Site, pairs: Pairs, *, features: tuple[Feature, ...]) -> Column:
    """Product of the features; NaN where a feature has no evidence."""
    return np.asarray(np.prod([feature(site, pairs) for feature in features], axis=0), np.float32)


def weighted_mean(site: Site, pairs: Pairs, *, features: tuple[tuple[Feature, float], ...]) -> Column:
    """Mean of the features by their weights; NaN where a feature has no evidence."""
    # Weights need not add up to 1.
    total = sum(weight for _, weight in features)
    columns = [feature(site, pairs) * np.float32(weight / total) for feature, weight in features]
    return np.asarray(np.sum(columns, axis=0), np.float32)


def complement(site: Site, pairs: Pairs, *, feature: Feature) -> Column:
    """1 minus a similarity in [0, 1], so that the best comes first in a ranking."""
    return np.asarray(1 - feature(site, pairs), np.float32)


def logistic(site: Site, pairs: Pairs, *, feature: Feature) -> Column:
    """Logistic function of a decision value, in [0, 1]; orders pairs, no probability."""
    return np.asarray(sigmoid(feature(site, pairs).astype(np.float64)), np.float32)
