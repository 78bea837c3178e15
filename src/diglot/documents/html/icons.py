"""Icons of a font that draws the name of an icon as a picture: ``<i class="material-icons">check_circle</i>``.

No reader sees the name. Without scripts and style sheets it would be a word beside the text.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser

_HINT = b"material-"
"""Beginning of all the classes. Searching bytes costs less than asking the tree."""
_CLASSES = (
    *("material-icons", "material-icons-outlined", "material-icons-round", "material-icons-sharp"),
    *("material-icons-two-tone", "material-symbols-outlined", "material-symbols-rounded", "material-symbols-sharp"),
)
"""Classes of the fonts' own style sheets."""
_SELECTOR = ", ".join(f".{name}" for name in _CLASSES)
_NAME = re.compile(r"\s*+[a-z0-9_]{1,60}+\s*+")
"""A name of an icon. The font draws no picture for any other text, such as a name that a program has translated."""


def empty_icons(tree: LexborHTMLParser, html: bytes) -> None:
    """Replace the names of icons in ``tree``, parsed from ``html``, by a picture each."""
    if _HINT not in html:
        return
    for node in tree.css(_SELECTOR):
        # The text of elements inside would be read once for each of many nested icons.
        has_element = any(child.is_element_node for child in node.iter())
        if not has_element and _NAME.fullmatch(node.text(deep=False)):
            node.inner_html = "<svg></svg>"
