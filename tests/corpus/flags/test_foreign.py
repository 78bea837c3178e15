"""Sides in another language than theirs: by script, by an identifier, by the words of a site whose sides are mixed."""

import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from diglot.arrays import Floats
from diglot.corpus.flags import wrong_language
from diglot.corpus.flags.context import Cleaning, PageFacts
from diglot.corpus.flags.finders import have_placeholder
from diglot.corpus.flags.flagging import flag_segments
from diglot.corpus.flags.foreign_by_identifier import is_in_a_third
from diglot.corpus.flags.site_texts import words_of
from diglot.corpus.flags.wrong_language import PAGE_TEXTS, is_left, share_an_end
from diglot.documents.language import is_identifiable
from diglot.records import SEGMENT_SCHEMA
from diglot.run.clean import other_texts
from diglot.scripts import lacks_own_script, lacks_usual_script, own_script_share, scripts_of
from made_segments import made_segment

GRAMMAR = {
    "en": (
        "the|a|this|every|our|her",
        "house|garden|network|harbour|bridge|school|river|market|window|teacher",
        "stands behind|was built near|belongs to|looks like|opens towards|has been sold with",
        "and|but|because|while",
    ),
    "de": (
        "das|ein|dieses|jedes|unser|ihr",
        "Haus|Feld|Netz|Dorf|Schloss|Zimmer|Ufer|Geschäft|Fenster|Mädchen",
        "steht hinter|wurde gebaut neben|gehört zu|sieht aus wie|öffnet sich gegen|wird verkauft mit",
        "und|aber|weil|während",
    ),
    "nl": (
        "het|een|dit|ieder|ons|haar",
        "huis|veld|netwerk|dorp|kasteel|kamertje|strand|bedrijf|venster|meisje",
        "staat achter|werd gebouwd naast|behoort tot|lijkt op|opent zich naar|wordt verkocht met",
        "en|maar|omdat|terwijl",
    ),
    "he": (
        "ה|את ה|זה ה|כל ה|של ה|אל ה",
        "בית|שדה|רשת|כפר|ארמון|חדר|חוף|עסק|חלון|ילדה",
        "עומד מאחורי|נבנה ליד|שייך אל|נראה כמו|נפתח אל|נמכר עם",
        "אבל|כי|כאשר|וגם",
    ),
}
"""Articles, nouns, verbs and what joins two clauses."""


def sentences(lang: str, count: int, seed: int = 0) -> list[str]:
    """Distinct sentences of two clauses."""
    rng, (articles, nouns, verbs, joints) = random.Random(seed), (part.split("|") for part in GRAMMAR[lang])
    found: dict[str, None] = {}
    while len(found) < count:
        clauses = (f"{rng.choice(articles)} {rng.choice(nouns)} {rng.choice(verbs)} {rng.choice(articles)} "
                   f"{rng.choice(nouns)}" for _ in range(2))  # fmt: skip
        found[f" {rng.choice(joints)} ".join(clauses).capitalize() + "."] = None
    return list(found)


def segment(src: str, tgt: str, langs: str, number: int = 0) -> dict[str, Any]:
    return made_segment(src, tgt, page=number, langs=langs, position=number)


def is_wrong(rows: list[dict[str, Any]], pages: PageFacts | None = None) -> list[bool]:
    found = flag_segments(pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA), Cleaning(), pages)
    return ["wrong_language" in each for each in found["flags"].to_pylist()]


def mixed(langs: str, third: str, wrong: int, count: int = 90) -> list[dict[str, Any]]:
    """Segments of which the first have a target in a third language."""
    src, tgt = (sentences(lang, count) for lang in langs.split("-"))
    return [
        segment(*texts, langs, n) for n, texts in enumerate(zip(src, sentences(third, wrong, 1) + tgt, strict=False))
    ]


@pytest.mark.parametrize(("langs", "third"), [("en-de", "nl"), ("de-he", "en"), ("nl-de", "en"), ("he-nl", "de")])
@pytest.mark.parametrize("wrong", [1, 9, 30])
def test_a_third_language_is_found_and_nothing_else(langs: str, third: str, wrong: int) -> None:
    assert is_wrong(mixed(langs, third, wrong)) == [True] * wrong + [False] * (90 - wrong)


def test_short_texts_are_foreign_by_the_words_that_long_ones_taught() -> None:
    rows = mixed("en-de", "nl", 30)
    short = [
        ("The house and the river", "Het huis en het strand"),
        ("The house and the river", "Das Haus und das Ufer"),
    ]
    assert is_wrong([*rows, *(segment(*texts, "en-de", 200) for texts in short)])[-2:] == [True, False]
    assert not any(is_wrong([segment(*texts, "en-de") for texts in short]))


def test_a_language_of_the_site_is_learnt_from_pages_that_nobody_asked_for() -> None:
    rows = [*mixed("en-de", "nl", 0), segment("The house and the river", "Het huis en het strand", "en-de", 99)]
    taught = [{"url": "https://a.org/nl/1", "lang": "nl", "text": text} for text in sentences("nl", 60, 2)]
    pages = PageFacts(other_texts=pa.Table.from_pylist(taught, PAGE_TEXTS))
    assert is_wrong(rows)[-1] is False
    assert is_wrong(rows, pages) == [False] * 90 + [True]
    elsewhere = pages.other_texts.set_column(0, "url", pa.array(["https://example.org/"] * 60))
    assert is_wrong(rows, PageFacts(other_texts=elsewhere))[-1] is False


@pytest.mark.parametrize(
    ("english", "spanish", "label", "wrong"),
    [
        (10, 1, "Contact us", True),
        (9, 1, "Contact us", False),
        (20, 2, "Contact us", True),
        (19, 2, "Contact us", False),  # ten times as many
        (10, 1, "Acme Karton", False),  # a name that the other side has in part
    ],
)
def test_a_label_on_many_more_pages_of_another_language_was_left_untranslated(
    english: int, spanish: int, label: str, wrong: bool
) -> None:
    pages = [segment(label, "Schreib Karton", "en-de", number) for number in range(english)]
    left = [segment(label, "Schreib Karton", "es-de", number) for number in range(spanish)]
    assert is_wrong(pages + left) == [False] * english + [wrong] * spanish
    # The same pages in a language that nobody asked for.
    rows = [{"url": f"https://a.org/en/{number}", "lang": "en", "text": label} for number in range(english)]
    others = PageFacts(other_texts=pa.Table.from_pylist(rows, schema=PAGE_TEXTS))
    assert is_wrong(left, others) == [wrong] * spanish


def test_a_label_on_many_more_pages_of_a_close_language_may_be_in_both() -> None:
    rows = [segment("Kontakt oss", "Schreib uns", "nb-de", number) for number in range(20)]
    assert not any(is_wrong([*rows, segment("Kontakt oss", "Schreib uns", "nn-de", 0)]))


def test_a_title_that_both_sides_have_is_no_foreign_text() -> None:
    rows = mixed("en-de", "nl", 0)
    title = "The Garden behind the Bridge"
    rows += [segment(f"The window looks like {title}.", f"Das Fenster sieht aus wie {title}.", "en-de", 98)]
    rows += [segment("The teacher has been sold with the school.", f"Mädchen, {title} and the harbour", "en-de", 99)]
    assert is_wrong(rows)[-2:] == [False, True]


@pytest.mark.parametrize(
    ("src", "tgt", "langs", "wrong"),
    [
        ("Lesson 3 | Exercise", "Leçon 3 | تمرين", "en-fr", True),
        ("Leçon 3 | تمرين", "Lesson 3 | Exercise", "fr-en", True),
        # Six letters of eleven are its own.
        ("Lessons 3 | Exercise", "Leçons 3 | تمرين", "en-fr", False),
        # The other side has such letters, too.
        ("Lesson 3 | تمرين", "Leçon 3 | تمرين", "en-fr", False),
        ("تمرين", "Leçon 3 | تمرين", "ar-fr", False),
        ("Урок", "Leçon 3 | تمرين", "ru-fr", True),
        ("Урок", "Leçon 3 | تمرين", "sr-fr", True),
        ("Урок", "Leçon | упражне", "sr-fr", False),
        # Other scripts borrow Latin letters.
        ("Использование", "OpenGL の使用", "ru-ja", False),
        ("Bài học thứ ba", "Leçon ở đâu", "vi-fr", False),
    ],
)
def test_letters_of_a_third_script(src: str, tgt: str, langs: str, wrong: bool) -> None:
    assert is_wrong([segment(src, tgt, langs)]) == [wrong]


def test_letters_of_a_third_script_are_counted_for_all_texts_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A site that shows its titles in two scripts has them on every page."""
    asked: list[int] = []

    def counted(texts: pa.Array, tag: str) -> Floats:
        asked.append(len(texts))
        return own_script_share(texts, tag)

    monkeypatch.setattr(wrong_language, "own_script_share", counted)
    rows = [segment(f"Lesson {number} | Exercise", f"Leçon {number} | تمرين", "en-fr", number) for number in range(9)]
    assert is_wrong(rows) == [True] * 9
    assert len(asked) <= 3
    assert set(asked) == {9}


def test_a_word_said_again_and_again_counts_once() -> None:
    rows = mixed("en-de", "nl", 9)
    rows += [
        segment("The house", text, "en-de", 99) for text in ("Huis, huis, huis, huis, huis", "Huis en veld achter")
    ]
    assert is_wrong(rows)[-2:] == [False, True]


@pytest.mark.parametrize(
    ("text", "lang", "lacks"),
    [
        ("Network", "he", True),
        ("Network רשת", "he", False),
        ("GNU", "ja", True),
        ("ソフト", "ja", False),
        ("中", "ko", False),
        ("3,5 %", "ja", False),
        ("Ово", "sr", False),
        ("Ovo", "sr", False),
        ("Ovo", "sr-Cyrl", True),
        ("ＡＢＣ", "en", False),
        ("Привет", "en", True),
        ("繁體", "zh-Hant", False),
        ("Привет", "art", False),
    ],
)
def test_a_side_without_a_letter_of_its_scripts(text: str, lang: str, lacks: bool) -> None:
    assert lacks_own_script(pa.array([text]), lang).tolist() == [lacks]


@pytest.mark.parametrize(
    ("tgt", "wrong"),
    [
        ("Die Friedrich-Ebert-Stiftung", False),
        ("Friedrich-Ebert-Stiftung", False),
        ("Die Friedrich-Ebert-Stiftung Belgrad", False),
        ("Die Ebert-Stiftung Belgrad", True),
        ("12", True),
    ],
)
def test_a_long_name_on_both_sides_is_no_foreign_text(tgt: str, wrong: bool) -> None:
    rows = [segment(text, f"Bank {number}", "sr-de", number) for number, text in enumerate(CYRILLIC)]
    assert is_wrong([segment("Die Friedrich-Ebert-Stiftung", tgt, "sr-de", 9), *rows])[0] == wrong


CYRILLIC = ["Иқтисоди даврашакл", "Нақши Тоҷикистон", "Забони модарӣ", "Пахтаи тозаи кишвар"]


@pytest.mark.parametrize(
    ("texts", "lang", "lacking"),
    [
        (["The whole programme", "Дар GIZ", *CYRILLIC[:3]], "tg", [True] + [False] * 4),
        (["The whole programme", "Not yet", *CYRILLIC], "tg", [True, True] + [False] * 4),
        (["The whole programme", "Not yet", *CYRILLIC[:3]], "tg", [False] * 5),  # more than a third
        (["The whole programme", "12", *CYRILLIC[:2]], "tg", [True, False, False, False]),
        (["The whole programme", *CYRILLIC], "ru", [False] * 5),  # one script, which another rule looks at
        (["The whole programme", *CYRILLIC], "tg-Cyrl", [False] * 5),
        (["Бегона", "one", "two", "three"], "fr", [False] * 4),
    ],
)
def test_latin_texts_where_the_site_writes_another_script(texts: list[str], lang: str, lacking: list[bool]) -> None:
    assert lacks_usual_script(pa.array(texts), lang).tolist() == lacking


@pytest.mark.parametrize(
    ("text", "langs", "wrong"),
    [
        ("The role of banks in industry", "tg-en", True),
        ("Le rôle des banques dans l’industrie", "tg-en", False),  # the site has no French: maybe Tajik
        ("The role of banks in industry", "tg-ru", False),
        ("Naši ljudi vole da žive u miru", "sr-en", False),  # Serbian in Latin letters
        ("Coffee break", "tg-en", True),
        ("Program: Microsoft Office", "tg-en", False),
        ("Friedrich-Ebert-Stiftung", "sr-de", False),  # three words, all with a capital
        ("Friedrich-Ebert-Stiftung für Deutschland", "sr-de", True),
        ("Die Friedrich-Ebert-Stiftung", "sr-de", True),  # four
        ("World of Warcraft", "tg-en", False),
        ("World by Warcraft", "tg-en", True),
        (
            "Participants: LMW, Uster Technologies, Bajaj, Rieter",
            "tg-en",
            False,
        ),  # likeliest English, by six hundredths
    ],
)
def test_latin_text_of_a_half_translated_page(text: str, langs: str, wrong: bool) -> None:
    other = "Роль" if langs.endswith("ru") else "Unit"
    rows = [segment(cyrillic, f"{other} {number}", langs, number) for number, cyrillic in enumerate(CYRILLIC)]
    assert is_wrong([segment(text, other, langs, 9), *rows])[0] == wrong


def test_scripts_are_those_of_cldr() -> None:
    assert scripts_of("az") == {"Arab", "Cyrl", "Latn"}
    assert scripts_of("pt-BR") == {"Latn"}
    assert scripts_of("no such") == set()


def test_what_no_identifier_knows_is_not_foreign_to_it() -> None:
    # The first article of the Universal Declaration of Human Rights, as the identifier's Amharic.
    tigrinya = (
        "ብመንፅር ክብርን መሰልን ኩሎም ሰባት እንትውለዱ ነፃን ማዕሪን እዮም፡፡ ምስትውዓልን ሕልናን ዝተዓደሎም ብምዃኖም ንሕድሕዶም ብሕውነታዊ መንፈስ ክተሓላለዩ ኦለዎም፡፡"
    )
    assert [is_identifiable(lang) for lang in ("ti", "de", "nb", "hr")] == [False, True, True, True]
    rows = [*mixed("en-de", "nl", 0), segment("The house and the river", tigrinya, "en-ti", 99)]
    assert is_wrong(rows)[-1] is False


def test_words_leave_out_addresses_and_code() -> None:
    texts = ["See https://www.gnu.org/the-home, ls --all x86_64 Aptitude::UI", "例2.10 は the"]
    words = words_of(pa.array(texts))
    known = words.known.to_pylist()
    assert [[known[word] for word in words.word[words.text == row]] for row in (0, 1)] == [
        ["see", "ls"],
        ["例", "は", "the"],
    ]
    assert words.take(np.array([1, 0, 1])).text.tolist() == [0, 0, 0, 1, 1, 2, 2, 2]


def test_pages_in_languages_without_segments_are_sampled() -> None:
    texts = [text * 2 for text in sentences("nl", 40)]
    pages = [("http://a.org/1", "nl", "other_language"), ("http://a.org/2", "en", ""), ("http://b.org/3", "nl", "")]
    pages += [
        ("http://a.org/4", "fr", "no_text"),
        ("http://a.org/5", "und", ""),
        *((f"http://a.org/9{n}", "nl", "") for n in range(20)),
    ]
    documents = pa.Table.from_pylist([
        {"url": url, "lang": lang, "reason": reason, "chunks": [*texts[:30], "short"], "block_ends": [*range(1, 32)]}
        for url, lang, reason in pages
    ], schema=pa.schema([("url", pa.string()), ("lang", pa.string()), ("reason", pa.string()),
                         ("chunks", pa.list_(pa.string())), ("block_ends", pa.list_(pa.int32()))]))  # fmt: skip
    found = other_texts(documents, {("a.org", "en"), ("b.org", "de")}).to_pylist()
    assert {(row["url"][:12], row["lang"]) for row in found} == {("http://a.org", "nl"), ("http://b.org", "nl")}
    # 30 longer texts, and the short one.
    assert sum(row["url"].startswith("http://b") for row in found) == 31
    assert len({row["url"] for row in found}) <= 11
    assert 60 <= sum(row["url"].startswith("http://a") for row in found) <= 100


def test_what_both_sides_hold_of_a_third_language_is_no_translation() -> None:
    """Titles stand beside the Dutch one on every edition; a name of three words does as much, and stays."""
    english, german, dutch = (sentences(lang, 60, seed=3) for lang in ("en", "de", "nl"))
    rows = [segment(src, tgt, "en-de", n) for n, (src, tgt) in enumerate(zip(english, german, strict=True))]
    rows += [segment(text, text, "en-de", 100 + n) for n, text in enumerate(dutch)]
    rows += [segment(f"The village {dutch[0]}", f"Das Dorf {dutch[0]}", "en-de", 200)]
    rows += [segment("Guide to Tux Paint Studio", "Führer zu Tux Paint Studio", "en-de", 201)]
    assert is_wrong(rows) == [False] * 60 + [True] * 61 + [False]


def test_names_are_of_no_language_wherever_they_stand_most() -> None:
    english, german, dutch = (sentences(lang, 60, seed=3) for lang in ("en", "de", "nl"))
    rows = [segment(src, tgt, "en-de", n) for n, (src, tgt) in enumerate(zip(english, german, strict=True))]
    rows += [segment(f"{text} Ada Lovelace", f"{text} Ada Lovelace", "en-de", 100 + n) for n, text in enumerate(dutch)]
    rows += [segment("The Ada Lovelace", "Das Ada Lovelace", "en-de", 200)]
    rows += [segment("The ada ada lovelace", "Das ada ada lovelace", "en-de", 201)]  # two different words
    assert is_wrong(rows) == [False] * 60 + [True] * 60 + [False, False]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Lorem ipsum dolor sit amet, consectetur", True),
        ("Lorum Ipsum Sit Amet", True),
        ("Title: lorem ipsum dolor", True),
        ("Lorum ipsum!", True),
        ("Ut dolor sit amet consectetuer", True),
        ("Lorem ipsum stands for text", False),  # a text about it
        ("Neque porro dolorem ipsum quia dolor sit", False),  # Cicero
    ],
)
def test_placeholder_text_is_in_no_language(text: str, expected: bool) -> None:
    rows = [segment("What we offer to you", text, "en-de", 1), segment(text, "Was wir Ihnen bieten", "en-de", 2)]
    assert is_wrong(rows) == [expected, expected]
    quoted = {"src": [f"‘{text}’ is from a text of Cicero"], "tgt": [f"»{text}« ist aus einem Text von Cicero"]}
    assert have_placeholder(pa.table(quoted)).tolist() == [False]


@pytest.mark.parametrize(
    ("src", "tgt", "copied", "expected"),
    [
        ("The det store bålet", "Das det store bålet", "det store bålet", True),
        ("Det store bålet – the", "Det store bålet – das", "det store bålet", True),
        ("The store bålet", "Das store bålet", "store bålet", False),  # two words
        ("The det store bålet", "Das det store bålet det", "det store bålet", False),  # of one end alone
        ("Direct op je smartphone of tablet", "Direkt op jo smartphone of tablet", "op smartphone of tablet", False),
        ("The det store bålet 1", "Das det store bålet 1", "det store bålet", False),  # an address, perhaps
        ("The «det store bålet»", "Das «det store bålet»", "det store bålet", False),  # a quotation
        ("Languages: de | en | fr", "Sprachen: de | en | fr", "de en fr", False),  # codes
        ("Det store", "det store", "det store", True),  # left as it is
        ("Guide 春の歌", "Führer 春の歌", "春 の 歌", True),
        ("春 guide 春の歌", "Führer 春の歌", "春 の 歌", False),
    ],
)
def test_words_of_a_third_language_stand_together_at_an_end(src: str, tgt: str, copied: str, expected: bool) -> None:
    assert share_an_end(src, tgt, frozenset(copied.split())) == expected


@pytest.mark.parametrize(
    ("text", "copied", "third"),
    [
        ("Bilingual PDF: Tospråklig hefte uten bilder", "tospråklig hefte uten bilder", True),
        ("Guide to Visual Studio Code", "visual studio code", False),  # capitals alone are names
        ("Tospråklig guide", "tospråklig", False),  # too short to ask about
        ("How to read this book: what the cat saw", "what the cat saw", False),  # the language of a side
    ],
)
def test_copied_words_that_the_identifier_knows_to_be_of_neither_side(text: str, copied: str, third: bool) -> None:
    assert is_in_a_third(text, frozenset(copied.split()), ("en", "so")) == third


@pytest.mark.parametrize(
    ("text", "copied", "third"),
    [
        ("Welcome to Gîtes du Siècle", {"gîtes", "du", "siècle"}, False),
        ("Welcome to Gîtes du siècle", {"gîtes", "du", "siècle"}, True),
        ("Welcome to Gîtes in du Siècle", {"gîtes", "du", "siècle"}, True),  # a particle stands between two names
        ("Comité des Arts et Métiers", {"comité", "des", "arts", "et", "métiers"}, False),
        ("Lily – Lilium candidum", {"lilium", "candidum"}, False),
        ("Text – Lorem ipsum dolor", {"lorem", "ipsum", "dolor"}, True),
    ],
)
def test_names_with_particles_and_latin_are_no_third_language(text: str, copied: set[str], third: bool) -> None:
    assert is_in_a_third(text, copied, ("en", "es")) is third


@pytest.mark.parametrize(
    "title",
    [
        "How to Use the App for You",
        "Sign up for the Newsletter",
        "All You Can Eat and Go",  # all its small words may stand in names
    ],
)
def test_an_english_title_left_in_two_languages_is_in_a_third(title: str) -> None:
    assert is_in_a_third(f"Novità: {title}", set(title.casefold().split()), ("it", "fr"))
    assert not is_in_a_third("Novità: All of Eat and Go", {"all", "of", "eat", "and", "go"}, ("it", "fr"))


def test_a_label_that_stands_in_the_version_of_its_language_is_left_untranslated() -> None:
    assert is_left("Vai alla lista completa", "en", {"it"})
    assert is_left("Share feedback", "lv", {"en"})
    assert is_left("Read more about our services", "nb", {"en"})  # Norwegian of either tag
    assert is_left("Les mer om hva vi gjør her i landet", "en", {"nb"})
    # Text of its own version, a name, a single word, and a text without words.
    assert not is_left("Vai alla lista completa", "it", {"en"})
    assert not is_left("Armed Forces of Ukraine", "pl", {"en"})
    assert not is_left("Check-out", "it", {"en"})
    assert not is_left("/usr/local/bin 2.4", "fr", {"en"})
