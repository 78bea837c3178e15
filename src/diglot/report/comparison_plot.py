"""The plot of a comparison as inline SVG: precision, recall and F1 with gold, numbers of pairs without."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from diglot.evaluation.comparison import Comparison, Contender

ROW, LEFT, WIDTH, TOP, RIGHT = 30, 200, 480, 26, 70
"""In CSS pixels: height of a recipe's row, room for its name, width of the scale, room above and to the right."""


def plot(comparison: Comparison) -> str:
    """A ``<figure>``; colours are classes that the page's style defines. "" where no recipe ran."""
    ran = [each for each in comparison.contenders if not each.abstained]
    if not ran:
        return ""
    if any(each.judgement for each in ran):
        told = "Precision (ring), recall (square) and F1 (dot, with its 95% interval) of each recipe."
        marks = [_score_marks(each, _middle(number)) for number, each in enumerate(ran)]
        return _figure(ran, "\n".join([_scale(len(ran)), *marks]), told)
    most = max(len(each.pairs) for each in ran)
    bars = [_pair_bar(each, len(comparison.alone(each)), most, number) for number, each in enumerate(ran)]
    return _figure(ran, "\n".join(bars), "Pairs each recipe proposes; at the end those that no other proposes.")


def _figure(ran: Sequence[Contender], marks: str, told: str) -> str:
    height = TOP + ROW * len(ran) + 8
    names = "\n".join(
        f'<text x="{LEFT - 12}" y="{_middle(number) + 4}" text-anchor="end">{escape(each.recipe)}</text>'
        for number, each in enumerate(ran)
    )
    width = LEFT + WIDTH + RIGHT
    return (
        f'<figure>\n<svg role="img" aria-label="{escape(told)}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">\n{names}\n{marks}\n</svg>\n<figcaption>{escape(told)}</figcaption>\n</figure>'
    )


def _scale(rows: int) -> str:
    bottom = TOP + ROW * rows
    return "".join(
        f'<line class="grid" x1="{_x(tick):.1f}" x2="{_x(tick):.1f}" y1="{TOP}" y2="{bottom}"/>'
        f'<text x="{_x(tick):.1f}" y="{TOP - 10}" text-anchor="middle">{tick:.1f}</text>\n'
        for tick in (0, 0.2, 0.4, 0.6, 0.8, 1)
    )


def _score_marks(contender: Contender, y: int) -> str:
    if contender.judgement is None:
        return ""
    scores = contender.judgement.evaluation.pooled
    low, high = contender.judgement.intervals.get("f1", (scores.f1, scores.f1))
    told = f"{contender.recipe}: P {scores.precision:.3f}, R {scores.recall:.3f}, F1 {scores.f1:.3f}"
    return (
        f"<g><title>{escape(told)}</title>"
        f'<line class="f1" x1="{_x(low):.1f}" x2="{_x(high):.1f}" y1="{y}" y2="{y}" stroke-width="2"/>'
        f'<circle class="precision" cx="{_x(scores.precision):.1f}" cy="{y}" r="6"/>'
        f'<rect class="recall" x="{_x(scores.recall) - 5:.1f}" y="{y - 5}" width="10" height="10"/>'
        f'<circle class="f1" cx="{_x(scores.f1):.1f}" cy="{y}" r="3.5"/></g>'
    )


def _pair_bar(contender: Contender, alone: int, most: int, number: int) -> str:
    count = len(contender.pairs)
    shared, whole = ((count - alone) / most * WIDTH, count / most * WIDTH) if most else (0.0, 0.0)
    y = _middle(number)
    return (
        f"<g><title>{escape(contender.recipe)}: {count:,} pairs, {alone:,} of them alone</title>"
        f'<rect class="bar" x="{LEFT}" y="{y - 8}" width="{shared:.1f}" height="16"/>'
        f'<rect class="alone" x="{LEFT + shared:.1f}" y="{y - 8}" width="{whole - shared:.1f}" height="16"/>'
        f'<text x="{LEFT + whole + 8:.1f}" y="{y + 4}">{count:,}</text></g>'
    )


def _x(share: float) -> float:
    return LEFT + share * WIDTH


def _middle(number: int) -> int:
    return TOP + ROW * number + ROW // 2
