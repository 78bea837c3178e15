"""Pages that lead on to another page by themselves."""

from __future__ import annotations

import pytest

from diglot.documents.parse import MAX_STUB_CHARS, parse_page
from diglot.reasons import Reason
from diglot.records import Drop, Page

URL = "https://a.example/old/"
SAID = "Redirecting… Click here if you are not redirected."


def read(head: str, text: str = SAID) -> str:
    """Detail of the drop of a page without visible text; "" for a page that is read."""
    page = parse_page(Page(URL, f"<html><head><title>Old</title>{head}</head><p>{text}</html>".encode()))
    if not isinstance(page, Drop):
        return ""
    assert page.reason is Reason.NO_TEXT
    return page.detail


@pytest.mark.parametrize(
    ("head", "target"),
    [
        ('<meta http-equiv=refresh content="0; url=https://a.example/new/">', "https://a.example/new/"),
        ('<META HTTP-EQUIV="Refresh" CONTENT="0; URL=../en/x.html#top">', "https://a.example/en/x.html"),
        ("<meta http-equiv='refresh' content=\"0;url='?a=1&amp;b=2'\">", "https://a.example/old/?a=1&b=2"),
        ('<base href="https://b.example/"><meta http-equiv="refresh" content="0.0, url=x">', "https://b.example/x"),
        # A reader has time to read what the page says.
        ('<meta http-equiv="refresh" content="1; url=/new/">', ""),
        ('<meta http-equiv="refresh" content="10;url=/new/">', ""),
        # The page itself, as a page with news; nothing; no page; for readers without scripts; another meta.
        ('<meta http-equiv="refresh" content="0; url=https://a.example/old/">', ""),
        ('<meta http-equiv="refresh" content="0; url=#top">', ""),
        ('<meta http-equiv="refresh" content="0">', ""),
        ('<meta http-equiv="refresh" content="0; url=javascript:next()">', ""),
        ('<noscript><meta http-equiv="refresh" content="0; url=/plain/"></noscript>', ""),
        ('<meta name="description" content="0; url=/new/">', ""),
    ],
)
def test_a_page_that_leads_on_at_once_has_no_visible_text(head: str, target: str) -> None:
    assert read(head) == (f"leads on to {target}" if target else "")


@pytest.mark.parametrize(("chars", "is_stub"), [(MAX_STUB_CHARS - 4, True), (MAX_STUB_CHARS - 3, False)])
def test_a_page_with_more_than_a_sentence_or_two_is_read(chars: int, is_stub: bool) -> None:
    # The title counts, three characters.
    assert bool(read('<meta http-equiv="refresh" content="0; url=/new/">', "x" * chars)) == is_stub
