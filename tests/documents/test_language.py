"""Languages told from text: sentences written for this test, declared and undeclared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from diglot.documents.identifier_model import SPOKEN, CompiledIdentifier, read_model
from diglot.documents.language import CLASSES, UNDETERMINED, identifiable, identify, identify_among, probabilities
from diglot.documents.language_tags import are_of_one_macrolanguage, is_near, language_of
from diglot.documents.text_scripts import in_main_script
from sentences import CROATIAN, NORWEGIAN, NYNORSK, SENTENCES


def test_bokmal_is_as_likely_as_the_norwegian_of_the_identifier() -> None:
    chances = probabilities(NORWEGIAN, {"nb", "no", "zh", "ti"})
    assert chances.keys() == {"nb", "no", "zh"}
    assert chances["nb"] == chances["no"] > 0.5 > chances["zh"]


def test_a_language_has_the_chance_of_those_that_it_is_not_told_from() -> None:
    every = probabilities(CROATIAN)
    assert every["hr"] > 0 < every["bs"]
    assert probabilities(CROATIAN, {"sr", "en"})["sr"] == pytest.approx(every["sr"] + every["bs"] + every["hr"])
    # One that is asked for has its own; other languages have nothing of it, nor Serbian in Cyrillic letters.
    assert probabilities(CROATIAN, {"sr", "hr"})["hr"] == pytest.approx(every["hr"] + every["bs"])
    assert probabilities(CROATIAN, {"sl"})["sl"] == every["sl"]
    assert probabilities("Пекар рано ујутро отвара своју радњу и продаје свеж хлеб", {"hr", "en"})["hr"] < 0.01
    assert probabilities(NORWEGIAN, {"da"})["da"] == probabilities(NORWEGIAN)["da"]


@pytest.mark.parametrize(("lang", "text"), SENTENCES.items())
def test_identified_from_one_sentence(lang: str, text: str) -> None:
    found, confidence = identify(text, declared=lang)
    assert found == lang
    assert 0.5 < confidence <= 1


def test_nearly_all_are_identified_without_a_declaration() -> None:
    wrong = {lang: identify(text)[0] for lang, text in SENTENCES.items() if identify(text)[0] != lang}
    assert len(wrong) <= 1, wrong


GREEK_NAME = "Ιερός Καθολικός Ναός Μεταμορφώσεως του Σωτήρος"
SPANISH = (
    f"La iglesia de los extranjeros es el monumento más antiguo de la ciudad. Fundada en 1840, {GREEK_NAME} sirve a la "
    "comunidad de Ναύπλιο, Αργολίδα. Esta página presenta la parroquia y la historia completa de sus sacerdotes."
)


def test_names_in_greek_letters_do_not_make_spanish_extremaduran() -> None:
    assert identify(SPANISH) == identify(in_main_script(SPANISH))
    assert identify(SPANISH)[0] == "es"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("abcdefgh αβγδ", "abcdefgh     "),  # 4 of 12 letters, a third
        ("abcdefg αβγδ", "abcdefg αβγδ"),  # 4 of 11
        ("абвгдежз abcd", "абвгдежз     "),
        ("αβγδεζηθ abcd", "αβγδεζηθ     "),
        ("abcdefghé 1 º !", "abcdefghé 1 º !"),
        ("abcdefgh हिन्दी", "abcdefgh       "),  # the signs of vowels go with their letters
        ("कखगघङचछजझञटठ abcd", "कखगघङचछजझञटठ abcd"),  # a script without capitals
        ("abcdefghijklmnopqrstuvwxyz 日本語文字", "abcdefghijklmnopqrstuvwxyz      "),  # 5 ideographs are a name
        ("abcdefghijklmnopqrstuvwxyz 日本語文字列", "abcdefghijklmnopqrstuvwxyz 日本語文字列"),  # 6 tell a language
        ("", ""),
        ("– 12 –", "– 12 –"),
    ],
)
def test_few_letters_of_another_script_are_left_out(text: str, left: str) -> None:
    assert in_main_script(text) == left


@pytest.mark.parametrize("declared", ["en", "ru", "ja", "zh-Hant", "xx", "", "not a tag", "en-US,fr"])
def test_a_declaration_of_a_far_language_is_not_believed(declared: str) -> None:
    assert identify(SENTENCES["fr"], declared)[0] == "fr"
    assert identify(SENTENCES["hu"], declared)[0] == "hu"


@pytest.mark.parametrize(
    ("text", "declared", "lang"),
    [
        (NORWEGIAN, "nb", "nb"),
        (NORWEGIAN, "no", "no"),
        (NYNORSK, "nn", "nn"),
        (SENTENCES["da"], "da", "da"),
        (CROATIAN, "hr", "hr"),
        (CROATIAN, "bs", "bs"),
        (CROATIAN, "sr-Latn", "sr-Latn"),
        (CROATIAN, "sr", "sr-Latn"),
        (SENTENCES["sr-Cyrl"], "sr", "sr-Cyrl"),
        (SENTENCES["sr-Cyrl"], "", "sr-Cyrl"),
        (SENTENCES["zh-Hans"], "zh-TW", "zh-Hans"),
        (SENTENCES["zh-Hant"], "zh_CN", "zh-Hant"),
    ],
)
def test_close_languages_and_scripts(text: str, declared: str, lang: str) -> None:
    assert identify(text, declared)[0] == lang


@pytest.mark.parametrize(
    ("declared", "lang"), [("zh-TW", "zh-Hant"), ("zh-Hant", "zh-Hant"), ("zh", "zh-Hans"), ("", "zh-Hans")]
)
def test_chinese_without_a_telling_character_is_what_it_declares(declared: str, lang: str) -> None:
    assert identify_among("大人小人中人上人下人", {"zh"}, declared) == lang


@pytest.mark.parametrize(
    "text", ["", "OK", "Home | News", "12345 67890 12345 67890 12345", "... --- ...", "日本語", "https"]
)
def test_too_little_text_is_undetermined(text: str) -> None:
    assert identify(text, "fr") == (UNDETERMINED, 0.0)


def test_check_sums_are_in_no_language() -> None:
    """The notice of a release: the identifier reads the check sums, and so sees no words of a language."""
    sums = "SHA1: 1cc548ba3eb821e29ab92ac13e1d5c7bf23b1526 SHA256: 45a8de577471b90dc4838c5ef26aeb253a56002896189055a44d"
    assert identify(sums) == identify(sums, "uk") == (UNDETERMINED, 0.0)
    assert identify(f"Вийшов Ruby 2.4.4 {sums}", "uk") == (UNDETERMINED, 0.0)
    assert identify_among(f"Вийшов Ruby 2.4.4. Цей випуск включає деякі виправлення {sums}", {"en", "uk"}) == "uk"


def test_among_the_given_languages_only() -> None:
    assert identify_among(SENTENCES["ca"], {"fr", "es", "en"}) in ("fr", "es")
    assert identify_among(SENTENCES["en"], {"fr", "en"}) == "en"
    assert identify_among(SENTENCES["zh-Hant"], {"en", "zh"}) == "zh-Hant"
    assert identify_among(SENTENCES["en"], set()) == ""
    assert identify_among(SENTENCES["en"], {"tlh"}) == ""


@pytest.mark.parametrize(
    ("tag", "lang"),
    [
        ("en", "en"),
        ("pt_BR", "pt"),
        ("FR-fr", "fr"),
        (" de ", "de"),
        ("zh-Hant-TW", "zh"),
        ("", ""),
        ("und", ""),
        ("?!", ""),
        ("-", ""),
        ("x-default", ""),
        ("X-Default", ""),
    ],
)
def test_language_of_tags_as_people_write_them(tag: str, lang: str) -> None:
    assert language_of(tag) == lang


@given(st.text(max_size=200), st.text(max_size=12))
def test_any_text_and_declaration_give_a_tag(text: str, declared: str) -> None:
    lang, confidence = identify(text, declared)
    assert lang
    assert 0 <= confidence <= 1


def test_the_compiled_model_answers_as_the_library_does() -> None:
    ours = CompiledIdentifier(read_model())
    theirs = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    for text in [*SENTENCES.values(), "", "x", "\x00 \U0001f600", " ".join(SENTENCES.values())]:
        expected = {language_of(lang): chance for lang, chance in theirs.rank(text)}
        for spoken, written in SPOKEN.items():
            expected[written], expected[spoken] = max(expected[written], expected[spoken]), 0.0
        assert dict(ours.rank(text)) == pytest.approx(expected, abs=1e-4)
        assert ours.classify(text)[0] == max(expected, key=lambda lang: expected[lang])


def test_text_in_a_language_that_is_hardly_written_is_in_the_written_one() -> None:
    text = "(公司) 英文全称 · 总部"
    assert LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True).classify(text)[0] == "wuu"
    assert identify(text)[0] == identify(text, declared="wuu")[0] == "zh-Hans"
    assert "wuu" not in identifiable()
    assert is_near("wuu", "zh")
    assert are_of_one_macrolanguage("wuu", "zh")


def test_filipino_and_kikuyu_are_weighed_by_the_codes_that_tags_have() -> None:
    text = "Ang lahat ng tao'y isinilang na malaya at pantay-pantay sa karangalan at mga karapatan."
    assert identify(text)[0] == identify_among(text, {"en", "fil"}) == "fil"
    assert probabilities(text, {"en", "fil"})["fil"] > 0.99
    assert {"fil", "ki"} <= set(probabilities(text)) <= identifiable()


def test_the_languages_said_to_be_known_are_those_of_the_model() -> None:
    assert set(CLASSES.split()) == set(LanguageIdentifier.from_model_file(MODEL_FILE).nb_classes)


def test_a_language_whose_speakers_read_the_declared_one_is_not_taken_for_it() -> None:
    assert identify(SENTENCES["ca"], declared="es")[0] == "ca"
