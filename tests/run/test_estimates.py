"""Estimated precision and recall of a run: hand-worked sums, and what a step that judges leaves for them."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from diglot.layout import estimate_text
from diglot.pairing.assignment import greedy
from diglot.pairing.cascade import GatedStep, Judged, JudgedStep, Step, run_cascade
from diglot.records import PAIR_SCHEMA
from diglot.run.stored_pairs import estimates, pair_mass
from made_documents import made_page, made_site

PAIRS = np.array([[0, 2], [0, 3], [1, 3]], np.int32)
PROBABILITIES = np.array([0.9, 0.4, 0.3], np.float32)


def pair_rows(*rows: tuple[str, str, float]) -> pa.Table:
    blank: dict[str, Any] = dict.fromkeys(("site", "src_url", "tgt_url", "refused_by"), "")
    blank |= {"accepted": True, "method": "m", "evidence": []}
    made = [{**blank, "src_lang": src, "tgt_lang": tgt, "probability": p} for src, tgt, p in rows]
    return pa.Table.from_pylist(made, schema=PAIR_SCHEMA)


def test_precision_is_the_mean_and_recall_the_accepted_share_of_what_is_expected() -> None:
    pairs = pair_rows(("en", "fr", 1.0), ("en", "fr", 0.5), ("en", "de", 0.75))
    found = estimates(pair_mass(pairs), {"en-fr": 3.0, "en-de": 0.75, "en-it": 0.0})
    assert found["en-fr"] == {"precision": 0.75, "recall": 0.5}
    assert found["en-de"] == {"precision": 0.75, "recall": 1.0}
    assert found["en-it"] == {"precision": None, "recall": None}
    assert found["all"] == {"precision": 0.75, "recall": 0.6}
    assert estimate_text(found["en-fr"]) == "precision 75.0%, recall 50.0%"


def test_no_estimate_from_scores_that_are_no_probabilities() -> None:
    found = estimates(pair_mass(pair_rows(("en", "fr", 1.0))), {"en-fr": None, "en-de": 2.0})
    assert found["en-fr"] == found["all"] == {"precision": None, "recall": None}
    assert estimate_text(found["all"]) == ""


SITE = made_site(*(made_page(f"http://a/{k}", "en" if k < 2 else "fr", ["x"]) for k in range(4)))


def expected(step: Step) -> float:
    return run_cascade(SITE, SITE.rows_of("en"), SITE.rows_of("fr"), (step,)).expected_pairs


def test_expected_pairs_are_the_probabilities_of_those_that_compete() -> None:
    """Of three candidates one is taken, one lost its page to it, and one is too improbable but may be true."""
    judged = Judged(pairs=PAIRS, probability=PROBABILITIES)
    step = JudgedStep(method="m", judge=lambda site, src, tgt: judged, min_probability=0.5)
    assert expected(step) == pytest.approx(0.9 + 0.3)


def test_a_step_that_only_scores_leaves_nothing_to_expect() -> None:
    step = GatedStep(
        method="m",
        candidates=(lambda site, src, tgt: iter([PAIRS]),),
        assign=greedy,
        score=lambda site, pairs: np.ones(len(pairs), np.float32),
    )
    assert np.isnan(expected(step))


def test_probabilities_that_nobody_calibrated_leave_nothing_to_expect() -> None:
    judged = Judged(pairs=PAIRS, probability=PROBABILITIES)
    step = JudgedStep(method="m", judge=lambda site, src, tgt: judged, min_probability=0.5, is_calibrated=False)
    assert np.isnan(expected(step))
