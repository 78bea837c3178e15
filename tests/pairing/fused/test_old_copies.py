"""Old copies in other language versions: cases worked by hand on both sides of each bound."""

from __future__ import annotations

import pytest

from diglot.pairing.fused.old_copies import old_copies
from made_documents import made_page, made_site


def copies_of(*pages: tuple[str, str, list[str]]) -> list[bool]:
    """The mask of pages, each by language, language version and blocks."""
    made = [made_page(f"http://x/{n}", lang, texts, edition=edition) for n, (lang, edition, texts) in enumerate(pages)]
    return old_copies(made_site(*made)).tolist()


@pytest.mark.parametrize(("kept", "is_copy"), [(24, False), (25, True)])
def test_a_quarter_of_the_text_of_an_original_makes_a_copy(kept: int, is_copy: bool) -> None:
    original = ("en", "en", ["k" * kept, "n" * 500])
    assert copies_of(original, ("en", "fr", ["k" * kept, "o" * (100 - kept)])) == [False, is_copy]


@pytest.mark.parametrize(
    ("lang", "edition", "is_copy"), [("en", "fr", True), ("en", "en", False), ("en", "", False), ("de", "fr", False)]
)
def test_a_copy_stands_in_the_version_of_another_language(lang: str, edition: str, is_copy: bool) -> None:
    assert copies_of(("en", "en", ["k" * 50]), (lang, edition, ["k" * 50])) == [False, is_copy]


@pytest.mark.parametrize(("edition", "is_copy"), [("en", True), ("", True), ("de", False)])
def test_an_original_stands_in_no_other_version(edition: str, is_copy: bool) -> None:
    assert copies_of(("en", edition, ["k" * 50]), ("en", "fr", ["k" * 50]))[1] == is_copy


@pytest.mark.parametrize(("originals", "is_copy"), [(3, True), (4, False)])
def test_a_phrase_of_four_originals_is_no_sign(originals: int, is_copy: bool) -> None:
    phrase = [("en", "en", ["k" * 50, str(n) * 50]) for n in range(originals)]
    assert copies_of(*phrase, ("en", "fr", ["k" * 50])) == [False] * originals + [is_copy]


def test_the_text_is_on_one_page_not_on_several() -> None:
    pages = [("en", "en", [letter * 20]) for letter in "abcde"]
    assert copies_of(*pages, ("en", "fr", [letter * 20 for letter in "abcde"])) == [False] * 6
