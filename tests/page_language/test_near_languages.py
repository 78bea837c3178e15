"""Pages of sure text taken for a language near that of their version; worked by hand."""

from __future__ import annotations

import pytest

from diglot.page_language.resolving import OWN, VERSION, WHOLE, PageLanguage, _decide_near_languages, _OwnLanguage

NO_TEXT = _OwnLanguage("", 0, "und", 0.0)


@pytest.mark.parametrize(
    ("tags", "version", "decided"),
    [
        (["ms", "ms", "id"], "ms", ["ms", "ms", "ms"]),
        (["ms", "id"], "ms", ["ms", "id"]),  # half is not most
        (["ar", "ary", "fr"], "ar", ["ar", "ary", "fr"]),
        (["ms", "ms", "fr"], "ms", ["ms", "ms", "fr"]),  # nobody takes Malay for French
        (["es", "es", "gl"], "es", ["es", "es", "gl"]),  # nor Spanish for Galician
        (["ar", "ar-EG", "arz"], "ar", ["ar", "ar-EG", "ar"]),
        (["id", "id", "ms"], "", ["id", "id", "ms"]),
    ],
)
def test_a_near_language_is_the_versions_where_most_own_texts_are(
    tags: list[str], version: str, decided: list[str]
) -> None:
    pages = [PageLanguage(tag, OWN) for tag in tags]
    found = _decide_near_languages(pages, [version] * len(pages), [NO_TEXT] * len(pages))
    assert [page.tag for page in found] == decided
    assert [page.by == VERSION for page in found] == [tag != now for tag, now in zip(tags, decided, strict=True)]


def test_only_own_text_counts_and_is_taken_for_another_language() -> None:
    pages = [PageLanguage("ms", WHOLE), PageLanguage("ms", WHOLE), PageLanguage("id", OWN)]
    assert _decide_near_languages(pages, ["ms"] * 3, [""] * 3) == pages
    pages = [PageLanguage("ms", OWN), PageLanguage("id", WHOLE)]
    assert _decide_near_languages(pages, ["ms"] * 2, [""] * 2) == pages


def test_versions_are_counted_each_by_itself() -> None:
    pages = [PageLanguage(tag, OWN) for tag in ("ms", "ms", "id", "id")]
    assert _decide_near_languages(pages, ["ms", "ms", "ms", "id"], [NO_TEXT] * 4)[2:] == [
        PageLanguage("ms", VERSION),
        PageLanguage("id", OWN),
    ]
