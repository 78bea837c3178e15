"""Walks the structure tree of a page: which marked contents make one paragraph, heading, list item or cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from diglot.documents.pdf.pages import Tag

MAX_ELEMENTS = 100_000
"""Most elements read on one page; a dense table has 2,000."""
OWN_KINDS = {
    "P": "p",
    "H": "h2",
    **{f"H{level}": f"h{level}" for level in range(1, 7)},
    "Title": "h1",
    "LI": "li",
    "LBody": "li",
    "TOCI": "li",
    "TD": "td",
    "TH": "td",
    "Caption": "caption",
    "Note": "p",
    "FENote": "p",
    "BibEntry": "li",
}
"""Standard structure types (ISO 32000-2, 14.8.4) that hold a block of text, and its kind."""
KEPT_BY_PARAGRAPHS = ("li", "td", "caption")
"""Kinds that paragraphs inside take over."""
GROUPS = frozenset(
    [
        *("Document", "DocumentFragment", "Part", "Art", "Sect", "Div", "Aside", "BlockQuote", "TOC", "Index", "L"),
        *("Table", "TR", "THead", "TBody", "TFoot", "Figure", "Form"),
    ]
)
"""Types that hold blocks. Text directly in a group is a paragraph."""
LEFT_OUT = frozenset(("Artifact", "Lbl", "RT", "RP", "WT"))
"""Types without text of the document: marks of list items, readings beside ideographs."""


@dataclass(frozen=True)
class Element:
    """An element of the tree.

    ``children``: (marked content, 0), (-1, address of an element), or (-1, 0) for what stands on other pages.
    """

    type: str
    lang: str
    children: list[tuple[int, int]]


@dataclass
class _Open:
    """An element on the way from the top: kind of its text, the owner of its text, and the next child.

    ``kind``: "" for a group outside of list items, cells and captions.
    """

    element: Element
    kind: str
    lang: str
    owner: _Owner
    place: int = 0


@dataclass
class _Made:
    """A block, while its contents are read; see :class:`Tag`."""

    kind: str
    lang: str
    begun_before: bool
    contents: list[int] = field(default_factory=list)
    goes_on: bool = False


@dataclass
class _Owner:
    """The element whose block takes the text. ``missing``: a child on another page came before any text."""

    made: _Made | None = None
    missing: bool = False


def walk_tags(tops: list[int], element_at: Callable[[int], Element]) -> tuple[Tag, ...]:
    """The blocks of a page in the order of the tree; without recursion: a tree may be made very deep."""
    made: list[_Made] = []
    path = [_open(element_at(top), None) for top in reversed(tops)]
    seen = len(path)
    while path:
        here = path[-1]
        if here.place >= len(here.element.children):
            path.pop()
            continue
        content, child = here.element.children[here.place]
        here.place += 1
        if content >= 0:
            _add(made, here, content)
        elif not child:
            _miss(here)
        elif seen < MAX_ELEMENTS:
            seen += 1
            element = element_at(child)
            if element.type not in LEFT_OUT:
                path.append(_open(element, here))
    return tuple(Tag(each.kind, each.lang, tuple(each.contents), each.begun_before, each.goes_on) for each in made)


def _open(element: Element, above: _Open | None) -> _Open:
    """The way down to an element; ``above``: its parent, None at the top."""
    lang = element.lang or (above.lang if above else "")
    above_kind = above.kind if above else ""
    if kind := OWN_KINDS.get(element.type, ""):
        return _open_block(element, kind, lang, above)
    if element.type in GROUPS or above is None or (not above_kind and _holds_blocks(element)):
        return _Open(element, above_kind if above_kind in KEPT_BY_PARAGRAPHS else "", lang, _Owner())
    return _Open(element, above_kind, lang, above.owner)


def _open_block(element: Element, kind: str, lang: str, above: _Open | None) -> _Open:
    """The way down to an element that holds a block.

    A paragraph in an item, cell or caption is of that kind. An item at the beginning of another item shares its block.
    """
    above_kind = above.kind if above else ""
    kind = above_kind if kind == "p" and above_kind in KEPT_BY_PARAGRAPHS else kind
    owner = above.owner if above and kind == "li" == above_kind and not above.owner.made else _Owner()
    return _Open(element, kind, lang, owner)


def _holds_blocks(element: Element) -> bool:
    """Whether a NonStruct, which Chromium writes for a box that is no block, has elements inside."""
    return element.type == "NonStruct" and any(child for _, child in element.children)


def _add(made: list[_Made], here: _Open, content: int) -> None:
    """Add marked content to the block of an element."""
    owner = here.owner
    if owner.made is None or made[-1] is not owner.made:  # the first, or a block stood between
        owner.made = _Made(here.kind or "p", here.lang, owner.missing and owner.made is None and _is_block(here))
        made.append(owner.made)
    owner.made.contents.append(content)
    owner.made.goes_on = False


def _miss(here: _Open) -> None:
    """Note a child on another page."""
    if here.owner.made is None:
        here.owner.missing = True
    elif _is_block(here):
        here.owner.made.goes_on = True


def _is_block(here: _Open) -> bool:
    return bool(here.kind) or here.element.type not in GROUPS
