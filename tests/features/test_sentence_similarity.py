"""Sentence similarity worked by hand: +1 for a translated word, -0.2 for another, over the longer side."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.features.sentence_similarity import NumberedSentences, sentence_similarities, translations

SRC = {"house": 0, "big": 1, "holds": 2, "talks": 3, "the": 4}
TGT = {"haus": 0, "groß": 1, "führt": 2, "gespräche": 3, "gebäude": 4}
WAYS = [
    ("house", ("haus",)),
    ("house", ("gebäude",)),
    ("big", ("groß",)),
    ("holds", ("führt", "gespräche")),
    ("talks", ("gespräche",)),
    ("talks", ("nowhere",)),
    ("unknown", ("haus",)),
]
KNOWN = translations(WAYS, SRC, TGT)


def similarity(src: list[str], tgt: list[str]) -> float:
    pages = (NumberedSentences.of([[SRC[w] for w in src]]), NumberedSentences.of([[TGT[w] for w in tgt]]))
    return float(sentence_similarities(*pages, np.array([[0, 1, 0, 1]]), KNOWN)[0])


@pytest.mark.parametrize(
    ("src", "tgt", "expected"),
    [
        (["big", "house"], ["groß", "haus"], 1.0),
        (["the", "big", "house"], ["groß", "gebäude"], (2 - 0.2) / 3),
        (["big", "house"], ["groß", "haus", "führt", "gespräche"], 2 / 4),
        (["the"], ["haus"], -0.2),
        (["house", "house"], ["haus"], (1 - 0.2) / 2),  # a target word serves once
        (["house", "house"], ["haus", "gebäude"], 1.0),
        (["holds", "talks"], ["führt", "gespräche"], (1 - 0.2) / 2),  # "holds" takes both words
        (["holds"], ["führt"], -0.2),  # half of a phrase is none, and is given back
        (["holds", "talks"], ["gespräche"], (1 - 0.2) / 2),
        (["house"], [], 0.0),
        ([], ["haus"], 0.0),
        ([], [], np.nan),
    ],
)
def test_similarity_by_hand(src: list[str], tgt: list[str], expected: float) -> None:
    np.testing.assert_allclose(similarity(src, tgt), expected)


def test_beads_of_several_and_of_no_sentences() -> None:
    src = NumberedSentences.of([[0], [1], [4]])
    tgt = NumberedSentences.of([[0, 1], [3]])
    beads = np.array([[0, 2, 0, 1], [2, 3, 1, 1], [3, 3, 1, 2]])
    assert sentence_similarities(src, tgt, beads, KNOWN).tolist() == [1.0, 0.0, 0.0]


@given(st.lists(st.sampled_from(list(SRC)), max_size=8), st.lists(st.sampled_from(list(TGT)), max_size=8))
def test_similarity_is_in_its_range_and_untouched_by_order(src: list[str], tgt: list[str]) -> None:
    value = similarity(src, tgt)
    if not src and not tgt:
        assert np.isnan(value)
    else:
        assert -0.2 - 1e-12 <= value <= 1
        assert value == similarity(src, tgt[::-1])
