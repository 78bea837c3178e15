"""Titles, languages and nesting in DOCX, ODT and EPUB, by hand."""

from __future__ import annotations

import pytest
from made_office import Blocks, docx_of, epub_of, made_docx, odt_of, xhtml

from diglot.document_kinds import medium_of
from diglot.documents.blocks import ReadDocument
from diglot.documents.convert import read_document
from diglot.documents.office.styles import kind_by_name

DC = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'
NO_NUMBERS = ("x", "²", "①", "1" * 5_000)
"""Values that int refuses: str.isdigit takes all but the first."""
PLAIN: Blocks = [("p", "Every member has one vote.")]


def read(body: bytes) -> ReadDocument:
    medium = medium_of(body)
    assert medium is not None
    return read_document(body, medium)


@pytest.mark.parametrize(
    ("core", "title"),
    [
        (f"<p xmlns='x' {DC}><dc:title> The statute </dc:title></p>", "The statute"),
        (f"<p xmlns='x' {DC}><dc:title/></p>", ""),
        ("<p xmlns='x'/>", ""),
    ],
)
def test_the_title_of_a_docx_is_that_of_its_properties(core: str, title: str) -> None:
    body = "<w:p><w:r><w:t>Text.</w:t></w:r></w:p>"
    assert read(docx_of(body, others={"docProps/core.xml": core})).title == title
    assert read(made_docx(PLAIN, "en")).title == ""


def test_the_titles_of_an_odt_and_of_an_epub() -> None:
    meta = f"<office:meta xmlns:office='o' {DC}><dc:title>The statute</dc:title></office:meta>"
    named = odt_of("<text:p>Text.</text:p>", others={"meta.xml": f"<d>{meta}</d>"})
    assert read(named).title == "The statute"
    assert read(odt_of("<text:p>Text.</text:p>")).title == ""
    assert read(epub_of({"a.xhtml": xhtml("<p>Text.</p>")})).title == "Book"


def test_a_chapter_of_an_epub_has_its_own_language_or_that_of_the_book() -> None:
    own = xhtml("<p>Texte.</p><p lang='de'>Wort.</p>").replace("<html ", '<html xml:lang="fr" ', 1)
    book = epub_of({"a.xhtml": xhtml("<p>Text.</p>"), "b.xhtml": own}, lang="en")
    assert [(block.text, block.lang) for block in read(book).blocks] == [
        ("Text.", "en"),
        ("Texte.", "fr"),
        ("Wort.", "de"),
    ]


def test_a_paragraph_in_an_item_or_a_cell_is_part_of_it_and_a_heading_is_not() -> None:
    body = (
        "<ul><li><h2>Fees</h2><p>for all</p></li></ul>"
        "<table><tr><td><pre>x = 1</pre><p>a cell</p></td></tr></table>"
        "<figure><figcaption><p>a house</p></figcaption></figure><blockquote><p>quoted</p></blockquote>"
    )
    assert [(block.kind, block.text) for block in read(epub_of({"a.xhtml": xhtml(body)})).blocks] == [
        ("h2", "Fees"),
        ("li", "for all"),
        ("pre", "x = 1"),
        ("td", "a cell"),
        ("caption", "a house"),
        ("p", "quoted"),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "windows-1252", "utf-16"])
# The second is no XML, and another parser reads it.
@pytest.mark.parametrize("unknown", ["", " &nosuch;"])
def test_names_of_characters_in_a_chapter_are_the_same_in_every_encoding(unknown: str, encoding: str) -> None:
    body = f"<p>d\u00e9j\u00e0 caf&eacute; &amp; &LT;b&GT; &hellip;&NotEqualTilde; &#233;{unknown}</p>"
    chapter = xhtml(body).replace("encoding='utf-8'", f"encoding='{encoding}'").encode(encoding)
    made = epub_of({"a.xhtml": ""}, others={"book/a.xhtml": chapter})
    expected = f"d\u00e9j\u00e0 caf\u00e9 & <b> \u2026\u2242\u0338 \u00e9{unknown}"
    assert [block.text for block in read(made).blocks] == [expected]


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [
        ("utf-16", "utf-8"),  # .NET writes this
        ("iso-8859-1", "utf-8"),
        ("none", "utf-8"),
        ("", "utf-8"),
        ("utf-8", "utf-8-sig"),
        ("windows-1252", "windows-1252"),
        ("utf-16", "utf-16"),
        ("utf-16", "utf-16-le"),
        ("utf-16", "utf-16-be"),
    ],
)
@pytest.mark.parametrize("word", ["déjà", "again"])
def test_a_chapter_in_html_is_read_in_its_own_encoding(word: str, declared: str, encoding: str) -> None:
    page = xhtml(f"<p>{word}<br>vu</p>").replace("encoding='utf-8'", f"encoding='{declared}'" if declared else "")
    made = epub_of({"a.xhtml": ""}, others={"book/a.xhtml": page.encode(encoding)})
    assert [block.text for block in read(made).blocks] == [f"{word} vu"]


def test_a_well_formed_chapter_in_utf_8_may_declare_utf_16() -> None:
    page = xhtml("<p>déjà</p>").replace("encoding='utf-8'", "encoding='utf-16'").encode()
    made = epub_of({"a.xhtml": ""}, others={"book/a.xhtml": page})
    assert [block.text for block in read(made).blocks] == ["déjà"]


def test_a_chapter_in_html_of_no_known_encoding_is_read() -> None:
    chapter = xhtml("<p>One<br>two</p>").replace("encoding='utf-8'", "encoding='none'")
    for encoded in (chapter.encode(), chapter.encode() + b"\xff"):
        made = epub_of({"a.xhtml": ""}, others={"book/a.xhtml": encoded})
        assert read(made).blocks[0].text == "One two"


@pytest.mark.parametrize(
    ("count", "blanks"),
    [("", 1), (' text:c="3"', 3), (' text:c="101"', 100)] + [(f' text:c="{each}"', 1) for each in NO_NUMBERS],
)
def test_blanks_of_an_odt_are_counted_up_to_a_hundred(count: str, blanks: int) -> None:
    line = f'<text:p text:style-name="Preformatted_20_Text">a<text:s{count}/>b</text:p>'
    (block,) = read(odt_of(line)).blocks
    assert (block.kind, block.text) == ("pre", f"a{' ' * blanks}b")


@pytest.mark.parametrize("level", NO_NUMBERS)
def test_a_level_that_is_no_number_is_none(level: str) -> None:
    (block,) = read(odt_of(f'<text:h text:outline-level="{level}">Title</text:h>')).blocks
    assert block.kind == "h1"
    properties = f'<w:pPr><w:outlineLvl w:val="{level}"/></w:pPr>'
    (block,) = read(docx_of(f"<w:p>{properties}<w:r><w:t>Title</w:t></w:r></w:p>")).blocks
    assert block.kind == "p"
    assert not kind_by_name(f"heading {level}")
