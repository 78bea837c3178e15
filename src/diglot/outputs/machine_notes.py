"""Notes in the summary on text by machines: pages that say so, and segments in which a machine failed."""

from __future__ import annotations

from collections.abc import Mapping

MOST_BY_MACHINE = 0.5
"""Least share of segments of pages with a mark of machine translation for a note."""
FAILED_FLAGS = ("gibberish", "nonsense")
LEAST_FAILED, LEAST_FAILED_SEGMENTS = 0.01, 5
"""Least share and number of failed segments for a note. Of sites by people, one with stories for children had the
largest share, three in a thousand."""


def machine_notes(flags: Mapping[str, int], *, aligned: int, kept: int) -> list[str]:
    """Notes on machine translation, none for a site with little of it.

    ``flags``: number of segments with each flag; ``aligned``: segments with two sides; ``kept``: those kept.
    """
    notes = []
    marked, failed = flags.get("machine_translated", 0), sum(flags.get(flag, 0) for flag in FAILED_FLAGS)
    if marked >= MOST_BY_MACHINE * max(aligned, 1):
        share = f"{marked / aligned:.0%}"
        notes.append(f"mostly translated by a machine: {share} of the segments are of pages with a mark that says so")
    if failed >= max(LEAST_FAILED_SEGMENTS, LEAST_FAILED * (kept + failed)):
        names = " and ".join(FAILED_FLAGS)
        notes.append(
            f"a machine seems to have translated, and failed in {failed:,} of {kept + failed:,} segments ({names}): "
            "read a sample of the others before you use them"
        )
    return notes
