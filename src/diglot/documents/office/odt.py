"""ODT -> blocks: the text that a reader of the document sees, without headers, footers and comments.

ODT keeps deleted text apart from the paragraphs, and it is not read; inserted text is part of its paragraph. Notes and
text boxes follow the paragraph to which they are attached.
Source: OASIS OpenDocument 1.3, part 3, sections 5 (text), 6 (inline), 9 (tables), 16 (styles).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from diglot.documents.blocks import Block, ReadDocument
from diglot.documents.office.flow import Flow, fold, join_listings, main_language, single_blanks
from diglot.documents.office.package import Package, attribute, child, local_name, whole_number
from diglot.documents.office.styles import CONTENTS, Style, Styles, heading_kind
from diglot.errors import UnreadableDocument

_LEFT_OUT = frozenset(
    {"tracked-changes", "annotation", "note-citation", "ruby-text", "hidden-text", "hidden-paragraph", "desc", "title"}
    | {"table-of-content", "illustration-index", "table-index", "object-index", "alphabetical-index", "user-index"}
    | {"forms", "event-listeners", "sequence-decls", "variable-decls", "user-field-decls", "covered-table-cell"}
)
"""Deleted text, comments, glosses, hidden fields, tables of contents, and declarations."""
_BLOCKS = frozenset({"p", "h", "list"})
_OTHER_BLANKS = "\t\r\n"
_HIDING = frozenset({"none", "condition"})


@dataclass(slots=True)
class _Reader:
    styles: Styles
    blocks: list[Block] = field(default_factory=list)
    attached: list[Callable[[], None]] = field(default_factory=list)
    """Readers of the notes and text boxes attached to the paragraph being read."""


def read_odt(body: bytes) -> ReadDocument:
    """Blocks of an ODT. Raises :class:`diglot.errors.UnreadableDocument`."""
    package = Package(body)
    manifest = package.xml_or_none("META-INF/manifest.xml")
    if manifest is not None and any(local_name(each) == "encryption-data" for each in manifest.iter()):
        raise UnreadableDocument("encrypted")
    content = package.xml("content.xml")
    reader = _Reader(_read_styles([package.xml_or_none("styles.xml"), content]))
    _read_body(reader, child(content, "body", "text"), "p")
    meta = child(package.xml_or_none("meta.xml"), "meta")
    title, lang = (child(meta, name) for name in ("title", "language"))
    stated = "" if lang is None else (lang.text or "").strip()
    return ReadDocument(
        blocks=tuple(join_listings(reader.blocks)),
        title="" if title is None else fold(title.text or ""),
        lang=main_language(reader.blocks, reader.styles.default_lang or stated),
        pages=0,
        tagged=True,
    )


def _read_styles(roots: list[Any]) -> Styles:
    """All styles, and the language of the default paragraph style; ``roots``: of ``styles.xml`` and ``content.xml``."""
    styles: dict[str, Style] = {}
    default_lang = ""
    groups = [group for root in roots if root is not None for group in root if local_name(group).endswith("styles")]
    for each in (style for group in groups for style in group):
        properties = child(each, "text-properties")
        lang = _lang(properties)
        if local_name(each) == "default-style" and attribute(each, "family") == "paragraph":
            default_lang = lang
        elif local_name(each) == "style":
            display = "" if properties is None else attribute(properties, "display")
            hidden = (display in _HIDING) if display else None
            styles[attribute(each, "name")] = Style(
                attribute(each, "name"), attribute(each, "parent-style-name"), "", lang, hidden
            )
    return Styles(styles, default_lang)


def _lang(properties: Any) -> str:
    if properties is None:
        return ""
    for prefix in ("", "-asian", "-complex"):
        lang, country = attribute(properties, f"language{prefix}"), attribute(properties, f"country{prefix}")
        if lang and lang != "none":
            return f"{lang}-{country}" if country and country != "none" else lang
    return ""


def _read_body(reader: _Reader, body: Any, kind: str) -> None:
    """Read the paragraphs in an element, at any depth; ``kind``: of paragraphs whose style names none."""
    for element in body if body is not None else ():
        name = local_name(element)
        if name in _LEFT_OUT or attribute(element, "display") in _HIDING:
            continue
        if name in ("p", "h"):
            _read_paragraph(reader, element, kind)
        elif name in ("list-item", "list-header"):
            _read_body(reader, element, "li")
        elif name == "table-cell":
            _read_body(reader, element, "td")
        else:
            _read_body(reader, element, kind)


def _read_paragraph(reader: _Reader, paragraph: Any, kind: str) -> None:
    style = attribute(paragraph, "style-name")
    named = reader.styles.kind(style)
    if local_name(paragraph) == "h":
        kind = heading_kind(whole_number(attribute(paragraph, "outline-level"), 1))
    elif named:
        kind = named
    flow = Flow()
    if kind != CONTENTS and not reader.styles.hidden(style):
        _read_text(reader, paragraph, flow, reader.styles.lang(style))
    block = flow.block(kind)
    if block is not None:
        reader.blocks.append(replace(block, lang=block.lang or reader.styles.default_lang))
    attached, reader.attached = reader.attached, []
    for read in attached:
        read()


def _read_text(reader: _Reader, element: Any, flow: Flow, lang: str) -> None:
    """Read the text inside a paragraph."""
    flow.add(_with_single_blanks(element.text), lang)
    for each in element:
        name = local_name(each)
        if name in ("note-body", "text-box") or _is_shape(each):
            reader.attached.append(partial(_read_body, reader, each, "p"))
        elif name == "s":
            flow.add(" " * min(whole_number(attribute(each, "c"), 1), 100))
        elif name in ("tab", "line-break"):
            flow.add("\n" if name == "line-break" else "\t")
        elif name and name not in _LEFT_OUT:
            _read_inline(reader, each, flow, lang)
        flow.add(_with_single_blanks(each.tail), lang)


def _is_shape(element: Any) -> bool:
    """Whether an element of a paragraph holds paragraphs itself, as a drawn shape does without a text box."""
    return local_name(element) not in _LEFT_OUT and any(local_name(each) in _BLOCKS for each in element)


def _read_inline(reader: _Reader, element: Any, flow: Flow, lang: str) -> None:
    style = attribute(element, "style-name") if local_name(element) == "span" else ""
    if style and reader.styles.hidden(style):
        return
    if local_name(element) == "a":
        flow.link(attribute(element, "href"))
    _read_text(reader, element, flow, reader.styles.lang(style) or lang)


def _with_single_blanks(text: str | None) -> str:
    """Text with each run of white space as one blank: ODT writes tabs and line breaks as elements."""
    return single_blanks(text or "", _OTHER_BLANKS)
