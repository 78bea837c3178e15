"""Names that differ, in a made-up site where it is known which words are kept and which translated."""

import random

import numpy as np

from diglot.corpus.names import LEAST_ROWS, differing_names

ENDINGS = ("son", "berg", "ski", "etti")


def made_name(number: int) -> str:
    """A name like no other: its first four letters are its own."""
    letters = "bdfgklmnprst"
    return (
        f"{letters[number % 12].upper()}{'aeiou'[number % 5]}{letters[number // 12 % 12]}{'aeiou'[number // 144 % 5]}"
        + (ENDINGS[number % 4])
    )


def site(rows: int) -> tuple[list[str], list[str]]:
    """Every row names a person, who is kept, and a country, which is translated."""
    src = [f"yesterday {made_name(n)} went to Germany by train" for n in range(rows)]
    tgt = [f"hier {made_name(n)} est parti pour l'Allemagne en train" for n in range(rows)]
    return src, tgt


def test_a_translated_name_is_no_difference() -> None:
    assert not differing_names(*site(300)).any()


def test_a_name_put_in_the_place_of_another_is_found() -> None:
    src, tgt = site(400)
    chosen = random.Random(1).sample(range(400), 4)
    for number, row in enumerate(chosen):
        tgt[row] = tgt[row].replace(made_name(row), ("Whittaker", "Xoloth", "Quimby", "Zhukov")[number])
    assert np.flatnonzero(differing_names(src, tgt)).tolist() == sorted(chosen)


def test_endings_and_other_scripts_are_no_difference() -> None:
    src, tgt = site(300)
    tgt[3] = tgt[3].replace(made_name(3), made_name(3) + "in")
    src[7], tgt[7] = "yesterday Stallman spoke", "hier Сталлман a parlé"
    assert not differing_names(src, tgt).any()


def test_few_rows_say_nothing() -> None:
    src, tgt = site(LEAST_ROWS - 1)
    tgt[3] = tgt[3].replace(made_name(3), "Whittaker")
    assert not differing_names(src, tgt).any()
