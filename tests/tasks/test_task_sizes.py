"""Sites dealt out to tasks: each in one, large ones alone, whatever the cut."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from diglot.site import SITE_NUMBERS, site_number
from diglot.tasks.plan import bundles

NAMES = st.text("abcdefgh.", min_size=1, max_size=6)


@given(st.dictionaries(NAMES, st.integers(1, 400), max_size=40), st.integers(1, 500))
def test_every_number_is_in_one_bundle_and_no_bundle_of_several_sites_is_too_large(
    pages_of: dict[str, int], bundle_pages: int
) -> None:
    found = bundles(pages_of, bundle_pages=bundle_pages)
    assert found[0].first == 0
    assert found[-1].last == SITE_NUMBERS - 1
    assert all(before.last + 1 == after.first for before, after in pairwise(found))
    for bundle in found:
        own = [pages for site, pages in pages_of.items() if bundle.first <= site_number(site) <= bundle.last]
        assert bundle.pages == sum(own)
        assert len(own) < 2 or sum(own) <= bundle_pages
    assert sum(bundle.pages for bundle in found) == sum(pages_of.values())


def test_bundles_are_as_full_as_the_order_of_sites_lets_them() -> None:
    found = bundles(Counter({f"site{number}.example": 10 for number in range(100)}), bundle_pages=100)
    assert [bundle.pages for bundle in found] == [100] * 10


def test_a_run_without_a_site_is_one_bundle() -> None:
    assert [tuple(bundle) for bundle in bundles({})] == [(0, SITE_NUMBERS - 1, 0)]
