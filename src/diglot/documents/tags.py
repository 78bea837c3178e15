"""HTML element names as small integers, and the tag classes of Bitextor and TagAligner.

A token stream (see :mod:`diglot.documents.linearise`) writes a start tag as ``-(1 + 2 * index)`` and
an end tag as ``-(2 + 2 * index)``, where ``index`` is the tag's place in :data:`TAGS`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

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
"""Every element name of HTML 4 and HTML Living Standard that can stand in a page; the last one is
for all others."""

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
"""Class of every tag as Bitextor 2.0-3.2 and TagAligner shipped it. A tag in no class, as any that
HTML gained later, is irrelevant (Bitextor 2009, section 3)."""


def tag_index(name: str) -> int:
    """Place of an element name (lower case) in :data:`TAGS`; that of "unknown" for any other."""
    return _INDEX.get(name, UNKNOWN_TAG)


def start_code(name: str) -> int:
    """Token of the start tag of ``name``; negative and odd."""
    return -(1 + 2 * tag_index(name))


def end_code(name: str) -> int:
    """Token of the end tag of ``name``; negative and even."""
    return -(2 + 2 * tag_index(name))


def indices_of_codes(codes: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Tag indices of an array of (negative) tag codes, start and end alike."""
    return (-codes - 1) >> 1
