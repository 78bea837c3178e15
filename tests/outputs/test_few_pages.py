"""The note on a run of a page or two in each language."""

from __future__ import annotations

import pytest

from diglot.outputs.few_pages import few_pages_notes


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
