"""Form says nothing where one page is a document and the other is not; copies of one text in two kinds are one page."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from alike_pages import near_duplicates
from diglot.duplicates.reprints import find_reprints
from diglot.pairing.fused.evidence import comparable_form, structure
from made_documents import made_page, made_site, rows

TEXTS = ["A statute of the society of friends.", "Every member has one vote.", "Fees are paid in January."]
SEVERAL = [("html", True), ("docx", True), ("docx", True), ("pdf", True), ("pdf", False)]


def test_form_is_compared_within_a_kind_that_states_it() -> None:
    pages = [
        made_page(f"https://a.example/{number}", "en", TEXTS, media=media, tagged=tagged)
        for number, (media, tagged) in enumerate(SEVERAL)
    ]
    site = made_site(*pages)
    pairs = np.array([(0, 0), (0, 1), (1, 2), (2, 3), (3, 3), (3, 4), (4, 4)], np.int32)
    expected = [True, False, True, False, True, False, False]
    assert comparable_form(site, pairs).tolist() == expected
    assert (~np.isnan(structure(site, pairs))).tolist() == expected


def page(url: str, media: str, texts: list[str] = TEXTS) -> dict[str, Any]:
    return made_page(url, "en", texts, media=media)


@pytest.mark.parametrize(
    ("media", "stands"),
    [(("html", "pdf"), "a"), (("pdf", "html"), "b"), (("pdf", "docx"), "b"), (("html", "html"), ""), (("", ""), "")],
)
def test_html_stands_for_its_print_version(media: tuple[str, str], stands: str) -> None:
    others = [page(f"https://a.example/x{number}", "html", [f"Page {number} of its own."]) for number in range(3)]
    pair = [page(f"https://a.example/{name}", kind) for name, kind in zip("ab", media, strict=True)]
    site = made_site(*pair, *others)
    near = near_duplicates(site)
    first, second = rows(site, "https://a.example/a", "https://a.example/b")
    found = {"a": {second: first}, "b": {first: second}, "": {}}[stands]
    assert find_reprints(site, near) == found
