"""Notes in the summary: few pages, machine translation."""

from collections import Counter

import pytest

from diglot.outputs.finish import _count_aligned
from diglot.outputs.funnel import Counts
from diglot.outputs.summary_notes import few_pages_notes, machine_notes


@pytest.mark.parametrize(
    ("flags", "aligned", "kept", "beginnings"),
    [
        ({"machine_translated": 50}, 100, 40, ["mostly translated by a machine: 50%"]),
        ({"machine_translated": 49}, 100, 40, []),
        ({"gibberish": 6, "nonsense": 4}, 2000, 990, ["a machine seems to have translated, and failed in 10 of 1,000"]),
        ({"gibberish": 6, "nonsense": 4}, 2000, 991, []),
        ({"nonsense": 5}, 20, 5, ["a machine seems"]),
        ({"nonsense": 4}, 20, 5, []),
        ({}, 0, 0, []),
    ],
)
def test_notes_on_machine_translation(flags: dict[str, int], aligned: int, kept: int, beginnings: list[str]) -> None:
    notes = machine_notes(flags, aligned=aligned, kept=kept)
    assert len(notes) == len(beginnings)
    assert all(note.startswith(beginning) for note, beginning in zip(notes, beginnings, strict=True))


def test_segments_with_an_empty_side_are_not_aligned() -> None:
    counts = Counts(segments=Counter({"en-fr": 10, "de-en": 5}), flags=Counter({"unaligned": 4, "numbers": 2}))
    assert _count_aligned(counts) == 11


@pytest.mark.parametrize(
    ("documents", "pairs", "noted"),
    [
        ({"en": 1, "fr": 1}, {"en-fr": 0}, True),
        ({"en": 3, "fr": 1}, {"en-fr": 0}, True),
        ({"en": 4, "fr": 1}, {"en-fr": 0}, False),  # enough of one side: the other side is not translated
        ({"en": 1, "fr": 1}, {"en-fr": 1}, False),
        ({"en": 1}, {"en-fr": 0}, False),
        ({"en": 2, "pt": 1, "pt-BR": 2}, {"en-pt-BR": 0}, True),
        ({"en": 2, "pt": 2, "pt-BR": 2}, {"en-pt-BR": 0}, False),
        ({}, {}, False),
    ],
)
def test_a_note_where_both_languages_have_few_pages(
    documents: dict[str, int], pairs: dict[str, int], noted: bool
) -> None:
    assert bool(few_pages_notes(documents, pairs)) == noted
