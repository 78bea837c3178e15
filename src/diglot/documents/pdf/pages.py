"""What is read from one page of a PDF: characters as columns, tags and links."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

UNKNOWN_CODE = 0xFFFD
"""Code of a glyph that the font maps to no character, or to a number outside of Unicode. Cleaning leaves out segments
with this code."""


@dataclass(frozen=True)
class Tag:
    """The part of a block of the structure tree that is on one page.

    ``contents``: marked contents in reading order; ``begun_before``, ``goes_on``: whether the element has content on an
    earlier or a later page.
    """

    kind: str
    lang: str
    contents: tuple[int, ...]
    begun_before: bool
    goes_on: bool


@dataclass(frozen=True)
class Characters:
    """Characters of a page in the order of its content, one row each, upright and in points from the lower left.

    ``codes``: code points; ``made_up``: blanks and breaks that PDFium added; ``boxes``: left, bottom, right, top;
    ``baselines``: height of the baseline; ``sizes``: of the font; ``turns``: quarter turns from upright, -1 for slanted
    text; ``fonts``: row of :attr:`PageContent.fonts`; ``contents``: marked content, -1 for none; ``artifacts``: the
    file says that this is no content.
    """

    codes: np.ndarray
    made_up: np.ndarray
    boxes: np.ndarray
    baselines: np.ndarray
    sizes: np.ndarray
    turns: np.ndarray
    fonts: np.ndarray
    contents: np.ndarray
    artifacts: np.ndarray

    def rows(self, chosen: np.ndarray) -> Characters:
        """The characters of these rows, in their order."""
        return Characters(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))


@dataclass(frozen=True)
class LinkArea:
    """An address and the box on the page that leads there: left, bottom, right, top."""

    address: str
    box: tuple[float, float, float, float]


@dataclass(frozen=True)
class PageContent:
    """A page. ``number``: from 1; ``fonts``: names of its fonts; ``tags``: blocks of the structure tree, in order."""

    number: int
    width: float
    height: float
    characters: Characters
    fonts: tuple[str, ...]
    tags: tuple[Tag, ...]
    links: tuple[LinkArea, ...]
