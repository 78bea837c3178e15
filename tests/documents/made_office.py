"""DOCX, ODT and EPUB files of a few lines, written by hand, and the ZIPs of attackers."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
ODF = "urn:oasis:names:tc:opendocument:xmlns"
DOCX_STYLES = (
    ("Heading1", "heading 1", ""),
    ("Heading2", "heading 2", ""),
    ("Mine", "My own heading", '<w:basedOn w:val="Heading2"/>'),
    ("Caption", "caption", ""),
    ("Code", "Source Code", ""),
    ("TOC1", "toc 1", ""),
    ("Bullets", "List Bullet", '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'),
    ("Secret", "Secret", "<w:rPr><w:vanish/></w:rPr>"),
)

Blocks = Sequence[tuple[str, str]]
"""Kind and text of each block."""


def zipped(files: Mapping[str, str | bytes], *, stored: Sequence[str] = ("mimetype",)) -> bytes:
    """A ZIP of these files, the same bytes each time."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in files.items():
            packing = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name), content, packing)
    return made.getvalue()


def docx_of(body: str, *, lang: str = "en-GB", others: Mapping[str, str] | None = None) -> bytes:
    """A DOCX with this XML between its body tags."""
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{key}"><w:name w:val="{name}"/>{more}</w:style>'
        for key, name, more in DOCX_STYLES
    )
    default = f'<w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="{lang}"/></w:rPr></w:rPrDefault></w:docDefaults>'
    relation = f'<Relationship Id="r1" Type="{R}/officeDocument" Target="word/document.xml"/>'
    return zipped(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": f'<Relationships xmlns="{RELATIONS}">{relation}</Relationships>',
            "word/document.xml": f'<w:document xmlns:w="{W}" xmlns:r="{R}"><w:body>{body}</w:body></w:document>',
            "word/styles.xml": f'<w:styles xmlns:w="{W}">{default}{styles}</w:styles>',
            **(others or {}),
        }
    )


def made_docx(blocks: Blocks, lang: str) -> bytes:
    """A DOCX of these blocks."""
    names = {"h1": "Heading1", "h2": "Heading2", "caption": "Caption", "pre": "Code", "li": "Bullets"}
    return docx_of("".join(_docx_block(names.get(kind, ""), kind, text) for kind, text in blocks), lang=lang)


def _docx_block(style: str, kind: str, text: str) -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    lines = "<w:br/>".join(f'<w:t xml:space="preserve">{escape(line)}</w:t>' for line in text.split("\n"))
    paragraph = f"<w:p>{properties}<w:r>{lines}</w:r></w:p>"
    return f"<w:tbl><w:tr><w:tc>{paragraph}</w:tc></w:tr></w:tbl>" if kind == "td" else paragraph


def odt_of(body: str, *, lang: str = "en", styles: str = "", others: Mapping[str, str] | None = None) -> bytes:
    """An ODT with this XML as its text."""
    spaces = " ".join(f'xmlns:{name}="{ODF}:{name}:1.0"' for name in ("office", "text", "table", "draw", "style"))
    spaces += f' xmlns:fo="{ODF}:xsl-fo-compatible:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    language = f'<style:text-properties fo:language="{lang}"/>'
    default = f'<style:default-style style:family="paragraph">{language}</style:default-style>'
    own = f"<office:automatic-styles>{styles}</office:automatic-styles>"
    text = f"<office:body><office:text>{body}</office:text></office:body>"
    return zipped(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": f"<office:document {spaces}>{own}{text}</office:document>",
            "styles.xml": f"<office:document {spaces}><office:styles>{default}</office:styles></office:document>",
            **(others or {}),
        }
    )


def made_odt(blocks: Blocks, lang: str) -> bytes:
    """An ODT of these blocks."""
    return odt_of("".join(_odt_block(kind, text) for kind, text in blocks), lang=lang)


def _odt_block(kind: str, text: str) -> str:
    inside = "<text:line-break/>".join(escape(line).replace("  ", ' <text:s text:c="1"/>') for line in text.split("\n"))
    if kind[0] == "h":
        return f'<text:h text:outline-level="{kind[1]}">{inside}</text:h>'
    style = {"pre": "Preformatted_20_Text", "caption": "Illustration"}.get(kind, "")
    paragraph = f'<text:p text:style-name="{style}">{inside}</text:p>'
    if kind == "li":
        return f"<text:list><text:list-item>{paragraph}</text:list-item></text:list>"
    if kind == "td":
        row = f"<table:table-row><table:table-cell>{paragraph}</table:table-cell></table:table-row>"
        return f"<table:table>{row}</table:table>"
    return paragraph


def epub_of(chapters: Mapping[str, str], *, lang: str = "en", others: Mapping[str, str | bytes] | None = None) -> bytes:
    """An EPUB with these chapters, markup by file name, in the order of its spine."""
    items = "".join(
        f'<item id="c{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    dc = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="book/content.opf"/></rootfiles></container>',
            "book/content.opf": '<package xmlns="http://www.idpf.org/2007/opf">'
            f"<metadata {dc}><dc:title>Book</dc:title><dc:language>{lang}</dc:language></metadata>"
            f"<manifest>{items}</manifest><spine>{spine}</spine></package>",
            **{f"book/{name}": markup for name, markup in reversed(chapters.items())},
            **(others or {}),
        }
    )


def xhtml(body: str) -> str:
    """A chapter with a DOCTYPE, as books have it."""
    doctype = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">'
    start = '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">'
    return (
        f"<?xml version='1.0' encoding='utf-8'?>{doctype}{start}<head><title>t</title></head><body>{body}</body></html>"
    )


def made_epub(blocks: Blocks, lang: str) -> bytes:
    """An EPUB of these blocks."""
    frames = {"td": "<table><tr>{}</tr></table>", "caption": "<figure>{}</figure>", "li": "<ul>{}</ul>"}
    lines = []
    for kind, text in blocks:
        name = "figcaption" if kind == "caption" else kind
        lines.append(frames.get(kind, "{}").format(f"<{name}>{escape(text)}</{name}>"))
    return epub_of({"a.xhtml": xhtml("".join(lines))}, lang=lang)
