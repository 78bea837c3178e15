"""Pictures of numbers and texts for notebooks, as pieces of HTML: bars, waterfalls, tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from diglot.scripts import is_right_to_left

_FOR, _AGAINST, _PLAIN = "#2a7f62", "#b5443a", "#4a6fa5"
"""Bars of what speaks for something, of what speaks against it, and of plain counts; readable on white and on black."""
_CELL = "text-align:left;vertical-align:top;padding:2px 8px"


@dataclass(frozen=True, slots=True)
class Text:
    """A text that somebody wrote, in a language (a BCP 47 tag)."""

    text: str
    lang: str


def table(head: Sequence[str], rows: Iterable[Sequence[str | Text]], *, below: str = "") -> str:
    """A table with a line of titles, and a line of text below it; what it holds is never taken for markup."""
    titles = "".join(f'<th style="{_CELL}">{escape(title)}</th>' for title in head)
    lines = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{lines}</tbody></table>{_line(below)}"


def bars(counts: Sequence[tuple[str, float, str]], *, title: str = "") -> str:
    """A bar for each of some numbers that are not negative: its name, the number, and what is said of it."""
    most = max((value for _, value, _ in counts), default=0) or 1
    rows = [(name, _bar(0.0, value / most, _PLAIN), told) for name, value, told in counts]
    return _line(title) + _drawn(rows)


def waterfall(steps: Sequence[tuple[str, float]], *, title: str = "", total: str = "all", below: str = "") -> str:
    """What each step adds or takes, each bar beginning where the one before ends, and the sum of all as the last."""
    sums = [0.0]
    for _, value in steps:
        sums.append(sums[-1] + value)
    least, most = min(sums), max(sums)
    scale = (most - least) or 1.0
    spans = [*pairwise(sums), (0.0, sums[-1])]
    named = [*steps, (total, sums[-1])]
    rows = [
        (
            name,
            _bar((min(span) - least) / scale, abs(span[1] - span[0]) / scale, _FOR if value >= 0 else _AGAINST),
            f"{value:+.1f}",
        )
        for (name, value), span in zip(named, spans, strict=True)
    ]
    return _line(title) + _drawn(rows) + _line(below)


def _drawn(rows: Iterable[tuple[str, str, str]]) -> str:
    """Rows of a name, a bar and a text."""
    lines = "".join(
        f'<tr><td style="{_CELL}">{escape(name)}</td><td style="width:24em;padding:2px 0">{bar}</td>'
        f'<td style="{_CELL}">{escape(told)}</td></tr>'
        for name, bar, told in rows
    )
    return f"<table>{lines}</table>"


def _bar(start: float, length: float, colour: str) -> str:
    """A bar over part of the width; both in [0, 1]."""
    return f'<div style="margin-left:{start:.2%};width:{max(length, 0.002):.2%};height:1em;background:{colour}"></div>'


def _cell(cell: str | Text) -> str:
    if isinstance(cell, str):
        return f'<td style="{_CELL}">{escape(cell)}</td>'
    direction = "rtl" if is_right_to_left(cell.lang) else "ltr"
    return f'<td style="{_CELL}" lang="{escape(cell.lang)}" dir="{direction}">{escape(cell.text)}</td>'


def _line(text: str) -> str:
    return f'<div style="white-space:pre-wrap">{escape(text)}</div>' if text else ""
