"""UTF-8 read as Windows-1252 inside good pages is read once more; what people write stays."""

import pytest

from diglot.documents.misread import reread
from diglot.documents.parse import parse_page
from diglot.records import Page

EVIDENCE, AS_WRITTEN = "<p>dÃ©jÃ\xa0</p>", "<p>déjà</p>"
"""A page with a run that nobody writes."""


@pytest.mark.parametrize(
    ("page", "written"),
    [
        (EVIDENCE, AS_WRITTEN),
        ("<p>cafÃ©</p>", "<p>café</p>"),
        ("<p>Ã©t</p>", "<p>ét</p>"),
        ("<p>Propositions dâ€™auteurÂ·eÂ·s, été", "<p>Propositions d’auteur·e·s, été"),
        (f"{EVIDENCE}sÅ“ur MAÃŽTRE MiloÅ¡ â€œ5 â‚¬â€\x9d", f"{AS_WRITTEN}sœur MAÎTRE Miloš “5 €”"),
        (f"{EVIDENCE}ÐŸÑ€Ð¸Ð²ÐµÑ‚ ÎÎ»Î± æ—¥æœ¬ ðŸ˜€", f"{AS_WRITTEN}Привет Îλα 日本 😀"),
        ("<p>thÃƒÂ©Ã¢tre", "<p>théâtre"),  # misread twice, and once
        ("<p>\xc3\x89t\xc3\xa9 d\xe2\x80\x99un", "<p>Été d’un"),  # read as ISO 8859-1
        # The byte A0 became a blank.
        (f"{EVIDENCE}15$ Ã la porte, voilÃ la INFO:Â x", f"{AS_WRITTEN}15$ à la porte, voilà la INFO: x"),
        (f"{EVIDENCE}IRMÃ MARIA", f"{AS_WRITTEN}IRMÃ MARIA"),
        # Whatever stands inside tags is sent back to the server as it is.
        (f"{EVIDENCE}<a href='cafÃ©.html'>cafÃ©</a>", f"{AS_WRITTEN}<a href='cafÃ©.html'>café</a>"),
        ("a < b dÃ©jÃ\xa0", "a < b déjà"),
        # A single letter of another script is a capital before a mark, three bytes are no character.
        (f"{EVIDENCE}«CAFÉ» QUALITÉ² „MENÜ“ idée…»a à€€", f"{AS_WRITTEN}«CAFÉ» QUALITÉ² „MENÜ“ idée…»a à€€"),
    ],
)
def test_misread_runs_are_read_once_more(page: str, written: str) -> None:
    assert reread(page.encode()).decode() == written


@pytest.mark.parametrize(
    "page",
    [
        "«CAFÉ», «LIBERTÉ» ; QUALITÉ² n°5 NESTLÉ® été…» „MENÜ“, „Ö“",
        "IRMÃ MARIA À MANHÃ, SÃO, MAÇÃ – ALEMÃ: coração",
        "Â Î ÎN ROMÂNIA, pâine „mâine” România’",
        "Đà Nẵng: Ân Ã ĐẦU, nghĩa là “Âu” — ÂM Ấ",
        "ÅÄÖ «PÅ» „Ä“ Ålesund, Þór Ð × 3 × 5 cm² ØØ",
        "Kâğıt, Âlem; «Â» ÂŞIK",
        "Instead of <q>é</q> the page shows <q>Ã©</q> or “â€™”.",  # a text about encodings
    ],
)
def test_what_people_write_stays(page: str) -> None:
    assert reread(page.encode()) == page.encode()


def test_pages_are_read_so() -> None:
    row = parse_page(Page("http://a/", f"<html><body>{EVIDENCE}</body></html>".encode()))
    assert isinstance(row, dict)
    assert "".join(row["chunks"].to_pylist()).strip() == "déjà"
