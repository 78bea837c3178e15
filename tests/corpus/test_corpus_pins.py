"""Flags and terms of the sample and of made sites, segment by segment, as they were pinned.

A change of theirs is to be understood before ``make pins`` writes them anew.
"""

from __future__ import annotations

import pytest
from made_pins import TABLES, made_flagged, read_pins

FLAGS = {
    *("boilerplate", "conflict", "duplicate", "identical", "length_ratio", "machine_translated", "mojibake"),
    *("near_duplicate", "no_letters", "numbers", "offensive", "personal_data", "series", "too_short", "unaligned"),
    "wrong_language",
}


@pytest.mark.parametrize("name", TABLES)
def test_a_pinned_table_is_what_the_code_gives(name: str) -> None:
    pinned, found = read_pins(name), TABLES[name]()
    assert [row for row in found if row not in pinned] == []
    assert [row for row in pinned if row not in found] == []
    assert found == pinned


def test_the_made_sites_have_every_flag_that_no_person_gives() -> None:
    found = {flag for flags in made_flagged()["flags"].to_pylist() for flag in flags}
    assert found >= FLAGS
