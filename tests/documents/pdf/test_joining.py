"""Lines of a paragraph as one text: hyphens of compounds and of divided words, slashes, blanks beside ideographs."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from diglot.documents.pdf.joining import join_lines, words_of
from diglot.documents.pdf.lines import Line


def lines(texts: Sequence[str]) -> list[Line]:
    return [Line(1, text, 0, 100, -12 * place, 10, "", -1, 10) for place, text in enumerate(texts)]


def joined(document: Sequence[str], paragraph: Sequence[str]) -> str:
    return join_lines(lines(paragraph), words_of(lines([*document, *paragraph])))


DIVIDES = ["the har-", "bour is a harbour", "the vil-", "lage is a village", "some peo-", "ple are people"]
COMPOUNDS = ["a well-known word-", "based list is word-based", "and a cloud-", "based one is cloud-based"]
PLAIN = ["the list that we sent is full of them", "a rule is sent and a net based on it"]


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ([*DIVIDES, *PLAIN], "it was rulebased"),  # nothing tells of compounds
        ([*DIVIDES, *PLAIN, *COMPOUNDS], "it was rule-based"),  # both are words, and such hyphens are of compounds
        ([*DIVIDES, *PLAIN, *COMPOUNDS, "a rulebased one"], "it was rulebased"),  # the document has the word
        ([*DIVIDES, "a rule-based one"], "it was rule-based"),
    ],
)
def test_the_document_decides_on_a_hyphen(document: list[str], text: str) -> None:
    assert joined(document, ["it was rule-", "based"]) == text


def test_half_a_word_is_no_word_of_a_compound() -> None:
    assert joined([*DIVIDES, *PLAIN, *COMPOUNDS], ["it was senti-", "mental"]) == "it was sentimental"


def test_a_letter_alone_is_no_half_of_a_word() -> None:
    assert joined(DIVIDES, ["où débute-", "t-il et a-", "t-il"]) == "où débute-t-il et a-t-il"


def test_a_compound_of_three_words() -> None:
    document = [*DIVIDES, "it goes step-by-step here"]
    assert joined(document, ["we go step-", "by-step now"]) == "we go step-by-step now"
    assert joined(document, ["we go step-by-", "step now"]) == "we go step-by-step now"


@pytest.mark.parametrize(
    ("paragraph", "text"),
    [
        (["read and/", "or write"], "read and/or write"),
        (["in the folder /etc/", "passwd is"], "in the folder /etc/passwd is"),
        (["in the folder /etc/asis/", "directory is"], "in the folder /etc/asis/ directory is"),
        (["see http://a.org/", "docs/index.html"], "see http://a.org/docs/index.html"),
        (["from /", "usr/lib on"], "from /usr/lib on"),
        (["either / ", "or"], "either / or"),
    ],
)
def test_a_slash_at_the_end_of_a_line(paragraph: list[str], text: str) -> None:
    document = ["the directory is a directory", "the directory of it"]
    assert joined(document, [line.strip() for line in paragraph]) == text


def test_a_long_address_over_three_lines() -> None:
    address = ["http://example.org/a-very-", "long/path-", "of/it.html for all"]
    assert joined(DIVIDES, address) == "http://example.org/a-very-long/path-of/it.html for all"
