"""Every page of the sample and of a made site is read as it was.

A change is to be understood before ``make pins`` writes the tables anew.
"""

from __future__ import annotations

from made_page_pins import PAGES, page_pins, read_pins


def test_pages_are_read_as_they_were() -> None:
    assert page_pins() == read_pins(PAGES)
