"""Lines of cells for a person, in aligned columns."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence


def table_lines(
    rows: Sequence[Sequence[str]], left: Container[int] = (0,), width_of: Callable[[str], int] = len
) -> list[str]:
    """A line a row, as many cells in each, two blanks between them; nothing for no rows.

    ``left``: numbers of the columns whose cells stand to the left, all others to the right. ``width_of``: columns of a
    terminal that a text takes.

    >>> table_lines([("", "pages"), ("en", "9"), ("pt-BR", "1,204")])
    ['       pages', 'en         9', 'pt-BR  1,204']
    """
    widths = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = []
        for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
            blank = " " * (width - width_of(cell))
            cells.append(cell + blank if column in left else blank + cell)
        lines.append("  ".join(cells).rstrip())
    return lines
