"""Documents that hold a text in several languages: split where the parts correspond, else left alone or refused."""

from __future__ import annotations

from itertools import chain

import pytest

from diglot.documents.blocks import Block, ReadDocument
from diglot.documents.language_parts import parts_by_language
from diglot.documents.parse import pages_table, parse_table
from diglot.errors import UnreadableDocument
from diglot.records import Page
from documents.made_office import made_docx
from made_sites import SENTENCES

EN, FR = ([f"{sentence} {sentence}" for sentence in SENTENCES[lang] for _ in (0, 1)] for lang in ("en", "fr"))
DE = [
    "Der Hafen öffnet jeden Morgen, bevor die Fischerboote die alte Stadt verlassen, und am Abend kehren alle zurück.",
    "Unser Museum zeigt mehr als zweihundert Gemälde in den hellen Räumen über dem Bahnhof am Rande des Marktes.",
] * (len(EN) // 2)


def document(*texts: str) -> ReadDocument:
    return ReadDocument(tuple(Block("p", text, 1) for text in texts), "law.indd", "", 1, False)


def parts(*texts: str) -> dict[str, list[str]]:
    return {part.lang: [block.text for block in part.blocks] for part in parts_by_language(document(*texts))}


@pytest.mark.parametrize(
    "texts",
    [
        [*EN, *FR],
        list(chain(*zip(EN, FR, strict=True))),
        [*EN[:7], *FR[:7], *EN[7:], *FR[7:]],
    ],
    ids=["one after the other", "by turns", "in columns of pages"],
)
def test_every_language_is_a_part(texts: list[str]) -> None:
    assert parts(*texts) == {"en": EN, "fr": FR}


def test_three_languages_and_what_belongs_to_all() -> None:
    texts = [*chain(*zip(EN, DE, FR, strict=True)), "2024 – 1.7"]
    assert parts(*texts) == {"en": [*EN, texts[-1]], "de": [*DE, texts[-1]], "fr": [*FR, texts[-1]]}


def test_a_document_in_one_language_with_quotations_stays_whole() -> None:
    whole = document(*EN, *FR[:4], *EN)
    assert parts_by_language(whole) == [whole]


def test_a_half_translated_document_stays_whole() -> None:
    whole = document(*FR[:3], *EN[3:12], *FR[12:14], *EN[14:16], *FR[16:])
    assert parts_by_language(whole) == [whole]


def test_parts_with_other_numbers_are_no_translations() -> None:
    english = [f"{text} It cost {100 + place} crowns." for place, text in enumerate(EN)]
    french = [f"{text} Il a coûté {100 + place} couronnes." for place, text in enumerate(FR)]
    assert set(parts(*english, *french)) == {"en", "fr"}
    other = [f"{text} Il a coûté {500 + place} couronnes." for place, text in enumerate(FR)]
    assert set(parts(*english, *other)) == {""}


def test_languages_mixed_in_paragraphs_are_refused_by_name() -> None:
    mixed = [f"{one} {one} {other} {other}" for one, other in zip(EN, FR, strict=True)]
    with pytest.raises(UnreadableDocument) as caught:
        parts_by_language(document(*EN, *FR, *mixed))
    assert caught.value.reason == "several_languages"


def test_a_page_with_such_a_document_becomes_two_rows_that_name_each_other() -> None:
    body = made_docx([("p", text) for text in chain(*zip(EN, FR, strict=True))], "en")
    rows = parse_table(pages_table([Page("https://a.example/law.docx", body)])).to_pylist()
    assert [(row["url"], row["lang"], row["link_urls"], row["link_hreflangs"]) for row in rows] == [
        ("https://a.example/law.docx#lang=en", "en", ["https://a.example/law.docx#lang=fr"], ["fr"]),
        ("https://a.example/law.docx#lang=fr", "fr", ["https://a.example/law.docx#lang=en"], ["en"]),
    ]


def hotel(*texts: str) -> Page:
    menu = "<nav><ul><li><a href=/rooms.html>Rooms</a></li><li><a href=/prices.html>Prices</a></li></ul></nav>"
    body = "".join(f"<p>{text}" for text in texts)
    body = f"<h1>2024</h1>{body}<p>47.1, 8.5, 12.0 (<a href=/map.html>1</a>)"
    html = f"<html lang=en><title>Hotel</title>{menu}{body}</html>"
    return Page("https://hotel.example/index.html", html.encode(), "text/html; charset=utf-8")


def test_an_html_page_in_two_languages_is_split_where_asked() -> None:
    page = hotel(*chain(*zip(EN, FR, strict=True)))
    (whole,) = parse_table(pages_table([page])).to_pylist()
    assert whole["url"] == page.url
    rows = parse_table(pages_table([page]), split_pages=True).to_pylist()
    assert [(row["url"], row["lang"], row["media"]) for row in rows] == [
        (f"{page.url}#lang=en", "en", "html"),
        (f"{page.url}#lang=fr", "fr", "html"),
    ]
    # What says nothing of its language is in both, menus are in none; links stay with their block.
    assert [" ".join("".join(row["chunks"]).split()) for row in rows] == [
        " ".join(["2024", "2024", *texts, "47.1, 8.5, 12.0 (1)"]) for texts in (EN, FR)
    ]
    assert [row["link_urls"] for row in rows] == [
        [f"{page.url}#lang={other}", "https://hotel.example/map.html"] for other in ("fr", "en")
    ]


@pytest.mark.parametrize(
    "texts",
    [EN, [f"{one} {one} {other} {other}" for one, other in zip(EN, FR, strict=True)]],
    ids=["one language", "mixed in paragraphs"],
)
def test_other_html_pages_stay_whole(texts: list[str]) -> None:
    page = hotel(*texts)
    assert parse_table(pages_table([page]), split_pages=True).equals(parse_table(pages_table([page])))


def test_the_row_of_a_refused_document_has_the_reason() -> None:
    mixed = [f"{one} {one} {other} {other}" for one, other in zip(EN, FR, strict=True)]
    body = made_docx([("p", text) for text in [*EN, *FR, *mixed]], "en")
    (row,) = parse_table(pages_table([Page("https://a.example/law.docx", body)])).to_pylist()
    assert (row["reason"], row["detail"]) == ("several_languages", "DOCX: en, fr in the same paragraphs")
