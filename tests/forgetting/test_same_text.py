"""Which pages share the text of forgotten ones: cases worked by hand on both sides of each constant."""

from __future__ import annotations

import pytest

from diglot.forgetting.same_text import pages_with_text_of

A, B, C = "a" * 20, "b" * 20, "c" * 20


def shared(**pages: list[str]) -> dict[str, float]:
    return pages_with_text_of(lambda: pages.items(), lambda url: url == "gone")


@pytest.mark.parametrize(
    ("other", "share"),
    [
        ([A, B], 1.0),
        ([f"  {A.upper()}", B], 1.0),
        ([A], 1.0),  # all of a shorter page
        ([A, C], 0.5),
        ([A, C + "c"], 0.5),  # 20 of the 40 of the forgotten page
        ([C], None),
        ([A[:19], B[:19]], None),
    ],
)
def test_the_share_is_of_the_shorter_side(other: list[str], share: float | None) -> None:
    assert shared(gone=[A, B], other=other) == ({} if share is None else {"other": share})


def test_less_than_half_is_not_the_same() -> None:
    assert shared(gone=[A, B + "b"], other=[A, C, C + "c"]) == {}
    assert shared(gone=[A, B], other=[A, C, C + "c"]) == {"other": 0.5}


def test_blocks_of_less_than_20_characters_say_nothing() -> None:
    assert shared(gone=[A[:19], B], other=[A[:19]]) == {}


@pytest.mark.parametrize(("copies", "found"), [(4, 4), (5, 0)])
def test_a_text_on_more_than_five_pages_of_a_small_site_is_a_menu(copies: int, found: int) -> None:
    assert len(shared(gone=[A], **{f"copy{number}": [A] for number in range(copies)})) == found


@pytest.mark.parametrize(("others", "found"), [(53, 5), (52, 0)])
def test_on_a_larger_site_a_tenth_of_the_pages_counts(others: int, found: int) -> None:
    pages = {f"copy{number}": [A] for number in range(5)} | {f"other{number}": [C] for number in range(others + 1)}
    assert len(shared(gone=[A], **pages)) == found


def test_all_pages_of_a_host_count_together() -> None:
    pages = {"http://a/1": [A], "http://a/2": [B], "http://b/1": [A, B], "http://b/2": [C]}
    found = pages_with_text_of(lambda: pages.items(), lambda url: url.startswith("http://a/"))
    assert found == {"http://b/1": 1.0}
