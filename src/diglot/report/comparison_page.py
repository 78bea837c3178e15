"""A comparison of recipes as one HTML file with a plot, without scripts and without network access."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from diglot.disk.atomic import replacing
from diglot.evaluation.comparison import SHOWN_ALONE, Comparison, Contender, agreement
from diglot.report.one_file import content_policy, part

ROW_PX, NAME_PX, SCALE_PX, ABOVE_PX, RIGHT_PX = 30, 200, 480, 26, 70
"""Height of a row, widths of names and of the scale, margins above and to the right, in CSS pixels."""
STYLE = "comparison.css"
HEAT_STEPS = 20
"""Steps from the shade of a share of 0 to that of 1. Each shade is a class of the style sheet: the page's policy
forbids inline styles."""
_MARK = b'<meta name="generator" content="Diglot comparison">'
_HEAD_BYTES = 4096


def plot(comparison: Comparison) -> str:
    """A ``<figure>`` with classes for colours; "" where no recipe ran."""
    ran = comparison.ran
    if not ran:
        return ""
    if any(each.gold_scores for each in ran):
        caption = "Precision (ring), recall (square) and F1 (dot, with its 95% interval) of each recipe."
        marks = [_score_marks(each, _middle(number)) for number, each in enumerate(ran)]
        return _figure(ran, "\n".join([_scale(len(ran)), *marks]), caption)
    most = max(len(each.pairs) for each in ran)
    bars = [_pair_bar(each, len(comparison.alone(each)), most, number) for number, each in enumerate(ran)]
    return _figure(ran, "\n".join(bars), "Pairs of each recipe; the end of a bar: pairs of no other recipe.")


def _figure(ran: Sequence[Contender], marks: str, caption: str) -> str:
    height = ABOVE_PX + ROW_PX * len(ran) + 8
    names = "\n".join(
        f'<text x="{NAME_PX - 12}" y="{_middle(number) + 4}" text-anchor="end">{escape(each.recipe)}</text>'
        for number, each in enumerate(ran)
    )
    width = NAME_PX + SCALE_PX + RIGHT_PX
    return (
        f'<figure>\n<svg role="img" aria-label="{escape(caption)}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">\n{names}\n{marks}\n</svg>\n'
        f"<figcaption>{escape(caption)}</figcaption>\n</figure>"
    )


def _scale(rows: int) -> str:
    bottom = ABOVE_PX + ROW_PX * rows
    return "".join(
        f'<line class="grid" x1="{_x(tick):.1f}" x2="{_x(tick):.1f}" y1="{ABOVE_PX}" y2="{bottom}"/>'
        f'<text x="{_x(tick):.1f}" y="{ABOVE_PX - 10}" text-anchor="middle">{tick:.1f}</text>\n'
        for tick in (0, 0.2, 0.4, 0.6, 0.8, 1)
    )


def _score_marks(contender: Contender, y: int) -> str:
    if contender.gold_scores is None:
        return ""
    scores = contender.gold_scores.evaluation.pooled
    low, high = contender.gold_scores.intervals.get("f1", (scores.f1, scores.f1))
    values = f"precision {scores.precision:.3f}, recall {scores.recall:.3f}, F1 {scores.f1:.3f}"
    return (
        f"<g><title>{escape(contender.recipe)}: {values}</title>"
        f'<line class="f1" x1="{_x(low):.1f}" x2="{_x(high):.1f}" y1="{y}" y2="{y}" stroke-width="2"/>'
        f'<circle class="precision" cx="{_x(scores.precision):.1f}" cy="{y}" r="6"/>'
        f'<rect class="recall" x="{_x(scores.recall) - 5:.1f}" y="{y - 5}" width="10" height="10"/>'
        f'<circle class="f1" cx="{_x(scores.f1):.1f}" cy="{y}" r="3.5"/></g>'
    )


def _pair_bar(contender: Contender, alone: int, most: int, number: int) -> str:
    count = len(contender.pairs)
    # All recipes may have run without a pair: there is no longest bar then.
    shared, whole = ((count - alone) / most * SCALE_PX, count / most * SCALE_PX) if most else (0.0, 0.0)
    y = _middle(number)
    return (
        f"<g><title>{escape(contender.recipe)}: {count:,} pairs, {alone:,} of them of no other recipe</title>"
        f'<rect class="bar" x="{NAME_PX}" y="{y - 8}" width="{shared:.1f}" height="16"/>'
        f'<rect class="alone" x="{NAME_PX + shared:.1f}" y="{y - 8}" width="{whole - shared:.1f}" height="16"/>'
        f'<text x="{NAME_PX + whole + 8:.1f}" y="{y + 4}">{count:,}</text></g>'
    )


def _x(share: float) -> float:
    return NAME_PX + share * SCALE_PX


def _middle(number: int) -> int:
    return ABOVE_PX + ROW_PX * number + ROW_PX // 2


def write_page(comparison: Comparison, path: str | os.PathLike[str]) -> None:
    """Write :func:`page` to a file; :class:`diglot.errors.UsageError` if it cannot be written."""
    # An earlier page may be overwritten: nobody fills it in, and its seconds differ each time.
    is_ours = Path(path).is_file() and _MARK in Path(path).read_bytes()[:_HEAD_BYTES]
    # Addresses of damaged records may hold characters that UTF-8 cannot encode.
    with replacing(path, revises=is_ours) as handle:
        handle.write(page(comparison).encode("utf-8", "replace"))


def page(comparison: Comparison) -> str:
    """The HTML text; all outside strings are escaped, and addresses are no links."""
    ran = comparison.ran
    parts = [_head(comparison), plot(comparison), _results(comparison)]
    if len(ran) > 1:
        parts += [_agreements(ran), _alone(comparison, ran)]
    parts += [_notes(comparison), _signatures(comparison)]
    style = part(STYLE)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'{_MARK.decode()}\n<meta http-equiv="Content-Security-Policy" content="{escape(content_policy(style))}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(_title(comparison))}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        + "\n".join(filter(None, parts))
        + "\n</body>\n</html>\n"
    )


def _title(comparison: Comparison) -> str:
    return f"Recipes on {', '.join(comparison.sources)}"


def _head(comparison: Comparison) -> str:
    counts = ", ".join(f"{lang} {count:,}" for lang, count in comparison.documents.items())
    gold = f" Gold: {escape(comparison.gold)}." if comparison.gold else ""
    return (
        f"<h1>{escape(_title(comparison))}</h1>\n"
        f"<p>Readable pages by language: {escape(counts)}. The recipes together propose {comparison.distinct_pairs:,} "
        f"different page pairs.{gold}</p>"
    )


def _results(comparison: Comparison) -> str:
    judged = bool(comparison.gold)
    shares = ["precision", "recall", "F1", "95% of F1"] if judged else []
    heads = ["recipe", "pairs", "of no other recipe", *shares, "seconds"]
    rows = []
    for each in comparison.contenders:
        if each.abstained:
            cells = ["abstains", *["–"] * (len(heads) - 2)]
        else:
            scores = _score_cells(each) if judged else []
            cells = [f"{len(each.pairs):,}", f"{len(comparison.alone(each)):,}", *scores, f"{each.seconds:.1f}"]
        rows.append([each.recipe, *cells])
    legend = (
        "Precision: right share of the pairs with a page in the gold. Recall: share of gold pairs found. Interval: "
        "bootstrap over groups of pages. "
        if judged
        else ""
    )
    caption = f'<p class="faint">{legend}Seconds of pairing alone; pages are read once for all recipes.</p>'
    return f"<h2>Results</h2>\n{_table(heads, rows)}\n{caption}"


def _score_cells(contender: Contender) -> list[str]:
    if contender.gold_scores is None:
        return ["–"] * 4
    scores = contender.gold_scores.evaluation.pooled
    bounds = contender.gold_scores.intervals.get("f1")
    interval = f"{bounds[0]:.3f} to {bounds[1]:.3f}" if bounds else "–"
    return [f"{scores.precision:.3f}", f"{scores.recall:.3f}", f"{scores.f1:.3f}", interval]


def _agreements(ran: Sequence[Contender]) -> str:
    heads = "".join(f'<th scope="col">{escape(each.recipe)}</th>' for each in ran)
    rows = "\n".join(
        f'<tr><th scope="row">{escape(each.recipe)}</th>{"".join(_heat(agreement(each, other)) for other in ran)}</tr>'
        for each in ran
    )
    return (
        "<h2>Agreement</h2>\n"
        '<p class="faint">Pairs of both recipes, as a share of the pairs of either (Jaccard).</p>\n'
        f'<div class="scroll"><table><thead><tr><td></td>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>'
    )


def _heat(share: float | None) -> str:
    return "<td>–</td>" if share is None else f'<td class="heat heat{round(share * HEAT_STEPS)}">{share:.2f}</td>'


def _alone(comparison: Comparison, ran: Sequence[Contender]) -> str:
    parts = []
    for each in ran:
        pairs = comparison.alone(each)
        if pairs:
            shown = "\n".join(
                f"<li><code>{escape(pair.src_url)}</code><br><code>{escape(pair.tgt_url)}</code></li>"
                for pair in pairs[:SHOWN_ALONE]
            )
            first = f", the first {SHOWN_ALONE}" if len(pairs) > SHOWN_ALONE else ""
            summary = f"{escape(each.recipe)}: {len(pairs):,}{first}"
            parts.append(f"<details><summary>{summary}</summary>\n<ul>\n{shown}\n</ul></details>")
    return "<h2>Pairs of one recipe alone</h2>\n" + "\n".join(parts) if parts else ""


def _notes(comparison: Comparison) -> str:
    notes = [
        f"<li>{escape(each.recipe)}: {escape(note)}</li>"
        for each in comparison.contenders
        for note in ([f"abstains: {each.abstained}"] if each.abstained else each.notes)
    ]
    return "<h2>Notes of the recipes</h2>\n<ul>\n" + "\n".join(notes) + "\n</ul>" if notes else ""


def _signatures(comparison: Comparison) -> str:
    items = "\n".join(f"<li><code>{escape(each.signature)}</code></li>" for each in comparison.contenders)
    return f"<h2>Signatures</h2>\n<details><summary>Options in force</summary>\n<ul>\n{items}\n</ul></details>"


def _table(heads: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in heads)
    body = "\n".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>'
