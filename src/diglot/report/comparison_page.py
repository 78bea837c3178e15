"""A comparison of recipes as one HTML file: opens from disk, asks no network, runs no script."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from html import escape

from diglot.atomic import replacing
from diglot.evaluation.comparison import SHOWN_ALONE, Comparison, Contender, agreement
from diglot.report.comparison_plot import plot
from diglot.report.one_file import content_policy, part

STYLE = "comparison.css"
HEAT_STEPS = 20
"""Shades of a share, as many as the style sheet has; the policy of the page allows no style on an element."""


def write_page(comparison: Comparison, path: str | os.PathLike[str]) -> None:
    """Write :func:`page` to a file; :class:`diglot.errors.UsageError` where that cannot be."""
    with replacing(path) as handle:
        handle.write(page(comparison).encode("utf-8", "replace"))


def page(comparison: Comparison) -> str:
    """The HTML text. Every string that comes from outside is escaped; addresses are no links."""
    ran = [each for each in comparison.contenders if not each.abstained]
    parts = [_head(comparison), plot(comparison), _results(comparison)]
    if len(ran) > 1:
        parts += [_agreements(ran), _alone(comparison, ran)]
    parts += [_notes(comparison), _signatures(comparison)]
    style = part(STYLE)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_text(content_policy(style))}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(_title(comparison))}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        + "\n".join(part for part in parts if part)
        + "\n</body>\n</html>\n"
    )


def _title(comparison: Comparison) -> str:
    return f"Recipes on {', '.join(comparison.sources)}"


def _head(comparison: Comparison) -> str:
    counts = ", ".join(f"{lang} {count:,}" for lang, count in comparison.documents.items())
    gold = f" Gold: {_text(comparison.gold)}." if comparison.gold else ""
    return (
        f"<h1>{_text(_title(comparison))}</h1>\n"
        f"<p>Readable pages by language: {_text(counts)}. The recipes propose {comparison.distinct_pairs:,} "
        f"different pairs of pages between them.{gold}</p>"
    )


def _results(comparison: Comparison) -> str:
    judged = bool(comparison.gold)
    heads = ["recipe", "pairs", "proposed by no other", *(["P", "R", "F1", "95% of F1"] if judged else []), "seconds"]
    rows = []
    for each in comparison.contenders:
        if each.abstained:
            cells = ["abstains", *["–"] * (len(heads) - 2)]
        else:
            shares = _judged(each) if judged else []
            cells = [f"{len(each.pairs):,}", f"{len(comparison.alone(each)):,}", *shares, f"{each.seconds:.1f}"]
        rows.append([each.recipe, *cells])
    told = (
        "P: right ones of the proposals that name a page the gold knows; R: gold pairs found. The interval is what "
        "other pages of the same kind would give (bootstrap over groups of pages). "
        if judged
        else ""
    )
    caption = f'<p class="faint">{told}Seconds are of pairing alone; pages are read once for all.</p>'
    return f"<h2>Results</h2>\n{_table(heads, rows)}\n{caption}"


def _judged(contender: Contender) -> list[str]:
    if contender.judgement is None:
        return ["–"] * 4
    scores = contender.judgement.evaluation.pooled
    bounds = contender.judgement.intervals.get("f1")
    interval = f"{bounds[0]:.3f} to {bounds[1]:.3f}" if bounds else "–"
    return [f"{scores.precision:.3f}", f"{scores.recall:.3f}", f"{scores.f1:.3f}", interval]


def _agreements(ran: Sequence[Contender]) -> str:
    heads = "".join(f'<th scope="col">{_text(each.recipe)}</th>' for each in ran)
    rows = "\n".join(
        f'<tr><th scope="row">{_text(each.recipe)}</th>{"".join(_heat(agreement(each, other)) for other in ran)}</tr>'
        for each in ran
    )
    return (
        "<h2>Agreement</h2>\n"
        '<p class="faint">Pairs that both recipes propose, as a share of those that either does.</p>\n'
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
                f"<li><code>{_text(pair.src_url)}</code><br><code>{_text(pair.tgt_url)}</code></li>"
                for pair in pairs[:SHOWN_ALONE]
            )
            first = f", the first {SHOWN_ALONE}" if len(pairs) > SHOWN_ALONE else ""
            summary = f"{_text(each.recipe)}: {len(pairs):,}{first}"
            parts.append(f"<details><summary>{summary}</summary>\n<ul>\n{shown}\n</ul></details>")
    return "<h2>Pairs that only one recipe proposes</h2>\n" + "\n".join(parts) if parts else ""


def _notes(comparison: Comparison) -> str:
    said = [
        f"<li>{_text(each.recipe)}: {_text(note)}</li>"
        for each in comparison.contenders
        for note in ([f"abstains: {each.abstained}"] if each.abstained else each.notes)
    ]
    return "<h2>What recipes say</h2>\n<ul>\n" + "\n".join(said) + "\n</ul>" if said else ""


def _signatures(comparison: Comparison) -> str:
    items = "\n".join(f"<li><code>{_text(each.signature)}</code></li>" for each in comparison.contenders)
    return f"<h2>Signatures</h2>\n<details><summary>Options in force</summary>\n<ul>\n{items}\n</ul></details>"


def _table(heads: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{_text(cell)}</th>' for cell in heads)
    body = "\n".join("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>'


def _text(text: str) -> str:
    return escape(text, quote=True)
