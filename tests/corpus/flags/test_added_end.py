"""The flag ``added_end``: one side ends with words that a site adds in one language alone."""

from __future__ import annotations

import pyarrow as pa
import pytest

from diglot.corpus.flags.flagging import flag_segments
from diglot.records import SEGMENT_SCHEMA
from made_segments import made_segment

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def word(number: int, letters: str = LETTERS) -> str:
    """A word of three letters, another one for each number."""
    return letters[number // 625 % 25] + letters[number // 25 % 25] + letters[number % 25]


def flagged(texts: list[tuple[str, str]], others: int) -> int:
    """Texts with the flag among ``others`` texts without it."""
    texts = texts + [(f"Some {word(n)}o", f"Un {word(n, LETTERS[::-1])}o") for n in range(others)]
    rows = [made_segment(src, tgt, langs="en-es", page=n) for n, (src, tgt) in enumerate(texts)]
    flags = flag_segments(pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA))["flags"].to_pylist()
    assert not any("added_end" in found for found in flags[len(texts) - others :])
    return sum("added_end" in found for found in flags)


def ends(count: int, end: str, other: str = "") -> list[tuple[str, str]]:
    """Texts whose source side has an end, and the target side another one."""
    return [(f"{word(n)}e {word(n)}i{end}", f"{word(n, LETTERS[::-1])}e{other}") for n in range(count)]


@pytest.mark.parametrize("end", [", root word", " (root word)", " | Root Word", " » Root Word", "、root word"])
def test_an_end_behind_each_mark(end: str) -> None:
    assert flagged(ends(10, end), 100) == 10


@pytest.mark.parametrize("end", [" root word", "; 12", "-root word", ", "])
def test_no_words_behind_a_mark(end: str) -> None:
    assert flagged(ends(10, end), 100) == 0


def test_ten_texts_and_one_in_twenty() -> None:
    assert flagged(ends(9, ", root word"), 0) == 0
    assert flagged(ends(10, ", root word"), 190) == 10
    assert flagged(ends(10, ", root word"), 191) == 0


def test_a_text_counts_once() -> None:
    nine = ends(9, ", root word")
    assert flagged([*nine, (nine[0][0], "zze")], 0) == 0


@pytest.mark.parametrize("answer", [", palabra raíz", ", palabra", " raíz"])
def test_an_end_with_a_translation(answer: str) -> None:
    answered, alone = ends(12, ", root word", answer), ends(12, ", root word")
    assert flagged(answered[:3] + alone[3:], 0) == 12  # a quarter
    assert flagged(answered[:4] + alone[4:], 0) == 0


def test_a_translation_in_front() -> None:
    texts = [(src, f"Raíz {tgt}") for src, tgt in ends(12, ", root word")]
    assert flagged(texts, 0) == 0


def test_an_end_of_the_other_side() -> None:
    assert flagged([(tgt, src) for src, tgt in ends(10, ", root word")], 0) == 10
