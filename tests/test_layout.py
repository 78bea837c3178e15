"""Lines of cells, and shares, for a person."""

import pytest
from rich.cells import cell_len

from diglot.layout import share_text, table_lines


def test_columns_to_the_left_and_to_the_right() -> None:
    rows = [("", "pages", "also"), ("en", "1,204", ""), ("pt-BR", "9", "pt")]
    assert table_lines(rows) == ["       pages  also", "en     1,204", "pt-BR      9    pt"]
    assert table_lines(rows, left=(0, 2)) == ["       pages  also", "en     1,204", "pt-BR      9  pt"]
    assert table_lines([]) == []


def test_a_text_may_take_more_columns_than_it_has_characters() -> None:
    rows = [("港口", "1"), ("pier", "22"), ("ab", "3")]
    assert table_lines(rows, width_of=cell_len) == ["港口   1", "pier  22", "ab     3"]


@pytest.mark.parametrize(
    ("share", "digits", "text"),
    [
        *[(1.0, 1, "100.0%"), (0.99996, 1, "99.9%"), (0.9989, 1, "99.8%"), (0.99996, 0, "99%"), (0.99999, 2, "99.99%")],
        *[(0.0, 1, "0.0%"), (0.00001, 1, "0.1%"), (0.0019, 1, "0.1%"), (0.0001, 0, "1%"), (0.00001, 2, "0.01%")],
        *[(0.0, 0, "0%"), (1.0, 0, "100%"), (0.57, 0, "57%")],
    ],
)
def test_only_a_share_of_all_reads_as_all_and_only_none_as_none(share: float, digits: int, text: str) -> None:
    assert share_text(share, digits) == text
