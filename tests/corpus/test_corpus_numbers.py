"""Numbers as two languages write them."""

import pytest

from diglot.corpus.numbers import numbers_agree, numbers_in


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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("two of 347", "2 von 347"),
        ("a hundred men in 1984", "100 Mann 1984"),
        ("1.5 million", "1.500.000"),
        ("$140 million", "1.4亿美元"),
        ("£125m", "1億2,500万ポンド"),
        ("15,000 dollars", "1 万 5 千ドル"),
        ("the 19th century", "le XIXe siècle"),
        ("in the 1700s", "au 18e siècle"),
        ("the 1990s", "die 90er Jahre"),
        ("at 3 p.m.", "à 15 h"),
        ("25 people", "二十五人"),
        ("On 11/3/1998", "Am 3.11.1998"),
        ("1st and 2nd", "1er et 2e"),
        ("½ litre", "1/2 litre"),
        ("Copyright © 2009, 2011 A. Person", "© 2009, 2011, 2014 A. Person, traduction 2014 B. Personne"),
    ],
)
def test_numbers_that_can_be_the_same(one: str, other: str) -> None:
    assert numbers_agree(one, other)
    assert numbers_agree(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("In 1999", "En 1998"),
        ("3 of them", "4 davon"),
        ("347 men", "Männer"),
        ("at 3 a.m. on the 5th", "am 6. um 3 Uhr"),
        ("10 people", "100 Leute"),
        ("1.5 million", "1.600.000"),
        ("Copyright © 2009, 2011 A. Person", "Copyright © 2009, 2012 A. Person"),
        ("Copyright 2009, 347 copies", "Copyright 2009"),
        ("In 2009 and 2011 there was copyright", "En 2009 il y avait"),
        ("all 50 states", "L'UCITA dans 90 États"),  # no Roman fifty
        ("under III(I)(3)", "sous III(I)(1)"),  # numerals that both sides hold
    ],
)
def test_numbers_that_cannot(one: str, other: str) -> None:
    assert not numbers_agree(one, other)
    assert numbers_agree(one, other) == numbers_agree(other, one)
