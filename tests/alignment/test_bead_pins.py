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


def changes(pins: list[Pin], now: dict[str, Pin]) -> dict[str, tuple[Pin, Pin]]:
    """Texts that are cut otherwise than their pins, or whose beads are not as sure: the pin, and what there is now."""
    found = {named(pin): (pin, now[named(pin)]) for pin in pins}
    return {
        name: (pin, new)
        for name, (pin, new) in found.items()
        if new.kinds != pin.kinds or new.scores != pytest.approx(pin.scores, abs=1.5e-3)
    }


def test_the_page_pairs_of_the_sample_are_cut_as_they_were(sample_now: dict[str, Pin]) -> None:
    assert changes(SAMPLE_PINS, sample_now) == {}


def test_made_texts_are_cut_as_they_were(made_now: dict[str, Pin]) -> None:
    assert changes(MADE_PINS, made_now) == {}


def test_all_page_pairs_and_made_texts_are_pinned(sample_now: dict[str, Pin], made_now: dict[str, Pin]) -> None:
    assert sample_now.keys() == set(map(named, SAMPLE_PINS))
    assert made_now.keys() == set(map(named, MADE_PINS))
