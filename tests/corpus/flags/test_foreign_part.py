"""Parts of both sides that are the same, in a language foreign to a side."""

import pyarrow as pa
import pytest

from diglot.corpus.flags.flagging import flag_segments
from diglot.corpus.flags.foreign_part import ends_in_third, has_part, is_foreign, shared_end, shared_label, shared_start
from diglot.records import SEGMENT_SCHEMA, BlockKind
from made_segments import made_segment


@pytest.mark.parametrize(
    ("src", "tgt", "label"),
    [
        ("Opt-out Links: how to", "Opt-out Links:استخدام", "Opt out Links"),
        ("Links: how to use", "Links: كيف", ""),  # one word before the colon
        ("Opt-out Links:", "Opt-out Links:", ""),  # and nothing behind it
        ("See Opt-out Links: how", "Opt-out Links: كيف", ""),
        ("use a_b c: how", "use a_b c: كيف", ""),  # code
        ("class Foo::bar", "class Foo::bar", ""),
    ],
)
def test_a_label_of_both_sides(src: str, tgt: str, label: str) -> None:
    assert shared_label(src, tgt) == label


@pytest.mark.parametrize(
    ("src", "tgt", "expected"),
    [
        ("Oversatt av: Olav Sigmond", "Oversatt av: Nana Trang", True),
        ("Oversatt av: Olav Sigmond", "Oversatt av: Olav Trang", False),  # a name in common
        ("Oversatt av: Olav Sigmond", "Oversatt av: Trang", False),  # one word
        ("Oversatt av: Olav Sigmond", "Oversatt av: Nana og Trang", False),  # not all names
        ("Oversatt av: Olav Sigmond", "Translated by: Nana Trang", False),
        ("Saadi, den Schiller: Cultural Bridge", "Saadi, den Schiller: Kulturelle Brücke", False),  # a title
    ],
)
def test_credits_of_each_language_version(src: str, tgt: str, expected: bool) -> None:
    assert has_part(src, tgt, ("no", "vi")) == has_part(tgt, src, ("vi", "no")) == expected


@pytest.mark.parametrize(
    ("src", "tgt", "part"),
    [
        ("One. Hun er glad.", "Un. Hun er glad.", "Hun er glad"),
        ("One - Hun er glad", "Un - Hun er glad", "Hun er glad"),
        ("A, b, c, d hun er så glad", "U, v, w, z hun er så glad", "hun er så glad"),  # half of eight words
        ("A, b, c, d, e hun er så glad", "U, v, w, y, z hun er så glad", ""),
        ("A, b, c hun er glad", "U, v, w hun er glad", ""),  # three words
        ("A, b, c hun-er så glad", "U, v, w hun-er så glad", ""),
        ('One: er "hun er så glad"', 'Un: er "hun er så glad"', "er"),
        ('He says, one two "hun er"', 'Il dit, un deux "hun er"', ""),
        ('One "hun er glad"', "Un 「hun er glad」", ""),  # a quotation
        ("One. Glad", "Un. Glad", ""),  # one word
        ("Hun er så glad nå", "Hun er så glad nå", "er så glad nå"),
        ("One. See $HOME now", "Un. See $HOME now", ""),
    ],
)
def test_a_part_at_the_end_of_both_sides(src: str, tgt: str, part: str) -> None:
    assert shared_end(src, tgt) == part


@pytest.mark.parametrize(
    ("src", "tgt", "part"),
    [
        ("You can read it in the News.", "You can read it in the Nouvelles.", "You can read it in the"),
        ("You can read the News.", "You can read the Nouvelles.", "You can read the"),
        ("You can read News.", "You can read Nouvelles.", ""),  # three words
        ("You can read the one two three four", "You can read the un deux trois quatre", "You can read the"),
        ("You can read the one two three four five", "You can read the un deux trois quatre cinq", ""),
        ("You can read the News (one)", "You can read the Nouvelles (un)", "You can read the"),
        ("The free software song, by A. B.", "The free software song (La chanson), par A. B.", ""),  # a gloss
        ("Reader's Digest: Fixing iPhones: What is", "Reader's Digest: Fixing iPhones: Ko var", ""),  # names
        ("Reader's Digest: Fixing phones: What", "Reader's Digest: Fixing phones: Ko", "Reader s Digest Fixing phones"),
        ("You can read --the News", "You can read --the Nouvelles", ""),  # code
        ("get-it build-it of the News", "get-it build-it of the Nouvelles", ""),  # four of six words are joined
        ("get-it if you can read News", "get-it if you can read Nouvelles", "get it if you can read"),
        ("while it can; do it; done News", "while it can; do it; done Nouvelles", ""),
        ("See if it can; do it News", "See if it can; do it Nouvelles", "See if it can do it"),
    ],
)
def test_a_part_at_the_beginning_of_both_sides(src: str, tgt: str, part: str) -> None:
    assert shared_start(src, tgt) == part


def test_a_beginning_is_foreign_in_one_of_the_languages_alone() -> None:
    start = "You can read about them in the"
    assert has_part(f"{start} News.", f"{start} Nouvelles.", ("en", "fr"))
    # Taught in a course of English.
    assert not has_part(f"{start} – sie können darin lesen", f"{start} – vous pouvez y lire", ("de", "fr"))


@pytest.mark.parametrize(
    ("part", "langs", "expected"),
    [
        ("this is the use of links", ("en", "ar"), True),
        ("this is the use of links", ("en", "en-GB"), False),
        ("Faren vekket barnet idet de ankom", ("en", "zh"), True),
        ("This Is The Use Of Links", ("en", "ar"), False),  # a name, perhaps
        ("the useful", ("en", "ar"), False),  # ten letters
        ("a c d a c d a c d", ("en", "fr"), False),
        ("this is the use of links", ("ti",), False),  # the identifier does not know Tigrinya
    ],
)
def test_a_part_surely_in_another_language(part: str, langs: tuple[str, ...], expected: bool) -> None:
    assert is_foreign(part, *langs) == expected


def test_a_label_in_the_script_of_neither_language_or_a_name() -> None:
    assert has_part("Opt-out Links: how", "Opt-out Links: كيف", ("en", "ar"))
    assert not has_part("Opt-Out Links: how", "Opt-Out Links: كيف", ("en", "ar"))
    assert not has_part("Opt-out Links: how", "Opt-out Links: comment", ("en", "fr"))  # too short to be sure


@pytest.mark.parametrize(
    ("src", "tgt", "found"),
    [
        ("Master à l’Ecole Nationale des Ponts et Chaussées", "At Ecole Nationale des Ponts et Chaussées", False),
        ("Master à l’Ecole Nationale dans Ponts et Chaussées", "At Ecole Nationale dans Ponts et Chaussées", True),
        ("Master à l’Ecole nationale des Ponts et Chaussées", "At Ecole nationale des Ponts et Chaussées", True),
        ("Ort Artificial Life for Design and Art", "Venue Artificial Life for Design and Art", False),
        ("Ort Kunst vom Leben mit Hund und Katze Leo", "Venue Kunst vom Leben mit Hund und Katze Leo", False),
        ("Ort Leben zwischen Kunst und Arbeit und Geld", "Venue Leben zwischen Kunst und Arbeit und Geld", True),
        ("Ort Kunst vom Leben mit Tieren", "Venue Kunst vom Leben mit Tieren", True),  # three capitals
        ("Ihr Luxfly-Konto", "Your Luxfly Konto", False),
        ("Lilie – Lilium candidum", "Lily – Lilium candidum", False),  # Latin
        ("Ein Text – Lorem ipsum dolor sit", "A text – Lorem ipsum dolor sit", True),  # of no language
    ],
)
def test_names_with_particles_and_latin_are_no_foreign_part(src: str, tgt: str, found: bool) -> None:
    assert has_part(src, tgt, ("de", "en")) is found


def flags_of(src: str, tgt: str, **values: int) -> list[str]:
    rows = [made_segment(src, tgt, langs="en-es", **values)]
    return list(flag_segments(pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA))["flags"][0].as_py())


def test_the_flag_and_the_name_of_a_site_in_its_titles() -> None:
    src = "The green houses of the old town - Barnebøker for hele Norge"
    tgt = "Las casas verdes de la ciudad vieja - Barnebøker for hele Norge"
    assert "foreign_part" in flags_of(src, tgt, kind=BlockKind.HEADING)
    assert "foreign_part" not in flags_of(src, tgt, kind=BlockKind.TITLE)


def third_language(heading: tuple[str, str], *others: tuple[str, str, str]) -> bool:
    """Whether a heading, en-pl, has the flag beside segments of other language pairs (texts and languages)."""
    rows = [made_segment(*heading, langs="en-pl", page=1, kind=BlockKind.HEADING)]
    rows += [made_segment(src, tgt, langs=langs, page=2 + n) for n, (src, tgt, langs) in enumerate(others)]
    return "foreign_part" in flag_segments(pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA))["flags"][0].as_py()


def test_the_text_of_a_heading_in_a_third_language() -> None:
    heading = "Feelings Følelser Kjensler", "Uczucia Følelser Kjensler"
    bokmal, nynorsk = ("Følelser", "Feelings", "nb-en"), ("Kjensler", "Feelings", "nn-en")
    assert third_language(heading, bokmal)  # half of two words
    assert not third_language(heading, nynorsk)  # not the first
    assert not third_language(heading, bokmal, ("Følelser", "Sentiments", "en-fr"))  # a word of a side
    assert not third_language(heading, ("Følelser", "følelser", "nb-en"))  # a name
    assert not third_language(heading, bokmal, ("Følelser", "Følelser", "pl-nb"))  # a name that one page translates
    assert third_language(heading, bokmal, ("Følelser", "Følelser", "fr-nb"))
    assert not third_language(("Feelings Følelser", "Uczucia Følelser"), bokmal)  # one word
    assert not third_language(("Følelser Kjensler", "Følelser Kjensler x"), bokmal)
    assert not third_language(('Feelings "Følelser Kjensler"', "Uczucia Følelser Kjensler"), bokmal)
    longer = "My body Kroppen min Kroppen min", "Moje ciało Kroppen min Kroppen min"
    assert third_language(("Fire Ild Eld", "Ogień Ild Eld"), ("Ild", "Fire", "nb-en"))  # six letters
    assert third_language(longer, ("Kroppen min", "My body", "nb-en"))
    assert not third_language(longer, ("Kroppen", "Body", "nb-en"))  # a quarter of four words
    shouted = "My body! Kroppen min! Kroppen min!", "Moje ciało! Kroppen min! Kroppen min!"
    assert not third_language(shouted, ("Kroppen-min", "My body!", "nb-en"))  # one word
    assert third_language(shouted, ("«Kroppen min!»", "My body!", "nb-en"))


def test_sides_without_a_common_end_have_no_end_in_a_third_language() -> None:
    """A text without letters, such as "?!", is no end."""
    assert not ends_in_third([], ("en", "pl"), {"": frozenset({"nb"})})
    assert ends_in_third(["straff"], ("en", "pl"), {"straff": frozenset({"nb"})})


def test_a_heading_in_several_languages_is_a_third_of_its_words_in_each() -> None:
    body = ("Kroppen", "Body", "nb-en")
    assert third_language(("My only body Here Kroppen Kroppen", "Moje jedyne ciało Tu Kroppen Kroppen"), body)
    assert not third_language(
        ("My only body Is Here Kroppen Kroppen", "Moje jedyne ciało Jest Tu Kroppen Kroppen"), body
    )


@pytest.mark.parametrize(
    ("src", "tgt", "expected"),
    [
        ("Children Voksbarna Voksborna", "Voksbarna Voksbarna Voksborna", True),
        ("Voksbarna Voksbarna Voksborna", "Children Voksbarna Voksborna", True),
        ("Children Voksbarna Voksborna", "Voksborna Voksbarna Voksborna", False),
        ("My body Kroppen min Kropp", "Kroppen min Kroppen min Kropp", True),
        ("See Bora Bora", "Bora Bora", False),
    ],
)
def test_a_heading_that_says_its_words_twice(src: str, tgt: str, expected: bool) -> None:
    assert third_language((src, tgt)) == expected
