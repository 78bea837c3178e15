"""Commands for review by hand: ``diglot sample`` draws segments, ``diglot judge`` takes verdicts on them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from diglot.cli.console import console_for, waiting
from diglot.cli.options import Json, OnePair, Quiet, RunDir
from diglot.errors import UsageError
from diglot.layout import count_text

if TYPE_CHECKING:
    from diglot.results.take_verdicts import VerdictsTaken
    from diglot.review.weighing import Weighing

_SHOWN_SCORES = (0.5, 0.8, 0.9, 0.95, 0.99)
"""Old scores whose new value is printed."""


def sample_command(
    run: RunDir,
    size: Annotated[int, typer.Option("-n", "--size", help="number of segments")] = 200,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="sheet.html: a page with keys; sheet.tsv: lines; default: RUN/sample.html"),
    ] = None,
    langs: OnePair = "",
    seed: Annotated[int, typer.Option("--seed", min=0, help="another number gives another sample")] = 0,
) -> None:
    """Draw kept segments at random to judge by hand."""
    from diglot.results.drawing import sample

    if size < 1:
        raise UsageError(f"-n {size}: give the number of segments to judge, at least 1")
    with waiting("sample", "drawing segments"):
        sheet = sample(run, size, out=out, langs=langs, seed=seed)
    fewer = ", all that are kept" if sheet.size < size else ""
    judge = "open it in a browser, judge, save; then" if sheet.path.suffix == ".html" else "then"
    segments = count_text(sheet.size, "segment")
    command = f"diglot judge {shlex.quote(str(run))} FILE.tsv"
    typer.echo(f"wrote {sheet.path}: {segments} to judge{fewer}; {judge} `{command}`")


def judge_command(
    run: RunDir,
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="verdicts: .tsv or .xlsx with a column verdict; without: print the result"),
    ] = None,
    as_random: Annotated[
        bool, typer.Option("--as-random", help="the segments were not chosen for being right or wrong")
    ] = False,
    recalibrate: Annotated[
        bool | None,
        typer.Option("--recalibrate/--keep-scores", help="adapt scores to verdicts on random segments, or do not"),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="print all judgements as lines that FILE can hold")] = False,
    clear: Annotated[bool, typer.Option("--clear", help="delete earlier judgements first")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Take verdicts and corrections into a run and its outputs; print errors by score and the share that is right."""
    from diglot.results.take_verdicts import judgement_lines, take_verdicts

    if listed:
        if files or clear or as_random or recalibrate is not None:
            raise UsageError("--list only prints judgements; leave out the files and other options")
        typer.echo("\n".join(judgement_lines(run)))
        return
    console = console_for(as_json=as_json, quiet=quiet)
    taken = take_verdicts(run, files or (), as_random=as_random, recalibrate=recalibrate, clear=clear, progress=console)
    # Where no file was given and none is written, the result is what was asked for.
    tell = console.answer if not files and taken.kept is None else console.result
    tell(taken.plain(), verdicts_text(taken, run))


def verdicts_text(taken: VerdictsTaken, run: Path) -> str:
    """Errors by score, the share of right segments, the scores, and the outputs."""
    from diglot.cli.wording import hand_check_text

    lines = []
    if taken.weighing is None:
        lines.append("verdicts  none; draw segments to judge with `diglot sample`")
    else:
        if taken.weighing.check is not None:
            lines.append(hand_check_text(taken.weighing.check))
        lines += _weighing_lines(taken.weighing, taken.taken)
    ignored = {"without a verdict": taken.open, "on segments that the run does not hold": taken.foreign}
    if listed := ", ".join(f"{count_text(n, 'row')} {what}" for what, n in ignored.items() if n):
        lines.append(f"ignored   {listed}")
    if taken.edited:
        lines.append(
            f"edited    the text of src or tgt was changed in {count_text(taken.edited, 'row')}, and is not taken; "
            "write it into corrected_src or corrected_tgt"
        )
    if taken.replaced:
        lines.append(f"replaced  {count_text(taken.replaced, 'earlier verdict')}, which said something else")
    if taken.kept is None:
        lines.append("outputs   as before")
    else:
        lines.append(f"kept      {count_text(taken.kept, 'segment')}{_moves_text(taken)}")
        if taken.below and taken.weighing is not None and taken.weighing.applied:
            command = f"diglot judge {shlex.quote(str(run))} --keep-scores"
            lines.append(f"          `{command}` takes those below the least score in again")
        lines.append(f"wrote     {run / 'out'}")
    return "\n".join(lines)


def _moves_text(taken: VerdictsTaken) -> str:
    """Number of segments kept before, and why others are kept now."""
    if taken.kept_before is None:
        return ""
    out = {
        "judged wrong": taken.left_out,
        "below the least score": taken.below,
        "left out for other flags": taken.flagged,
    }
    fewer = sum(out.values())
    moves = [f"{fewer:,} fewer: {', '.join(f'{n:,} {why}' for why, n in out.items() if n)}"] if fewer else []
    moves += [f"{taken.added:,} more that were left out before"] if taken.added else []
    return "; ".join([f", {taken.kept_before:,} before", *moves])


def _weighing_lines(weighing: Weighing, taken: int) -> list[str]:
    from diglot.corpus.verdicts import PARTLY, RIGHT, UNSURE, WRONG

    counts = [f"{n:,} {kind}" for kind in (RIGHT, PARTLY, WRONG, UNSURE) if (n := weighing.verdicts.get(kind, 0))]
    corrected = f"; {weighing.corrected:,} corrected" if weighing.corrected else ""
    missing = f"; {weighing.missing:,} on segments that the run does not hold now" if weighing.missing else ""
    new = f" ({taken:,} taken now)" if taken else ""
    return [f"verdicts  {', '.join(counts)}{corrected}{missing}{new}", *_right_lines(weighing), *_score_lines(weighing)]


def _right_lines(weighing: Weighing) -> list[str]:
    """The share of right segments, or the reason why there is none."""
    right = weighing.right
    if right is None and weighing.skipped:
        return [
            f"right     unknown: row {weighing.skipped:,} of the sheet has no verdict, rows below it have; judge "
            "from the top down, unsure where you cannot tell, or the rows judged are no random sample"
        ]
    if right is None:
        return [
            "right     unknown: these segments were chosen, not drawn; draw some with `diglot sample`, or add "
            "--as-random if they were not chosen for being right or wrong"
        ]
    of = f"the {right.population:,} segments kept when the sample was drawn"
    how = f"from {right.judged:,} verdicts on segments drawn at random"
    if not weighing.drawn:
        of = f"the {right.population:,} segments kept before verdicts"
        how = f"from {right.judged:,} verdicts, if these segments are like others of the same score"
        if right.covered < 1:
            how += f"; {1 - right.covered:.1%} of the segments are in bands of score without a verdict and not counted"
    return [f"right     {right.share:.1%} of {of} ({right.low:.1%} to {right.high:.1%}, 95%), {how}"]


def _score_lines(weighing: Weighing) -> list[str]:
    """Whether scores were recalibrated, and the error of old and new scores."""
    import numpy as np

    from diglot.evaluation.recalibration import LEAST_VERDICTS

    learnt = weighing.recalibration
    if learnt is None:
        return ["scores    unchanged: no verdicts on a random sample"] if weighing.skipped else []
    brier = f"mean squared error {learnt.before:.4f}, recalibrated {learnt.after:.4f} (cross-validated)"
    verdicts = f"{learnt.found:g} of {learnt.verdicts:,} right, {learnt.expected:.1f} expected from the scores"
    if not weighing.applied:
        if learnt.verdicts < LEAST_VERDICTS:
            return [f"scores    unchanged: {verdicts}; too few verdicts to tell, {LEAST_VERDICTS} or more do"]
        why = "unchanged, as asked" if learnt.helps else "unchanged: recalibration does not help"
        return [f"scores    {why}; {verdicts}; {brier}"]
    shown = zip(_SHOWN_SCORES, learnt.score_map(np.array(_SHOWN_SCORES)).tolist(), strict=True)
    moved = ", ".join(f"{old:g} -> {new:.3f}" for old, new in shown)
    lines = [f"scores    recalibrated: {verdicts}; {brier}", f"          {moved}"]
    if weighing.unjudged:
        pairs = count_text(len(weighing.unjudged), "language pair")
        lines.append(f"          {pairs} without a verdict on a random segment: scores unchanged")
    return lines
