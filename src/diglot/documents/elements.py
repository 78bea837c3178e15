"""What each HTML element means to the walk over a page, as arrays over :data:`diglot.documents.tags.TAGS`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from diglot.documents.tags import TAGS, tag_index
from diglot.records import BlockKind

VOID = 1
"""Flag of an element without content or end tag."""
BLOCK = 2
"""Flag of an element that ends a block of text: the block-level ones of the HTML standard's rendering section."""
ASIDE = 4
"""Flag of a container whose text is navigation or furniture, never main text."""

_VOID = "area base br col embed frame hr img input link meta param source track wbr"
_BLOCK = (
    "address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html label legend li "
    "main menu nav ol optgroup option p pre search section select summary table tbody td textarea tfoot th thead "
    "title tr ul"
)
_ASIDE = "nav footer aside menu select button"

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
"""Kind of an element that says nothing of what its text is: the element round it does."""
INHERITED_NO_CELL = -2
"""The same, but in a table cell it is a paragraph."""

ATTRIBUTES = ("alt", "content", "href", "hreflang", "http-equiv", "lang", "rel", "src", "xml:lang")
"""Attributes that are read."""
SLOTS = 3
_SLOTS: dict[str, tuple[str, ...]] = {
    "a": ("href", "hreflang"),
    "area": ("href", "alt"),
    "base": ("href",),
    "frame": ("src",),
    "html": ("lang", "xml:lang"),
    "img": ("src", "alt"),
    "link": ("href", "hreflang", "rel"),
    "meta": ("content", "http-equiv"),
}
"""Of which elements which attributes are read, and in which slot each one's value is put."""

Bytes = npt.NDArray[np.uint8]
SmallInts = npt.NDArray[np.int8]


def _flags() -> Bytes:
    flags = np.zeros(len(TAGS), np.uint8)
    for flag, names in ((VOID, _VOID), (BLOCK, _BLOCK), (ASIDE, _ASIDE)):
        flags[[tag_index(name) for name in names.split()]] |= flag
    return flags


def _kinds() -> SmallInts:
    kinds = np.full(len(TAGS), INHERITED, np.int8)
    for kind, names in _KINDS.items():
        kinds[[tag_index(name) for name in names.split()]] = kind
    kinds[tag_index("p")] = INHERITED_NO_CELL
    return kinds


def _slots() -> SmallInts:
    slots = np.full((len(TAGS), len(ATTRIBUTES)), -1, np.int8)
    for name, attributes in _SLOTS.items():
        for slot, attribute in enumerate(attributes):
            slots[tag_index(name), ATTRIBUTES.index(attribute)] = slot
    return slots


FLAGS = _flags()
"""Sum of the flags of every tag."""
KINDS = _kinds()
""":class:`diglot.records.BlockKind` of every tag, or one of the two above."""
ATTRIBUTE_SLOTS = _slots()
"""Slot of an attribute's value, by tag and place of the attribute in ATTRIBUTES; -1 where it is not read."""
