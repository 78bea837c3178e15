"""The language of pages by their own text, and by what their site says of editions; sites made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from diglot.documents.language import identify_among
from diglot.page_language import resolving
from diglot.page_language.resolving import resolve_languages
from diglot.site import Site
from made_documents import made_page, made_site
from sentences import NORWEGIAN, NYNORSK, SENTENCES

TIGRINYA = "ሰላም ከመይ ኣለኻ ኣነ ጽቡቕ ኣለኹ ሎሚ መዓልቲ ጽቡቕ እያ ንሕና ድማ ናብ ቤት ትምህርቲ ክንከይድ ኢና ድሕሪኡ ናብ ገዛና ክንምለስ ኢና"
AMHARIC = "ሰላም እንዴት ነህ እኔ ደህና ነኝ ዛሬ ቀኑ ጥሩ ነው እኛም ወደ ትምህርት ቤት እንሄዳለን ከዚያም ወደ ቤታችን እንመለሳለን"
MENU = [f"{NORWEGIAN} Meny {item}" for item in range(4)]


def page(url: str, *blocks: str, lang: str = "no", confidence: float = 1.0, **others: Any) -> dict[str, Any]:
    """A page as it was read: ``lang`` is what all its text was taken for."""
    return made_page(url, lang, blocks, lang_confidence=confidence, **others)


def settled(site: Site, langs: str = "en,fr", **choice: Any) -> dict[str, str]:
    """Path of each page -> its language."""
    found = resolve_languages(site, tuple(langs.split(",")), **choice)
    return {url.split("example/", 1)[1]: each.tag for url, each in zip(site.urls, found, strict=True)}


def told(lang: str, number: int) -> str:
    """A sentence of a language that no other page has."""
    return f"{SENTENCES[lang]} ({number})"


def story(lang: str, number: int) -> list[str]:
    """A story page: menus, and each line beside the Norwegian one that every edition repeats."""
    return [*MENU, told(lang, number), f"{NORWEGIAN} {number}", f"{NYNORSK} {number}"]


def editions(langs: Sequence[str], numbers: Sequence[int]) -> list[dict[str, Any]]:
    return [page(f"http://a.example/{lang}/{n}", *story(lang, n)) for lang in langs for n in numbers]


def test_menus_and_a_parallel_text_on_every_edition_say_nothing_of_a_page() -> None:
    site = made_site(*editions(("it", "fi", "en"), range(4)))
    assert settled(site, "it,fi") == {f"{lang}/{n}": lang for lang in ("it", "fi", "en") for n in range(4)}
    assert {each.by for each in resolve_languages(site, ("it", "fi"))} == {"its own text"}


def test_a_page_of_too_little_own_text_is_in_the_language_of_its_edition() -> None:
    """Thirty letters by themselves say less than the menus; four pages of the folder are Italian for sure."""
    short = "Il panettiere e la bella gente del mare"
    pages = [page("http://a.example/it/9", *MENU, short), page("http://a.example/other", *MENU, f"{short}!")]
    found = settled(made_site(*editions(("it", "fi", "en"), range(4)), *pages), "fi,sv")
    assert (found["it/9"], found["other"]) == ("it", "no")


def test_the_edition_is_not_believed_against_the_text() -> None:
    english = page("http://a.example/it/9", *MENU, told("en", 9), told("en", 10), told("en", 11), lang="en")
    assert settled(made_site(*editions(("it", "fi"), range(4)), english))["it/9"] == "en"


def test_a_lone_page_of_a_language_that_is_hard_to_tell_is_in_none_of_the_others() -> None:
    """The identifier is 92% sure of Arabic, against Moroccan Arabic: the site's languages are not even candidates."""
    arabic = "أهلا وسهلا بكم في هذا البلد الجميل نحن نحب السلام والخير للجميع ونعمل كل يوم من أجل الناس"
    blocks = [f"{arabic} ({number})" for number in range(4)]
    lone = page("http://a.example/x", *blocks, lang="ar", confidence=0.92, declared_lang="en-AU")
    assert settled(made_site(*editions(("it", "fi", "ru"), range(4)), lone), "it,fi,ru")["x"] == "ar"


def test_a_page_shown_in_several_editions_is_in_one_language_in_all() -> None:
    fallen_back = [page(f"http://a.example/{lang}/9", "Ready to go now, my friend") for lang in ("it", "fi")]
    found = settled(made_site(*editions(("it", "fi"), range(4)), *fallen_back), "it,fi")
    assert found["it/9"] == found["fi/9"]


@pytest.mark.parametrize(
    ("paths", "count"), [("it/8", True), ("it/8 it/9", True), ("it/8 9", False), ("it/8 fi/8", False), ("8 9", False)]
)
def test_marks_of_a_text_at_several_addresses_count_where_all_are_of_one_edition(paths: str, count: bool) -> None:
    pages = [page(f"http://a.example/{path}", told("it", 8)) for path in paths.split()]
    site = made_site(*editions(("it", "fi", "en"), range(4)), *pages)
    shown = resolving._shown_in_one_version(resolving._read_pages(site, ("it", "fi")))
    assert {shown[site.urls.index(row["url"])] for row in pages} == {count}


def test_a_copy_at_an_address_without_a_code_takes_nothing_from_the_code() -> None:
    """Each page stands a second time, as ?p=3 or in the version that the site shows by default: none stands alone."""
    pages = editions(("it", "fi"), range(4))
    copies = [{**row, "url": f"http://a.example/?p={n}"} for n, row in enumerate(pages)]
    found = resolve_languages(site := made_site(*pages, *copies), ("it", "fi"))
    versions = {url[17:]: each.version for url, each in zip(site.urls, found, strict=True)}
    assert {path: versions[path] for path in versions if "?" not in path} == {
        f"{lang}/{n}": lang for lang in ("it", "fi") for n in range(4)
    }


def test_names_alone_do_not_make_a_language() -> None:
    """What is not shared with the other versions is a list of languages; all text of the page is English."""
    shared = [f"{SENTENCES['en']} Part {n}" for n in range(5)]
    own = "Català, Español, Français, Magyar, Italiano, Česky, Nederlands, Português, Deutsch"
    versions = [page(f"http://a.example/{n}", *shared, f"{n}", lang="en") for n in range(3)]
    found = settled(made_site(*versions, page("http://a.example/x", *shared, own, lang="en")))
    assert found["x"] == "en"


def test_an_ideograph_says_as_much_as_four_letters() -> None:
    pages = editions(("it", "fi"), range(4))
    chinese = page("http://a.example/zh/1", *MENU, "面包师清晨打开店门卖新鲜的面包给人们")
    assert settled(made_site(*pages, chinese), "it,zh")["zh/1"] == "zh-Hans"


@pytest.mark.parametrize(("japanese", "english", "lang"), [(30, 12, "ja"), (3, 30, "en")])
def test_short_titles_in_japanese_count_as_much_as_long_ones_in_english(japanese: int, english: int, lang: str) -> None:
    """A bibliography: titles of 18 characters or 57, all without copies on other pages."""
    titles = [f"海底地形図の作成とその利用について{number}" for number in range(japanese)]
    titles += [f"The making of sea charts and their use by ships, part {number:03}" for number in range(english)]
    bibliography = page("http://a.example/list", *titles, lang="en")
    assert settled(made_site(*editions(("ja", "en"), range(4)), bibliography), "ja,en")["list"] == lang


LOREM = "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et dolore."
FURTHER = "Vivamus nisi nisl, laoreet in orci eget, pulvinar sodales turpis. Nam bibendum ultricies dui at fermentum."
CICERO = "Neque porro quisquam est, qui dolorem ipsum, quia dolor sit, amet, consectetur, adipisci velit, sed quia non."


@pytest.mark.parametrize(
    ("paragraphs", "lang"),
    [([LOREM, FURTHER], "en"), ([LOREM, LOREM.replace("sed", "et")], "en"), ([CICERO, FURTHER], "la")],
)
def test_placeholder_text_says_nothing_of_a_page(paragraphs: list[str], lang: str) -> None:
    """The heading is written, the text below not yet; Latin itself is a language like others."""
    unwritten = page("http://a.example/en/9", told("en", 9), *paragraphs, *paragraphs, lang="la", declared_lang="en")
    assert settled(made_site(*editions(("it", "en"), range(4)), unwritten), "en,it")["en/9"] == lang


@pytest.mark.parametrize(
    ("paragraph", "lang"),
    [(LOREM, "en"), ("Aenean sollicitudin, lorem quis bibendum auctor", "en"), (CICERO, "la")],
)
def test_placeholder_text_beside_menus_says_nothing_of_a_page(paragraph: str, lang: str) -> None:
    """No text of its own but a name: the menus tell."""
    menu = ["Our services and what they cost", "About the hospital", "Contact us"]
    pages = [page(f"http://a.example/{n}", *menu, told("en", n), lang="en") for n in range(9)]
    unwritten = page("http://a.example/team", *menu, "Ada", *[f"{paragraph} {n}" for n in range(12)], lang="la")
    assert settled(made_site(*pages, unwritten), "en,it")["team"] == lang


def test_placeholder_text_makes_latin_no_language_of_a_site() -> None:
    pages = [page(f"http://a.example/{lang}-{n}", told(lang, n), lang=lang) for lang in ("it", "en") for n in range(4)]
    unwritten = [page(f"http://a.example/new-{n}", f"{LOREM} {n}", lang="la") for n in range(4)]
    places = "Villa Aurelia, Forum Romanum, Curia Iulia, Via Appia Antica, Basilica Aemilia, Porta Maggiore"
    unsure = page("http://a.example/places", places, lang="la", confidence=0.9)
    assert settled(made_site(*pages, *unwritten, unsure), "en,it")["places"] == "it"


VERSE = (
    "या देवी सर्वभूतेषु शक्तिरूपेण संस्थिता, नमस्तस्यै नमस्तस्यै नमस्तस्यै नमो नमः | सर्वमंगल मांगल्ये शिवे सर्वार्थ साधिके, शरण्ये त्र्यम्बके "
    "गौरी नारायणी नमोस्तुते | ॐ दुं दुर्गायै नमः | पवित्र दुर्गा मंत्र सक्षम करें?"
)
"""A mantra in Sanskrit, and a question in Hindi."""


@pytest.mark.parametrize(
    ("hreflang", "elsewhere", "lang"),
    [("hi", "another text", "hi"), ("en", "another text", "sa"), ("hi", VERSE, "sa")],
)
def test_a_verse_of_another_language_does_not_overrule_marks_that_agree(
    hreflang: str, elsewhere: str, lang: str
) -> None:
    """Where a mark names another language, or where the text stands on another page, too, the text tells."""
    menu = ["गृहम्", "सम्पर्कः"]
    link = {f"link_{name}": [value] for name, value in (("urls", "http://a.example/hi/9"), ("hreflangs", hreflang))}
    link |= {"link_anchors": [""], "link_alternate": [True]}
    sanskrit: dict[str, Any] = {"lang": "sa", "declared_lang": "sa"}
    pages = [page(f"http://a.example/sa/{n}", *menu, f"{VERSE[:70]} {n}", **sanskrit) for n in range(4)]
    pages.append(page("http://a.example/other", elsewhere, **sanskrit, **link))
    pages.append(page("http://a.example/hi/9", *menu, VERSE, lang="sa", declared_lang="hi"))
    assert settled(made_site(*pages), "en,hi")["hi/9"] == lang


def test_what_the_identifier_does_not_know_is_what_the_address_says() -> None:
    """It takes Tigrinya for Amharic; the words of both are told apart by the site's own pages."""
    pages = editions(("it", "en"), range(4))
    pages += [page(f"http://a.example/am/{n}", *MENU, f"{AMHARIC} {n}", lang="am") for n in range(3)]
    pages += [page(f"http://a.example/ti/{n}", *MENU, f"{TIGRINYA} {n}", lang="am") for n in range(3)]
    pages.append(page("http://a.example/ti/9", *MENU, told("en", 9), told("en", 10), told("en", 11), lang="en"))
    pages.append(page("http://a.example/ti/8", *MENU, f"{AMHARIC} 9", lang="am"))
    found = settled(made_site(*pages), "en,ti")
    assert [found[f"ti/{n}"] for n in (0, 1, 2)] == ["ti"] * 3
    assert (found["am/1"], found["ti/9"], found["ti/8"]) == ("am", "en", "am")


def test_of_languages_too_close_to_tell_the_declared_one_is_taken() -> None:
    nynorsk = [page(f"http://a.example/{n}", f"{NYNORSK} {n}", lang="no", declared_lang="nn") for n in range(2)]
    assert set(settled(made_site(*nynorsk)).values()) == {"nn"}


@pytest.mark.parametrize(
    ("choice", "lang"),
    [
        ({}, "en"),
        ({"source": "declared"}, "fi"),
        ({"source": "path"}, "it"),
        ({"source": "text"}, "en"),
        ({"rules": ["/de/=de", "/it/9=nb"]}, "nb"),
        ({"rules": ["/it/=zh-TW"], "source": "path"}, "zh-TW"),
    ],
)
def test_a_user_says_what_is_to_count(choice: dict[str, Any], lang: str) -> None:
    odd = page("http://a.example/it/9", *(told("en", n) for n in range(5)), lang="en", declared_lang="fi")
    site = made_site(*editions(("it", "fi", "en"), range(4)), odd)
    assert settled(site, **choice)["it/9"] == lang


def test_editions_of_pages() -> None:
    """By codes in addresses where the site writes them; by a folder whose pages are in one language; by the page."""
    pages = editions(("it", "fi"), range(4))
    pages += [page(f"http://a.example/suomeksi/{n}", told("fi", n + 50), lang="fi") for n in range(4)]
    pages += [page("http://a.example/es/1", *(told("en", n) for n in range(5)), lang="en")]
    pages += [page("http://a.example/suomeksi/x", *(told("en", n) for n in range(9, 14)), lang="en")]
    pages += [page("http://a.example/is/not/one", *(told("en", n) for n in range(20, 25)), lang="en")]
    pages += [page("http://a.example/y", *(told("en", n) for n in range(30, 35)), lang="en", declared_lang="en-GB")]
    # If all declarations were the same, they would be a template's.
    pages += [page("http://a.example/z", told("fi", 60), lang="fi", declared_lang="fi")]
    site = made_site(*pages)
    found = {url[17:]: each.version for url, each in zip(site.urls, resolve_languages(site, ("en", "fi")), strict=True)}
    assert (found["it/0"], found["es/1"], found["suomeksi/x"], found["y"]) == ("it", "es", "fi", "en")


# Pages of little text, by all of it, as they were settled before anything was known of the rest of the site.


def whole(lang: str, confidence: float = 1.0, *, text: str = "", chars: int = 5_000, **others: Any) -> dict[str, Any]:
    """A page without text of its own: three pages have what it says."""
    whole.number += 1  # type: ignore[attr-defined]
    url = f"http://a.example/{whole.number}"  # type: ignore[attr-defined]
    return page(url, text or SENTENCES[lang], lang=lang, confidence=confidence, text_length_chars=chars, **others)


whole.number = 100  # type: ignore[attr-defined]


def last(*pages: dict[str, Any], langs: str = "en,fr") -> str:
    return settled(made_site(*pages), langs)[pages[-1]["url"].rsplit("/", 1)[1]]


def test_sure_pages_stay_as_they_are() -> None:
    pages = [page(f"http://a.example/{lang}", SENTENCES[lang], lang=lang) for lang in ("en", "fr", "it")]
    assert settled(made_site(*pages)) == {"en": "en", "fr": "fr", "it": "it"}


def test_an_odd_language_of_little_text_is_asked_again_among_the_likely() -> None:
    assert last(whole("en"), whole("fr"), whole("ht", 1.0, text="Pain frais", chars=10)) == "fr"


def test_an_unsure_page_is_asked_again_and_may_be_what_it_declares() -> None:
    text = "Pa fresc i bo"
    assert last(whole("es", 0.6, declared_lang="ca", text=text), langs="en,es") == "ca"
    assert last(whole("es", 0.6, text="Pan fresco y bueno"), langs="en,es") == "es"


@pytest.mark.parametrize(("pages", "confidence", "common"), [(3, 0.99, True), (3, 0.98, False), (2, 1.0, False)])
def test_three_sure_pages_make_a_language_common(pages: int, confidence: float, common: bool) -> None:
    telling = [whole("it", confidence, text="Il pane è buono", chars=5_000) for _ in range(pages)]
    doubtful = whole("es", 0.5, text="Vende pane fresco", chars=100)
    assert (last(*telling, doubtful) == "it") == common


SANTALI = "ᱵᱷᱟᱨᱚᱛ ᱨᱮᱱᱟᱜ ᱢᱟᱱᱛᱨᱤ ᱠᱚ ᱟᱨ ᱚᱱᱟ ᱠᱟᱹᱢᱤ ᱟᱠᱟᱫ ᱢᱤᱫ ᱵᱟᱨ ᱯᱮ ᱯᱩᱱ ᱢᱚᱬᱮ ᱛᱩᱨᱩᱭ ᱮᱭᱟᱭ ᱤᱨᱟᱹᱞ ᱟᱨᱮ ᱜᱮᱞ"
"""Words of Santali in Ol Chiki, which the identifier takes for Amharic."""


@pytest.mark.parametrize(
    ("langs", "declared", "tag"),
    [
        ("en,fr", "", "und"),
        ("en,fr", "en", "und"),
        ("en,sat", "", "sat"),
        ("en,fr", "sat", "sat"),
        ("en,am", "", "und"),
    ],
)
def test_a_script_that_the_identifier_does_not_read(langs: str, declared: str, tag: str) -> None:
    pages = [
        page("http://a.example/en", told("en", 1), lang="en", declared_lang="en"),
        page("http://a.example/other", SANTALI, lang="am", declared_lang=declared),
    ]
    assert settled(made_site(*pages), langs)["other"] == tag
    assert settled(made_site(*pages), langs, source="text")["other"] == "und"


def test_a_page_of_no_words_is_what_it_declares() -> None:
    assert last(whole("und", 0.0, declared_lang="fr-CA", text="1 2 3")) == "fr"
    assert last(whole("und", 0.0, text="1 2 3")) == "und"


NAMES_OF_LANGUAGES = (
    "EN Afrikaans العربية Azərbaycanca Български বাংলা Català Česky Dansk Deutsch Ελληνικά English Español esti فارسی "
    "suomi Français Gaeilge עברית हिन्दी Hrvatski Magyar Bahasa Indonesia Italiano 日本語 Қазақ 한국어 Latviešu "
    "Македонски Bahasa Melayu Norsk Nederlands Polski Português (br) Română Slovenščina Shqip српски svensk"
)


@pytest.mark.parametrize(("read", "confidence", "lang"), [("en", 0.49, "mk"), ("en", 0.5, "en"), ("pcm", 0.9, "mk")])
def test_menus_of_no_clear_language_say_less_than_the_declaration(read: str, confidence: float, lang: str) -> None:
    """A page of a button and menus. A menu of all languages is in none of them, nor in one that the site lacks."""
    menus = [f"{told('en', number)} {NAMES_OF_LANGUAGES}" for number in range(3)]
    english = {"lang": "en", "declared_lang": "en"}
    clear = [page(f"http://a.example/en/{n}", *menus, f"Page {n}. {told('en', n)}", **english) for n in range(4)]
    button = page(
        "http://a.example/1", *menus, "Преземи", lang=read, confidence=confidence, declared_lang="mk", title="Android"
    )
    # The menus stand on more pages than languages, so that they are nobody's rare text.
    copies = [page(f"http://a.example/2/{n}", *menus, f"{n}", **english) for n in range(12)]
    assert settled(made_site(*clear, *copies, button), "en,mk")["1"] == lang


@pytest.mark.parametrize(("declared", "lang"), [("mk", "mk"), ("fr", "en")])
def test_menus_do_not_outvote_prose_in_the_declared_language(declared: str, lang: str) -> None:
    """Prose of one word that the reading took for Macedonian, within menus of English and names of languages."""
    menus = [f"{told('en', number)} {NAMES_OF_LANGUAGES}" for number in range(3)]
    english = {"lang": "en", "declared_lang": "en"}
    copies = [page(f"http://a.example/2/{n}", *menus, f"{n}", **english) for n in range(12)]
    button = page("http://a.example/1", *menus, "Преземи", lang="mk", confidence=0.5, declared_lang=declared)
    # The word stands in two versions: marks alone decide nothing.
    twin = page("http://a.example/3", *menus, "Преземи", lang="bg", confidence=0.5, declared_lang="bg")
    assert settled(made_site(*copies, button, twin), "en,mk")["1"] == lang


def test_a_menu_of_languages_in_one_block_is_no_rare_text() -> None:
    """On few pages of many languages the menu is rare; with it in the text the identifier sees a Creole, or Serbian."""
    words = "Download the program for all desktop computers here, where it is free of charge"
    blocks = words, NAMES_OF_LANGUAGES
    pages = [page(f"http://a.example/{n}", *blocks, f"({n})", lang="pcm", confidence=0.4) for n in range(6)]
    assert set(settled(made_site(*pages), "en,sr,hr,sl").values()) == {"en"}


def test_bokmål_is_the_norwegian_of_the_identifier() -> None:
    asked = ({"nb", "en"}, {"no", "en"}, {"no", "nb"})
    assert [identify_among(NORWEGIAN, langs) for langs in asked] == ["nb", "no", "no"]


def test_of_near_languages_that_text_does_not_tell_the_marks_do() -> None:
    malay = "Aplikasi untuk Distro berasaskan Debian. Bukan pada Linux? Untuk menggunakan aplikasi desktop"
    declared = {"ms": "ms", "en1": "en", "en2": "en", "en3": "en"}
    pages = [
        page(f"http://a.example/{name}", malay, f"({name})", lang="id", confidence=0.6, declared_lang=lang)
        for name, lang in declared.items()
    ]
    assert settled(made_site(*pages), "id,ms,en") == {"ms": "ms", "en1": "id", "en2": "id", "en3": "id"}


def test_no_documents() -> None:
    assert resolve_languages(made_site(), ("en", "fr")) == []


def test_of_a_course_the_explanation_says_more_than_the_lines_of_all_versions() -> None:
    """The Norwegian lines stand in nine versions, the explanation in the three that nobody translated."""
    lines = [f"{NORWEGIAN} {number}" for number in range(4)]
    langs, explanation = ("de", "es", "fi", "fr", "it", "pt"), [told("en", number) for number in range(4)]
    translated = [page(f"http://a.example/{lang}", *lines, told(lang, 0)) for lang in langs]
    left = [page(f"http://a.example/{name}", name, *lines, *explanation) for name in ("a", "b", "c")]
    found = resolve_languages(made_site(*translated, *left), ("en", "fr"))
    assert [(each.tag, each.by) for each in found[:3]] == [("en", "all its text")] * 3


UZBEK = {
    "Latn": "Barcha odamlar erkin, qadr-qimmat va huquqlarda teng bo‘lib tug‘iladilar. Ular aql va vijdon sohibidirlar",
    "Cyrl": "Барча одамлар эркин, қадр-қиммат ва ҳуқуқларда тенг бўлиб туғиладилар. Улар ақл ва виждон соҳибидирлар",
}


def uzbek(script: str, count: int) -> list[dict[str, Any]]:
    return [page(f"http://a.example/{script}/{n}", f"{UZBEK[script]} {n}", lang="uz") for n in range(count)]


@pytest.mark.parametrize(
    ("latin", "cyrillic", "langs", "names"),
    [
        (3, 3, "uz,ru", {"uz-Latn", "uz-Cyrl"}),
        (9, 0, "uz,ru", {"uz"}),
        (9, 2, "uz,ru", {"uz"}),
        (2, 1, "uz-Latn,uz-Cyrl", {"uz-Latn", "uz-Cyrl"}),
        (1, 0, "uz-Cyrl,ru", {"uz-Latn"}),
    ],
)
def test_a_language_in_two_scripts_carries_its_script(latin: int, cyrillic: int, langs: str, names: set[str]) -> None:
    found = settled(made_site(*uzbek("Latn", latin), *uzbek("Cyrl", cyrillic), *editions(("ru",), range(4))), langs)
    of_uzbek = {path: tag for path, tag in found.items() if not path.startswith("ru")}
    assert set(of_uzbek.values()) == names
    assert all(tag == "uz" or path.startswith(tag[3:]) for path, tag in of_uzbek.items())


def test_a_page_without_text_of_its_own_is_in_the_script_of_all_its_text() -> None:
    lines = [f"{UZBEK['Cyrl']} {number}" for number in range(3)]
    # Each line stands on three pages.
    menus = [page(f"http://a.example/Cyrl/menu{n}", *lines[:n], *lines[n + 1 :], lang="uz") for n in range(3)]
    found = settled(made_site(*uzbek("Latn", 4), *uzbek("Cyrl", 3), *menus), "uz,ru")
    assert {tag for path, tag in found.items() if path.startswith("Cyrl")} == {"uz-Cyrl"}


TAKEN_FOR = {
    "bs": "Opština Centar obavještava građane da su uslovi za prijavu objavljeni na oglasnoj ploči Sarajevo",
    "hr": "Pekar rano ujutro otvara svoju trgovinu i prodaje svježi kruh ljudima koji stanuju u blizini grada",
    "da": SENTENCES["da"],
    "no": NORWEGIAN,
    "en": SENTENCES["en"],
}
"""Texts that the identifier takes for a language; the first two may as well be Serbian."""


def named_as(declared: dict[str, str], langs: str = "en,de", **counts: int) -> dict[str, str]:
    """Language of a page by what the identifier takes it for -> the language it has, on a site with ``counts`` pages of
    each; ``declared``: what the first page of each declares."""
    pages = [
        page(
            f"http://a.example/{tag}{number}",
            f"{TAKEN_FOR[tag]} ({number})",
            lang=tag,
            declared_lang=declared.get(tag, "") if number == 0 else "",
        )
        for tag, count in counts.items()
        for number in range(count)
    ]
    found = settled(made_site(*pages), langs)
    return {tag: found[f"{tag}{counts[tag] - 1}"] for tag in counts}


@pytest.mark.parametrize(
    ("declared", "langs", "names"),
    [
        ({"en": "en", "hr": "sr"}, "en,de", {"bs": "sr-Latn", "hr": "sr-Latn", "en": "en"}),
        ({"en": "en", "bs": "hr"}, "en,de", {"bs": "hr", "hr": "hr", "en": "en"}),
        # What the user wants counts as named.
        ({}, "en,sr", {"bs": "sr-Latn", "hr": "sr-Latn", "en": "en"}),
        # The site names both, so that both are told apart as well as may be.
        ({"hr": "hr", "bs": "bs"}, "en,de", {"bs": "bs", "hr": "hr", "en": "en"}),
        # It names none: the commoner one.
        ({}, "en,de", {"bs": "hr", "hr": "hr", "en": "en"}),
        # What the site names is in another script.
        ({"en": "ru", "bs": "en"}, "en,de", {"bs": "hr", "hr": "hr", "en": "en"}),
    ],
)
def test_of_languages_that_nobody_tells_apart_a_page_is_in_the_one_that_the_site_names(
    declared: dict[str, str], langs: str, names: dict[str, str]
) -> None:
    assert named_as(declared, langs, bs=3, hr=4, en=4) == names


def test_names_beside_serbian_words_are_not_english_because_the_chance_is_shared() -> None:
    """The identifier gives .04 to English, .08 to Croatian, .07 to Bosnian and .005 to Serbian."""
    cast = "Režija: Peter Brown Uloge: Mary Green, Robert Hill, Molly Wright Premijera: 27 Juli 2018 (UK)"
    site = made_site(page("http://a.example/cast", cast, lang="en"), *editions(("en",), range(4)))
    assert settled(site, "en,sr")["cast"] == "sr-Latn"


def test_the_identifier_tells_danish_from_norwegian() -> None:
    assert named_as({"no": "no", "en": "en"}, da=3, no=4, en=3) == {"da": "da", "no": "no", "en": "en"}
