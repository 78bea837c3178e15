"""High and medium confidence by hand."""

import numpy as np

from diglot.pairing.assignment import best_of_two, most_candidates, mutual_best, without_rivals
from ilsp_pages import rows

PAIRS = rows((0, 10), (1, 11), (1, 12), (2, 13), (3, 13), (4, 13), (5, 14))
RANKS = rows((0, 1), (2, 3), (4, 5), (6, 7)).ravel()[:7].astype("int64")


def test_how_many_candidates_the_busier_page_has() -> None:
    assert most_candidates(PAIRS).tolist() == [1, 2, 2, 3, 3, 3, 1]


def test_high_is_without_rivals_and_medium_the_better_of_two() -> None:
    assert without_rivals(PAIRS, RANKS).tolist() == [True, False, False, False, False, False, True]
    assert best_of_two(PAIRS, RANKS).tolist() == [True, True, False, False, False, False, True]


def test_no_candidates() -> None:
    assert without_rivals(rows(), RANKS[:0]).tolist() == []
    assert best_of_two(rows(), RANKS[:0]).tolist() == []


def test_of_two_equally_best_none_is() -> None:
    pairs = np.array([[0, 0], [0, 1], [1, 2], [2, 2], [3, 3], [3, 4]], np.int32)
    assert np.flatnonzero(mutual_best(pairs, np.array([0, 0, 1, 1, 2, 3]))).tolist() == [4]
