"""Numbers as two languages write them."""

import pytest

from diglot.corpus.numbers import numbers_in


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,234,567 people", "1 234 567 personnes"),  # no-break space
        ("1.234.567", "1\u202f234\u202f567"),
        ("CHF 12'500", "CHF 12’500"),
        ("3.14", "3,14"),
        ("٣ كتب", "3 books"),
        ("२०२४", "2024"),
        ("２０２４年", "in 2024"),
        ("on 03/07", "7.3."),
        ("5 m²", "5 m2"),
    ],
)
def test_the_same_numbers(one: str, other: str) -> None:
    assert numbers_in(one) == numbers_in(other) != ()


@pytest.mark.parametrize(
    ("one", "other"),
    [("1,234", "1,235"), ("1,234", "1, 234"), ("1 and 1", "1"), ("page 12", "page 1 2"), ("0", ""), ("12345", "1234")],
)
def test_other_numbers(one: str, other: str) -> None:
    assert numbers_in(one) != numbers_in(other)


def test_years_beside_a_number_are_not_joined() -> None:
    assert numbers_in("in 2010 300 people") == ("2010", "300")
    assert numbers_in("in 2010 300,000 people") == ("2010", "300000")
    assert numbers_in("version 1.2.345") == ("1", "2", "345")


def test_no_digits_no_numbers() -> None:
    assert numbers_in("twelve 十二") == ()
