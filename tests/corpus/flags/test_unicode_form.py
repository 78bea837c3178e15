"""Characters that nobody sees: those that a script needs stay, the others go."""

import unicodedata

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.corpus.flags.unicode import is_damaged, normal_text, normal_texts


@pytest.mark.parametrize(
    "text",
    [
        "می\u200cشود",  # Persian: the joiner parts a prefix from its verb
        "क्\u200dष और श्री",
        "ශ්\u200dරී ලංකා",
        "👩\u200d💻 works",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "ภาษา\u200bไทย",
        "ក\u200bខ",
        "می\u200cشود \ue000",  # a character of an icon font
        "क्\u200d",
        "क्\u200d, और",
        "שלום \u202aABC\u202c עולם",
        "עברית\u200e!",
        "a\u00a0b",
        "❤\ufe0f",
        "1445هـ، و لـ AZAF",  # an abbreviation, and a preposition before another script
        "الأولى والالتزام",
        "لألم",  # of pain, no article
        "االإعتداء",  # an alef typed twice
        "كوالالمبور",
    ],
)
def test_what_a_script_needs_stays(text: str) -> None:
    assert normal_text(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("co\u00adoperate", "cooperate"),
        ("\ufeffstart", "start"),
        ("wo\u200brd and\u200c more\u200d", "word and more"),
        ("ក\u200b\u200bខ", "ក\u200bខ"),
        ("ไทย\u200b\u200b\u200bดี", "ไทย\u200bดี"),
        ("ក\u200b\u200b a\u200b\u200bខ", "ក aខ"),
        ("क्\u200c\u200d", "क्\u200d"),
        ("left\u200eright\u202e", "leftright"),
        ("שלום \u202eABC", "שלום ABC"),
        ("a\x02b\x1fc\x9dd\te", "ab cd e"),
        ("tag\U000e0061ged", "tagged"),
        ("a \u00ad b\x07 \ufeff \x07c \x07 d", "a b c d"),
        ("\u00ad a \u200b", "a"),
        ("الطمـــث فــي", "الطمث في"),
        ("الرحمـٰن", "الرحمٰن"),
        ("األحيان، واالستروجين باإليمان اآلن", "الأحيان، والاستروجين بالإيمان الآن"),
        ("األ\u00adعــراض", "الأعراض"),
        ("ب\u0651\u0640\u064eت", "ب\u064e\u0651ت"),
        ("cafe\u00ad\u0301", "caf\u00e9"),
    ],
)
def test_what_means_nothing_goes(text: str, expected: str) -> None:
    assert normal_text(text) == expected


@given(st.lists(st.text(), max_size=5))
def test_a_column_is_its_texts_composed_and_cleaned(texts: list[str]) -> None:
    column = pa.chunked_array([pa.array(texts, pa.string())])
    found = normal_texts(column).to_pylist()
    assert found == [normal_text(unicodedata.normalize("NFC", text)) for text in texts]
    assert normal_texts(pa.chunked_array([pa.array(found, pa.string())])).to_pylist() == found


def test_text_of_many_languages_is_not_damaged() -> None:
    for text in (
        "Ça a été déjà vu à Noël",
        "Größe über Maß",
        "Příliš žluťoučký kůň",
        "Đường phố",
        "naïve «citation» …",
        "»Über uns« und ›Ärzte‹",
        "stanje »Čakanje na odgovor«",
        "”Äänestä nyt” (”Över”)",
    ):
        assert not is_damaged(text)
        assert is_damaged(text.encode().decode("cp1252", errors="replace"))


def test_an_opening_quotation_mark_hides_no_damage() -> None:
    # Here the marks are the last bytes of "û" and "Д", or open a quotation that is damaged itself.
    for text in ("aoÃ»Št", "Ð”Ža", "»Ã©cole«", "”Ã„ngel”"):
        assert is_damaged(text)
