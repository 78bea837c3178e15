"""Estimated precision and recall of a run: hand-worked sums, and what a step that decides leaves for them."""

import numpy as np
import pyarrow as pa
import pytest

from diglot.pairing.assignment import greedy
from diglot.pairing.cascade import Decision, GatedStep, run_cascade
from diglot.records import PAIR_SCHEMA
from diglot.run.funnel import estimate_text, estimates
from made_documents import made_page, made_site

PAIRS = np.array([[0, 2], [0, 3], [1, 3]], np.int32)
PROBABILITIES = np.array([0.9, 0.4, 0.3], np.float32)


def pair_rows(*rows: tuple[str, str, float]) -> pa.Table:
    blank = {"src_url": "", "tgt_url": "", "accepted": True, "method": "m", "refused_by": "", "evidence": []}
    made = [{**blank, "src_lang": src, "tgt_lang": tgt, "probability": p} for src, tgt, p in rows]
    return pa.Table.from_pylist(made, schema=PAIR_SCHEMA)


def test_precision_is_the_mean_and_recall_the_accepted_share_of_what_is_expected() -> None:
    pairs = pair_rows(("en", "fr", 1.0), ("en", "fr", 0.5), ("en", "de", 0.75))
    found = estimates(pairs, {"en-fr": 3.0, "en-de": 0.75, "en-it": 0.0})
    assert found["en-fr"] == {"precision": 0.75, "recall": 0.5}
    assert found["en-de"] == {"precision": 0.75, "recall": 1.0}
    assert found["en-it"] == {"precision": None, "recall": None}
    assert found["all"] == {"precision": 0.75, "recall": 0.6}
    assert estimate_text(found["en-fr"]) == ": by its own estimate 75.0% right, 50.0% of all found"


def test_no_estimate_from_scores_that_are_no_probabilities() -> None:
    found = estimates(pair_rows(("en", "fr", 1.0)), {"en-fr": None, "en-de": 2.0})
    assert found["en-fr"] == found["all"] == {"precision": None, "recall": None}
    assert estimate_text(found["all"]) == ""


@pytest.mark.parametrize("decides", [True, False])
def test_expected_pairs_are_the_probabilities_of_those_that_compete(decides: bool) -> None:
    site = made_site(*(made_page(f"http://a/{k}", "en" if k < 2 else "fr", ["x"]) for k in range(4)))
    chosen = {"decide": lambda site, pairs: Decision(probability=PROBABILITIES)}
    if not decides:
        chosen = {"score": lambda site, pairs: np.ones(len(pairs), np.float32)}
    step = GatedStep(method="m", candidates=(lambda site, src, tgt: iter([PAIRS]),), assign=greedy, **chosen)
    scored = run_cascade(site, site.rows_of("en"), site.rows_of("fr"), (step,))
    if decides:  # (0, 2) is taken, (0, 3) lost its page to it, (1, 3) is too improbable but may be true
        assert scored.expected_pairs == pytest.approx(0.9 + 0.3)
    else:
        assert np.isnan(scored.expected_pairs)
