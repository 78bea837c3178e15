"""Tagged files: the blocks of the structure tree, made of the lines with tagged characters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from diglot.documents.pdf.lines import Line, TagRows
from diglot.documents.pdf.pages import PageContent
from diglot.documents.pdf.paragraphs import Paragraph, is_mark, without_mark

COVERED = 0.8
"""Least share of tagged characters; a page with a smaller share is read by its geometry."""


def tag_rows(page: PageContent) -> TagRows:
    """The tag of each character of a page; -1 for all characters if too few have tags (:data:`COVERED`)."""
    characters = page.characters
    none = TagRows(np.full(characters.codes.size, -1, np.int64), np.zeros(characters.codes.size, np.int64))
    if not page.tags:
        return none
    places = [(content, row) for row, tag in enumerate(page.tags) for content in tag.contents]
    size = max(content for content, _ in places) + 2
    tag_of, order_of = np.full(size, -1, np.int64), np.zeros(size, np.int64)
    for place, (content, row) in enumerate(places):
        tag_of[content], order_of[content] = row, place
    rows = np.where((characters.contents >= 0) & (characters.contents < size), characters.contents, size - 1)
    seen = (characters.codes > 32) & ~characters.artifacts
    found = TagRows(tag_of[rows], order_of[rows])
    if np.count_nonzero(found.tags[seen] >= 0) < COVERED * np.count_nonzero(seen):
        return none
    return found


def tagged_paragraphs(page: PageContent, lines: Sequence[Line]) -> list[Paragraph]:
    """The blocks of a page's tagged lines, in the order of the tree."""
    owned: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        if line.tag >= 0:
            owned[line.tag].append(line)
    made = []
    for row, tag in enumerate(page.tags):
        if row in owned:
            here = sorted(owned[row], key=lambda line: line.order)
            if tag.kind == "li":
                # Some programs write the mark as a text of its own inside of the item.
                here = here[1:] if len(here) > 1 and is_mark(here[0]) else here
                here[0].text = without_mark(here[0].text)
            made.append(
                Paragraph(here, kind=tag.kind, lang=tag.lang, begun_before=tag.begun_before, goes_on=tag.goes_on)
            )
    return made
