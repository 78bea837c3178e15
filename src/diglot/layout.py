"""Tables, durations and counts laid out for a person to read."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from _typeshed import SupportsRichComparison

_Name = TypeVar("_Name", bound="SupportsRichComparison")


def table_lines(
    rows: Sequence[Sequence[str]], left: Container[int] = (0,), width_of: Callable[[str], int] = len
) -> list[str]:
    """A line for each row, two blanks between its cells; no lines for no rows. All rows have as many cells.

    ``left``: numbers of the columns that are aligned left; all others are aligned right. ``width_of``: columns of a
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


def names_text(names: Sequence[str], most: int) -> str:
    """The first ``most`` names, and the number of all others.

    >>> names_text(["a", "b", "c"], 3), names_text(["a", "b", "c"], 2)
    ('a, b, c', 'a, b and 1 more')
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def duration_text(seconds: float) -> str:
    """A duration to two units, of whole seconds: ``2 h 5 min``.

    >>> duration_text(7500.0), duration_text(42.4), duration_text(59.7), duration_text(200_000)
    ('2 h 5 min', '42 s', '1 min', '2 d 7 h')
    """
    rounded = round(seconds)
    for size, unit, smaller, name in ((86_400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if rounded >= size:
            whole, rest = divmod(rounded, size)
            return f"{whole} {unit} {rest // smaller} {name}" if rest >= smaller else f"{whole} {unit}"
    return f"{rounded} s"


def share_text(share: float, digits: int = 1) -> str:
    """A share in percent, rounded to .01% and then down to ``digits`` behind the point, at most two.

    .99996 must not read as all, and .00004 must not read as none.

    >>> share_text(0.99996), share_text(0.57), share_text(1.0), share_text(0.996, 0), share_text(0.00004)
    ('99.9%', '57.0%', '100.0%', '99%', '0.1%')
    """
    # Rounded before it is cut: .57 is a little less in binary.
    shown = round(share * 10_000) // 10 ** (2 - digits)
    if 0 < share < 1:
        shown = min(max(shown, 1), 100 * 10**digits - 1)
    return f"{shown / 10**digits:.{digits}f}%"


def estimate_text(estimate: Mapping[str, float | None]) -> str:
    """``precision 98.9%, recall 97.0%``; "" without an estimate.

    >>> estimate_text({"precision": 0.989, "recall": None})
    'precision 98.9%'
    """
    return ", ".join(f"{name} {share_text(share)}" for name, share in estimate.items() if share is not None)


def count_text(count: int, noun: str, plural: str = "") -> str:
    """A number and its noun, with an s unless ``plural`` is given.

    >>> count_text(1, "page"), count_text(1204, "page"), count_text(2, "address", "addresses")
    ('1 page', '1,204 pages', '2 addresses')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def largest_first(counts: Mapping[_Name, int]) -> list[tuple[_Name, int]]:
    """Names and their counts, the largest count first, names of equal counts in their own order.

    >>> largest_first({"fr": 2, "de": 2, "en": 7})
    [('en', 7), ('de', 2), ('fr', 2)]
    """
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
