"""Near copies, and originals in foreign frames."""

from __future__ import annotations

import pyarrow as pa
import pytest

from alike_pages import in_foreign_frames, left_untranslated, near_duplicates
from diglot.duplicates.marking import DuplicateKind, Representative, _add_duplicates, mark_duplicates
from diglot.duplicates.reprints import find_reprints
from made_documents import made_page, made_site

ENGLISH = ["Back to the table of contents of this manual", "Search all of the documentation pages here"]
HUNGARIAN = [
    "Vissza a kézikönyv tartalomjegyzékéhez és a tárgymutatóhoz",
    "Keresés az összes dokumentációs oldal között",
]


def test_near_copies_share_nearly_all_their_text() -> None:
    text = [f"Paragraph number {n} tells of something that no other one tells" for n in range(30)]
    pages = [made_page("http://a/1", "en", text), made_page("http://a/2", "en", [*text, "Hu"])]
    pages += [made_page("http://a/3", "en", text[:20]), made_page("http://a/4", "fr", text)]
    site = made_site(*pages)
    assert near_duplicates(site) == {0: [1], 1: [0]}


def linking(url: str, *urls: str, lang: str = "en") -> dict[str, object]:
    """A page of two words of its own that links to others."""
    fields = {name: [""] * len(urls) for name in ("link_anchors", "link_hreflangs")}
    fields |= {"link_urls": list(urls), "link_alternate": [False] * len(urls)}
    return made_page(url, lang, [f"{url} {lang}"], **fields)


@pytest.mark.parametrize(
    ("links_to_copy", "lang", "found"), [(0, "en", ["b"]), (2, "en", ["b"]), (3, "en", []), (9, "fr", ["b"])]
)
def test_a_copy_that_its_own_language_hardly_links_to_is_shown_again(
    links_to_copy: int, lang: str, found: list[str]
) -> None:
    """Six English pages link to the one: those that link to the other would have to be more than two."""
    text = [f"Paragraph number {n} tells of something that no other one tells" for n in range(9)]
    pages = [made_page(f"http://x/{name}", "en", text) for name in ("a", "b")]
    pages += [linking(f"http://x/{n}", "http://x/a", "http://x/a") for n in range(6)]
    pages += [linking(f"http://x/{lang}/{n}", "http://x/b", lang=lang) for n in range(links_to_copy)]
    pages += [made_page("http://x/c", "en", ["Quite another text, to which no page links at all"])]
    site = made_site(*pages)
    assert [site.urls[row][9:] for row in find_reprints(site, near_duplicates(site))] == found


@pytest.mark.parametrize(
    ("links", "original"), [((6, 6), "a"), ((6, 7), "b"), ((7, 6), "a"), ((1, 6), "b"), ((6, 1), "a")]
)
def test_of_two_originals_the_one_linked_most_stands_for_a_copy_and_then_the_first(
    links: tuple[int, int], original: str
) -> None:
    text = [f"Paragraph number {n} tells of something that no other one tells" for n in range(9)]
    pages = [made_page(f"http://x/{name}", "en", text) for name in ("a", "b", "c")]
    for name, times in zip("ab", links, strict=True):
        pages += [linking(f"http://x/{name}/{n}", f"http://x/{name}") for n in range(times)]
    site = made_site(*pages)
    assert (
        site.urls[find_reprints(site, near_duplicates(site))[site.urls.index("http://x/c")]] == f"http://x/{original}"
    )


def made_page_text(blocks: list[str]) -> dict[str, object]:
    """What a page with these blocks has instead of another's text."""
    page = made_page("", "", blocks)
    return {name: page[name] for name in page if name.startswith(("block", "chunks", "tokens", "text"))}


def test_an_original_in_the_frame_of_another_edition_is_known_as_a_copy() -> None:
    def body(n: int) -> list[str]:
        return [f"Chapter {n} describes in {n} plain English words how music {n} is written down on paper"]

    pages = [made_page(f"http://a/en/{n}", "en", [*ENGLISH, *body(n)]) for n in range(8)]
    pages += [made_page(f"http://a/hu/{n}", "en", [*HUNGARIAN, *body(n)]) for n in range(5)]
    versions = [
        made_page(f"http://a/old/{n}", "en", [*ENGLISH[:1], "An older version of it", *body(n)]) for n in (6, 7)
    ]
    site = made_site(*pages, *versions)
    found = {site.urls[copy]: site.urls[original] for copy, original in in_foreign_frames(site).items()}
    assert found == {f"http://a/hu/{n}": f"http://a/en/{n}" for n in range(5)}


def test_a_page_left_untranslated_in_another_edition_is_known_as_a_copy() -> None:
    def body(n: int) -> list[str]:
        return [
            f"Chapter {n} describes in {n} plain English words how music {n} is written down on paper",
            f"It goes on at some length about the {n} ways in which a note {n} may be held",
        ]

    pages = [made_page(f"http://a/en/{n}", "en", [*ENGLISH, *body(n)]) for n in range(8)]
    own = [
        f"A {n}. fejezet a zene {n} leírásáról szól, magyarul, és elég hosszan ahhoz, hogy számítson" for n in range(8)
    ]
    pages += [made_page(f"http://a/hu/{n}", "hu", [*HUNGARIAN, own[n]]) for n in range(6)]
    pages += [made_page("http://a/hu/6", "hu", [*HUNGARIAN, *body(6)])]
    # Half of it, or nothing but a listing, is no reason.
    pages += [made_page("http://a/hu/7", "hu", [*HUNGARIAN, own[7], *body(7)[:1]])]
    pages += [made_page(f"http://a/{lang}/8", lang, ["12 + 3.5 = 15.5", "x << y >> z"]) for lang in ("en", "hu")]
    site = made_site(*pages)
    found = {site.urls[copy]: site.urls[original] for copy, original in left_untranslated(site).items()}
    assert found == {"http://a/hu/6": "http://a/en/6"}


def marked(*pages: dict[str, object]) -> dict[str, str]:
    """What is said of each page that another stands for."""
    table = mark_duplicates(made_site(*pages))
    return {row["url"]: row["detail"] for row in table.to_pylist() if row["reason"] == "duplicate"}


def chapter(n: int, *, words: int = 12) -> list[str]:
    """English text of a chapter, unlike any other."""
    return [
        f"Chapter {n} describes in {n} plain English words how music {n} is written, part {k}" for k in range(words)
    ]


def test_each_copy_is_told_with_what_it_is_to_the_page_that_stands_for_it() -> None:
    pages = [made_page(f"http://a/en/{n}", "en", [*ENGLISH, *chapter(n)]) for n in range(12)]
    own = [f"A {n}. fejezet a zene {n} leírásáról szól, magyarul, és elég hosszan ahhoz" for n in range(12)]
    pages += [made_page(f"http://a/hu/{n}", "hu", [*HUNGARIAN, own[n]]) for n in range(6)]
    pages += [made_page("http://a/hu/6", "hu", [*HUNGARIAN, *chapter(6)])]
    pages += [made_page("http://a/hu/7", "en", [*HUNGARIAN, *chapter(7)])]
    pages += [made_page("http://a/print/8.html", "en", [*ENGLISH, *chapter(8)])]
    pages += [made_page("http://a/old/9", "en", [*ENGLISH, *chapter(9), "Hu"])]
    pages += [linking(f"http://a/more/{n}", "http://a/en/9", "http://a/en/9") for n in range(4)]
    assert marked(*pages) == {
        "http://a/hu/6": "left untranslated in another language version, original at http://a/en/6",
        "http://a/hu/7": "left untranslated in another language version, original at http://a/en/7",
        "http://a/print/8.html": "equal to http://a/en/8",
        "http://a/old/9": "reprint of http://a/en/9",
    }


def test_a_page_has_the_addresses_of_the_pages_with_the_same_text() -> None:
    """So has it those of its reprints, but not of a page left untranslated elsewhere, whose frame is another one."""
    pages = [made_page(f"http://a/en/{n}", "en", [*ENGLISH, *chapter(n)]) for n in range(12)]
    own = [f"A {n}. fejezet a zene {n} leírásáról szól, magyarul, és elég hosszan ahhoz" for n in range(12)]
    pages += [made_page(f"http://a/hu/{n}", "hu", [*HUNGARIAN, own[n]]) for n in range(6)]
    pages += [made_page("http://a/hu/7", "en", [*HUNGARIAN, *chapter(7)])]
    pages += [made_page(f"http://a/print/{n}.html", "en", [*ENGLISH, *chapter(8)]) for n in range(2)]
    pages += [made_page("http://a/old/9", "en", [*ENGLISH, *chapter(9), "Hu"])]
    pages += [linking(f"http://a/more/{n}", "http://a/en/9", "http://a/en/9") for n in range(4)]
    table = mark_duplicates(made_site(*pages))
    found = dict(zip(table["url"].to_pylist(), table["equal_urls"].to_pylist(), strict=True))
    assert {url: equal for url, equal in found.items() if equal} == {
        "http://a/en/8": ["http://a/print/0.html", "http://a/print/1.html"],
        "http://a/en/9": ["http://a/old/9"],
    }


def test_of_pages_that_stand_for_each_other_one_stays() -> None:
    originals: dict[str, Representative] = {}
    _add_duplicates(originals, "abcd", {0: 1, 1: 2, 2: 0, 3: 2}, DuplicateKind.EQUAL)
    assert {url: original.url for url, original in originals.items()} == {"a": "b", "b": "c", "d": "c"}


def test_copies_of_one_page_in_two_editions_are_copies_of_the_original_and_not_of_each_other() -> None:
    pages = [made_page(f"http://a/orig/{n}", "en", [*ENGLISH, *chapter(n)]) for n in range(8)]
    menus = {
        "fr": "Retour à la table des matières de ce manuel",
        "de": "Zurück zum Inhaltsverzeichnis dieses Handbuchs",
    }
    own = {
        "fr": "Le chapitre décrit comment la musique s'écrit",
        "de": "Das Kapitel beschreibt, wie Musik geschrieben wird",
    }
    for lang, menu in menus.items():
        pages += [made_page(f"http://a/{lang}/{n}", lang, [menu, f"{own[lang]} {n}"]) for n in range(7)]
        pages.append(made_page(f"http://a/{lang}/7", lang, [menu, *chapter(7)]))
    said = "left untranslated in another language version, original at http://a/orig/7"
    assert marked(*pages) == {"http://a/de/7": said, "http://a/fr/7": said}


def test_pages_of_unwanted_languages_are_no_copies_but_tell_of_editions() -> None:
    pages = [made_page(f"http://a/en/{n}", "en", [*ENGLISH, *chapter(n)]) for n in range(8)]
    pages += [made_page(f"http://a/hu/{n}", "en", [*HUNGARIAN, *chapter(n)], reason="other_language") for n in range(3)]
    table = mark_duplicates(made_site(*pages))
    assert set(table["reason"].to_pylist()) == {"", "other_language"}
    assert pa.compute.sum(pa.compute.equal(table["reason"], "other_language")).as_py() == 3
