"""Every page of the sample and of a made site is represented by the page that it was represented by.

A change is to be understood before ``make pins`` writes the tables anew.
"""

from __future__ import annotations

from made_page_pins import DUPLICATES, duplicate_pins, read_pins


def test_pages_are_represented_by_the_pages_they_were_represented_by() -> None:
    assert duplicate_pins() == read_pins(DUPLICATES)


def test_each_kind_of_duplicate_is_pinned() -> None:
    kinds = {pin["kind"] for pin in read_pins(DUPLICATES)}
    assert kinds == {
        "equal to",
        "left untranslated, nearly equal to",
        "left untranslated in another language version, original at",
        "reprint of",
    }
