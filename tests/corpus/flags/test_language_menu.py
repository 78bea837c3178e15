"""Menus of languages and countries."""

import pyarrow as pa
import pytest

from diglot.corpus.flags.context import PageFacts
from diglot.corpus.flags.flagging import flag_segments
from diglot.corpus.flags.language_menu import (
    are_lists_of_codes,
    are_other_entries,
    are_other_labels,
    are_switches,
    differ_in_language,
    is_entry,
    list_others,
    names_another,
)
from diglot.corpus.flags.wrong_language import PAGE_TEXTS
from diglot.records import SEGMENT_SCHEMA
from made_segments import made_segment


@pytest.mark.parametrize(
    ("src", "tgt", "expected"),
    [
        ("Italiano (Italian)", "Italiano (Itali)", True),
        ("简体中文 (Chinese (Simplified))", "简体中文 (Chinois simplifié)", True),
        ("Deutsch - German", "Deutsch - Deutsch", False),  # one name on a side
        ("Deutschland / Germany", "Deutschland / Germania", True),
        ("Italian (Italy)", "italien (Italie)", False),  # a translated list of languages shares no name
        ("Italian", "Italiano", False),
        ("Italiano (Italian edition)", "Italiano (édition italienne)", False),
        ("Italianox (Italian)", "Italianox (Itali)", False),  # no prefix of a name is enough
    ],
)
def test_an_entry_has_the_own_name_of_a_language(src: str, tgt: str, expected: bool) -> None:
    assert is_entry(src, tgt) == expected


@pytest.mark.parametrize(
    ("src", "tgt", "expected"),
    [
        ("Greek", "Giapponese", True),
        ("Greek", "Greco", False),
        ("Cymraeg", "English", True),  # the link to the other edition
        ("Chinese (Simplified)", "Вьетнамский", True),
        ("Chinese (Simplified)", "chinois", False),
        ("Norwegian", "Nynorsk", False),  # close languages
        ("India", "Argentinien", True),
        ("India", "Indien", False),
        ("END", "ENDE", False),  # a short name of a country, and a language
        ("Greek", "Japanische Küche", False),
        ("Somali", "Somali", False),
        ("Français fr", "English en", True),  # a name, and the code that a narrow screen shows
        ("EN English", "FR Français", True),
        ("Français FR", "French FR", False),
        ("Français en", "English fr", False),  # no name with its own code
    ],
)
def test_names_of_two_languages(src: str, tgt: str, expected: bool) -> None:
    assert names_another(src, tgt) == names_another(tgt, src) == expected


@pytest.mark.parametrize(
    ("src", "tgt", "expected"),
    [
        ("Språk: engelsk", "Språk: polsk", True),
        ("Barnebøker - Engelsk - Nivå 4", "Barnebøker - Tigrinja - Nivå 4", True),
        ("Barnebøker - Engelsk", "Barnebøker - Tigrinja - Nivå 4", False),  # other parts, too
        ("Books - German", "Books - Deutsch", False),  # one language
        ("Books - Norwegian", "Books - Nynorsk", False),  # close languages
        ("Books - Summer", "Books - Sommer", False),
        ("Books - Germany - 1", "Books - India - 1", True),
        ("Books - German - old", "Books - Polish - alt", False),
        ("Booklet (English-Nynorsk)", "Booklet (Polish-Nynorsk)", True),  # joined by a hyphen
        ("Booklet (English-Nynorsk)", "Booklet (English-Bokmål)", False),  # close languages
    ],
)
def test_titles_that_each_name_their_own_language(src: str, tgt: str, expected: bool) -> None:
    assert differ_in_language(src, tgt) == differ_in_language(tgt, src) == expected
    rows = [made_segment(src, tgt, langs="en-pl")]
    flags = flag_segments(pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA))["flags"][0].as_py()
    assert ("language_menu" in flags) == expected


@pytest.mark.parametrize(
    ("src", "tgt", "expected"),
    [
        ("Language: Deutsch | Français |", "English | Français", True),
        ("Language: Deutsch | Français", "语言： English | Français", True),
        ("Language: Français", "Language: English", True),
        ("Français", "Sprache: English", True),
        ("Niger, Nigeria", "Sénégal, Mali", True),
        ("Sudan, Egypt", "Soudan, Égypte", False),
        ("German, French and more", "Deutsch, Englisch und mehr", False),  # other words than names
        ("Languages: German, French", "Sprachen: Deutsch, Französisch", False),  # a translated list
        ("Languages: German, French", "Sprachen: Französisch, Deutsch", False),
        ("Norwegian, French", "Nynorsk, Französisch", False),  # close languages
        ("English, French", "England, Frankreich", False),  # languages and countries
        ("English & Gaeilge", "English & Sicilianu", True),  # the two languages of a tale
        ("English & French", "Englisch & Französisch", False),
        ("A, E", "E, A", False),  # an index, not the languages Ga and Ewe
        ("Books: German", "Bücher", False),
    ],
)
def test_lists_that_do_not_name_the_same_languages(src: str, tgt: str, expected: bool) -> None:
    assert list_others(src, tgt) == list_others(tgt, src) == expected
    rows = [made_segment(src, tgt, langs="en-de")]
    flags = flag_segments(pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA))["flags"][0].as_py()
    assert ("language_menu" in flags) == expected


@pytest.mark.parametrize(
    ("src", "tgt", "expected"),
    [
        ("🇨🇿 CZ", "🇬🇧 EN", True),
        ("🇨🇿 Čeština ▾", "🇫🇮 Suomi ▾", True),
        ("🇨🇿 Čeština ▾", "🇨🇿 Czech ▾", False),
        ("🇹🇷 Türkçe", "🇬🇧 English", True),
        ("EN | NL", "EN|NL|SR", True),
        ("DE EN", "EN / DE", True),
        ("SR-Latn · EN", "EN · SR-Latn", True),
        ("🇩🇪🇬🇧", "DE | EN", True),
        ("EN", "DE", False),  # one code may be a word
        ("No", "Nein", False),
        ("is it", "es ist", False),
        ("ne – no", "ne – ne", False),
        ("🇮🇹 Italian", "🇮🇹 italština", False),  # a translated list
        ("🇮🇹 Rome office", "🇮🇹 Ufficio di Roma", False),
        ("🇮🇹 Italia", "Italian wine", False),
        ("EN | NL", "EN | NL | more", False),
        ("German, Polish", "Deutsch, Polnisch", False),  # a translated list
    ],
)
def test_switches_of_codes_and_flags(src: str, tgt: str, expected: bool) -> None:
    assert are_switches(src, tgt) == are_switches(tgt, src) == expected
    rows = [made_segment(src, tgt, langs="en-cs")]
    flags = flag_segments(pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA))["flags"][0].as_py()
    assert ("language_menu" in flags) == expected


@pytest.mark.parametrize(
    ("src", "tgt", "expected"),
    [
        ("Available Languages: de | en | fr", "Verfügbare Sprachen: de | en | fr", True),
        ("Languages: en, pt-br, zh-cn", "翻訳済み言語：en、pt-br、zh-cn", True),
        ("Languages: de | en", "Sprachen: de | en", False),  # two may be words
        ("Formats: avi, mov, mpg", "Formate: avi, mov, mpg", False),
        ("Files: de | en | index", "Dateien: de | en | index", False),
        ("de | en | fr", "de | en | fr", False),
        ("Available Languages: de | en | fr", "Verfügbare Sprachen", False),
    ],
)
def test_lists_of_codes_behind_a_label(src: str, tgt: str, expected: bool) -> None:
    assert are_lists_of_codes(src, tgt) == are_lists_of_codes(tgt, src) == expected
    rows = pa.Table.from_pylist([made_segment(src, tgt)], schema=SEGMENT_SCHEMA)
    assert ("language_menu" in flag_segments(rows)["flags"][0].as_py()) == expected


@pytest.mark.parametrize(
    ("src", "tgt", "langs", "expected"),
    [
        ("EN", "DE", "en-de", True),
        ("[en]", "ua", "en-uk", True),
        ("EN", "Fr", "en-de", False),  # of a third language
        ("No", "EN", "de-en", False),  # a word
        ("EN 2", "DE 2", "en-de", False),
        ("LV", "EN", "en-lv", True),  # each page links to the other
        ("eng", "uzb", "en-uz", True),
        ("Ger", "CZE", "de-cs", True),
        ("eng", "rus", "en-uz", False),
        ("LV", "LV", "en-lv", False),
    ],
)
def test_codes_of_the_languages_of_both_sides(src: str, tgt: str, langs: str, expected: bool) -> None:
    rows = pa.Table.from_pylist([made_segment(src, tgt, langs=langs)], schema=SEGMENT_SCHEMA)
    assert ("language_menu" in flag_segments(rows)["flags"][0].as_py()) is expected


@pytest.mark.parametrize(
    ("src", "tgt", "expected"),
    [
        ("Gaeilge (Irish)", "English (English)", True),
        ("Italiano", "English (English)", True),
        ("Gaeilge (Irish)", "irlandese (Gaeilge)", False),  # one language
        ("Italian (Italy)", "italien (Italie)", False),
        ("Norwegian (Norsk)", "Nynorsk (nynorsk)", False),  # close languages
        ("Italiano (course)", "English (English)", False),  # another word
        ("Portuguese (Brazil)", "English (Brazil)", False),  # one country
    ],
)
def test_names_with_their_translations(src: str, tgt: str, expected: bool) -> None:
    assert are_other_entries(src, tgt) == are_other_entries(tgt, src) == expected


@pytest.mark.parametrize(
    ("src", "tgt", "expected"),
    [
        ("RU", "RO", True),
        ("RU", "UA", True),  # the country that stands for Ukrainian
        ("RU", "IT", False),  # Italian is no language of the site
        ("ro", "ru", False),  # small letters may be words
        ("FR", "ไทย", True),
        ("FR", "Français", False),  # one language
        ("Рус/Eng", "Укр/Eng", True),
        ("Рус/Eng", "Eng | Рус", False),  # the same languages
        ("Eng", "Fra", True),
        ("En", "Fr", False),  # two letters may be a word
        ("Engli", "Franç", False),
        ("eng", "fra", False),
        ("Рус/Eng", "Рус/Eng more", False),
        ("Eng", "Анг", False),  # a translation
    ],
)
def test_labels_of_languages_of_the_site(src: str, tgt: str, expected: bool) -> None:
    langs = {"en", "fr", "ro", "ru", "th", "uk"}
    assert are_other_labels(src, tgt, langs) == are_other_labels(tgt, src, langs) == expected


@pytest.mark.parametrize(("url", "expected"), [("https://a.org/ro/x", True), ("https://other.org/ro/x", False)])
def test_languages_of_pages_outside_the_run_count_on_their_site_alone(url: str, expected: bool) -> None:
    rows = pa.Table.from_pylist([made_segment("RU", "RO", langs="en-ru")], schema=SEGMENT_SCHEMA)
    others = pa.Table.from_pylist([{"url": url, "lang": "ro", "text": "Acasă"}], schema=PAGE_TEXTS)
    flags = flag_segments(rows, pages=PageFacts(other_texts=others))["flags"][0].as_py()
    assert ("language_menu" in flags) == expected


def test_a_menu_out_of_step_needs_no_other_entries() -> None:
    rows = [made_segment("Greek", "Giapponese", langs="en-it"), made_segment("Japanese", "Giapponese", langs="en-it")]
    flags = flag_segments(pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA))["flags"].to_pylist()
    assert ["language_menu" in each for each in flags] == [True, False]


ENTRIES = [("Italiano (Italian)", "Italiano (Itali)"), ("Français (French)", "Français (Prancis)")]
ENTRIES += [("Deutsch (German)", "Deutsch (Jerman)")]


@pytest.mark.parametrize(("count", "expected"), [(2, False), (3, True)])
def test_a_menu_has_three_entries_on_a_page_pair(count: int, expected: bool) -> None:
    rows = [made_segment(*entry, langs="en-id", page=1) for entry in ENTRIES[:count]]
    rows.append(made_segment(*ENTRIES[2], langs="en-id", page=2))
    rows.append(made_segment("We speak Italian.", "Kami berbicara bahasa Italia.", langs="en-id", page=1))
    flags = flag_segments(pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA))["flags"].to_pylist()
    assert ["language_menu" in each for each in flags] == [*[expected] * count, False, False]
