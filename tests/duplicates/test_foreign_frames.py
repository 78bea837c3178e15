"""Copies in a foreign frame: told by the language of what stands round the text that two pages share."""

from __future__ import annotations

import pytest

from alike_pages import in_foreign_frames
from diglot.site import Site
from made_documents import made_page, made_site
from made_sites import SENTENCES

ENGLISH, MORE_ENGLISH = SENTENCES["en"][:4], SENTENCES["en"][4:8]
FRENCH, MORE_FRENCH = SENTENCES["fr"][:4], SENTENCES["fr"][4:8]


def body(name: str) -> list[str]:
    """A text of three blocks, longer than a menu."""
    return [
        f"The {name} story, part {part}: " + f"{name} goes on and on and is told at length here. " * 4
        for part in range(3)
    ]


def site_with(original_menu: tuple[str, ...], copy_menu: tuple[str, ...], pages_with: int = 8) -> Site:
    """Pages in four menus, and one English text that stands in two of them."""
    pages = []
    for name, lang, menu in (
        ("a", "en", ENGLISH),
        ("b", "en", MORE_ENGLISH),
        ("c", "fr", FRENCH),
        ("d", "fr", MORE_FRENCH),
    ):
        pages += [made_page(f"http://x/{name}/{n}", lang, [*menu, *body(f"{name}{n}")]) for n in range(pages_with)]
    pages.append(made_page("http://x/original", "en", [*original_menu, *body("shared")]))
    pages.append(made_page("http://x/copy", "en", [*copy_menu, *body("shared"), "a last line"]))
    return made_site(*pages)


@pytest.mark.parametrize(
    ("original", "copy", "found"),
    [
        (ENGLISH, FRENCH, ["http://x/copy"]),
        (FRENCH, ENGLISH, ["http://x/original"]),
        ((), FRENCH, ["http://x/copy"]),
        (ENGLISH, MORE_ENGLISH, []),
        (FRENCH, MORE_FRENCH, []),
        (ENGLISH, (), []),
        ((*ENGLISH, *FRENCH[:3]), FRENCH[:3], []),
    ],
)
def test_only_what_stands_in_a_foreign_frame_is_a_copy(
    original: tuple[str, ...], copy: tuple[str, ...], found: list[str]
) -> None:
    site = site_with(original, copy)
    assert [site.urls[row] for row in in_foreign_frames(site)] == found


@pytest.mark.parametrize(("pages_with", "known"), [(1, False), (2, True)])
def test_a_text_on_three_pages_belongs_to_a_frame(pages_with: int, known: bool) -> None:
    """So many others have the French menu beside the copy."""
    site = site_with(ENGLISH, FRENCH, pages_with)
    assert bool(len(in_foreign_frames(site))) == known


@pytest.mark.parametrize(("langs", "found"), [(("fr", "hu"), []), (("fr", "fr"), ["http://x/copy"])])
def test_a_text_on_one_page_of_each_language_belongs_to_no_frame(langs: tuple[str, str], found: list[str]) -> None:
    """French slogans stand on the copy and on two other pages: each in another language, or both in one."""
    pages = [made_page(f"http://x/{n}", lang, [*FRENCH, *body(f"{lang}{n}")]) for n, lang in enumerate(langs)]
    pages.append(made_page("http://x/original", "en", [*ENGLISH, *body("shared")]))
    pages.append(made_page("http://x/copy", "en", [*FRENCH, *body("shared"), "a last line"]))
    pages += [made_page(f"http://x/en/{n}", "en", [*ENGLISH, *body(f"en{n}")]) for n in range(2)]
    site = made_site(*pages)
    assert [site.urls[row] for row in in_foreign_frames(site)] == found


def test_what_is_a_copy_itself_is_no_original_of_another() -> None:
    """The second copy has more in common with the first, a French block, than with the original of both."""
    text = body("shared")
    pages = [
        made_page(f"http://x/{lang}/{n}", lang, [*menu, *body(f"{lang}{n}")])
        for lang, menu in (("en", ENGLISH), ("fr", FRENCH))
        for n in range(8)
    ]
    pages += [
        made_page("http://x/first", "en", [FRENCH[0], *text]),
        made_page("http://x/second", "en", [*FRENCH[:2], *text[:2]]),
        made_page("http://x/original", "en", [*ENGLISH, *text]),
    ]
    site = made_site(*pages)
    found = {site.urls[copy]: site.urls[original] for copy, original in in_foreign_frames(site).items()}
    assert found == {"http://x/first": "http://x/original", "http://x/second": "http://x/original"}
