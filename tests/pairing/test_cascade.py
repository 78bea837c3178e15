"""Steps and gates on five pages, with features and judges made up so that every outcome can be told by hand."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Literal

import numpy as np
import pytest

from diglot.arrays import Column, Pairs, Rows
from diglot.errors import RecipeError
from diglot.features import complement
from diglot.features.surface import depth_difference, size_difference
from diglot.pairing.assignment import greedy, mutual_best
from diglot.pairing.cascade import (
    COMPETITION,
    IMPROBABLE,
    Gate,
    GatedStep,
    Judged,
    JudgedStep,
    Scored,
    Step,
    run_cascade,
)
from diglot.pairing.table import named_features, pair_table
from diglot.site import Site
from made_documents import made_page, made_site

A, B, C, X, Y = "http://h/en/a", "http://h/en/b", "http://h/en/c", "http://h/fr/x", "http://h/fr/y"

Addresses = tuple[str, str]


@pytest.fixture
def site() -> Site:
    return made_site(*(made_page(url, "en") for url in (A, B, C)), *(made_page(url, "fr") for url in (X, Y)))


def every_pair(_site: Site, src: Rows, tgt: Rows) -> Iterator[Pairs]:
    yield np.array([(i, j) for i in src for j in tgt], np.int32).reshape(-1, 2)


def addresses(site: Site, pairs: Pairs) -> list[Addresses]:
    return [(site.urls[i], site.urls[j]) for i, j in pairs.tolist()]


def rows(site: Site, *pairs: Addresses) -> Pairs:
    return np.array([[site.urls.index(url) for url in pair] for pair in pairs], np.int32).reshape(-1, 2)


def known(values: dict[Addresses, float], *, asked: list[Addresses] | None = None) -> Any:
    """A feature with these values and 9 for all other pairs; ``asked`` notes what it was computed for."""

    def feature(site: Site, pairs: Pairs) -> Column:
        urls = addresses(site, pairs)
        if asked is not None:
            asked.extend(urls)
        return np.array([values.get(pair, 9) for pair in urls], np.float32)

    return feature


def one(_site: Site, pairs: Pairs) -> Column:
    return np.ones(len(pairs), np.float32)


def run(site: Site, *steps: Step) -> Scored:
    return run_cascade(site, site.rows_of("en"), site.rows_of("fr"), steps)


def paired(site: Site, *steps: Step) -> dict[Addresses, dict[str, Any]]:
    table = pair_table(site, run(site, *steps), steps, "en", "fr").to_pylist()
    return {(row["src_url"], row["tgt_url"]): row | {"evidence": dict(row["evidence"])} for row in table}


def refusals(site: Site, *steps: Step) -> dict[Addresses, str]:
    return {pair: row["refused_by"] for pair, row in paired(site, *steps).items()}


def gated(
    method: str,
    gate: dict[Addresses, float],
    rank: Any,
    *,
    missing: Literal["passes", "fails"] = "passes",
) -> GatedStep:
    return GatedStep(
        method=method,
        candidates=(every_pair,),
        gates=(Gate(name="edits", feature=known(gate), at_most=5, missing=missing),),
        rank=(rank,),
        assign=mutual_best,
        score=one,
    )


def judging(
    probability: dict[Addresses, float], *, least: float = 0.5, method: str = "judged", rank: tuple[Any, ...] = ()
) -> JudgedStep:
    """A step whose candidates are those named of which both pages are free."""

    def judge(site: Site, src: Rows, tgt: Rows) -> Judged:
        pairs = rows(site, *probability)
        free = np.isin(pairs[:, 0], src) & np.isin(pairs[:, 1], tgt)
        values = np.array([*probability.values()], np.float32)[free]
        return Judged(pairs=pairs[free], probability=values, evidence={"bits": 10 * values}, notes=(method,))

    return JudgedStep(method=method, judge=judge, min_probability=least, rank=rank)


def test_gates_then_rank_then_competition(site: Site) -> None:
    """A-X ranks before B-X; C and Y pass no gate and keep the candidate nearest to it."""
    ranking = known({(A, X): 1, (B, X): 2})
    step = gated("m", {(A, X): 0, (B, X): 5, (C, X): 8, (C, Y): 6, (A, Y): 7}, ranking)
    assert [pair for pair, row in paired(site, step).items() if row["accepted"]] == [(A, X)]
    assert refusals(site, step) == {(A, X): "", (B, X): COMPETITION, (C, Y): "edits"}


def test_what_only_ranks_is_not_computed_for_pairs_that_a_gate_refused(site: Site) -> None:
    asked: list[Addresses] = []
    found = paired(site, gated("m", {(A, X): 0, (B, X): 5, (C, Y): 6}, known({(A, X): 1}, asked=asked)))
    assert set(asked) == {(A, X), (B, X)}
    assert found[B, X]["evidence"] == {"edits": 5, "feature": 9}
    assert found[C, Y]["evidence"] == {"edits": 6}


def test_a_page_paired_by_one_step_is_withdrawn_from_the_next(site: Site) -> None:
    first = gated("first", {(A, X): 0}, known({}))
    second = gated("second", {(A, Y): 0, (B, X): 0, (B, Y): 0}, known({(A, Y): 0, (B, Y): 1}))
    accepted = {pair: row["method"] for pair, row in paired(site, first, second).items() if row["accepted"]}
    assert accepted == {(A, X): "first", (B, Y): "second"}


@pytest.mark.parametrize(
    ("missing", "accepted", "excess"), [("passes", {(A, X), (B, Y)}, 0.0), ("fails", {(A, X)}, np.inf)]
)
def test_no_evidence_passes_a_gate_or_fails_it_as_the_gate_says(
    site: Site, missing: Literal["passes", "fails"], accepted: set[Addresses], excess: float
) -> None:
    step = gated("m", {(A, X): 5, (B, Y): np.nan}, known({}), missing=missing)
    assert {pair for pair, row in paired(site, step).items() if row["accepted"]} == accepted
    assert step.gates[0].excess(np.array([np.nan, 5, 7], np.float32)).tolist() == [excess, 0, 2]


def test_of_two_refused_pairs_the_one_without_evidence_is_further_off(site: Site) -> None:
    values = {(A, X): np.nan, (A, Y): 6, (B, X): np.nan, (B, Y): np.nan, (C, X): np.nan, (C, Y): np.nan}
    found = refusals(site, gated("m", values, known({}), missing="fails"))
    # A and Y have the pair with evidence; B, C and X the first of those without.
    assert found == dict.fromkeys([(A, Y), (A, X), (B, X), (C, X)], "edits")


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"at_least": 0.5}, ">= 0.5"),
        ({"at_most": 5}, "<= 5"),
        ({"at_least": 0.2, "at_most": 0.8}, ">= 0.2 and <= 0.8"),
    ],
)
def test_a_gate_says_its_limits(limits: dict[str, float], said: str) -> None:
    assert Gate(name="g", feature=one, missing="passes", **limits).demand() == said


@pytest.mark.parametrize("step", [1, -1])
def test_of_equally_refused_pairs_the_first_rows_are_told_in_any_order_of_batches(site: Site, step: int) -> None:
    def in_batches(site: Site, src: Rows, tgt: Rows) -> Iterator[Pairs]:
        (pairs,) = every_pair(site, src, tgt)
        yield from pairs[::step, None]

    gate = Gate(name="edits", feature=one, at_most=0, missing="passes")
    steps = GatedStep(method="m", candidates=(in_batches,), gates=(gate,), assign=mutual_best, score=one)
    assert addresses(site, run(site, steps).pairs) == [(A, X), (A, Y), (B, X), (C, X)]


@pytest.mark.parametrize("missing", ["passes", "fails"])
def test_a_value_beyond_all_bounds_is_no_missing_one(missing: Literal["passes", "fails"]) -> None:
    gate = Gate(name="edits", feature=one, at_least=2, at_most=5, missing=missing)
    values = np.array([np.inf, -np.inf, 1, 2, 5, 6], np.float32)
    assert gate.excess(values).tolist() == [np.inf, np.inf, 1, 0, 0, 1]


def test_places_of_pairs_that_stand_in_any_order(site: Site) -> None:
    judged = Judged(
        pairs=rows(site, (C, Y), (A, X), (B, X)),
        probability=np.array([0.3, 0.9, np.nan], np.float32),
        evidence={"order": np.array([3, 9, np.nan], np.float32), "words": np.array([-1, 0, 1], np.float32)},
    )
    asked = rows(site, (B, X), (A, Y), (C, Y), (A, X), (C, Y))
    assert judged.places(site, asked).tolist() == [2, -1, 0, 1, 0]
    assert judged.probability_of(site, asked) == pytest.approx([np.nan, np.nan, 0.3, 0.9, 0.3], nan_ok=True)
    told = judged.evidence_of(site, asked)
    assert told["order"] == pytest.approx([np.nan, np.nan, 3, 9, 3], nan_ok=True)
    assert told["words"] == pytest.approx([1, np.nan, -1, 0, -1], nan_ok=True)


def test_nothing_is_known_of_a_pair_turned_round(site: Site) -> None:
    judged = Judged(pairs=rows(site, (A, X)), probability=np.array([0.9], np.float32))
    assert judged.places(site, rows(site, (X, A))).tolist() == [-1]
    assert judged.evidence_of(site, rows(site, (A, X))) == {}


def test_of_no_candidates_and_no_pairs_nothing_is_told(site: Site) -> None:
    nothing = np.zeros(0, np.float32)
    none = Judged(pairs=rows(site), probability=nothing, evidence={"order": nothing})
    some = Judged(pairs=rows(site, (A, X)), probability=nothing + 1, evidence={"order": nothing})
    asked = rows(site, (A, X), (B, Y))
    assert none.places(site, asked).tolist() == [-1, -1]
    assert np.isnan(none.probability_of(site, asked)).all()
    assert np.isnan(none.evidence_of(site, asked)["order"]).all()
    for judged in (none, some):
        assert judged.places(site, rows(site)).shape == (0,)
        assert judged.probability_of(site, rows(site)).shape == (0,)


def test_the_most_probable_are_taken_and_others_are_improbable_or_lose(site: Site) -> None:
    """B-X loses X to A-X; C has nothing probable, B's other candidate less than its best."""
    step = judging({(C, Y): 0.2, (B, X): 0.8, (A, X): 0.9, (B, Y): 0.1})
    scored = run(site, step)
    found = dict(zip(addresses(site, scored.pairs), zip(scored.refused_by, scored.score, strict=True), strict=True))
    assert found == {
        (A, X): ("", pytest.approx(0.9)),
        (B, X): (COMPETITION, pytest.approx(0.8)),
        (C, Y): (IMPROBABLE, pytest.approx(0.2)),
    }
    assert scored.accepted.tolist() == [by == "" for by in scored.refused_by]
    assert (scored.candidates, scored.notes) == (4, ("judged",))
    assert IMPROBABLE == "probability"
    assert COMPETITION == "competition"


def test_pairs_just_at_the_least_probability_are_taken(site: Site) -> None:
    assert refusals(site, judging({(A, X): 0.6, (B, Y): 0.59}, least=0.6)) == {(A, X): "", (B, Y): IMPROBABLE}


def test_bits_of_accepted_and_of_refused_pairs_are_told(site: Site) -> None:
    found = paired(site, judging({(A, X): 0.9, (B, Y): 0.3}))
    assert {pair: row["evidence"] for pair, row in found.items()} == {
        (A, X): {"bits": pytest.approx(9)},
        (B, Y): {"bits": pytest.approx(3)},
    }
    assert {pair: row["probability"] for pair, row in found.items()} == pytest.approx({(A, X): 0.9, (B, Y): 0.3})


def test_equal_probabilities_are_decided_by_rank(site: Site) -> None:
    chances = {(A, X): 0.9, (A, Y): 0.9, (B, X): 0.9, (B, Y): 0.9}
    assert [pair for pair, by in refusals(site, judging(chances)).items() if not by] == [(A, X), (B, Y)]
    crossed = judging(chances, rank=(known({(A, Y): 1}),))
    assert [pair for pair, by in refusals(site, crossed).items() if not by] == [(A, Y), (B, X)]


def test_where_the_judge_abstains_a_pair_is_improbable(site: Site) -> None:
    scored = run(site, judging({(A, X): np.nan, (B, Y): 0.7}))
    found = dict(zip(addresses(site, scored.pairs), scored.refused_by, strict=True))
    assert found == {(B, Y): "", (A, X): IMPROBABLE}
    assert scored.expected_pairs == pytest.approx(0.7)


def test_expected_are_all_that_would_be_paired_however_improbable(site: Site) -> None:
    """A-X and B-Y have their pages; A-Y and B-X lose theirs, though one is probable, and add nothing."""
    scored = run(site, judging({(A, X): 0.9, (A, Y): 0.8, (B, X): 0.3, (B, Y): 0.2}))
    assert scored.expected_pairs == pytest.approx(0.9 + 0.2)


def test_expected_pairs_add_up_over_steps_and_scores_tell_nothing(site: Site) -> None:
    first, second = judging({(A, X): 0.9, (B, Y): 0.2}, method="first"), judging({(B, Y): 0.6}, method="second")
    assert run(site, first).expected_pairs == pytest.approx(1.1)
    assert run(site, second).expected_pairs == pytest.approx(0.6)
    assert np.isnan(run(site, first, gated("third", {}, known({}))).expected_pairs)


@pytest.mark.parametrize("first", [gated("first", {(A, X): 0}, one), judging({(A, X): 0.9}, method="first")])
def test_a_page_paired_before_is_not_free_for_a_judge(site: Site, first: Step) -> None:
    asked: list[tuple[list[str], list[str]]] = []

    def judge(site: Site, src: Rows, tgt: Rows) -> Judged:
        asked.append(([site.urls[i] for i in src], [site.urls[j] for j in tgt]))
        pairs = next(every_pair(site, src, tgt))
        return Judged(pairs=pairs, probability=np.full(len(pairs), 0.6, np.float32))

    second = JudgedStep(method="second", judge=judge, min_probability=0.5)
    found = {pair: row["method"] for pair, row in paired(site, first, second).items() if row["accepted"]}
    assert asked[0] == ([B, C], [Y])
    assert found == {(A, X): "first", (B, Y): "second"}


def test_a_page_that_a_judge_refused_is_free_for_the_next_step(site: Site) -> None:
    steps = judging({(A, X): 0.4, (B, Y): 0.9}), gated("next", {(A, X): 0}, known({}))
    found = {pair: row["method"] for pair, row in paired(site, *steps).items() if row["accepted"]}
    assert found == {(B, Y): "judged", (A, X): "next"}


@pytest.mark.parametrize("judge", [judging({}), gated("m", {}, one)])
def test_steps_without_candidates_pair_nothing(site: Site, judge: Step) -> None:
    scored = run_cascade(site, site.rows_of("de"), site.rows_of("fr"), (judge,))
    assert scored.pairs.shape == (0, 2)
    assert scored.candidates == 0


def test_features_made_of_others_are_told_by_both_names() -> None:
    ranks = tuple(partial(complement, feature=feature) for feature in (depth_difference, size_difference))
    step = GatedStep(method="m", candidates=(every_pair,), rank=ranks, assign=mutual_best, score=size_difference)
    assert list(named_features(step)) == ["complement of depth_difference", "complement of size_difference"]


def test_pairs_that_a_judge_knows_to_be_missed_are_expected(site: Site) -> None:
    """0.75 and 0.25 by the probabilities of a matching, and half a pair that no probability holds."""

    def judge(site: Site, _src: Rows, _tgt: Rows) -> Judged:
        pairs = rows(site, (A, X), (B, Y))
        return Judged(pairs=pairs, probability=np.array([0.75, 0.25], np.float32), missed=0.5)

    step = JudgedStep(method="m", judge=judge, min_probability=0.5)
    assert run_cascade(site, site.rows_of("en"), site.rows_of("fr"), (step,)).expected_pairs == 1.5


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"missing": "pass"}, "missing='pass' is none of passes, fails"),
        ({"at_most": None}, "without at_most and at_least no value fails"),
        ({"at_most": np.nan}, "no value passes"),
        ({"at_least": 2}, "no value passes, at_least 2 and at_most 1"),
        ({"feature": "depth"}, "feature a str is no function"),
    ],
)
def test_a_gate_that_is_none_is_refused(changes: dict[str, Any], said: str) -> None:
    right: dict[str, Any] = {"name": "levels", "feature": one, "missing": "passes", "at_most": 1}
    Gate(**right)
    with pytest.raises(RecipeError, match=f"^gate 'levels': .*{said}"):
        Gate(**right | changes)


WRONG_PARTS: dict[str, list[Any]] = {
    "method": ["", None],
    "candidates": [every_pair, (), ("length",)],
    "gates": [Gate(name="g", feature=one, missing="passes", at_most=1), (one,)],
    "rank": [one, (None,)],
    "keep": [(one,)],
    "assign": [None],
    "score": ["depth"],
}


@pytest.mark.parametrize(("part", "value"), [(part, value) for part in WRONG_PARTS for value in WRONG_PARTS[part]])
def test_a_step_with_a_part_of_the_wrong_kind_is_refused(part: str, value: Any) -> None:
    right: dict[str, Any] = {"method": "m", "candidates": (every_pair,), "assign": mutual_best, "score": one}
    GatedStep(**right)
    with pytest.raises(RecipeError, match=f"^step .*: {part}\\b"):
        GatedStep(**right | {part: value})


@pytest.mark.parametrize(
    "values",
    [lambda pairs: [0.0] * len(pairs), lambda _: None, lambda _: np.zeros(99), lambda p: np.zeros((len(p), 2))],
)
@pytest.mark.parametrize("part", ["gate", "rank", "score", "keep", "assign"])
def test_a_function_that_gives_no_column_is_told_with_its_step(site: Site, part: str, values: Any) -> None:
    def wrong(_site: Site, pairs: Pairs) -> Any:
        return values(pairs)

    gate = (Gate(name="levels", feature=wrong, missing="passes", at_most=1),)
    changes: dict[str, Any] = {
        "gate": {"gates": gate},
        "rank": {"rank": (wrong,)},
        "score": {"score": wrong},
        "keep": {"keep": gate},
        "assign": {"assign": lambda pairs, _ranks: values(pairs)},
    }
    step = GatedStep(method="m", candidates=(every_pair,), **{"assign": mutual_best, "score": one} | changes[part])
    place = {"gate": "gate 'levels'", "keep": "gate 'levels'"}.get(part, part)
    with pytest.raises(RecipeError, match=f"^step 'm': {place}: gives "):
        run(site, step)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "gives a NoneType; batches of pairs are needed"),
        ([[0, 3]], "gives a list; int32 arrays of rows"),
        ([np.zeros(2, np.int32)], "gives a ndarray; int32 arrays of rows"),
        ([np.zeros((1, 2))], "gives a ndarray; int32 arrays of rows"),
        ([np.array([[0, 3], [1, 2]])], r"gives the rows \[1, 2\]; one of the given source pages"),
        ([np.array([[3, 0]])], r"gives the rows \[3, 0\]; one of the given source pages"),
        ([np.array([[0, 5]])], r"gives the rows \[0, 5\]; one of the given source pages"),
        ([np.array([[-1, 3]])], r"gives the rows \[-1, 3\]; one of the given source pages"),
    ],
)
def test_a_blocking_rule_that_gives_no_pairs_is_told_with_its_step(site: Site, given: Any, said: str) -> None:
    def own_rule(*_: Any) -> Any:
        return given

    step = GatedStep(method="m", candidates=(partial(own_rule),), assign=mutual_best, score=one)
    with pytest.raises(RecipeError, match=f"^step 'm': candidates: own_rule: {said}"):
        run(site, step)


@pytest.mark.parametrize("side", [0, 1])
def test_an_assignment_with_a_page_in_two_pairs_is_refused(site: Site, side: int) -> None:
    # A with X and Y, or A and B with X.
    twice = rows(site, (A, X), (A, Y)) if side == 0 else rows(site, (A, X), (B, X))

    def assign(pairs: Pairs, _ranks: Any) -> Any:
        return (pairs[:, None] == twice[None]).all(axis=2).any(axis=1)

    step = GatedStep(method="m", candidates=(every_pair,), assign=assign, score=one)
    with pytest.raises(RecipeError, match=r"^step 'm': assign: 1 pair too many: a page is in one pair at most"):
        run(site, step)


def test_scores_outside_of_0_and_1_are_told_and_those_without_a_number_counted(site: Site) -> None:
    def scored(value: float) -> Scored:
        step = GatedStep(
            method="m",
            candidates=(every_pair,),
            rank=(known({(A, X): 0}),),
            assign=greedy,
            score=known({(A, X): value, (B, Y): 1}),
        )
        return run(site, step)

    assert scored(1).notes == ()
    for value in (7, -1, np.inf):
        with pytest.raises(RecipeError, match=rf"^step 'm': the score of 1 pair is outside \[0, 1\], as in {value}"):
            scored(value)
    assert scored(np.nan).notes == ("step 'm': 1 pair left out: no number as score (NaN)",)
