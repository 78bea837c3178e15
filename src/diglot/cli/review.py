"""What became of verdicts, as text for a terminal."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from diglot.cli.wording import hand_check_text
from diglot.corpus.judged import PARTLY, RIGHT, UNSURE, WRONG
from diglot.results.take_verdicts import Outcome
from diglot.review.weighing import Weighed

_SHOWN_SCORES = (0.5, 0.8, 0.9, 0.95, 0.99)
"""Scores of which is told what they become."""


def outcome_text(found: Outcome, run: Path) -> str:
    """Errors by score, the share that is right, what became of the scores, and of the outputs."""
    lines = []
    left = {"without a verdict": found.open, "of segments that the run does not hold": found.foreign}
    if found.weighed is None:
        lines.append("verdicts  none; draw segments to judge with `diglot sample`")
    else:
        if found.weighed.check is not None:
            lines.append(hand_check_text(found.weighed.check))
        lines += _weighed_lines(found.weighed, found.taken)
    if told := ", ".join(f"{count:,} {what}" for what, count in left.items() if count):
        lines.append(f"passed    {told}")
    if found.kept is None:
        lines.append("outputs   as before")
    else:
        before = "" if found.kept_before is None else f", {found.kept_before:,} before"
        why = f"; {found.left_out:,} left out as judged wrong, {found.below:,} for their score"
        lines += [f"kept      {found.kept:,} segments{before}{why}", f"wrote     {run / 'out'}"]
    return "\n".join(lines)


def _weighed_lines(weighed: Weighed, taken: int) -> list[str]:
    kinds = [f"{n:,} {kind}" for kind in (RIGHT, PARTLY, WRONG, UNSURE) if (n := weighed.verdicts.get(kind, 0))]
    corrected = f"; {weighed.corrected:,} corrected" if weighed.corrected else ""
    missing = f"; {weighed.missing:,} on segments that the run does not have now" if weighed.missing else ""
    new = f" ({taken:,} taken in now)" if taken else ""
    return [f"verdicts  {', '.join(kinds)}{corrected}{missing}{new}", *_right_lines(weighed), *_score_lines(weighed)]


def _right_lines(weighed: Weighed) -> list[str]:
    """The share that is right, or why none is told."""
    right = weighed.right
    if right is None:
        return [
            "right     no share is told: these segments were chosen, not drawn; `diglot sample` draws some, or say "
            "--as-random if they were chosen without regard to right and wrong"
        ]
    of = f"the {right.population:,} segments kept when they were drawn"
    how = f"from {right.judged:,} verdicts on segments drawn at random"
    if not weighed.drawn:
        of = f"the {right.population:,} segments kept before verdicts"
        how = f"from {right.judged:,} verdicts, if of their score these segments are like any others"
        if right.covered < 1:
            how += f"; {1 - right.covered:.1%} of all have scores of which none was judged, and are not counted"
    return [f"right     {right.share:.1%} of {of} ({right.low:.1%} to {right.high:.1%}, 95%), {how}"]


def _score_lines(weighed: Weighed) -> list[str]:
    """What became of the scores, and what that is worth."""
    learnt = weighed.recalibration
    if learnt is None:
        return []
    brier = f"mean squared error {learnt.before:.4f}, with new ones {learnt.after:.4f} (cross-validated)"
    said = f"{learnt.found:g} of {learnt.verdicts:,} right where scores said {learnt.expected:.1f}"
    if not weighed.applied:
        why = "as they were asked to stay" if learnt.helps else "as they were: new ones do no better"
        return [f"scores    {why}; {said}; {brier}"]
    shown = zip(_SHOWN_SCORES, learnt.score_map(np.array(_SHOWN_SCORES)).tolist(), strict=True)
    moved = ", ".join(f"{old:g} is {new:.3f}" for old, new in shown)
    return [f"scores    made anew: {said}; {brier}", f"          {moved}"]
