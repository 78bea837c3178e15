"""The pinned beads of the sample and of made texts: a page pair is cut as it was, and each bead is as sure.

A change of theirs is to be understood before ``make pins`` writes them anew.
"""

from __future__ import annotations

import pytest
from made_bead_pins import MADE_TABLE, SAMPLE_TABLE, Pin, made_pins, read_pins, sample_pins

SAMPLE_PINS, MADE_PINS = read_pins(SAMPLE_TABLE), read_pins(MADE_TABLE)


def named(pin: Pin) -> str:
    return f"{pin.aligner}: {pin.text}"


@pytest.fixture(scope="module")
def sample_now() -> dict[str, Pin]:
    return {named(pin): pin for pin in sample_pins()}


@pytest.fixture(scope="module")
def made_now() -> dict[str, Pin]:
    return {named(pin): pin for pin in made_pins()}


@pytest.mark.parametrize("pin", SAMPLE_PINS, ids=named)
def test_a_page_pair_of_the_sample_is_cut_as_it_was(sample_now: dict[str, Pin], pin: Pin) -> None:
    now = sample_now[named(pin)]
    assert now.kinds == pin.kinds
    assert now.scores == pytest.approx(pin.scores, abs=1.5e-3)


@pytest.mark.parametrize("pin", MADE_PINS, ids=named)
def test_a_made_text_is_cut_as_it_was(made_now: dict[str, Pin], pin: Pin) -> None:
    now = made_now[named(pin)]
    assert now.kinds == pin.kinds
    assert now.scores == pytest.approx(pin.scores, abs=1.5e-3)


def test_all_page_pairs_and_made_texts_are_pinned(sample_now: dict[str, Pin], made_now: dict[str, Pin]) -> None:
    assert sample_now.keys() == set(map(named, SAMPLE_PINS))
    assert made_now.keys() == set(map(named, MADE_PINS))
