"""The first matching and the lexicon it learns: lengths, training pairs, entries, and the candidates they lead to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_bilingual import bilingual_site

from diglot.arrays import Pairs
from diglot.pairing.fused.lexicon import _is_top, identity_lexicon, learn_lexicon
from diglot.pairing.fused.matching import (
    Matching,
    _candidates,
    _length_model,
    _length_prior,
    _match_similar,
    _training_pairs,
    best_alternatives,
    first_matching,
    length_residual,
    relearn,
    residual_sd,
    self_train,
    text_lengths,
)
from diglot.pairing.fused.words import SiteWords, document_frequency, site_words
from diglot.site import Site
from diglot.sparse import SparseMatrix
from made_documents import made_page, made_site
from made_matrices import matrix_of

BEADS = 40


def learnt(placed: Mapping[str, Sequence[int]], count: int = BEADS) -> dict[tuple[str, str], float]:
    """The lexicon of so many pairs of pages of one block each; ``placed``: the beads each word stands in, English words
    beginning with an e, French with an f, and all others on both sides; each block has a word of its own."""

    def text(side: str, bead: int) -> str:
        other = "f" if side == "e" else "e"
        here = [word for word, beads in placed.items() if bead in beads and word[0] != other]
        return " ".join([*here, f"{side}{bead}"])

    pages = [
        made_page(f"http://x/{side}/{bead:02}", side, [text(side, bead)]) for side in "ef" for bead in range(count)
    ]
    site = made_site(*pages)
    words = site_words(site)
    rows = [site.rows_of(side) for side in "ef"]
    beads = np.stack([words.block_offsets[each] for each in rows], axis=1)
    return entries(words, learn_lexicon(words, beads, *(document_frequency(words.counts, each) for each in rows)))


def entries(words: SiteWords, lexicon: SparseMatrix) -> dict[tuple[str, str], float]:
    found = zip(lexicon.row_numbers().tolist(), lexicon.columns.tolist(), lexicon.values.tolist(), strict=True)
    return {(words.vocabulary[x], words.vocabulary[y]): value for x, y, value in found}


@pytest.mark.parametrize(("beads_of_other", "dice"), [(11, 4 / 15), (12, None)])
def test_entries_have_a_dice_above_a_quarter(beads_of_other: int, dice: float | None) -> None:
    """Two beads in common, of four of the one: 4 / 16 is too little."""
    found = learnt({"esome": [0, 1, 2, 3], "fother": range(2, 2 + beads_of_other)})
    assert found.get(("esome", "fother")) == (None if dice is None else pytest.approx(dice))
    assert ("fother", "esome") not in found


@pytest.mark.parametrize(("common", "learns"), [([0], False), ([0, 1], True)])
def test_words_must_meet_twice(common: list[int], learns: bool) -> None:
    found = learnt({"eword": common, "fmot": common})
    assert (("eword", "fmot") in found) == learns


@pytest.mark.parametrize(("beads", "learns"), [(12, True), (13, False)])
def test_words_of_more_than_three_beads_in_ten_go_with_everything(beads: int, learns: bool) -> None:
    assert (("ecommon", "fcommun") in learnt({"ecommon": range(beads), "fcommun": range(beads)})) == learns


@pytest.mark.parametrize(("more", "learns"), [(58, True), (59, False)])
def test_blocks_of_more_than_sixty_words_teach_nothing(more: int, learns: bool) -> None:
    crowd = {f"e{''.join('abcdefgh'[int(digit)] for digit in f'{k:03o}')}": [0, 1] for k in range(more)}
    assert (("ezz", "fzz") in learnt({"ezz": [0, 1], "fzz": [0, 1]} | crowd)) == learns


def test_numbers_and_codes_of_both_languages_translate_only_themselves() -> None:
    """The number that only the English pages have may be written as a word in French."""
    found = learnt({"1234": [0, 1], "eword": [0, 1], "fmot": [0, 1], "some_Code": [0, 1], "same": [5, 6]})
    assert found["1234", "1234"] == found["some_code", "some_code"] == found["same", "same"] == 1
    assert found["eword", "fmot"] == 1
    assert {pair for pair in found if {"1234", "some_code"} & set(pair)} == {
        ("1234", "1234"),
        ("some_code", "some_code"),
    }
    assert learnt({"e100": [0, 1], "fcent": [0, 1]})["e100", "fcent"] == 1


def test_a_word_spelt_alike_is_itself_only_where_neither_side_has_an_entry() -> None:
    """Both languages have ``chat``; in English it goes with a French word, and ``taxi`` goes with nothing."""
    found = learnt({"chat": [0, 1, 2, 30], "fbavard": [0, 1, 2], "taxi": [7], "gift": [8, 9]})
    assert found["chat", "fbavard"] == pytest.approx(6 / 7)
    assert found["chat", "chat"] == 1
    assert found["taxi", "taxi"] == 1
    assert found["gift", "gift"] == 1
    assert ("fbavard", "fbavard") not in found
    shifted = learnt({"eword": [0, 1], "poison": [0, 1]})
    assert shifted["eword", "poison"] == 1


def test_the_best_three_of_either_side_are_kept() -> None:
    key, other = np.array([7, 7, 7, 7, 8]), np.array([1, 2, 3, 4, 4])
    assert _is_top(key, other, np.array([0.5, 0.9, 0.6, 0.4, 0.1])).tolist() == [True, True, True, False, True]
    # Ties go to the lower number.
    assert _is_top(key, other, np.full(5, 0.5)).tolist() == [True, True, True, False, True]
    assert _is_top(key, -other, np.full(5, 0.5)).tolist() == [False, True, True, True, True]


def test_a_fourth_translation_stays_where_it_has_no_better_itself() -> None:
    placed = {"eone": [0, 1, 2, 3, 4, 5, 6, 7]} | {f"f{name}": [2 * k, 2 * k + 1] for k, name in enumerate("abcd")}
    assert {pair for pair in learnt(placed) if pair[0] == "eone"} == {("eone", f"f{name}") for name in "abcd"}
    better = placed | {f"ebetter{name}": [6, 7] for name in "abc"}
    assert ("eone", "fd") not in learnt(better)
    assert ("eone", "fc") in learnt(better)


def test_without_training_each_term_of_both_languages_is_itself() -> None:
    site = made_site(made_page("http://x/e", "en", ["cat taxi 7"]), made_page("http://x/f", "fr", ["chat taxi 7"]))
    words = site_words(site)
    df = [document_frequency(words.counts, site.rows_of(lang)) for lang in ("en", "fr")]
    assert entries(words, identity_lexicon(words, *df)) == {("taxi", "taxi"): 1, ("7", "7"): 1}


def test_lengths_are_of_own_blocks_and_short_pages_vary_more() -> None:
    menu = [made_page(f"http://x/{n}", "en", ["menu" * 5, f"text {n}"]) for n in range(7)]
    assert text_lengths(site_words(made_site(*menu))).tolist() == [6.0] * 7
    lengths, pairs = np.array([80.0, 380, 5, 1e9]), np.array([[0, 1], [1, 0], [2, 3]])
    assert length_residual(lengths, pairs[:2], 0.5) == pytest.approx([np.log(4) - 0.5, -np.log(4) - 0.5])
    assert residual_sd(lengths, pairs, 0.3) == pytest.approx(np.sqrt([0.09 + 0.25, 0.09 + 0.25, 0.09 + 1]))


def test_the_length_model_is_a_median_and_a_robust_deviation() -> None:
    lengths = np.array([80.0, 180, 230, 280, 980, 80])
    pairs = np.array([[0, 1], [0, 2], [0, 3], [0, 4], [0, 5]])
    middle, sd = _length_model(lengths, pairs)
    assert middle == pytest.approx(np.log(2.5))
    assert sd == pytest.approx(1.4826 * np.log(1.25))
    assert _length_model(lengths, np.array([[0, 1]] * 3)) == pytest.approx((np.log(2), 0.12))
    assert _length_model(lengths, pairs[:2]) == pytest.approx((0, 0.36))


def test_the_length_prior_falls_to_three_deviations_and_no_further() -> None:
    lengths, pairs = (
        np.array([1e8, 1e8 * np.exp(0.3), 1e8 * np.exp(0.9), 1e8 * np.exp(-5)]),
        np.array([[0, 0], [0, 1], [0, 2], [0, 3]]),
    )
    prior = _length_prior(lengths, pairs, 0.0, 0.2)
    assert prior == pytest.approx(np.exp([0, -0.5, -4.5, -4.5]), abs=1e-5)
    assert _length_prior(lengths, pairs[1:2], 0.3, 0.2) == pytest.approx([1])


def test_only_what_has_a_score_is_matched() -> None:
    pairs = np.array([[0, 5], [0, 6], [1, 5], [1, 6]], np.int32)
    assert _match_similar(pairs, np.array([0.9, 0.8, 0.8, 0.1])).tolist() == [True, False, False, True]
    assert _match_similar(pairs, np.array([0.9, 0.8, 0.8, 0.0])).tolist() == [True, False, False, False]


def training_of(pairs: Pairs, score: Sequence[float], residual: Sequence[float], quantile: float) -> Pairs:
    """Training pairs among these, of long pages, whose length may differ by a factor of e."""
    lengths = np.full(20, 1e12)
    lengths[pairs[:, 1]] *= np.exp(residual)
    site = made_site(made_page("http://x/1", "en", ["some words"]))
    matching = first_matching(site, site.rows_of("en"), site.rows_of("fr"))
    return _training_pairs(
        lengths, replace(matching, pairs=pairs, similarity=np.array(score), length_sd=0.3, log_ratio=0.0), quantile
    )


@pytest.mark.parametrize(("rival", "kept"), [(0.76, True), (0.761, False)])
@pytest.mark.parametrize("side", [0, 1])
def test_training_pairs_lead_by_a_twentieth_on_both_sides(rival: float, kept: bool, side: int) -> None:
    pairs = np.array([[0, 5], [1, 6], [0, 7] if side == 0 else [2, 5]], np.int32)
    found = training_of(pairs, [0.8, 0.9, rival], [0.0] * 3, 0.0)
    assert found.tolist() == ([[0, 5], [1, 6]] if kept else [[1, 6]])


def test_training_pairs_are_of_usual_length_and_the_better_part() -> None:
    score, residual = [0.1, 0.2, 0.3, 0.4, 0.5], [0, 0, 0.99, -0.99, -1.01]
    pairs = np.array([[k, 9 + k] for k in range(5)], np.int32)
    assert training_of(pairs, score, residual, 0.5)[:, 0].tolist() == [2, 3]
    assert training_of(pairs, score, residual, 0.25)[:, 0].tolist() == [1, 2, 3]
    # The quantile is over the matched alone, and where none is good all of these are taken.
    rivals = np.concatenate([pairs, [[k, 10 + k] for k in range(3)]]).astype(np.int32)
    assert training_of(rivals, [*score, 0.05, 0.05, 0.05], [*residual, 0, 0.99, -0.99], 0.5)[:, 0].tolist() == [2, 3]
    assert training_of(pairs, score, [3 + r for r in residual], 0.5)[:, 0].tolist() == [0, 1, 2, 3, 4]


@settings(deadline=None)
@given(st.dictionaries(st.tuples(st.integers(0, 4), st.integers(5, 9)), st.integers(1, 5), min_size=1))
def test_the_best_alternatives_are_what_looking_at_each_gives(scores: dict[tuple[int, int], int]) -> None:
    pairs, values = np.array([*scores], np.int32), np.array([*scores.values()], float)
    found = best_alternatives(pairs, values)
    for side in (0, 1):
        rivals = [[v for other, v in scores.items() if other != pair and other[side] == pair[side]] for pair in scores]
        assert found[side].tolist() == [max(each, default=0) for each in rivals]


def matching_of(site: Site) -> Matching:
    rows = site.rows_of("en"), site.rows_of("fr")
    return self_train(site, *rows, first_matching(site, *rows))


def test_a_few_candidates_come_from_neutral_terms_alone() -> None:
    """The first source page is like four target pages; these have nearer ones."""
    src = np.eye(6)[[0, 1, 1]] + 0.2 * np.eye(6)[[2, 0, 0]]
    tgt = np.array([[0.2 - 0.01 * k, 1, 0, 0, 0, 0] for k in range(4)])
    nothing = (matrix_of(np.zeros((3, 6))), matrix_of(np.zeros((4, 6))))
    rows = np.array([10, 20, 30], np.int32), np.array([1, 2, 3, 4], np.int32)
    found = _candidates([nothing], (matrix_of(src), matrix_of(tgt)), *rows)
    assert found[found[:, 0] == 10].tolist() == [[10, 1], [10, 2]]
    assert len(found) == 2 + 2 * 4


@pytest.mark.parametrize(("pages", "counts"), [(60, True), (61, False)])
def test_neutral_terms_are_on_sixty_pages_at_most(pages: int, counts: bool) -> None:
    made = [
        made_page(f"http://x/{lang}/{n:02}", lang, [f"{lang}{n} {'namely' * (n < pages)}"])
        for lang in ("en", "fr")
        for n in range(70)
    ]
    site = made_site(*made)
    neutral = matching_of(site).neutral_of(np.stack([site.rows_of("en"), site.rows_of("fr")], axis=1))
    assert (neutral > 0).sum() == pages * counts


@pytest.mark.parametrize(("pages", "learns"), [(4, False), (5, True)])
def test_a_lexicon_is_learnt_from_five_pairs_on(pages: int, learns: bool) -> None:
    """Four pairs only remember each other."""
    site, _ = bilingual_site(pages=pages, orphans=0)
    words = entries(site_words(site), matching_of(site).lexicon)
    assert any(src != tgt for src, tgt in words) == learns


def test_the_matching_of_a_made_site() -> None:
    site, gold = bilingual_site()
    matching = matching_of(site)
    right = np.array([(site.urls[i], site.urls[j]) in gold for i, j in matching.pairs.tolist()])
    assert right.sum() == len(gold) == 40
    assert all((site.urls[i], site.urls[j]) in gold for i, j in matching.training.tolist())
    assert len(matching.training) == 33
    assert matching.similarity[right].min() > np.quantile(matching.similarity[~right], 0.9)
    assert (matching.similarity <= matching.cosine_of(matching.pairs) + 1e-9).all()
    assert len(matching.pairs) == 532
    assert matching.log_ratio == pytest.approx(0, abs=1e-6)
    assert matching.similarity[right].mean() == pytest.approx(0.9709679244087965, abs=1e-6)


def test_a_longer_language_is_learnt() -> None:
    """Each French block is said twice in other letters: pages are about twice as long."""
    site, gold = bilingual_site(orphans=0)
    pages = [
        page if page["lang"] == "en" else made_page(page["url"], "fr", [f"{text} {text}" for text in page["chunks"]])
        for page in site.documents.to_pylist()
    ]
    matching = matching_of(made_site(*pages))
    assert matching.log_ratio == pytest.approx(np.log(2), abs=0.1)
    assert 0.12 <= matching.length_sd < 0.2
    best = matching.pairs[_match_similar(matching.pairs, matching.similarity)]
    assert sum((site.urls[i], site.urls[j]) in gold for i, j in best.tolist()) == 40


def test_relearning_keeps_lengths_and_takes_the_pairs_it_is_given() -> None:
    site, gold = bilingual_site()
    first = matching_of(site)
    training = np.array(sorted([site.urls.index(url) for url in pair] for pair in gold), np.int32)
    again = relearn(site, site.rows_of("en"), site.rows_of("fr"), first, training)
    assert np.array_equal(again.training, training)
    assert (again.log_ratio, again.length_sd, again.idf) == (first.log_ratio, first.length_sd, first.idf)
    assert len(entries(site_words(site), again.lexicon)) > len(entries(site_words(site), first.lexicon))
    right = np.array([(site.urls[i], site.urls[j]) in gold for i, j in again.pairs.tolist()])
    assert right.sum() == 40
    assert again.similarity[right].mean() > first.cosine_of(training).mean()
