"""Marks of lists on one side alone are taken off."""

import pyarrow as pa
import pytest

from diglot.corpus.flags import CORRECTED
from diglot.corpus.flags.flagging import flag_segments
from diglot.corpus.flags.list_marks import without_language_codes, without_lone_marks
from diglot.records import SEGMENT_SCHEMA
from made_segments import made_segment


def table(*pairs: tuple[str, str], **values: object) -> pa.Table:
    rows = [made_segment(*pair, **{"position": place, **values}) for place, pair in enumerate(pairs)]
    return pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA)


def texts(segments: pa.Table) -> list[tuple[str, str]]:
    return list(zip(segments["src"].to_pylist(), segments["tgt"].to_pylist(), strict=True))


@pytest.mark.parametrize(
    ("marked", "plain", "expected"),
    [
        ("• Prices", "Preise", "Prices"),
        ("• 4 peaches", "4 Pfirsiche", "4 peaches"),
        ("- Murders", "Henkirikokset", "Murders"),
        ("§ Murders", "Henkirikokset", "Murders"),
        ("•Prices", "Preise", None),  # no blank
        ("15-minute walk", "Fünfzehn Minuten", None),
        ("- 5 degrees", "Minus fünf Grad", None),  # a minus sign
        ("§ 5 Prices", "Preise", None),
        ("– Be careful!", "“Vorsicht!”", None),  # speech, in either form
        ("- Prices", "-Preise", None),
        ("• Prices", "a) Preise", None),
        ("• Prices", "2. Preise", None),
        ("• Prices", "二、价格", None),
        ("• 2. Prices", "Preise", None),
        ("• Prices", "• Preise", None),
        ("8- Prices", "Preise", None),  # no neighbour counts on
    ],
)
def test_a_mark_on_one_side_alone(marked: str, plain: str, expected: str | None) -> None:
    assert texts(without_lone_marks(table((marked, plain)))) == [(expected or marked, plain)]
    assert texts(without_lone_marks(table((plain, marked)))) == [(plain, expected or marked)]


def test_numbers_are_marks_where_the_page_counts_on() -> None:
    pairs = [("8- Prices", "Preise"), ("A text", "Ein Text"), ("9- Houses", "Häuser"), ("11- Boats", "Boote")]
    expected = [("Prices", "Preise"), ("A text", "Ein Text"), ("Houses", "Häuser"), ("11- Boats", "Boote")]
    assert texts(without_lone_marks(table(*pairs))) == expected
    # A list within a list: what stands between them does not matter.
    nested = [(f"{number}. {word}", "x") for number, word in ((3, "Open"), (1, "Choose"), (2, "Pick"), (4, "Save"))]
    once = without_lone_marks(table(*nested))
    assert texts(once) == [("Open", "x"), ("Choose", "x"), ("Pick", "x"), ("Save", "x")]
    assert without_lone_marks(once).equals(once)
    gallery = table(("4/16 - Chair", "Stuhl"), ("5/16 - Bed", "Bett"), ("1/2 - Cup", "Tasse"))
    assert texts(without_lone_marks(gallery)) == [("Chair", "Stuhl"), ("Bed", "Bett"), ("1/2 - Cup", "Tasse")]
    # On another page, or the number is on the other side, too.
    apart = pa.concat_tables([table(pairs[0], page=1), table(pairs[2], page=2)])
    assert without_lone_marks(apart).equals(apart)
    ordinals = table(("1. Symposium", "1st symposium"), ("2. Symposium", "2nd symposium"))
    assert without_lone_marks(ordinals).equals(ordinals)


def test_no_break_blanks_behind_the_mark_stay_in_their_places() -> None:
    marked = table(("• Quoi ? Non", "Was? Nein"), src_blanks=" \u202f ", langs="fr-de")
    assert without_lone_marks(marked)["src_blanks"].to_pylist() == ["\u202f "]


def test_corrections_stay_and_a_second_pass_changes_nothing() -> None:
    corrected = table(("• Prices", "Preise"), flags=[CORRECTED])
    assert without_lone_marks(corrected).equals(corrected)
    flagged = flag_segments(table(("• Prices of boats", "Preise von Booten"), ("1. Prices", "Preise")))
    assert texts(flagged) == [("Prices of boats", "Preise von Booten"), ("1. Prices", "Preise")]
    assert flag_segments(flagged).equals(flagged)


@pytest.mark.parametrize(
    ("src", "tgt", "is_cut"),
    [
        ("ET Tuulik", "EN  Mill", True),
        ("ET Tuulik", "Mill", False),
        ("ET Tuulik", "DE Mühle", False),  # the code of another language
        ("et Tuulik", "en Mill", False),
        ("ET", "EN", False),
        ("ETA Tuulik", "EN Mill", False),
        ("ET - Eesti", "EN - English", False),  # switches of languages
        ("ET (Eesti)", "EN (English)", False),
        ("ET / EN", "EN / ET", False),
        ("ET ET Tuulik", "EN EN Mill", False),
        ("ET 1. Tuulik", "EN 1. Mill", False),
    ],
)
def test_codes_of_both_languages_are_taken_off(src: str, tgt: str, is_cut: bool) -> None:
    rows = table((src, tgt), langs="et-en")
    assert texts(without_language_codes(rows)) == [("Tuulik", "Mill") if is_cut else (src, tgt)]
    assert texts(flag_segments(rows)) == texts(without_language_codes(rows))
    corrected = table((src, tgt), langs="et-en", flags=[CORRECTED])
    assert without_language_codes(corrected).equals(corrected)


def test_codes_behind_a_mark_go_with_it() -> None:
    flagged = flag_segments(table(("• ET Tuulik", "EN Mill"), langs="et-en"))
    assert texts(flagged) == [("Tuulik", "Mill")]
    assert flag_segments(flagged).equals(flagged)


def test_no_break_blanks_behind_a_code_stay_in_their_places() -> None:
    rows = table(("FR Quoi ?", "DE Was ist das?"), src_blanks=" \u202f", langs="fr-de")
    assert without_language_codes(rows)["src_blanks"].to_pylist() == ["\u202f"]
