"""Neutral evidence by hand: margins, levels, lengths, and the whole on a small site in three languages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diglot.arrays import Floats
from diglot.pairing.fused.groups.neutral import (
    Pages,
    _accepted_edges,
    _best_other,
    _language_factors,
    _length_veto,
    _level,
    _log_cosines,
    _margins,
    _rival_spread,
    _usual_margins,
    neutral_evidence,
    pages_of,
)
from diglot.pairing.fused.words import SiteWords, site_words
from diglot.site import Site
from made_documents import made_page, made_site
from made_matrices import matrix_of

LANGS = ("en", "fr", "de")


def pages_by(*sizes: int) -> Pages:
    """So many pages of each language, in order."""
    return Pages(
        np.arange(sum(sizes), dtype=np.int32), np.repeat(np.arange(len(sizes)), sizes), [0, *np.cumsum(sizes).tolist()]
    )


def test_a_margin_is_over_the_best_other_of_row_and_column() -> None:
    block = np.array([[5.0, 3, 1], [4, 2, 0]])
    assert _margins(block).tolist() == [[1, -2, -4], [-1, -2, -4]]
    assert _margins(np.array([[2.0], [7]])).tolist() == [[-5], [5]]
    # A cell without rivals leads by nothing.
    assert _margins(np.array([[-3.0]])).tolist() == [[0]]
    assert _margins(np.zeros((0, 3))).shape == (0, 3)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 6))
def test_the_best_other_is_what_looking_at_each_gives(seed: int, rows: int, columns: int) -> None:
    block = np.random.default_rng(seed).integers(0, 4, (rows, columns)).astype(float)
    others = [[max(np.delete(row, k), default=-np.inf) for k in range(columns)] for row in block]
    assert _best_other(block).tolist() == others


def test_usual_margins_are_drawn_to_the_site_s_as_by_ten_pairs() -> None:
    """Medians of .5 and 1 make .75 of the site; the last two languages have no page that leads."""
    margins = {
        (0, 1): np.array([[0.4, -1, -1], [-1, 0.6, -1]]),
        (0, 2): np.array([[1.0] * 5] * 1),
        (1, 2): np.array([[-1.0, -2], [0.0, -1]]),
    }
    usual, trust = _usual_margins(margins)
    assert usual == pytest.approx({(0, 1): (1 + 7.5) / 12, (0, 2): (5 + 7.5) / 15, (1, 2): 0.75})
    assert trust == pytest.approx({(0, 1): 1, (0, 2): 1, (1, 2): 0})
    assert _usual_margins({(0, 1): np.full((3, 4), -1.0)})[0] == {(0, 1): 0.02}
    assert _usual_margins({(0, 1): np.diag([0.3, -1, -1]) * 1.0})[1][0, 1] == pytest.approx(1 / 3)


def test_cosines_are_over_tokens_of_both_languages_and_names_of_all_weigh_more() -> None:
    """Page 0 of the first language has two tokens; one is in all three languages, a third in its own alone."""
    counts = np.zeros((6, 4))
    counts[0] = [1, 1, 1, 0]
    counts[2, 0] = counts[3, 1] = counts[4, 0] = counts[1, 3] = counts[5, 3] = 1
    blocks = _log_cosines(matrix_of(counts), pages_by(2, 2, 2))
    rare = (2 / 3) ** 0.3
    cosines = np.exp(blocks[0, 1]) - 0.02
    assert cosines == pytest.approx(np.array([[1, rare], [0, 0]]) / np.hypot(1, rare), abs=1e-9)
    assert np.exp(blocks[0, 2]) - 0.02 == pytest.approx(np.eye(2))


def test_a_token_weighs_by_how_seldom_it_is_and_grows_slowly_with_its_count() -> None:
    """The first token is on one page in two of either language, the second on all but one page in eight."""
    counts = np.zeros((8, 2))
    counts[[0, 4], 0] = counts[[0, 1, 2, 4, 5, 6, 7], 1] = 1
    counts[0, 0] = 3
    (block,) = _log_cosines(matrix_of(counts), pages_by(4, 4)).values()
    first, second = np.log(8 / 2), np.log(8 / 7)
    here, there = np.array([np.log(4) * first, np.log(2) * second]), np.array([first, second])
    assert np.exp(block[0, 0]) - 0.02 == pytest.approx(here @ there / np.linalg.norm(here) / np.linalg.norm(there))


def test_accepted_are_pages_of_one_group_that_their_evidence_supports() -> None:
    evidence = np.full((6, 6), -6.0)
    for i, j, value in [(0, 2, 1.0), (1, 3, -0.2), (0, 4, 1.0), (2, 4, 1.0), (5, 3, -0.2), (1, 5, -0.2)]:
        evidence[i, j] = evidence[j, i] = value
    assert sorted(map(tuple, _accepted_edges(evidence, pages_by(2, 2, 2)).tolist())) == [(0, 2), (0, 4), (2, 4)]


@pytest.mark.parametrize(("across", "edges"), [(-0.3, 6), (-0.31, 2), (0.5, 6)])
def test_groups_are_accepted_down_to_a_little_against_them(across: float, edges: int) -> None:
    """Two pairs in four languages, and what ties each page of the one to each of the other."""
    evidence = np.full((4, 4), across)
    evidence[0, 1] = evidence[1, 0] = evidence[2, 3] = evidence[3, 2] = 2
    assert len(_accepted_edges(evidence, pages_by(1, 1, 1, 1))) == edges


def test_a_page_that_its_group_does_not_support_is_not_accepted() -> None:
    evidence = np.array([[0, 2, -0.2], [2, 0, -0.2], [-0.2, -0.2, 0]])
    assert _accepted_edges(evidence, pages_by(1, 1, 1)).tolist() == [[0, 1]]


def test_levels_are_deviations_from_what_the_languages_usually_have() -> None:
    """Three pairs of the first two languages have 0, .2 and 1, one of the first and third 2; the median is .6."""
    pages = pages_by(3, 3, 3)
    accepted = np.array([[0, 3], [1, 4], [5, 2], [0, 6]])
    closeness = np.zeros((9, 9))
    for (i, j), value in zip(accepted, (0.0, 0.2, 1.0, 2.0), strict=True):
        closeness[i, j] = value
    level = _level(closeness, accepted, pages)
    centre = (3 * 0.2 + 2 * 0.6) / 5, (1 * 2 + 2 * 0.6) / 3, 0.6
    residuals = np.array([0 - centre[0], 0.2 - centre[0], 1 - centre[0], 2 - centre[1]])
    deviation = 1.4826 * np.median(np.abs(residuals - np.median(residuals)))
    for pair, middle in zip([(0, 1), (0, 2), (1, 2)], centre, strict=True):
        block = middle + deviation * np.array([[-5, -3.9], [0.5, 1.5]])
        assert level(pair, block) == pytest.approx(np.array([[-4, -3.9], [0.5, 1]]))


def test_levels_that_all_agree_keep_a_least_deviation() -> None:
    level = _level(np.zeros((2, 2)), np.zeros((0, 2), np.int64), pages_by(1, 1))
    assert level((0, 1), np.array([[-0.05, 0.025]])) == pytest.approx(np.array([[-1, 0.5]]))


def test_factors_of_languages_are_what_accepted_pairs_differ_by() -> None:
    """A ridge of .1 draws a difference of .4, seen five times, to 5 / 5.05 of it; a wrong pair hardly counts."""
    pages = pages_by(5, 5)
    size, accepted = np.r_[np.arange(5.0), np.arange(5.0) + 0.4], np.array([[k, k + 5] for k in range(5)])
    factors, deviation = _language_factors(size, pages, accepted)
    assert factors == pytest.approx([-2 / 10.1, 2 / 10.1])
    assert deviation == 0.06
    factors, _ = _language_factors(size, pages, np.concatenate([accepted, [[0, 9]]]))
    assert factors[1] - factors[0] == pytest.approx(0.4, abs=0.03)
    assert _language_factors(size, pages, accepted[:0])[0].tolist() == [0, 0]


def test_the_deviation_of_lengths_is_robust() -> None:
    pages = pages_by(7, 7)
    size, accepted = np.zeros(14), np.array([[k, k + 7] for k in range(7)])
    size[7:] = [-0.3, -0.2, -0.1, 0, 0.1, 0.2, 9]
    factors, deviation = _language_factors(size, pages, accepted)
    rest = size[7:] - (factors[1] - factors[0])
    assert deviation == pytest.approx(1.4826 * np.median(np.abs(rest - np.median(rest))))
    assert 0.2 < deviation < 0.35
    assert abs(factors[1] - factors[0]) < 0.2


def test_rivals_are_the_second_best_by_tokens() -> None:
    closeness = {(0, 1): np.array([[9.0, 5, 1], [1, 9, 5], [5, 1, 9]]), (0, 2): np.array([[1.0], [2], [3]])}
    pages = pages_by(3, 3, 1)
    rest = np.array([0, 0, 0, 4.0, 1, 2, 50])
    # The second bests are 1, 2 and 4.
    assert _rival_spread(rest, pages, closeness) == pytest.approx(1.4826)


def terms_of(chars: Sequence[int], blocks: Sequence[int]) -> SiteWords:
    """Pages of so many characters in so many blocks, all in the first block."""
    some = site_words(made_site(made_page("http://x/1", "en", ["some words"])))
    block_chars = np.concatenate([np.r_[size, np.zeros(count - 1)] for size, count in zip(chars, blocks, strict=True)])
    return replace(some, block_offsets=np.r_[0, np.cumsum(blocks)], block_chars=block_chars.astype(np.int32))


CLOSENESS = {(0, 1): np.array([[9.0, 5, 1], [1, 9, 5], [5, 1, 9]])}
DIAGONAL = np.array([[0, 3], [1, 4], [2, 5]])


def test_lengths_that_do_not_fit_are_a_penalty() -> None:
    """Partners are of one length, so that .06 is the deviation; blocks, one a page, say nothing."""
    veto = _length_veto(terms_of([980, 1030, 1980] * 2, [1] * 6), pages_by(3, 3), DIAGONAL, CLOSENESS)[0, 1]
    assert veto == pytest.approx(np.array([[0, 0, -4], [0, 0, -4], [-4, -4, 0]]))
    near = _length_veto(terms_of([980, 1100, 1980] * 2, [1] * 6), pages_by(3, 3), DIAGONAL, CLOSENESS)[0, 1]
    assert near[0, 1] == near[1, 0] == pytest.approx(-0.5 * (np.log(1.12) / 0.06 - 1.5) ** 2)


def test_numbers_of_blocks_count_half_as_much() -> None:
    veto = _length_veto(terms_of([980] * 6, [9, 10, 39] * 2), pages_by(3, 3), DIAGONAL, CLOSENESS)[0, 1]
    near = 0.5 * 0.5 * (np.log(1.1) / 0.06 - 1.5) ** 2
    assert veto == pytest.approx(-np.array([[0, near, 2], [near, 0, 2], [2, 2, 0]]))


@pytest.mark.parametrize(("apart", "counts"), [(1.026, False), (1.028, True)])
def test_lengths_say_nothing_where_rivals_are_hardly_more_spread(apart: float, counts: bool) -> None:
    """Second bests differ by a step up, a step down and four down, a deviation of 2.97 steps; 1.3 times .06 is .078."""
    chars = [round(20_000 * apart**k) - 20 for k in (0, 1, 5)]
    closeness = {(0, 1): np.array([[9.0, 5, 1], [5, 9, 1], [1, 5, 9]])}
    veto = _length_veto(terms_of(chars * 2, [1] * 6), pages_by(3, 3), DIAGONAL, closeness)[0, 1]
    assert (veto[0, 2] < 0) == counts


def three_languages(alone: int = 0) -> Site:
    """Eight stories that share a name and two figures, in words of each language and of different lengths; further
    pages share nothing."""
    rng = np.random.default_rng(2)
    pages = []
    for number in range(8):
        named = f"Name{number:03} {1_000 + 37 * number} {2_000 + 11 * number} {number % 3}"
        for lang, more in zip(LANGS, (20, 24, 30), strict=True):
            own = " ".join(f"{lang}{rng.integers(50)}" for _ in range(more + 5 * number))
            pages.append(made_page(f"http://x/{lang}/{number}", lang, [named, own]))
    pages += [
        made_page(f"http://x/{lang}/z{k}", lang, [f"{lang}alone{k} " * 9]) for lang in LANGS for k in range(alone)
    ]
    return made_site(*pages)


def block(evidence: Floats, pages: Pages, a: int, b: int) -> Floats:
    return evidence[pages.of(a), pages.of(b)]


def test_the_evidence_of_a_small_site() -> None:
    site = three_languages()
    pages = pages_of(site, LANGS)
    evidence = neutral_evidence(site, pages)
    assert np.array_equal(evidence, evidence.T)
    for lang in range(3):
        assert (block(evidence, pages, lang, lang) == -6).all()
    english = block(evidence, pages, 0, 1)
    assert (np.diagonal(english) > 0).all()
    assert (english[~np.eye(8, dtype=bool)] < 0).all()
    assert -6 <= evidence.min() <= evidence.max() <= 4.5
    assert [english[0, 0], english[0, 3], english[5, 5], english[5, 4]] == pytest.approx(
        [3.2978776842456563, -6, 3.2248323293320937, -5.511902413219976], abs=1e-6
    )
    assert block(evidence, pages, 1, 2)[2, 2] == pytest.approx(3.2506850186875864, abs=1e-6)


def test_margins_count_by_the_share_of_pages_that_lead() -> None:
    """Eight of twelve pages have a partner: no margin, cut at 4, counts for more than two thirds of that."""
    site = three_languages(alone=4)
    pages = pages_of(site, LANGS)
    english = block(neutral_evidence(site, pages), pages, 0, 1)
    assert (np.diagonal(english)[:8] > 0).all()
    assert 2 < english.max() < 4 * 8 / 12 + 0.5
    assert english.min() == pytest.approx(-4 * 8 / 12 - 0.5 * 4)
    assert english[0, 0] == pytest.approx(2.4409607894144387, abs=1e-6)


def test_pages_of_languages_in_another_order_and_without_pages() -> None:
    site = three_languages()
    pages = pages_of(site, ("fr", "xx", "en"))
    assert pages.rows.tolist() == [*site.rows_of("fr"), *site.rows_of("en")]
    assert pages.starts == [0, 8, 8, 16]
    assert pages.langs.tolist() == [0] * 8 + [2] * 8
    evidence = neutral_evidence(site, pages)
    assert block(evidence, pages, 0, 2).argmax(axis=1).tolist() == list(range(8))
