"""Strict and lax scores of beads: by hand, and as the scorer of the evaluation data counts."""

import importlib.util
import os
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.errors import SourceError
from diglot.evaluation.bead_scores import Agreement, BeadScores, read_beads, score_beads

DATA = Path(os.environ.get("DIGLOT_DATA", "/nonexistent"))


def scores_of(gold: Iterable[str], test: Iterable[str]) -> BeadScores:
    return score_beads(read_beads(gold, "gold"), read_beads(test, "test"))


def test_by_hand() -> None:
    gold = ["[0]:[0]", "[1, 2]:[1]", "[3]:[2]", "[]:[3]", "[4]:[4, 5]"]
    test = [
        "[0]:[0]",  # strictly right
        "[1]:[1]",  # lax: shares 1-1 with the second
        "[2]:[]",  # a deletion the gold has not: wrong, and for precision only
        "[3]:[]",
        "[]:[3]",  # strictly right, for precision only
        "[4]:[2]",  # wrong: 4 is linked with 4 and 5
        "[5]:[5]",  # wrong: 5 is no source unit of the gold
    ]
    scores = scores_of(gold, test)
    assert scores.proposed == Agreement(strict=2, lax=3, total=7)
    assert scores.gold == Agreement(strict=1, lax=2, total=4)
    assert scores.shares("strict") == pytest.approx((2 / 7, 1 / 4, 4 / 15))
    assert scores.shares("lax") == pytest.approx((3 / 7, 2 / 4, 6 / 13))


def test_the_gold_against_itself_is_perfect_and_order_is_nothing() -> None:
    gold = ["[0]:[0]", "", "[1, 2]:[1]", "[]:[2]", "[3]:[]:0.123"]
    assert scores_of(gold, gold[::-1]).as_dict() == {
        "strict": {"precision": 1, "recall": 1, "f1": 1},
        "lax": {"precision": 1, "recall": 1, "f1": 1},
        "gold": 2,
        "proposed": 4,
    }


def test_nothing_proposed() -> None:
    assert scores_of(["[0]:[0]"], []).shares("lax") == (0, 0, 0)
    assert scores_of([], ["[]:[]"]).proposed.total == 0


@pytest.mark.parametrize("line", ["0:0", "[0]:[a]", "[0] [0]", f"[{'9' * 5000}]:[0]"])
def test_a_line_that_is_no_bead_is_named(line: str) -> None:
    with pytest.raises(SourceError, match=r"test line 2: .* is no bead") as refusal:
        scores_of(["[0]:[0]"], ["[0]:[0]", line])
    assert len(str(refusal.value)) < 200


spans = st.lists(st.integers(0, 6), max_size=3, unique=True).map(sorted)
beads = st.lists(st.tuples(spans, spans), max_size=8).map(lambda pairs: [f"{s}:{t}" for s, t in pairs])


@given(beads, beads)
def test_what_holds_of_any_beads(gold: list[str], test: list[str]) -> None:
    scores = scores_of(gold, test)
    for counted in (scores.proposed, scores.gold):
        assert 0 <= counted.strict <= counted.lax <= counted.total
    doubled = scores + scores
    assert doubled.shares("strict") == scores.shares("strict")


@pytest.fixture(scope="module")
def scorer() -> Any:
    if not (DATA / "score.py").exists():
        pytest.skip("the scorer of the evaluation data is not at hand")
    spec = importlib.util.spec_from_file_location("score_beads", DATA / "score.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_same_figures_as_the_scorer(scorer: Any) -> None:
    rng = random.Random(11)
    for _ in range(200):
        lists: list[list[str]] = []
        for _ in range(2):
            lines, src, tgt = [], 0, 0
            while src < 12 and tgt < 12:
                m, n = rng.choice([(1, 1), (1, 1), (2, 1), (1, 2), (1, 0), (0, 1), (2, 2)])
                lines.append(f"{list(range(src, src + m))}:{list(range(tgt, tgt + n))}:0.5")
                src, tgt = src + m, tgt + n
            lists.append(lines)
        ours = scores_of(*lists).as_dict()
        theirs = scorer.score_sents([tuple(read_beads(lines, "list") for lines in lists)])
        assert {kind: ours[kind] for kind in ("strict", "lax")} == theirs
