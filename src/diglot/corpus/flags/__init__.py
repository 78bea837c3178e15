"""What speaks against a segment: the flags, what each means, and the choice of those that exclude a segment.

Nothing is deleted. The table of segments keeps every row and says what is wrong with it; a translation memory
takes the rows without a flag that excludes (:data:`EXCLUDED`, changed by ``--keep`` and ``--drop``) whose score
reaches a floor (:data:`MIN_SCORE`, changed by ``--min-score``).
"""

from collections.abc import Collection
from enum import StrEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Mask
from diglot.errors import UsageError, no_such


class Flag(StrEnum):
    """Reasons to doubt a segment."""

    BOILERPLATE = "boilerplate"
    CONFLICT = "conflict"
    CORRECTED = "corrected"
    DUPLICATE = "duplicate"
    IDENTICAL = "identical"
    JUDGED_PARTLY = "judged_partly"
    JUDGED_RIGHT = "judged_right"
    JUDGED_WRONG = "judged_wrong"
    LENGTH_RATIO = "length_ratio"
    MACHINE_TRANSLATED = "machine_translated"
    MOJIBAKE = "mojibake"
    NAMES = "names"
    NEAR_DUPLICATE = "near_duplicate"
    NO_LETTERS = "no_letters"
    NUMBERS = "numbers"
    OFFENSIVE = "offensive"
    PERSONAL_DATA = "personal_data"
    SERIES = "series"
    TOO_SHORT = "too_short"
    UNALIGNED = "unaligned"
    WRONG_LANGUAGE = "wrong_language"


FLAG_TEXT: dict[Flag, str] = {
    Flag.BOILERPLATE: "the same pair of texts stands on a large share of the page pairs; one copy is kept",
    Flag.CONFLICT: "the source has another translation that is better supported",
    Flag.CORRECTED: "its text was corrected by hand",
    Flag.DUPLICATE: "a better scored copy of the same pair of texts is kept",
    Flag.IDENTICAL: "both sides are the same letters and digits",
    Flag.JUDGED_PARTLY: "it was judged by hand to be right in part only",
    Flag.JUDGED_RIGHT: "it was judged by hand to be right",
    Flag.JUDGED_WRONG: "it was judged by hand to be wrong",
    Flag.LENGTH_RATIO: "one side is far longer than the other side leads one to expect",
    Flag.MACHINE_TRANSLATED: "a page says that a machine translated it",
    Flag.MOJIBAKE: "characters are lost or decoded wrongly",
    Flag.NAMES: "a side names something that the other does not",
    Flag.NEAR_DUPLICATE: "a better scored copy is kept that differs in case, accents or punctuation only",
    Flag.NO_LETTERS: "a side holds no letter",
    Flag.NUMBERS: "the two sides name different numbers",
    Flag.OFFENSIVE: "a side holds a word of the list that was given",
    Flag.PERSONAL_DATA: "a side holds an e-mail address, a telephone number, or the number of an account or a card",
    Flag.SERIES: "a better scored label is kept that differs in its numbers only",
    Flag.TOO_SHORT: "both sides have fewer than three words",
    Flag.UNALIGNED: "one side is empty: nothing was found that translates it",
    Flag.WRONG_LANGUAGE: "a side is in another language than it should be",
}

JUDGED = (Flag.CORRECTED, Flag.JUDGED_PARTLY, Flag.JUDGED_RIGHT, Flag.JUDGED_WRONG)
"""What a person has said of a segment."""
EXCLUDED = frozenset(Flag) - {Flag.NAMES, Flag.PERSONAL_DATA, Flag.TOO_SHORT, *JUDGED} | {Flag.JUDGED_WRONG}
"""Flags that keep a segment out of the corpus unless told otherwise. Names, personal data and shortness only warn:
the first is a guess, and the others are a matter of what the corpus is for."""

MIN_SCORE = 0.5
"""Least score of a segment that is kept, where a score is the probability that the segment is right: below it the
segment is rather wrong than right."""
REPEATS = (Flag.BOILERPLATE, Flag.DUPLICATE, Flag.NEAR_DUPLICATE, Flag.CONFLICT)
"""Flags of a segment for which another one stands. A segment that has one of its own, too, is counted under that."""
VOUCHED = (Flag.CORRECTED, Flag.JUDGED_RIGHT)
"""Flags of a segment that a person answers for: neither its score nor a doubt keeps it out any more ..."""
LASTING = frozenset(
    {Flag.BOILERPLATE, Flag.DUPLICATE, Flag.NEAR_DUPLICATE, Flag.SERIES}
    | {Flag.JUDGED_WRONG, Flag.OFFENSIVE, Flag.PERSONAL_DATA, Flag.UNALIGNED}
)
"""... but these flags do: they are no doubt whether it is right."""


def excluded_flags(keep: Collection[str] = (), drop: Collection[str] = ()) -> frozenset[Flag]:
    """The flags that exclude: ``EXCLUDED`` without those to ``keep`` and with those to ``drop``.

    Raises: :class:`UsageError` for a name that is no flag, or one that is in both.
    """
    kept, dropped = ({as_flag(name) for name in names} for names in (keep, drop))
    both = kept & dropped
    if both:
        raise UsageError(f"--keep and --drop both name {min(both)}; leave it out of one of them")
    return (EXCLUDED - kept) | dropped


def as_flag(name: str) -> Flag:
    """The flag of that name; raises :class:`UsageError` where there is none."""
    try:
        return Flag(name.strip())
    except ValueError as error:
        raise UsageError(no_such("flag", name.strip(), Flag)) from error


def clean(segments: pa.Table, excluded: Collection[str] = EXCLUDED, min_score: float = 0.0) -> pa.Table:
    """The rows that no flag of ``excluded`` keeps out (:func:`keeps_out`) and that reach ``min_score``, in order: what
    a translation memory takes."""
    return segments.filter(pa.array(kept_mask(segments, excluded, min_score)))


def kept_mask(segments: pa.Table, excluded: Collection[str] = EXCLUDED, min_score: float = 0.0) -> Mask:
    """Which rows :func:`clean` keeps, bool of shape (segments,)."""
    keep = reaches(segments, min_score)
    vouched = is_vouched(segments)
    for flag in excluded:
        keep &= ~keeps_out(segments, flag, vouched)
    return keep


def is_vouched(segments: pa.Table) -> Mask:
    """Which rows a person answers for (:data:`VOUCHED`), bool of shape (segments,)."""
    return np.asarray(carries(segments, VOUCHED[0]) | carries(segments, VOUCHED[1]), dtype=bool)


def keeps_out(segments: pa.Table, flag: str, vouched: Mask) -> Mask:
    """Which rows a flag that excludes keeps out: those that carry it and for which nobody answers, or whoever does
    (:data:`LASTING`); bool of shape (segments,)."""
    found = carries(segments, flag)
    return found if flag in LASTING else found & ~vouched


def reaches(segments: pa.Table, min_score: float) -> Mask:
    """Which rows have at least this score or are vouched for, bool of shape (segments,)."""
    scores = segments["score"].to_numpy()
    return np.asarray(scores >= scores.dtype.type(min_score), dtype=bool) | is_vouched(segments)


def carries(segments: pa.Table, flag: str) -> Mask:
    """Which rows have a flag, bool of shape (segments,)."""
    flags = segments["flags"].combine_chunks()
    found = np.zeros(segments.num_rows, dtype=bool)
    found[pc.list_parent_indices(flags).filter(pc.equal(pc.list_flatten(flags), flag)).to_numpy()] = True
    return found


def left_out(segments: pa.Table, excluded: Collection[str], min_score: float) -> tuple[dict[str, int], int]:
    """How many rows each flag of ``excluded`` keeps out, each row counted once, and how many only their score does.

    A row counts under the first of its flags, by name, the :data:`REPEATS` after the others. Both together are
    the rows that :func:`clean` leaves out.
    """
    left = np.ones(segments.num_rows, dtype=bool)
    vouched = is_vouched(segments)
    counts = {}
    for flag in in_turn(excluded):
        mine = left & keeps_out(segments, flag, vouched)
        counts[str(flag)] = int(mine.sum())
        left &= ~mine
    return {flag: n for flag, n in counts.items() if n}, int((left & ~reaches(segments, min_score)).sum())


def in_turn(flags: Collection[str]) -> list[str]:
    """Flags in the order in which a row that has several counts under the first: by name, :data:`REPEATS` last."""
    return sorted(set(flags) - set(REPEATS)) + [flag for flag in REPEATS if flag in flags]
