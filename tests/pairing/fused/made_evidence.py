"""Evidence, features and priors made by hand, named columns alone filled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from diglot.arrays import Floats
from diglot.pairing.fused.evidence import FEATURES, MARGIN, Evidence
from diglot.pairing.fused.prior import Prior


def column(name: str) -> int:
    """Where a kind of evidence stands."""
    return FEATURES.index(name)


def made_features(count: int, **columns: Sequence[float] | float | Floats) -> Floats:
    """Rows of evidence, margins included, 0 but for the columns named."""
    features = np.zeros((count, len(FEATURES)))
    for name, values in columns.items():
        features[:, column(name)] = values
    return features


def made_evidence(
    pairs: Sequence[tuple[int, int]],
    value: Sequence[float] | Floats,
    scaled: Sequence[float] | Floats | None = None,
    elsewhere: Sequence[float] | float = 0.0,
    **columns: Sequence[float] | float | Floats,
) -> Evidence:
    """Candidates with their matching value, and evidence that is 0 but for the columns named."""
    values = np.asarray(value, np.float64)
    margin_of = values if scaled is None else np.asarray(scaled, np.float64)
    rows, chances = np.array(pairs, np.int32).reshape(-1, 2), np.full(len(pairs), elsewhere, np.float64)
    return Evidence(rows, made_features(len(pairs), **columns)[:, :MARGIN], values, margin_of, chances)


def made_prior(
    *, orphan: float = 0.0, pair: float = 1.0, bias: float = 0.0, share: float = 0.8, **weights: float
) -> Prior:
    """Other sites: all columns have the same two anchors, and only those named a weight."""
    size = len(FEATURES)
    found = np.zeros(size)
    for name, weight in weights.items():
        found[column(name)] = weight
    return Prior(np.full(size, orphan), np.full(size, pair), found, bias, share)
