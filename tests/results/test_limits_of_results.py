"""Both sides of each constant of what is told of a run, worked by hand."""

from __future__ import annotations

import pytest

from diglot.results.explain import _short
from diglot.results.search import fold


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\u00e9", "e"),  # acute, class 230
        ("\u05d0\u05b0", "\u05d0"),  # sheva, class 10: a vowel of Hebrew is an accent
        ("\u0915\u094d", "\u0915\u094d"),  # virama, class 9: stays
        ("\u304c", "\u304c"),  # か with voicing, class 8: another letter
        ("\u0929", "\u0929"),  # न with nukta, class 7: another letter
    ],
)
def test_marks_from_class_10_on_are_accents(text: str, said: str) -> None:
    assert fold(text) == said


def test_a_block_is_quoted_up_to_60_signs() -> None:
    assert _short("x" * 60) == f'"{"x" * 60}"'
    assert _short("x" * 61) == f'"{"x" * 60}..."'
    assert _short("x" * 59 + " y") == f'"{"x" * 59}..."'
