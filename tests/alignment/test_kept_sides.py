"""Sides cut into units once: the numbers are those of a side cut anew, and the memory has a bound."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.alignment.lexical import units
from diglot.alignment.lexical.units import NumberedSide, Vocabulary, _KeptSides

SENTENCES = st.lists(st.text("aZ1.é日\n "), max_size=4)


def numbers_of(sides: _KeptSides, sentences: list[str], links: list[str]) -> tuple[NumberedSide, Vocabulary]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(units, "_kept_sides", sides)
        vocabulary = Vocabulary()
        return vocabulary.side(sentences, links=links), vocabulary


@given(SENTENCES, st.data())
def test_a_kept_side_gives_the_numbers_of_a_side_cut_anew(sentences: list[str], data: st.DataObject) -> None:
    kept = _KeptSides()
    # Other links are other units, and leave the kept side as it is.
    for _ in range(3):
        links = data.draw(st.lists(st.sampled_from(["", "a", "b"]), min_size=len(sentences), max_size=len(sentences)))
        (again, known), (anew, new) = numbers_of(kept, sentences, links), numbers_of(_KeptSides(), sentences, links)
        assert known.numbers == new.numbers
        assert np.array_equal(known.class_counts(), new.class_counts())
        assert all(
            np.array_equal(getattr(again, name), getattr(anew, name)) for name in ("offsets", "units", "lengths")
        )


def test_a_side_is_cut_once_until_there_are_too_many_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    cut: list[tuple[str, ...]] = []
    whole = units._cut_sentences
    monkeypatch.setattr(units, "_KEPT_CHARS", 6)
    monkeypatch.setattr(units, "_cut_sentences", lambda given: cut.append(given) or whole(given))
    sides = _KeptSides()
    for text in ("abc", "def", "abc", "def"):  # six characters are kept
        sides.cut([text])
    assert cut == [("abc",), ("def",)]
    for text in ("g", "abc", "g"):  # the seventh makes room
        sides.cut([text])
    assert cut[2:] == [("g",), ("abc",)]
