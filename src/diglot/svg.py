"""Charts and tables for notebooks, as HTML fragments: bars, waterfalls, tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from diglot.scripts import is_right_to_left

_FOR, _AGAINST, _PLAIN = "#2a7f62", "#b5443a", "#4a6fa5"
"""Colours of positive, negative and neutral bars, readable on white and on black."""
_CELL = "text-align:left;vertical-align:top;padding:2px 8px"


@dataclass(frozen=True, slots=True)
class Text:
    """A text from a page, with its language (BCP 47)."""

    text: str
    lang: str


def table(head: Sequence[str], rows: Iterable[Sequence[str | Text]], *, below: str = "") -> str:
    """Table with a header row, and a line of text below; all contents are escaped."""
    titles = "".join(f'<th style="{_CELL}">{escape(title)}</th>' for title in head)
    lines = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{lines}</tbody></table>{line(below)}"


def bars(counts: Sequence[tuple[str, float, str]], *, title: str = "") -> str:
    """Bar chart; ``counts``: name, non-negative number and label of each bar."""
    most = max((value for _, value, _ in counts), default=0) or 1
    rows = [(name, _bar(0.0, value / most, _PLAIN), label) for name, value, label in counts]
    return line(title) + _draw_rows(rows)


def waterfall(steps: Sequence[tuple[str, float]], *, title: str = "", total: str = "all", below: str = "") -> str:
    """Waterfall chart: each bar begins where the bar before ends; the last bar is the total."""
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
    return line(title) + _draw_rows(rows) + line(below)


def _draw_rows(rows: Iterable[tuple[str, str, str]]) -> str:
    """Table of rows: name, bar (HTML) and label."""
    lines = "".join(
        f'<tr><td style="{_CELL}">{escape(name)}</td><td style="width:24em;padding:2px 0">{bar}</td>'
        f'<td style="{_CELL}">{escape(label)}</td></tr>'
        for name, bar, label in rows
    )
    return f"<table>{lines}</table>"


def _bar(start: float, length: float, colour: str) -> str:
    """Bar of a length from a start, as shares of the width in [0, 1]."""
    return f'<div style="margin-left:{start:.2%};width:{max(length, 0.002):.2%};height:1em;background:{colour}"></div>'


def _cell(cell: str | Text) -> str:
    if isinstance(cell, str):
        return f'<td style="{_CELL}">{escape(cell)}</td>'
    direction = "rtl" if is_right_to_left(cell.lang) else "ltr"
    return f'<td style="{_CELL}" lang="{escape(cell.lang)}" dir="{direction}">{escape(cell.text)}</td>'


def line(text: str) -> str:
    """A line of text, "" for none."""
    return f'<div style="white-space:pre-wrap">{escape(text)}</div>' if text else ""
