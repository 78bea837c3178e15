"""The pinned figures of the sample: a pair is told what it was, column for column.

A change of theirs is to be understood before ``make pins`` writes them anew.
"""

from __future__ import annotations

import pytest
from made_sample_pins import Pin, lang_pairs, pins_now, read_pins

from diglot.pairing.fused import GROUP
from diglot.pairing.fused.evidence import FEATURES

PINS = read_pins()


@pytest.fixture(scope="session")
def now() -> dict[tuple[str, str], Pin]:
    """All candidates of the sample by their pages."""
    return {(pin.src, pin.tgt): pin for langs in lang_pairs() for pin in pins_now(*langs)}


@pytest.mark.parametrize("pin", PINS, ids=lambda pin: f"{pin.src}={pin.tgt}")
def test_a_pair_of_the_sample_is_told_what_it_was(now: dict[tuple[str, str], Pin], pin: Pin) -> None:
    found = now[pin.src, pin.tgt]
    assert found.refusal == pin.refusal
    assert found.probability == pytest.approx(pin.probability, abs=2e-4)
    assert found.bits == pytest.approx(pin.bits, abs=2e-3, nan_ok=True)


def test_every_column_is_pinned() -> None:
    assert {*FEATURES, GROUP} == PINS[0].bits.keys()


def test_pairs_of_all_languages_are_pinned_accepted_and_refused() -> None:
    langs = {(pin.src[:2], pin.tgt[:2]) for pin in PINS if not pin.refusal}
    assert langs == set(lang_pairs())
    assert {pin.src[:2] for pin in PINS if pin.refusal == "probability"} == {"en", "de", "fr"}
