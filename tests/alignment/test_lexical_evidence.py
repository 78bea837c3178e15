"""What similarities are worth: scales by hand, and beads that only evidence can tell apart."""

from __future__ import annotations

import random

import numpy as np
import pytest

from diglot.alignment.lexical import align_texts
from diglot.alignment.lexical.rates import TYPE_SRC, TYPE_TGT, LikelyBeads
from diglot.alignment.lexical.scales import EVIDENCE_WEIGHT, MAX_NATS, Scale, fit_scale, learn_scales, weighed_evidence
from diglot.alignment.lexical.units import ParallelText
from diglot.arrays import Floats, Ints

ONE_TO_ONE = int(np.flatnonzero((TYPE_SRC == 1) & (TYPE_TGT == 1))[0])


def likely(count: int) -> LikelyBeads:
    """Sentence n of one side with sentence n of the other, surely."""
    numbers = np.arange(count)
    beads = np.stack((numbers, numbers, np.full(count, ONE_TO_ONE)), axis=1)
    return LikelyBeads(beads, np.ones(count), np.zeros(len(TYPE_SRC)))


def test_a_scale_is_the_ratio_of_two_normal_densities() -> None:
    matched, mismatched = np.tile([0.7, 0.9], 5_000), np.tile([0.1, 0.3], 5_000)
    scale = fit_scale(matched, np.ones(10_000), mismatched)
    # means .8 and .2, variance .01: log ratio at x is 60 x - 30
    assert scale.slope == pytest.approx(60, rel=0.002)
    assert scale.slope * 0.5 + scale.offset == pytest.approx(0, abs=1e-6)


def test_posteriors_weigh() -> None:
    scale = fit_scale(np.array([0.8] * 50 + [0.2] * 50), np.array([1.0] * 50 + [0.0] * 50), np.full(100, 0.2))
    assert -scale.offset / scale.slope == pytest.approx(0.5)


def test_what_tells_nothing_or_turns_round_is_worth_nothing() -> None:
    assert fit_scale(np.full(50, 0.2), np.ones(50), np.full(50, 0.8)) == (0.0, 0.0)
    assert fit_scale(np.zeros(0), np.zeros(0), np.zeros(0)) == (0.0, 0.0)
    assert weighed_evidence([lambda beads: np.ones(len(beads))], [Scale(0.0, 0.0)]) is None


def test_few_beads_are_trusted_less() -> None:
    few, many = (fit_scale(np.tile([0.7, 0.9], n), np.ones(2 * n), np.tile([0.1, 0.3], n)) for n in (5, 500))
    assert few.slope == pytest.approx(many.slope / 2, rel=0.05)


def test_unknown_adds_nothing_and_nothing_is_beyond_the_limit() -> None:
    values = np.array([np.nan, 0.5, 0.5, 1e9, -1e9])
    beads = np.array([[0, 1, 0, 1], [0, 1, 0, 1], [0, 2, 0, 1], [0, 1, 0, 1], [0, 1, 0, 1]])
    nats = weighed_evidence([lambda beads: values[: len(beads)]], [Scale(60.0, -28.0)])
    assert nats is not None
    assert nats(beads) == pytest.approx([0.0, EVIDENCE_WEIGHT * 2, EVIDENCE_WEIGHT * 3, MAX_NATS, -MAX_NATS])


def test_scales_are_learnt_from_sides_together_and_moved() -> None:
    def same(beads: Ints) -> Floats:
        return np.where(beads[:, 0] == beads[:, 2], 0.8, 0.2) + 0.1 * (-1.0) ** beads[:, 0]

    (scale,) = learn_scales([[same], [same]], [likely(400), likely(400)])
    assert -scale.offset / scale.slope == pytest.approx(0.5, abs=0.01)
    assert scale.slope == pytest.approx(60, rel=0.05)


def hard_texts(count: int) -> tuple[list[str], list[str]]:
    """Sentences of much the same length, words never repeated; the target lacks every fifth."""
    draw = random.Random(1)

    def sentence(letters: str) -> str:
        return " ".join("".join(draw.choices(letters, k=6)) for _ in range(6))

    return [sentence("abdegilmnopr") for _ in range(count)], [sentence("cfhjkqstuvwxyz") for n in range(count) if n % 5]


def right(wanted: dict[int, int], bitext: ParallelText) -> int:
    (beads,) = align_texts([bitext])
    found = {bead.src[0]: bead.tgt[0] for bead in beads if bead.kind == "1-1"}
    return sum(found.get(i) == j for i, j in wanted.items())


def test_evidence_finds_what_words_and_lengths_cannot() -> None:
    src, tgt = hard_texts(100)
    place = {n: row for row, n in enumerate(n for n in range(100) if n % 5)}
    row_of = np.array([place.get(n, -1) for n in range(100)])
    noise = np.random.default_rng(0).normal(0, 0.1, (100, len(tgt)))

    def similarity(beads: Ints) -> Floats:
        """Share of the sentences of both sides whose counterpart is there, and noise."""
        shares = []
        for i, i_end, j, j_end in beads.tolist():
            there = sum(j <= row < j_end for row in row_of[i:i_end].tolist())
            shares.append(2 * there / (i_end - i + j_end - j) + noise[i, j])
        return np.array(shares)

    without, given = right(place, ParallelText(src, tgt)), right(place, ParallelText(src, tgt, evidence=[similarity]))
    assert without < 60
    assert given >= 76


def test_useless_evidence_changes_little() -> None:
    src, tgt = hard_texts(60)
    noise = np.random.default_rng(2).normal(0, 1, (60, 60))
    plain = align_texts([ParallelText(src, tgt)])
    noisy = align_texts([ParallelText(src, tgt, evidence=[lambda beads: noise[beads[:, 0], beads[:, 2]]])])
    kinds = [[bead.kind for bead in beads[0]].count("1-1") for beads in (plain, noisy)]
    assert abs(kinds[0] - kinds[1]) <= 12
