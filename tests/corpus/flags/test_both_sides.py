"""Patterns asked of both sides of segments at once."""

import pyarrow as pa
import pytest

from diglot.corpus.flags import codes
from diglot.corpus.flags.context import sides_match
from diglot.corpus.flags.repeats import is_label

CHUNKS = pa.chunked_array([["One word.", "Two"], [], ["3, 4"]], pa.string())
PAIRS = pa.table({"src": CHUNKS, "tgt": pa.chunked_array([["Un", "Deux mots, ici."], ["3 4"]])})


@pytest.mark.parametrize("few_texts", [6, 5], ids=["one chunk", "as they are"])
def test_the_mask_has_the_sides_and_rows_of_the_segments(few_texts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codes, "_FEW_TEXTS", few_texts)
    assert codes.both_sides(PAIRS).num_chunks == (1 if few_texts == 6 else 5)
    assert codes.both_sides(PAIRS).to_pylist() == ["One word.", "Two", "3, 4", "Un", "Deux mots, ici.", "3 4"]
    assert sides_match(PAIRS, ",").tolist() == [[False, False, True], [False, True, False]]
    assert is_label(PAIRS).tolist() == [False, False, True]


def test_no_segments_have_no_sides() -> None:
    empty = pa.schema([("src", pa.string()), ("tgt", pa.string())]).empty_table()
    assert sides_match(empty, ",").shape == (2, 0)
    assert is_label(empty).tolist() == []
