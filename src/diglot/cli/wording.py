"""Text for a terminal: scores against gold, verdicts by hand, a comparison, the shared task."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from diglot.evaluation.bead_scores import BeadScores
from diglot.evaluation.comparison import Comparison, Contender, GoldScores, agreement
from diglot.evaluation.pairs import PairScores
from diglot.evaluation.segments import SegmentScores
from diglot.experiments.shared_task import SharedTaskResult
from diglot.layout import count_text
from diglot.review.weighing import HandCheck

_APART = "no address of these pairs is in the gold: compare how the two spell host and path"
TABLE_COLUMNS = 160
"""Width for a comparison of a dozen recipes; a narrower terminal wraps the lines."""


def scores_text(gold_scores: GoldScores, *, reliability: bool = False) -> str:
    """Table with a row per language pair and a row for all; below, the intervals of the row for all."""
    evaluation = gold_scores.evaluation
    heads = ("pair", "gold", "proposed", "P", "strict P", "R", "soft R", "F1", "strict F1", "calib. error")
    named = {**evaluation.by_lang_pair, "all": evaluation.pooled}
    lines = [_render(_table(heads, [_score_row(name, scores) for name, scores in named.items()]))]
    if gold_scores.intervals:
        names = (("P", "precision"), ("R", "recall"), ("F1", "f1"), ("strict F1", "strict_f1"))
        bounds = ((head, *gold_scores.intervals[name]) for head, name in names)
        lines.append("95% of all: " + ", ".join(f"{head} {low:.3f} to {high:.3f}" for head, low, high in bounds))
    if evaluation.outside_gold:
        lines.append(f"not counted: {evaluation.outside_gold} pairs of pages or languages that are not in the gold")
    if gold_scores.unknown_addresses:
        lines.append(_unknown_text(gold_scores.unknown_addresses))
    if gold_scores.is_apart:
        lines.append(_APART)
    if reliability:
        lines += ["", reliability_text(evaluation.pooled)]
    return "\n".join(lines)


def _unknown_text(count: int) -> str:
    return f"{count_text(count, 'address', 'addresses')} of the gold {'is' if count == 1 else 'are'} not in the run"


def _score_row(name: str, scores: PairScores) -> tuple[str, ...]:
    shares = (scores.precision, scores.strict_precision, scores.recall, scores.soft_recall, scores.f1, scores.strict_f1)
    return (
        name,
        str(scores.gold),
        str(scores.proposed),
        *map(_share_text, shares),
        _share_text(scores.calibration_error),
    )


def reliability_text(scores: PairScores) -> str:
    """Share of right pairs in each bin of probability."""
    if not scores.bins:
        return "no reliability table: the pairs have no probabilities"
    rows = []
    for each in (each for each in scores.bins if each.predictions):
        low, high = each.interval
        shares = (f"{each.mean_probability:.3f}", f"{each.share_right:.3f}", f"{low:.3f} to {high:.3f}")
        rows.append((f"{each.low:.1f} to {each.high:.1f}", str(each.predictions), *shares))
    return _render(_table(("probability", "pairs", "mean", "share right", "95% interval"), rows))


def hand_check_text(check: HandCheck) -> str:
    """Errors by band of score and over all bands, with intervals."""
    rows = []
    named = [(f"{band.low:g} to {band.high:g}", band) for band in check.bands if band.judged]
    for name, band in [*named, ("all", check.whole)]:
        low, high = band.interval
        counts = (f"{band.judged:,}", f"{band.partly:,}", f"{band.wrong:,}")
        rows.append((name, *counts, f"{band.wrong_share:.1%}", f"{low:.1%} to {high:.1%}"))
    left = {
        "unsure": check.unsure,
        "not judged yet": check.open,
        "on segments left out": check.foreign,
        "on segments that the run does not hold now": check.missing,
    }
    ignored = ", ".join(f"{count:,} {what}" for what, count in left.items() if count)
    table = _table(("score", "judged", "partly", "wrong", "share wrong", "95% interval"), rows)
    return "\n".join([_render(table), *([f"not counted: {ignored}"] if ignored else [])])


def segment_scores_text(scores: SegmentScores) -> str:
    """Counts and shares of segment pairs against gold."""
    return "\n".join(
        [
            f"gold       {scores.gold:,} distinct segment pairs",
            f"predicted  {scores.predicted:,}, {scores.covered:,} of them with a source in the gold",
            f"recall     {scores.exact_recall:.1%} exactly ({scores.exact:,}), "
            f"{scores.contained_recall:.1%} also inside a longer segment ({scores.contained:,})",
            f"precision  {scores.precision:.1%} of those with a source in the gold; F1 {scores.f1:.3f}",
        ]
    )


def bead_scores_text(scores: BeadScores) -> str:
    """Strict and lax precision, recall and F1 of beads."""
    rows = [(kind, *map(_share_text, scores.shares(kind))) for kind in ("strict", "lax")]
    return _render(_table(("beads", "P", "R", "F1"), rows))


def shared_task_text(result: SharedTaskResult) -> str:
    """Figures of the WMT16 task by method and for all methods."""
    scores = result.scores
    rows = []
    for each in scores.by_method:
        part = f"{each.found / scores.found_count:.2%}" if scores.found_count else "-"
        rows.append((each.method, f"{each.proposed:,}", f"{each.kept:,}", f"{each.found:,}", part))
    rows.append(("all", f"{scores.proposal_count:,}", f"{scores.kept_count:,}", f"{scores.found_count:,}", ""))
    outside = f" ({result.not_covered:,} more are on hosts without a page here)" if result.not_covered else ""
    soft = "" if scores.soft_recall is None else f", soft {scores.soft_recall:.2%} ({scores.soft_found:,})"
    return "\n".join(
        [
            f"webdomains {result.webdomains:,}, {result.records:,} records, {result.unreadable:,} of them unreadable",
            _render(_table(("method", "proposed", "after 1-1", "found", "of found"), rows)),
            f"recall of {scores.reference:,} reference pairs{outside}: {scores.recall:.2%}{soft}",
        ]
    )


def comparison_text(comparison: Comparison) -> str:
    """Results and notes of every recipe, and agreement between recipes."""
    return _render(*_comparison_parts(comparison))


def _comparison_parts(comparison: Comparison) -> list[Table | Text]:
    parts: list[Table | Text] = [_results_table(comparison)]
    ran = comparison.ran
    if len(ran) > 1:
        parts += [Text(), _agreement_table(ran)]
    for each in comparison.contenders:
        notes = [f"abstains: {each.abstained}"] if each.abstained else each.notes
        parts += [Text(f"{each.recipe}: {note}") for note in notes]
    if missing := [lang for lang, count in comparison.documents.items() if not count]:
        parts.append(Text(f"no page is in {' or '.join(missing)}: no recipe can pair there"))
    if any(each.gold_scores for each in comparison.contenders):
        parts.append(Text(f"P, R, F1 against {comparison.gold}; F1 with its 95% interval"))
        scored = [each.gold_scores for each in comparison.contenders if each.gold_scores]
        # All recipes read the same pages.
        if unknown := scored[0].unknown_addresses:
            parts.append(Text(_unknown_text(unknown)))
        if all(scores.is_apart for scores in scored):
            parts.append(Text(_APART))
    return parts


def _results_table(comparison: Comparison) -> Table:
    has_gold = bool(comparison.gold)
    heads = ("recipe", "pairs", "alone", *(("P", "R", "F1", "95% of F1") if has_gold else ()), "seconds")
    rows = []
    for each in comparison.contenders:
        cells = ["-"] * (len(heads) - 1)
        if not each.abstained:
            scores = _gold_cells(each) if has_gold else []
            cells = [f"{len(each.pairs):,}", f"{len(comparison.alone(each)):,}", *scores, f"{each.seconds:.1f}"]
        rows.append((each.recipe, *cells))
    return _table(heads, rows, names_first=True)


def _gold_cells(contender: Contender) -> list[str]:
    """Precision, recall, F1 and its interval against gold; hyphens without scores."""
    if contender.gold_scores is None:
        return ["-"] * 4
    scores = contender.gold_scores.evaluation.pooled
    bounds = contender.gold_scores.intervals.get("f1")
    interval = f"{bounds[0]:.3f} to {bounds[1]:.3f}" if bounds else "-"
    return [*map(_share_text, (scores.precision, scores.recall, scores.f1)), interval]


def _agreement_table(ran: list[Contender]) -> Table:
    heads = ("agreement (Jaccard)", *map(str, range(1, len(ran) + 1)))
    rows = [
        (f"{number} {each.recipe}", *(_share_text(agreement(each, other)) for other in ran))
        for number, each in enumerate(ran, start=1)
    ]
    return _table(heads, rows, names_first=True)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, names_first: bool = False) -> Table:
    """A table of right-aligned columns; ``names_first``: the first column holds names, aligned to the left."""
    table = Table(box=None, pad_edge=False)
    for number, head in enumerate(heads):
        table.add_column(head, justify="left" if names_first and not number else "right", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _render(*parts: Table | Text) -> str:
    """Tables and lines below each other, without trailing blanks."""
    buffer = io.StringIO()
    Console(file=buffer, width=TABLE_COLUMNS, color_system=None).print(*parts, sep="\n")
    return "\n".join(line.rstrip() for line in buffer.getvalue().rstrip().splitlines())


def _share_text(share: float | None) -> str:
    return "-" if share is None else f"{share:.3f}"
