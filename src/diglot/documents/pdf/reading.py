"""The stages in order: pages of a PDF become the blocks of a document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from diglot.documents.blocks import Block, ReadDocument
from diglot.documents.pdf.columns import mirror_back, set_limits
from diglot.documents.pdf.furniture import without_furniture
from diglot.documents.pdf.joining import Words, join_lines, words_of
from diglot.documents.pdf.kinds import Fonts, set_kinds
from diglot.documents.pdf.leaders import without_leader
from diglot.documents.pdf.letters import GUILLEMETS, PLAIN_HYPHENS, has_misnamed_hyphens, has_tex_quotes
from diglot.documents.pdf.lines import Line, lines_of
from diglot.documents.pdf.note_calls import leave_out_calls
from diglot.documents.pdf.pages import UNKNOWN_CODE, LinkArea, PageContent
from diglot.documents.pdf.paragraphs import Paragraph, Usual, join_pages, page_paragraphs, usual_indent, usual_leading
from diglot.documents.pdf.pdfium import open_pdf
from diglot.documents.pdf.structure_tree import tag_rows, tagged_paragraphs
from diglot.errors import UnreadableDocument

UNKNOWN = 0.5
"""With a larger share of characters without a meaning, a file has no usable text."""
LEAST_LOWER = 0.25
"""Least share of a to z among characters without a name, for which their numbers are letters, as in old fonts of TeX.
Fonts that number their letters from 1 on, or in the order of TrueType, have capitals and signs at these numbers."""
ENOUGH_O = 3
"""Least lines with an "o" between words for it to be a word of the document."""


def read_pdf(body: bytes) -> ReadDocument:
    """The blocks of a PDF in reading order.

    Of a long document the first 1,000 pages and 2 million characters are read. The caller limits memory and time.

    Raises :class:`UnreadableDocument` for a document with a password, a damaged or cut document, a document without
    text (a scan, or fonts that do not name their letters), and a page with more characters than any real page has.
    """
    fonts = Fonts()
    contents: list[PageContent] = []
    pages: list[list[Line]] = []
    with open_pdf(body) as pdf:
        for content in pdf.pages():
            fonts.add(content)
            pages.append(lines_of(content, tag_rows(content)))
            leave_out_calls(pages[-1])
            contents.append(_without_characters(content))
        count, title, lang = pdf.count, pdf.title, pdf.lang
        has_unusable_fonts = _has_unusable_fonts(pdf.looked_at, pdf.unnamed)
    if not contents:
        raise UnreadableDocument("damaged", "the PDF has no page that can be read")
    _require_text(pages)
    if has_unusable_fonts:
        raise UnreadableDocument(
            "no_text_layer",
            "its fonts do not say which letters they show, so that its text is of other letters than its pages",
        )
    for is_misnamed, right in ((has_tex_quotes, GUILLEMETS), (has_misnamed_hyphens, PLAIN_HYPHENS)):
        if is_misnamed(line.text for lines in pages for line in lines):
            for line in (line for lines in pages for line in lines):
                line.text = line.text.translate(right)
    pages = without_furniture(pages)
    words = words_of(line for lines in pages for line in lines)
    paragraphs = set_kinds(_paragraphs(contents, pages), fonts.monospaced_fonts())
    links = {content.number: content.links for content in contents if content.links}
    blocks = tuple(block for paragraph in paragraphs if (block := _block(paragraph, words, links)).text)
    tagged = any(line.tag >= 0 for lines in pages for line in lines)
    return ReadDocument(blocks, title, lang, count, tagged)


def _without_characters(content: PageContent) -> PageContent:
    """The page without characters: they take the most memory, and the lines are already made of them."""
    return replace(content, characters=content.characters.rows(np.zeros(0, np.int64)), fonts=())


def _require_text(pages: Sequence[list[Line]]) -> None:
    text = "".join(line.text for lines in pages for line in lines)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    unknown = int(((codes >= 0xE000) & (codes <= 0xF8FF) | (codes == UNKNOWN_CODE)).sum())
    if not any(map(str.isalpha, text)) or unknown > UNKNOWN * len(text):
        raise UnreadableDocument("no_text_layer", "the PDF has no text: pictures of pages, or fonts without letters")


def _has_unusable_fonts(char_count: int, unnamed_codes: Sequence[int]) -> bool:
    """Whether most characters have another letter in the text than on the page.

    ``char_count``: characters looked up in fonts; ``unnamed_codes``: codes of those without a name there.
    """
    lower = sum(ord("a") <= code <= ord("z") for code in unnamed_codes)
    return len(unnamed_codes) > UNKNOWN * char_count and lower < LEAST_LOWER * len(unnamed_codes)


def _paragraphs(contents: Sequence[PageContent], pages: Sequence[list[Line]]) -> list[Paragraph]:
    """Paragraphs of all pages: tagged lines by their tags, the other lines by geometry."""
    untagged = [[line for line in lines if line.tag < 0] for lines in pages]
    set_limits(untagged)
    has_o = sum(" o " in line.text for lines in untagged for line in lines) >= ENOUGH_O
    usual = Usual(usual_leading(untagged), usual_indent(untagged), has_o)
    made = [
        tagged_paragraphs(content, lines) + page_paragraphs(rest, usual)
        for content, lines, rest in zip(contents, pages, untagged, strict=True)
    ]
    joined = join_pages(made)
    mirror_back(line for lines in untagged for line in lines)
    return joined


def _block(paragraph: Paragraph, words: Words, links: dict[int, tuple[LinkArea, ...]]) -> Block:
    lines = paragraph.lines
    listing = paragraph.kind == "pre"
    text = "\n".join(_rows(lines)) if listing else without_leader(join_lines(lines, words))
    here = tuple(
        dict.fromkeys(link.address for line in lines for link in links.get(line.page, ()) if _lies_on(link, line))
    )
    return Block(paragraph.kind, text, lines[0].page, paragraph.lang, here)


def _rows(lines: Sequence[Line]) -> Iterable[str]:
    """Rows of a listing, each indented by blanks as on the page."""
    left = min(line.left for line in lines)
    rows: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        rows[round(line.baseline)].append(line)
    for row in rows.values():
        indent = round((row[0].left - left) / max(0.6 * row[0].size, 1))
        yield " " * min(indent, 40) + " ".join(line.text for line in row)


def _lies_on(link: LinkArea, line: Line) -> bool:
    """Whether the box of a link lies on a line."""
    left, bottom, right, top = link.box
    return bottom - 1 <= line.baseline + 0.25 * line.size <= top + 1 and left < line.right and line.left < right
