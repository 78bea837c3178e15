"""DOCX -> blocks: the text that a reader of the document sees, without headers, footers and comments.

Tracked changes read as accepted: deleted text is left out, inserted text stays. Notes and text boxes follow the
paragraph that refers to them. Names are read without namespace, since the strict variant has namespaces of its own.
Source: ECMA-376, part 1, sections 17.3 (paragraphs), 17.4 (tables), 17.7 (styles), 17.13.5 (tracked changes).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from diglot.document_kinds import OLE_START
from diglot.documents.blocks import Block, ReadDocument
from diglot.documents.office.flow import Flow, join_listings, main_language
from diglot.documents.office.package import Package, attribute, child, local_name, resolve_name, whole_number
from diglot.documents.office.styles import CONTENTS, Style, Styles, heading_kind
from diglot.errors import UnreadableDocument

MAIN_TYPE = "/officeDocument"
NOTES = {"footnotes": "footnote", "endnotes": "endnote"}
"""Name of each file of notes, and of the element of a note in it."""
_ON = frozenset({"1", "true", "on"})
_LEFT_OUT = frozenset({"del", "moveFrom", "rt", "instrText", "delText", "rPr", "pPr", "sdtPr", "sdtEndPr", "tblPr"})
"""Deleted text, ruby glosses, instructions of fields, and properties."""
_SPACES = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011", "ptab": " "}
_BODY_LEVEL = 9
"""Outline level of plain text."""


@dataclass(slots=True)
class _Reader:
    """State of reading a document; ``links``: addresses by identifier; ``notes``: elements by name and identifier."""

    styles: Styles
    numbered: frozenset[str]
    """Styles of list items."""
    links: dict[str, str]
    notes: dict[tuple[str, str], Any]
    blocks: list[Block] = field(default_factory=list)
    kept: tuple[Flow, str] | None = None
    """A paragraph with a deleted end, and its kind: the next paragraph continues it."""
    hanging: list[Callable[[], None]] = field(default_factory=list)
    """Notes and text boxes of the paragraph being read, and of a paragraph before it with a deleted end."""


def read_docx(body: bytes) -> ReadDocument:
    """Blocks of a DOCX. Raises :class:`diglot.errors.UnreadableDocument`."""
    if body.startswith(OLE_START):
        raise UnreadableDocument("encrypted")
    package = Package(body)
    main = _main_part(package)
    part_of = {kind: resolve_name(main, f"{kind}.xml") for kind in ("styles", *NOTES)}
    styles, numbered = _read_styles(package.xml_or_none(part_of["styles"]))
    notes: dict[tuple[str, str], Any] = {}
    for kind, name in NOTES.items():
        root = package.xml_or_none(part_of[kind])
        for note in root if root is not None else ():
            notes[name, attribute(note, "id")] = note
    reader = _Reader(styles, numbered, _relations(package, main), notes)
    _read_body(reader, child(package.xml(main), "body"), "p")
    core = package.xml_or_none("docProps/core.xml")
    title = child(core, "title") if core is not None else None
    return ReadDocument(
        blocks=tuple(join_listings(reader.blocks)),
        title="" if title is None else (title.text or "").strip(),
        lang=main_language(reader.blocks, styles.default_lang),
        pages=0,
        tagged=True,
    )


def _main_part(package: Package) -> str:
    """Name of the file with the text."""
    for relation in package.xml("_rels/.rels"):
        if attribute(relation, "Type").endswith(MAIN_TYPE):
            return resolve_name("", attribute(relation, "Target").lstrip("/"))
    return "word/document.xml"


def _relations(package: Package, main: str) -> dict[str, str]:
    """Addresses of the links of the text by their identifiers."""
    folder, _, name = main.rpartition("/")
    root = package.xml_or_none(f"{folder}/_rels/{name}.rels")
    return {
        attribute(relation, "Id"): attribute(relation, "Target")
        for relation in (root if root is not None else ())
        if attribute(relation, "TargetMode") == "External"
    }


def _read_styles(root: Any) -> tuple[Styles, frozenset[str]]:
    """All styles, and the names of the styles with numbered paragraphs."""
    styles: dict[str, Style] = {}
    numbered: set[str] = set()
    for each in root if root is not None else ():
        if local_name(each) != "style":
            continue
        name, runs, paragraph = attribute(each, "styleId"), child(each, "rPr"), child(each, "pPr")
        styles[name] = Style(
            name=_value(each, "name"),
            parent=_value(each, "basedOn"),
            kind=_outline_kind(paragraph),
            lang=_lang(runs),
            hidden=_is_hidden(runs),
        )
        if child(paragraph, "numPr") is not None:
            numbered.add(name)
        if attribute(each, "default") in _ON and attribute(each, "type") == "paragraph":
            styles[""] = styles[name]  # of paragraphs that name no style
    defaults = child(root, "docDefaults", "rPrDefault", "rPr")
    return Styles(styles, _lang(defaults)), frozenset(numbered)


def _outline_kind(properties: Any) -> str:
    level = whole_number(_value(properties, "outlineLvl"), _BODY_LEVEL)
    return heading_kind(level + 1) if level < _BODY_LEVEL else ""


def _value(element: Any, name: str) -> str:
    """The value of a property, "" for none."""
    found = child(element, name)
    return "" if found is None else attribute(found, "val")


def _is_hidden(properties: Any) -> bool | None:
    """Whether the text is hidden, None where it is not stated."""
    found = child(properties, "vanish")
    return None if found is None else (attribute(found, "val") or "on").lower() in _ON


def _lang(properties: Any) -> str:
    """Stated language of text; that of ideographs, or else of right-to-left text, if no other is stated."""
    found = child(properties, "lang")
    if found is None:
        return ""
    return attribute(found, "val") or attribute(found, "eastAsia") or attribute(found, "bidi")


def _read_body(reader: _Reader, body: Any, kind: str) -> None:
    """Read the paragraphs and tables of a body, cell, note or text box; ``kind``: kind of plain paragraphs."""
    _read_blocks(reader, body, kind)
    # No paragraph continues the last one, though its end is deleted.
    _end_kept(reader)


def _read_blocks(reader: _Reader, container: Any, kind: str) -> None:
    for element in container if container is not None else ():
        name = local_name(element)
        if name == "p":
            _read_paragraph(reader, element, kind)
        elif name == "tc":
            # Here and not at the table: one whose rows are all deleted parts no paragraphs.
            _end_kept(reader)
            _read_body(reader, element, "td")
        elif name == "tr" and child(element, "trPr", "del") is not None:
            continue
        elif name == "AlternateContent":
            _read_blocks(reader, _alternative(element), kind)
        elif name not in _LEFT_OUT:
            _read_blocks(reader, element, kind)


def _read_paragraph(reader: _Reader, paragraph: Any, kind: str) -> None:
    properties = child(paragraph, "pPr")
    style = _value(properties, "pStyle")
    kind = _kind(reader, properties, style) or kind
    if kind == CONTENTS:
        _end_kept(reader)
        return
    flow = reader.kept[0] if reader.kept else Flow()
    _read_runs(reader, paragraph, flow, style)
    reader.kept = flow, kind
    if child(properties, "rPr", "del") is None:
        _end_kept(reader)


def _end_kept(reader: _Reader) -> None:
    """End the paragraph that is kept, if any, and read its notes and text boxes."""
    if reader.kept is None:
        return
    (flow, kind), reader.kept = reader.kept, None
    hanging, reader.hanging = reader.hanging, []
    if (block := flow.block(kind)) is not None:
        reader.blocks.append(replace(block, lang=block.lang or reader.styles.default_lang))
    for read in hanging:
        read()


def _kind(reader: _Reader, properties: Any, style: str) -> str:
    kind = _outline_kind(properties) or reader.styles.kind(style)
    number = _value(child(properties, "numPr"), "numId")
    is_item = number != "0" and (number != "" or style in reader.numbered)
    return kind or ("li" if is_item else "")


def _read_runs(reader: _Reader, element: Any, flow: Flow, style: str) -> None:
    """Read the text inside a paragraph."""
    for each in element:
        name = local_name(each)
        if name == "r":
            _read_run(reader, each, flow, style)
        elif name == "hyperlink":
            flow.link(reader.links.get(attribute(each, "id"), ""))
            _read_runs(reader, each, flow, style)
        elif name == "t":  # of a formula
            flow.add(each.text or "")
        elif name == "AlternateContent":
            _read_runs(reader, _alternative(each), flow, style)
        elif name not in _LEFT_OUT:
            _read_runs(reader, each, flow, style)


def _read_run(reader: _Reader, run: Any, flow: Flow, style: str) -> None:
    properties = child(run, "rPr")
    own = _value(properties, "rStyle")
    hidden = _is_hidden(properties)
    if hidden or (hidden is None and (reader.styles.hidden(own) or reader.styles.hidden(style))):
        return
    lang = _lang(properties) or reader.styles.lang(own) or reader.styles.lang(style)
    for each in run:
        name = local_name(each)
        if name == "t":
            flow.add(each.text or "", lang)
        elif name in _SPACES:
            flow.add("" if attribute(each, "type") == "page" else _SPACES[name])
        elif name in ("footnoteReference", "endnoteReference"):
            note = reader.notes.get((name.removesuffix("Reference"), attribute(each, "id")))
            if note is not None:
                reader.hanging.append(partial(_read_body, reader, note, "p"))
        elif name == "ruby":
            _read_runs(reader, each, flow, style)
        elif name in ("drawing", "pict", "object", "AlternateContent"):
            inside = _alternative(each) if name == "AlternateContent" else each
            reader.hanging += [partial(_read_body, reader, box, "p") for box in _boxes(inside)]


def _boxes(drawing: Any) -> list[Any]:
    """Text boxes of a drawing, each once: a box has an older form beside it."""
    if drawing is None:
        return []
    if local_name(drawing) == "txbxContent":
        return [drawing]
    if local_name(drawing) == "AlternateContent":
        return _boxes(_alternative(drawing))
    return [box for each in drawing for box in _boxes(each)]


def _alternative(element: Any) -> Any:
    """The first form of content that has several."""
    choice = child(element, "Choice")
    return choice if choice is not None else child(element, "Fallback")
