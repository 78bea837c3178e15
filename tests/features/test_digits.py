"""Digit strings: what they are made of, how far two are apart, and the tiers of ILSP-FC by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diglot.arrays import Column
from diglot.features.paragraphs import digit_excess, digit_similarity, digit_strings, fewer_digits
from diglot.site import Site
from ilsp_pages import body, rows, site_of

digits = st.text("0123456789", min_size=1, max_size=40)


def two_pages(first: str, second: str) -> Site:
    return site_of(("http://a/1", "en", body(f"<p>x{first}</p>")), ("http://a/2", "fr", body(f"<p>x{second}</p>")))


def excess(first: str, second: str) -> Column:
    return digit_excess(two_pages(first, second), rows((0, 1)))


def test_digits_of_the_main_text_in_order_whatever_their_script() -> None:
    menu = '<nav><a href="/">99</a></nav>'
    site = site_of(
        ("http://a/1", "en", body(menu, "<p>12 May 2016, 3.5%</p>", "<p>no. 7</p>")),
        ("http://a/2", "ar", body("<p>١٢ مايو ٢٠١٦</p>")),
    )
    assert digit_strings(site) == ["122016357", "122016"]
    assert digit_strings(site, main=False)[0] == "99122016357"
    assert fewer_digits(site, rows((0, 1))).tolist() == [6]


def test_similarity_by_hand() -> None:
    assert digit_similarity(two_pages("2016", "2017"), rows((0, 1))).tolist() == [0.75]
    assert digit_similarity(two_pages("2016", ""), rows((0, 1))).tolist() == [0]
    assert np.isnan(digit_similarity(two_pages("", ""), rows((0, 1)))).all()


@settings(max_examples=30)
@given(digits, digits)
def test_similarity_is_symmetric_and_1_for_equal_strings_only(first: str, second: str) -> None:
    there, back = digit_similarity(two_pages(first, second), rows((0, 1), (1, 0)))
    assert there == back
    assert 0 <= there <= 1
    assert (there == 1) == (first == second)


@pytest.mark.parametrize(
    ("shorter", "longer", "edits", "allowed"),
    [
        (14, 14, 0, True),
        (14, 14, 1, False),  # both under 15: equal or nothing
        (14, 15, 1, True),  # one is not: 1 of 14 is within .1
        (20, 20, 2, True),
        (20, 20, 3, False),
        (40, 40, 8, True),
        (40, 40, 9, False),
        (100, 100, 30, True),
        (100, 100, 31, False),
    ],
)
def test_tiers(shorter: int, longer: int, edits: int, allowed: bool) -> None:
    first = "1" * shorter
    second = "2" * (edits - (longer - shorter)) + "1" * (shorter - edits + 2 * (longer - shorter))
    assert len(second) == longer
    assert (excess(first, second)[0] <= 1e-6) == allowed


def test_long_strings_are_cut_to_the_shorter() -> None:
    assert excess("12" * 300, "12" * 300 + "9" * 400)[0] < 0
    assert excess("12" * 200, "12" * 200 + "9" * 400)[0] > 0


def test_digits_on_one_side_only_speak_against_and_on_none_say_nothing() -> None:
    assert excess("123", "")[0] == np.inf
    assert np.isnan(excess("", "")[0])
