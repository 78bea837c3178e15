"""Every page of the sample and of a made site is in the language that it was in, found in the same way.

A change is to be understood before ``make pins`` writes the tables anew.
"""

from __future__ import annotations

from made_page_pins import LANGUAGES, language_pins, read_pins


def test_pages_are_in_the_languages_they_were_in() -> None:
    assert language_pins() == read_pins(LANGUAGES)
