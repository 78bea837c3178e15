"""cesDoc and cesAlign, the XML of ILSP-FC: a cesDoc is a page, a cesAlign names two pages in translation."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pyarrow as pa

from diglot.corpus.characters import clean_text
from diglot.disk.atomic import replacing
from diglot.errors import UsageError
from diglot.features.paragraphs import kept_blocks
from diglot.no_breaks import with_blanks
from diglot.records import BlockKind
from diglot.site import Site

CES_NAMESPACE = "http://www.xces.org/schema/2003"
_NOT_IN_NAME = re.compile(r"[^\w+.-]")
TYPES = {BlockKind.TITLE: "title", BlockKind.HEADING: "heading", BlockKind.LIST_ITEM: "listitem"}
"""Values of the attribute ``type``; paragraphs of other kinds lack the attribute."""


@dataclass(frozen=True, slots=True)
class CesParagraph:
    """One ``p``."""

    text: str
    kind: BlockKind = BlockKind.PARAGRAPH
    boilerplate: bool = False
    page: int = 0
    """Page of the document, from 1; 0 for HTML, and for documents without pages."""


@dataclass(frozen=True, slots=True)
class CesDocument:
    """Contents of a cesDoc: a page."""

    url: str
    lang: str
    """BCP 47."""
    paragraphs: tuple[CesParagraph, ...]
    title: str = ""
    fetched: str = ""
    """ISO 8601 time of the fetch, "" if unknown; only the date is written."""


def ces_document(site: Site, row: int, mask: Callable[[str], str] = str) -> CesDocument:
    """One page of a site; boilerplate is text outside the main text, or repeated all over the site.

    ``mask``: applied to every text, such as :func:`diglot.corpus.flags.personal.mask_personal_data`.
    """
    texts = list(map(mask, map(with_blanks, site.blocks(row), site.block_blanks(row))))
    main = kept_blocks(site).row(row)
    kinds = [BlockKind(int(kind)) for kind in site.ragged_column("block_kinds").row(row)]
    pages = site.ragged_column("block_pages").row(row).tolist() or [0] * len(texts)
    paragraphs = tuple(
        CesParagraph(text, kind, boilerplate=not kept, page=page)
        for text, kind, kept, page in zip(texts, kinds, main, pages, strict=True)
    )
    title = next((text for text, kind in zip(texts, kinds, strict=True) if kind == BlockKind.TITLE), "")
    return CesDocument(
        site.urls[row], site.strings("lang")[row], paragraphs, title=title, fetched=site.strings("fetched")[row]
    )


def cesdoc_xml(document: CesDocument) -> str:
    """The page as well-formed XML; characters forbidden in XML are left out."""
    lines = [
        "<?xml version='1.0' encoding='UTF-8'?>",
        f'<cesDoc version="0.4" xmlns="{CES_NAMESPACE}" xmlns:xlink="http://www.w3.org/1999/xlink" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">',
        *_header(document),
        "<text>",
        "<body>",
        *(_paragraph(number, paragraph) for number, paragraph in enumerate(document.paragraphs, start=1)),
        "</body>",
        "</text>",
        "</cesDoc>",
    ]
    return "\n".join(lines) + "\n"


def write_cesdoc(path: str | os.PathLike[str], document: CesDocument) -> None:
    """Write :func:`cesdoc_xml`; raises :class:`diglot.errors.UsageError` if ``path`` cannot be written."""
    with replacing(path) as handle:
        handle.write(cesdoc_xml(document).encode())


def _header(document: CesDocument) -> list[str]:
    title, address = _text(document.title), _text(document.url)
    return [
        '<cesHeader version="0.4">',
        "<fileDesc>",
        f"<titleStmt><title>{title}</title>"
        "<respStmt><resp><type>Crawling and normalization</type><name>Diglot</name></resp></respStmt></titleStmt>",
        "<publicationStmt><distributor/><availability/><pubDate/></publicationStmt>",
        f"<sourceDesc><biblStruct><monogr><title>{title}</title><author/><imprint><format>text/html</format>"
        f"<publisher/><pubDate>{_text(document.fetched[:10])}</pubDate><eAddress>{address}</eAddress></imprint>"
        "</monogr></biblStruct></sourceDesc>",
        "</fileDesc>",
        f"<profileDesc><langUsage><language iso639={attribute(document.lang)}/></langUsage>",
        "<textClass><keywords></keywords><domain></domain></textClass></profileDesc>",
        "</cesHeader>",
    ]


def _paragraph(number: int, paragraph: CesParagraph) -> str:
    attributes = f'id="p{number}"'
    if paragraph.boilerplate:
        attributes += ' crawlinfo="boilerplate"'
    if paragraph.kind in TYPES:
        attributes += f' type="{TYPES[paragraph.kind]}"'
    if paragraph.page:
        attributes += f' page="{paragraph.page}"'
    return f"<p {attributes}>{_text(paragraph.text)}</p>"


def _text(text: str) -> str:
    return escape(clean_text(text))


def attribute(text: str) -> str:
    """A text as a quoted attribute value."""
    return quoteattr(clean_text(text))


def cesalign_xml(src: tuple[str, str], tgt: tuple[str, str]) -> str:
    """The pair as XML; a side is (location of its cesDoc, language)."""
    translations = [
        f'<translation trans.loc={attribute(location)} xml:lang={attribute(lang)} wsd="UTF-8" n="{number}"/>'
        for number, (location, lang) in enumerate((src, tgt), start=1)
    ]
    lines = [
        "<?xml version='1.0' encoding='UTF-8'?>",
        f'<cesAlign version="1.0" xmlns="{CES_NAMESPACE}" xmlns:xlink="http://www.w3.org/1999/xlink" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">',
        '<cesHeader version="1.0">',
        "<profileDesc>",
        "<translations>",
        *translations,
        "</translations>",
        "</profileDesc>",
        "</cesHeader>",
        "</cesAlign>",
    ]
    return "\n".join(lines) + "\n"


def write_ces_pairs(
    folder: str | os.PathLike[str], site: Site, pairs: pa.Table, mask: Callable[[str], str] = str
) -> list[Path]:
    """Write the accepted rows of a PAIR_SCHEMA table and their pages; returns the cesAlign paths, in order.

    Files of pages are ``LANG-N.xml``: the pages of a language are numbered from 1 in the order of their addresses.
    Files of pairs are ``LANG-N_LANG-N_METHOD.xml``. ``mask``: see :func:`ces_document`.

    Raises: :class:`UsageError` for a pair with a page of another site, or a folder that cannot be written.
    """
    row_of = {url: row for row, url in enumerate(site.urls)}
    place = {row: n for lang in set(site.strings("lang")) for n, row in enumerate(site.rows_of(lang).tolist(), start=1)}
    written: set[int] = set()
    paths = []
    for pair in pairs.filter(pairs["accepted"]).to_pylist():
        names = []
        for side in ("src", "tgt"):
            row = row_of.get(pair[f"{side}_url"])
            if row is None:
                raise UsageError(f"{pair[f'{side}_url']}: no page of {site.name}; give the pairs of the same run")
            names.append(f"{site.strings('lang')[row]}-{place[row]}")
            # A page in several pairs is one file.
            if row not in written:
                written.add(row)
                write_cesdoc(Path(folder) / f"{names[-1]}.xml", ces_document(site, row, mask))
        method = _NOT_IN_NAME.sub("-", pair["method"])
        paths.append(Path(folder) / f"{names[0]}_{names[1]}_{method}.xml")
        # File names without a folder, so that the folder can be moved.
        sides = [(f"{name}.xml", pair[f"{side}_lang"]) for name, side in zip(names, ("src", "tgt"), strict=True)]
        with replacing(paths[-1]) as handle:
            handle.write(cesalign_xml(sides[0], sides[1]).encode())
    return paths
