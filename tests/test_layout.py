"""Lines of cells for a person."""

from rich.cells import cell_len

from diglot.layout import table_lines


def test_columns_to_the_left_and_to_the_right() -> None:
    rows = [("", "pages", "also"), ("en", "1,204", ""), ("pt-BR", "9", "pt")]
    assert table_lines(rows) == ["       pages  also", "en     1,204", "pt-BR      9    pt"]
    assert table_lines(rows, left=(0, 2)) == ["       pages  also", "en     1,204", "pt-BR      9  pt"]
    assert table_lines([]) == []


def test_a_text_may_take_more_columns_than_it_has_characters() -> None:
    rows = [("港口", "1"), ("pier", "22"), ("ab", "3")]
    assert table_lines(rows, width_of=cell_len) == ["港口   1", "pier  22", "ab     3"]
