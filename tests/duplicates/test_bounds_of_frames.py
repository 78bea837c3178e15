"""Originals in another language version: cases worked by hand on both sides of each bound."""

from __future__ import annotations

import random

import numpy as np
import pytest

from alike_pages import abroad, containing_pages, in_foreign_frames, left_untranslated
from diglot.duplicates import untranslated
from diglot.duplicates.untranslated import BlockTexts, pages_in_foreign_frames
from diglot.features.frames import _mean_of_highest, frame_typicality
from diglot.site import Site
from made_documents import made_page, made_site, rows
from made_sites import SENTENCES as MENUS
from sentences import SENTENCES


def letters(sign: str, count: int) -> str:
    """A text of so many characters."""
    return sign * count


def contained(site: Site) -> list[tuple[str, str]]:
    """Copies and originals by the ends of their addresses."""
    found = containing_pages(site).items()
    return [(site.urls[copy][9:], site.urls[original][9:]) for copy, others in found for original in others]


@pytest.mark.parametrize(("own", "found"), [(10, [("a", "b")]), (11, [])])
def test_half_of_the_text_of_a_copy_stands_on_its_original(own: int, found: list[tuple[str, str]]) -> None:
    copy = made_page("http://x/a", "en", [letters("s", 10), letters("a", own)])
    original = made_page("http://x/b", "en", [letters("s", 10), letters("b", 90)])
    assert contained(made_site(copy, original)) == found


@pytest.mark.parametrize(
    ("pages", "others", "tells"),
    [(3, 6, True), (4, 5, False), (4, 36, True), (5, 44, False), (50, 550, True), (51, 549, False)],
)
def test_a_text_on_a_tenth_of_the_pages_and_on_three_and_on_fifty_at_most_tells_of_copies(
    pages: int, others: int, tells: bool
) -> None:
    shared = letters("s", 200)
    site = made_site(
        *(made_page(f"http://x/{n}", "en", [shared, f"{n}"]) for n in range(pages)),
        *(made_page(f"http://y/{n}", "en", [f"other {n}"]) for n in range(others)),
    )
    assert bool(contained(site)) == tells


def test_a_copy_is_compared_with_the_pages_that_have_most_of_its_text() -> None:
    """Of 60 characters ``d`` has 50, ``c`` and ``b`` have 40, ``e`` 30."""
    blocks = {sign: letters(sign, size) for sign, size in zip("pqrs", (30, 10, 10, 10), strict=True)}
    pages = {"a": "pqrs", "b": "pq", "c": "pr", "d": "pqr", "e": "p"}
    site = made_site(
        *(
            made_page(
                f"http://x/{name}", "en", [*(blocks[sign] for sign in signs), *([name * 99] if name != "a" else [])]
            )
            for name, signs in pages.items()
        ),
        *(made_page(f"http://y/{n}", "en", [f"other {n}"]) for n in range(45)),
    )
    assert contained(site) == [("a", "d"), ("a", "b"), ("a", "c"), ("a", "e")]


@pytest.mark.parametrize(("alike", "found"), [(5, 5), (6, 0)])
def test_a_page_is_compared_with_three_pages_more_than_the_site_has_languages(alike: int, found: int) -> None:
    """So many pages have one text in a French frame; of two languages five are looked at, and the original is next."""
    text = [f"Part {part} of a long story: " + "it goes on and on and is told here. " * 4 for part in range(4)]
    pages = [
        made_page(f"http://x/{lang}/{n}", lang, [*MENUS[lang][:4], f"{lang} {n}"]) for lang in MENUS for n in range(8)
    ]
    pages += [made_page(f"http://x/copy/{n}", "en", [*MENUS["fr"][:4], *text]) for n in range(alike)]
    pages += [made_page("http://x/original", "en", [*MENUS["en"][:4], *text[:3]])]
    pages += [made_page(f"http://y/{n}", "en", [f"other {n}"]) for n in range(70)]
    site = made_site(*pages)
    assert len(in_foreign_frames(site)) == found


def test_the_mean_of_the_eight_highest_values_of_each_page() -> None:
    page = np.array([0] * 9 + [2] * 2)
    share = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.4, 0.8])
    assert _mean_of_highest(page, share, 4) == pytest.approx([4.4 / 8, 0, 1.2 / 8, 0])


def framed() -> tuple[Site, BlockTexts]:
    """English pages 0 to 3 and French ones 4 to 6; "menu" is English, "carte" stands rather on French pages."""
    pages = [made_page(f"http://x/{n}", "en", ["menu", f"en {n}"]) for n in range(3)]
    pages += [made_page("http://x/3", "en", ["carte", "menu", "en 3"])]
    pages += [made_page(f"http://x/{n}", "fr", ["carte", f"fr {n}"]) for n in range(4, 7)]
    site = made_site(*pages)
    return site, BlockTexts(site)


def test_a_page_is_as_common_as_its_blocks_are_in_its_language() -> None:
    """The menu stands on 4 English pages, "carte" on 3 French ones and one English one."""
    assert framed()[1].commonness.tolist() == [5, 5, 5, 6, 4, 4, 4]


def story(lang: str, number: int) -> list[str]:
    """Five texts of 100 characters, on no other page."""
    return [f"{lang} {number} {part} {SENTENCES[lang] * 3}"[:100] for part in range(5)]


@pytest.mark.parametrize(
    ("english", "french", "edition", "found"),
    [
        (5, 0, "", 5),
        (4, 0, "", 0),  # eight near duplicates
        (10, 1, "", 10),
        (9, 1, "", 0),  # two are French, eighteen English: versions of a text
        (5, 0, "en", 0),
        (5, 0, "hu", 5),
    ],
)
def test_near_duplicates_in_a_single_language_are_copies_where_they_lack_its_menu(
    english: int, french: int, edition: str, found: int
) -> None:
    pages = [
        made_page(f"http://x/{lang}/{n}", lang, [f"menu {lang}", *story(lang, n)]) for lang in MENUS for n in range(12)
    ]
    for lang, count in (("en", english), ("fr", french)):
        pages += [
            made_page(f"http://y/{lang}/{n}", lang, [*story(lang, n)[:4], "own"], edition=edition) for n in range(count)
        ]
    site = made_site(*pages)
    copies = {site.urls[copy]: site.urls[original] for copy, original in abroad(site).items()}
    assert copies == {f"http://y/en/{n}": f"http://x/en/{n}" for n in range(found)}


@pytest.mark.parametrize(
    ("title", "other", "own"),
    [
        ("The road to the old harbour", "The road to the old harbour", False),
        ("The road to the old harbour", "The way back through the wood", True),
        ("Ang daan patungo sa lumang daungan ng bayan", "The road to the old harbour", False),  # left in its frame
        ("", "The road to the old harbour", False),
    ],
)
def test_a_title_of_its_own_is_another_in_the_language_of_the_page(title: str, other: str, own: bool) -> None:
    site = made_site(
        made_page("http://x/0", "en", ["a"], title=title), made_page("http://x/1", "en", ["b"], title=other)
    )
    assert BlockTexts(site).has_own_title(0, 1) == own


@pytest.mark.parametrize(("title", "found"), [("Contents of the first chapter", 5), ("Contents of the second one", 0)])
def test_lists_of_contents_with_titles_of_their_own_are_no_copies(title: str, found: int) -> None:
    pages = [
        made_page(f"http://x/{lang}/{n}", lang, ["a menu of all", *story(lang, n)], title=title)
        for lang in MENUS
        for n in range(12)
    ]
    pages += [
        made_page(f"http://y/en/{n}", "en", [*story("en", n)[:4], "own"], title="Contents of the first chapter")
        for n in range(5)
    ]
    site = made_site(*pages)
    assert len(abroad(site)) == found


@pytest.mark.parametrize(
    ("editions", "found"),
    [
        (("en", "it", ""), {1: 0}),
        (("en", "", "it"), {2: 0}),
        (("", "it", "fr"), {1: 0, 2: 0}),
        (("", "en", "it"), {2: 1}),  # rather a page that names its language
        (("it", "it", "it"), {}),
        (("", "", ""), {}),  # versions of a licence, say
    ],
)
def test_a_near_duplicate_in_the_version_of_another_language_gives_way(
    editions: tuple[str, ...], found: dict[int, int]
) -> None:
    pages = [
        made_page(f"http://x/{n}", "en", [*story("en", 0)[:4], f"own {n}"], edition=edition)
        for n, edition in enumerate(editions)
    ]
    site = made_site(*pages)
    assert abroad(site) == found


@pytest.mark.parametrize(("own", "found"), [(100, True), (101, False)])
def test_near_duplicates_share_four_fifths_of_the_longer_page(own: int, found: bool) -> None:
    pages = [made_page("http://x/0", "en", [*story("en", 0)[:4], letters("a", own)], edition="en")]
    pages += [made_page("http://x/1", "en", [*story("en", 0)[:4], letters("b", own)], edition="it")]
    site = made_site(*pages)
    assert bool(abroad(site)) == found


def test_typicality_among_some_pages_leaves_out_what_stands_on_the_others() -> None:
    site, _ = framed()
    among = frame_typicality(site, np.arange(4), np.array([4, 5]))
    assert among == pytest.approx([1.25 / 8] * 4 + [0] * 3)
    assert frame_typicality(site, np.array([0, 3]), np.array([], int)) == pytest.approx([1.5 / 8, 0, 0, 2 / 8, 0, 0, 0])


@pytest.mark.parametrize(
    ("theirs", "sureness", "surprise"),
    [
        ({"en": 0.8}, 0.9, 10.0),
        ({"en": 0.8}, 0.91, 1.0),  # the language of the page's words is not sure
        ({"en": 0.4, "es": 0.8}, 0.9, 1.0),  # both frames are foreign
        ({"en": 0.4, "es": 0.8}, 0.0, 5.0),
        (None, 0.9, 10.0),
        (None, 0.0, 1.0),  # a word on one of two near duplicates alone
    ],
)
def test_of_the_frame_of_the_original_nothing_is_foreign(
    theirs: dict[str, float] | None, sureness: float, surprise: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What only the copy has is ten times likelier in French than in English."""
    for bound in ("MIN_FRAME_PAGES", "MIN_FRAME_PAGES_OF_A_LANGUAGE"):
        monkeypatch.setattr(untranslated, bound, 1)
    chances = {"copies": {"en": 0.09, "fr": 0.9}, "origin": theirs}
    monkeypatch.setattr(untranslated, "probabilities", chances.__getitem__)
    blocks = [["copies"], ["origin"] if theirs else []]
    site = made_site(*(made_page(f"http://x/{n}", "en", each) for n, each in enumerate(blocks)))
    assert BlockTexts(site).surprise_ratio(0, 1, sureness) == pytest.approx(surprise)


def test_a_sample_is_the_beginning_of_the_texts() -> None:
    rng = random.Random(0)
    for size in (3, 40, 200):
        blocks = ["".join(rng.choices("abcdef", k=rng.randint(1, 40))) for _ in range(size)]
        texts = BlockTexts(made_site(made_page("http://x/1", "en", blocks)))
        once = list(dict.fromkeys(blocks))
        assert texts._sample(list(range(len(once)))) == " ".join(once)[:600]


@pytest.mark.parametrize(("more", "found"), [(10.0, {0: 2}), (9.99, {})])
def test_the_most_surprising_frame_of_near_duplicates(
    more: float, found: dict[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Page 0 is as far from 2 as from 3, and less so from 1: the first of the farthest represents it."""
    surprise = {1: 5.0, 2: more, 3: more}
    monkeypatch.setattr(BlockTexts, "surprise_ratio", lambda self, copy, other, sureness: surprise[other])
    site = made_site(*(made_page(f"http://x/{n}", "en", [f"{n}"]) for n in range(4)))
    assert pages_in_foreign_frames(BlockTexts(site), {0: [1, 3, 2]}, 0.0) == found


@pytest.mark.parametrize(
    ("mine", "theirs", "surprise"),
    [("abcdef", "ghijkl", 8.0), ("abcde", "ghijkl", 1.0), ("abcdef", "ghijk1", 1.0), ("a-b-c-d-e-f", "ghijkl", 8.0)],
)
def test_fewer_than_six_letters_of_a_frame_surprise_nobody(
    mine: str, theirs: str, surprise: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page's words are ten times likelier in Spanish than in English, the other's are a quarter likelier."""
    chances = {mine[:1]: {"en": 0.08, "es": 0.8}, theirs[:1]: {"en": 0.4, "es": 0.5}}
    for bound in ("MIN_FRAME_PAGES", "MIN_FRAME_PAGES_OF_A_LANGUAGE"):
        monkeypatch.setattr(untranslated, bound, 1)
    monkeypatch.setattr(untranslated, "probabilities", lambda text: chances[text[0]])
    site = made_site(made_page("http://x/0", "en", [mine]), made_page("http://x/1", "en", [theirs]))
    assert BlockTexts(site).surprise_ratio(0, 1, 0.0) == pytest.approx(surprise)


@pytest.mark.parametrize(("mine", "theirs", "surprise"), [({"en": 0.08}, {}, 10.0), ({}, {"en": 0.4}, 0.5)])
def test_a_frame_of_which_the_identifier_says_nothing_in_the_language_surprises_nobody(
    mine: dict[str, float], theirs: dict[str, float], surprise: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other's words are ten times, or twice, likelier in Spanish; those without a figure for English count 1."""
    chances = {"a": {**mine, "es": 0.8}, "g": {**theirs, "es": 0.8}}
    for bound in ("MIN_FRAME_PAGES", "MIN_FRAME_PAGES_OF_A_LANGUAGE"):
        monkeypatch.setattr(untranslated, bound, 1)
    monkeypatch.setattr(untranslated, "probabilities", lambda text: chances[text[0]])
    site = made_site(made_page("http://x/0", "en", ["abcdef"]), made_page("http://x/1", "en", ["ghijkl"]))
    assert BlockTexts(site).surprise_ratio(0, 1, 0.0) == pytest.approx(surprise)


@pytest.mark.parametrize(("share_of_hungarian", "found"), [(0, True), (1, False)])
def test_a_page_is_left_untranslated_from_four_fifths_of_its_text_on(share_of_hungarian: int, found: bool) -> None:
    """400 characters of English stand on the English page, too; 100 of Hungarian do not, or 101."""
    english, hungarian = (SENTENCES["en"] * 5)[:399] + "x", (SENTENCES["hu"] * 2)[:99] + "x" * (1 + share_of_hungarian)
    pages = [made_page("http://x/en", "en", [english]), made_page("http://x/hu", "hu", [english, hungarian])]
    site = made_site(*pages)
    assert left_untranslated(site) == (dict([rows(site, "http://x/hu", "http://x/en")]) if found else {})


def test_a_text_left_untranslated_is_that_of_the_page_in_its_language() -> None:
    """The French page has more of it, and another English page more text."""
    parts = [f"{SENTENCES['en']} ({n})" for n in range(3)]
    pages = [
        made_page("http://x/hu", "hu", parts),
        made_page("http://x/fr", "fr", [*parts, *(f"{SENTENCES['fr']} ({n})" for n in range(20))]),
        made_page("http://x/1", "en", [f"Something else, part {n}" for n in range(9)]),
        made_page("http://x/2", "en", parts[:2]),
    ]
    site = made_site(*pages)
    copy, original = rows(site, "http://x/hu", "http://x/2")
    assert left_untranslated(site)[copy] == original
    # Nothing tells which of two pages in foreign text is the original.
    assert left_untranslated(made_site(*pages[:3])) == {}


@pytest.mark.parametrize(("own", "found"), [("x y 1", True), ("xy", False)])
def test_letters_by_themselves_are_no_words_of_a_page(own: str, found: bool) -> None:
    english = [SENTENCES["en"], f"{SENTENCES['en']} Again."]
    pages = [made_page("http://x/en", "en", english), made_page("http://x/hu", "hu", [*english, f"{own} " * 60])]
    assert bool(left_untranslated(made_site(*pages))) == found


@pytest.mark.parametrize(("pages", "others", "found"), [(2, 0, True), (3, 0, False), (3, 6, False), (3, 7, True)])
def test_a_menu_left_in_english_on_three_pages_and_on_more_than_three_tenths_is_no_trace(
    pages: int, others: int, found: bool
) -> None:
    menu = f"{SENTENCES['en']} {SENTENCES['en']}"
    made = [made_page(f"http://x/hu/{n}", "hu", [menu, f"szöveg {n}"]) for n in range(pages)]
    made += [made_page(f"http://x/hu/other/{n}", "hu", [f"{SENTENCES['hu']} ({n})"]) for n in range(others)]
    assert bool(left_untranslated(made_site(*made, made_page("http://x/en", "en", [menu])))) == found


def test_a_menu_left_in_english_makes_no_english_text_a_translation() -> None:
    """A blog that was not translated, within a menu that was not either: the menu is longer than each post."""
    menu = f"{SENTENCES['en']} {SENTENCES['en']}"
    made = [made_page(f"http://x/hu/{n}", "hu", [menu, f"{SENTENCES['en']} Post {n}."]) for n in range(3)]
    site = made_site(*made, made_page("http://x/en/2", "en", [menu, f"{SENTENCES['en']} Post 2."]))
    assert left_untranslated(site) == dict([rows(site, "http://x/hu/2", "http://x/en/2")])


def listed(*, edition: str, together: bool) -> Site:
    """A Hungarian list of entries left in English; the entries stand on one English page, or each on its own."""
    entries = [f"{SENTENCES['en']} Entry {n}." for n in range(3)]
    pages = [made_page("http://x/hu/list", "hu", entries, edition=edition)]
    held = [entries] if together else [[entry] for entry in entries]
    pages += [made_page(f"http://x/en/{n}", "en", blocks, edition="en") for n, blocks in enumerate(held)]
    return made_site(*pages)


@pytest.mark.parametrize(
    ("edition", "together", "found"),
    [("hu", True, True), ("hu", False, False), ("", False, True), ("en", False, True), ("en", True, True)],
)
def test_a_list_in_its_own_version_is_left_untranslated_if_one_page_has_its_entries(
    edition: str, together: bool, found: bool
) -> None:
    assert bool(left_untranslated(listed(edition=edition, together=together))) == found


@pytest.mark.parametrize(("edition", "found"), [("", 1), ("fr", 1), ("en", 0)])
def test_a_page_in_its_own_version_is_in_no_foreign_frame(edition: str, found: int) -> None:
    """The copy has the text of the original, and a French menu."""
    text = [f"Part {part} of a long story: " + "it goes on and on and is told here. " * 4 for part in range(4)]
    pages = [
        made_page(f"http://x/{lang}/{n}", lang, [*MENUS[lang][:4], f"{lang} {n}"]) for lang in MENUS for n in range(8)
    ]
    pages += [made_page("http://x/copy", "en", [*MENUS["fr"][:4], *text], edition=edition)]
    pages += [made_page("http://x/original", "en", [*MENUS["en"][:4], *text[:3]])]
    pages += [made_page(f"http://y/{n}", "en", [f"other {n}"]) for n in range(70)]
    site = made_site(*pages)
    assert len(in_foreign_frames(site)) == found
