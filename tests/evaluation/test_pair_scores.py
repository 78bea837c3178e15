"""Scores of page pairs: cases worked by hand, and the same figures as an independent scorer."""

import importlib.util
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.evaluation.gold import GoldPair, ProposedPair
from diglot.evaluation.pairs import PairEvaluation, evaluate_pairs

SCORER = Path(os.environ.get("DIGLOT_DATA", "/nonexistent"), "score.py")
GOLD = [GoldPair("en", "fr", f"e{n}", f"f{n}") for n in range(4)]


def proposed(*pairs: str) -> list[ProposedPair]:
    """``"e1 f1"`` or ``"e1 f1 0.9"`` each."""
    return [ProposedPair(*words[:2], *map(float, words[2:])) for words in map(str.split, pairs)]


def test_by_hand() -> None:
    # Right, right the other way round, wrong, wrong with one page unknown, two orphans.
    pairs = proposed("e0 f0", "f1 e1", "e2 f3", "e3 f9", "e8 f8")
    scores = evaluate_pairs([pair._replace(src_lang="en", tgt_lang="fr") for pair in pairs], GOLD).pooled
    assert (scores.gold, scores.proposed, scores.relevant, scores.found) == (4, 5, 4, 2)
    assert (scores.recall, scores.precision, scores.strict_precision) == (0.5, 0.5, 0.4)
    assert scores.f1 == 0.5
    assert scores.strict_f1 == pytest.approx(2 * 0.5 * 0.4 / 0.9)


def test_an_address_counts_once_on_either_side() -> None:
    pairs = proposed("e0 f1", "e0 f0", "e1 f1", "f1 e2", "e2 f2")
    result = evaluate_pairs(pairs, GOLD)
    assert result.dropped_by_one_to_one == 3
    assert (result.pooled.proposed, result.pooled.found) == (2, 1)


def test_once_in_each_language_pair() -> None:
    gold = [*GOLD, GoldPair("de", "en", "d0", "e0")]
    result = evaluate_pairs(proposed("e0 f0", "e0 d0"), gold)
    assert result.dropped_by_one_to_one == 0
    assert {name: scores.found for name, scores in result.by_lang_pair.items()} == {"de-en": 1, "en-fr": 1}
    assert result.pooled.found == 2


def test_ignored_pairs_use_nothing_up() -> None:
    ignore = [GoldPair("en", "fr", "e0", "f1"), GoldPair("en", "fr", "e2", "f2")]
    result = evaluate_pairs(proposed("e0 f1", "e0 f0", "e1 f1", "e2 f2"), GOLD, ignore=ignore)
    assert result.dropped_by_one_to_one == 0
    assert (result.pooled.proposed, result.pooled.found) == (3, 3)  # gold outranks ignore


def test_unknown_pages() -> None:
    pairs = proposed("x y", "e0 y", "e1 e1")
    result = evaluate_pairs(pairs, GOLD)
    assert (result.outside_gold, result.pooled.proposed) == (1, 1)
    stated = [ProposedPair("x", "y", 1.0, "en", "fr"), ProposedPair("x", "z", 1.0, "en", "de")]
    result = evaluate_pairs(stated, GOLD)
    assert (result.outside_gold, result.pooled.proposed, result.pooled.relevant) == (1, 1, 0)


def test_spellings_of_a_language_are_one() -> None:
    gold = [GoldPair("en", "zh-cn", "e", "z"), GoldPair("en", "zh_CN", "e2", "z2")]
    pair = ProposedPair("e3", "z3", 0.5, "en", "zh-CN")
    result = evaluate_pairs([pair], gold)
    assert list(result.by_lang_pair) == ["en-zh-cn"]
    assert result.pooled.proposed == 1


def test_nothing_proposed_and_nothing_to_find() -> None:
    for pairs, gold in (([], GOLD), (proposed("a b"), []), ([], [])):
        scores = evaluate_pairs(pairs, gold).pooled
        assert (scores.recall, scores.precision, scores.f1, scores.strict_f1) == (0, 0, 0, 0)
        assert scores.calibration_error is None


def test_soft_recall_by_hand() -> None:
    text = "0123456789" * 10
    texts = {"f0": text, "copy0": text[:-5], "f1": text, "copy1": text[:-6], "f2": "", "copy2": ""}
    pairs = proposed("e0 copy0", "e1 copy1", "copy2 e2", "e3 f3")
    scores = evaluate_pairs(pairs, GOLD, texts=texts).pooled
    assert (scores.found, scores.soft_found, scores.soft_recall) == (1, 3, 0.75)
    assert evaluate_pairs(pairs, GOLD).pooled.soft_recall is None


def test_calibration_is_over_what_strict_precision_counts() -> None:
    ignore = [GoldPair("en", "fr", "e3", "f9")]
    # Dropped: a second use of e0; not counted: ignored. Left: 0.95 right, 0.85 wrong.
    pairs = proposed("e0 f0 .95", "e1 f2 .85", "e0 f3 .45", "e3 f9 .35")
    scores = evaluate_pairs(pairs, GOLD, ignore=ignore).pooled
    assert [each.predictions for each in scores.bins] == [0] * 8 + [1, 1]
    assert scores.calibration_error == pytest.approx((0.05 + 0.85) / 2)


@pytest.mark.parametrize("score", ["17", "-1", "nan"])
def test_scores_that_are_no_probabilities_have_no_calibration(score: str) -> None:
    scores = evaluate_pairs(proposed("e0 f0 .9", f"e1 f1 {score}"), GOLD).pooled
    assert scores.found == 2
    assert (scores.bins, scores.calibration_error) == ((), None)


def test_the_dictionary_is_json() -> None:
    scores = evaluate_pairs(proposed("e0 f0 .9", "e1 f2 .9", "e3 f3 .1"), GOLD).pooled.as_dict()
    assert json.loads(json.dumps(scores, allow_nan=False)) == scores
    assert scores["strict_precision"] == 0.6667
    assert [(row["low"], row["predictions"]) for row in scores["reliability"]] == [(0.1, 1), (0.9, 2)]


urls = st.sampled_from([f"{lang}{n}" for lang in "efdx" for n in range(6)])


@given(st.lists(st.tuples(urls, urls)))
def test_what_holds_of_any_proposal(pairs: list[tuple[str, str]]) -> None:
    gold = [*GOLD, *(GoldPair("de", "en", f"d{n}", f"e{n}") for n in range(3))]
    result = evaluate_pairs([ProposedPair(*pair) for pair in pairs], gold)
    every = [result.pooled, *result.by_lang_pair.values()]
    assert all(each.found <= each.relevant <= each.proposed and each.found <= each.gold for each in every)
    assert sum(each.found for each in every[1:]) == result.pooled.found
    counted = result.pooled.proposed + result.dropped_by_one_to_one + result.outside_gold
    assert counted == sum(one != other for one, other in pairs)


# ---- against the scorer that comes with the evaluation data


@pytest.fixture(scope="module")
def scorer() -> Any:
    if not SCORER.exists():
        pytest.skip("the scorer of the evaluation data is not at hand")
    spec = importlib.util.spec_from_file_location("score", SCORER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def assert_same(ours: PairEvaluation, theirs: dict[str, dict[str, Any]]) -> None:
    assert ours.dropped_by_one_to_one == theirs["ALL"]["dropped_by_1to1"]
    assert ours.outside_gold == theirs["ALL"]["outside_gold"]
    assert set(theirs) == {*ours.by_lang_pair, "ALL"}
    for name, scores in {**ours.by_lang_pair, "ALL": ours.pooled}.items():
        mine = scores.as_dict()
        assert (mine["proposed"], mine["found"]) == (theirs[name]["pred"], theirs[name]["tp"])
        for figure in ("gold", "relevant", "recall", "precision", "strict_precision", "f1", "strict_f1"):
            assert mine[figure] == theirs[name][figure], (name, figure)


def test_the_same_figures_as_the_scorer(scorer: Any) -> None:
    """300 random sites of four languages with orphans, ignored pairs, second uses and unknown pages."""
    rng = random.Random(7)
    langs = ["de", "en", "fr", "zh-cn"]
    for _ in range(300):
        pages = {f"{lang}/{n}": lang for lang in langs for n in range(8)}
        gold = [
            GoldPair(one, other, f"{one}/{n}", f"{other}/{n}")
            for one, other in (("de", "en"), ("en", "fr"), ("zh-cn", "en"))
            for n in range(rng.randrange(1, 8))
        ]
        every = [*pages, "unknown/1", "unknown/2", "unknown/3"]
        pairs = [ProposedPair(rng.choice(every), rng.choice(every)) for _ in range(40)]
        pairs += [ProposedPair(*rng.sample([each.url1, each.url2], 2)) for each in gold if rng.random() < 0.5]
        rng.shuffle(pairs)
        ignore = [GoldPair("en", "fr", f"en/{rng.randrange(8)}", f"fr/{rng.randrange(8)}") for _ in range(3)]
        rows = [pair[:2] for pair in pairs]
        assert_same(evaluate_pairs(pairs, gold, ignore=ignore), scorer.score_pages(gold, rows, ignore))


def test_near_pages_are_those_of_the_scorer(scorer: Any) -> None:
    rng = random.Random(3)
    verdicts = []
    for _ in range(300):
        text = "".join(rng.choices("abcd ", k=rng.randrange(1, 400)))
        other = list(text)
        for _ in range(rng.randrange(1 + len(text) // 10)):
            at = rng.randrange(len(other) + 1)
            other[at : at + rng.randrange(2)] = rng.choices("abcd ", k=rng.randrange(2))
        texts = {"f0": text, "copy": "".join(other)}
        scores = evaluate_pairs(proposed("e0 copy"), GOLD[:1], texts=texts).pooled
        assert scores.soft_found == scorer.close(texts["f0"], texts["copy"]), texts
        verdicts.append(scores.soft_found)
    assert 50 < sum(verdicts) < 250
