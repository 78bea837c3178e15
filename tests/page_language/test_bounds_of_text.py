"""What a page's text says of its language: cases worked by hand on both sides of each bound."""

from __future__ import annotations

from collections import Counter
from math import isnan
from typing import Any

import numpy as np
import pytest

from diglot.documents.language import sample_lengths
from diglot.page_language import own_text, resolving
from diglot.page_language.lost_pages import with_lost
from diglot.page_language.own_text import OwnText, declared_unknown, page_classes, possible_unknown, weight, weights
from diglot.page_language.resolving import DECLARED, OWN, VERSION, WHOLE, _Evidence, _odd_pages, _OwnLanguage
from diglot.results.explain import language_text
from made_documents import made_page, made_site


@pytest.mark.parametrize(
    ("char", "letters"),
    [
        *(("a", 1), ("\u303f", 0), ("\u3041", 4), ("日", 4), ("\ud7a3", 4), ("\uff21", 1), ("、", 0), ("・", 0)),
        *(("\u10ff", 1), ("\u1200", 4), ("\u1380", 1), ("\u1361", 0)),  # Georgian, Ethiopic letters and colon
    ],
)
def test_ideographs_count_as_four_letters(char: str, letters: int) -> None:
    assert weight(f"1 {char}b") == letters + 1


def test_weights_count_every_character_and_ideographs_four_times() -> None:
    blocks = ["ab, 1", "日本x", "\u303f", "\ud7a4", "ጸጕሪ", "\u11ff"]
    texts = made_site(made_page("http://a/1", "en", blocks)).numbered_blocks.dictionary
    assert weights(texts).tolist() == [5, 9, 1, 1, 12, 1]


def test_pages_of_the_same_blocks_in_the_same_order_are_one() -> None:
    assert page_classes(np.array([1, 2, 2, 1, 1, 2, 1]), np.array([0, 2, 4, 6, 7, 7])).tolist() == [0, 1, 0, 3, 4]


def sample_of(first: dict[str, Any], *others: dict[str, Any]) -> str:
    return OwnText(made_site(first, *others)).samples()[0]


@pytest.mark.parametrize(("letters", "alone"), [(60, True), (59, False)])
def test_sixty_letters_on_this_page_alone_are_enough(letters: int, alone: bool) -> None:
    own, shared, menu = "a" * letters, "b" * 70, "c" * 80
    pages = [
        made_page(f"http://a/{n}", "en", blocks)
        for n, blocks in enumerate(([own, shared, menu], [shared, menu], [menu]))
    ]
    assert sample_of(*pages) == (own if alone else f"{own} {shared}")


@pytest.mark.parametrize(("letters", "alone"), [(60, True), (59, False)])
def test_sixty_letters_of_prose_are_enough(letters: int, alone: bool) -> None:
    page = made_page("http://a/0", "en", ["c" * 50, "a" * letters, "p" * 90])
    page |= {"block_main": [False, True, True], "block_kinds": [0, 0, 7]}
    assert sample_of(page) == ("a" * letters if alone else f"{'c' * 50} {'a' * letters} {'p' * 90}")


def test_each_text_is_sampled_once_and_four_hundred_blocks_at_most() -> None:
    assert sample_of(made_page("http://a/0", "en", ["same"] * 3 + ["other"])) == "same other"
    blocks = [chr(0x4E00 + n) for n in range(401)]
    assert sample_of(made_page("http://a/0", "zh", blocks)) == " ".join(blocks[:400])


def test_a_page_shown_twice_is_alone_with_neither() -> None:
    pages = [made_page(f"http://a/{n}", "en", ["same"] if n < 2 else ["other"]) for n in range(3)]
    assert OwnText(made_site(*pages)).alone.tolist() == [False, False, True]


def test_a_page_without_prose_has_no_share_of_own_text() -> None:
    """Of a page of code alone, as of an empty one, nothing is own; of a page of a single letter, all is."""
    code = made_page("http://a/0", "en", ["p" * 90]) | {"block_kinds": [7]}
    pages = [code, made_page("http://a/1", "en", []), made_page("http://a/2", "en", ["a"])]
    assert OwnText(made_site(*pages)).shares(1).tolist() == [0, 0, 1]


@pytest.mark.parametrize(("languages", "share"), [(0, 30 / 30), (1, 30 / 30), (2, 30 / 60)])
def test_the_share_of_own_text_leaves_out_menus(languages: int, share: float) -> None:
    """Ten letters stand on one page, twenty on two, thirty on three: a menu, unless texts have two languages."""
    blocks = ["a" * 10, "b" * 20, "c" * 30, "d" * 100, "p" * 30]
    first = made_page("http://a/0", "en", blocks) | {"block_kinds": [0, 0, 0, 0, 7]}
    others = [made_page(f"http://a/{n}", "en", [*blocks[n:4], f"x{n}"]) for n in (1, 2, 3)]
    others.append(made_page("http://a/4", "en", [blocks[3], "x4"]))
    assert OwnText(made_site(first, *others)).shares(languages)[0] == pytest.approx(share)


@pytest.mark.parametrize(
    ("chars", "taken"),
    [
        ([], []),
        ([300, 300], [300, 300]),  # 600 characters are taken whole
        ([300, 301], [300, 300]),  # four places of eight each, 75 characters a place
        ([39, 600], [0, 600]),  # with enough prose short blocks are passed over
        ([40, 560], [40, 560]),
        ([39, 599], [0, 600]),  # too little prose without it, so that all counts: eight places of 638
        ([601, 39, 200], [450, 0, 150]),
        ([2400, 800, 800, 800], [300, 75, 150, 75]),
    ],
)
def test_a_sample_is_taken_from_eight_places(chars: list[int], taken: list[int]) -> None:
    assert sample_lengths(np.array(chars, np.int64)).tolist() == taken


@pytest.mark.parametrize(
    ("chars", "sizes", "taken"),
    [
        ([10, 560], [40, 560], [10, 560]),  # ten ideographs are prose, and all is taken
        ([9, 600], [36, 600], [0, 600]),  # nine are none
        ([9, 149], [36, 596], [9, 149]),  # too little prose without it
        ([150, 650], [600, 650], [75, 525]),  # one place of eight: ideographs are sampled by characters
    ],
)
def test_short_blocks_of_ideographs_are_prose(chars: list[int], sizes: list[int], taken: list[int]) -> None:
    assert sample_lengths(np.array(chars, np.int64), np.array(sizes, np.int64)).tolist() == taken


def a_page(**fields: Any) -> _Evidence:
    own = {"text": "own text", "size": 200, "tag": "en", "confidence": 0.99}
    others = {"whole": "fr", "claims": (), "share": 0.2, "agreed": ""}
    given = own | others | fields
    return _Evidence(_OwnLanguage(**{name: given[name] for name in own}), *(given[name] for name in others))


@pytest.mark.parametrize(
    ("fields", "edition", "settled"),
    [
        ({}, "", ("en", OWN)),
        ({}, "it", ("en", OWN)),
        ({"share": 0.19}, "", ("ca", WHOLE)),
        ({"share": 0.19, "whole": "it"}, "it", ("it", WHOLE)),  # all text and the version agree
        ({"whole": "it"}, "it", ("en", OWN)),  # and no more against sure text
        ({"size": 60}, "", ("en", OWN)),
        ({"size": 59, "claims": ("en",)}, "", ("ca", WHOLE)),
        ({"size": 59}, "fr", ("fr", WHOLE)),
        ({"size": 59}, "it", ("ca", WHOLE)),
        ({"confidence": 0.98}, "", ("de", OWN)),  # the likeliest of those asked for
        ({"confidence": 0.98}, "it", ("de", OWN)),
        ({"confidence": 0.98, "claims": ("es",)}, "", ("es", OWN)),
        ({"confidence": 0.98, "agreed": "pt"}, "", ("pt", DECLARED)),  # all marks
        ({"confidence": 0.98, "agreed": "ru"}, "", ("de", OWN)),  # text in Latin letters
        ({"agreed": "pt"}, "", ("en", OWN)),  # against sure text
        ({"size": 59, "agreed": "pt"}, "", ("ca", WHOLE)),  # hardly any own text: left untranslated
        ({"size": 59, "rare": "und"}, "it", ("it", VERSION)),
        ({"size": 59, "rare": "und"}, "", ("und", VERSION)),
        ({"size": 59, "rare": "und", "claims": ("pt", "it")}, "it", ("pt", DECLARED)),
        ({"tag": "no", "claims": ("nn",)}, "", ("nn", OWN)),  # no identifier tells these two apart
        ({"share": 0.1, "rare": "no", "claims": ("it", "nn")}, "", ("nn", WHOLE)),
    ],
)
def test_the_language_of_a_page(
    fields: dict[str, Any], edition: str, settled: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its own text a page is likeliest Spanish, then German, French, Italian; its rarest text is Catalan."""
    chances = {"es": 0.5, "de": 0.17, "fr": 0.16, "it": 0.02}
    monkeypatch.setattr(
        resolving,
        "probabilities",
        lambda text, langs: {lang: chances[lang] for lang in sorted(langs) if lang in chances},
    )
    rare = fields.pop("rare", "ca")
    assert a_page(**fields).resolve(edition, frozenset({"de", "en"}), lambda: rare)[:2] == settled


def test_where_no_language_asked_for_is_known_all_text_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolving, "probabilities", lambda text, langs: {})
    assert a_page(confidence=0.5).resolve("", frozenset({"ti"}), lambda: "ca") == ("fr", WHOLE, "")


@pytest.mark.parametrize(
    ("texts", "tags", "claims", "script", "found"),
    [
        (["abcde fghij klmno pqrst"], ["en"], [("tig",)], 0.5, {0: "tig"}),
        (["abcde fghij klmno pqrs"], ["en"], [("tig",)], 0.5, {}),  # 19 letters
        (["abcde fghij klmno pqrst"], ["en"], [("tig",)], 0.49, {}),  # of another script
        (["abcde fghij klmno pqrst"], ["en"], [("tig", "en")], 0.5, {}),  # a mark names English, too
        (["abcde fghij klmno pqrst"], ["en"], [("fr", "tig")], 0.5, {0: "tig"}),
        (["abcde fghij klmno pqrst"], ["en"], [("fr", "qq")], 0.5, {}),
        (["abcde fghij klmno pqrst", "Abcde x"], ["en", "en"], [("tig",), ()], 0.5, {0: "tig"}),  # one word of four
        (["abcde fghij klmno pqrst", "Abcde FGHIJ"], ["en", "en"], [("tig",), ()], 0.5, {}),  # two
        (["abcde fghij klmno pqrst", "abcde", "fghij"], ["en", "en", "fr"], [("tig",), (), ()], 0.5, {0: "tig"}),
        (["abcde fghij klmno pqrst", "abcde fghij"], ["en", "und"], [("tig",), ()], 0.5, {0: "tig"}),
        (
            ["abcde fghij klmno pqrst", "abcde fghij klmno pqrst"],
            ["en", "en"],
            [("tig",)] * 2,
            0.5,
            {0: "tig", 1: "tig"},
        ),
    ],
)
def test_a_page_is_in_an_unknown_language_that_it_declares(
    texts: list[str],
    tags: list[str],
    claims: list[tuple[str, ...]],
    script: float,
    found: dict[int, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(own_text, "own_script_share", lambda texts, lang: np.array([script]))
    assert declared_unknown(texts, tags, claims) == found


def test_the_code_of_a_country_is_no_language_in_another_script() -> None:
    # Twi, of which CLDR knows no script, is written as Akan is.
    assert declared_unknown(["繁體中文的網頁" * 4], ["zh-Hant"], [("tw",)]) == {}
    assert declared_unknown(["Me din de Kofi na me fi Kumase"], ["en"], [("tw",)]) == {0: "tw"}


AZERBAIJANI = "بوتون اینسانلار حیثیت و حاقلار باخیمیندان دنگ و اؤزگور دوغولارلار"
CENTRAL_KURDISH = "هەموو مرۆڤەکان بە ئازادی و یەکسانی لە دایک دەبن و خاوەنی کەرامەت و مافی یەکسانن"


@pytest.mark.parametrize(
    ("text", "tag", "langs", "found"),
    [
        # The identifier knows Azerbaijani in Latin letters, and takes it for Southern Uzbek in Arabic ones.
        (AZERBAIJANI, "uzs", ("az",), {0: "az"}),
        (AZERBAIJANI, "uzs", ("az", "ckb"), {0: "az"}),
        ("Bütün insanlar ləyaqət və hüquqlarına görə azad doğulurlar", "tr", ("az",), {}),
        # Kurdish, known in Latin letters, stands for Central Kurdish where a mark or the user names it.
        (CENTRAL_KURDISH, "sdh", ("ku", "ckb"), {0: "ckb"}),
        (CENTRAL_KURDISH, "sdh", ("ku",), {0: "ku"}),
        # A language written in one script is known or not.
        (AZERBAIJANI, "uzs", ("tr",), {}),
        (AZERBAIJANI, "uzs", ("fa",), {}),
    ],
)
def test_a_language_in_a_script_that_the_identifier_does_not_know_is_declared(
    text: str, tag: str, langs: tuple[str, ...], found: dict[int, str]
) -> None:
    assert declared_unknown([text], [tag], [langs]) == found


@pytest.mark.parametrize(
    ("text", "tag", "others", "lang", "found"),
    [
        ("Все люди рождаются свободными и равными", "ru", ["az"], "az", {}),
        (AZERBAIJANI, "uzs", ["en"], "az", {1: "az"}),
        (CENTRAL_KURDISH, "sdh", ["ku"], "ku", {1: "ku"}),
    ],
)
def test_a_template_declares_nothing_of_pages_in_another_script(
    text: str, tag: str, others: list[str], lang: str, found: dict[int, str]
) -> None:
    """A site in Azerbaijani and Russian, all of whose pages declare Azerbaijani; one in two Kurdish languages."""
    texts, claims = ["Bütün insanlar ləyaqət və hüquqlarına görə azad doğulurlar", text], [(lang,), (lang,)]
    assert declared_unknown(texts, [*others, tag], claims) == found


@pytest.mark.parametrize("code", ["ky", "tg"])
def test_english_under_the_code_of_a_language_in_cyrillic_letters_stays_english(code: str) -> None:
    text = "The county clerk will close the office on Monday for the holiday and open it again on Tuesday morning"
    assert declared_unknown([text], ["en"], [(code,)]) == {}


@pytest.mark.parametrize(
    ("named", "tags", "found"),
    [
        (3, ["am"] * 4 + ["en"] * 2, [0, 1, 2]),  # a catalogue: "tigrinja" on three pages taken for Amharic
        (2, ["am"] * 4 + ["en"] * 2, []),  # chance
        (6, ["am"] * 4 + ["en"] * 2, []),  # a menu
        (0, ["am"] * 4 + ["en"] * 2, []),
    ],
)
def test_a_catalogue_names_the_language_of_a_page(named: int, tags: list[str], found: list[int]) -> None:
    pages = [
        made_page(f"http://a/{n}", tag, [f"text {n}", *(["Tigrinya"] if n < named else [])])
        for n, tag in enumerate(tags)
    ]
    site = made_site(*pages)
    told = possible_unknown(OwnText(site), tags, ["en", "ti"], ())
    assert [page for page, langs in enumerate(told) if langs] == found
    assert set(told) <= {(), ("ti",)}


def test_a_language_is_taken_for_one_of_its_macrolanguage() -> None:
    site = made_site(made_page("http://a/0", "sdh", ["one"]), made_page("http://a/1", "fa", ["two"]))
    assert possible_unknown(OwnText(site), ["sdh", "fa"], ["ckb", "fa"], ()) == [("ckb",), ()]
    assert possible_unknown(OwnText(site), ["sdh", "fa"], ["ckb", "sdh"], ()) == [(), ()]


@pytest.mark.parametrize(("langs", "told"), [(["mi", "en"], [("mi",), ()]), (["mi", "ti"], [(), ()])])
def test_text_in_no_language_of_the_site_may_be_in_the_only_unknown_one(
    langs: list[str], told: list[tuple[str, ...]]
) -> None:
    site = made_site(made_page("http://a/0", "lv", ["one"]), made_page("http://a/1", "en", ["two"]))
    assert possible_unknown(OwnText(site), ["lv", "en"], langs, [0]) == told


@pytest.mark.parametrize(
    ("seen", "compared", "lost", "expected"),
    [
        (30.0, {"en": 30, "fr": 60}, {"en": 10, "fr": 0}, 40.0),
        (30.0, {"en": 30, "fr": 35}, {"en": 10, "fr": 0}, 35.0),  # there are no more French pages
        (10.0, {"en": 40, "fr": 40}, {"en": 8, "fr": 4}, 13.0),
        (10.0, {"en": 10, "fr": 4}, {"en": 8, "fr": 0}, 10.0),  # more pairs than pages: what was seen stays
        (10.0, {"en": 5, "fr": 40}, {"en": 4, "fr": 0}, 10.0),  # no page is in two pairs
        (0.0, {"en": 0, "fr": 9}, {"en": 4, "fr": 0}, 4.0),
    ],
)
def test_lost_pages_add_pairs(seen: float, compared: dict[str, int], lost: dict[str, int], expected: float) -> None:
    assert with_lost({"en-fr": seen}, [("en", "fr")], compared, lost) == pytest.approx({"en-fr": expected})


@pytest.mark.parametrize(("compared", "lost", "unknown"), [(0, 0, True), (1, 0, False), (0, 1, False)])
def test_of_an_unknown_language_without_pages_nobody_can_say(compared: int, lost: int, unknown: bool) -> None:
    found = with_lost({"ti-en": 0.0}, [("ti", "en")], {"en": 9, "ti": compared}, {"en": 0, "ti": lost})
    assert isnan(found["ti-en"]) == unknown


UNTOLD = "not known: too little text, or an unknown script"


@pytest.mark.parametrize(
    ("tag", "edition", "text"),
    [
        ("en", "", "English (en), by x"),
        ("en-GB", "en", "English (United Kingdom) (en-GB), by x"),
        ("en", "fr", "English (en), by x; the page stands in the language version of French (fr)"),
        (
            "und",
            "fr",
            "not known: too little text, or an unknown script; the page stands in the language version of French (fr)",
        ),
    ],
)
def test_the_language_of_a_page_in_words(tag: str, edition: str, text: str) -> None:
    assert language_text(tag, "x", edition) == text


@pytest.mark.parametrize(("sureness", "likely"), [(0.99, True), (0.98, False)])
def test_sure_texts_make_a_language_likely(sureness: float, likely: bool) -> None:
    assert resolving._likely_languages([("fr", sureness)] * 3, Counter()) == ({"fr"} if likely else set())


def test_odd_text_is_unsure_and_far_from_every_language_of_the_site() -> None:
    """Unsure Bosnian is near Croatian, and Catalan on three sure pages is in a language of the site."""
    tags = [("kik", 0.9), ("bs", 0.6), ("hr", 0.6), ("ca", 0.9), ("und", 0.0), ("kik", 1.0), ("kik", 1.0)]
    read = [_OwnLanguage("text", 100, *each) for each in tags]
    assert _odd_pages(read, frozenset({"hr", "mi"})) == [0, 3]
    assert _odd_pages([*read, *[_OwnLanguage("text", 100, "ca", 1.0)] * 3], frozenset({"hr", "mi"})) == [0]
