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
        ("<p>cafÃ© crÃ¨me</p>", "<p>café crème</p>"),
        ("<p>Ã©t Ã‰tÃ© IRÃ</p>", "<p>ét Été IRÃ</p>"),
        ("dâ€™un", "d’un"),
        ("15â€“20", "15–20"),
        (" ÐŸÑ€Ð¸Ð²ÐµÑ‚ ", " Привет "),
        # Marks behind a capital are read once more where the letters suit.
        (f"{EVIDENCE}informaciÃ³n Å“uvre mÂ² É Ã³", f"{AS_WRITTEN}información œuvre m² É Ã³"),
        (f"{EVIDENCE}512.3Å³, 5 Å², MANHÃ—TARDE, MANHÃ³, Ã–", f"{AS_WRITTEN}512.3Å³, 5 Å², MANHÃ—TARDE, MANHÃ³, Ã–"),
        (f"{EVIDENCE}thÃƒÂ³", f"{AS_WRITTEN}thó"),
        # Vietnamese has the word Â; without Ã or Â before a mark no last byte is missing.
        (f"{EVIDENCE}Tiếng: CHÂU Â ÂU", f"{AS_WRITTEN}Tiếng: CHÂU Â ÂU"),
        ("dâ€™un Â ÂU", "d’un Â ÂU"),
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
        "V = 512.3Å³, 100 Å³ and 5 Å²",
        "“BOM DIA, IRMÔ «FÃ» «MANHÃ» AMANHÃ…",
        "ALEMÃ–BRASIL MANHÃ—TARDE",
        "MAÇÃ… IRMÃ™ CORAÇÃ•",  # in capitals each may be one
        "„Nu, mâ…”",  # ftfy leaves this to its writer: it would be the sign for two thirds
        "PÄIVÄ¹ PÄIVÄ²",
        "Tiếng Việt: CHÂU Â ÂU, Â NHẠC",
        "cafÃ©, cafÃ©, thÃ©",  # one run, perhaps an example
        "perÃ² informaciÃ³n",  # marks that people write behind a capital
        " â€™ 日本 æ—¥ ",  # beside no letter
        "donâ€™t write cafÃ© crÃ¨me in UTF-8",
        "Instead of <q>é</q> the page shows <q>Ã©</q> or “â€™”.",  # a text about encodings
    ],
)
def test_what_people_write_stays(page: str) -> None:
    assert reread(page.encode()) == page.encode()


def test_encodings_named_in_code_and_tags_do_not_count() -> None:
    page = "<meta charset=utf-8><script>let code = 'utf-8';</script>cafÃ© crÃ¨me"
    assert "café crème" in reread(page.encode()).decode()


def test_pages_are_read_so() -> None:
    row = parse_page(Page("http://a/", f"<html><body>{EVIDENCE}</body></html>".encode()))
    assert isinstance(row, dict)
    assert "".join(row["chunks"].to_pylist()).strip() == "déjà"
