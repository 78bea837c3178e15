"""The languages a run is asked for, and which documents are theirs."""

from __future__ import annotations

import pytest

from diglot.errors import LanguageError
from diglot.languages import language_pairs, parse_languages, wanted_language


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("en,fr", ("en", "fr")),
        (" fr , en ,", ("fr", "en")),
        ("en,fr,en", ("en", "fr")),
        ("EN,pt-br,zh-hant,sr_latn", ("en", "pt-BR", "zh-Hant", "sr-Latn")),
        (["en", "fr"], ("en", "fr")),
        ("eng,fra", ("en", "fr")),
        ("iw,in", ("he", "id")),
        ("nb,nn", ("nb", "nn")),
    ],
)
def test_tags_in_standard_form(text: str | list[str], tags: tuple[str, ...]) -> None:
    assert parse_languages(text) == tags


@pytest.mark.parametrize("text", ["en", "", ",", "en,en", "en,eng"])
def test_two_languages_are_asked_for(text: str) -> None:
    with pytest.raises(LanguageError, match="give at least two, as in en,fr"):
        parse_languages(text)


def test_one_language_may_be_enough_and_blanks_are_no_commas() -> None:
    assert parse_languages("en", least=1) == ("en",)
    with pytest.raises(LanguageError, match="names 0 languages; give at least one"):
        parse_languages(",", least=1)
    with pytest.raises(LanguageError, match=r"two, as in en,fr; the pair en-de is written en,de$"):
        parse_languages("en-de")
    with pytest.raises(LanguageError, match=r"two, as in en,fr$"):
        parse_languages("pt-BR")
    for text in ("sv-en", "sv;en", "sv/en"):
        with pytest.raises(LanguageError, match=r"is not a language code; write commas .* as in sv,en$"):
            parse_languages(text)
    with pytest.raises(LanguageError, match=r"'en  cy' is not a language code; write commas .* as in en,cy"):
        parse_languages("en  cy")


@pytest.mark.parametrize("code", ["xx", "zz", "e", "und", "mul", "?", "en-XX-YY-ZZZZZZZZZZZ", "\x00", "\x00\x00", "é"])
def test_codes_nobody_knows(code: str) -> None:
    with pytest.raises(LanguageError, match="is not a language code; use BCP 47 tags"):
        parse_languages(["en", code])


@pytest.mark.parametrize(
    ("code", "meant"),
    [
        ("jp", "it is that of Japan; Japanese is ja"),
        ("ua", "it is that of Ukraine; Ukrainian is uk"),
        ("CN", "it is that of China; Chinese is zh"),
        ("gr", "it is that of Greece; Greek is el"),
        ("cz", "it is that of Czechia; Czech is cs"),
        ("dk", "it is that of Denmark; Danish is da"),
        ("vn", "it is that of Vietnam; Vietnamese is vi"),
        ("english", "English is en"),
        ("French", "French is fr"),
        ("deutsch", "German is de"),
        ("日本語", "Japanese is ja"),
        ("brazilian portuguese", "Portuguese (Brazil) is pt-BR"),
    ],
)
def test_codes_of_countries_and_names_of_languages_get_a_suggestion(code: str, meant: str) -> None:
    with pytest.raises(LanguageError) as error:
        parse_languages(["en", code])
    assert str(error.value) == f"{code!r} is not a language code; {meant}"


def test_codes_that_are_of_a_language_too_are_taken() -> None:
    assert parse_languages("se,kr,sw") == ("se", "kr", "sw")  # Northern Sami, Kanuri, Swahili


def test_pairs_and_pivot() -> None:
    langs = ("en", "fr", "de")
    assert language_pairs(langs) == [("en", "fr"), ("en", "de"), ("fr", "de")]
    assert language_pairs(langs, "de") == [("en", "de"), ("fr", "de")]
    assert language_pairs(langs, "FR") == [("en", "fr"), ("fr", "de")]
    with pytest.raises(LanguageError, match="the pivot it is not among the languages en,fr,de"):
        language_pairs(langs, "it")
    with pytest.raises(LanguageError, match="not a language code"):
        language_pairs(langs, "zz")


@pytest.mark.parametrize(
    ("lang", "declared", "langs", "wanted"),
    [
        ("fr", "", ("en", "fr"), "fr"),
        ("fr", "en", ("en", "fr"), "fr"),
        ("de", "fr", ("en", "fr"), ""),
        ("und", "", ("en", "fr"), ""),
        ("zh-Hans", "", ("en", "zh-Hant"), ""),
        ("zh-Hant", "", ("en", "zh-Hant"), "zh-Hant"),
        ("zh-Hant", "", ("en", "zh"), "zh"),
        ("zh-Hant", "", ("en", "zh-TW"), "zh-TW"),
        ("zh-Hans", "zh-TW", ("en", "zh-CN"), "zh-CN"),
        ("zh-Hant", "", ("en", "zh", "zh-TW"), "zh-TW"),
        ("zh-Hans", "zh-TW", ("en", "zh", "zh-TW"), "zh"),
        ("sr-Latn", "", ("sr", "sr-Latn"), "sr-Latn"),
        ("sr-Latn", "", ("en", "sr-Cyrl"), ""),
        ("sr-Cyrl", "", ("en", "sr"), "sr"),
        ("pt", "pt-BR", ("en", "pt-BR"), "pt-BR"),
        ("pt", "pt-PT", ("en", "pt-BR"), ""),
        ("pt", "", ("en", "pt-BR"), "pt-BR"),
        ("pt", "pt", ("en", "pt-BR"), "pt-BR"),
        ("pt", "pt_br", ("pt-PT", "pt-BR"), "pt-BR"),
        ("pt", "pt-AO", ("pt", "pt-BR"), "pt"),
        ("pt", "", ("pt-PT", "pt-BR"), "pt-PT"),
        ("pt", "", ("pt-BR", "pt"), "pt"),
        ("pt", "en-US", ("en", "pt-BR"), "pt-BR"),
        ("pt-BR", "pt", ("pt", "pt-BR"), "pt-BR"),
        ("pt", "pt-ZZ", ("en", "pt-BR"), ""),
        ("es", "es-419", ("en", "es-MX", "es"), "es"),
        ("bs", "hr-HR", ("en", "hr-HR"), "hr-HR"),
        ("bs", "", ("en", "hr"), "hr"),
        ("hr", "", ("hr", "bs"), "hr"),
        ("bs", "", ("hr", "bs"), "bs"),
        ("no", "", ("en", "nb"), "nb"),
    ],
)
def test_which_wanted_language_a_document_is_of(lang: str, declared: str, langs: tuple[str, ...], wanted: str) -> None:
    assert wanted_language(lang, declared, langs) == wanted
