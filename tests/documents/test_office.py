"""DOCX, ODT and EPUB: the blocks that a reader sees, and the files that nobody wrote in an office."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable
from itertools import pairwise

import pytest

from diglot.document_kinds import medium_of
from diglot.documents.blocks import Block, ReadDocument
from diglot.documents.convert import block_pages, convert, document_title, read_document
from diglot.documents.parse import parse_page
from diglot.errors import UnreadableDocument
from diglot.reasons import Reason
from diglot.records import BlockKind, Drop, Page
from documents.made_office import docx_of, epub_of, made_docx, made_epub, made_odt, odt_of, xhtml, zipped
from linearised import linearise

BLOCKS = [
    ("h1", "The statute of the society"),
    ("p", "Every member has one vote & no more than <one>."),
    ("li", "first item"),
    ("li", "second item"),
    ("h2", "Fees"),
    ("td", "Year"),
    ("td", "2019"),
    ("pre", "if x:\n    y = 1"),
    ("caption", "Figure 1: the house"),
    ("p", "A no-break\u00a0space stays, two  blanks are one."),
]
MAKERS = {"docx": made_docx, "odt": made_odt, "epub": made_epub}


def read(body: bytes) -> ReadDocument:
    medium = medium_of(body)
    assert medium is not None
    return read_document(body, medium)


def texts(body: bytes) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in read(body).blocks]


def w(text: str, properties: str = "") -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"


def p(inside: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{inside}</w:p>"


@pytest.mark.parametrize("media", MAKERS)
def test_every_kind_of_block_is_read_as_written(media: str) -> None:
    made = MAKERS[media](BLOCKS, "en")
    document = read(made)
    expected = [(kind, text.replace("two  blanks", "two blanks")) for kind, text in BLOCKS]
    assert [(block.kind, block.text) for block in document.blocks] == expected
    assert (document.lang, document.pages, document.tagged) == ("en", 0, True)
    row = parse_page(Page("https://a.example/x", made))
    assert isinstance(row, dict)
    kinds = "TITLE HEADING PARAGRAPH LIST_ITEM LIST_ITEM HEADING TABLE_CELL TABLE_CELL PREFORMATTED CAPTION PARAGRAPH"
    assert [BlockKind(kind).name for kind in row["block_kinds"]] == kinds.split()
    assert (row["media"], row["tagged"], row["declared_lang"], row["block_pages"]) == (media, True, "en", [])
    assert row["title"] == "The statute of the society"


def test_changes_in_a_docx_read_as_accepted_and_hidden_text_is_left_out() -> None:
    deleted = "<w:del><w:r><w:delText>old </w:delText></w:r></w:del>"
    moved = f"<w:moveFrom>{w('moved')}</w:moveFrom>"
    body = (
        p(w("The ") + deleted + f"<w:ins>{w('new ')}</w:ins>" + moved + w("text."))
        + p(w("Joined "), "<w:rPr><w:del/></w:rPr>")
        + p(w("with the next."))
        + p(w("Seen") + w(" and hidden", "<w:vanish/>") + w(" again", '<w:vanish w:val="0"/>'))
        + p(w("Secret"), '<w:pStyle w:val="Secret"/>')
        + "<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc>" + p(w("a deleted row")) + "</w:tc></w:tr></w:tbl>"
        + p('<w:commentRangeStart w:id="1"/>' + w("Commented") + '<w:r><w:commentReference w:id="1"/></w:r>')
    )  # fmt: skip
    assert [text for _, text in texts(docx_of(body))] == [
        "The new text.",
        "Joined with the next.",
        "Seen again",
        "Commented",
    ]


def test_a_paragraph_with_a_deleted_end_is_continued_inside_its_container_alone() -> None:
    deleted = "<w:rPr><w:del/></w:rPr>"

    def table(*cells: str, row: str = "") -> str:
        return f"<w:tbl><w:tr>{row}{''.join(f'<w:tc>{cell}</w:tc>' for cell in cells)}</w:tr></w:tbl>"

    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    note = f'<w:footnote w:id="2">{p(w("note"), deleted)}</w:footnote>'
    others = {"word/footnotes.xml": f"<w:notes {space}>{note}</w:notes>"}
    mark = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    box = f"<w:r><w:drawing><w:txbxContent>{p(w('box'), deleted)}</w:txbxContent></w:drawing></w:r>"
    heading = '<w:pStyle w:val="Heading1"/>'
    for body, expected in (
        (p(w("one")) + p(w("last"), heading + deleted), ["p one", "h1 last"]),
        (p(w("intro"), deleted) + table(p(w("a")), p(w("b"))) + p(w("end")), ["p intro", "td a", "td b", "p end"]),
        (table(p(w("a"), deleted), p(w("b"), deleted)) + p(w("end")), ["td a", "td b", "p end"]),
        (p(w("in"), deleted) + table(p(w("x")), row="<w:trPr><w:del/></w:trPr>") + p(w("to")), ["p into"]),
        (p(w("text") + mark) + p(w("next")), ["p text", "p note", "p next"]),
        (p(w("in") + mark, deleted) + p(w("to")) + p(w("next")), ["p into", "p note", "p next"]),
        (p(w("in") + mark, deleted), ["p in", "p note"]),
        (p(w("in") + box, deleted) + p(w("to") + mark), ["p into", "p box", "p note"]),
        (p(w("in"), deleted) + p(w("chapter 7"), '<w:pStyle w:val="TOC1"/>') + p(w("to")), ["p in", "p to"]),
        (f"<w:sdt><w:sdtContent>{p(w('in'), deleted)}</w:sdtContent></w:sdt>" + p(w("to")), ["p into"]),
    ):
        assert [f"{kind} {text}" for kind, text in texts(docx_of(body, others=others))] == expected


def test_notes_boxes_fields_and_contents_of_a_docx() -> None:
    box = "<w:txbxContent>" + p(w("In the box.")) + "</w:txbxContent>"
    forms = f"<mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback>"
    both = f"<w:r><mc:AlternateContent xmlns:mc='m'>{forms}</mc:AlternateContent></w:r>"
    field = '<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>REF x</w:instrText></w:r>'
    body = (
        p(w("Introduction 7"), '<w:pStyle w:val="TOC1"/>')
        + p(w("Before") + '<w:r><w:footnoteReference w:id="2"/></w:r>' + w(" after."))
        + p(w("Anchor.") + both)
        + p(w("See ") + field + w("section 3"))
        + p(w("Own style"), '<w:pStyle w:val="Mine"/>')
        + p(w("Level three"), '<w:outlineLvl w:val="2"/>')
        + p('<w:hyperlink r:id="l1">' + w("the law") + "</w:hyperlink>", '<w:numPr><w:numId w:val="0"/></w:numPr>')
        + p("<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:noBreakHyphen/><w:t>c</w:t></w:r>")
    )
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    others = {
        "word/footnotes.xml": f'<w:notes {space}><w:footnote w:id="2">{p(w("The note."))}</w:footnote></w:notes>',
        "word/_rels/document.xml.rels": '<Relationships><Relationship Id="l1" Target="https://a.example/law" '
        'TargetMode="External"/></Relationships>',
        "word/header1.xml": f"<w:hdr {space}>{p(w('Header'))}</w:hdr>",
    }
    made = docx_of(body, others=others)
    assert texts(made) == [
        ("p", "Before after."),
        ("p", "The note."),
        ("p", "Anchor."),
        ("p", "In the box."),
        ("p", "See section 3"),
        ("h2", "Own style"),
        ("h3", "Level three"),
        ("p", "the law"),
        ("p", "a b\u2011c"),
    ]
    assert [block.links for block in read(made).blocks if block.links] == [("https://a.example/law",)]


def test_the_language_of_a_docx_is_that_of_most_of_its_text() -> None:
    french = '<w:lang w:val="fr-FR"/>'
    made = docx_of(p(w("Short")) + p(w("Une phrase bien plus longue que la précédente.", french)))
    assert read(made).lang == "fr-FR"
    assert [block.lang for block in read(made).blocks] == ["en-GB", "fr-FR"]


def test_what_an_odt_shows() -> None:
    styles = (
        '<style:style style:name="P1" style:parent-style-name="Illustration"/>'
        '<style:style style:name="T1"><style:text-properties text:display="none"/></style:style>'
        '<style:style style:name="T2"><style:text-properties fo:language="fr" fo:country="CH"/></style:style>'
    )
    cited = "<text:note-citation>1</text:note-citation>"
    note = f"<text:note>{cited}<text:note-body><text:p>The note.</text:p></text:note-body></text:note>"
    shape = "<text:p>Only by day.</text:p><text:p>In the hall.</text:p>"
    frame = "<draw:frame><draw:text-box><text:p text:style-name='P1'>Figure 1</text:p></draw:text-box></draw:frame>"
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>old</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        "<text:table-of-content><text:index-body><text:p>Fees 7</text:p></text:index-body></text:table-of-content>"
        f"<text:p>Before{note} after,\n   folded<text:span text:style-name='T1'> hidden</text:span>.</text:p>"
        f"<text:p>Anchor.{frame}</text:p>"
        f"<text:p>Call the <draw:g><draw:custom-shape>{shape}</draw:custom-shape></draw:g>harbour.</text:p>"
        "<text:p><office:annotation><text:p>comment</text:p></office:annotation>Told.</text:p>"
        "<text:section text:display='none'><text:p>hidden section</text:p></text:section>"
        "<text:p><text:span text:style-name='T2'>En français, une phrase longue.</text:span></text:p>"
        "<table:table><table:table-row><table:table-cell><text:p>one</text:p><text:p>two</text:p></table:table-cell>"
        "<table:covered-table-cell><text:p>covered</text:p></table:covered-table-cell></table:table-row></table:table>"
    )
    made = odt_of(body, styles=styles)
    assert texts(made) == [
        ("p", "Before after, folded."),
        ("p", "The note."),
        ("p", "Anchor."),
        ("caption", "Figure 1"),
        ("p", "Call the harbour."),
        ("p", "Only by day."),
        ("p", "In the hall."),
        ("p", "Told."),
        ("p", "En français, une phrase longue."),
        ("td", "one"),
        ("td", "two"),
    ]
    assert [block.lang for block in read(made).blocks][7:9] == ["en", "fr-CH"]


def test_the_chapters_of_an_epub_come_in_the_order_of_its_spine() -> None:
    note = '<a epub:type="noteref" href="#n1">1</a>'
    chapters = {
        "z.xhtml": xhtml(f"<section><h1>One</h1>Loose&nbsp;text{note}<p>caf&eacute; &amp; <em>bar</em></p></section>"),
        "a%20b.xhtml": xhtml("<ul><li><p>item</p></li></ul><p hidden=''>hidden</p><nav><p>menu</p></nav>"),
        "c.xhtml": "<html><body><p>broken <b>markup</p><p>stays readable</p></body></html>",
    }
    renamed = {name.replace("%20", " "): markup for name, markup in chapters.items()}
    made = epub_of(chapters, lang="en", others={f"book/{name}": markup for name, markup in renamed.items()})
    assert texts(made) == [
        ("h1", "One"),
        ("p", "Loose\u00a0text"),
        ("p", "café & bar"),
        ("li", "item"),
        ("p", "broken markup"),
        ("p", "stays readable"),
    ]


def test_pages_of_blocks_go_with_their_text_whatever_is_left_out() -> None:
    blocks = (Block("h1", "Start", 1), Block("p", "\u200b", 1), Block("p", "same", 2), Block("p", "same", 3))
    converted = convert(ReadDocument(blocks, "", "en", 3, tagged=False))
    linear = linearise(converted.html.decode(), "https://a.example/x.pdf")
    chunks, ends = linear.chunks.texts().to_pylist(), linear.blocks.ends.tolist()
    found = ["".join(chunks[start:end]) for start, end in pairwise([0, *ends])]
    pages = block_pages(found, converted)
    assert len(pages) == len(found)
    assert pages[0] == 1
    assert pages[-2:] == [2, 3]


@pytest.mark.parametrize(
    ("stated", "title"),
    [("Annual report", "Annual report"), ("report_final.docx", ""), ("Microsoft Word - x", ""), ("Untitled1", "")],
)
def test_a_file_name_is_no_title(stated: str, title: str) -> None:
    assert document_title(ReadDocument((), stated, "", 0, tagged=True)) == title


# -- attacks


def bomb(size: int, name: str = "word/document.xml") -> bytes:
    return zipped({"[Content_Types].xml": "", "_rels/.rels": "<R/>", name: bytes(size)})


def lying(size: int) -> bytes:
    """A DOCX whose directory says that its text is 100 bytes long."""
    made = bytearray(bomb(size))
    at = made.rfind(b"PK\x01\x02", 0, made.rfind(b"word/document.xml"))
    made[at + 24 : at + 28] = struct.pack("<I", 100)
    return bytes(made)


def document(content: str | bytes, *, packed: bool = True) -> bytes:
    stored = [] if packed else ["word/document.xml"]
    return zipped({"[Content_Types].xml": "", "_rels/.rels": "<R/>", "word/document.xml": content}, stored=stored)


_ENTITIES = "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 9))
LAUGHS = f"<!DOCTYPE l [<!ENTITY a0 'ha'>{_ENTITIES}]>"
OUTSIDE = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]><d>&x;</d>'
PASSWORD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")


def deep(levels: int) -> bytes:
    return document(f"<d><body>{'<x>' * levels}{'</x>' * levels}</body></d>", packed=False)


def misnamed() -> bytes:
    return made_docx(BLOCKS, "en").replace(b"word/styles.xml", b"word/stylez.xml", 1)


def many_members() -> bytes:
    return zipped({"word/document.xml": "<d/>", **{f"m{n}": "" for n in range(2_000)}})


def encrypted() -> bytes:
    made = bytearray(made_docx(BLOCKS, "en"))
    for magic, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = 0
        while (start := made.find(magic, start)) >= 0:
            made[start + at] |= 1
            start += 4
    return bytes(made)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        pytest.param(lambda: bomb(70 << 20), "too_large", id="member beyond 64 MiB"),
        pytest.param(lambda: bomb(8 << 20), "too_large", id="ratio beyond 200"),
        pytest.param(lambda: lying(8 << 20), "damaged", id="declared size is a lie"),
        pytest.param(lambda: document(LAUGHS + "<d>&a8;</d>"), "damaged", id="billion laughs"),
        pytest.param(lambda: document(OUTSIDE), "damaged", id="external entity"),
        pytest.param(lambda: document((LAUGHS + "<d/>").encode("utf-16")), "damaged", id="UTF-16"),
        pytest.param(lambda: deep(200_000), "damaged", id="200,000 levels"),
        pytest.param(lambda: deep(1_500), "damaged", id="1,500 levels"),
        pytest.param(many_members, "too_large", id="2,001 files"),
        pytest.param(encrypted, "encrypted", id="encrypted ZIP"),
        pytest.param(lambda: PASSWORD, "encrypted", id="password"),
        pytest.param(lambda: made_docx(BLOCKS, "en")[:-100], "truncated", id="cut"),
        pytest.param(misnamed, "damaged", id="two names of a file"),
    ],
)
def test_no_attack_gets_further_than_its_reason(body: Callable[[], bytes], reason: str) -> None:
    made = body()
    medium = medium_of(made)
    assert medium is not None
    assert medium.name == "docx"
    with pytest.raises(UnreadableDocument) as caught:
        read_document(made, medium)
    assert caught.value.reason == reason
    drop = parse_page(Page("https://a.example/x.docx", made))
    assert isinstance(drop, Drop)
    assert drop.detail


def test_an_encrypted_odt_and_a_locked_book() -> None:
    manifest = "<manifest><file-entry full-path='content.xml'><encryption-data/></file-entry></manifest>"
    locked = "<encryption><CipherReference URI='book/a.xhtml'/></encryption>"
    for made in (
        odt_of("", others={"META-INF/manifest.xml": manifest}),
        epub_of({"a.xhtml": xhtml("<p>x</p>")}, others={"META-INF/encryption.xml": locked}),
    ):
        drop = parse_page(Page("https://a.example/x", made))
        assert isinstance(drop, Drop)
        assert drop.reason is Reason.ENCRYPTED


def test_a_document_without_text_says_so() -> None:
    drop = parse_page(Page("https://a.example/x.docx", docx_of("<w:p/>")))
    assert isinstance(drop, Drop)
    assert drop.reason is Reason.NO_TEXT


def test_any_cut_or_changed_byte_ends_in_a_document_or_a_reason() -> None:
    made = made_docx(BLOCKS, "en")
    for at in range(0, len(made), 7):
        for body in (made[:at], made[:at] + bytes([made[at] ^ 0x55]) + made[at + 1 :]):
            medium = medium_of(body)
            if medium is None:
                continue
            outcome = parse_page(Page("https://a.example/x.docx", body))
            assert not isinstance(outcome, Drop) or outcome.detail or outcome.reason is Reason.NO_TEXT


def test_a_zip_of_other_things_is_no_document() -> None:
    inner = made_docx(BLOCKS, "en")
    for made in (
        zipped({"xl/workbook.xml": "<w/>"}),
        zipped({"contract.docx": inner}, stored=["contract.docx"]),
        zipped({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": "<x/>"}),
    ):
        assert medium_of(made) is None
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("content.xml", "<x/>")
        archive.writestr("mimetype", "application/epub+zip")
    found = medium_of(packed.getvalue())
    assert found is not None
    assert found.name == "epub"
