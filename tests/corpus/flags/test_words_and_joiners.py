"""Words of texts that mix scripts, and single characters that join, worked by hand."""

from __future__ import annotations

import pyarrow as pa
import pytest

from diglot.corpus.flags.site_texts import words_of
from diglot.corpus.flags.unicode import normal_text


def words_by_text(*texts: str) -> list[list[str]]:
    words = words_of(pa.array(texts, pa.string()))
    known, found = words.known.to_pylist(), [list[str]() for _ in texts]
    for word, text in zip(words.word.tolist(), words.text.tolist(), strict=True):
        found[text].append(known[word])
    return found


def test_characters_without_blanks_are_words_of_their_own_whatever_stands_beside_them() -> None:
    assert words_by_text("The cat, 12 dogs", "日本 cat") == [["the", "cat", "dogs"], ["日", "本", "cat"]]
    assert words_by_text("日本", "猫") == [["日", "本"], ["猫"]]
    assert words_by_text("The cat", "") == [["the", "cat"], []]
    assert words_by_text() == []


@pytest.mark.parametrize("joiner", ["\u200c", "\u200d"])
def test_one_joiner_between_letters_that_it_does_not_shape_goes(joiner: str) -> None:
    assert normal_text(f"ca{joiner}t") == "cat"
    assert normal_text(f"می{joiner}شود") == f"می{joiner}شود"
