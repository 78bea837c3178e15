"""A pair of pages -> aligned segments: blocks first, then the sentences in a bead of blocks; and the same over
tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from diglot.alignment.beads import Aligner, Bead
from diglot.alignment.gale_church import align_lengths, text_length, totals_ratio
from diglot.alignment.lexical import align_texts
from diglot.alignment.lexical.units import ParallelText
from diglot.alignment.segmenting import is_whole, join_sentences, split_blocks
from diglot.alignment.tags import DocumentView, align_documents
from diglot.errors import RecipeError
from diglot.no_breaks import blanks_of_texts
from diglot.records import SEGMENT_SCHEMA

DOCUMENT_COLUMNS = ("tokens", "chunks", "block_ends", "block_kinds", "block_pages", "no_breaks", "fetched")
"""Columns of a document needed to align it; a row of :func:`align_table` has them with the prefixes src_ and tgt_."""


@dataclass(frozen=True, slots=True)
class AlignedSegment:
    """A segment and its translation; without a translation, ``src`` or ``tgt`` is "".

    ``bead``: sentences a side, "2-1". ``score`` in [0, 1], 0 for an empty side: for "lexical", the estimated
    probability of a right bead; for "tags" and "gale_church", the fit of the lengths of the blocks or of the sentences,
    whichever is lower, and no probability. ``kind``: the :class:`BlockKind` of the first source sentence, or of the
    first target sentence if there is no source. ``starts``: number of the first sentence on each page.
    """

    src: str
    tgt: str
    bead: str
    score: float
    kind: int
    starts: tuple[int, int]


@dataclass(frozen=True, slots=True)
class SentenceGroup:
    """Sentences of a bead of blocks, with the kinds of their blocks.

    ``score``: of the bead of blocks. ``ratio``: target characters a source character in the whole pages. ``starts``:
    number of the first sentence on each page.
    """

    src: list[str]
    tgt: list[str]
    src_kinds: list[int]
    tgt_kinds: list[int]
    score: float
    ratio: float
    starts: tuple[int, int] = (0, 0)


def align_pair(
    src: DocumentView,
    tgt: DocumentView,
    src_lang: str,
    tgt_lang: str,
    *,
    aligner: Aligner = "tags",
) -> list[AlignedSegment]:
    """Aligned segments of two pages, in page order; every sentence of both pages is in exactly one segment.

    "lexical" learns from the two pages and aligns all their sentences at once. "tags" aligns blocks as LibTagAligner
    does (TextPairor 2009 and 2010), "gale_church" by length and kind; both then align the sentences of a bead of blocks
    by Gale-Church. Headings are segments of their own.

    Raises: RecipeError for an unknown aligner.
    """
    if aligner == "lexical":
        return _align_lexically(src, tgt, src_lang, tgt_lang)
    groups = sentence_groups(src, tgt, src_lang, tgt_lang, aligner=aligner)
    return [segment for group in groups for segment in group_segments(group)]


def page_sentences(view: DocumentView, lang: str) -> tuple[list[str], list[int], list[int]]:
    """Three lists of one length: sentences of a page; 1 where a sentence opens a block, else 0; kinds of blocks."""
    split, kinds = block_sentences(view, lang), view.block_kinds.tolist()
    return (
        [sentence for sentences in split for sentence in sentences],
        [int(place == 0) for sentences in split for place in range(len(sentences))],
        [kind for sentences, kind in zip(split, kinds, strict=True) for _ in sentences],
    )


def block_sentences(view: DocumentView, lang: str) -> list[list[str]]:
    """Sentences of every block of a page; headings and short items are a single sentence, empty blocks have none."""
    texts, kinds = view.block_texts(), view.block_kinds.tolist()
    return split_blocks(texts, lang, list(map(is_whole, texts, kinds)))


def _align_lexically(src: DocumentView, tgt: DocumentView, src_lang: str, tgt_lang: str) -> list[AlignedSegment]:
    (src_texts, src_opens, src_kinds), (tgt_texts, tgt_opens, tgt_kinds) = (
        page_sentences(view, lang) for view, lang in ((src, src_lang), (tgt, tgt_lang))
    )
    kinds = (src_kinds, tgt_kinds)
    (beads,) = align_texts([ParallelText(src_texts, tgt_texts, (src_opens, tgt_opens), kinds)])
    return [bead_segment(src_texts, tgt_texts, kinds, bead) for bead in beads]


def sentence_groups(
    src: DocumentView,
    tgt: DocumentView,
    src_lang: str,
    tgt_lang: str,
    *,
    aligner: Aligner = "tags",
) -> list[SentenceGroup]:
    """Corresponding sentences of two pages, a group for every bead of blocks; see :func:`align_pair`."""
    src_kinds, tgt_kinds = src.block_kinds.tolist(), tgt.block_kinds.tolist()
    src_sizes, tgt_sizes = (list(map(text_length, view.block_texts())) for view in (src, tgt))
    if aligner == "tags":
        beads = align_documents(src, tgt)
    elif aligner == "gale_church":
        beads = align_lengths(src_sizes, tgt_sizes, kinds=(src_kinds, tgt_kinds))
    else:
        raise RecipeError(f"no aligner {aligner!r} of blocks; there are tags and gale_church")
    src_split, tgt_split = block_sentences(src, src_lang), block_sentences(tgt, tgt_lang)
    # Of whole pages: a group of few sentences says little about the two languages.
    ratio = totals_ratio(src_sizes, tgt_sizes)
    groups = []
    starts = 0, 0
    for bead in beads:
        src_own, src_own_kinds = _sentences(src_split, src_kinds, bead.src)
        tgt_own, tgt_own_kinds = _sentences(tgt_split, tgt_kinds, bead.tgt)
        groups.append(SentenceGroup(src_own, tgt_own, src_own_kinds, tgt_own_kinds, bead.score, ratio, starts))
        starts = starts[0] + len(src_own), starts[1] + len(tgt_own)
    return groups


def group_segments(group: SentenceGroup) -> list[AlignedSegment]:
    """Segments of a group, aligned by Gale-Church."""
    src_lengths, tgt_lengths = list(map(text_length, group.src)), list(map(text_length, group.tgt))
    kinds = (group.src_kinds, group.tgt_kinds)
    beads = align_lengths(src_lengths, tgt_lengths, ratio=group.ratio, kinds=kinds)
    scored = (replace(bead, score=min(group.score, bead.score)) for bead in beads)
    return [bead_segment(group.src, group.tgt, kinds, bead, group.starts) for bead in scored]


def bead_segment(
    src: Sequence[str],
    tgt: Sequence[str],
    kinds: tuple[Sequence[int], Sequence[int]],
    bead: Bead,
    starts: tuple[int, int] = (0, 0),
) -> AlignedSegment:
    """The segment of a bead; ``kinds``: kind of block of every sentence; ``starts``: number of the first sentence of
    each side on its page."""
    own = [*kinds[0][slice(*bead.src)], *kinds[1][slice(*bead.tgt)]]
    return AlignedSegment(
        src=join_sentences(src[slice(*bead.src)]),
        tgt=join_sentences(tgt[slice(*bead.tgt)]),
        bead=bead.kind,
        score=bead.score if all(bead.sizes) else 0.0,
        # Source sentences come first: only a bead without any takes the kind of its first target sentence.
        kind=own[0],
        starts=(starts[0] + bead.src[0], starts[1] + bead.tgt[0]),
    )


def _sentences(split: list[list[str]], kinds: list[int], blocks: tuple[int, int]) -> tuple[list[str], list[int]]:
    """Sentences of a range of blocks, and the kinds of their blocks."""
    numbers = range(*blocks)
    return (
        [sentence for block in numbers for sentence in split[block]],
        [kinds[block] for block in numbers for _ in split[block]],
    )


def align_table(pairs: pa.Table, *, aligner: Aligner = "tags") -> pa.Table:
    """Segments (:data:`diglot.records.SEGMENT_SCHEMA`, without flags) of every page pair, in page order."""
    rows = [pair | _pages_of_sides(pair) for pair in pairs.to_pylist()]
    views = ((document_view(pair, "src_"), document_view(pair, "tgt_")) for pair in rows)
    aligned = (
        align_pair(*both, pair["src_lang"], pair["tgt_lang"], aligner=aligner)
        for both, pair in zip(views, rows, strict=True)
    )
    return segments_table(zip(rows, aligned, strict=True))


def _pages_of_sides(pair: dict[str, Any]) -> dict[str, list[int]]:
    """Columns ``src_pages`` and ``tgt_pages`` of a pair: page of every sentence, [] for a document without pages."""
    columns = {}
    for side in ("src", "tgt"):
        block_pages = pair[f"{side}_block_pages"]
        # The blocks are split into sentences a second time, so only where the document has pages.
        split = block_sentences(document_view(pair, f"{side}_"), pair[f"{side}_lang"]) if block_pages else []
        columns[f"{side}_pages"] = sentence_pages(block_pages, list(map(len, split)))
    return columns


def sentence_pages(block_pages: Sequence[int], counts: Sequence[int]) -> list[int]:
    """Page of every sentence, from the page and the number of sentences of every block; [] without pages."""
    if not block_pages:
        return []
    return [page for page, count in zip(block_pages, counts, strict=True) for _ in range(count)]


def segments_table(aligned: Iterable[tuple[dict[str, Any], Sequence[AlignedSegment]]]) -> pa.Table:
    """Table of the segments of page pairs, pair by pair, :data:`diglot.records.SEGMENT_SCHEMA`.

    A pair has the columns ``src_pages`` and ``tgt_pages``, the page of every sentence, or [] without pages, and
    ``src_no_breaks`` and ``tgt_no_breaks`` (:mod:`diglot.no_breaks`).
    """
    columns: dict[str, list[Any]] = {name: [] for name in SEGMENT_SCHEMA.names}
    for pair, segments in aligned:
        for name in ("src", "tgt", "score", "bead", "kind"):
            columns[name] += [getattr(segment, name) for segment in segments]
        for name in ("src_lang", "tgt_lang", "src_url", "tgt_url"):
            columns[name] += [pair[name]] * len(segments)
        columns["flags"] += [()] * len(segments)
        columns["position"] += range(len(segments))
        for side, name in enumerate(("src", "tgt")):
            columns[f"{name}_page"] += _first_pages(segments, side, pair[f"{name}_pages"])
            columns[f"{name}_blanks"] += _blanks(segments, side, pair[f"{name}_no_breaks"])
        columns["tgt_start"] += _target_starts(segments)
        # A segment is as recent as the later of its two pages.
        columns["fetched"] += [max(pair["src_fetched"], pair["tgt_fetched"])] * len(segments)
    return pa.table([pa.array(columns[field.name], field.type) for field in SEGMENT_SCHEMA], schema=SEGMENT_SCHEMA)


def _first_pages(segments: Sequence[AlignedSegment], side: int, pages: Sequence[int]) -> list[int]:
    """Number of the page where each segment begins on one side; 0 for a segment without text there."""
    if not pages:
        return [0] * len(segments)
    return [pages[segment.starts[side]] if _text(segment, side) else 0 for segment in segments]


def _blanks(segments: Sequence[AlignedSegment], side: int, no_breaks: Sequence[int] | None) -> list[str | None]:
    """Blanks of each segment on one side (:func:`diglot.no_breaks.blanks_of_texts`)."""
    if not no_breaks:
        return [None] * len(segments)
    # Blanks are looked up in the order of the page, and the target of a segment may stand elsewhere on its page.
    order = sorted(range(len(segments)), key=lambda row: segments[row].starts[side])
    found = blanks_of_texts([_text(segments[row], side) for row in order], no_breaks)
    return [blanks for _, blanks in sorted(zip(order, found, strict=True))]


def _target_starts(segments: Sequence[AlignedSegment]) -> list[int] | list[None]:
    """Number of the first target sentence of each segment; None for each if all targets are in page order."""
    starts = [segment.starts[1] for segment in segments]
    return [None] * len(starts) if starts == sorted(starts) else starts


def _text(segment: AlignedSegment, side: int) -> str:
    return segment.tgt if side else segment.src


def document_view(row: dict[str, Any], prefix: str) -> DocumentView:
    """The document in the columns of a row with the given prefix."""
    return DocumentView(
        np.array(row[f"{prefix}tokens"], np.int32),
        row[f"{prefix}chunks"],
        np.array(row[f"{prefix}block_ends"], np.int32),
        np.array(row[f"{prefix}block_kinds"], np.int8),
    )
