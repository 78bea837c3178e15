"""A mistake in one's own flag is told with its name: what it gives is a mask of the rows, and a test says yes or no."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from diglot.corpus.flags import Finder, Flag, flagging
from diglot.corpus.flags.context import OfTexts
from diglot.corpus.flags.flagging import flag_segments
from diglot.errors import DiglotError
from diglot.records import SEGMENT_SCHEMA
from made_segments import filled, made_segment


def fails(*_: Any) -> bool:
    raise KeyError("levels")


def answer(given: Any) -> Any:
    return lambda *_: given


@pytest.mark.parametrize(
    ("find", "said"),
    [
        (fails, r"KeyError: 'levels' \(test_own_flags\.py, line \d+\)$"),
        (OfTexts(fails), r"KeyError: 'levels' \(test_own_flags\.py, line \d+\)$"),
        (OfTexts(answer(None)), "its test of two texts gives a NoneType; give True or False"),
        (OfTexts(answer("no")), "its test of two texts gives a str; give True or False"),
        (Finder("excerpt", "has_excerpt"), "ModuleNotFoundError: No module named 'diglot.corpus.flags.excerpt'"),
        (Finder("excerpts", "has_excerpts"), "AttributeError: module 'diglot.corpus.flags.excerpts' has no attribute"),
        (lambda _: None, r"find gives a NoneType; an array of bool of shape \(2,\)"),
        (lambda _: [True, False], r"find gives a list; an array of bool of shape \(2,\)"),
        (lambda _: np.ones(1, bool), r"find gives bool of shape \(1,\); an array of bool of shape \(2,\)"),
        (lambda _: np.array([0, 1]), r"find gives int64 of shape \(2,\); an array of bool"),
        (lambda _: np.full(2, np.nan), r"find gives float64 of shape \(2,\); an array of bool"),
    ],
)
def test_a_flag_that_fails_or_gives_no_mask_is_told_by_name(
    find: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Flag(name="own", meaning="nothing", find=find, excludes=False)
    monkeypatch.setattr(flagging, "FLAGS", (own,))
    table = filled(SEGMENT_SCHEMA, made_segment("A cat", "Un chat"), made_segment("A dog", "Un chien"))
    with pytest.raises(DiglotError, match=f"^flag own: {said}"):
        flag_segments(table)
