"""HTML element names as small integers: tokens, classes, and flags for the scans over a page."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from diglot.arrays import Bytes, Ints8, Ints32, Mask
from diglot.records import BlockKind

_NAMES = """
a abbr acronym address applet area article aside audio b base basefont bdi bdo big blockquote body br button canvas
caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset
figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins
isindex kbd label legend li link main map mark menu meta meter nav nobr noframes noscript object ol optgroup option
output p param picture pre progress q rb rp rt rtc ruby s samp script search section select small source span strike
strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video
wbr math unknown
"""
TAGS: tuple[str, ...] = tuple(_NAMES.split())
"""Every element name of HTML 4 and HTML Living Standard; the last stands for unknown names."""

_INDEX = {name: index for index, name in enumerate(TAGS)}
UNKNOWN_TAG = _INDEX["unknown"]

_STRUCTURAL = (
    "blockquote body caption col colgroup dd dir div dl dt h1 h2 h3 h4 h5 h6 head hr html li menu noframes "
    "noscript ol optgroup option p q select table tbody td tfoot th thead tr ul"
)
_FORMAT = "abbr acronym b big center cite code dfn em font i pre s small span strike strong style sub sup tt u"
_CONTENT = "area fieldset form iframe img input isindex label legend map object param textarea title"

STRUCTURAL, FORMAT, CONTENT, IRRELEVANT = "structural", "format", "content", "irrelevant"

TAG_CLASSES: dict[str, str] = {
    **dict.fromkeys(TAGS, IRRELEVANT),
    **dict.fromkeys(_STRUCTURAL.split(), STRUCTURAL),
    **dict.fromkeys(_FORMAT.split(), FORMAT),
    **dict.fromkeys(_CONTENT.split(), CONTENT),
}
"""Class of every tag as shipped by Bitextor 2.0-3.2 and TagAligner. Tags without class, such as those added to HTML
later, are irrelevant (Bitextor 2009, section 3)."""

TEXT_PIECE = 0
"""Code of a text, in place of a tag's token."""

NO_BREAK, NARROW = 0x1E, 0x1F
"""Bytes for white space of one U+00A0 or one U+202F while text is folded. As characters of a page they are folded."""

VOID = 1
"""Flag of an element without content or end tag."""
BLOCK = 2
"""Flag of an element that ends a block: block-level in the HTML standard's rendering section."""
ASIDE = 4
"""Flag of a container of navigation or furniture, never main text."""
REPLACED = 8
"""Flag of an element shown as a picture or control in the line."""
LITERAL = 16
"""Flag of an element in which capital letters begin no words: code, ruby, sub- and superscripts."""

_VOID = "area base br col embed frame hr img input link meta param source track wbr"
_BLOCK = (
    "address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html label legend li "
    "main menu nav ol optgroup option p pre search section select summary table tbody td textarea tfoot th thead "
    "title tr ul"
)
_ASIDE = "nav footer aside menu select button"
_REPLACED = "audio canvas embed iframe img input math meter object progress svg video"
_LITERAL = "code kbd pre rb rp rt rtc samp sub sup tt var"

_KINDS = {
    BlockKind.TITLE: "title",
    BlockKind.HEADING: "h1 h2 h3 h4 h5 h6",
    BlockKind.LIST_ITEM: "li dt dd",
    BlockKind.TABLE_CELL: "td th",
    BlockKind.CAPTION: "caption figcaption legend",
    BlockKind.CONTROL: "option button label textarea select",
    BlockKind.PREFORMATTED: "pre",
    BlockKind.PARAGRAPH: "blockquote body",
}
INHERITED = -1
"""Kind of an element whose text has the kind of the parent's text."""
INHERITED_NO_CELL = -2
"""As :data:`INHERITED`, but a paragraph in a table cell."""

ATTRIBUTES = (
    *("alt", "content", "href", "hreflang", "http-equiv", "lang", "name", "property", "rel", "src"),
    *("type", "value", "xml:lang"),
)
"""Attributes to read."""
SLOTS = 4
_SLOTS: dict[str, tuple[str, ...]] = {
    "a": ("href", "hreflang", "rel"),
    "area": ("href", "alt"),
    "base": ("href",),
    "frame": ("src",),
    "html": ("lang", "xml:lang"),
    "img": ("src", "alt"),
    "link": ("href", "hreflang", "rel", "type"),
    "meta": ("content", "http-equiv", "name", "property"),
    "option": ("value",),
}
"""Attributes read of each element, in the order of the slots of their values."""


def tag_index(name: str) -> int:
    """Index of an element name (lower case) in :data:`TAGS`, or the index of "unknown"."""
    return _INDEX.get(name, UNKNOWN_TAG)


def start_code(name: str) -> int:
    """Token of the start tag of ``name``; negative and odd."""
    return -(1 + 2 * tag_index(name))


def end_code(name: str) -> int:
    """Token of the end tag of ``name``; negative and even."""
    return -(2 + 2 * tag_index(name))


def tag_mask(names: Iterable[str]) -> Mask:
    """Mask by negative code of the start and end tags of the elements ``names``."""
    mask = np.zeros(2 * len(TAGS) + 1, np.bool_)
    mask[[-code_of(name) for name in names for code_of in (start_code, end_code)]] = True
    return mask


def indices_of_codes(codes: Ints32) -> Ints32:
    """Tag indices of an array of (negative) tag codes, start and end alike."""
    return (-codes - 1) >> 1


def _flags() -> Bytes:
    flags = np.zeros(len(TAGS), np.uint8)
    for flag, names in zip(
        (VOID, BLOCK, ASIDE, REPLACED, LITERAL), (_VOID, _BLOCK, _ASIDE, _REPLACED, _LITERAL), strict=True
    ):
        flags[[tag_index(name) for name in names.split()]] |= flag
    return flags


def _kinds() -> Ints8:
    kinds = np.full(len(TAGS), INHERITED, np.int8)
    for kind, names in _KINDS.items():
        kinds[[tag_index(name) for name in names.split()]] = kind
    kinds[tag_index("p")] = INHERITED_NO_CELL
    return kinds


def _slots() -> Ints8:
    slots = np.full((len(TAGS), len(ATTRIBUTES)), -1, np.int8)
    for name, attributes in _SLOTS.items():
        for slot, attribute in enumerate(attributes):
            slots[tag_index(name), ATTRIBUTES.index(attribute)] = slot
    return slots


TAG_FLAGS = _flags()
"""Sum of the flags of every tag."""
TAG_KINDS = _kinds()
""":class:`diglot.records.BlockKind` of every tag, :data:`INHERITED` or :data:`INHERITED_NO_CELL`."""
ATTRIBUTE_SLOTS = _slots()
"""Slot of an attribute's value, by tag and place of the attribute in ATTRIBUTES; -1 for attributes not read."""
