"""Typed addresses find the page that a server gives for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from diglot.errors import UsageError
from diglot.results.typed_addresses import TypedAddresses

PAGES = [
    "https://a.example/mi/ask/index.html",
    "https://a.example/news/",
    "https://a.example/news/index.html",
    "https://a.example/b.html",
    "https://a.example/c/index.html#lang=en",
    "https://a.example/c/index.html#lang=mi",
]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("https://a.example/mi/ask/", PAGES[:1]),
        ("a.example/mi/ask", PAGES[:1]),
        ("https://a.example/mi/ask/index.html", PAGES[:1]),
        ("https://a.example/news/", PAGES[1:2]),  # an address as it is goes before the file of a folder
        ("https://a.example/news/index.html", PAGES[2:3]),
        ("https://a.example/b", PAGES[3:4]),
        ("https://a.example/c/", PAGES[4:]),
        ("https://a.example/c/#lang=mi", PAGES[5:]),
    ],
)
def test_a_folder_stands_for_its_first_page(typed: str, found: list[str]) -> None:
    assert TypedAddresses(PAGES, Path("run")).addresses(typed) == found


@pytest.mark.parametrize("typed", ["https://a.example/mi/", "https://a.example/mi/ask/more", "https://b.example/b", ""])
def test_an_address_of_no_page_is_told(typed: str) -> None:
    with pytest.raises(UsageError, match="not an address of run"):
        TypedAddresses(PAGES, Path("run")).addresses(typed)
