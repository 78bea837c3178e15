"""Pages through the read stage: rows and order stay, what cannot be read keeps its reason."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from diglot.documents.html.tags import TAG_CLASSES, TAGS, end_code, indices_of_codes, start_code, tag_index
from diglot.documents.parse import dropped_table, failed_page, mark_main, pages_table, parse_page, parse_table
from diglot.reasons import Reason
from diglot.records import DOCUMENT_SCHEMA, PAGE_SCHEMA, Drop, Page
from linearised import linearise

TEXT = "<p>The baker opens his shop early in the morning and sells fresh bread to the people nearby.</p>"


def test_rows_and_order_stay() -> None:
    bodies = [TEXT.encode(), b"", b"<p>\x81\x8d\x8f", bytes(range(128, 256)) * 9, b"<p hidden>abc", TEXT.encode()]
    pages = [Page(f"http://a.example/{n}", body, "text/html", "s", n, "2024") for n, body in enumerate(bodies)]
    table = parse_table(pages_table(pages))
    assert table.schema == DOCUMENT_SCHEMA
    assert table["url"].to_pylist() == [page.url for page in pages]
    assert table["offset"].to_pylist() == list(range(6))
    assert table["reason"].to_pylist() == ["", "no_text", "undecodable", "undecodable", "no_text", ""]
    assert table["detail"].to_pylist()[4] == "3 characters hidden"


def test_columns_of_a_document() -> None:
    html = f"<html lang=en><title>Bread</title><nav><a href=/>Home</a></nav>{TEXT}<img src=b.png>"
    body = html.encode()
    page = Page("http://a.example/x", body, "text/html; charset=us-ascii", "s", 7, "2024", "de")
    [row] = parse_table(pages_table([page])).to_pylist()
    told = {name: row[name] for name in ("url", "source", "offset", "fetched", "reason", "size_bytes", "charset")}
    assert told == {
        "url": "http://a.example/x",
        "source": "s",
        "offset": 7,
        "fetched": "2024",
        "reason": "",
        "size_bytes": len(body),
        "charset": "cp1252",
    }
    assert (row["charset_by"], row["declared_lang"], row["lang"]) == ("http", "en", "en")
    assert row["block_main"] == [True, False, True]
    assert row["text_length_chars"] == len("Bread") + len("Home") + len(TEXT) - len("<p></p>")
    assert (row["link_urls"], row["images"]) == (["http://a.example/"], ["http://a.example/b.png"])


def test_the_language_outside_the_page_counts_where_the_page_says_nothing() -> None:
    parsed = parse_page(Page("http://a.example/", b"<p>Ok", declared_lang="fr"))
    assert not isinstance(parsed, Drop)
    assert (parsed["declared_lang"], parsed["lang"]) == ("fr", "und")


def test_code_and_menus_do_not_tell_the_language() -> None:
    french = "Le boulanger ouvre sa boutique tôt le matin et vend du pain frais aux gens qui habitent le quartier."
    menu = "".join(f"<li><a href=x>Open the next chapter number {n}</a>" for n in range(40))
    html = f"<nav><ul>{menu}</ul></nav><pre>while the list is not empty do print the first item</pre><p>{french}"
    parsed = parse_page(Page("http://a.example/", html.encode()))
    assert not isinstance(parsed, Drop)
    assert parsed["lang"] == "fr"


def test_a_page_half_translated_is_in_the_language_of_most_of_it() -> None:
    """The longest paragraphs were left in English; twice as much text, in shorter ones, was not."""
    english = "This option tells the program where to look for the files it needs and what to do when none is found. "
    spanish = "Esta parte del manual explica cómo se instala el programa en otra máquina."
    html = f"<p>{english * 4}" * 6 + "".join(f"<p>{n}. {spanish}" for n in range(70))
    parsed = parse_page(Page("http://a.example/", html.encode()))
    assert not isinstance(parsed, Drop)
    assert parsed["lang"] == "es"


def test_blocks_of_mostly_links_are_not_main_text() -> None:
    html = "<p><a href=x>all of it</a><p>half <a href=x>half</a><p>text with one <a href=x>link</a><p><label>c</label>"
    assert mark_main(linearise(html, "http://a.example/")).tolist() == [False, True, True, False]


def test_a_page_its_worker_died_on_keeps_its_address() -> None:
    pages = pages_table([Page("http://a.example/", b"x", source="s", offset=3)])
    [row] = failed_page(pages, Reason.PARSER_CRASH, "killed by SIGABRT").to_pylist()
    assert (row["url"], row["source"], row["offset"]) == ("http://a.example/", "s", 3)
    assert (row["reason"], row["detail"]) == ("parser_crash", "killed by SIGABRT")


def test_empty_tables() -> None:
    assert pages_table([]).schema == PAGE_SCHEMA
    assert parse_table(pages_table([])).schema == DOCUMENT_SCHEMA
    assert dropped_table([]).num_rows == 0


def test_tag_codes() -> None:
    assert len(set(TAGS)) == len(TAGS)
    codes = [code(name) for name in TAGS for code in (start_code, end_code)]
    assert codes == list(range(-1, -2 * len(TAGS) - 1, -1))
    assert all(first % 2 and not second % 2 for first, second in pairwise(codes) if first % 2)
    found = indices_of_codes(np.array(codes, np.int32))
    assert found.tolist() == [index for index in range(len(TAGS)) for _ in range(2)]
    assert TAGS[tag_index("no-such-element")] == "unknown"


@pytest.mark.parametrize(
    ("name", "expected"), [("p", "structural"), ("b", "format"), ("img", "content"), ("section", "irrelevant")]
)
def test_tag_classes(name: str, expected: str) -> None:
    assert TAG_CLASSES[name] == expected
    assert set(TAG_CLASSES) == set(TAGS)
