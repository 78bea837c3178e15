"""Of pages with equal text in several language versions the same ones stand for the others."""

from __future__ import annotations

from test_bounds_of_equality import made_linking

from diglot.duplicates.equal import equal_pages
from made_documents import made_page, made_site


def test_a_copy_in_another_version_gives_way_and_other_texts_and_languages_stay() -> None:
    text = " ".join(f"word{n}" for n in range(200))
    texts = [text, text + " ", text.replace("word7 ", "other "), "something else entirely here", text]
    names = ["da/x", "en/x", "en/y", "en/z", "fr/x"]
    site = made_site(
        *(
            made_page(f"http://a/{name}", "fr" if name == "fr/x" else "en", [each], edition=name[:2])
            for name, each in zip(names, texts, strict=True)
        )
    )
    assert {site.urls[page]: site.urls[other] for page, other in equal_pages(site).items()} == {
        "http://a/da/x": "http://a/en/x"
    }


def test_a_page_that_stands_twice_in_each_edition_is_represented_alike() -> None:
    """Figures linked once each, from a long chapter and from a short one; opaque addresses sort either way round."""
    more = [f"http://a/more{n}" for n in range(3)]
    pages = [made_linking(f"http://a/{n}", [], text="figure of a note") for n in (2, 7)]
    pages += [made_linking(f"http://a/{n}", [], text="figure d'une note", lang="fr") for n in (9, 3)]
    pages += [made_linking(url, []) for url in more]
    pages += [made_linking("http://a/long", ["http://a/2", *more]), made_linking("http://a/short", ["http://a/7"])]
    pages += [
        made_linking("http://a/fr/long", ["http://a/9", *more], lang="fr"),
        made_linking("http://a/fr/short", ["http://a/3"], lang="fr"),
    ]
    site = made_site(*pages)
    assert {site.urls[page]: site.urls[other] for page, other in equal_pages(site).items()} == {
        "http://a/7": "http://a/2",
        "http://a/3": "http://a/9",
    }
