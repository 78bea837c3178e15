"""Languages of short pages, settled by their neighbours, worked by hand."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from test_language import SENTENCES

from diglot.documents.language import readable, settle_languages
from diglot.documents.table import dropped_table
from diglot.records import DOCUMENT_SCHEMA, Drop, Reason

[EMPTY] = dropped_table([Drop("", Reason.NO_TEXT)]).to_pylist()


def documents(*rows: dict[str, Any]) -> pa.Table:
    filled = [{**EMPTY, "reason": "", "url": f"http://a.example/{n}", **row} for n, row in enumerate(rows)]
    return pa.Table.from_pylist(filled, schema=DOCUMENT_SCHEMA)


def page(
    lang: str, confidence: float = 1.0, *, declared: str = "", text: str = "", chars: int = 5_000
) -> dict[str, Any]:
    found = {"lang": lang, "lang_confidence": confidence, "declared_lang": declared}
    return {**found, "chunks": [text or SENTENCES[lang]], "text_length_chars": chars}


def test_sure_pages_stay_as_they_are() -> None:
    table = documents(page("en"), page("fr"), page("it"))
    assert settle_languages(table, ("en", "fr")) == ["en", "fr", "it"]


def test_an_odd_language_of_little_text_is_asked_again_among_the_likely() -> None:
    text = SENTENCES["fr"]
    table = documents(page("en"), page("fr"), page("ht", 1.0, text=text, chars=len(text)))
    assert settle_languages(table, ("en", "fr")) == ["en", "fr", "fr"]


def test_an_unsure_page_is_asked_again_and_may_be_what_it_declares() -> None:
    table = documents(page("es", 0.6, declared="ca", text=SENTENCES["ca"]))
    assert settle_languages(table, ("en", "es")) == ["ca"]
    table = documents(page("es", 0.6, text=SENTENCES["es"]))
    assert settle_languages(table, ("en", "es")) == ["es"]


def test_a_language_of_three_sure_pages_is_one_of_the_site() -> None:
    italian = [page("it") for _ in range(3)]
    doubtful = page("es", 0.5, text=SENTENCES["it"], chars=100)
    assert settle_languages(documents(*italian, doubtful), ("en", "fr"))[-1] == "it"


@pytest.mark.parametrize(
    ("pages", "confidence", "chars", "common"),
    [(3, 0.99, 100, True), (3, 0.98, 2_000, True), (3, 0.98, 1_999, False), (2, 1.0, 5_000, False)],
)
def test_three_pages_that_are_sure_or_long_make_a_language_common(
    pages: int, confidence: float, chars: int, common: bool
) -> None:
    telling = [page("it", confidence, chars=chars) for _ in range(pages)]
    doubtful = page("es", 0.5, text=SENTENCES["it"], chars=100)
    assert (settle_languages(documents(*telling, doubtful), ("en", "fr"))[-1] == "it") == common


def test_an_unknown_page_is_what_it_declares() -> None:
    table = documents(page("und", 0.0, declared="fr-CA", text="1 2 3"), page("und", 0.0, text="1 2 3"))
    assert settle_languages(table, ("en", "fr")) == ["fr", "und"]


def test_no_documents() -> None:
    assert settle_languages(documents(), ("en", "fr")) == []


def test_readable_rows_have_no_reason() -> None:
    table = documents(page("en"), {"reason": Reason.NO_TEXT.value})
    assert readable(table)["url"].to_pylist() == ["http://a.example/0"]
